// Writing to stdout. A reader that stops early (`| head -1`) is not an error; a full disk is an
// error.
import { CommandError } from '../process/errors.ts';
import { type Io, widthIn } from '../process/io.ts';
import { guardStream } from './terminal.ts';

// A chunk is valid until it is written: a writer that keeps it makes a copy.
export type Write = (chunk: Uint8Array | string) => Promise<void> | undefined;

/** Thrown when the reader has closed the stream; the command ends without a message. */
export class NobodyReads extends Error {}

/** A writer for a stream. Its error listener stays for good, so use one writer per stream. */
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

/** Waits until the written data is flushed; returns the error, if any. */
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
 * The same `Io` with streams that open on first use: Node needs up to 5 ms for each. Text for
 * terminals is escaped. Write errors are ignored, because there is no other place to report them.
 */
export function openOnUse(io: Io): Io {
  let stderr: Io['stderr'] | undefined;
  return {
    argv: io.argv,
    env: io.env,
    get stdin() {
      return io.stdin;
    },
    get stdout() {
      return guardStream(withSize(io.stdout, io.env));
    },
    get stderr() {
      stderr ??= guardStream(withSize(io.stderr, io.env).on('error', () => {}));
      return stderr;
    },
  };
}

// Some terminals (a serial line, `ssh -tt` from a script, a container's) report zero columns;
// clearing a live line would never end.
function withSize<Stream extends { readonly isTTY?: boolean; columns: number; rows: number }>(
  stream: Stream,
  env: NodeJS.ProcessEnv,
): Stream {
  const width = widthIn(env);
  if (stream.isTTY && width !== undefined)
    Object.defineProperty(stream, 'columns', {
      get: () => width,
      set: () => {},
      configurable: true,
    });
  if (stream.isTTY && !stream.columns)
    Object.assign(stream, { columns: 80, rows: stream.rows || 24 });
  return stream;
}
