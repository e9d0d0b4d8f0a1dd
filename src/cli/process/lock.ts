// One writer at a time: a lock is a file that holds the number of the process that has it.
import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { uptimeMs } from '../../client/uptime.ts';
import { quotedWord } from '../../model/shell-text.ts';
import { CommandError } from './errors.ts';

/**
 * Does the work while holding the lock of a file. Waits ten seconds at most per earlier holder.
 */
export async function locked(file: string, work: () => Promise<void>): Promise<void> {
  let [deadline, before] = [uptimeMs() + patienceMs, ''];
  while (!take(file)) {
    const holder = holderOf(file);
    if (holder !== before) [deadline, before] = [uptimeMs() + patienceMs, holder];
    if (isAbandoned(file, holder)) rmSync(file, { force: true });
    else if (uptimeMs() > deadline)
      throw new CommandError(
        'failed',
        `Another svcctl holds [${file}]`,
        `when none is running: rm ${quotedWord(file)}`,
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

// The process that took it has ended without giving it back, or never came to write its number.
function isAbandoned(file: string, holder: string): boolean {
  try {
    if (Number(holder) > 0) process.kill(Number(holder), 0);
    return holder === '' && Date.now() - statSync(file).mtimeMs > patienceMs;
  } catch (error) {
    // Who has given it back, and ended since, leaves it to somebody else.
    return (error as NodeJS.ErrnoException).code === 'ESRCH' && holderOf(file) === holder;
  }
}
