// Columns whose names differ in case only are columns of their own, whatever brings them and
// whoever asks.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Engine } from '../../src/server/engine/engine.ts';
import { startService } from '../support/service.ts';
import { api } from '../support/wire.ts';

const rows = [
  { t: '2024-01-01', a: 'x', A: 'y', user: 1, User: 'Ann', USER: 10 },
  { t: '2024-01-02', a: 'x', A: 'z', user: 2, User: 'Ben', USER: 20 },
];
const lines = rows.map((row) => JSON.stringify(row)).join('\n');
const stored = [
  { t: '2024-01-01T00:00:00.000Z', a: 'x', A: 'y', user: 1, User: 'Ann', USER: 10 },
  { t: '2024-01-02T00:00:00.000Z', a: 'x', A: 'z', user: 2, User: 'Ben', USER: 20 },
];
const everything = 'SELECT "__time" AS "t", "a", "A", "user", "User", "USER" FROM "names"';

const text = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "''")}'`;
const signature = [
  { name: 't', type: 'string' },
  { name: 'a', type: 'string' },
  { name: 'A', type: 'string' },
  { name: 'user', type: 'long' },
  { name: 'User', type: 'string' },
  { name: 'USER', type: 'long' },
];
const extern = (source: object, format: object = { type: 'json' }) =>
  `TABLE(EXTERN(${text(source)}, ${text(format)}, ${text(signature)}))`;
const insert = (from = extern({ type: 'inline', data: lines })) =>
  `INSERT INTO "names" SELECT TIME_PARSE("t") AS "__time", "a", "A", "user", "User", "USER" FROM ${from} PARTITIONED BY MONTH CLUSTERED BY "A"`;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'names-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function started(settings: Parameters<typeof startService>[0] = {}) {
  const { get, post, ended } = api(await startService(settings));
  const run = async (task: object) => ended((await post('/svc/indexer/v1/task', task)).body.task);
  return {
    get,
    post,
    run,
    async ingest(query = insert()) {
      const { body } = await post('/svc/v2/sql/task', { query });
      return ended(body.taskId);
    },
    sql: async (query: string) => (await post('/svc/v2/sql', { query })).body,
    native: async (query: object) =>
      (
        await post('/svc/v2/', {
          dataSource: 'names',
          intervals: ['2024/2025'],
          granularity: 'all',
          ...query,
        })
      ).body,
    load: (dataSchema: object, ioConfig: object = {}) =>
      run({
        type: 'index_parallel',
        spec: {
          dataSchema: {
            dataSource: 'names',
            timestampSpec: { column: 't', format: 'iso' },
            dimensionsSpec: { useSchemaDiscovery: true },
            granularitySpec: { segmentGranularity: 'MONTH', rollup: false },
            ...dataSchema,
          },
          ioConfig: {
            type: 'index_parallel',
            inputSource: { type: 'inline', data: lines },
            inputFormat: { type: 'json' },
            ...ioConfig,
          },
        },
      }),
  };
}

test('SQL ingests them, and shows each under its own name', async () => {
  const { ingest, sql } = await started();
  expect(await ingest()).toMatchObject({ statusCode: 'SUCCESS' });
  expect(await sql(everything)).toEqual(stored);
  expect(await sql('SELECT "User" FROM "names" WHERE "user" = 2')).toEqual([{ User: 'Ben' }]);
  expect(
    await sql(
      'SELECT "a", COUNT(DISTINCT "A") AS "n", SUM("USER") AS "N" FROM "names" GROUP BY "a"',
    ),
  ).toEqual([{ a: 'x', n: 2, N: 30 }]);
  expect(
    await sql(
      'SELECT "A", "a", GROUPING("A", "a") AS "g" FROM "names" GROUP BY GROUPING SETS (("A", "a"), ("a"))',
    ),
  ).toEqual([
    { A: 'y', a: 'x', g: 0 },
    { A: 'z', a: 'x', g: 0 },
    { A: null, a: 'x', g: 2 },
  ]);
  const joined =
    'SELECT l."A", r."a" AS "b" FROM "names" l JOIN (SELECT "a", "A" FROM "names") r ON l."A" = r."A"';
  expect(await sql(joined)).toEqual([
    { A: 'y', b: 'x' },
    { A: 'z', b: 'x' },
  ]);
  expect(
    await sql(
      `SELECT "COLUMN_NAME", "DATA_TYPE" FROM INFORMATION_SCHEMA.COLUMNS WHERE "TABLE_NAME" = 'names'`,
    ),
  ).toEqual(
    [
      ['__time', 'TIMESTAMP'],
      ['a', 'VARCHAR'],
      ['A', 'VARCHAR'],
      ['user', 'BIGINT'],
      ['User', 'VARCHAR'],
      ['USER', 'BIGINT'],
    ].map(([COLUMN_NAME, DATA_TYPE]) => ({ COLUMN_NAME, DATA_TYPE })),
  );
  expect(await sql('SELECT "uSER" FROM "names"')).toMatchObject({
    errorMessage: expect.stringContaining("Column 'uSER' not found"),
  });
});

