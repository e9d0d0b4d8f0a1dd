// Subject of a diagnosis: a profile and the way to change its settings.

import type { Context } from '../../../cli/command/command.ts';
import { connectionOf } from '../../../cli/command/connection.ts';
import { tracerOf } from '../../../cli/command/trace.ts';
import type { FlagName } from '../../../cli/process/flags.ts';
import { kebab } from '../../../cli/process/flags.ts';
import type { Credentials } from '../../../cli/profiles/secrets.ts';
import type { Resolved } from '../../../cli/profiles/settings.ts';
import { readAddress } from '../../../client/address.ts';
import type { Transport } from '../../../client/message.ts';
import { commandLine, quoteWord } from '../../../model/shell-text.ts';

export interface ServicePlace {
  readonly url: URL;
  readonly service: string; // its name in paths, from the profile
  readonly resolved: Resolved;
  readonly env: NodeJS.ProcessEnv;
  readonly patienceMs: number; // time limit for a connection
  /** Connects to the service, or to another address of it, without retries. */
  readonly connect: (url?: URL) => Promise<Transport>;
  /** The command that sets a setting, for the source of its current value. */
  readonly setTo: (setting: FlagName, value: string) => string;
}

/**
 * Takes the context of a command, the settings to examine, the credentials, and the words of the
 * command. Throws BadSettings.
 */
export function placeOf(
  { io, ask, signal }: Pick<Context, 'ask' | 'io' | 'signal'>,
  resolved: Resolved,
  credentials?: Credentials,
  words: readonly string[] = ['profiles', 'test'],
): ServicePlace {
  const { settings } = resolved;
  const observe = tracerOf(settings, io);
  const { base: own } = readAddress(settings.url);
  return {
    url: own,
    service: settings.service,
    resolved,
    env: io.env,
    patienceMs: settings.connectTimeout * 1000,
    connect: (url) => {
      // Send credentials to the same host only
      const isSafe = !url || (url.protocol === own.protocol && url.hostname === own.hostname);
      const there = {
        ...resolved,
        settings: {
          ...settings,
          url: url?.href ?? settings.url,
          user: isSafe ? settings.user : undefined,
        },
      };
      return connectionOf(there, io, {
        ask,
        signal,
        observe,
        retries: 0,
        checksName: false,
        ...(isSafe && credentials && { credentials }),
      }).connect();
    },
    setTo: (setting, value) => settingCommand(resolved, words, setting, value),
  };
}

/** The same address with another scheme. */
export const withScheme = (url: URL, scheme: 'http' | 'https'): string =>
  url.href.replace(/^https?:/, `${scheme}:`).replace(/\/$/, '');

function settingCommand(
  { winners, profileName }: Resolved,
  words: readonly string[],
  setting: FlagName,
  value: string,
): string {
  const { source = 'default', from } = winners.get(setting) ?? {};
  if (source === 'project file') return `put "${setting}": "${value}" into ${from}`;
  if (source === 'environment') return `export ${from}=${quoteWord(value)}`;
  if (source === 'flag' || profileName === undefined)
    return commandLine`svcctl ${words} --${kebab(setting)} ${value}`;
  return commandLine`svcctl profiles set ${profileName} ${kebab(setting)}=${value}`;
}
