// The whole service is killed at each named place of publishing and deleting, and started again on what it left.
import { expect, onTestFinished, test } from 'vitest';
import { crashPoints } from '../../src/server/storage/crash-points.ts';
import { startServed } from '../support/served.js';
import { temporaryFolder } from '../support/storage.ts';
import { type Engine, endOf, post, query, type Served, segmentsOnDisk, statusOf, submitLoad, wholeLoadsIn } from './loads.ts';

const ofDelete = 'segments deleted, files not yet';
const ofPublish = crashPoints.filter((point) => point !== ofDelete);
const engines: readonly Engine[] = ['native', 'sql'];

test.each(engines.flatMap((engine) => ofPublish.map((point) => [engine, point] as const)))(
  'a %s ingestion killed at "%s" is there as a whole or not at all',
  async (engine, point) => {
    const dataDir = await temporaryFolder();
    const first = await started(dataDir);
    expect(await endOf(first, await submitLoad(first, 1, engine))).toMatchObject({ statusCode: 'SUCCESS' });
    await first.stop();

    const doomed = await started(dataDir, point);
    const ran = await submitLoad(doomed, 2, engine);
    const waited = await submitLoad(doomed, 3, engine);
    expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL' });

    const again = await started(dataDir);
    const committed = point === 'segments committed, not yet acknowledged';
    expect(await endOf(again, ran)).toMatchObject(
      committed
        ? { statusCode: 'SUCCESS' }
        : { statusCode: 'FAILED', errorMsg: expect.stringContaining('stopped while this task was running') },
    );
    expect(await endOf(again, waited)).toMatchObject({ statusCode: 'SUCCESS' });
    const loads = committed ? [1, 2, 3] : [1, 3];
    expect(await wholeLoadsIn(again)).toEqual(loads);
    expect(await segmentsOnDisk(again, dataDir)).toBe(loads.length * 3);
  },
);

test('a deletion killed between rows and files leaves neither', async () => {
  const dataDir = await temporaryFolder();
  const first = await started(dataDir);
  await endOf(first, await submitLoad(first, 1, 'native'));
  await fetch(`${first.url}/svc/coordinator/v1/datasources/loads`, { method: 'DELETE' });
  expect(await query(first, 'SELECT * FROM sys.segments')).toEqual([]);
  await first.stop();

  const doomed = await started(dataDir, ofDelete);
  const kill = { type: 'kill', id: 'kill-loads', dataSource: 'loads', interval: '2024-05-01/2024-05-04' };
  await post(`${doomed.url}/svc/indexer/v1/task`, kill).catch(() => undefined); // it may die before it answers
  expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL' });

  const again = await started(dataDir);
  expect(await statusOf(again, kill.id)).toMatchObject({ statusCode: expect.stringMatching('SUCCESS|FAILED') });
  expect(await segmentsOnDisk(again, dataDir)).toBe(0);
  await endOf(again, await submitLoad(again, 2, 'native'));
  expect(await wholeLoadsIn(again)).toEqual([2]);
});

/** One slot, so that of two tasks the second waits. */
async function started(dataDir: string, crashPoint?: string): Promise<Served> {
  const service = await startServed(
    ['--data-dir', dataDir, '--worker-capacity', '1'],
    crashPoint ? { SVCCTL_CRASH_POINT: crashPoint } : {},
  );
  onTestFinished(() => void service.kill());
  return service;
}
