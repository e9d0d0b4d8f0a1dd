import { type Completer, command, optionsFromQuery } from '../../cli/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import type { Value } from '../../contract/schema.ts';
import { sql } from '../../contract/sql.ts';

type Query = Value<typeof sql.queries.reply.schema>['queries'][number];

const columns = columnsOf<Query>({
  id: ({ sqlQueryId }) => sqlQueryId,
  engine: ({ engine }) => engine,
  state: { value: ({ state }) => state, kind: 'state' },
  sql: { value: ({ sql }) => sql, wide: true },
});

/** The ids of the queries that run, where the service lists them. */
export const runningQueries: Completer = async ({ call }) =>
  (await call(sql.queries)).queries.flatMap(({ sqlQueryId }) => sqlQueryId ?? []);

export const queries = command({
  summary: 'List the queries that run',
  examples: ['svcctl sql queries', 'svcctl sql queries --include-complete --output json'],
  endpoints: [sql.queries],
  options: optionsFromQuery(sql.queries),
  columns,
  async run({ call, out }, { options }) {
    const { queries } = await call(sql.queries, { query: options });
    await out.rows(queries, columns);
  },
});
