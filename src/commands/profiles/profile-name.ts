import { CommandError } from '../../cli/process/errors.ts';
import { type Config, type Profile, readConfig } from '../../cli/profiles/profiles.ts';
import { optional, required, text } from '../../contract/schema.ts';
import { nearest } from '../../model/nearest.ts';

export const profileName = { name: required(text, 'Name of the profile') };

export const maybeProfileName = {
  name: optional(text, 'Name of the profile (default: the current one)'),
};

export const completers = {
  name: async ({ io }: { io: { env: NodeJS.ProcessEnv } }) =>
    Object.keys(readConfig(io.env).profiles),
};

export function profileNamed({ profiles }: Pick<Config, 'profiles'>, name: string): Profile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile) return profile;
  const near = nearest(name, Object.keys(profiles));
  throw new CommandError(
    'notFound',
    `Profile [${name}] does not exist`,
    near ? `did you mean ${near}?` : 'svcctl profiles list shows all',
  );
}
