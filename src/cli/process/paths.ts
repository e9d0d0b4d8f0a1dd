// Locations of svcctl's files by the XDG base directory specification, on every system.
import { isAbsolute, join } from 'node:path';

type Env = NodeJS.ProcessEnv;

export const configFolder = (env: Env) => folder(env, 'XDG_CONFIG_HOME', '.config');
export const cacheFolder = (env: Env) => folder(env, 'XDG_CACHE_HOME', '.cache');
/** What commands have done here, for those that come back to it. */
export const stateFolder = (env: Env) => folder(env, 'XDG_STATE_HOME', '.local/state');
/** Where `serve` keeps the data of a service with this name. */
export const dataFolder = (env: Env, service: string) =>
  join(folder(env, 'XDG_DATA_HOME', '.local/share'), service);

// The specification has relative paths ignored.
function folder(env: Env, variable: string, usual: string): string {
  const given = env[variable];
  return join(given && isAbsolute(given) ? given : join(env.HOME || homeFolder(), usual), 'svcctl');
}

// Hardly anybody is without HOME: the module that finds it otherwise is loaded only then.
const homeFolder = () => process.getBuiltinModule('node:os').homedir();
