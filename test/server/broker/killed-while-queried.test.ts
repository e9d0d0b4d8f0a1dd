// Segments that are killed while a query that saw them is still waiting or reading.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { RunningQueries } from '../../../src/server/broker/running-queries.ts';
import { HeldFiles } from '../../../src/server/storage/held-files.ts';
import { startService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/storage.ts';
import { api } from '../../support/wire.ts';

test('a query reads the segments it saw when it came, although they are killed before it begins', async () => {
  const dataDir = await temporaryFolder();
  const service = await startService({ dataDir });
  const { post, ended, until, get } = api(service);
  const load = `REPLACE INTO "w" OVERWRITE ALL SELECT TIME_PARSE(t) AS __time, n FROM (VALUES ('2024-01-01', 1), ('2024-01-02', 2)) AS t (t, n) PARTITIONED BY DAY`;
  expect(await ended((await post('/svc/v2/sql/task', { query: load })).body.taskId)).toMatchObject({
    statusCode: 'SUCCESS',
  });
  const files = () =>
    readdirSync(join(dataDir, 'segments'), { recursive: true }).filter((name) =>
      String(name).endsWith('.parquet'),
    );
  expect(files()).toHaveLength(2);

  const started = vi.spyOn(RunningQueries.prototype, 'start');
  onTestFinished(() => started.mockRestore());

  // As many queries as run at once, of which nobody reads the many rows.
  const stop = new AbortController();
  const many = Array.from(
    { length: 6 },
    () => `(VALUES ${Array.from({ length: 20 }, (_, n) => `(${n})`).join(', ')})`,
  );
  const endless = `SELECT 1 FROM ${many.map((values, index) => `${values} AS t${index} (n)`).join(' CROSS JOIN ')}`;
  const body = JSON.stringify({ query: endless });
  const unread = Array.from({ length: 12 }, () =>
    fetch(`${service.url}/svc/v2/sql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: stop.signal,
    }).catch(() => undefined),
  );
  await unread[0];

  const queries = [
    post('/svc/v2/', {
      queryType: 'groupBy',
      dataSource: 'w',
      intervals: '2024/2025',
      granularity: 'day',
      dimensions: ['n'],
    }),
    post('/svc/v2/sql', { query: 'SELECT n FROM "w"', resultFormat: 'array' }),
  ];
  // They have come, and wait
  await expect.poll(() => started.mock.calls.length).toBe(unread.length + queries.length);
  await post('/svc/coordinator/v1/datasources/w/markUnused', { interval: '2024/2025' });
  const kill = await post('/svc/indexer/v1/task', {
    type: 'kill',
    dataSource: 'w',
    interval: '2024-01-01/2024-01-03',
  });
  expect(await ended(kill.body.task)).toMatchObject({ statusCode: 'SUCCESS' });
  expect((await get('/svc/coordinator/v1/metadata/datasources')).body).toEqual([]);
  stop.abort();
  await Promise.all(unread);
  const [native, sql] = await Promise.all(queries);
  expect(native).toMatchObject({
    status: 200,
    body: [{ event: { n: '1' } }, { event: { n: '2' } }],
  });
  expect(sql).toMatchObject({ status: 200, body: [[1], [2]] });
  await until(async () => files().length === 0);
  expect(existsSync(join(dataDir, 'segments', 'w'))).toBe(false);
});

test('a file goes when the last reader has gone that came before it was deleted, or when its path is wanted', () => {
  const gone: string[] = [];
  const held = new HeldFiles((path) => gone.push(path));
  const [first, second] = [held.hold(), held.hold()];
  held.remove('a');
  held.remove('b');
  const late = held.hold();
  first();
  held.removeNow('b');
  held.removeNow('b');
  expect(gone).toEqual(['b']);
  second();
  expect(gone).toEqual(['b', 'a']);
  late();
  held.remove('c');
  expect(gone).toEqual(['b', 'a', 'c']);
});
