// JKS key stores, the format of Java before version 9 (sun.security.provider.JavaKeyStore), with
// Sun's own encryption of keys.
import { createHash, timingSafeEqual } from 'node:crypto';
import { type RawStore, type StorePasswords, UnusableStore } from './raw-store.ts';

const isKey = 1;
const isTrusted = 2;
const digestBytes = 20; // of SHA-1

/** Opens a JKS store. Throws UnusableStore for a wrong password or a damaged file. */
export function openJks(bytes: Buffer, { store, key: ofKeys = store }: StorePasswords): RawStore {
  const content = bytes.subarray(0, -digestBytes);
  if (store !== undefined) checkDigest(content, bytes.subarray(-digestBytes), store);
  const input = new Input(content);
  input.integer(); // the magic number
  const version = input.integer();
  if (version !== 1 && version !== 2)
    throw new UnusableStore(`is a JKS store of version [${version}]; known are [1, 2]`);
  const keys: RawStore['keys'][number][] = [];
  const trusted: Buffer[] = [];
  const certificate = () => {
    if (version === 2) input.text(); // its type: X.509
    return input.bytes();
  };
  for (let left = input.integer(); left > 0; left--) {
    const kind = input.integer();
    const alias = input.text();
    input.take(8); // creation time
    if (kind === isKey) {
      const encrypted = input.bytes();
      const chain: Buffer[] = [];
      for (let more = input.integer(); more > 0; more--) chain.push(certificate());
      keys.push({ alias, key: () => decryptKey(encrypted, ofKeys, alias), chain });
    } else if (kind === isTrusted) trusted.push(certificate());
    else throw damagedStore();
  }
  return { keys, trusted };
}

// The digest of the password, a fixed phrase and the content.
function checkDigest(content: Buffer, digest: Buffer, password: string): void {
  const own = createHash('sha1')
    .update(utf16Of(password))
    .update('Mighty Aphrodite')
    .update(content)
    .digest();
  if (digest.length !== own.length || !timingSafeEqual(own, digest))
    throw new UnusableStore('cannot be opened: the password is wrong, or the file is damaged');
}

// The key is combined by XOR with a stream of digests, each of the password and the previous digest
// (sun.security.provider.KeyProtector).
function decryptKey(info: Buffer, password: string | undefined, alias: string): Buffer {
  if (password === undefined)
    throw new UnusableStore(
      `has an encrypted key under alias [${alias}] and needs a password`,
      true,
    );
  const secret = utf16Of(password);
  const content = encryptedPartOf(info);
  if (content.length < 2 * digestBytes) throw damagedStore();
  const key = Buffer.from(content.subarray(digestBytes, -digestBytes));
  let digest: Buffer = content.subarray(0, digestBytes); // the salt
  for (let at = 0; at < key.length; at += digestBytes) {
    digest = createHash('sha1').update(secret).update(digest).digest();
    for (let offset = 0; offset < digestBytes && at + offset < key.length; offset++)
      key[at + offset] = (key[at + offset] ?? 0) ^ (digest[offset] ?? 0);
  }
  const check = createHash('sha1').update(secret).update(key).digest();
  if (!timingSafeEqual(check, content.subarray(-digestBytes)))
    throw new UnusableStore(
      `has a key under alias [${alias}] that the password does not decrypt`,
      true,
    );
  return key;
}

// SEQUENCE { SEQUENCE { algorithm }, OCTET STRING { content } }
function encryptedPartOf(info: Buffer): Buffer {
  const whole = elementAt(info, 0).content;
  const algorithm = elementAt(whole, 0);
  return elementAt(whole, algorithm.end).content;
}

// A DER element: a tag, a length of one or more bytes, and the content.
function elementAt(bytes: Buffer, at: number): { readonly content: Buffer; readonly end: number } {
  const first = bytes[at + 1] ?? 0;
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  if (lengthBytes > 4 || at + 2 + lengthBytes > bytes.length) throw damagedStore();
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
  const start = at + 2 + lengthBytes;
  if (start + length > bytes.length) throw damagedStore();
  return { content: bytes.subarray(start, start + length), end: start + length };
}

const utf16Of = (password: string) => Buffer.from(password, 'utf16le').swap16();

const damagedStore = () => new UnusableStore('is a damaged JKS store');

class Input {
  #at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw damagedStore();
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  integer(): number {
    return this.take(4).readUInt32BE(0);
  }

  bytes(): Buffer {
    return this.take(this.integer());
  }

  text(): string {
    return this.take(this.take(2).readUInt16BE(0)).toString('utf8');
  }
}
