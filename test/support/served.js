// The built service as a process of its own. Plain JavaScript, because scripts without a test
// runner start it, too.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Starts `svcctl serve` on a free port and waits until it is ready, at most a minute.
 * @param {readonly string[]} [args] further flags
 * @param {Record<string, string>} [env] further environment
 * @param {readonly string[]} [under] a command that replaces itself by the one that follows it:
 * limits, mounts
 * @param {{ readonly expectsInternalErrors?: boolean }} [options] what the test provokes
 */
export async function startServed(
  args = [],
  env = {},
  under = [],
  { expectsInternalErrors = false } = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'svcctl-served-'));
  const readyFile = join(folder, 'ready.json');
  const started = performance.now();
  const serve = [
    process.execPath,
    resolve('bin/svcctl.cjs'),
    'serve',
    '--port',
    '0',
    '--ready-file',
    readyFile,
    ...args,
  ];
  const [program = '', ...rest] = [...under, ...serve];
  const child = spawn(program, rest, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL'); // of a process that has ended it does nothing
  const leave = () => {
    kill();
    rmSync(folder, { recursive: true, force: true });
  };
  process.on('exit', leave);
  let said = '';
  let internalErrors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    if (isInternalError.test(said.slice(-20) + text)) internalErrors += text;
    said = (said + text).slice(-10_000);
  });
  const ended = once(child, 'close').then(async ([code, signal]) => {
    await rm(folder, { recursive: true, force: true });
    process.off('exit', leave);
    if (internalErrors !== '' && !expectsInternalErrors)
      throw new Error(`The service had internal errors: ${internalErrors}`);
    return { code, signal, said };
  });
  const over = ended.catch(() => undefined); // the test that waits for the end is told
  const ready = await Promise.race([
    readyIn(readyFile, over),
    over.then(() => undefined),
    sleep(60_000, undefined, { ref: false }),
  ]);
  if (!ready) {
    kill();
    throw new Error(`The service did not start: ${said}`);
  }
  return {
    /** @type {string} */
    url: ready.url,
    /** Where its control interface is, if it has one. @type {string} */
    control: ready.control,
    pid: Number(child.pid),
    readyMs: performance.now() - started,
    /**
     * How it ended, as soon as it has: exit code or signal, and the end of what it said. Rejects
     * when it has logged an internal error.
     */
    ended,
    /** The words it has said to people so far. */
    said: () => said,
    kill,
    /** Ends it in order; after 20 seconds, violently. */
    async stop() {
      child.kill('SIGTERM');
      const late = setTimeout(kill, 20_000);
      const end = await ended;
      clearTimeout(late);
      return end;
    },
  };
}

// In the log as text, and as JSON.
const isInternalError = /^Internal error:|"internal":true/m;

/** @param {string} file @param {Promise<unknown>} ended */
async function readyIn(file, ended) {
  let gone = false;
  ended.then(() => {
    gone = true;
  });
  while (!gone) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text) return JSON.parse(text);
    await sleep(5);
  }
}
