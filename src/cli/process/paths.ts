// Locations of svcctl's files by the XDG base directory specification, on every system.
import { isAbsolute, join } from 'node:path';

type Env = NodeJS.ProcessEnv;

export const configFolder = (env: Env) => folder(env, 'XDG_CONFIG_HOME', '.config');
export const cacheFolder = (env: Env) => folder(env, 'XDG_CACHE_HOME', '.cache');
/** The folder for records of past commands. */
export const stateFolder = (env: Env) => folder(env, 'XDG_STATE_HOME', '.local/state');
/** The folder for the data of a `serve` service of this name. */
export const dataFolder = (env: Env, service: string) =>
  join(folder(env, 'XDG_DATA_HOME', '.local/share'), service);

// Relative paths are ignored, as the specification requires.
function folder(env: Env, variable: string, defaultValue: string): string {
  const given = env[variable];
  return join(
    given && isAbsolute(given) ? given : join(env.HOME || homeFolder(), defaultValue),
    'svcctl',
  );
}

// HOME is almost always set: load the module that finds it otherwise only on demand.
const homeFolder = () => process.getBuiltinModule('node:os').homedir();