test('native queries tell them apart', async () => {
  const { ingest, native } = await started();
  await ingest();
  const [{ events }] = await native({
    queryType: 'scan',
    columns: ['A', 'a', 'USER'],
    order: 'none',
  });
  expect(events).toEqual([
    { A: 'y', a: 'x', USER: 10 },
    { A: 'z', a: 'x', USER: 20 },
  ]);
  const sums = ['user', 'USER'].map((fieldName) => ({
    type: 'longSum',
    name: fieldName,
    fieldName,
  }));
  expect(
    await native({ queryType: 'groupBy', dimensions: ['a'], aggregations: sums }),
  ).toMatchObject([{ event: { a: 'x', user: 3, USER: 30 } }]);
  expect(await native({ queryType: 'timeseries', aggregations: sums })).toMatchObject([
    { result: { user: 3, USER: 30 } },
  ]);
  const topN = {
    queryType: 'topN',
    dimension: 'A',
    threshold: 1,
    metric: 'USER',
    aggregations: sums,
  };
  expect(await native(topN)).toMatchObject([{ result: [{ A: 'z', user: 2, USER: 20 }] }]);
  const search = { queryType: 'search', query: { type: 'contains', value: 'z' } };
  expect(await native(search)).toMatchObject([
    { result: [{ dimension: 'A', value: 'z', count: 1 }] },
  ]);
  const filter = {
    type: 'and',
    fields: ['a', 'A'].map((dimension) => ({ type: 'in', dimension, values: ['x', 'y'] })),
  };
  expect(await native({ queryType: 'timeseries', filter, aggregations: sums })).toMatchObject([
    { result: { user: 1, USER: 10 } },
  ]);
  const virtualColumns = [
    { type: 'expression', name: 'uSER', expression: '"user" + "USER"', outputType: 'LONG' },
  ];
  const added = [{ type: 'longSum', name: 'uSER', fieldName: 'uSER' }];
  expect(
    await native({ queryType: 'timeseries', virtualColumns, aggregations: added }),
  ).toMatchObject([{ result: { uSER: 33 } }]);
  const [{ columns }] = await native({
    queryType: 'segmentMetadata',
    analysisTypes: ['cardinality'],
  });
  expect(
    Object.entries<{ type: string; cardinality: number }>(columns).map(
      ([name, { type, cardinality }]) => [name, type, cardinality],
    ),
  ).toEqual([
    ['__time', 'LONG', null],
    ['a', 'STRING', 1],
    ['A', 'STRING', 2],
    ['user', 'LONG', null],
    ['User', 'STRING', 2],
    ['USER', 'LONG', null],
  ]);
});

