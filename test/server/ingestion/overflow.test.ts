// Rows that are too many for the memory of the service: they are put on disk by their time chunks.
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  bucketsIn,
  type Granularity,
  nextBucket,
  parseGranularity,
} from '../../../src/model/granularity.ts';
import { leastMemoryBytes } from '../../../src/model/memory.ts';
import {
  binOf,
  binsFor,
  distribute,
  memoryForRows,
  overflowFor,
  rowsPerGroup,
  sizesOfFiles,
} from '../../../src/server/ingestion/overflow.ts';
import { isInChosenPart } from '../../../src/sql/queries/divided-groups.ts';
import { startService } from '../../support/service.ts';
import {
  databaseSession,
  engineFor,
  temporaryFolder,
  temporaryStorage,
} from '../../support/storage.ts';
import { api } from '../../support/wire.ts';

const count = 240_000;
const days = 120;
const firstDay = Date.UTC(2024, 0, 1);

// Days follow each other from line to line. Two rows are different: the first has a time that only
// the slow reader knows, and the second none.
function lines(): string {
  const texts = ['time,k,v,text'];
  for (let row = 0; row < count; row++) {
    const time = new Date(firstDay + (row % days) * 86_400_000 + (row % 7) * 3_600_000);
    const pad = createHash('sha512').update(String(row)).digest('hex');
    const shown = row === 0 ? '2024-01-01T00' : row === 1 ? 'never' : time.toISOString();
    texts.push(`${shown},${row % 1000},${row},${pad}${pad}`);
  }
  return `${texts.join('\n')}\n`;
}

test('rows are put on disk when they need an eighth of the memory', () => {
  expect(overflowFor({ rowBytes: 100, meanBytes: 0 }, 800, '/staging')).toBeUndefined();
  expect(overflowFor({ rowBytes: 301, meanBytes: 7 }, 800, '/staging')).toEqual({
    folder: '/staging',
    memoryBytes: 800,
    rowBytes: 301,
    meanBytes: 7,
  });
});

test('time chunks that follow each other are in different bins', async () => {
  const session = await databaseSession({ macros: [], scalarFunctions: [] });
  const room = { folder: '/staging', memoryBytes: 8e8, rowBytes: 16e8, meanBytes: 0 };
  for (const period of ['PT1H', 'P1D', 'P1W', 'P1M', 'P1Y']) {
    const granularity = parseGranularity({ type: 'period', period });
    const starts = [...bucketsIn(granularity, { start: firstDay, end: nextBuckets(granularity) })];
    const { bin, numBins } = binOf({ sql: 't', granularity }, room, 10);
    expect(numBins).toBe(16);
    const [[found] = []] = await session.rows(
      `SELECT count(DISTINCT ${bin}) FROM (SELECT unnest([${starts.map(({ start }) => start)}]) AS t)`,
    );
    expect([period, Number(found)]).toEqual([period, 16]);
  }
});

const nextBuckets = (granularity: Granularity) =>
  Array.from({ length: 16 }).reduce((end: number) => nextBucket(granularity, end), firstDay);

test('rows without a time chunk have a bin, too', async () => {
  const session = await databaseSession({ macros: [], scalarFunctions: [] });
  const granularity = parseGranularity('DAY');
  const room = { folder: '/staging', memoryBytes: 8e8, rowBytes: 16e8, meanBytes: 0 };
  const { bin } = binOf({ sql: 't', granularity }, room, 10);
  expect(
    await session.rows(
      `SELECT ${bin} FROM (SELECT unnest([NULL, -1, -1e15, 1e15]::BIGINT[]) AS t)`,
    ),
  ).toEqual([[0], [0], [expect.any(Number)], [expect.any(Number)]]);
});

// Each bin has a buffer, and each row group of each bin a description for each of its columns.
test('the number of bins is bounded, whatever the size of the rows', () => {
  const bins = (rowBytes: number, numColumns: number) =>
    binsFor({ folder: '/staging', memoryBytes: 1e9, rowBytes, meanBytes: 0 }, numColumns);
  expect(bins(3e8, 16)).toBe(3);
  expect(bins(8e9, 16)).toBe(16);
  expect(bins(8e9, 100)).toBeLessThan(16);
  expect(bins(8e9, 2000)).toBe(1);
  expect(bins(8e12, 16)).toBe(1);
});

test('many columns have few bins, because each bin has a buffer for each column', () => {
  const room = { folder: '', memoryBytes: 512_000_000, rowBytes: 1e9, meanBytes: 4000 };
  expect([10, 100, 300, 5000].map((columns) => binsFor(room, columns))).toEqual([16, 4, 1, 1]);
});

test('long rows are written in small groups', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'long.csv');
  await writeFile(path, `a\n${`${'x'.repeat(999_999)}\n`.repeat(6)}`);
  const sizes = await sizesOfFiles([{ name: 'long.csv', path, sizeBytes: 6_000_002 }]);
  expect(sizes.meanBytes).toBeGreaterThan(500_000);
  expect(rowsPerGroup(3, { folder, memoryBytes: 5e8, ...sizes })).toBeLessThan(64);
  expect(rowsPerGroup(3, { folder, memoryBytes: 5e8, rowBytes: 6e6, meanBytes: 60 })).toBe(122_880);
});

