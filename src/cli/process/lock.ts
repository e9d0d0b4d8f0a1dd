// File lock for one writer at a time: the file holds the process id of the owner.
import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { uptimeMs } from '../../client/uptime.ts';
import { quoteWord } from '../../model/shell-text.ts';
import { CommandError } from './errors.ts';

/** Runs the work under the lock of a file. Waits at most ten seconds per earlier owner. */
export async function withLock(file: string, work: () => Promise<void>): Promise<void> {
  let [deadline, before] = [uptimeMs() + patienceMs, ''];
  while (!take(file)) {
    const holder = holderOf(file);
    if (holder !== before) [deadline, before] = [uptimeMs() + patienceMs, holder];
    if (isAbandoned(file, holder)) rmSync(file, { force: true });
    else if (uptimeMs() > deadline)
      throw new CommandError(
        'failed',
        `Another svcctl holds [${file}]`,
        `when none is running: rm ${quoteWord(file)}`,
      );
    else await sleep(5 + Math.random() * 20);
  }
  try {
    await work();
  } finally {
    rmSync(file, { force: true });
  }
}

const patienceMs = 10_000;

function take(file: string): boolean {
  try {
    const lock = openSync(file, 'wx', 0o600);
    writeSync(lock, String(process.pid));
    closeSync(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new CommandError(
      'failed',
      `File [${file}] cannot be written: ${(error as Error).message}`,
    );
  }
}

function holderOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // it was given back
  }
}

// The owner has ended without releasing the lock, or before writing its process id.
function isAbandoned(file: string, holder: string): boolean {
  try {
    if (Number(holder) > 0) process.kill(Number(holder), 0);
    return holder === '' && Date.now() - statSync(file).mtimeMs > patienceMs;
  } catch (error) {
    // An owner that released the lock and then ended may have a successor.
    return (error as NodeJS.ErrnoException).code === 'ESRCH' && holderOf(file) === holder;
  }
}
