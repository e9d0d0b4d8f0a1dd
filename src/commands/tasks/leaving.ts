// Ctrl-C while something is waited for that goes on without us. On a terminal it is asked what is meant; elsewhere it is said how to come back.

import type { Context } from '../../cli/command.ts';
import { CommandError } from '../../cli/errors.ts';
import type { Call } from '../../client/client.ts';
import { Interrupted } from '../../client/errors.ts';

export interface Waited {
  readonly what: string; // 'Task [ingest-1]'
  readonly comeBack: string; // the command that waits again
  readonly stop: string; // the command that ends it
  readonly cancel: (call: Call) => Promise<unknown>;
}

export type Leaving = Pick<Context, 'ask' | 'call' | 'io' | 'onInterrupt' | 'ownInterrupts' | 'signal'>;

const answers = { leave: 'leave it alone', cancel: 'cancel it', goOn: 'wait on' } as const;

/** Runs a wait that ends with Interrupted when its signal is raised; runs it again when the person would rather wait on. */
export async function mayLeave<T>(context: Leaving, waited: Waited, wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { ask, call, io, onInterrupt, ownInterrupts, signal } = context;
  const { what, comeBack, stop, cancel } = waited;
  if (!ask.possible) {
    const forget = onInterrupt(async () => {
      io.stderr.write(`${what} goes on.\nwait again: ${comeBack}\nstop it: ${stop}\n`);
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
      const answer = await ask.choice(`${what} goes on. What now?`, '--max-wait', Object.values(answers)).catch(() => answers.leave);
      if (answer === answers.cancel) await cancel(call);
      if (answer === answers.leave) throw new CommandError('interrupted', `${what} goes on, and nobody waits for it`, comeBack);
    } finally {
      giveBack();
    }
  }
}
