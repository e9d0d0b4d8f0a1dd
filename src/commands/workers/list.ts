import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { type Worker, workers } from '../../contract/workers.ts';
import { isDisabled } from '../shared/workers/slots.ts';

const columns = columnsOf<Worker>({
  host: ({ worker }) => worker.host,
  state: { value: (row) => (isDisabled(row) ? 'disabled' : 'enabled'), kind: 'state' },
  used: (row) => row.currCapacityUsed,
  capacity: ({ worker }) => worker.capacity,
  tasks: (row) => row.runningTasks.length,
  category: { value: ({ worker }) => worker.category, wide: true },
  version: { value: ({ worker }) => worker.version, wide: true },
  lastCompleted: { value: (row) => row.lastCompletedTaskTime, kind: 'time', wide: true },
});

export const list = command({
  summary: 'List workers with their load',
  examples: ['svcctl workers list', 'svcctl workers list --where state=disabled'],
  endpoints: [workers.list],
  columns,
  async run({ call, out }) {
    await out.rows(await call(workers.list), columns);
  },
});
