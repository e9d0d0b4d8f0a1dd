import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { cluster, type DutyGroup } from '../../contract/cluster.ts';

const columns = columnsOf<DutyGroup>({
  group: ({ name }) => name,
  period: ({ period }) => period,
  lastRun: { value: ({ lastRunStart }) => lastRunStart, kind: 'time' },
  runtime: { value: ({ avgRuntimeMillis }) => avgRuntimeMillis, kind: 'duration' },
  duties: {
    value: ({ dutyNames }) => dutyNames.map((name) => name.split('.').at(-1)).join(' '),
    wide: true,
  },
});

export const duties = command({
  summary: 'List the periodic duties of the Coordinator',
  examples: ['svcctl cluster duties', 'svcctl cluster duties --output wide'],
  endpoints: [cluster.duties],
  columns,
  async run({ call, out }) {
    await out.rows((await call(cluster.duties)).dutyGroups, columns);
  },
});
