import { command } from '../../cli/command/command.ts';
import { waitForEach } from '../../cli/command/wait-for-each.ts';
import { optional, seconds } from '../../contract/schema.ts';
import { statements } from '../../contract/statements.ts';
import { completers, hints, identified, statementIds } from './statement-id.ts';
import { waitForStatement } from './wait-for-statement.ts';

export const wait = command({
  summary: 'Wait for statements to finish',
  description:
    'Progress is on standard error; with a format, a list of results is on standard output. Exit code 0 when all statements have succeeded, 1 when one has failed, 7 when --max-wait, which counts for all of them together, is over. Ctrl-C does not stop the statements and prints how to continue waiting; on a terminal it also offers to cancel.',
  examples: ['svcctl statements wait query-report-1 --max-wait 600'],
  endpoints: [statements.status],
  arguments: statementIds,
  options: { maxWait: optional(seconds, 'Timeout in seconds') },
  completers,
  ids: { queryIds: identified },
  hints,
  async run(context, { args, options }) {
    await waitForEach(context, args.queryIds, (queryId, turn) =>
      waitForStatement(context, queryId, { ...options, turn }),
    );
  },
});
