// Tables of the segment cache: copies of segments, which queries read and never have to believe.
import { copyFile, readdir, readFile, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TestSettings } from '../../support/start-server.ts';
import { startTestServer } from '../../support/start-server.ts';
import { temporaryFolder } from '../../support/storage.ts';
import { api } from '../../support/wire.ts';

const questions = [
  'SELECT COUNT(*), SUM(n), SUM(n * n), COUNT(DISTINCT name), MAX(n) FROM "w"',
  'SELECT name, COUNT(*), MIN(n) FROM "w" GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20',
  "SELECT COUNT(*), SUM(n) FROM \"w\" WHERE __time >= TIMESTAMP '2024-01-01 12:00:00' AND __time < TIMESTAMP '2024-01-03 06:00:00'",
  "SELECT COUNT(*) FROM \"w\" WHERE __time < TIMESTAMP '2024-01-01 06:00:00' OR __time >= TIMESTAMP '2024-01-03 18:00:00'",
  "SELECT TIME_FLOOR(__time, 'P1D'), FLOOR(__time TO MONTH), DATE_TRUNC('year', __time), COUNT(*), SUM(n) FROM \"w\" GROUP BY 1, 2, 3 ORDER BY 1",
  'SELECT EXTRACT(DOW FROM __time), EXTRACT(QUARTER FROM __time), EXTRACT(YEAR FROM __time), COUNT(*) FROM "w" GROUP BY 1, 2, 3 ORDER BY 1',
  "SELECT TIME_CEIL(__time, 'P1D'), TIME_FLOOR(__time, 'P1D', NULL, 'Asia/Kolkata'), COUNT(*) FROM \"w\" GROUP BY 1, 2 ORDER BY 1, 2",
  'SELECT * FROM "w" ORDER BY __time DESC LIMIT 7',
  'SELECT n, name FROM "w" WHERE MOD(n, 7) = 3 ORDER BY __time DESC LIMIT 900',
  'SELECT COUNT(DISTINCT n), APPROX_COUNT_DISTINCT_DS_THETA(n), COUNT(DISTINCT n) FILTER (WHERE n < 0) FROM "w"',
  'SELECT name, COUNT(DISTINCT n), APPROX_COUNT_DISTINCT_DS_THETA(n) FROM "w" WHERE n > 9 GROUP BY 1 ORDER BY 1',
  'SELECT COUNT(DISTINCT name) FILTER (WHERE n > 9), COUNT(DISTINCT LOWER(name)) FROM "w"',
  'SELECT MOD(n, 3000), COUNT(DISTINCT name), APPROX_COUNT_DISTINCT(name) FROM "w" GROUP BY 1 ORDER BY 1',
  'SELECT COUNT(DISTINCT b.name), COUNT(DISTINCT a.name) FROM "w" a LEFT JOIN (SELECT name, n FROM "w" WHERE n > 90) b ON a.n = b.n',
  'SELECT COUNT(DISTINCT b.name) FROM "w" a LEFT JOIN "w" b ON a.n = b.n + 20000',
  'SELECT n, APPROX_COUNT_DISTINCT(name) OVER (), APPROX_COUNT_DISTINCT(name) OVER (PARTITION BY MOD(n, 50)) FROM "w" WHERE n < 200 ORDER BY 1',
  "SELECT TIME_FLOOR(__time, 'P1Y'), COUNT(*), COUNT(DISTINCT name), COUNT(DISTINCT n) FROM TABLE(APPEND('w', 'w')) GROUP BY 1 ORDER BY 1",
  'SELECT * FROM "w" LIMIT 5',
  'SELECT MV_TO_STRING(tags, \'+\'), COUNT(*) FROM "w" GROUP BY 1 ORDER BY 1',
];

test('queries read tables, with the answers of the segments; a new process finds the tables again', async () => {
  const folder = await temporaryFolder();
  await withService(folder, async ({ load, answers, cached }) => {
    await load('2024-01-01', 4, 6000);
    const inFiles = await answers(false);
    await cached(1);
    expect(await answers()).toEqual(inFiles);
  });
  const before = await tablesIn(folder);
  await withService(folder, async ({ service, load, answers, cached }) => {
    expect(await answers()).toEqual(await answers(false));
    expect(await tablesIn(folder)).toEqual(before);
    // A day is replaced, and days are added: the table keeps the other days.
    await load('2024-01-02', 1, 500);
    await load('2024-01-05', 2, 6000);
    expect(await answers()).toEqual(await answers(false));
    await service.until(async () => String(await tablesIn(folder)) !== String(before));
    await cached(1); // the new days join their smaller neighbour
    expect(await answers()).toEqual(await answers(false));
  });
});