test('native queries tell them apart in rows of other queries, of joins, of unions, and of lists in the query itself', async () => {
  const { ingest, native } = await started();
  await ingest();
  const all = { type: 'intervals', intervals: ['2024/2025'] };
  const sums = ['a', 'A'].map((name, index) => ({
    type: 'longSum',
    name,
    fieldName: ['user', 'USER'][index],
  }));
  const grouped = {
    queryType: 'groupBy',
    dataSource: 'names',
    intervals: all,
    granularity: 'month', // groups of all time have none themselves, so that they are of 1970
    dimensions: ['User'],
    aggregations: sums,
  };
  // Written rows without a time are of 1970.
  const total = async (dataSource: unknown, fieldName = 'A') => {
    const aggregations = [{ type: 'longSum', name: 'sum', fieldName }];
    const intervals = ['1970/2025'];
    const [{ result }] = await native({
      queryType: 'timeseries',
      dataSource,
      intervals,
      aggregations,
    });
    return result.sum;
  };
  const scan = {
    queryType: 'scan',
    dataSource: 'names',
    intervals: all,
    columns: ['__time', 'USER', 'user', 'User'],
  };
  const series = {
    ...grouped,
    queryType: 'timeseries',
    granularity: 'all',
    dimensions: undefined,
    aggregations: [...sums, { ...sums[0], name: 'Total' }],
  };
  expect(await total({ type: 'query', query: scan }, 'USER')).toBe(30);
  expect(await total({ type: 'query', query: scan }, 'user')).toBe(3);
  expect(await total({ type: 'query', query: grouped })).toBe(30);
  expect(await total({ type: 'query', query: series }, 'Total')).toBe(3);
  expect(await total({ type: 'union', dataSources: ['names', 'names'] }, 'USER')).toBe(60);
  expect(
    await total(
      {
        type: 'filter',
        base: 'names',
        filter: { type: 'equals', column: 'A', matchValueType: 'STRING', matchValue: 'z' },
      },
      'USER',
    ),
  ).toBe(20);
  const inline = {
    type: 'inline',
    columnNames: ['a', 'A', 'A_1'],
    columnTypes: ['STRING', 'LONG', 'LONG'],
    rows: [['y', 3, 4]],
  };
  expect(await total(inline)).toBe(3);
  expect(await total(inline, 'A_1')).toBe(4);
  const join = {
    type: 'join',
    left: 'names',
    right: inline,
    rightPrefix: 'r.',
    joinType: 'INNER',
    condition: '"A" == "r.a"',
  };
  expect([
    await total(join, 'r.A'),
    await total(join, 'r.A_1'),
    await total(join, 'USER'),
    await total(join, 'user'),
  ]).toEqual([3, 4, 10, 1]);
  const virtualColumn = {
    type: 'expression',
    name: 'AA',
    expression: 'array("a", "A")',
    outputType: 'ARRAY<STRING>',
  };
  const unnest = { type: 'unnest', base: 'names', virtualColumn };
  expect(await total(unnest, 'USER')).toBe(60);
});

test('native batch ingestion finds them in JSON, CSV and TSV', async () => {
  const { load, sql } = await started();
  const names = ['t', 'a', 'A', 'user', 'User', 'USER'];
  const table = (delimiter: string) =>
    [names, ...rows.map((row) => Object.values(row))].map((row) => row.join(delimiter)).join('\n');
  const formats = [
    [lines, { type: 'json' }],
    [table(','), { type: 'csv', findColumnsFromHeader: true }],
    [table('\t'), { type: 'tsv', columns: names, skipHeaderRows: 1 }],
  ] as const;
  const dimensions = [
    'A',
    'a',
    'User',
    ...['user', 'USER'].map((name) => ({ type: 'long', name })),
  ];
  for (const [data, inputFormat] of formats) {
    const io = { inputSource: { type: 'inline', data }, inputFormat };
    expect(await load({ dimensionsSpec: { dimensions } }, io)).toMatchObject({
      statusCode: 'SUCCESS',
    });
    expect(await sql(everything)).toEqual(stored);
  }
  expect(await load({})).toMatchObject({ statusCode: 'SUCCESS' });
  expect(await sql(everything)).toEqual(stored);
});

