// The way to stdout. A reader who has seen enough (`| head -1`) is not an error; a full disk is
// one.
import { CommandError } from '../process/errors.ts';
import type { Io } from '../process/io.ts';
import { guarded } from './terminal.ts';

export type Write = (chunk: Uint8Array | string) => Promise<void> | undefined;

/** Thrown when nobody reads on; the command ends quietly. */
export class NobodyReads extends Error {}

/** The way to a stream; it listens to the stream's errors for good, so there is one for each. */
export function writerTo(stream: NodeJS.WritableStream): Write {
  const known = writers.get(stream) ?? listeningWriter(stream);
  writers.set(stream, known);
  return known;
}

const writers = new WeakMap<NodeJS.WritableStream, Write>();

function listeningWriter(stream: NodeJS.WritableStream): Write {
  let failure: Error | undefined;
  let wake = () => {};
  stream.on('error', (error: NodeJS.ErrnoException) => {
    failure =
      error.code === 'EPIPE'
        ? new NobodyReads()
        : new CommandError('failed', `The answer cannot be written: ${error.message}`);
    wake();
  });
  return (chunk) => {
    if (failure) throw failure;
    if (chunk.length === 0 || stream.write(chunk)) return undefined;
    return new Promise<void>((resolve, reject) => {
      wake = () => (failure ? reject(failure) : resolve());
      stream.once('drain', () => wake());
    });
  };
}

/** Waits until what was written has left; says how that went. */
export function flush(stream: NodeJS.WritableStream): Promise<Error | undefined> {
  return new Promise((resolve) => {
    stream.once('error', resolve);
    stream.write('', (error) => {
      stream.off('error', resolve);
      resolve(error ?? undefined);
    });
  });
}

/**
 * The same world with streams that are opened when somebody first uses them: Node needs up to 5 ms
 * for each. What is written to them is escaped where they are terminals. Errors of writing to them
 * are ignored, because there is nowhere else to report them.
 */
export function openedOnUse(io: Io): Io {
  let stderr: Io['stderr'] | undefined;
  return {
    argv: io.argv,
    env: io.env,
    get stdin() {
      return io.stdin;
    },
    get stdout() {
      return guarded(size(io.stdout));
    },
    get stderr() {
      stderr ??= guarded(size(io.stderr).on('error', () => {}));
      return stderr;
    },
  };
}

// Some terminals (a serial line, `ssh -tt` from a script, a container's) say that they have no
// columns; a live line would be cleared for ever.
function size<Stream extends { readonly isTTY?: boolean; columns: number; rows: number }>(
  stream: Stream,
): Stream {
  if (stream.isTTY && !stream.columns)
    Object.assign(stream, { columns: 80, rows: stream.rows || 24 });
  return stream;
}
