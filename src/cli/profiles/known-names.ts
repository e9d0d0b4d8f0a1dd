// Names of services that were found by asking, by address. A file in the cache folder holds them.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../process/paths.ts';

type Env = NodeJS.ProcessEnv;

/** The name that the service at this address had when it was last asked. */
export const knownName = (env: Env, url: string): string | undefined => readNames(env)[url];

/** Stores the name for later commands. A cache that cannot be written is not an error. */
export function rememberName(env: Env, url: string, name: string): void {
  const file = fileIn(env);
  const { [url]: _, ...others } = readNames(env);
  const names = Object.fromEntries([[url, name], ...Object.entries(others).slice(0, mostNames)]);
  try {
    mkdirSync(cacheFolder(env), { recursive: true, mode: 0o700 });
    const aside = `${file}.${process.pid}`;
    writeFileSync(aside, JSON.stringify(names), { mode: 0o600 });
    renameSync(aside, file);
  } catch {
    // the next command asks again
  }
}

const mostNames = 100;

const fileIn = (env: Env) => join(cacheFolder(env), 'service-names.json');

function readNames(env: Env): Readonly<Record<string, string>> {
  try {
    const names: unknown = JSON.parse(readFileSync(fileIn(env), 'utf8'));
    if (typeof names !== 'object' || names === null) return {};
    const usable = Object.entries(names).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
    );
    return Object.fromEntries(usable);
  } catch {
    return {};
  }
}