test.each([
  ['segments of all time', { granularity: 'all' }],
  ['a column with the name of a column of the cache', { other: '__TIME month' }],
  ['a column with the name of the marks of another one', { other: 'Name MARK' }],
])('columns of the cache are those of the segments, also for %s', async (_, shape) => {
  await withService(await temporaryFolder(), async ({ load, answers, cached }) => {
    await load('2023-12-30', 4, 6000, 'w', shape);
    const inFiles = await answers(false);
    await cached(1);
    expect(await answers()).toEqual(inFiles);
  });
});

test('native queries count distinct texts over sources made of others', async () => {
  await withService(await temporaryFolder(), async ({ service, load, cached }) => {
    await load('2024-01-01', 2, 6000);
    const virtualColumn = { type: 'expression', name: 'tag', expression: 'tags' };
    const right = { type: 'inline', columnNames: ['k'], rows: [['name 7']] };
    const dataSources = [
      'w',
      { type: 'filter', base: 'w', filter: { type: 'selector', dimension: 'tags', value: 'a' } },
      { type: 'unnest', base: 'w', virtualColumn: { ...virtualColumn, outputType: 'STRING' } },
      { type: 'union', dataSources: ['w', 'w'] },
      {
        type: 'join',
        left: 'w',
        right,
        rightPrefix: 'r.',
        condition: 'name == "r.k"',
        joinType: 'LEFT',
      },
    ];
    const counts = (useSegmentCache: boolean) =>
      Promise.all(
        dataSources.map(async (dataSource) => {
          const { status, body } = await service.post('/svc/v2', {
            queryType: 'timeseries',
            dataSource,
            intervals: ['2024/2025'],
            granularity: { type: 'period', period: 'P1M' },
            aggregations: [{ type: 'cardinality', name: 'names', fields: ['name'] }],
            context: { useSegmentCache },
          });
          expect({ dataSource, status }).toEqual({ dataSource, status: 200 });
          return body;
        }),
      );
    const inFiles = await counts(false);
    await cached(1);
    expect(await counts(true)).toEqual(inFiles);
  });
});

test('a torn, damaged, exchanged or missing table is never believed, and is written again', async () => {
  const folder = await temporaryFolder();
  let expected: unknown;
  const path = (file: string) => join(folder, 'segment-cache', file);
  await withService(folder, async ({ load, answers, cached }) => {
    await load('2024-01-01', 2, 8000);
    await load('2024-01-01', 1, 12_000, 'other');
    await cached(2);
    expected = await answers();
  });
  const damages: readonly ((file: string, other: string) => Promise<void>)[] = [
    async (file) => truncate(file, 200_000),
    async (file) => truncate(file, 100),
    async (file) => {
      const bytes = await readFile(file);
      for (let at = 20_000; at < bytes.length; at += 4096) bytes[at] = (bytes[at] ?? 0) ^ 255;
      await writeFile(file, bytes);
    },
    async (file, other) => copyFile(other, file),
    async (file) => unlink(file),
    async (file) => writeFile(file.replace(/duckdb$/, 'json'), '{"dataSource":'),
    async (file) => {
      const list = file.replace(/duckdb$/, 'json');
      await writeFile(
        list,
        JSON.stringify({ ...JSON.parse(await readFile(list, 'utf8')), form: 0 }),
      );
    },
  ];
  for (const damage of damages) {
    const tables = await tablesIn(folder);
    const [first = '', second = ''] = tables;
    await damage(path(first), path(second));
    await withService(folder, async ({ answers, cached }) => {
      expect(await answers()).toEqual(expected);
      expect(await answers()).toEqual(expected);
      await cached(2);
      expect(await answers()).toEqual(expected);
      expect(await tablesIn(folder)).not.toEqual(tables);
    });
  }
});

test('a table that is damaged while it is read is replaced by the segments', async () => {
  const folder = await temporaryFolder();
  await withService(folder, async ({ load, answers, cached }) => {
    await load('2024-01-01', 2, 30_000);
    await cached(1);
    const expected = await answers(false);
    const [table = ''] = await tablesIn(folder);
    const file = join(folder, 'segment-cache', table);
    const bytes = await readFile(file);
    await writeFile(file, Buffer.alloc(bytes.length, 7));
    expect(await answers()).toEqual(expected);
    await cached(1);
    expect(await answers()).toEqual(expected);
    expect(await tablesIn(folder)).not.toContain(table);
  });
});

test('tables of dropped datasources are removed', async () => {
  const folder = await temporaryFolder();
  await withService(folder, async ({ service, load, cached }) => {
    await load('2024-01-01', 2, 8000);
    await cached(1);
    await service.send('DELETE', '/svc/coordinator/v1/datasources/w');
    await cached(0);
  });
});

