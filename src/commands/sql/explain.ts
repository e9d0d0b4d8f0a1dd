import { command } from '../../cli/command.ts';
import { sql } from '../../contract/sql.ts';
import { planResult } from './print-result.ts';
import { requestOf, statementArgument, statementCompleters, statementHints, statementOptions } from './query-options.ts';

export const explain = command({
  summary: 'Show how the service would run a query',
  examples: ["svcctl sql explain 'SELECT COUNT(*) FROM wikipedia'", "svcctl sql explain 'SELECT 1' -o json"],
  arguments: statementArgument,
  options: statementOptions,
  completers: statementCompleters,
  hints: statementHints,
  shorts: { file: 'f' },
  endpoints: [sql.query],
  columns: 'dynamic',
  async run(context, { args, options }) {
    const { query, ...request } = await requestOf({ args, options }, context.io);
    const plan = planResult(context);
    await plan.print(await context.call(sql.query, { body: { ...request, ...plan.ask, query: `EXPLAIN PLAN FOR ${query}` } }));
  },
});
