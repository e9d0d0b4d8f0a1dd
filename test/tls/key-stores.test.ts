// The service with the key stores of its operators: what it shows, and when it does not start.
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { startServer } from '../../src/server/server.ts';
import { certificate } from '../support/certificates.ts';
import { startService } from '../support/service.ts';
import { ask } from './connect.ts';
import {
  hasTools,
  keyPair,
  keytool,
  openssl,
  packed,
  password,
  storeFile,
  trusting,
  withStore,
} from './stores.ts';

const ok = 'HTTP/1.1 200 OK';

describe.skipIf(!hasTools)('a key store', () => {
  beforeAll(() => {
    keyPair('two.p12', 'first', ['-storetype', 'PKCS12']);
    keyPair('two.p12', 'Second', ['-storetype', 'PKCS12', '-keyalg', 'RSA', '-keysize', '2048']);
    keyPair('old.jks', 'old', ['-storetype', 'JKS', '-keypass', 'another']);
    keyPair('strange.jceks', 'strange', ['-storetype', 'JCEKS']);
    packed('server', '-certfile', certificate('authority.pem'));
    packed('expired');
    packed('client', '-legacy');
    trusting('authority');
    const key = ['-inkey', certificate('server.key.pem'), '-nocerts', '-name', 'lonely'];
    openssl('pkcs12', '-export', ...key, '-out', 'lonely.p12', '-passout', `pass:${password}`);
    keytool(
      'trusts.jks',
      '-importcert',
      '-noprompt',
      '-alias',
      'ca',
      '-file',
      certificate('authority.pem'),
      '-storetype',
      'JKS',
    );
  });

  test.each([
    [
      'PKCS12 made by keytool, with an alias in other capitals',
      'two.p12',
      { certAlias: 'second' },
      'Second',
    ],
    ['the other alias, of a key on an elliptic curve', 'two.p12', { certAlias: 'first' }, 'first'],
    ['PKCS12 made by openssl, with its authority', 'server.p12', {}, 'server'],
    ['PKCS12 in the encryption of older programs', 'client.p12', {}, 'client'],
    [
      'JKS, with another password for its key',
      'old.jks',
      { keyStoreType: 'jks', keyManagerPassword: 'another' },
      'old',
    ],
    [
      'a PKCS12 file called JKS, as Java opens it',
      'two.p12',
      { keyStoreType: 'JKS', certAlias: 'first' },
      'first',
    ],
    [
      'a password from the environment, and a path as URL',
      'server.p12',
      {
        keyStorePath: `file://${storeFile('server.p12')}`,
        keyStorePassword: '{"type": "environment", "variable": "TEST_STORE_PASSWORD"}',
      },
      'server',
    ],
  ])('%s', async (_, file, more, subject) => {
    process.env.TEST_STORE_PASSWORD = password;
    const service = await startService({
      properties: withStore(storeFile(file), httpsProperties(more)),
    });
    expect(service.url).toMatch(/^https:/);
    expect(await ask(service.url)).toMatchObject({ subject, reply: ok });
  });

  test('shows the whole chain, so that a client that trusts the authority needs no more', async () => {
    const { url } = await startService({ properties: withStore(storeFile('server.p12')) });
    const ca = readFileSync(certificate('authority.pem'));
    expect(await ask(url, { ca, rejectUnauthorized: true })).toMatchObject({ reply: ok });
  });

  test.each([
    [
      'a missing file',
      'nowhere.p12',
      {},
      ['keyStorePath]', '[FOLDER/nowhere.p12] cannot be read: it does not exist'],
    ],
    [
      'a wrong password',
      'server.p12',
      { keyStorePassword: 'wrong' },
      ['the password is wrong', 'server.p12', '[svc.server.https.keyStorePassword]'],
    ],
    [
      'no password',
      'server.p12',
      { keyStorePassword: '' },
      ['cannot be opened without a password', 'keyStorePassword]'],
    ],
    [
      'a wrong password of JKS',
      'old.jks',
      { keyStorePassword: 'wrong' },
      ['the password is wrong', 'old.jks', 'keyStorePassword]'],
    ],
    [
      'a wrong password of a key',
      'old.jks',
      {},
      ['under alias [old] that the password does not decrypt', 'keyManagerPassword]'],
    ],
    [
      'another password of a key in PKCS12',
      'server.p12',
      { keyManagerPassword: 'x' },
      ['whose keys have the password of the store', 'keyManagerPassword]'],
    ],
    [
      'an unknown alias',
      'two.p12',
      { certAlias: 'third' },
      ['certAlias] is [third]', 'two.p12] has keys under [first, second]'],
    ],
    [
      'two keys and no alias',
      'two.p12',
      {},
      ['certAlias] is missing', 'has keys under [first, second]'],
    ],
    [
      'an expired certificate',
      'expired.p12',
      {},
      ['keyStorePath]', 'expired.p12] has expired on [2021-'],
    ],
    [
      'a key without certificate',
      'lonely.p12',
      {},
      ['has no certificate for the key under alias [lonely]'],
    ],
    [
      'no key',
      'trusts-authority.p12',
      {},
      ['trusts-authority.p12] has certificates but no key', 'keyStorePath]'],
    ],
    ['no key in JKS', 'trusts.jks', {}, ['trusts.jks] has certificates but no key']],
    ['PEM', 'text.pem', {}, ['is a PEM file', 'openssl pkcs12 -export']],
    ['JCEKS', 'strange.jceks', {}, ['JCEKS', 'keytool -importkeystore']],
    ['something else', 'noise.p12', {}, ['is neither a PKCS12 nor a JKS store']],
    ['DER that is not a store', 'noise.der', {}, ['is not a PKCS12 store']],
    ['a JKS store that is cut off', 'cut.jks', {}, ['password is wrong, or the file is damaged']],
    [
      'an unknown type',
      'server.p12',
      { keyStoreType: 'BKS' },
      ['keyStoreType] is [bks]', '[jks, pkcs12]'],
    ],
    [
      'an unknown algorithm',
      'server.p12',
      { keyManagerFactoryAlgorithm: 'Mine' },
      ['[Mine]', '[PKIX, SunX509]'],
    ],
  ])('%s stops the start with property and file', async (_, file, more, words) => {
    writeFileSync(storeFile('text.pem'), '-----BEGIN CERTIFICATE-----\n');
    writeFileSync(storeFile('noise.p12'), 'noise');
    writeFileSync(storeFile('noise.der'), Buffer.from('3003020101', 'hex'));
    writeFileSync(storeFile('cut.jks'), readFileSync(storeFile('old.jks')).subarray(0, 200));
    const refusal = await refusalOf(withStore(storeFile(file), httpsProperties(more)));
    for (const word of words) expect(refusal).toContain(word.replace('FOLDER', storeFile('.')));
    expect(refusal).not.toMatch(/\n\s+at |forge|asn1/i);
  });

  test('the port in plain text stays closed when it is turned off', async () => {
    const { url } = await startService({
      properties: withStore(storeFile('server.p12')),
      rolePorts: true,
    });
    const reply = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
        socket.write('GET /status/health HTTP/1.1\r\nHost: localhost\r\n\r\n'),
      );
      socket
        .on('data', (chunk) => {
          text += chunk;
        })
        .on('error', () => undefined)
        .on('close', () => resolve(text));
    });
    expect(reply).not.toContain('true');
  });

  test('a handshake that does not go on is ended, and does not keep the service from closing', async () => {
    const settings = {
      properties: withStore(storeFile('server.p12')),
      limits: { headersMs: 300, closingMs: 300 },
    };
    const service = await startServer({ port: 0, ...settings });
    const stall = () => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
      return new Promise((closed) => socket.on('error', () => undefined).once('close', closed));
    };
    await stall();
    const stalled = stall();
    expect(await ask(service.url)).toMatchObject({ reply: ok });
    await service.close();
    await stalled;
  });

  test('TLS ports are 200 above those in plain text, for each role', async () => {
    const properties = withStore(storeFile('server.p12'), { 'svc.enablePlaintextPort': 'true' });
    const { url, urls, tlsUrls } = await startService({ properties, rolePorts: true });
    const port = (text: string | undefined) => Number(new URL(text ?? '').port);
    expect([new URL(url).protocol, new URL(tlsUrls?.url ?? '').protocol]).toEqual([
      'http:',
      'https:',
    ]);
    expect(port(tlsUrls?.url)).toBe(port(url) + 200);
    expect(port(tlsUrls?.roles.get('coordinator'))).toBe(port(urls.get('coordinator')) + 200);
    expect(await ask(tlsUrls?.roles.get('broker') ?? '')).toMatchObject({
      subject: 'server',
      reply: ok,
    });
    expect(await (await fetch(`${url}/status/health`)).json()).toBe(true);
  });

  const store = () => withStore(storeFile('server.p12'));
  test.each([
    [
      'no key store',
      () => ({ 'svc.enableTlsPort': 'true' }),
      ['Property [svc.server.https.keyStorePath] is missing'],
    ],
    [
      'no port at all',
      () => ({ 'svc.enablePlaintextPort': 'false' }),
      ['enablePlaintextPort]', 'closes the only port', '[svc.enableTlsPort=true]'],
    ],
    [
      'a key store without TLS',
      () => ({ ...store(), 'svc.enableTlsPort': 'false' }),
      ['server.https.', 'has no effect', 'enableTlsPort=true'],
    ],
    ['a port without TLS', () => ({ 'svc.tlsPort': '9443' }), ['[svc.tlsPort] has no effect']],
    [
      'a port that does not exist',
      () => ({ ...store(), 'svc.tlsPort': '99999' }),
      ['[svc.tlsPort]', 'between 1 and 65535'],
    ],
    [
      'a typo',
      () => ({ ...store(), 'svc.server.https.keyStorePasword': 'x' }),
      ['is unknown', 'did you mean [svc.server.https.keyStorePassword]?'],
    ],
    [
      'neither true nor false',
      () => ({ ...store(), 'svc.enableTlsPort': 'yes' }),
      ['[yes]', '[true, false]'],
    ],
    [
      'an authority for nobody',
      () => ({ ...store(), 'svc.server.https.trustStorePath': '/x' }),
      ['trustStorePath] has no effect', 'requireClientCertificate'],
    ],
    [
      'a protocol that is not offered',
      () => ({ ...store(), 'svc.server.https.includeProtocols': '["TLSv1.1"]' }),
      ['[TLSv1.1]', '[TLSv1.2, TLSv1.3]'],
    ],
    [
      'no protocol left',
      () => ({ ...store(), 'svc.server.https.excludeProtocols': '["TLSv1.2", "TLSv1.3"]' }),
      ['excludeProtocols] excludes all protocols'],
    ],
    [
      'a suite that is not offered',
      () => ({
        ...store(),
        'svc.server.https.includeCipherSuites': '["TLS_RSA_WITH_RC4_128_MD5"]',
      }),
      ['[TLS_RSA_WITH_RC4_128_MD5], which is not supported'],
    ],
    [
      'no suite left',
      () => ({ ...store(), 'svc.server.https.excludeCipherSuites': '[".*"]' }),
      ['excludeCipherSuites] excludes all cipher suites'],
    ],
    [
      'a broken pattern',
      () => ({ ...store(), 'svc.server.https.excludeCipherSuites': '["(TLS"]' }),
      ['excludeCipherSuites] has pattern [(TLS]'],
    ],
    [
      'too short a time',
      () => ({ ...store(), 'svc.server.https.reloadSslContextSeconds': '0' }),
      ['between 1 and 86400'],
    ],
    [
      'client properties without their extension',
      () => ({ 'svc.client.https.trustStorePath': '/x' }),
      ['add [simple-client-sslcontext]'],
    ],
    [
      'flags besides properties',
      store,
      ['both configure TLS'],
      { certFile: certificate('server.pem'), keyFile: certificate('server.key.pem') },
    ],
  ])('%s stops the start', async (_, properties, words, tls = undefined) => {
    const refusal = await refusalOf(properties(), tls);
    for (const word of words) expect(refusal).toContain(word);
  });

  test.each([
    [{ includeProtocols: '["TLSv1.2"]' }, { protocol: 'TLSv1.2' }],
    [{ excludeProtocols: '["TLSv1.2", "SSLv3"]' }, { protocol: 'TLSv1.3' }],
    [
      { includeCipherSuites: '["TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"]' },
      { protocol: 'TLSv1.2', cipher: 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384' },
    ],
    [
      { includeCipherSuites: '["TLS_AES_128_GCM_SHA256"]' },
      { protocol: 'TLSv1.3', cipher: 'TLS_AES_128_GCM_SHA256' },
    ],
    [
      { excludeCipherSuites: '["^TLS_AES_256_.*$", "TLS_CHACHA20_POLY1305_SHA256"]' },
      { cipher: 'TLS_AES_128_GCM_SHA256' },
    ],
  ])('%j is obeyed', async (more, met) => {
    const { url } = await startService({
      properties: withStore(storeFile('server.p12'), httpsProperties(more)),
    });
    expect(await ask(url)).toMatchObject(met);
  });
});

const httpsProperties = (more: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(more).map(([name, value]) => [`svc.server.https.${name}`, value]),
  );

async function refusalOf(
  properties: Record<string, string>,
  tls?: { certFile: string; keyFile: string },
): Promise<string> {
  const started = startServer({ port: 0, properties, tls }).then(async (service) => {
    await service.close();
    return 'It has started';
  });
  return started.catch((error: Error) => error.message);
}
