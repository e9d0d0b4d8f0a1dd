// Storage of profile passwords: the system's keychain, else the profile file.
import type { Ask } from '../input/prompt.ts';
import type { Profile } from './profiles.ts';

interface Stored {
  readonly place: Pick<Profile, 'password' | 'passwordIn'>; // what the profile has to know about it
  readonly said: string; // as a sentence
}

/**
 * Stores a password in the safest place available. A keychain that is there but locked is a reason
 * to ask on a terminal, before the password goes to the profile file.
 */
export async function storePassword(profile: string, password: string, ask: Ask): Promise<Stored> {
  const { storeInKeychain } = await import('./keychain.ts');
  const failure = await storeInKeychain(profile, password);
  if (failure === undefined)
    return { place: { passwordIn: 'keychain' }, said: 'The password is in the keychain.' };
  const { reason, isThere } = failure;
  if (isThere && ask.possible && !(await ask.yes(questionAfter(reason), '--no-input')))
    return { place: {}, said: 'The password is not stored: svcctl will ask for it.' };
  return {
    place: { passwordIn: 'file', password },
    said: `The password is in the profile file, which only you can read, because no keychain stored it (${reason}).`,
  };
}

const questionAfter = (reason: string) =>
  `The keychain is locked (${reason}). Keep the password in the profile file, which only you can read?`;
