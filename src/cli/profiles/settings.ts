// Resolution of settings: flag, environment, project file, profile, default, in this order. Each
// value knows its source.
import { accessSync, constants } from 'node:fs';
import { isAddress, withoutPassword } from '../../client/address.ts';
import { nearest } from '../../model/nearest.ts';
import { commandLine } from '../../model/shell-text.ts';
import { UsageError } from '../process/errors.ts';
import {
  type Flag,
  type FlagName,
  flagEntries,
  flagOf,
  flags,
  kebab,
  type Settings,
  variableOf,
} from '../process/flags.ts';
import { knownName } from './known-names.ts';
import { type Profile, projectFile, readConfig } from './profiles.ts';

export type SettingSource =
  | 'flag'
  | 'environment'
  | 'project file'
  | 'profile'
  | 'found' // by asking the service
  | 'default';

export interface Winner {
  readonly value: unknown;
  readonly source: SettingSource;
  readonly from: string; // the flag, variable, file or profile that set it
}

export interface Resolved {
  readonly settings: Settings;
  readonly winners: ReadonlyMap<FlagName, Winner>;
  readonly profileName: string | undefined;
  readonly profile: Profile | undefined;
}

/**
 * Resolves the values of the command line (raw texts, or true) and the environment; reads the
 * project file and the profile file. A flag that the command does not accept has its default. A
 * command without profile support does not read the profile file.
 */
export function resolveSettings(
  given: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv,
  folder: string,
  obeys: (name: FlagName) => boolean = () => true,
): Resolved {
  const project = flagEntries.some(([name, { shared }]) => shared && obeys(name))
    ? projectFile(folder)
    : undefined;
  if (project) checkKeys(project);
  const findGiven = (name: FlagName, flag: Flag) =>
    fromFlag(given, name, flag) ??
    fromEnvironment(env, name, flag) ??
    fromProject(project, name, flag);
  const config = obeys('profile') ? readConfig(env) : undefined;
  const chosen =
    config && (findGiven('profile', flags.profile) ?? current(config.file, config.current));
  const profileName = chosen && String(chosen.value);
  const profile =
    profileName !== undefined && config && Object.hasOwn(config.profiles, profileName)
      ? config.profiles[profileName]
      : undefined;
  // Commands without requests accept a variable with an unknown profile, so that profiles can be
  // listed and created.
  if (config && chosen && !profile && (obeys('url') || chosen.source === 'flag')) {
    const known = Object.keys(config.profiles);
    const hint =
      known.length > 0
        ? `known profiles: ${known.join(', ')}`
        : `${commandLine`svcctl profiles add ${String(profileName)} --url URL`} creates it`;
    throw new UsageError(`Profile [${profileName}], named by ${chosen.from}, does not exist`, hint);
  }
  const winners = new Map<FlagName, Winner>();
  for (const [name, flag] of flagEntries) {
    const from = () =>
      name === 'profile'
        ? chosen
        : (findGiven(name, flag) ?? fromProfile(profile, profileName, name, flag));
    const winner = (obeys(name) ? from() : undefined) ?? byDefault(flag);
    if (winner) winners.set(name, winner);
  }
  const resolved = settle(winners, profileName, profile);
  const name = obeys('url') && isUnset(resolved) && knownName(env, resolved.settings.url);
  if (name) correctService(resolved, name);
  return resolved;
}

const isUnset = ({ winners }: Resolved) => winners.get('service')?.source === 'default';

/** Sets the service's name that was found by asking the service. */
export function correctService({ winners, settings }: Resolved, name: string): void {
  const from = `the service at ${settings.url}`;
  (winners as Map<FlagName, Winner>).set('service', { value: name, source: 'found', from });
  (settings as { service: string }).service = name;
}

function settle(
  winners: Map<FlagName, Winner>,
  profileName: string | undefined,
  profile: Profile | undefined,
): Resolved {
  keepFromStrangers(winners, profile);
  const settings = Object.fromEntries([...winners].map(([name, { value }]) => [name, value]));
  return { settings: settings as Settings, winners, profileName, profile };
}

/**
 * The same settings with another profile, as if it were selected; the project file is ignored. With
 * a command about the profile itself, it overrides the environment.
 */
export function withProfile(
  { winners }: Resolved,
  profileName: string,
  profile: Profile,
  isMeantItself = false,
): Resolved {
  const changed = new Map<FlagName, Winner>();
  for (const [name, flag] of flagEntries) {
    const said = winners.get(name);
    const isSaidHere =
      (said?.source === 'flag' || said?.source === 'environment') && name !== 'profile';
    const own = fromProfile(profile, profileName, name, flag);
    const isOwn =
      !isSaidHere || (isMeantItself && own !== undefined && said.source === 'environment');
    const winner = isOwn ? (own ?? byDefault(flag)) : said;
    if (winner) changed.set(name, winner);
  }
  return settle(changed, profileName, profile);
}

// Credentials of a profile are sent only to its own address, not to one from a flag or a project
// file.
function keepFromStrangers(winners: Map<FlagName, Winner>, profile: Profile | undefined) {
  const url = winners.get('url');
  if (
    !profile ||
    !url ||
    url.source === 'profile' ||
    originOf(String(url.value)) === originOf(profile.url)
  )
    return;
  for (const name of ['user', 'passwordFile', 'passwordCommand', 'cert', 'key'] as const)
    if (winners.get(name)?.source === 'profile') winners.delete(name);
}

const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : url);

/**
 * Reads the text of a flag or a variable. `from` names the source in errors, and `mend` is the
 * hint.
 */
