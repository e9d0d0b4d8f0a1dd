// The whole service is killed at each named place of publishing and deleting, and started again on
// what it left.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { crashPoints } from '../../src/server/storage/crash-points.ts';
import { startServed } from '../support/served.js';
import { temporaryFolder } from '../support/storage.ts';
import {
  type Engine,
  endOf,
  post,
  query,
  rowsOf,
  type Served,
  segmentsOnDisk,
  setWorker,
  statusOf,
  submitLoad,
  submitReplacement,
  until,
  wholeLoadsIn,
} from './loads.ts';

const engines: readonly Engine[] = ['native', 'sql'];

test.each(
  engines.flatMap((engine) => crashPoints.publish.map((point) => [engine, point] as const)),
)('a %s ingestion killed at "%s" is there as a whole or not at all', async (engine, point) => {
  const dataDir = await temporaryFolder();
  const first = await started(dataDir);
  expect(await endOf(first, await submitLoad(first, 1, engine))).toMatchObject({
    statusCode: 'SUCCESS',
  });
  await first.stop();

  const doomed = await started(dataDir, point);
  await setWorker(doomed, 'disable'); // the first one would be at its end before the service has heard of the second
  const ran = await submitLoad(doomed, 2, engine);
  const waited = await submitLoad(doomed, 3, engine);
  await setWorker(doomed, 'enable').catch(() => undefined); // it may die before it answers
  expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL' });

  const again = await started(dataDir);
  const committed = point === 'segments committed, not yet acknowledged';
  expect(await endOf(again, ran)).toMatchObject(
    committed
      ? { statusCode: 'SUCCESS' }
      : {
          statusCode: 'FAILED',
          errorMsg: expect.stringContaining('stopped while this task was running'),
        },
  );
  expect(await endOf(again, waited)).toMatchObject({ statusCode: 'SUCCESS' });
  const loads = committed ? [1, 2, 3] : [1, 3];
  expect(await wholeLoadsIn(again)).toEqual(loads);
  expect(await segmentsOnDisk(again, dataDir)).toBe(loads.length * 3);
});

test.each(crashPoints.upgrade)(
  'a replacement killed at "%s" has taken over what was appended meanwhile, or has not happened',
  async (point) => {
    const dataDir = await temporaryFolder();
    const first = await started(dataDir);
    await endOf(first, await submitLoad(first, 1, 'native'));
    await first.stop();

    const doomed = await started(dataDir, point, 2);
    const source = await heldBack(rowsOf(2));
    const replacement = await submitReplacement(doomed, source.url);
    await until(async () => (await locksOf(doomed)).includes('REPLACE'));
    expect(
      await endOf(doomed, await submitLoad(doomed, 3, 'native', { useConcurrentLocks: true })),
    ).toMatchObject({
      statusCode: 'SUCCESS',
    });
    expect(await wholeLoadsIn(doomed)).toEqual([1, 3]);
    source.release();
    expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL' });

    const again = await started(dataDir);
    const committed = point === 'appended segments upgraded, not yet acknowledged';
    expect(await endOf(again, replacement)).toMatchObject({
      statusCode: committed ? 'SUCCESS' : 'FAILED',
    });
    expect(await wholeLoadsIn(again)).toEqual(committed ? [2, 3] : [1, 3]);
    // What is replaced stays until it is deleted
    expect(await segmentsOnDisk(again, dataDir)).toBe(committed ? 12 : 6);
    if (!committed) return;
    const replaced = await query<{ id: string }>(
      again,
      'SELECT segment_id AS id FROM sys.segments WHERE is_overshadowed = 1',
    );
    await post(`${again.url}/svc/coordinator/v1/datasources/loads/markUnused`, {
      segmentIds: replaced.map(({ id }) => id),
    });
    await post(`${again.url}/svc/indexer/v1/task`, { ...killLoads, id: 'kill-replaced' });
    expect(await endOf(again, 'kill-replaced')).toMatchObject({ statusCode: 'SUCCESS' });
    expect(await segmentsOnDisk(again, dataDir)).toBe(6);
    expect(await wholeLoadsIn(again)).toEqual([2, 3]);
  },
);

test.each(crashPoints.delete)('a deletion killed at "%s" leaves neither', async (point) => {
  const dataDir = await temporaryFolder();
  const first = await started(dataDir);
  await endOf(first, await submitLoad(first, 1, 'native'));
  await fetch(`${first.url}/svc/coordinator/v1/datasources/loads`, { method: 'DELETE' });
  expect(await query(first, 'SELECT * FROM sys.segments')).toEqual([]);
  await first.stop();

  const doomed = await started(dataDir, point);
  await post(`${doomed.url}/svc/indexer/v1/task`, killLoads).catch(() => undefined); // it may die before it answers
  expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL' });

  const again = await started(dataDir);
  expect(await statusOf(again, killLoads.id)).toMatchObject({
    statusCode: expect.stringMatching('SUCCESS|FAILED'),
  });
  expect(await segmentsOnDisk(again, dataDir)).toBe(0);
  await endOf(again, await submitLoad(again, 2, 'native'));
  expect(await wholeLoadsIn(again)).toEqual([2]);
});

const killLoads = {
  type: 'kill',
  id: 'kill-loads',
  dataSource: 'loads',
  interval: '2024-05-01/2024-05-04',
};

/** The types of the locks that tasks hold. */
async function locksOf({ url }: Served): Promise<string[]> {
  const { datasourceToLocks } = await post<{
    datasourceToLocks: Record<string, { type: string }[]>;
  }>(`${url}/svc/indexer/v1/activeLocks`, [{ datasource: 'loads' }]);
  return Object.values(datasourceToLocks).flatMap((locks) => locks.map(({ type }) => type));
}

/** A file of a server, whose content comes when it is released. */
async function heldBack(content: string) {
  let release = () => {};
  const released = new Promise<void>((wake) => {
    release = wake;
  });
  const server = createServer((_, reply) => void released.then(() => reply.end(content)));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => {
    release();
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/rows`, release };
}

/** With one slot, so that of two tasks the second waits, unless there are to be more. */
async function started(dataDir: string, crashPoint?: string, slots = 1): Promise<Served> {
  const service = await startServed(
    ['--data-dir', dataDir, '--worker-capacity', String(slots)],
    crashPoint ? { SVCCTL_CRASH_POINT: crashPoint } : {},
  );
  onTestFinished(() => void service.kill());
  return service;
}