test('long lines of JSON are read in little memory', { timeout: 300_000 }, async () => {
  const folder = await temporaryFolder();
  const numRows = 1500;
  const linesOf = (from: number) =>
    Array.from({ length: 100 }, (_, index) => {
      const k = from + index;
      const text = createHash('sha512').update(String(k)).digest('hex').repeat(800);
      return `${JSON.stringify({ t: firstDay + (k % 5) * 86_400_000 + k, k, text })}\n`;
    }).join('');
  for (let from = 0; from < numRows; from += 100)
    await appendFile(join(folder, 'long.json'), linesOf(from));
  const { post, ended } = api(
    await startService({ memoryBytes: leastMemoryBytes, allowedFolders: [folder] }),
  );
  const inputSource = { type: 'local', baseDir: folder, filter: 'long.json' };
  const { body } = await post('/svc/indexer/v1/task', {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'long',
        timestampSpec: { column: 't', format: 'millis' },
        dimensionsSpec: { dimensions: [{ type: 'long', name: 'k' }, 'text'] },
        granularitySpec: { segmentGranularity: 'DAY', rollup: false },
      },
      ioConfig: { type: 'index_parallel', inputSource, inputFormat: { type: 'json' } },
      tuningConfig: { type: 'index_parallel' },
    },
  });
  expect(await ended(body.task, 'svc', 240)).toMatchObject({
    statusCode: 'SUCCESS',
    errorMsg: null,
  });
  const query = 'SELECT COUNT(*), SUM(k), MIN(CHAR_LENGTH("text")) FROM "long"';
  const { body: rows } = await post('/svc/v2/sql', { query, resultFormat: 'array' });
  expect(rows).toEqual([[numRows, (numRows * (numRows - 1)) / 2, 102_400]]);
});

