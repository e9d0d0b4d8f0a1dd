// Handling of Ctrl-C and SIGTERM: the first one prints a message, aborts the signal and gives the
// command one second to clean up; the second one exits at once.
import { type ExitCode, exitCodes } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';
import { control } from './terminal.ts';

export interface Interrupts {
  readonly signal: AbortSignal;
  readonly onInterrupt: (cleanUp: () => Promise<unknown>) => () => void;
  /** Passes Ctrl-C to another listener. Returns a function that undoes it. */
  readonly handOver: (listener: () => void) => () => void;
  /** The exit code after a signal; waits at most one second for the clean-up. */
  settle(): Promise<ExitCode | undefined>;
  /** Stops listening, and ends all waits on the signal. */
  close(): void;
}

const patienceMs = 900;

export function listenForInterrupts(io: Pick<Io, 'stderr'>, isOrdinaryEnd: boolean): Interrupts {
  const controller = new AbortController();
  const cleanUps = new Set<() => Promise<unknown>>();
  let cleaned: Promise<unknown> | undefined;
  let code: ExitCode | undefined;
  let handedTo: (() => void) | undefined;

  function hear(name: NodeJS.Signals) {
    const heard = name === 'SIGTERM' ? exitCodes.terminated : exitCodes.interrupted;
    if (cleaned) leave(code ?? heard);
    if (!isOrdinaryEnd) {
      code = heard;
      io.stderr.write(
        `${io.stderr.isTTY ? control('\r') : ''}Interrupted: stopping. Press Ctrl-C again to exit at once.\n`,
      );
      setTimeout(() => leave(heard), patienceMs).unref();
    }
    cleaned = Promise.allSettled([...cleanUps].map(async (cleanUp) => cleanUp()));
    controller.abort();
  }

  function leave(exitCode: ExitCode): never {
    if (io.stderr.isTTY) io.stderr.write(control('\x1b[?25h')); // a spinner may have hidden the cursor
    return process.exit(exitCode);
  }

  const names = ['SIGINT', 'SIGTERM'] as const;
  for (const name of names) process.on(name, hear);
  return {
    signal: controller.signal,
    onInterrupt: (cleanUp) => {
      cleanUps.add(cleanUp);
      return () => void cleanUps.delete(cleanUp);
    },
    handOver(listener) {
      process.off('SIGINT', hear);
      process.on('SIGINT', listener);
      handedTo = listener;
      return () => {
        process.off('SIGINT', listener);
        process.on('SIGINT', hear);
        handedTo = undefined;
      };
    },
    async settle() {
      await cleaned;
      return code;
    },
    close() {
      for (const name of names) process.off(name, hear);
      if (handedTo) process.off('SIGINT', handedTo);
      controller.abort();
    },
  };
}
