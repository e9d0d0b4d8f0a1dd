// Writer of the profile file and adapter for conf. There is one writer at a time, and readers get
// either the old file or the new one.
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../process/lock.ts';
import { configFolder } from '../process/paths.ts';
import { type Config, type Profile, readConfig } from './profiles.ts';

export interface ProfileChange {
  readonly current?: string | undefined;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/**
 * Reads, changes and writes the file under a lock. Throws if the file is broken; a broken file is
 * never overwritten.
 */
export async function changeConfig(
  env: NodeJS.ProcessEnv,
  change: (config: Config) => ProfileChange,
): Promise<void> {
  const folder = configFolder(env);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  await withLock(join(folder, 'config.lock'), async () => {
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
