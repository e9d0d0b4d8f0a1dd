import { command } from '../../cli/command/command.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { sql } from '../../contract/sql.ts';
import { statements } from '../../contract/statements.ts';
import { explained } from '../shared/sql/explained.ts';
import { planResult, printObjects } from '../shared/sql/print-result.ts';
import {
  requestOf,
  statementArgument,
  statementCompleters,
  statementHints,
  statementOptions,
} from '../shared/sql/query-options.ts';
import { statementsIn } from '../shared/sql/statement-parts.ts';

export const explain = command({
  summary: 'Show the plan of a query',
  description:
    'On a terminal it prints an outline of the native queries: what each one reads, filters, groups, computes and sorts. Other formats have the columns of EXPLAIN PLAN FOR; -o json has them in full. INSERT and REPLACE can be explained as well; nothing runs.',
  examples: [
    "svcctl sql explain 'SELECT COUNT(*) FROM wikipedia'",
    "svcctl sql explain 'SELECT 1' -o json",
  ],
  arguments: statementArgument,
  options: statementOptions,
  completers: statementCompleters,
  hints: statementHints,
  shorts: { file: 'f' },
  endpoints: [sql.query, statements.submit],
  columns: 'dynamic',
  async run(context, { args, options }) {
    const { query, ...request } = await requestOf({ args, options }, context.io);
    const texts = statementsIn(query).map(({ text }) => text);
    const last = texts.pop();
    if (last === undefined) throw new UsageError('The statement is empty: there are only comments');
    const [word = ''] = /^\w*/.exec(last) ?? [];
    const body = {
      ...request,
      query: [...texts, /^explain$/i.test(word) ? last : `EXPLAIN PLAN FOR ${last}`].join(';\n'),
    };
    if (/^(insert|replace)$/i.test(word)) {
      const submitted = context.call(statements.submit, {
        body: { ...body, context: { executionMode: 'ASYNC', ...request.context } },
      });
      const plans = await explained(context, body.query, submitted);
      await printObjects(
        context,
        (Array.isArray(plans) ? plans : []) as Readonly<Record<string, unknown>>[],
      );
      return;
    }
    const plan = planResult(context);
    const asked = context.call(sql.query, { body: { ...body, ...plan.ask } });
    await plan.print(await explained(context, body.query, asked));
  },
});
