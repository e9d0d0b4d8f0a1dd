import { command } from '../../cli/command/command.ts';
import { required, text } from '../../contract/schema.ts';
import { sql } from '../../contract/sql.ts';
import { runningQueries } from './queries.ts';

export const cancel = command({
  summary: 'Cancel running SQL queries by id',
  examples: ['svcctl sql cancel nightly-report --dry-run'],
  arguments: { sqlQueryId: required(text, 'Query id: its context parameter sqlQueryId') },
  completers: { sqlQueryId: runningQueries },
  writes: 'change',
  endpoints: [sql.cancel],
  hints: { notFound: 'no query with this id is running; it may have ended' },
  async run({ call, out, dryRun }, { args }) {
    await call(sql.cancel, { params: args });
    if (!dryRun) out.changed(args.sqlQueryId, `Query [${args.sqlQueryId}] is cancelled.`);
  },
});
