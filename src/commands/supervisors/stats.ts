import { command } from '../../cli/command/command.ts';
import { type Cell, columnsOf } from '../../cli/lists/columns.ts';
import { supervisors } from '../../contract/supervisors.ts';
import {
  completers,
  hints,
  identified,
  supervisorId,
} from '../shared/supervisors/supervisor-id.ts';

interface TaskStats {
  readonly group: string;
  readonly task: string;
  readonly totals: Counts;
  readonly perSecond: Counts; // over the last minute or so
}

type Counts = Readonly<Record<string, Cell>>;

const columns = columnsOf<TaskStats>({
  task: ({ task }) => task,
  group: ({ group }) => group,
  processed: ({ totals }) => totals.processed,
  bytes: { value: ({ totals }) => totals.processedBytes, kind: 'bytes' },
  withError: { value: ({ totals }) => totals.processedWithError, wide: true },
  thrownAway: ({ totals }) => totals.thrownAway,
  unparseable: ({ totals }) => totals.unparseable,
  perSecond: {
    value: ({ perSecond }) => perSecond.processed,
    show: (cell) => (typeof cell === 'number' ? cell.toFixed(1) : '-'),
  },
});

export const stats = command({
  summary: "Show the row counts of a supervisor's tasks",
  examples: ['svcctl supervisors stats edits', 'svcctl supervisors stats edits --output csv'],
  endpoints: [supervisors.stats],
  arguments: supervisorId,
  completers,
  ids: { supervisorId: identified },
  hints,
  columns,
  async run({ call, out }, { args }) {
    const groups = await call(supervisors.stats, { params: args });
    const rows = Object.entries(groups).flatMap(([group, tasks]) =>
      Object.entries(tasks).map(([task, { totals, movingAverages }]) => ({
        group,
        task,
        totals: countsIn(totals, 'buildSegments'),
        perSecond: countsIn(movingAverages, 'buildSegments', '1m'),
      })),
    );
    await out.rows(rows, columns);
  },
});

// The counts at a path of names; empty where a version of the service has another layout.
const countsIn = (value: unknown, ...path: readonly string[]): Counts =>
  (path.reduce<unknown>(
    (found, name) => (isCounts(found) ? found[name] : undefined),
    value,
  ) as Counts) ?? {};

const isCounts = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
