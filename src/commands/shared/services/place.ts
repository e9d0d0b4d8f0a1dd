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
import { commandLine, quotedWord } from '../../../model/shell-text.ts';

export interface ServicePlace {
  readonly url: URL;
  readonly service: string; // its name in paths, as the profile has it
  readonly resolved: Resolved;
  readonly env: NodeJS.ProcessEnv;
  readonly patienceMs: number; // for a connection
  /** A connection to the service, or to another address of it, on which nothing is asked twice. */
  readonly connect: (url?: URL) => Promise<Transport>;
  /** The command that gives a setting another value, wherever it has its present one from. */
  readonly setTo: (setting: FlagName, value: string) => string;
}

/**
 * Takes what a command is handed, the settings to examine, who asks, and the words of the command.
 * Throws BadSettings.
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
      // Nobody else learns who asks
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
  if (source === 'environment') return `export ${from}=${quotedWord(value)}`;
  if (source === 'flag' || profileName === undefined)
    return commandLine`svcctl ${words} --${kebab(setting)} ${value}`;
  return commandLine`svcctl profiles set ${profileName} ${kebab(setting)}=${value}`;
}
