// Files with settings, read by every command without a package. profile-store.ts writes them.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { quoteWord } from '../../model/shell-text.ts';
import { UsageError } from '../process/errors.ts';
import { configFolder } from '../process/paths.ts';

// A profile holds settings under the names of their flags, facts about the service, and the place
// of its password.
export interface Profile {
  readonly url: string;
  readonly service: string;
  readonly version?: string;
  readonly protected?: boolean;
  readonly user?: string;
  readonly password?: string; // only without a keychain
  readonly passwordIn?: 'keychain' | 'file';
  readonly passwordFile?: string;
  readonly passwordCommand?: string;
  readonly output?: string;
  readonly color?: string;
  readonly noPager?: boolean;
  readonly timeout?: number;
  readonly connectTimeout?: number;
  readonly cacert?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly insecure?: boolean;
}

export interface Config {
  readonly file: string;
  readonly current: string | undefined;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/**
 * The profile file, or an empty one when it does not exist. A broken file is an error with its line
 * and a remedy; it is never reset.
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const file = configFile(env);
  const values = readObject(file);
  const { current, profiles = {} } = values ?? {};
  if (!isObject(profiles)) throw brokenFile(file, 'the value of [profiles] is not an object');
  const known = Object.entries(profiles).map(([name, profile]): [string, Profile] => {
    if (isProfile(profile)) return [name, profile];
    throw brokenFile(
      file,
      isObject(profile) ? `profile [${name}] has no url` : `profile [${name}] is not an object`,
    );
  });
  // Without this check, commands would go to the default address instead of the intended one.
  if (current !== undefined && typeof current !== 'string')
    throw brokenFile(file, 'the value of [current] is not the name of a profile');
  // [constructor] is not a profile
  return { file, current, profiles: Object.assign(Object.create(null), Object.fromEntries(known)) };
}

export const configFile = (env: NodeJS.ProcessEnv) => join(configFolder(env), 'config.json');

/** The nearest .svcctl.json in the folder or above it. */
export function projectFile(
  folder: string,
): { file: string; values: Readonly<Record<string, unknown>> } | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, '.svcctl.json');
    const values = readObject(file);
    if (values) return { file, values };
    if (dirname(at) === at) return;
  }
}

function readObject(file: string): Record<string, unknown> | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return;
    throw new UsageError(`File [${file}] cannot be read: ${message}`);
  }
  if (text.startsWith('\uFEFF'))
    throw brokenFile(file, 'line 1, column 1: the file has a byte order mark: save it without one');
  try {
    const values: unknown = JSON.parse(text);
    if (isObject(values)) return values;
  } catch (error) {
    throw brokenFile(file, placeOf(error as Error, text));
  }
  throw brokenFile(file, 'it does not hold a JSON object');
}

const brokenFile = (file: string, why: string) =>
  new UsageError(
    `File [${file}] is broken: ${why}`,
    `correct it, or move it away: mv ${quoteWord(file)} ${quoteWord(`${file}.broken`)}`,
  );

function placeOf({ message }: Error, text: string): string {
  const before = text.slice(0, positionOf(message) ?? firstWrongIn(text));
  const line = before.split('\n').length;
  const problem = message.replace(/ (in JSON )?at position.*/s, '').replace(/, (\.\.\.)?".*$/s, '');
  return `line ${line}, column ${before.length - before.lastIndexOf('\n')}: ${problem}`;
}

const positionOf = (message: string) => {
  const [, position] = /at position (\d+)/.exec(message) ?? [];
  return position === undefined ? undefined : Number(position);
};

// Some parse errors have no position. A valid but unfinished prefix fails at its end; a longer one
// fails before it.
function firstWrongIn(text: string): number {
  let [fine, wrong] = [0, text.length];
  while (wrong - fine > 1) {
    const middle = Math.floor((fine + wrong) / 2);
    if (isUnfinished(text.slice(0, middle))) fine = middle;
    else wrong = middle;
  }
  return fine;
}

function isUnfinished(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as Error;
    return (
      /end of JSON input|Unterminated/.test(message) || (positionOf(message) ?? -1) >= text.length
    );
  }
}

// Its other values are settings, which are checked on use.
const isProfile = (value: unknown): value is Profile =>
  isObject(value) && typeof value.url === 'string';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
