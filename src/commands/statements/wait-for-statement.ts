// Waiting for a statement, with its progress on stderr. Ctrl-C leaves the statement alone.
import { shownDuration } from '../../cli/columns.ts';
import type { Context } from '../../cli/command.ts';
import { CommandError } from '../../cli/errors.ts';
import { type StatementResult, statements } from '../../contract/statements.ts';
import { looks } from '../tasks/poll.ts';

/** The status of a statement that has succeeded; throws when it failed (exit code 1) and when `maxWait` seconds are over (7). */
export async function waitForStatement(
  context: Pick<Context, 'call' | 'io' | 'onInterrupt' | 'out' | 'progress' | 'signal'>,
  queryId: string,
  { maxWait }: { readonly maxWait?: number | undefined } = {},
): Promise<StatementResult> {
  const { call, io, onInterrupt, progress } = context;
  const comeBack = `svcctl statements wait ${queryId}`;
  const forget = onInterrupt(async () => {
    io.stderr.write(`Statement [${queryId}] goes on.\nwait again: ${comeBack}\nstop it: svcctl statements cancel ${queryId}\n`);
  });
  const line = progress(`Statement [${queryId}]`);
  const look = () => call(statements.status, { params: { queryId } });
  const patience = { what: `Statement [${queryId}] has not ended`, hint: comeBack, ...(maxWait !== undefined && { maxWait }) };
  try {
    for await (const status of looks(look, context, patience)) {
      if (status.state === 'FAILED') throw failureOf(status);
      if (status.state === 'SUCCESS') {
        line.done(`Statement [${queryId}] succeeded after ${shownDuration(status.durationMs)}`);
        return status;
      }
      line.update({ stage: status.state.toLowerCase() });
    }
    throw new Error('The looks at a statement have no end of their own');
  } catch (error) {
    line.failed();
    throw error;
  } finally {
    forget();
  }
}

/** What went wrong, in the statement's own words. */
export function failureOf({ queryId, errorDetails }: StatementResult): CommandError {
  const { errorCode, errorMessage } = errorDetails ?? {};
  const reason = [errorCode === 'general' ? undefined : errorCode, errorMessage].filter(Boolean).join(': ');
  return new CommandError('failed', `Statement [${queryId}] failed${reason && `: ${reason}`}`, `svcctl tasks log ${queryId} --tail 20`);
}
