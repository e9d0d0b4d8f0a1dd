// Planning of large statements: in processes that end with their query.
import { expect, onTestFinished, test } from 'vitest';
import { Refusal } from '../../../src/server/checks/refusals.ts';
import { MemoryWatch } from '../../../src/server/engine/memory-watch.ts';
import { Planner } from '../../../src/server/planning/planner.ts';
import type { Catalog } from '../../../src/sql/catalog.ts';
import { SqlError } from '../../../src/sql/sql-error.ts';
import { translate } from '../../../src/sql/translate/translate.ts';

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
              scan: ({ columns }) => ({
                sql: `(SELECT ${columns.join(', ')} FROM segment_one)`,
                files: [],
              }),
            },
          ],
        }
      : undefined,
  findLookup: (name) => (name === 'cities' ? '(SELECT 1 AS k, 2 AS v)' : undefined),
};

function planner(heapMegabytes = 512, memoryMegabytes = 2048): Planner {
  const made = new Planner({
    heapBytes: heapMegabytes * 1024 ** 2,
    memory: new MemoryWatch(memoryMegabytes * 1024 ** 2),
  });
  onTestFinished(() => made.close());
  return made;
}

const request = {
  context: {},
  parameters: [],
  nowMs: 1_704_067_200_000,
  engine: 'native',
} as const;
const padding = ` /*${' '.repeat(10_000)}*/`; // makes a statement large
const endless = `SELECT COUNT(*) FROM edits WHERE added + 0 IN (${Array.from({ length: 1_500_000 }, (_, index) => `${index} + 1`)})`;

test.each([
  "SELECT page, SUM(added) FROM edits WHERE __time > TIMESTAMP '2024-01-01' GROUP BY page ORDER BY 2 DESC LIMIT 3",
  "SELECT LOOKUP(page, 'cities') FROM edits",
  'EXPLAIN PLAN FOR SELECT page FROM edits',
  "SET sqlTimeZone = 'Europe/Oslo'; SELECT TIME_FLOOR(__time, 'P1D') FROM edits GROUP BY 1",
])('a process plans [%s] as the service does', async (text) => {
  const planned = await planner().sql({ ...request, text: text + padding }, catalog);
  expect(planned).toEqual(
    translate(text + padding, { ...request, catalog, nowMs: BigInt(request.nowMs) }),
  );
});

