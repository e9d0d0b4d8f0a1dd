// Java key stores and trust stores: files with keys and their certificates, and with trusted
// certificates.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { openJks } from './jks.ts';
import { openPkcs12 } from './pkcs12.ts';
import { type RawStore, type StorePasswords, UnusableStore } from './raw-store.ts';

/** Content of a store, as PEM texts. */
export interface KeyStore {
  readonly keys: readonly KeyEntry[];
  readonly trusted: readonly string[];
}

export interface KeyEntry {
  readonly alias: string;
  readonly key: () => string; // throws UnusableStore when it cannot be decrypted or read
  // The certificate of the key first, then the intermediate ones
  readonly chain: readonly string[];
}

/** Values of `keyStoreType`, in lower case. As in Java, each one opens files of both formats. */
export const keyStoreTypes: readonly string[] = ['jks', 'pkcs12'];
/** Values of `trustStoreType`. */
export const trustStoreTypes: readonly string[] = [...keyStoreTypes, 'pem'];

/**
 * Opens a store of either format, detected by its first bytes. Throws UnusableStore for a wrong
 * password or an invalid file.
 */
export function openKeyStore(bytes: Buffer, passwords: StorePasswords): KeyStore {
  const { keys, trusted } = rawStoreOf(bytes, passwords);
  return { keys: keys.map(keyEntryOf), trusted: trusted.map(certificatePem) };
}

/**
 * Opens trusted certificates: a store of either format, or certificates as PEM. Throws
 * UnusableStore.
 */
export function openTrustStore(bytes: Buffer, passwords: StorePasswords): KeyStore {
  const certificates =
    bytes.toString('latin1').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ??
    [];
  if (certificates.length === 0) return openKeyStore(bytes, passwords);
  return { keys: [], trusted: certificates.map(certificatePem) };
}

const jksMagic = 0xfe_ed_fe_ed;
const jceksMagic = 0xce_ce_ce_ce;
const derSequence = 0x30;

function rawStoreOf(bytes: Buffer, passwords: StorePasswords): RawStore {
  const magic = bytes.length >= 4 ? bytes.readUInt32BE(0) : 0;
  if (magic === jksMagic) return openJks(bytes, passwords);
  if (bytes[0] === derSequence) return openPkcs12(bytes, passwords);
  if (magic === jceksMagic)
    throw new UnusableStore(
      'is of type JCEKS, which is not supported; convert it with: keytool -importkeystore -srckeystore FILE -srcstoretype JCEKS -destkeystore FILE.p12 -deststoretype PKCS12',
    );
  if (bytes.includes('-----BEGIN '))
    throw new UnusableStore(
      'is a PEM file. Create a key store with: openssl pkcs12 -export -in CERTIFICATE -inkey KEY -name ALIAS -out FILE.p12, and a trust store with: keytool -importcert -file CERTIFICATE -keystore FILE.p12',
    );
  throw new UnusableStore('is neither a PKCS12 nor a JKS store');
}

function keyEntryOf({ alias, key, chain }: RawStore['keys'][number]): KeyEntry {
  return { alias, key: () => keyPem(alias, key()), chain: chain.map(certificatePem) };
}

function keyPem(alias: string, key: Buffer): string {
  try {
    return String(
      createPrivateKey({ key, format: 'der', type: 'pkcs8' }).export({
        format: 'pem',
        type: 'pkcs8',
      }),
    );
  } catch {
    throw new UnusableStore(`has a key of an unsupported algorithm under alias [${alias}]`);
  }
}

function certificatePem(certificate: Buffer | string): string {
  try {
    return new X509Certificate(certificate).toString();
  } catch {
    throw new UnusableStore('holds a certificate that cannot be read');
  }
}
