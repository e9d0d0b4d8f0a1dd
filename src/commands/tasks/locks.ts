import { command } from '../../cli/command/command.ts';
import { datasourceNames } from '../../cli/completion/completers.ts';
import { type Cell, columnsOf } from '../../cli/lists/columns.ts';
import { flag, integer, listOf, optional, required, text } from '../../contract/schema.ts';
import { tasks } from '../../contract/tasks.ts';
import { formatIntervalCell } from '../shared/datasources/shown-times.ts';

type Lock = Readonly<Record<string, unknown>>;

const cell = (value: unknown): Cell =>
  value === undefined || value === null ? undefined : String(value);

const columns = columnsOf<Lock>({
  datasource: (lock) => cell(lock.dataSource),
  interval: { value: (lock) => cell(lock.interval), show: formatIntervalCell },
  type: (lock) => cell(lock.type),
  priority: (lock) => (typeof lock.priority === 'number' ? lock.priority : undefined),
  group: (lock) => cell(lock.groupId),
  version: { value: (lock) => cell(lock.version), wide: true },
  revoked: { value: (lock) => lock.revoked === true, wide: true },
});

export const locks = command({
  summary: 'List the intervals that are locked by tasks',
  description: 'A WAITING task waits for a lock that another task holds on the same interval.',
  examples: [
    'svcctl tasks locks wikipedia',
    'svcctl tasks locks wikipedia --intervals --output json',
  ],
  endpoints: [tasks.activeLocks, tasks.lockedIntervals],
  arguments: { dataSources: required(listOf(text), 'Names of the datasources') },
  options: {
    minPriority: optional(integer, 'Only locks with at least this priority'),
    intervals: optional(flag, 'Only the distinct intervals'),
  },
  completers: { dataSources: datasourceNames },
  columns,
  async run({ call, out }, { args, options: { minPriority, intervals } }) {
    const body = args.dataSources.map((datasource) => ({
      datasource,
      ...(minPriority !== undefined && { priority: minPriority }),
    }));
    if (intervals) {
      const locked = await call(tasks.lockedIntervals, { body });
      return out.rows(
        Object.entries(locked).flatMap(([dataSource, list]) =>
          list.map((interval): Lock => ({ dataSource, interval })),
        ),
        columns.slice(0, 2),
      );
    }
    const { datasourceToLocks } = await call(tasks.activeLocks, { body });
    await out.rows<Lock>(Object.values(datasourceToLocks).flat(), columns);
  },
});