export function readValue(flag: Flag, text: string, from: string, mend?: string): unknown {
  if (flag.choices) {
    const meant = flag.choices.find((choice) => choice === text.toLowerCase());
    if (meant !== undefined) return meant;
    throw new UsageError(
      `Value [${text}] of ${from} is not allowed: use ${joinChoices(flag.choices)}`,
      mend,
    );
  }
  if (flag.kind === 'flag') return isTrue(text, from, mend);
  if (flag.kind === 'number')
    return numberIn(
      text,
      from,
      Number.isInteger(Number(text)),
      'a whole number that is not negative, as in 10',
      mend,
    );
  if (flag.kind === 'seconds') return secondsIn(text, from, mend);
  if (text === '')
    throw new UsageError(`Value [] of ${from} is empty`, mend ?? 'give it a value, or omit it');
  return text;
}

/**
 * The unchanged address; throws UsageError when it holds a password, which lists, histories and the
 * process list would show.
 */
export function withoutSecret(url: string, from: string): string {
  if (!URL.canParse(url) || new URL(url).password === '') return url;
  throw new UsageError(
    `Value [${withoutPassword(url)}] of ${from} contains a password, which others could see`,
    '--user NAME, and the password by --password-stdin, --password-file, --password-command or SVCCTL_PASSWORD',
  );
}

// An invalid value for this command is an error. An invalid value in a profile is not, because the
// commands that repair the profile must work.
function usable(flag: Flag, text: string, from: string): unknown {
  const value = readValue(flag, text, from);
  if (flag.kind === 'url') withoutSecret(text, from);
  if (flag.kind === 'url' && !isAddress(text))
    throw new UsageError(
      `Value [${withoutPassword(text)}] of ${from} is not an address of a service`,
      'it looks like http://127.0.0.1:8888',
    );
  if (flag.kind === 'file')
    try {
      accessSync(text, constants.R_OK);
    } catch (error) {
      throw new UsageError(
        `Value [${text}] of ${from} is not a file that can be read: ${(error as NodeJS.ErrnoException).code}`,
      );
    }
  return value;
}

function fromFlag(
  given: Readonly<Record<string, unknown>>,
  name: FlagName,
  flag: Flag,
): Winner | undefined {
  const said = given[name];
  if (said === undefined) return;
  const value =
    said === true ? (flag.optionalValue ? 2 : true) : usable(flag, String(said), flagOf(name));
  return { value, source: 'flag', from: flagOf(name) };
}

function fromEnvironment(env: NodeJS.ProcessEnv, name: FlagName, flag: Flag): Winner | undefined {
  const variable = variableOf(name);
  const text = env[variable];
  return text
    ? { value: usable(flag, text, variable), source: 'environment', from: variable }
    : undefined;
}

// A mistyped key would send commands to the wrong service.
function checkKeys({ file, values }: Project) {
  const unknown = Object.keys(values).find((key) => !Object.hasOwn(flags, key));
  if (unknown === undefined) return;
  const known = flagEntries.flatMap(([name, { shared }]) => (shared ? [name] : []));
  const near = nearest(unknown, known);
  const hint = near === undefined ? `it may set ${known.join(', ')}` : `did you mean ${near}?`;
  throw new UsageError(`Project file [${file}] sets [${unknown}], which is not a setting`, hint);
}

type Project = NonNullable<ReturnType<typeof projectFile>>;

function fromProject(project: Project | undefined, name: FlagName, flag: Flag) {
  const value = project?.values[name];
  if (!project || value === undefined) return;
  if (!flag.shared)
    throw new UsageError(
      `Project file [${project.file}] must not set [${name}]`,
      `put it into a profile: svcctl profiles set NAME ${name}=VALUE`,
    );
  if (flag.kind === 'url') withoutSecret(String(value), `[${name}] in ${project.file}`);
  return {
    value: readValue(flag, String(value), `[${name}] in ${project.file}`),
    source: 'project file',
    from: project.file,
  } as const;
}

function fromProfile(
  profile: Profile | undefined,
  profileName: string | undefined,
  name: FlagName,
  flag: Flag,
): Winner | undefined {
  const value = flag.kept && profile?.[name as keyof Profile];
  if (value === undefined || value === false) return;
  const mend = commandLine`svcctl profiles set ${String(profileName)} ${kebab(name)}=VALUE`;
  return {
    value: readValue(flag, String(value), `[${name}] in profile ${profileName}`, mend),
    source: 'profile',
    from: String(profileName),
  };
}

const byDefault = (flag: Flag): Winner | undefined => {
  const value = flag.default ?? (flag.kind === 'flag' ? false : undefined);
  return value === undefined ? undefined : { value, source: 'default', from: 'default' };
};

const current = (file: string, name: string | undefined): Winner | undefined =>
  name === undefined ? undefined : { value: name, source: 'profile', from: file };

function isTrue(text: string, from: string, mend: string | undefined): boolean {
  const word = text.toLowerCase();
  if (['1', 'true', 'yes', 'on'].includes(word)) return true;
  if (['', '0', 'false', 'no', 'off'].includes(word)) return false;
  throw new UsageError(`Value [${text}] of ${from} is not allowed: use true or false`, mend);
}

function numberIn(
  text: string,
  from: string,
  fits: boolean,
  wanted: string,
  mend: string | undefined,
): number {
  const number = Number(text);
  if (text.trim() === '' || !fits || !(number >= 0))
    throw new UsageError(`Value [${text}] of ${from} is not ${wanted}`, mend);
  return number;
}

function secondsIn(text: string, from: string, mend: string | undefined): number {
  const [, digits = text, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  return (
    numberIn(digits, from, Number.isFinite(Number(digits)), 'a time, as in 30, 500ms or 5m', mend) *
    (secondsPer[unit] ?? 1)
  );
}

const secondsPer: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600 };

const joinChoices = (choices: readonly string[]) =>
  `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
