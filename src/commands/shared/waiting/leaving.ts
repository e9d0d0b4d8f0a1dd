// Ctrl-C during a wait for work that continues on the service. On a terminal, the user chooses what
// to do; elsewhere a hint shows how to resume.

import type { Context } from '../../../cli/command/command.ts';
import { CommandError } from '../../../cli/process/errors.ts';
import { sentencesOn } from '../../../cli/terminal/wrapped.ts';
import type { CallEndpoint } from '../../../client/client.ts';
import { Interrupted } from '../../../client/errors.ts';

export interface Waited {
  readonly goesOn: string; // a sentence without its end: 'Task [ingest-1] goes on'
  readonly comeBack: string; // the command that resumes the wait, or shows the state
  readonly stop?: {
    readonly by: string; // the command that ends it
    readonly cancel: (call: CallEndpoint) => Promise<unknown>;
    // The final state, when the wait itself does not see it: a sentence without its end
    readonly ended?: string;
  };
}

export type Leaving = Pick<
  Context,
  'ask' | 'call' | 'io' | 'onInterrupt' | 'ownInterrupts' | 'signal'
>;

const answers = { leave: 'stop waiting', cancel: 'cancel it', goOn: 'keep waiting' } as const;

/**
 * Runs a wait that ends with Interrupted when its signal is aborted. Runs it again when the user
 * chooses to keep waiting.
 */
export async function mayLeave<T>(
  context: Leaving,
  waited: Waited,
  wait: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { ask, call, io, onInterrupt, ownInterrupts, signal } = context;
  const { goesOn, comeBack, stop } = waited;
  if (!ask.possible) {
    const forget = onInterrupt(async () => {
      io.stderr.write(
        sentencesOn(io.stderr, [
          `${goesOn}.`,
          `wait again: ${comeBack}`,
          stop && `stop it: ${stop.by}`,
        ]),
      );
    });
    return wait(signal).finally(forget);
  }
  for (;;) {
    const left = new AbortController();
    const giveBack = ownInterrupts(() => left.abort());
    try {
      return await wait(AbortSignal.any([signal, left.signal]));
    } catch (error) {
      if (!(error instanceof Interrupted) || signal.aborted) throw error;
      const choices = Object.values(answers).filter((answer) => stop || answer !== answers.cancel);
      const answer = await ask
        .choice(`${goesOn}. What now?`, '--max-wait', choices)
        .catch(() => answers.leave);
      if (answer === answers.leave)
        throw new CommandError(
          'interrupted',
          `${goesOn}, and svcctl no longer waits for it`,
          comeBack,
        );
      if (answer !== answers.cancel || !stop) continue;
      await stop.cancel(call);
      if (stop.ended !== undefined) throw new CommandError('interrupted', stop.ended);
    } finally {
      giveBack();
    }
  }
}
