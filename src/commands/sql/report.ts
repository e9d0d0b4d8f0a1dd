import { command } from '../../cli/command/command.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { required, text } from '../../contract/schema.ts';
import { sql } from '../../contract/sql.ts';
import { runningQueries } from './queries.ts';

export const report = command({
  summary: 'Show the report of a query and its stages',
  description:
    'Only some engines keep reports; svcctl tasks report shows the reports of SQL tasks.',
  examples: ['svcctl sql report nightly-report'],
  endpoints: [sql.report],
  arguments: { sqlQueryId: required(text, 'Query id: its context parameter sqlQueryId') },
  completers: { sqlQueryId: runningQueries },
  async run({ call, out }, { args }) {
    const found = await call(sql.report, { params: args });
    if (!found.query && !found.report)
      throw new CommandError('notFound', `Query [${args.sqlQueryId}] has no report`);
    await out.document(found);
  },
});