test('files larger than the memory become sorted segments, and nothing stays in the staging folder', {
  timeout: 300_000,
}, async () => {
  const [dataDir, folder] = [await temporaryFolder(), await temporaryFolder()];
  const content = lines();
  expect(content.length).toBeGreaterThan(leastMemoryBytes / 8);
  await writeFile(join(folder, 'rows.csv'), content);
  const { get, post, ended } = api(
    await startService({ dataDir, memoryBytes: leastMemoryBytes, allowedFolders: [folder] }),
  );
  const succeeds = async (path: string, body: object) => {
    const { body: reply } = await post(path, body);
    const id = reply.task ?? reply.taskId;
    expect(await ended(id, 'svc', 240)).toMatchObject({ statusCode: 'SUCCESS', errorMsg: null });
    await expect.poll(() => readdirSync(join(dataDir, 'staging'))).toEqual([]);
    return id;
  };
  const rows = async (query: string) =>
    (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body;
  const source = { type: 'local', baseDir: folder, filter: 'rows.csv' };
  const format = { type: 'csv', findColumnsFromHeader: true };
  const native = (dataSource: string, schema: object, partitionsSpec: object) => ({
    type: 'index_parallel',
    spec: {
      dataSchema: { dataSource, timestampSpec: { column: 'time', format: 'iso' }, ...schema },
      ioConfig: { type: 'index_parallel', inputSource: source, inputFormat: format },
      tuningConfig: {
        type: 'index_parallel',
        maxParseExceptions: 5,
        maxSavedParseExceptions: 5,
        ...partitionsSpec,
      },
    },
  });
  const whole = (dataSource: string) =>
    rows(`SELECT COUNT(*), SUM(v), MAX(__time) FROM ${dataSource}`);
  const expected = [count - 1, (count * (count - 1)) / 2 - 1, '2024-04-29T06:00:00.000Z'];
  const isSorted = async (dataSource: string) => {
    const found: [string, string][] = await rows(
      `SELECT __time, k FROM ${dataSource} WHERE __time < '2024-01-04'`,
    );
    expect(found.length).toBeGreaterThan(5900);
    const keys = found.map(([time, k]) => `${time} ${k}`);
    expect(keys).toEqual([...keys].sort());
  };

  const dimensions = ['k', { type: 'long', name: 'v' }, 'text'];
  const day = { type: 'expression', name: 'day', expression: "timestamp_floor(__time, 'P1D')" };
  const plain = {
    dimensionsSpec: { dimensions: [...dimensions, { type: 'long', name: 'day' }] },
    transformSpec: { transforms: [day] },
    granularitySpec: { segmentGranularity: 'DAY', rollup: false },
  };
  const task = await succeeds(
    '/svc/indexer/v1/task',
    native('plain', plain, { maxRowsPerSegment: 1500 }),
  );
  expect(await whole('plain')).toEqual([expected]);
  const ofDays = `SELECT COUNT(*) FROM plain WHERE "day" = TIMESTAMP_TO_MILLIS(TIME_FLOOR(__time, 'P1D'))`;
  expect(await rows(ofDays)).toEqual([[count - 1]]);
  await isSorted('plain');
  expect(
    await rows(
      `SELECT COUNT(*), SUM(num_rows), MAX(num_rows) <= 1500 FROM sys.segments WHERE datasource = 'plain'`,
    ),
  ).toEqual([[2 * days, count - 1, true]]);
  const { ingestionStatsAndErrors } = (await get(`/svc/indexer/v1/task/${task}/reports`)).body;
  expect(ingestionStatsAndErrors.payload.rowStats.totals.buildSegments).toEqual({
    processed: count - 1,
    processedBytes: content.length,
    processedWithError: 0,
    thrownAway: 0,
    unparseable: 1,
  });
  expect(ingestionStatsAndErrors.payload.unparseableEvents.buildSegments).toMatchObject([
    { details: [expect.stringMatching(/^Timestamp\[never\] is unparseable!.*Line: 3\)$/)] },
  ]);

  const rolled = {
    dimensionsSpec: { dimensions: ['k'] },
    metricsSpec: [
      { type: 'count', name: 'n' },
      { type: 'longSum', name: 'v', fieldName: 'v' },
    ],
    granularitySpec: { segmentGranularity: 'MONTH', queryGranularity: 'DAY', rollup: true },
  };
  const hashed = { partitionsSpec: { type: 'hashed', numShards: 2 }, forceGuaranteedRollup: true };
  await succeeds('/svc/indexer/v1/task', native('rolled', rolled, hashed));
  expect(await rows('SELECT COUNT(*), SUM(n), SUM(v) FROM rolled')).toEqual([
    [3000, count - 1, expected[1]],
  ]);

  await succeeds('/svc/indexer/v1/task', {
    type: 'compact',
    dataSource: 'plain',
    ioConfig: { type: 'compact', inputSpec: { type: 'interval', interval: '2024/2025' } },
    granularitySpec: { segmentGranularity: 'MONTH' },
  });
  expect(await whole('plain')).toEqual([expected]);
  await isSorted('plain');

  const extern = `TABLE(EXTERN('${JSON.stringify(source)}', '${JSON.stringify(format)}')) EXTEND ("time" VARCHAR, k VARCHAR, v BIGINT, "text" VARCHAR)`;
  await succeeds('/svc/v2/sql/task', {
    query: `REPLACE INTO asked OVERWRITE ALL SELECT TIME_PARSE("time") AS __time, k, v, "text"
      FROM ${extern} WHERE TIME_PARSE("time") IS NOT NULL PARTITIONED BY DAY CLUSTERED BY k`,
    context: { rowsPerSegment: 1500 },
  });
  expect(await whole('asked')).toEqual([expected]);

  const plainQuery = await succeeds('/svc/v2/sql/task', {
    query: `REPLACE INTO counted OVERWRITE ALL SELECT TIMESTAMP '2024-01-01 00:00:00' AS __time, k FROM ${extern} PARTITIONED BY DAY`,
  });
  const { multiStageQuery } = (await get(`/svc/indexer/v1/task/${plainQuery}/reports`)).body;
  expect(multiStageQuery.payload.counters[0][0].input0).toMatchObject({
    rows: [count],
    bytes: [content.length],
    files: [1],
  });
});

test.each([
  [256, 64],
  [512, 192],
  [640, 320],
  [2000, 1000],
])('of %i MB, DuckDB uses %i MB while it writes segments', (megabytes, used) => {
  expect(memoryForRows(megabytes * 1e6)).toBe(used * 1e6);
});

test('groups that are computed in parts are the groups of all rows', async () => {
  const folder = await temporaryFolder();
  const engine = engineFor(await temporaryStorage(), { allowedFolders: [folder] });
  const room = { folder, memoryBytes: 8e8, rowBytes: 16e8, meanBytes: 0 };
  const key = (grouped: string) => ({ grouped }) as Parameters<typeof isInChosenPart>[0][number];
  const query = `SELECT i % 100 AS t, i % 7 AS c0, count(*) AS c1 FROM range(100000) AS r(i) WHERE ${isInChosenPart([key('i % 100'), key('i % 7')])} GROUP BY 1, 2`;
  const wanted = { name: 'groups', query, bin: '(t % 3)::INTEGER', numBins: 3 };
  await engine.session(async (session) => {
    const bins = await distribute(session, room, { ...wanted, numParts: 4 }, 3);
    expect(bins.length).toBe(3);
    const all = bins.map((bin) => `SELECT t, c0, c1 FROM ${bin}`).join(' UNION ALL ');
    const sorted = (from: string) => session.rows(`SELECT * FROM (${from}) ORDER BY t, c0`);
    const groups = await sorted(query);
    expect(groups.length).toBe(700);
    expect(await sorted(all)).toEqual(groups);
  });
  expect(readdirSync(join(folder, 'groups', 'bin=0')).length).toBeGreaterThanOrEqual(4);
});
