// A TypeScript file as a process of its own, for tests that kill it.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

/** Bundles a file into a folder of its own below dist (so that packages are found from there). */
export async function built(
  file: string,
): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(resolve('dist', 'child-'));
  const bundle = await rolldown({
    input: file,
    platform: 'node',
    external: [/^@duckdb\//, /^@photostructure\//],
  });
  await bundle.write({ file: join(folder, 'child.cjs'), format: 'cjs' });
  await bundle.close();
  return {
    path: join(folder, 'child.cjs'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/**
 * Runs a built file to its end, which is usually a violent one; `onLine` hears what it says. Killed
 * after a minute at the latest.
 */
export function runChild(
  path: string,
  args: readonly string[],
  environment: Record<string, string>,
  onLine: (line: string, child: ChildProcess) => void = () => undefined,
): Promise<{
  readonly lines: string[];
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
}> {
  const child = spawn(process.execPath, [path, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  const lines: string[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) {
      lines.push(line);
      onLine(line, child);
    }
  });
  return new Promise((settle, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => settle({ lines, signal, code }));
  });
}
