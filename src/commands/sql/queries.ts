import { type Completer, command, optionsFromQuery } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import type { Value } from '../../contract/schema.ts';
import { sql } from '../../contract/sql.ts';

type Query = Value<typeof sql.queries.reply.schema>['queries'][number];

const columns = columnsOf<Query>({
  id: ({ sqlQueryId }) => sqlQueryId,
  engine: ({ engine }) => engine,
  state: { value: ({ state }) => state, kind: 'state' },
  started: { value: ({ startTime }) => startTime, kind: 'time' },
  duration: { value: ({ durationMs }) => durationMs, kind: 'duration', wide: true },
  user: { value: ({ identity }) => identity, wide: true },
  sql: { value: ({ sql }) => sql, wide: true },
});

/** The ids of running queries, if the service lists them. */
export const runningQueries: Completer = async ({ call }) =>
  (await call(sql.queries)).queries.flatMap(({ sqlQueryId }) => sqlQueryId ?? []);

export const queries = command({
  summary: 'List running SQL queries',
  description:
    'Without permission to read the state of the service, it lists your own queries only.',
  examples: ['svcctl sql queries', 'svcctl sql queries --include-complete --output json'],
  endpoints: [sql.queries],
  options: optionsFromQuery(sql.queries),
  columns,
  async run({ call, out }, { options }) {
    const { queries } = await call(sql.queries, { query: options });
    await out.rows(queries, columns);
  },
});
