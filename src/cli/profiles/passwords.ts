// Storage of profile passwords: the system's keychain, else the profile file.
import type { Profile } from './profiles.ts';

interface Stored {
  readonly place: Pick<Profile, 'password' | 'passwordIn'>; // what the profile has to know about it
  readonly said: string; // as a sentence
}

/** Stores a password in the safest place available. */
export async function storePassword(profile: string, password: string): Promise<Stored> {
  const { storeInKeychain } = await import('./keychain.ts');
  const failure = await storeInKeychain(profile, password);
  if (failure === undefined)
    return { place: { passwordIn: 'keychain' }, said: 'The password is in the keychain.' };
  return {
    place: { passwordIn: 'file', password },
    said: `The password is in the profile file, which only you can read, because no keychain stored it (${failure}).`,
  };
}
