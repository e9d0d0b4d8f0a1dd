// Shared parts of benchmarks: processes and their memory, medians, waiting for tasks.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

// NODE_EXTRA_CA_CERTS alone costs 65 ms on Node 20, and would flatter every ratio of start-up
// times.
export const plainEnvironment = { PATH: process.env.PATH, HOME: process.env.HOME };

/**
 * Runs a process to its end; its stdout goes to a file descriptor or nowhere. Returns milliseconds
 * and, where /proc tells, the most memory it had (MB).
 */
export async function run(
  program,
  args,
  { env = plainEnvironment, stdout = 'ignore', memory = false } = {},
) {
  const started = performance.now();
  const child = spawn(program, args, { env, stdio: ['ignore', stdout, 'inherit'] });
  child.stdout?.resume();
  let peakMb = 0;
  // The high-water mark never falls, so looking now and then misses only the last moment.
  const watch = memory
    ? setInterval(() => (peakMb = Math.max(peakMb, highWaterMb(child.pid))), 10)
    : undefined;
  const [code] = await once(child, 'close');
  clearInterval(watch);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')}: exit ${code}`);
  return { ms: performance.now() - started, peakMb };
}

/** Resident memory of a process in MB; 0 where there is no /proc. */
export const residentMb = (pid) => memoryOf(pid, 'VmRSS');
export const highWaterMb = (pid) => memoryOf(pid, 'VmHWM');

/** Resident memory of a process and its descendants in MB. */
export const residentWithChildrenMb = (pid) =>
  childrenOf(pid).reduce((sum, child) => sum + residentWithChildrenMb(child), residentMb(pid));

function childrenOf(pid) {
  try {
    const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return listed === '' ? [] : listed.split(' ').map(Number);
  } catch {
    return [];
  }
}

function memoryOf(pid, field) {
  try {
    const [, kb] =
      new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kb ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Runs svcctl until it has said something. */
export async function firstWords(args, env) {
  const child = spawn(process.execPath, ['bin/svcctl.cjs', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await Promise.race([once(child.stdout, 'data'), once(child, 'close')]);
  child.kill('SIGKILL'); // in order, it would say that it was interrupted
}

/**
 * The longest that a service lets anybody wait for its health, in milliseconds, until some work is
 * done.
 */
export async function longestWait(url, work) {
  let longest = 0;
  let isOver = false;
  const over = work().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const started = performance.now();
    await (await fetch(`${url}/status/health`)).text();
    longest = Math.max(longest, performance.now() - started);
    await sleep(5);
  }
  await over;
  return longest;
}

export const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

export async function send(url, body, method = 'POST') {
  const reply = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${url}: ${reply.status} ${text.slice(0, 1000)}`);
  return JSON.parse(text);
}

/** Submits a statement as a task and waits for its end; seconds from one to the other. */
export async function ingest(url, query) {
  const started = performance.now();
  const { taskId } = await send(`${url}/svc/v2/sql/task`, { query });
  for (;;) {
    const { status } = await send(`${url}/svc/indexer/v1/task/${taskId}/status`, undefined, 'GET');
    if (status.statusCode === 'SUCCESS') return (performance.now() - started) / 1000;
    if (status.statusCode === 'FAILED')
      throw new Error(`Task [${taskId}] failed: ${status.errorMsg}`);
    await sleep(10);
  }
}
