// Planning of large statements: in workers that end with their query.
import { expect, onTestFinished, test } from 'vitest';
import { Planner } from '../../../src/server/planning/planner.ts';
import { Refusal } from '../../../src/server/refusals.ts';
import type { Catalog } from '../../../src/sql/catalog.ts';
import { SqlError } from '../../../src/sql/sql-error.ts';
import { translate } from '../../../src/sql/translate.ts';

const table = {
  schema: 'druid',
  name: 'edits',
  kind: 'datasource',
  columns: [
    { name: '__time', type: 'LONG', multiValue: false, sqlType: 'TIMESTAMP', nullable: false },
    { name: 'page', type: 'STRING', multiValue: false },
    { name: 'added', type: 'LONG', multiValue: false },
  ],
} as const;

const catalog: Catalog = {
  findTable: (_, name) =>
    name === 'edits'
      ? {
          ...table,
          scan: ({ columns, intervals }) => ({
            sql: `(SELECT ${columns.join(', ')} FROM edits_${intervals?.[0]?.startMs ?? 'all'})`,
            files: [],
          }),
          segments: () => [
            {
              id: 'one',
              interval: { start: 0, end: 10 },
              sizeBytes: 1,
              ingestion: undefined,
              scan: ({ columns }) => ({ sql: `(SELECT ${columns.join(', ')} FROM segment_one)`, files: [] }),
            },
          ],
        }
      : undefined,
  findLookup: (name) => (name === 'cities' ? '(SELECT 1 AS k, 2 AS v)' : undefined),
};

function planner(heapMegabytes = 512): Planner {
  const made = new Planner({ heapBytes: heapMegabytes * 1024 ** 2 });
  onTestFinished(() => made.close());
  return made;
}

const request = { context: {}, parameters: [], nowMs: 1_704_067_200_000, engine: 'native' } as const;
const padding = ` /*${' '.repeat(10_000)}*/`; // makes a statement large
const endless = `SELECT COUNT(*) FROM edits WHERE added + 0 IN (${Array.from({ length: 1_500_000 }, (_, index) => `${index} + 1`)})`;

test.each([
  "SELECT page, SUM(added) FROM edits WHERE __time > TIMESTAMP '2024-01-01' GROUP BY page ORDER BY 2 DESC LIMIT 3",
  "SELECT LOOKUP(page, 'cities') FROM edits",
  'EXPLAIN PLAN FOR SELECT page FROM edits',
  "SET sqlTimeZone = 'Europe/Oslo'; SELECT TIME_FLOOR(__time, 'P1D') FROM edits GROUP BY 1",
])('a worker plans [%s] as the main thread does', async (text) => {
  const planned = await planner().sql({ ...request, text: text + padding }, catalog);
  expect(planned).toEqual(translate(text + padding, { ...request, catalog, nowMs: BigInt(request.nowMs) }));
});

test('a worker plans native queries, also over single segments', async () => {
  const query = {
    queryType: 'timeseries',
    dataSource: 'edits',
    intervals: ['1970-01-01/1971-01-01'],
    granularity: 'all',
    aggregations: [{ type: 'longSum', name: 'sum', fieldName: 'added' }],
    filter: { type: 'in', dimension: 'page', values: Array.from({ length: 5000 }, (_, index) => `page ${index}`) },
    context: { bySegment: true, toString: 'a field', deep: { valueOf: 1 } },
  };
  const body = JSON.stringify({ ...query, context: {} });
  const [copied, fromText] = await Promise.all([
    planner().native({ query, nowMs: 0 }, catalog),
    planner().native({ query, nowMs: 0 }, catalog, { body }),
  ]);
  expect(copied.bySegment).toMatchObject([{ id: 'one' }]);
  expect(fromText).toEqual(copied);
});

test('what a worker refuses is refused with its category and place', async () => {
  const refused = planner().sql({ ...request, text: `SELECT nothing FROM edits${padding}` }, catalog);
  await expect(refused).rejects.toThrow(SqlError);
  await expect(refused).rejects.toMatchObject({
    message: "Column 'nothing' not found in table 'edits' (line [1], column [8])".replace('table', 'any table').replace(" 'edits'", ''),
    category: 'INVALID_INPUT',
    context: { sourceType: 'sql', line: '1', column: '8' },
  });
});

test('an error of the catalog reaches the caller as it was thrown', async () => {
  const thrown = new Refusal('forbidden', 'Not for you');
  const strict: Catalog = {
    ...catalog,
    findTable() {
      throw thrown;
    },
  };
  const small = planner().sql({ ...request, text: 'SELECT page FROM edits' }, strict);
  const large = planner().sql({ ...request, text: `SELECT page FROM edits${padding}` }, strict);
  await expect(small).rejects.toBe(thrown);
  await expect(large).rejects.toBe(thrown);
});

test('the event loop goes on while a long statement is planned, and a timeout ends it', async () => {
  const plans = planner();
  let turns = 0;
  const counting = setInterval(() => turns++, 1);
  onTestFinished(() => clearInterval(counting));
  await expect(plans.sql({ ...request, text: endless }, catalog, { timeoutMs: 300 })).rejects.toMatchObject({ category: 'timeout' });
  expect(turns).toBeGreaterThan(0);
  expect(await plans.sql({ ...request, text: `SELECT page FROM edits${padding}` }, catalog)).toMatchObject({ kind: 'select' });
});

test('a cancelled planning ends with the reason, also one that waits for a worker', async () => {
  const plans = planner();
  const reason = new Refusal('canceled', 'Enough');
  const controller = new AbortController();
  const all = [1, 2, 3].map(() => plans.sql({ ...request, text: endless }, catalog, { signal: controller.signal }));
  setTimeout(() => controller.abort(reason), 100);
  for (const each of await Promise.allSettled(all)) expect(each).toMatchObject({ status: 'rejected', reason });
});

test('a worker that runs out of memory is a refusal, and others are planned', async () => {
  const plans = planner(16);
  const [large, other] = await Promise.allSettled([
    plans.sql({ ...request, text: endless }, catalog),
    plans.sql({ ...request, text: `SELECT page FROM edits${padding}` }, catalog),
  ]);
  expect(large).toMatchObject({
    status: 'rejected',
    reason: { category: 'invalidInput', details: { legacy: { code: 'Resource limit exceeded' } } },
  });
  expect(other).toMatchObject({ status: 'fulfilled' });
  expect(await plans.sql({ ...request, text: `SELECT page FROM edits${padding}` }, catalog)).toMatchObject({ kind: 'select' });
});

test('a statement that is short but deep is planned by a worker', async () => {
  const text = `SELECT ${'UPPER('.repeat(60)}page${')'.repeat(60)} FROM edits`;
  const controller = new AbortController();
  const planned = planner().sql({ ...request, text }, catalog, { signal: controller.signal });
  controller.abort(new Refusal('canceled', 'Enough'));
  await expect(planned).rejects.toMatchObject({ message: 'Enough' });
});
