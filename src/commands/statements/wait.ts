import { command } from '../../cli/command/command.ts';
import { waitForEach } from '../../cli/command/wait-for-each.ts';
import { optional, seconds } from '../../contract/schema.ts';
import { statements } from '../../contract/statements.ts';
import { completers, hints, statementIds } from './statement-id.ts';
import { waitForStatement } from './wait-for-statement.ts';

export const wait = command({
  summary: 'Wait for statements to finish',
  description:
    'Progress is on standard error, and how each has ended in a list where a format is asked for. Exit code 0 when all have succeeded, 1 when one has failed, 7 when --max-wait, which is for all of them together, is over. Ctrl-C leaves the statements alone and says how to come back; on a terminal it also offers to cancel.',
  examples: ['svcctl statements wait query-report-1 --max-wait 600'],
  endpoints: [statements.status],
  arguments: statementIds,
  options: { maxWait: optional(seconds, 'Timeout in seconds') },
  completers,
  hints,
  async run(context, { args, options }) {
    await waitForEach(context, args.queryIds, (queryId, turn) =>
      waitForStatement(context, queryId, { ...options, turn }),
    );
  },
});
