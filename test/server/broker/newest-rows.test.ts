// The newest rows of a datasource, for which only the newest segments are read.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

test('the newest rows are the same as in the whole order, also beside hidden parts of segments', async () => {
  const { post, ended } = api(await startService({}));
  const run = async (query: string) => {
    const { body } = await post('/svc/v2/sql/task', { query });
    expect(await ended(body.taskId)).toMatchObject({ statusCode: 'SUCCESS' });
  };
  const rows = (from: number, to: number, hours: number) =>
    Array.from({ length: to - from }, (_, at) => {
      const time = new Date(Date.UTC(2024, 0, 1) + (from + at) * hours * 3_600_000);
      return `('${time.toISOString()}', ${from + at})`;
    }).join(', ');
  const load = (target: string, values: string, grain: string) =>
    run(
      `REPLACE INTO "w" OVERWRITE ${target} SELECT TIME_PARSE(t) AS __time, n, n AS m FROM (VALUES ${values}) AS t (t, n) PARTITIONED BY ${grain}`,
    );
  await load('ALL', rows(0, 24, 4), 'DAY'); // four days of six rows each
  // Two hours of the last day become one row: most of its segment stays visible.
  const hours = `WHERE __time >= TIMESTAMP '2024-01-04 20:00:00' AND __time < TIMESTAMP '2024-01-04 22:00:00'`;
  await load(hours, "('2024-01-04T20:30:00Z', 100), ('2024-01-04T21:30:00Z', 101)", 'HOUR');
  const ask = async (tail: string) => {
    const query = `SELECT n, m FROM "w" ORDER BY __time DESC ${tail}`;
    const { body } = await post('/svc/v2/sql', { query, resultFormat: 'array' });
    return (body as [number, number][]).map(([n]) => n);
  };
  const all = await ask('');
  expect(all.slice(0, 4)).toEqual([101, 100, 22, 21]);
  expect(all).toHaveLength(25);
  for (const limit of [1, 2, 3, 6, 7, 8, 13, 24, 25, 30])
    expect(await ask(`LIMIT ${limit}`)).toEqual(all.slice(0, limit));
  expect(await ask('LIMIT 3 OFFSET 5')).toEqual(all.slice(5, 8));
  expect(await ask('LIMIT 3 OFFSET 24')).toEqual(all.slice(24));
});
