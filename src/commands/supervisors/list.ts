import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { type Supervisor, supervisors } from '../../contract/supervisors.ts';
import { isSuspended, listSpecs } from '../shared/supervisors/supervisor-id.ts';

const columns = columnsOf<Supervisor>({
  id: ({ id }) => id,
  state: { value: ({ state }) => state, kind: 'state' },
  detail: { value: ({ detailedState }) => detailedState, kind: 'state' },
  suspended: { value: ({ suspended }) => suspended },
  healthy: { value: ({ healthy }) => healthy, wide: true },
  datasource: { value: ({ dataSource }) => dataSource, wide: true },
});

export const list = command({
  summary: 'List supervisors with their states',
  examples: [
    'svcctl supervisors list',
    `svcctl supervisors list --where 'healthy = false' --output name`,
  ],
  endpoints: [supervisors.list],
  columns,
  async run({ call, out }) {
    // The list of states may lack the datasource.
    const listed = await listSpecs({ call });
    await out.rows(
      listed.map((known): Supervisor => {
        const { spec, ...supervisor } = known;
        const dataSource = supervisor.dataSource ?? datasourceIn(spec);
        return {
          ...supervisor,
          suspended: isSuspended(known),
          ...(dataSource !== undefined && { dataSource }),
        };
      }),
      columns,
    );
  },
});

function datasourceIn(spec: Supervisor['spec']): string | undefined {
  const { dataSource }: Readonly<Record<string, unknown>> = spec?.spec?.dataSchema ?? {};
  return typeof dataSource === 'string' ? dataSource : undefined;
}