test('what is rolled up may have metrics that only their case tells from dimensions', async () => {
  const { load, sql, run } = await started();
  const metricsSpec = [
    { type: 'longSum', name: 'USER', fieldName: 'user' },
    { type: 'longSum', name: 'USEr', fieldName: 'USER' },
    { type: 'count', name: 'A_1' },
  ];
  const granularitySpec = { segmentGranularity: 'MONTH', queryGranularity: 'MONTH', rollup: true };
  await load({
    dimensionsSpec: { dimensions: ['a', { type: 'string', name: 'uSER' }] },
    metricsSpec,
    granularitySpec,
  });
  const rolledUp = [{ a: 'x', uSER: null, USER: 3, USEr: 30, A_1: 2 }];
  const query = 'SELECT "a", "uSER", "USER", "USEr", "A_1" FROM "names"';
  expect(await sql(query)).toEqual(rolledUp);
  const compaction = {
    type: 'compact',
    dataSource: 'names',
    ioConfig: { type: 'compact', inputSpec: { type: 'interval', interval: '2024/2025' } },
  };
  expect(
    await run({ ...compaction, granularitySpec: { segmentGranularity: 'YEAR' } }),
  ).toMatchObject({ statusCode: 'SUCCESS' });
  expect(await sql(query)).toEqual(rolledUp);
});

test('segments of one datasource may have one or the other, and are compacted into one with both', async () => {
  const { load, sql, native, run } = await started();
  const schema = { dimensionsSpec: { dimensions: [] } };
  const rowOf = (day: string, fields: object) => ({
    inputSource: { type: 'inline', data: JSON.stringify({ t: `2024-01-${day}`, ...fields }) },
    appendToExisting: true,
  });
  await load(schema, rowOf('01', { a: 'small' }));
  await load(schema, rowOf('02', { A: 'LARGE' }));
  await load(schema, rowOf('03', { A_1: 'third', a: 'both', A: 'BOTH' }));
  const kept = [
    { a: 'small', A: null, A_1: null },
    { a: null, A: 'LARGE', A_1: null },
    { a: 'both', A: 'BOTH', A_1: 'third' },
  ];
  const query = 'SELECT "a", "A", "A_1" FROM "names" ORDER BY "__time"';
  expect(await sql(query)).toEqual(kept);
  const scanned = await native({ queryType: 'scan', columns: ['a', 'A', 'A_1'] });
  expect(scanned.flatMap(({ events }: { events: readonly object[] }) => events)).toEqual(kept);
  const input = {
    type: 'compact',
    inputSpec: { type: 'interval', interval: '2024-01-01/2024-02-01' },
  };
  expect(await run({ type: 'compact', dataSource: 'names', ioConfig: input })).toMatchObject({
    statusCode: 'SUCCESS',
  });
  expect(await sql(query)).toEqual(kept);
  expect(await sql(`SELECT COUNT(*) AS "n" FROM sys.segments WHERE "is_active" = 1`)).toEqual([
    { n: 1 },
  ]);
  const transformSpec = { filter: { type: 'selector', dimension: 'A', value: 'BOTH' } };
  const dimensionsSpec = { dimensions: ['A_1', 'A', { type: 'auto', name: 'a' }] };
  expect(
    await run({
      type: 'compact',
      dataSource: 'names',
      ioConfig: input,
      transformSpec,
      dimensionsSpec,
    }),
  ).toMatchObject({
    statusCode: 'SUCCESS',
  });
  expect(await sql(query)).toEqual(kept.slice(2));
});

