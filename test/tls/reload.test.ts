// A certificate that is replaced while the service runs.
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { certificate } from '../support/certificates.ts';
import { startServed } from '../support/served.js';
import { temporaryFolder } from '../support/storage.ts';
import { ask } from './connect.ts';
import { hasTools, makeAuthority, packed, signed, storeFile, withStore } from './stores.ts';

const subjectAt = async (url: string) => (await ask(url)).subject;

describe.skipIf(!hasTools)('a key store that is replaced', () => {
  beforeAll(() => {
    for (const name of ['server', 'expired']) packed(name);
    packed('self-signed', '-macalg', 'sha512', '-keypbe', 'PBE-SHA1-3DES');
  });

  async function served(more: Readonly<Record<string, string>> = {}) {
    const folder = await temporaryFolder();
    const store = join(folder, 'used.p12');
    const config = join(folder, 'runtime.properties');
    const use = (name: string) => copyFileSync(storeFile(`${name}.p12`), store);
    use('server');
    const lines = Object.entries(withStore(store, more)).map(
      ([name, value]) => `${name}=${value}\n`,
    );
    writeFileSync(config, lines.join(''));
    return { use, store, service: await startServed(['--ephemeral', '--config', config]) };
  }

  test('is used for new connections after SIGHUP; a broken one leaves the old one in use', async () => {
    const { use, store, service } = await served();
    expect(await subjectAt(service.url)).toBe('server');
    use('self-signed');
    expect(await subjectAt(service.url)).toBe('server');
    process.kill(service.pid, 'SIGHUP');
    await expect.poll(() => subjectAt(service.url)).not.toBe('server');
    expect(service.said()).toContain('The service reloaded its certificate: [CN=');
    const now = await subjectAt(service.url);
    for (const [spoil, words] of [
      [() => writeFileSync(store, 'noise'), 'used.p12] is neither a PKCS12 nor a JKS store'],
      [() => use('expired'), 'used.p12] has expired on'],
    ] as const) {
      spoil();
      process.kill(service.pid, 'SIGHUP');
      await expect.poll(() => service.said()).toContain(words);
      expect(await subjectAt(service.url)).toBe(now);
    }
    expect(service.said()).toContain(
      'The service keeps its certificate, because the new one cannot be used. Property [svc.server.https.keyStorePath]',
    );
    expect(service.said()).not.toMatch(/\n\s+at /);
    expect(await service.stop()).toMatchObject({ code: 0 });
  });

  test('is noticed where the properties ask for that', async () => {
    const properties = {
      'svc.server.https.reloadSslContext': 'true',
      'svc.server.https.reloadSslContextSeconds': '1',
    };
    const { use, service } = await served(properties);
    expect(await subjectAt(service.url)).toBe('server');
    use('self-signed');
    await expect.poll(() => subjectAt(service.url)).not.toBe('server');
    expect(await service.stop()).toMatchObject({ code: 0 });
  });
});

test.skipIf(!hasTools)(
  'a certificate that expires soon is logged, one that does not is not',
  async () => {
    makeAuthority();
    const said = async (days: number) => {
      const { cert, key } = signed(`for-${days}-days`, 'IP:127.0.0.1', days);
      const service = await startServed(['--ephemeral', '--tls-cert', cert, '--tls-key', key]);
      await service.stop();
      return service.said();
    };
    expect(await said(3)).toContain('The certificate [CN=for-3-days] expires on [');
    expect(await said(30)).not.toContain('expires');
  },
);

test('PEM files of flags are read again after SIGHUP, and an expired certificate stops the start', async () => {
  const folder = await temporaryFolder();
  const flags = ['--tls-cert', join(folder, 'cert.pem'), '--tls-key', join(folder, 'key.pem')];
  const use = (name: string) => {
    copyFileSync(certificate(`${name}.pem`), join(folder, 'cert.pem'));
    copyFileSync(certificate(`${name}.key.pem`), join(folder, 'key.pem'));
  };
  use('server');
  const service = await startServed(['--ephemeral', ...flags]);
  expect(await subjectAt(service.url)).toBe('server');
  use('self-signed');
  process.kill(service.pid, 'SIGHUP');
  await expect.poll(() => subjectAt(service.url)).not.toBe('server');
  expect(await service.stop()).toMatchObject({ code: 0 });
  use('expired');
  await expect(startServed(['--ephemeral', ...flags])).rejects.toThrow(
    /cert\.pem\] given by --tls-cert has expired on \[2021-/,
  );
});
