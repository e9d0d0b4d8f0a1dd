// Key stores as operators make them, with keytool and openssl, in a folder of their own.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { certificate } from '../support/certificates.ts';

const isThere = (program: string, flag: string) =>
  spawnSync(program, [flag], { stdio: 'ignore' }).error === undefined;

/** Whether this machine has what makes stores. */
export const hasTools = isThere('openssl', 'version') && isThere('keytool', '-help');
if (!hasTools) console.log('SKIPPED: tests of key stores, because keytool or openssl is missing');

const folder = mkdtempSync(join(tmpdir(), 'svcctl-tls-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

export const password = 'changeit';

/** The path of a file in the folder of the stores. */
export const storeFile = (name: string): string => join(folder, name);

/** Runs keytool on a store of the folder with the usual password. */
export function keytool(store: string, ...args: string[]): string {
  execFileSync('keytool', [...args, '-keystore', storeFile(store), '-storepass', password], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return storeFile(store);
}

/** Makes a key with a certificate signed by itself; `more` are further flags of keytool. */
export const keyPair = (store: string, alias: string, more: readonly string[] = []): string =>
  keytool(
    store,
    '-genkeypair',
    '-alias',
    alias,
    '-keyalg',
    'EC',
    '-dname',
    `CN=${alias}`,
    '-ext',
    'san=ip:127.0.0.1',
    ...more,
  );

export function openssl(...args: string[]): void {
  execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** A PKCS12 store of one of the certificates of the tests and its key. */
export function packed(name: string, ...more: string[]): string {
  const files = ['-in', certificate(`${name}.pem`), '-inkey', certificate(`${name}.key.pem`)];
  openssl(
    'pkcs12',
    '-export',
    ...files,
    '-name',
    name,
    '-out',
    `${name}.p12`,
    '-passout',
    `pass:${password}`,
    ...more,
  );
  return storeFile(`${name}.p12`);
}

/** A PKCS12 store that trusts a certificate. */
export function trusting(name: string, cert = certificate(`${name}.pem`)): string {
  openssl(
    'pkcs12',
    '-export',
    '-nokeys',
    '-in',
    cert,
    '-out',
    `trusts-${name}.p12`,
    '-passout',
    `pass:${password}`,
  );
  return storeFile(`trusts-${name}.p12`);
}

/**
 * A certificate and key signed by a fresh authority: `ca.pem`, NAME.pem and NAME.key.pem in the
 * folder.
 */
export function signed(
  name: string,
  names: string,
  days = 30,
): { readonly cert: string; readonly key: string } {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    ...curve,
    '-subj',
    `/CN=${name}`,
    '-keyout',
    `${name}.key.pem`,
    '-out',
    `${name}.csr`,
  );
  writeFileSync(storeFile(`${name}.ext`), `subjectAltName=${names}\n`);
  const authority = ['-CA', 'ca.pem', '-CAkey', 'ca.key.pem', '-CAcreateserial'];
  openssl(
    'x509',
    '-req',
    '-in',
    `${name}.csr`,
    ...authority,
    '-days',
    String(days),
    '-extfile',
    `${name}.ext`,
    '-out',
    `${name}.pem`,
  );
  return { cert: storeFile(`${name}.pem`), key: storeFile(`${name}.key.pem`) };
}

/** Makes the fresh authority. */
export function makeAuthority(): void {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...curve,
    '-days',
    '30',
    '-subj',
    '/CN=fresh authority',
    '-keyout',
    'ca.key.pem',
    '-out',
    'ca.pem',
  );
}

/** A list of revoked certificates of the fresh authority, with this one in it. */
export function revoked(cert: string, format: 'PEM' | 'DER'): string {
  const config =
    '[ca]\ndefault_ca=c\n[c]\ndatabase=index.txt\ncertificate=ca.pem\nprivate_key=ca.key.pem\ndefault_md=sha256\ndefault_crl_days=30\n';
  writeFileSync(storeFile('ca.cnf'), config);
  writeFileSync(storeFile('index.txt'), '');
  openssl('ca', '-config', 'ca.cnf', '-revoke', cert);
  openssl('ca', '-config', 'ca.cnf', '-gencrl', '-out', 'crl.pem');
  openssl('crl', '-in', 'crl.pem', '-outform', format, '-out', `crl.${format}`);
  return storeFile(`crl.${format}`);
}

/** Properties of a service with this key store. */
export const withStore = (
  path: string,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> => ({
  'svc.enableTlsPort': 'true',
  'svc.enablePlaintextPort': 'false',
  'svc.server.https.keyStorePath': path,
  'svc.server.https.keyStoreType': 'PKCS12',
  'svc.server.https.keyStorePassword': password,
  ...more,
});
