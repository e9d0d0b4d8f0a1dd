import { resolve } from 'node:path';
import { command } from '../../cli/command/command.ts';
import { connectionOf } from '../../cli/command/connection.ts';
import { type Discovery, discover, usualNames } from '../../cli/command/discover.ts';
import { CommandError, UsageError } from '../../cli/process/errors.ts';
import { flagEntries, flagsBut } from '../../cli/process/flags.ts';
import { storePassword } from '../../cli/profiles/passwords.ts';
import { changeConfig } from '../../cli/profiles/profile-store.ts';
import { type Profile, readConfig } from '../../cli/profiles/profiles.ts';
import { credentialsOf } from '../../cli/profiles/secrets.ts';
import { type Resolved, withoutSecret, withProfile } from '../../cli/profiles/settings.ts';
import { flag, optional } from '../../contract/schema.ts';
import { commandLine } from '../../model/shell-text.ts';
import { profileName } from './profile-name.ts';

export const add = command({
  summary: 'Add a profile after testing the connection',
  description:
    "Saves the connection flags (--url, --user, --cacert, --timeout, ...). The service is asked for its version and its name;\n--service sets the name instead. A password is saved in the system's keychain, or else in the profile file, which only its owner can read.",
  examples: [
    'svcctl profiles add staging --url "$SVCCTL_URL"',
    'svcctl profiles add prod --url "$SVCCTL_URL" --protected --replace',
  ],
  arguments: profileName,
  options: {
    protected: optional(flag, "Require the profile's name before every change"),
    replace: optional(flag, 'Replace a profile of the same name'),
    noTest: optional(flag, 'Do not test the connection'),
  },
  obeys: flagsBut('profile'), // it may be made while SVCCTL_PROFILE names it already
  async run({ out, io, resolved, ask, signal }, { args: { name }, options }) {
    if (name === '' || name.includes(','))
      throw new UsageError(
        `Value [${name}] cannot be the name of a profile`,
        'use at least one letter and no comma: --profile a,b means two profiles',
      );
    if (readConfig(io.env).profiles[name] && !options.replace) {
      throw new CommandError(
        'conflict',
        `Profile [${name}] already exists`,
        `${commandLine`svcctl profiles set ${name}`} changes it, --replace replaces it`,
      );
    }
    const { profile, candidate } = await candidateFor(name, resolved, async () =>
      ask.text('Where does the service listen?', '--url', resolved.settings.url),
    );
    // Resolved once: stdin can be read only once.
    const credentials = await credentialsOf(candidate, io, ask);
    let found: Discovery | undefined;
    if (!options.noTest) {
      const connection = connectionOf(candidate, io, {
        ask,
        signal,
        checksName: false,
        ...(credentials && { credentials }),
      });
      const named =
        resolved.winners.get('service')?.source === 'flag'
          ? [candidate.settings.service]
          : usualNames;
      found = await discover(await connection.connect(), named);
    }
    const service = found?.service ?? candidate.settings.service;
    const stored =
      credentials && profile.user !== undefined && isSaidHere(candidate)
        ? await storePassword(name, credentials.password, ask)
        : undefined;
    const made: Profile = {
      ...profile,
      service,
      ...(found && { version: found.version }),
      ...(options.protected && { protected: true }),
      ...stored?.place,
    };
    let isFirst = false;
    await changeConfig(io.env, (config) => {
      isFirst = config.current === undefined;
      return { current: config.current ?? name, profiles: { ...config.profiles, [name]: made } };
    });
    const said = found
      ? `${found.service === undefined ? `A service that does not report its name (assumed [${service}])` : `Service [${service}]`}, version ${found.version}, answers at [${made.url}].`
      : `[${made.url}] was not tested.`;
    const kept = stored ? ` ${stored.said}` : '';
    out.changed(
      name,
      `${said} Profile [${name}] is saved${isFirst ? ' and in use' : ''}.${kept}`,
      isFirst ? 'svcctl status get' : commandLine`svcctl profiles use ${name}`,
    );
  },
});

// The profile consists of the flags and variables for the connection.
async function candidateFor(name: string, resolved: Resolved, askUrl: () => Promise<string>) {
  const said = flagEntries.flatMap(([key, { kept, kind }]) => {
    const winner = resolved.winners.get(key);
    const isMeant =
      winner?.source === 'flag' || (winner?.source === 'environment' && key === 'url');
    if (!kept || !winner || !isMeant) return [];
    return [[key, kind === 'file' ? resolve(String(winner.value)) : winner.value] as const]; // the folder will be another one
  });
  const values: Record<string, unknown> = Object.fromEntries(said);
  const url =
    typeof values.url === 'string' ? values.url : withoutSecret(await askUrl(), 'the answer');
  if (!URL.canParse(url))
    throw new UsageError(
      `Value [${url}] of --url is not the address of a service`,
      'it looks like http://127.0.0.1:8888',
    );
  const profile: Profile = { service: 'svc', ...values, url };
  return { profile, candidate: withProfile(resolved, name, profile) };
}

// Passwords from a file or a command are read on each use; a password from this command line must
// be stored.
const isSaidHere = ({ settings: { passwordFile, passwordCommand } }: Resolved) =>
  passwordFile === undefined && passwordCommand === undefined;
