// A call of a tool: svcctl as a process of its own, so that each call has its own journal entry, a
// bound of time and memory, and an end.
import { type ChildProcess, spawn } from 'node:child_process';

export interface Finished {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly isCut: boolean; // there was more output
  readonly isLate: boolean; // it was stopped after the maximum time
}

export interface Bounds {
  readonly maxBytes: number; // of its output
  readonly maxTimeMs: number;
  readonly signal: AbortSignal; // stops it
}

const graceMs = 2000; // for cancelling a query on the service
const maxErrorBytes = 20_000;

/** Runs a program with its output bounded. */
export async function runLine(
  [program = '', ...args]: readonly string[],
  { env, stdin }: { readonly env: NodeJS.ProcessEnv; readonly stdin: string | undefined },
  { maxBytes, maxTimeMs, signal }: Bounds,
): Promise<Finished> {
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => {}); // it may end without reading
  child.stdin.end(stdin ?? '');
  let isLate = false;
  const stop = () => interrupt(child);
  const timer = setTimeout(() => {
    isLate = true;
    stop();
  }, maxTimeMs);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    const out = collect(child.stdout, maxBytes, () => interrupt(child));
    const err = collect(child.stderr, maxErrorBytes, () => {});
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
    });
    return {
      stdout: out.text(),
      stderr: err.text(),
      code,
      isCut: out.isCut(),
      isLate,
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

function interrupt(child: ChildProcess) {
  child.kill('SIGINT');
  setTimeout(() => child.kill('SIGKILL'), graceMs).unref();
}

function collect(stream: NodeJS.ReadableStream, maxBytes: number, onCut: () => void) {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    if (size < maxBytes) chunks.push(chunk.subarray(0, maxBytes - size));
    if (size <= maxBytes && size + chunk.length > maxBytes) onCut();
    size += chunk.length;
  });
  return {
    text: () => Buffer.concat(chunks).toString(),
    isCut: () => size > maxBytes,
  };
}
