import { resolve } from 'node:path';
import { command } from '../../cli/command/command.ts';
import { UsageError } from '../../cli/process/errors.ts';
import {
  answerFlags,
  type Flag,
  type FlagName,
  flagEntries,
  flags,
} from '../../cli/process/flags.ts';
import { changeConfig } from '../../cli/profiles/profile-store.ts';
import type { Profile } from '../../cli/profiles/profiles.ts';
import { readValue, withoutSecret } from '../../cli/profiles/settings.ts';
import { listOf, required, text } from '../../contract/schema.ts';
import { nearest } from '../../model/nearest.ts';
import { commandLine } from '../../model/shell-text.ts';
import { completers, profileName, profileNamed } from './profile-name.ts';

const kept = flagEntries.filter(([, flag]) => flag.kept).map(([name]) => name);
const known = [...kept, 'protected'];

export const set = command({
  summary: 'Change settings of a profile; an empty value removes one',
  description: `Settings: ${known.join(', ')}`,
  examples: [
    'svcctl profiles set local timeout=60 output=json',
    'svcctl profiles set local protected=true',
  ],
  arguments: {
    ...profileName,
    settings: required(listOf(text), 'Settings to change, as name=value'),
  },
  completers: { ...completers, settings: async () => known.map((name) => `${name}=`) },
  obeys: answerFlags, // without a profile: it may be the one to be repaired
  async run({ out, io }, { args: { name, settings } }) {
    const changes = settings.map(changeIn);
    await changeConfig(io.env, (config) => {
      const changed = Object.entries({
        ...profileNamed(config, name),
        ...Object.fromEntries(changes),
      }).filter(([, value]) => value !== undefined);
      return {
        ...config,
        profiles: { ...config.profiles, [name]: Object.fromEntries(changed) as unknown as Profile },
      };
    });
    out.changed(
      name,
      `Profile [${name}] has changed: ${changes.map(([key]) => key).join(', ')}.`,
      commandLine`svcctl profiles show ${name}`,
    );
  },
});

function changeIn(said: string): [string, unknown] {
  const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(said) ?? [];
  const name = key.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (!known.includes(name)) {
    const near = nearest(name, known);
    throw new UsageError(
      `Setting [${said}] is not one of a profile, as in timeout=60: there are ${known.join(', ')}`,
      near && `did you mean ${near}=?`,
    );
  }
  if (value === '') {
    if (name === 'url' || name === 'service')
      throw new UsageError(
        `Setting [${name}] cannot be removed: a profile needs it`,
        `${name}=VALUE changes it`,
      );
    return [name, undefined];
  }
  const flag: Flag =
    name === 'protected'
      ? { kind: 'flag', group: 'behaviour', description: '' }
      : flags[name as FlagName];
  const read = readValue(
    flag,
    name === 'url' ? withoutSecret(value, `setting ${name}`) : value,
    `setting ${name}`,
  );
  return [name, flag.kind === 'file' ? resolve(String(read)) : read]; // the folder will be another one
}
