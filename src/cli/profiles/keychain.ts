// The door to @napi-rs/keyring, which is optional: many machines have no keychain, and some no package for it.
type Keyring = typeof import('@napi-rs/keyring');

/** Stores the password of a profile; says whether there is a keychain that took it. */
export async function storeInKeychain(profile: string, password: string): Promise<boolean> {
  return (await asked((keyring) => new keyring.Entry('svcctl', profile).setPassword(password))) !== undefined;
}

export async function findInKeychain(profile: string): Promise<string | undefined> {
  const found = await asked((keyring) => new keyring.Entry('svcctl', profile).getPassword());
  return typeof found === 'string' ? found : undefined;
}

export async function removeFromKeychain(profile: string): Promise<void> {
  await asked((keyring) => new keyring.Entry('svcctl', profile).deletePassword());
}

async function asked(question: (keyring: Keyring) => unknown): Promise<unknown> {
  try {
    return question(await import('@napi-rs/keyring')) ?? null;
  } catch {
    return undefined;
  }
}
