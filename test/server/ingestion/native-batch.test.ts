import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { murmur3 } from '../../../src/server/ingestion/hash-buckets.ts';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

interface Given {
  readonly data?: string;
  readonly source?: object;
  readonly format?: object;
  readonly schema?: object;
  readonly dimensions?: readonly unknown[];
  readonly granularity?: object;
  readonly io?: object;
  readonly tuning?: object;
}

const taskOf = ({
  data = ' ',
  source,
  format,
  schema,
  dimensions = ['k', { type: 'long', name: 'v' }],
  granularity,
  io,
  tuning,
}: Given) => ({
  type: 'index_parallel',
  spec: {
    dataSchema: {
      dataSource: 'loaded',
      timestampSpec: { column: 't', format: 'iso' },
      dimensionsSpec: { dimensions },
      granularitySpec: { segmentGranularity: 'DAY', rollup: false, ...granularity },
      ...schema,
    },
    ioConfig: {
      type: 'index_parallel',
      inputSource: source ?? { type: 'inline', data },
      inputFormat: format ?? { type: 'json' },
      ...io,
    },
    tuningConfig: { type: 'index_parallel', ...tuning },
  },
});

async function started(settings: Parameters<typeof startService>[0] = {}) {
  const { get, post, ended } = api(await startService(settings));
  return {
    submit: (given: Given) => post('/svc/indexer/v1/task', taskOf(given)),
    async load(given: Given) {
      const { body } = await post('/svc/indexer/v1/task', taskOf(given));
      return { ...(await ended(body.task)), task: body.task };
    },
    rows: async (query: string) =>
      (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body,
    report: async (task: string) =>
      (await get(`/svc/indexer/v1/task/${task}/reports`)).body.ingestionStatsAndErrors.payload,
    segments: async () =>
      (await get('/svc/coordinator/v1/metadata/datasources/loaded/segments?full')).body,
    log: async (task: string) => (await get(`/svc/indexer/v1/task/${task}/log`)).text,
  };
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'input-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const twoDays = `{"t":"2022-03-01T00:00:00Z","k":"a","v":1}
{"t":"2022-03-01T12:00:00Z","k":"b","v":2}
{"t":"2022-03-02","k":"c","v":"3"}`;

test('JSON becomes typed columns, one segment a day, sorted by time', async () => {
  const { load, rows, segments } = await started();
  expect(await load({ data: twoDays })).toMatchObject({ statusCode: 'SUCCESS' });
  expect(await rows('SELECT * FROM "loaded"')).toEqual([
    ['2022-03-01T00:00:00.000Z', 'a', 1],
    ['2022-03-01T12:00:00.000Z', 'b', 2],
    ['2022-03-02T00:00:00.000Z', 'c', 3],
  ]);
  expect(await segments()).toMatchObject([
    {
      interval: '2022-03-01T00:00:00.000Z/2022-03-02T00:00:00.000Z',
      shardSpec: { type: 'numbered', partitionNum: 0, partitions: 1 },
      dimensions: 'k,v',
      totalRows: 2,
    },
    { interval: '2022-03-02T00:00:00.000Z/2022-03-03T00:00:00.000Z', totalRows: 1 },
  ]);
});

test('appending adds a partition, loading again replaces, dropExisting empties what gets no rows', async () => {
  const { load, rows } = await started();
  await load({ data: twoDays });
  await load({
    data: '{"t":"2022-03-01T18:00:00Z","k":"new","v":5}',
    io: { appendToExisting: true },
  });
  expect(await rows('SELECT COUNT(*), SUM("v") FROM "loaded"')).toEqual([[4, 11]]);
  await load({ data: '{"t":"2022-03-02T03:00:00Z","k":"again","v":100}' });
  expect(await rows('SELECT "k" FROM "loaded"')).toEqual([['a'], ['b'], ['new'], ['again']]);
  await load({
    data: '{"t":"2022-03-02T03:00:00Z","k":"last","v":1}',
    io: { dropExisting: true },
    granularity: { intervals: ['2022-03-01/2022-03-03'] },
  });
  expect(await rows('SELECT "k" FROM "loaded"')).toEqual([['last']]);
});

test('rollup adds up rows with the same truncated time and dimensions', async () => {
  const { load, rows, segments } = await started();
  await load({
    data: `${twoDays}\n{"t":"2022-03-01T13:00:00Z","k":"b","v":40}`,
    dimensions: ['k'],
    granularity: { queryGranularity: 'DAY', rollup: true },
    schema: {
      metricsSpec: [
        { type: 'count', name: 'n' },
        { type: 'longSum', name: 'sum', fieldName: 'v' },
        { type: 'doubleMax', name: 'max', fieldName: 'v' },
      ],
    },
  });
  expect(await rows('SELECT "k", "n", "sum", "max" FROM "loaded"')).toEqual([
    ['a', 1, 1, 1],
    ['b', 2, 42, 40],
    ['c', 1, 3, 3],
  ]);
  expect(await segments()).toMatchObject([{ metrics: 'n,sum,max' }, {}]);
});

test('lists become multi-value strings, sorted unless told otherwise; types are found where asked for', async () => {
  const { load, rows } = await started();
  await load({
    data: '{"t":"2022-03-01","tags":["b","a","b"],"kept":["b","a"],"set":["b","a","b"],"n":[1,2.5],"doc":{"x":[1]}}',
    dimensions: [
      'tags',
      { name: 'kept', multiValueHandling: 'ARRAY' },
      { name: 'set', multiValueHandling: 'SORTED_SET' },
      { name: 'n', type: 'auto' },
      { name: 'doc', type: 'auto' },
    ],
  });
  expect(await rows('SELECT "tags", "kept", "set", "n", "doc" FROM "loaded"')).toEqual([
    ['["a","b","b"]', '["b","a"]', '["a","b"]', '[1.0,2.5]', '{"x":[1]}'],
  ]);
});

test('CSV and TSV: quotes, headers, columns given, missing values, list delimiters', async () => {
  const { load, rows } = await started();
  await load({
    data: 't,k,v\n2022-04-01,"a ""b"", c",1\n2022-04-02,,\n2022-04-03,"",3\n',
    format: { type: 'csv', findColumnsFromHeader: true },
  });
  expect(await rows('SELECT "k", "v" FROM "loaded"')).toEqual([
    ['a "b", c', 1],
    [null, null],
    ['', 3],
  ]);
  await load({
    data: 'skipped\n2022-04-01\tx|y\t1\n2022-04-02\tz\n',
    format: {
      type: 'tsv',
      columns: ['t', 'k', 'v'],
      findColumnsFromHeader: false,
      skipHeaderRows: 1,
      listDelimiter: '|',
    },
    granularity: { segmentGranularity: 'MONTH' },
  });
  expect(await rows('SELECT "k", "v" FROM "loaded"')).toEqual([
    ['["x","y"]', 1],
    ['z', null],
  ]);
});

test('a list delimiter is found at the end of a long file, across the pieces that are read', async () => {
  const { load, rows } = await started();
  const lines = (until: number) => '2022-04-01,x,1\n'.repeat(until);
  const line = '2022-04-02,a<->b,2\n';
  // The delimiter begins with the last byte of the first piece of a mebibyte
  const start = 1024 ** 2 - 1 - line.indexOf('<->');
  const before = lines(Math.floor(start / 15));
  const data = `${before}${' '.repeat(start - before.length - 1)}\n${line}`;
  await load({
    data,
    format: {
      type: 'csv',
      columns: ['t', 'k', 'v'],
      findColumnsFromHeader: false,
      listDelimiter: '<->',
    },
    granularity: { segmentGranularity: 'MONTH' },
    tuning: { maxParseExceptions: 1, logParseExceptions: true },
  });
  expect(data.indexOf('<->')).toBe(1024 ** 2 - 1);
  expect(await rows('SELECT "k" FROM "loaded" WHERE "v" = 2')).toEqual([['["a","b"]']]);
});

test('numbers beyond a type become its ends, and texts of numbers and objects are those of Java', async () => {
  const { load, rows, report } = await started();
  const { task } = await load({
    data: [
      '{"t":"2022-04-01","v":1,"l":1e20,"f":1e40,"k":12345678901234567890}',
      '{"t":"2022-04-01","v":2,"l":-1e20,"f":"1f","k":{"a":1e20,"b":[1.0,2]}}',
      '{"t":"2022-04-01","v":3,"l":12345678901234567890,"f":"x","k":[1e20,{"a":"1"}]}',
    ].join('\n'),
    dimensions: [
      { type: 'long', name: 'v' },
      { type: 'long', name: 'l' },
      { type: 'float', name: 'f' },
      'k',
    ],
  });
  const query =
    'SELECT CAST("l" AS VARCHAR), "f", MV_TO_STRING("k", $$;$$) FROM "loaded" GROUP BY "v", 1, 2, 3';
  expect(await rows(`${query.replaceAll('$$', "'")} ORDER BY "v"`)).toEqual([
    ['9223372036854775807', 'Infinity', '1.2345678901234567E19'],
    ['-9223372036854775808', 1, '{a=1.0E20, b=[1.0, 2]}'],
    ['9223372036854775807', null, '1.0E20;{a=1}'],
  ]);
  expect((await report(task)).rowStats.buildSegments).toMatchObject({
    processed: 2,
    processedWithError: 1,
  });
});

test('a value that is no number for a metric counts as an error, not for a discovered type', async () => {
  const { load, report } = await started();
  const { task } = await load({
    data: '{"t":"2022-04-01","k":"a","v":"x"}\n{"t":"2022-04-01","k":"b","v":"1,000"}\n{"t":"2022-04-01","k":"c","v":null,"n":"q"}',
    dimensions: ['k', { type: 'auto', name: 'n', castToType: 'LONG' }],
    schema: { metricsSpec: [{ type: 'longSum', name: 's', fieldName: 'v' }] },
  });
  expect((await report(task)).rowStats.buildSegments).toMatchObject({
    processed: 2,
    processedWithError: 1,
  });
});

test('a metric may be computed by an expression, of fields that are no dimensions then', async () => {
  const { load, submit, rows } = await started();
  const metric = (expression: string, type = 'longSum') => ({ type, name: 'p', expression });
  await load({
    data: '{"t":"2022-04-01","k":"a","v":1,"w":3}\n{"t":"2022-04-01","k":"a","v":2,"w":4}\n{"t":"2022-04-01","k":"b","v":5}',
    dimensions: [],
    schema: { metricsSpec: [metric('v * w + 1')] },
    granularity: { rollup: true },
  });
  expect(await rows('SELECT * FROM "loaded"')).toEqual([
    ['2022-04-01T00:00:00.000Z', 'a', 13],
    ['2022-04-01T00:00:00.000Z', 'b', null],
  ]);
  const refusalOf = async (given: object) => JSON.stringify((await submit(given)).body);
  const transforms = [{ type: 'expression', name: 'x', expression: 'v' }];
  for (const [given, words] of [
    [{ schema: { metricsSpec: [metric('v +')] } }, 'expression [v +] cannot be read'],
    [{ schema: { metricsSpec: [metric('v', 'longFirst')] } }, 'read a [fieldName]'],
    [{ schema: { metricsSpec: [{ ...metric('v'), fieldName: 'v' }] } }, 'and not both'],
    [{ schema: { metricsSpec: [metric('x + 1')], transformSpec: { transforms } } }, '[x]'],
  ] as const)
    expect(await refusalOf(given)).toContain(words);
});

test('features of the JSON parser that are not there are refused', async () => {
  const { submit } = await started();
  const format = (featureSpec: object) => ({ format: { type: 'json', featureSpec } });
  const { status, body } = await submit(format({ ALLOW_COMMENTS: true }));
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('ALLOW_COMMENTS')]);
  expect((await submit(format({ ALLOW_COMMENTS: false }))).status).toBe(200);
});

test('texts that are numbers for Java are numbers, and no others', async () => {
  const { load, rows } = await started();
  const numbers = ['1', '-1.5', '1.', '.5', '+5', '1e3', '-2E-1', '5d', 'NaN', '-Infinity'];
  const others = [' 5', '"5 "', '1_000', '+-5', 'inf', 'nan', '1,0', '0x10', '"5\t"', '.'];
  const texts = [...numbers, ...others].map((text) => (text.includes(',') ? `"${text}"` : text));
  await load({
    data: texts.map((text, index) => `2022-04-01,${text},${index}`).join('\n'),
    format: { type: 'csv', columns: ['t', 'd', 'v'], findColumnsFromHeader: false },
    dimensions: [
      { type: 'double', name: 'd' },
      { type: 'long', name: 'v' },
    ],
    granularity: { segmentGranularity: 'MONTH' },
    tuning: { maxParseExceptions: 100 },
  });
  expect(await rows('SELECT "d" FROM "loaded" GROUP BY "v", "d" ORDER BY "v"')).toEqual([
    ...[1, -1.5, 1, 0.5, 5, 1000, -0.2, 5, 'NaN', '-Infinity'].map((value) => [value]),
    ...others.map(() => [null]),
  ]);
});

test('transforms compute with the native language, and filters throw rows away', async () => {
  const { load, rows, report } = await started();
  const { task } = await load({
    data: twoDays,
    dimensions: ['w', { type: 'long', name: 'v' }],
    schema: {
      transformSpec: {
        filter: { type: 'not', field: { type: 'selector', dimension: 'k', value: 'b' } },
        transforms: [
          { type: 'expression', name: 'w', expression: `concat(upper("k"), '!')` },
          { type: 'expression', name: 'v', expression: '"v" * 10' },
        ],
      },
    },
  });
  expect(await rows('SELECT "w", "v" FROM "loaded"')).toEqual([
    ['A!', 10],
    ['C!', 30],
  ]);
  expect((await report(task)).rowStats.buildSegments).toMatchObject({
    processed: 2,
    thrownAway: 1,
    unparseable: 0,
  });
});

test('a transform of __time moves the row, sees the time that was read, and is what the filter sees', async () => {
  const { load, rows, report } = await started();
  const moved = (expression: string, filter?: object) =>
    load({
      data: twoDays,
      dimensions: ['k'],
      schema: {
        transformSpec: { filter, transforms: [{ type: 'expression', name: '__time', expression }] },
      },
    });
  await moved("timestamp_shift(__time, 'P1Y', 1)");
  expect(await rows('SELECT "__time", "k" FROM "loaded"')).toEqual([
    ['2023-03-01T00:00:00.000Z', 'a'],
    ['2023-03-01T12:00:00.000Z', 'b'],
    ['2023-03-02T00:00:00.000Z', 'c'],
  ]);
  const { task } = await moved("if(k == 'b', 'never', timestamp_floor(__time, 'P1Y'))", {
    type: 'interval',
    dimension: '__time',
    intervals: ['2022-01-01/2022-01-02'],
  });
  expect(await rows(`SELECT "__time", "k" FROM "loaded" WHERE "__time" < '2023-01-01'`)).toEqual([
    ['2022-01-01T00:00:00.000Z', 'a'],
    ['2022-01-01T00:00:00.000Z', 'c'],
  ]);
  expect((await report(task)).rowStats.buildSegments).toMatchObject({
    processed: 2,
    unparseable: 1,
  });
});

test.each([
  ['auto', '1646092800000'],
  ['auto', 1646092800000],
  ['auto', 1646092800000.75],
  ['auto', 1.6460928e12],
  ['auto', '2022-03-01 00:00:00 UTC'],
  ['auto', '2022-03-01T00:00:00.000Z UTC'],
  ['auto', '2022-03-01T05:30:00+0530'],
  ['auto', '2022-03-01 00:00:00 America/Los_Angeles'],
  ['iso', '2022-W09-2'],
  ['iso', '1646092800000'],
  ['iso', '2022-03-01T02:00+02:00'],
  ['posix', 1646092800],
  ['posix', 1646092800.9],
  ['posix', 1.6460928e9],
  ['micro', '1646092800000000'],
  ['nano', '1646092800000000000'],
  ['ruby', '1646092800.000'],
  ['MM/dd/yyyy HH:mm', '03/01/2022 00:00'],
  ["yyyy-MM-dd'T'HH:mm:ssZ", '2022-03-01T01:00:00+0100'],
])('a time of format %s reads %s', async (format, time) => {
  const { load, rows } = await started();
  const data = JSON.stringify({ t: time, k: 'a' });
  expect(await load({ data, schema: { timestampSpec: { column: 't', format } } })).toMatchObject({
    statusCode: 'SUCCESS',
  });
  expect(await rows('SELECT "__time" FROM "loaded"')).toEqual([['2022-03-01T00:00:00.000Z']]);
});

test('a format of a time that is too long is refused', async () => {
  const { submit } = await started();
  const format = `yyyy${" '-'".repeat(500)}MM`;
  const { status, body } = await submit({ schema: { timestampSpec: { column: 't', format } } });
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain('at most [500] characters');
});

test('rows that cannot be read are counted and kept with their place', async () => {
  const { load, report, rows } = await started();
  const { task } = await load({
    data: `${twoDays}\nnot json}\n\n{"t":"yesterday","k":"x"}\n{"t":"2022-03-01","k":"y","v":"many"}`,
    tuning: { maxParseExceptions: 5, maxSavedParseExceptions: 5 },
  });
  const { rowStats, unparseableEvents } = await report(task);
  expect(rowStats).toMatchObject({
    determinePartitions: { processed: 4, processedWithError: 0, unparseable: 3 },
    buildSegments: { processed: 3, processedWithError: 1, unparseable: 3 },
  });
  expect(unparseableEvents.buildSegments).toMatchObject([
    {
      input: 'not json}',
      errorType: 'unparseable',
      details: ['Unable to parse row [not json}] (Record: 4, Line: 4)'],
    },
    { input: '', details: [expect.stringMatching(/^Unable to parse row \[\] .*, Line: 5\)$/)] },
    {
      details: [
        expect.stringMatching(
          /^Timestamp\[yesterday\] is unparseable! Event: \{t=yesterday, k=x\} .*, Line: 6\)$/,
        ),
      ],
    },
  ]);
  expect(await rows('SELECT COUNT(*) FROM "loaded"')).toEqual([[4]]);
});

test('text behind the object of a line is ignored, and a time of 24 hours is none', async () => {
  const { load, report, rows } = await started();
  const times = ['T24:00:00Z', ' 24:00:00', 'T24:00:00+01:00'].map((time) => `2022-03-01${time}`);
  const lines = [
    '{"t":"2022-03-01","k":"a"},',
    '{"t":"2022-03-01","k":"b"}]',
    '{"t":"2022-03-01","k":"c"} // {',
    '{"t":"2022-03-01","k":{"d":"d"} , "v"',
    '[{"t":"2022-03-01","k":"e"},',
    '{"t":"2022-03-01","k":"g","o":{"x":"}"}} {"t":"2022-03-01","k":"h"}',
    '{"t":"2022-03-01","k":NaN}',
    ...times.map((t) => JSON.stringify({ t, k: 'f' })),
  ];

  const { task } = await load({
    data: lines.join('\n'),
    schema: { timestampSpec: { column: 't', format: 'auto' } },
    tuning: { maxParseExceptions: 9, maxSavedParseExceptions: 1 },
  });

  expect(await rows('SELECT k FROM "loaded"')).toEqual([['a'], ['b'], ['c'], ['g']]);
  const { rowStats, unparseableEvents } = await report(task);
  expect(rowStats.buildSegments).toMatchObject({ processed: 4, unparseable: 6 });
  expect(unparseableEvents.buildSegments).toMatchObject([
    { details: [expect.stringContaining('"d"} , "v"] (Record: 4, Line: 4)')] },
  ]);
});

test('more bad rows than allowed fail the task, and nothing of it can be seen', async () => {
  const { load, rows } = await started();
  expect(
    await load({ data: `${twoDays}\nnonsense`, tuning: { maxParseExceptions: 0 } }),
  ).toMatchObject({
    statusCode: 'FAILED',
    errorMsg:
      'Max parse exceptions[0] exceeded: Unable to parse row [nonsense] (Record: 4, Line: 4)',
  });
  expect(await rows('SELECT "segment_id" FROM sys.segments')).toEqual([]);
});

test('local files are read below allowed folders only, links included, compressed or not', async () => {
  const [allowed, other] = [folder(), folder()];
  writeFileSync(join(allowed, 'a.json'), twoDays);
  writeFileSync(join(allowed, 'b.json.gz'), gzipSync('{"t":"2022-03-03","k":"d","v":4}\n'));
  writeFileSync(join(other, 'secret.json'), twoDays);
  symlinkSync(join(other, 'secret.json'), join(allowed, 'link.json'));
  const { load, rows } = await started({ allowedFolders: [allowed] });
  expect(
    await load({ source: { type: 'local', baseDir: allowed, filter: '?.json*' } }),
  ).toMatchObject({ statusCode: 'SUCCESS' });
  expect(await rows('SELECT "k" FROM "loaded"')).toEqual([['a'], ['b'], ['c'], ['d']]);
  const refused = async (source: object) =>
    (await load({ source: { type: 'local', ...source } })).errorMsg;
  expect(await refused({ baseDir: other, filter: '*' })).toContain('--allow-dir');
  expect(await refused({ files: [join(allowed, 'link.json')] })).toContain('--allow-dir');
  expect(await refused({ files: [join(allowed, '..', '..', 'etc', 'passwd')] })).toMatch(
    /--allow-dir|does not exist/,
  );
  expect(await refused({ files: [join(allowed, 'nothing.json')] })).toContain('nothing.json');
  expect(await refused({ baseDir: allowed, filter: '*.csv' })).toContain('*.csv');
});

// DuckDB's reader of texts skips a last line that is longer than its buffers, without a word.
test('a line that is too long fails the task, wherever it is, and is not skipped', async () => {
  const allowed = folder();
  const lineOf = (mebibytes: number) => `2022-03-01,${'a'.repeat(mebibytes * 1024 * 1024)}`;
  const [line, short] = [lineOf(101), '2022-03-01,a\n'];
  const lines = {
    'last.csv': short + line,
    'ended.csv': `${short}${line}\r\n\n`,
    'only.csv': line,
    'middle.csv': `${short}${lineOf(40)}\n${short}`,
  };
  for (const [name, text] of Object.entries(lines)) writeFileSync(join(allowed, name), text);
  for (const name of ['last.csv', 'ended.csv', 'only.csv'] as const)
    writeFileSync(join(allowed, `${name}.gz`), gzipSync(lines[name], { level: 1 }));
  const { load, rows } = await started({ allowedFolders: [allowed] });
  const failure = async (name: string) => {
    const source = { type: 'local', files: [join(allowed, name)] };
    const { statusCode, errorMsg } = await load({
      source,
      format: { type: 'csv', columns: ['t', 'k'] },
    });
    return [statusCode, errorMsg];
  };
  const tooLong = 'is longer than [33554432] bytes';
  const whole = ['last.csv', 'ended.csv', 'only.csv'];
  for (const name of [...whole, ...whole.map((name) => `${name}.gz`), 'middle.csv'])
    expect(await failure(name)).toEqual([
      'FAILED',
      name === 'middle.csv'
        ? `Line [2] of file [middle.csv] ${tooLong}`
        : `A line of file [${join(allowed, name)}] ${tooLong}`,
    ]);
  // DuckDB's own limit is 2 MB.
  writeFileSync(join(allowed, 'long.csv'), `${short}${lineOf(4)}\n${short}`);
  expect(await failure('long.csv')).toEqual(['SUCCESS', null]);
  expect(await rows('SELECT COUNT(*) FROM "loaded"')).toEqual([[3]]);
});

test('files come over HTTP too; what the server refuses is said', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/data.json') response.end(twoDays);
    else response.writeHead(404).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { load, rows } = await started();
  expect(await load({ source: { type: 'http', uris: [`${base}/data.json`] } })).toMatchObject({
    statusCode: 'SUCCESS',
  });
  expect(await rows('SELECT COUNT(*) FROM "loaded"')).toEqual([[3]]);
  expect((await load({ source: { type: 'http', uris: [`${base}/none`] } })).errorMsg).toBe(
    `Cannot fetch [${base}/none]: the server answered with status [404]`,
  );
});

test('hashed and range partitions say so in their shard specs', async () => {
  const { load, segments } = await started();
  const tuning = (partitionsSpec: object) => ({ forceGuaranteedRollup: true, partitionsSpec });
  await load({
    data: twoDays,
    granularity: { segmentGranularity: 'MONTH' },
    tuning: tuning({ type: 'range', partitionDimensions: ['k'], targetRowsPerSegment: 2 }),
  });
  expect((await segments()).map(({ shardSpec }: { shardSpec: object }) => shardSpec)).toMatchObject(
    [
      {
        type: 'range',
        dimensions: ['k'],
        start: null,
        end: ['c'],
        partitionNum: 0,
        numCorePartitions: 2,
      },
      { type: 'range', start: ['c'], end: null, partitionNum: 1 },
    ],
  );
  await load({
    data: twoDays,
    granularity: { segmentGranularity: 'MONTH' },
    tuning: tuning({ type: 'hashed', numShards: 1 }),
  });
  expect((await segments()).at(-1)).toMatchObject({
    shardSpec: { type: 'hashed', numBuckets: 1, partitionFunction: 'murmur3_32_abs' },
  });
});

test('a hashed partition holds the rows whose serialized key has its bucket, and empty buckets have no segment', async () => {
  const { load, segments, rows } = await started();
  const names = Array.from({ length: 40 }, (_, index) => `name ${index}`);
  const data = [
    ...names.map((k) => JSON.stringify({ t: '2022-03-01', k })),
    '{"t":"2022-03-01"}',
  ].join('\n');
  const partitionsSpec = { type: 'hashed', numShards: 64, partitionDimensions: ['k'] };
  await load({ data, tuning: { forceGuaranteedRollup: true, partitionsSpec } });
  const bucketOf = (key: unknown) => Math.abs(murmur3(Buffer.from(JSON.stringify(key))) % 64);
  const expected = [...new Set([...names.map((name) => bucketOf([[name]])), bucketOf([[]])])].sort(
    (a, b) => a - b,
  );
  const specs = (await segments()).map(
    ({ shardSpec }: { shardSpec: { bucketId: number } }) => shardSpec,
  );
  expect(
    specs
      .map(({ bucketId }: { bucketId: number }) => bucketId)
      .sort((a: number, b: number) => a - b),
  ).toEqual(expected);
  expect(specs[0]).toMatchObject({ numBuckets: 64, partitions: expected.length });
  expect(await rows('SELECT COUNT(*) FROM "loaded"')).toEqual([[41]]);
});

test('without a number of shards there are as many as the distinct keys of a chunk fill', async () => {
  const { load, segments } = await started();
  const data = Array.from({ length: 40 }, (_, index) =>
    JSON.stringify({ t: '2022-03-01', k: `name ${index % 10}` }),
  ).join('\n');
  const partitionsSpec = { type: 'hashed', targetRowsPerSegment: 5, partitionDimensions: ['k'] };
  await load({ data, tuning: { forceGuaranteedRollup: true, partitionsSpec } });
  expect((await segments())[0]).toMatchObject({ shardSpec: { type: 'hashed', numBuckets: 2 } });
});

test.each<[string, Given]>([
  ['spec.ioConfig.inputSource', { source: { type: 'nothing' } }],
  ['spec.ioConfig.inputFormat', { format: { type: 'yaml' } }],
  ['spec.dataSchema.timestampSpec', { schema: { timestampSpec: 'x' } }],
  ['spec.dataSchema.granularitySpec', { granularity: { segmentGranularity: 'FORTNIGHT' } }],
  ['spec.dataSchema.metricsSpec[0]', { schema: { metricsSpec: [{ type: 'nothing' }] } }],
  ['spec.dataSchema.dimensionsSpec.dimensions[0]', { dimensions: [{ type: 'text', name: 'k' }] }],
  ['spec.tuningConfig', { tuning: { type: 'nothing' } }],
  ['spec.tuningConfig.partitionsSpec', { tuning: { partitionsSpec: { type: 'nothing' } } }],
  ['spec.ioConfig.appendToExisting', { io: { appendToExisting: 'perhaps' } }],
  ['dataSource', { schema: { dataSource: 'a/b' } }],
])('a specification with a wrong [%s] is refused by name', async (path, given) => {
  const { submit } = await started();
  const { status, body } = await submit(given);
  expect({ status, error: body.error }).toEqual({
    status: 400,
    error: expect.stringContaining(path),
  });
});

test('Parquet files keep the types they have', async () => {
  const path = folder();
  const { load, rows, segments } = await started({
    dataDir: join(path, 'data'),
    allowedFolders: [path],
  });
  const dimensions = ['k', { type: 'long', name: 'v' }, { type: 'double', name: 'f' }, 'm'];
  await load({
    data: '{"t":"2022-03-01T05:00:00Z","k":"a","v":9007199254740993,"f":0.5,"m":["x","y"]}',
    dimensions,
  });
  const all = 'SELECT "__time", "f", "k", "m", "v" FROM "loaded"';
  const before = await rows(all);
  expect(before).toHaveLength(1);
  const [{ loadSpec }] = await segments(); // the segment's own file is one
  copyFileSync(join(path, 'data', loadSpec.path), join(path, 'copy.parquet')); // the data folder itself is not read
  const read = await load({
    source: { type: 'local', files: [join(path, 'copy.parquet')] },
    format: { type: 'parquet' },
    schema: {
      timestampSpec: { column: '__time', format: 'millis' },
      dimensionsSpec: { useSchemaDiscovery: true },
    },
  });
  expect(read).toMatchObject({ statusCode: 'SUCCESS' });
  const after = await rows(
    'SELECT "__time", "f", "k", ARRAY_TO_STRING("m", \'-\'), "v" FROM "loaded"',
  );
  expect(after).toEqual([['2022-03-01T05:00:00.000Z', 0.5, 'a', 'x-y', 9007199254740993n]]);
});

test('bytes that are no UTF-8 are replaced, as Java reads them', async () => {
  const path = folder();
  writeFileSync(
    join(path, 'latin.json'),
    Buffer.from('{"t":"2022-03-01","k":"caf\xe9"}\n', 'latin1'),
  );
  const { load, rows } = await started({ allowedFolders: [path] });
  await load({ source: { type: 'local', baseDir: path, filter: '*' } });
  expect(await rows('SELECT "k" FROM "loaded"')).toEqual([['caf\ufffd']]);
});

test('hundreds of discovered columns have each the type of their own values', async () => {
  const { load, rows } = await started();
  const names = Array.from({ length: 300 }, (_, index) => `n${index}`);
  const line = (value: (index: number) => unknown) =>
    JSON.stringify({
      t: '2022-03-01T00:00:00Z',
      ...Object.fromEntries(names.map((name, index) => [name, value(index)])),
    });
  const data = [
    line((index) => [index, `v${index}`, [index]][index % 3]),
    line((index) => [0.5, 1, null][index % 3]),
  ].join('\n');
  expect(
    await load({ data, schema: { dimensionsSpec: { useSchemaDiscovery: true } } }),
  ).toMatchObject({ statusCode: 'SUCCESS' });
  const columns = await rows(
    `SELECT COLUMN_NAME, DATA_TYPE FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'loaded'`,
  );
  const types = new Map<string, string>(columns);
  expect(names.map((name) => types.get(name))).toEqual(
    names.map((_, index) => ['DOUBLE', 'VARCHAR', 'ARRAY'][index % 3]),
  );
});

test('a negative zero stays one, though rows are sorted by it', async () => {
  const { load, rows } = await started();
  await load({
    data: '{"t":"2022-03-01","v":-0.0}\n{"t":"2022-03-01","v":-1.5}',
    dimensions: [{ type: 'double', name: 'v' }],
  });
  expect(await rows(`SELECT CONCAT("v", '') FROM "loaded"`)).toEqual([['-1.5'], ['-0.0']]);
});
