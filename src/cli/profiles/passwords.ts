// Where the password of a profile is kept: in the keychain of the system, or else in the profile file.
import type { Profile } from './profiles.ts';

/** Stores a password; returns what the profile has to know about it. */
export async function storePassword(profile: string, password: string): Promise<Pick<Profile, 'password' | 'passwordIn'>> {
  const { storeInKeychain } = await import('./keychain.ts');
  return (await storeInKeychain(profile, password)) ? { passwordIn: 'keychain' } : { passwordIn: 'file', password };
}
