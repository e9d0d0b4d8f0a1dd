// Key store and trust store from properties, whose names are the same for servers and clients.

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CannotStart } from '../process/cannot-start.ts';
import type { Properties } from '../settings/properties.ts';
import { checkIdentity, type Identity } from './identity.ts';
import {
  type KeyEntry,
  type KeyStore,
  keyStoreTypes,
  openKeyStore,
  openTrustStore,
  trustStoreTypes,
} from './key-store.ts';
import { UnusableStore } from './raw-store.ts';

type Kind = 'keyStore' | 'trustStore';

/** The path in a property, which may be a file URL. */
export function pathIn(properties: Properties, name: string): string | undefined {
  const path = properties.text(name)?.trim();
  if (path === '')
    throw new CannotStart(`${properties.place(name)} is empty; set it to the path of a file`);
  return path?.startsWith('file:') && URL.canParse(path) ? fileURLToPath(path) : path;
}

/**
 * The key of a key store, with its certificates. `prefix` is that of the properties:
 * `server.https`. Throws CannotStart with property and file for an unreadable store, an unknown
 * alias, and an unusable certificate.
 */
export function identityIn(properties: Properties, prefix: string, nowMs: number): Identity {
  const { path, place, store } = openStore(properties, prefix, 'keyStore');
  checkAlgorithm(properties, `${prefix}.keyManagerFactoryAlgorithm`);
  const entry = chooseKey(properties, `${prefix}.certAlias`, `file [${path}]`, store.keys);
  const source = `${place}: the certificate under alias [${entry.alias}] in file [${path}]`;
  if (entry.chain.length === 0)
    throw new CannotStart(
      `${place}: file [${path}] has no certificate for the key under alias [${entry.alias}]`,
    );
  const key = using(properties, prefix, 'keyStore', path, () => entry.key());
  return checkIdentity({ cert: entry.chain.join(''), key }, source, nowMs);
}

/**
 * The certificates of a trust store. Throws CannotStart with property and file for an unreadable or
 * empty one.
 */
export function readTrustStore(properties: Properties, prefix: string): readonly string[] {
  const { path, place, store } = openStore(properties, prefix, 'trustStore');
  checkAlgorithm(properties, `${prefix}.trustStoreAlgorithm`);
  if (store.trusted.length === 0)
    throw new CannotStart(
      `${place}: file [${path}] has no trusted certificate; import one with: keytool -importcert -alias ca -file CERTIFICATE -keystore ${path}`,
    );
  const certificates = store.trusted.map((pem) => new X509Certificate(pem));
  const lost = certificates.find((one) => !certificates.some((other) => one.checkIssued(other)));
  if (lost)
    throw new CannotStart(
      `${place}: file [${path}] has certificate [${namesOf(lost.subject)}] without the certificate of its authority [${namesOf(lost.issuer)}], which Node needs unlike Java. Import the authority's certificate, too, or use a self-signed one`,
    );
  return store.trusted;
}

const namesOf = (distinguished: string) => distinguished.replaceAll('\n', ', ');

interface OpenStore {
  readonly path: string;
  readonly place: string;
  readonly store: KeyStore;
}

function openStore(properties: Properties, prefix: string, kind: Kind): OpenStore {
  const name = `${prefix}.${kind}Path`;
  properties.getText(name);
  const path = pathIn(properties, name) ?? '';
  const type = properties.text(`${prefix}.${kind}Type`)?.trim().toLowerCase();
  const types = kind === 'keyStore' ? keyStoreTypes : trustStoreTypes;
  if (type !== undefined && !types.includes(type))
    throw properties.unknown(`${prefix}.${kind}Type`, type, types);
  const bytes = fileBytes(properties, name, path);
  const passwords = {
    store: properties.password(`${prefix}.${kind}Password`),
    key: kind === 'keyStore' ? properties.password(`${prefix}.keyManagerPassword`) : undefined,
  };
  const open = kind === 'keyStore' ? openKeyStore : openTrustStore;
  const store = using(properties, prefix, kind, path, () => open(bytes, passwords));
  return { path, place: properties.place(name), store };
}

/** The content of a file from a property. Throws CannotStart when it cannot be read. */
export function fileBytes(properties: Properties, name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new CannotStart(
      `${properties.place(name)}: file [${path}] cannot be read: ${reasonOf(error)}`,
    );
  }
}

// Without the path, which is already in the sentence.
const reasonOf = (error: unknown) => {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'it does not exist';
  if (code === 'EACCES') return 'the service may not read it';
  return code === 'EISDIR' ? 'it is a folder' : String(code);
};

function using<T>(
  properties: Properties,
  prefix: string,
  kind: Kind,
  path: string,
  use: () => T,
): T {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof UnusableStore)) throw error;
    const passwordName = error.isAboutKeyPassword ? 'keyManagerPassword' : `${kind}Password`;
    const hint = /password/.test(error.message)
      ? `; check property [${properties.fullName(`${prefix}.${passwordName}`)}]`
      : '';
    throw new CannotStart(
      `${properties.place(`${prefix}.${kind}Path`)}: file [${path}] ${error.message}${hint}`,
    );
  }
}

// Aliases are case-insensitive in Java.
function chooseKey(
  properties: Properties,
  name: string,
  file: string,
  keys: readonly KeyEntry[],
): KeyEntry {
  const alias = properties.text(name)?.trim();
  const aliases = keys.map((entry) => entry.alias).join(', ');
  const [first, second] = keys;
  if (first === undefined)
    throw new CannotStart(
      `${file[0]?.toUpperCase()}${file.slice(1)} has certificates but no key; see property [${properties.fullName(name.replace(/certAlias$/, 'keyStorePath'))}]`,
    );
  if (alias !== undefined) {
    const found = keys.find((entry) => entry.alias.toLowerCase() === alias.toLowerCase());
    if (!found)
      throw new CannotStart(
        `${properties.place(name)} is [${alias}], but ${file} has keys under [${aliases}]`,
      );
    return found;
  }
  if (second)
    throw new CannotStart(
      `Property [${properties.fullName(name)}] is missing: ${file} has keys under [${aliases}]; set it to one of them`,
    );
  return first;
}

const algorithms = ['pkix', 'sunx509'];

function checkAlgorithm(properties: Properties, name: string): void {
  const value = properties.text(name)?.trim();
  if (value !== undefined && !algorithms.includes(value.toLowerCase()))
    throw properties.unknown(name, value, ['PKIX', 'SunX509']);
}