test('the cache stays within the size of its locations', async () => {
  const folder = await temporaryFolder();
  const place = await temporaryFolder();
  const settings = (maxSize: string) => ({
    properties: { 'svc.segmentCache.locations': JSON.stringify([{ path: place, maxSize }]) },
  });
  await withService(
    folder,
    async ({ load, answers, pause }) => {
      await load('2024-01-01', 2, 8000);
      await pause();
      expect((await filesBelow(place)).filter(isTable)).toEqual([]);
      expect(await answers()).toEqual(await answers(false));
    },
    settings('1k'),
  );
  await withService(
    folder,
    async ({ service, answers }) => {
      const query = "SELECT storage_size FROM sys.servers WHERE server_type = 'historical'";
      const { body } = await service.post('/svc/v2/sql', { query, resultFormat: 'array' });
      expect(body).toEqual([[100_000_000]]);
      await service.until(async () => (await filesBelow(place)).some(isTable));
      expect(await answers()).toEqual(await answers(false));
    },
    settings('100m'),
  );
});

test.each(['[{"path": "/x"}]', '[1]', '{', '[{"path": "", "maxSize": 1}]'])(
  'locations %s are refused at start',
  async (locations) => {
    const properties = { 'svc.segmentCache.locations': locations };
    await expect(startTestServer({ port: 0, properties })).rejects.toThrow(
      'Property [svc.segmentCache.locations] is not a JSON list of locations, such as',
    );
  },
);

test('a path that cannot be written is refused at start', async () => {
  const file = join(await temporaryFolder(), 'a file');
  await writeFile(file, '');
  const locations = JSON.stringify([{ path: file, maxSize: 1e9 }]);
  const properties = { 'svc.segmentCache.locations': locations };
  await expect(startTestServer({ port: 0, properties })).rejects.toThrow(
    'Property [svc.segmentCache.locations] names a path that cannot be written',
  );
});

async function withService(
  dataDir: string,
  story: (tools: Tools) => Promise<void>,
  settings: TestSettings = {},
) {
  const served = await startTestServer({ port: 0, dataDir, ...settings });
  try {
    await story(toolsOf(api(served), dataDir));
  } finally {
    await served.close();
  }
}

type Tools = ReturnType<typeof toolsOf>;

function toolsOf(service: ReturnType<typeof api>, folder: string) {
  return {
    service,
    async load(
      from: string,
      days: number,
      rowsOfDay: number,
      dataSource = 'w',
      shape: Partial<Shape> = {},
    ) {
      const spec = taskOf(dataSource, from, days, rowsOfDay, { ...usual, ...shape });
      const { body } = await service.post('/svc/indexer/v1/task', spec);
      expect(await service.ended(body.task)).toMatchObject({ statusCode: 'SUCCESS' });
    },
    answers: (useSegmentCache = true) =>
      Promise.all(
        questions.map(async (query) => {
          const context = { useSegmentCache };
          const asked = { query, context, resultFormat: 'array' };
          const { status, body } = await service.post('/svc/v2/sql', asked);
          expect({ query, status, body }).toEqual({ query, status: 200, body });
          return body;
        }),
      ),
    cached: (tables: number) =>
      service.until(async () => {
        const files = await readdir(join(folder, 'segment-cache'));
        return files.length === 2 * tables && files.filter(isTable).length === tables;
      }),
    pause: () => new Promise((wake) => setTimeout(wake, 2500)),
  };
}

const filesBelow = (folder: string) => readdir(folder, { recursive: true });

const isTable = (file: string) => file.endsWith('.duckdb');

const tablesIn = async (folder: string) =>
  (await readdir(join(folder, 'segment-cache'))).filter(isTable).sort();

interface Shape {
  readonly granularity: string;
  readonly other: string; // name of a column
}

const usual: Shape = { granularity: 'day', other: 'name' };

function taskOf(
  dataSource: string,
  from: string,
  days: number,
  rowsOfDay: number,
  { granularity, other }: Shape,
) {
  const start = Date.parse(from);
  const rows = Array.from({ length: days * rowsOfDay }, (_, at) => {
    const time = start + Math.floor((at * 86_400_000) / rowsOfDay);
    const tags = at % 3 === 0 ? ['a', 'b'] : [`t${at % 5}`];
    const name = `name ${(at * 7919) % 4001}`;
    return JSON.stringify({ time, n: at, [other]: name, name, tags });
  });
  return {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource,
        timestampSpec: { column: 'time', format: 'millis' },
        dimensionsSpec: {
          dimensions: [...new Set([{ type: 'long', name: 'n' }, 'name', other, 'tags'])],
        },
        granularitySpec: { segmentGranularity: granularity, rollup: false },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'inline', data: rows.join('\n') },
        inputFormat: { type: 'json' },
      },
      tuningConfig: { type: 'index_parallel' },
    },
  };
}
