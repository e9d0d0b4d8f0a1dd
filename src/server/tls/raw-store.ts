// Shared types of the readers of both key store formats.

/**
 * Content of a store, as unchecked DER. Keys are decrypted on demand: each may have a password of
 * its own.
 */
export interface RawStore {
  readonly keys: readonly {
    readonly alias: string;
    readonly key: () => Buffer;
    readonly chain: readonly Buffer[];
  }[];
  readonly trusted: readonly Buffer[];
}

export interface StorePasswords {
  readonly store: string | undefined; // undefined: the integrity of the file is not checked
  readonly key?: string | undefined; // for the keys, if different
}

/** An unusable store. The message is a clause that follows the name of the file. */
export class UnusableStore extends Error {
  readonly isAboutKeyPassword: boolean;

  constructor(clause: string, isAboutKeyPassword = false) {
    super(clause);
    this.isAboutKeyPassword = isAboutKeyPassword;
  }
}
