// The door to conf: how the profile file is written. One writer at a time, and each reader finds either the old file or the new one.
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from './errors.ts';
import { configFolder } from './paths.ts';
import { type Config, type Profile, readConfig } from './profiles.ts';

export interface Change {
  readonly current?: string | undefined;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** Reads the file, changes it and writes it, with nobody in between. Throws when it is broken: it is never written over. */
export async function changeConfig(env: NodeJS.ProcessEnv, change: (config: Config) => Change): Promise<void> {
  const folder = configFolder(env);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  await locked(join(folder, 'config.lock'), async () => {
    const { current, profiles } = change(readConfig(env));
    const { default: Conf } = await import('conf');
    const conf = new Conf<Record<string, unknown>>({
      cwd: folder,
      configName: 'config',
      projectName: 'svcctl',
      projectSuffix: '',
      configFileMode: 0o600,
      clearInvalidConfig: false,
      accessPropertiesByDotNotation: false,
    });
    const { current: _, ...rest } = conf.store;
    conf.store = { ...rest, ...(current !== undefined && { current }), profiles };
    chmodSync(join(folder, 'config.json'), 0o600);
  });
}

async function locked(file: string, work: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!taken(file)) {
    if (isAbandoned(file)) rmSync(file, { force: true });
    else if (Date.now() > deadline) throw new CommandError('failed', `Another svcctl holds [${file}]`, `when none is running: rm ${file}`);
    else await sleep(5 + Math.random() * 20);
  }
  try {
    await work();
  } finally {
    rmSync(file, { force: true });
  }
}

const patienceMs = 10_000;

function taken(file: string): boolean {
  try {
    const lock = openSync(file, 'wx', 0o600);
    writeSync(lock, String(process.pid));
    closeSync(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new CommandError('failed', `File [${file}] cannot be written: ${(error as Error).message}`);
  }
}

// The process that took it has ended without giving it back, or never came to write its number.
function isAbandoned(file: string): boolean {
  try {
    const { mtimeMs } = statSync(file);
    const holder = Number(readFileSync(file, 'utf8'));
    if (holder > 0) process.kill(holder, 0);
    return holder === 0 && Date.now() - mtimeMs > 2000;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