test('a process plans native queries, also over single segments', async () => {
  const query = {
    queryType: 'timeseries',
    dataSource: 'edits',
    intervals: ['1970-01-01/1971-01-01'],
    granularity: 'all',
    aggregations: [{ type: 'longSum', name: 'sum', fieldName: 'added' }],
    filter: {
      type: 'in',
      dimension: 'page',
      values: Array.from({ length: 5000 }, (_, index) => `page ${index}`),
    },
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

test('what a process refuses is refused with its category and place', async () => {
  const refused = planner().sql(
    { ...request, text: `SELECT nothing FROM edits${padding}` },
    catalog,
  );
  await expect(refused).rejects.toThrow(SqlError);
  await expect(refused).rejects.toMatchObject({
    message: "Column 'nothing' not found in table 'edits' (line [1], column [8])"
      .replace('table', 'any table')
      .replace(" 'edits'", ''),
    category: 'INVALID_INPUT',
    context: { sourceType: 'sql', line: '1', column: '8' },
  });
});

test('a process that a large plan has made large does not wait for another one', async () => {
  const kept: number[] = [];
  class Recorded extends MemoryWatch {
    override watch(...[process, isAtWork]: Parameters<MemoryWatch['watch']>): void {
      if (!isAtWork) kept.push(process.memoryBytes);
      super.watch(process, isAtWork);
    }
  }
  const plans = new Planner({ heapBytes: 1024 ** 3, memory: new Recorded(4 * 1024 ** 3) });
  onTestFinished(() => plans.close());
  await plans.sql({ ...request, text: `SELECT page FROM edits${padding}` }, catalog);
  expect(kept).toHaveLength(1);
  const many = Array.from({ length: 1_000_000 }, (_, index) => index * 1000).join(',');
  await plans.sql(
    { ...request, text: `SELECT COUNT(*) FROM edits WHERE added IN (${many})` },
    catalog,
  );
  expect(kept).toHaveLength(1);
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
  await expect(
    plans.sql({ ...request, text: endless }, catalog, { timeoutMs: 300 }),
  ).rejects.toMatchObject({ category: 'timeout' });
  expect(turns).toBeGreaterThan(0);
  expect(
    await plans.sql({ ...request, text: `SELECT page FROM edits${padding}` }, catalog),
  ).toMatchObject({ kind: 'select' });
});

test('a cancelled planning ends with the reason, also one that waits for a process', async () => {
  const plans = planner();
  const reason = new Refusal('canceled', 'Enough');
  const controller = new AbortController();
  const all = [1, 2, 3].map(() =>
    plans.sql({ ...request, text: endless }, catalog, { signal: controller.signal }),
  );
  setTimeout(() => controller.abort(reason), 100);
  for (const each of await Promise.allSettled(all))
    expect(each).toMatchObject({ status: 'rejected', reason });
});

test('a process that runs out of memory is a refusal, and others are planned', async () => {
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
  expect(
    await plans.sql({ ...request, text: `SELECT page FROM edits${padding}` }, catalog),
  ).toMatchObject({ kind: 'select' });
});

test('a statement that is short but deep is planned by a process', async () => {
  const text = `SELECT ${'UPPER('.repeat(60)}page${')'.repeat(60)} FROM edits`;
  const controller = new AbortController();
  const planned = planner().sql({ ...request, text }, catalog, { signal: controller.signal });
  controller.abort(new Refusal('canceled', 'Enough'));
  await expect(planned).rejects.toMatchObject({ message: 'Enough' });
});

// Single steps that need more memory at once than a process may have: V8 ends the whole process,
// not the step.
const wide = Array.from({ length: 4900 }, (_, index) => `${'column'.repeat(15)}${index}`);
const inline = (columnNames: readonly string[]) => ({ type: 'inline', columnNames, rows: [] });
const greedy = {
  queryType: 'scan',
  intervals: ['2000/2030'],
  columns: wide,
  dataSource: {
    type: 'union',
    dataSources: [inline(wide), ...Array.from({ length: 900 }, () => inline(['a']))],
  },
};

test('a plan that V8 ends a process for is a refusal', async () => {
  await expect(planner(128).native({ query: greedy, nowMs: 0 }, catalog)).rejects.toMatchObject({
    category: 'invalidInput',
    message: expect.stringContaining('needs more than [128] MiB of memory'),
  });
});

test('plans that outgrow the memory of the service end, though each may have as much', async () => {
  const plans = planner(2048, 200);
  const [greediest, small] = await Promise.allSettled([
    plans.native({ query: greedy, nowMs: 0 }, catalog),
    plans.sql({ ...request, text: `SELECT page FROM edits${padding}` }, catalog),
  ]);
  expect(greediest).toMatchObject({
    status: 'rejected',
    reason: { details: { legacy: { code: 'Resource limit exceeded' } } },
  });
  expect(small).toMatchObject({ status: 'fulfilled' });
});

test('a plan that is larger than the service passes on is refused', async () => {
  const query = {
    ...greedy,
    dataSource: { type: 'union', dataSources: greedy.dataSource.dataSources.slice(0, 100) },
  };
  await expect(planner().native({ query, nowMs: 0 }, catalog)).rejects.toThrow(
    'Limit [plan] exceeded',
  );
});

test('one user with many long statements leaves a process for others', async () => {
  const plans = planner();
  const controller = new AbortController();
  const long = Array.from({ length: 5 }, () =>
    plans
      .sql({ ...request, text: endless }, catalog, { user: 'one', signal: controller.signal })
      .catch(() => undefined),
  );
  expect(
    await plans.sql({ ...request, text: `SELECT page FROM edits${padding}` }, catalog, {
      user: 'another',
    }),
  ).toMatchObject({
    kind: 'select',
  });
  controller.abort(new Refusal('canceled', 'Enough'));
  await Promise.all(long);
});
