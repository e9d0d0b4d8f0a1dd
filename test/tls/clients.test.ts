// Clients of a service that asks for their certificates, and the service as a client of others.
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { Properties } from '../../src/server/settings/properties.ts';
import { clientTlsIn } from '../../src/server/tls/client-tls.ts';
import { certificate, identity } from '../support/certificates.ts';
import { runCli } from '../support/cli.ts';
import { startServed } from '../support/served.js';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/storage.ts';
import { ask } from './connect.ts';
import {
  hasTools,
  makeAuthority,
  packed,
  password,
  revoked,
  signed,
  storeFile,
  trusting,
  withStore,
} from './stores.ts';

const ok = 'HTTP/1.1 200 OK';
const https = 'svc.server.https.';

describe.skipIf(!hasTools)('a client', () => {
  const read = ({ cert, key }: { cert: string; key: string }) => ({
    cert: readFileSync(cert),
    key: readFileSync(key),
  });
  let named = { cert: '', key: '' };
  let elsewhere = { cert: '', key: '' };
  let left = { cert: '', key: '' };
  const asking = (more: Readonly<Record<string, string>>) =>
    withStore(storeFile('server.p12'), { [`${https}trustStorePassword`]: password, ...more });
  const requiring = (trusted: string, more: Readonly<Record<string, string>> = {}) =>
    asking({
      [`${https}requireClientCertificate`]: 'true',
      [`${https}trustStorePath`]: trusted,
      ...more,
    });
  const fresh = () => storeFile('trusts-fresh.p12');

  beforeAll(() => {
    packed('server', '-certfile', certificate('authority.pem'));
    packed('client');
    trusting('authority');
    makeAuthority();
    named = signed('named', 'IP:127.0.0.1');
    elsewhere = signed('elsewhere', 'DNS:elsewhere.test');
    left = signed('left', 'IP:127.0.0.1');
    trusting('fresh', storeFile('ca.pem'));
  });

  test('without a certificate is refused where one is required, and served with one that is trusted', async () => {
    const { url } = await startService({ properties: requiring(fresh()) });
    expect(await outcome(url)).not.toBe(ok);
    expect(await outcome(url, read(named))).toBe(ok);
    expect(await outcome(url, identity('client'))).not.toBe(ok); // of another authority
    expect(await outcome(url, identity('self-signed'))).not.toBe(ok);
  });

  test('is trusted when the trust store holds its own certificate, signed by itself', async () => {
    const { url } = await startService({
      properties: requiring(trusting('self-signed'), { [`${https}validateHostnames`]: 'false' }),
    });
    expect(await outcome(url, identity('self-signed'))).toBe(ok);
    expect(await outcome(url, read(named))).not.toBe(ok);
  });

  test('needs a certificate that names where it comes from, unless that check is turned off', async () => {
    const checked = await startService({ properties: requiring(fresh()) });
    expect(await outcome(checked.url, read(elsewhere))).not.toBe(ok);
    const unchecked = await startService({
      properties: requiring(fresh(), { [`${https}validateHostnames`]: 'false' }),
    });
    expect(await outcome(unchecked.url, read(elsewhere))).toBe(ok);
  });

  test('may come without a certificate where one is only requested, but not with one that is not trusted', async () => {
    const properties = asking({
      [`${https}requestClientCertificate`]: 'true',
      [`${https}trustStorePath`]: fresh(),
    });
    const { url } = await startService({ properties });
    expect(await outcome(url)).toBe(ok);
    expect(await outcome(url, read(elsewhere))).toBe(ok);
    expect(await outcome(url, identity('client'))).not.toBe(ok);
  });

  test.each(['PEM', 'DER'] as const)(
    'whose certificate is revoked is refused (%s)',
    async (format) => {
      const properties = requiring(fresh(), { [`${https}crlPath`]: revoked(left.cert, format) });
      const { url } = await startService({ properties });
      expect(await outcome(url, read(named))).toBe(ok);
      expect(await outcome(url, read(left))).not.toBe(ok);
    },
  );

  test.each([
    [
      'no trust store',
      () => asking({ [`${https}requireClientCertificate`]: 'true' }),
      ['trustStorePath] is missing'],
    ],
    [
      'a wrong password',
      () => requiring(fresh(), { [`${https}trustStorePassword`]: 'x' }),
      ['trusts-fresh.p12]', 'trustStorePassword]'],
    ],
    [
      'a certificate without its authority',
      () => requiring(trusting('client')),
      ['[CN=client] without the certificate of its authority [CN=svcctl test'],
    ],
    [
      'a trust store without certificates',
      () => requiring(storeFile('client.p12')),
      ['client.p12] has no trusted certificate', 'keytool'],
    ],
    [
      'a broken list of revoked certificates',
      () => requiring(fresh(), { [`${https}crlPath`]: storeFile('client.p12') }),
      ['client.p12] is not a list'],
    ],
    [
      'a missing list',
      () => requiring(fresh(), { [`${https}crlPath`]: '/nowhere.crl' }),
      ['[/nowhere.crl] cannot be read: it does not exist'],
    ],
  ])('is not waited for with %s', async (_, properties, words) => {
    const refusal = await startService({ properties: properties() }).then(
      () => 'It has started',
      (error: Error) => error.message,
    );
    for (const word of words) expect(refusal).toContain(word);
  });

  test('of the command line shows its certificate, and hears which flags it lacks', async () => {
    const { url } = await startService({ properties: requiring(fresh()) });
    const known = `--cacert ${certificate('authority.pem')}`;
    expect(
      await runCli({ url }, `status health ${known} --cert ${named.cert} --key ${named.key}`),
    ).toMatchObject({ code: 0 });
    const stranger = await runCli({ url }, `status health ${known}`);
    expect(stranger).toMatchObject({ code: 6 });
    expect(stranger.stderr).toContain('--cert FILE and --key FILE');
    expect((await runCli({ url }, 'status health')).stderr).toContain('--cacert FILE');
  });

  test('that is the service itself, with its demo, shows the key of its own key store', async () => {
    const properties = requiring(storeFile('trusts-authority.p12'), {
      [`${https}validateHostnames`]: 'false',
      'svc.extensions.loadList': '["simple-client-sslcontext"]',
      'svc.client.https.trustStorePath': storeFile('trusts-authority.p12'),
      'svc.client.https.trustStorePassword': password,
      'svc.client.https.keyStorePath': storeFile('client.p12'),
      'svc.client.https.keyStorePassword': password,
    });
    const file = `${await temporaryFolder()}/runtime.properties`;
    const write = (names: readonly string[]) =>
      writeFileSync(file, names.map((name) => `${name}=${properties[name]}\n`).join(''));
    write(Object.keys(properties).filter((name) => !name.includes('.client.')));
    await expect(startServed(['--ephemeral', '--demo', '--config', file])).rejects.toThrow(
      'property [svc.client.https.keyStorePath]',
    );
    write(Object.keys(properties));
    const service = await startServed(['--ephemeral', '--demo', '--config', file]);
    expect(service.said()).not.toContain('certificate');
    expect(await service.stop()).toMatchObject({ code: 0 });
  });

  test.each(['client.https', 'auth.basic.ssl'])(
    'of another service is described below %s',
    (prefix) => {
      const values = (more: Readonly<Record<string, string>>) => {
        const named = Object.entries({
          trustStorePath: fresh(),
          trustStorePassword: password,
          ...more,
        });
        return new Properties(
          'svc',
          Object.fromEntries(named.map(([name, value]) => [`svc.${prefix}.${name}`, value])),
        );
      };
      const now = Date.now();
      expect(clientTlsIn(new Properties('svc', {}), prefix, now)).toBeUndefined();
      const plain = clientTlsIn(values({ protocol: 'TLSv1.2' }), prefix, now);
      expect(plain).toEqual({
        minVersion: 'TLSv1.2',
        maxVersion: 'TLSv1.2',
        ca: [readFileSync(storeFile('ca.pem'), 'utf8')],
      });
      const store = { keyStorePath: storeFile('client.p12'), keyStorePassword: password };
      const whole = clientTlsIn(
        values({ protocol: 'TLS', validateHostnames: 'false', ...store }),
        prefix,
        now,
      );
      expect(whole).toMatchObject({
        cert: expect.stringContaining('BEGIN CERTIFICATE'),
        key: expect.stringContaining('PRIVATE KEY'),
      });
      expect(whole?.checkServerIdentity?.('a', {} as never)).toBeUndefined();
      expect(() => clientTlsIn(values({ protocol: 'SSLv3' }), prefix, now)).toThrow(
        '[SSLv3], which is not one of [TLS, TLSv1.2, TLSv1.3]',
      );
      expect(() => clientTlsIn(values({ certAlias: 'x' }), prefix, now)).toThrow(
        /certAlias\] has no effect/,
      );
    },
  );
});

const outcome = (url: string, options = {}) =>
  ask(url, options).then(
    ({ reply }) => reply,
    (error: Error) => error.message,
  );
