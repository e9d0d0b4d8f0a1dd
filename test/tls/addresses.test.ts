// Reported ports with and without TLS.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Service } from '../../src/server/server.ts';
import { certificate } from '../support/certificates.ts';
import { startService } from '../support/service.ts';
import { send } from './connect.ts';
import { hasTools, packed, storeFile, withStore } from './stores.ts';

const flags = { certFile: certificate('server.pem'), keyFile: certificate('server.key.pem') };
const portIn = (url: string | undefined) => (url === undefined ? -1 : Number(new URL(url).port));

test('by itself there is no TLS port', async () => {
  await expectTruth(await startService({ rolePorts: true }), { isPlain: true, isTls: false });
});

test('with --tls-cert there is no port in plain text', async () => {
  await expectTruth(await startService({ rolePorts: true, tls: flags }), {
    isPlain: false,
    isTls: true,
  });
});

describe.skipIf(!hasTools)('with a key store', () => {
  beforeAll(() => void packed('server'));

  test('there are both', async () => {
    const properties = withStore(storeFile('server.p12'), { 'svc.enablePlaintextPort': 'true' });
    await expectTruth(await startService({ rolePorts: true, properties }), {
      isPlain: true,
      isTls: true,
    });
  });

  test('the port in plain text can be turned off', async () => {
    await expectTruth(
      await startService({ rolePorts: true, properties: withStore(storeFile('server.p12')) }),
      {
        isPlain: false,
        isTls: true,
      },
    );
  });
});

async function expectTruth(
  { url, urls, tlsUrls }: Service,
  { isPlain, isTls }: { readonly isPlain: boolean; readonly isTls: boolean },
) {
  const tlsRoles = isPlain ? tlsUrls?.roles : urls;
  const ports = (role: 'coordinator' | 'middleManager') => ({
    plain: isPlain ? portIn(urls.get(role)) : -1,
    tls: isTls ? portIn(tlsRoles?.get(role)) : -1,
  });
  const scheme = isTls ? 'https' : 'http';
  const main = ({ plain, tls }: { plain: number; tls: number }) =>
    `127.0.0.1:${isTls ? tls : plain}`;
  const [worker, coordinator] = [ports('middleManager'), ports('coordinator')];

  expect(await send(url, '/svc/coordinator/v1/leader')).toEqual(`${scheme}://${main(coordinator)}`);
  expect(await send(url, '/svc/indexer/v1/workers')).toMatchObject([
    { worker: { scheme, host: main(worker) } },
  ]);
  const rows = async (query: string) => send(url, '/svc/v2/sql', { query });
  expect(
    await rows(
      "SELECT server, plaintext_port, tls_port FROM sys.servers WHERE server_type = 'coordinator'",
    ),
  ).toEqual([
    { server: main(coordinator), plaintext_port: coordinator.plain, tls_port: coordinator.tls },
  ]);
  expect(await send(url, '/svc/coordinator/v1/cluster/coordinator')).toEqual([
    {
      host: main(coordinator),
      service: 'svc/coordinator',
      ...(isPlain && { plaintextPort: coordinator.plain }),
      ...(isTls && { tlsPort: coordinator.tls }),
    },
  ]);
  expect(
    await send(url, '/svc/indexer/v1/task', { type: 'noop', id: 'nothing', spec: {} }),
  ).toEqual({ task: 'nothing' });
  const location = { host: '127.0.0.1', port: worker.plain, tlsPort: worker.tls };
  await expect
    .poll(() => send(url, '/svc/indexer/v1/task/nothing/status'))
    .toMatchObject({ status: { status: 'SUCCESS', location } });
  expect(
    await rows(
      "SELECT location, plaintext_port, tls_port FROM sys.tasks WHERE task_id = 'nothing'",
    ),
  ).toEqual([{ location: main(worker), plaintext_port: worker.plain, tls_port: worker.tls }]);
}