test('Parquet files have them too, and what one file calls otherwise than another is another column', async () => {
  const path = folder();
  const engine = new Engine({ allowedFolders: [path], spillFolder: path });
  onTestFinished(() => engine.close());
  // DuckDB itself cannot write such names: others of the same length stand in their places.
  const write = async (name: string, select: string, names: Readonly<Record<string, string>>) => {
    const file = join(path, name);
    await engine.session((session) =>
      session.run(`COPY (${select}) TO '${file}' (FORMAT parquet)`),
    );
    const content = Object.entries(names).reduce(
      (all, [from, to]) => all.replaceAll(from, to),
      readFileSync(file, 'latin1'),
    );
    writeFileSync(file, content, 'latin1');
  };
  const nested = `{'user': 7, 'list': ['deep']} AS nested`;
  await write(
    'one.parquet',
    `SELECT '2024-01-01' AS t, ${nested}, 1 AS user, 'Ann' AS QQQ1, 10 AS QQQ2`,
    { QQQ1: 'User', QQQ2: 'USER' },
  );
  await write('two.parquet', `SELECT 'Ben' AS "User", 20 AS "ZZZZ", '2024-01-02' AS t, 2 AS QQQ3`, {
    ZZZZ: 'USER',
    QQQ3: 'user',
  });
  await write('three.parquet', `SELECT '2024-01-03' AS t, 30 AS "USER"`, {});
  const { load, sql, ingest } = await started({ allowedFolders: [path] });
  const inputSource = { type: 'local', baseDir: path, filter: '*.parquet' };
  const query = 'SELECT "user", "User", "USER" FROM "names"';
  const found = [
    { user: 1, User: 'Ann', USER: 10 },
    { user: 2, User: 'Ben', USER: 20 },
    { user: null, User: null, USER: 30 },
  ];
  expect(await load({}, { inputSource, inputFormat: { type: 'parquet' } })).toMatchObject({
    statusCode: 'SUCCESS',
  });
  expect(await sql(query)).toEqual(found);
  expect(
    await sql(`SELECT JSON_VALUE("nested", '$.user') AS "deep" FROM "names" WHERE "user" = 1`),
  ).toEqual([{ deep: '7' }]);
  const from = extern(inputSource, { type: 'parquet' });
  expect(
    await ingest(insert(from).replace('INSERT INTO "names"', 'REPLACE INTO "names" OVERWRITE ALL')),
  ).toMatchObject({
    statusCode: 'SUCCESS',
  });
  expect(await sql(`${query} ORDER BY "__time"`)).toEqual(found);
});

test('a result may have them, at once, as a statement, and in exported files', async () => {
  const allowed = folder();
  const { sql, post, get, ingest } = await started({ allowedFolders: [allowed] });
  expect(await sql('SELECT 1 AS a, 2 AS A')).toEqual([{ a: 1, A: 2 }]);
  expect(
    await sql('SELECT "a", "A" FROM (SELECT 1 AS a, 2 AS A, 3 AS "A_1" UNION ALL SELECT 4, 5, 6)'),
  ).toEqual([
    { a: 1, A: 2 },
    { a: 4, A: 5 },
  ]);
  const query = 'SELECT 1 AS a, 2 AS A, 3 AS "A_1"';
  const { body } = await post('/svc/v2/sql/statements', {
    query,
    context: { executionMode: 'ASYNC' },
  });
  await api({ url: '' }).until(
    async () => (await get(`/svc/v2/sql/statements/${body.queryId}`)).body.state === 'SUCCESS',
  );
  expect((await get(`/svc/v2/sql/statements/${body.queryId}/results`)).body).toEqual([
    { a: 1, A: 2, A_1: 3 },
  ]);
  for (const format of ['csv', 'parquet']) {
    const path = join(allowed, format);
    const exported = await ingest(
      `INSERT INTO EXTERN(local(exportPath => '${path}')) AS ${format} ${query}`,
    );
    expect(exported).toMatchObject({ statusCode: 'SUCCESS' });
  }
  const [csv = ''] = readdirSync(join(allowed, 'csv')).filter((name) => name.endsWith('.csv'));
  expect(readFileSync(join(allowed, 'csv', csv), 'utf8')).toBe('a,A,A_1\n1,2,3\n\n');
});

test('groups may have columns that are called as the translation calls its own', async () => {
  const { sql } = await started();
  const values = `(VALUES ('p', 'q', 1), ('p', 'r', 2)) AS v("Set", "aggregate_1", "key_2")`;
  const query = `SELECT "Set", "aggregate_1", "key_2" + 1 AS "k", SUM("key_2") AS "s" FROM ${values} GROUP BY GROUPING SETS (("Set", "aggregate_1", "key_2" + 1), ("Set"))`;
  expect(await sql(query)).toEqual([
    { Set: 'p', aggregate_1: 'q', k: 2, s: 1 },
    { Set: 'p', aggregate_1: 'r', k: 3, s: 2 },
    { Set: 'p', aggregate_1: null, k: null, s: 3 },
  ]);
});
