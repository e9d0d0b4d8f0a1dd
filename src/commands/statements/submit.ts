import { command } from '../../cli/command/command.ts';
import { flag, oneOf, optional, seconds } from '../../contract/schema.ts';
import { statements } from '../../contract/statements.ts';
import { commandLine } from '../../model/shell-text.ts';
import { explained } from '../shared/sql/explained.ts';
import {
  requestOf,
  statementArgument,
  statementCompleters,
  statementHints,
  statementOptions,
} from '../shared/sql/query-options.ts';
import { remember } from './ledger.ts';
import { printStatementId } from './print-statement-id.ts';
import { waitForStatement } from './wait-for-statement.ts';

export const submit = command({
  summary: 'Submit a background statement and print its id',
  description:
    'SELECT, INSERT and REPLACE run as tasks, without a time limit; svcctl statements results fetches the rows of a SELECT. With --destination durableStorage the result is split into pages, for more than a few thousand rows.',
  examples: [
    "svcctl statements submit 'SELECT channel, COUNT(*) AS edits FROM wikipedia GROUP BY 1' --wait",
    'svcctl statements submit --file query.sql --destination durableStorage',
  ],
  arguments: statementArgument,
  options: {
    ...statementOptions,
    destination: optional(
      oneOf('taskReport', 'durableStorage'),
      "Destination of a SELECT's rows (default taskReport)",
    ),
    wait: optional(flag, 'Wait for it to finish; the exit code tells the result'),
    maxWait: optional(seconds, 'With --wait: timeout in seconds'),
  },
  completers: statementCompleters,
  hints: statementHints,
  shorts: { file: 'f' },
  endpoints: [statements.submit, statements.status],
  needs: { maxWait: 'wait' },
  writes: 'change',
  async run(context, { args, options }) {
    const { call, out, io, dryRun, settings } = context;
    const { context: given, ...request } = await requestOf({ args, options }, io);
    const destination = options.destination && { selectDestination: options.destination };
    const submitted = call(statements.submit, {
      body: { ...request, context: { executionMode: 'ASYNC', ...destination, ...given } },
    });
    const reply = await explained(context, request.query, submitted);
    if (dryRun) return;
    if (!('queryId' in reply)) return out.document(reply); // the plan of an EXPLAIN
    const { queryId } = reply;
    await printStatementId(context, queryId);
    remember(io.env, {
      queryId,
      url: settings.url,
      submitted: new Date().toISOString(),
      statement: request.query,
    });
    if (options.wait) {
      await waitForStatement(context, queryId, { ...options, isKnown: true });
      out.note(`next: ${commandLine`svcctl statements results ${queryId}`}`);
    } else
      out.changed(
        queryId,
        `Statement [${queryId}] is submitted.`,
        commandLine`svcctl statements wait ${queryId}`,
      );
  },
});
