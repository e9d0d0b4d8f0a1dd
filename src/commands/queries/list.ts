import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { sql } from '../../contract/sql.ts';
import { tasks } from '../../contract/tasks.ts';
import { listRunning, type Running } from './running.ts';

const columns = columnsOf<Running>({
  id: ({ id }) => id,
  kind: ({ kind }) => kind,
  user: ({ user }) => user,
  started: { value: ({ started }) => started, kind: 'time' },
  state: { value: ({ state }) => state, kind: 'state' },
  engine: { value: ({ engine }) => engine, wide: true },
  query: ({ query }) => query?.replace(/\s+/g, ' ').trim(),
});

export const list = command({
  summary: 'List what runs now: SQL, native queries and SQL tasks',
  description:
    'Without permission to read the state of the service, it lists your own queries only, without users. Apache Druid does not list native queries, nor SQL queries of its engine [native]: it lists those of engine [msq-dart] and SQL tasks. svcctl serve lists all of them.',
  examples: ['svcctl queries list', 'svcctl queries list -o json'],
  endpoints: [sql.queries, tasks.running, tasks.get],
  columns,
  async run(context) {
    const { out } = context;
    const { queries, isPartial } = await listRunning(context);
    await out.rows(queries, columns);
    if (isPartial)
      out.note(
        'This version of the service cannot list the queries of its Brokers: only SQL tasks are shown.',
      );
    else if (queries.length === 0)
      out.note(
        'No query is listed. Apache Druid lists only SQL tasks and queries of engine [msq-dart].',
      );
  },
});
