// Types that the readers of both formats of key stores share.

/**
 * What a store holds, as DER that is not checked yet. Keys are decrypted when they are asked for:
 * each may have a password of its own.
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
  readonly key?: string | undefined; // of its keys, when it is another one
}

/** A store that cannot be used. The message is a clause that follows the name of the file. */
export class UnusableStore extends Error {
  readonly isAboutKeyPassword: boolean;

  constructor(clause: string, isAboutKeyPassword = false) {
    super(clause);
    this.isAboutKeyPassword = isAboutKeyPassword;
  }
}
