// Sketches, and values with their times, in stored columns: made at ingestion, read from base64,
// merged by queries and by compaction.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

const one = 'AgMIGoAAAAABAAAAAAAAAAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQA=='; // the quantiles sketch of 2
const tuple = 'AQEJAwgBzJP/////////fwEAAAAAAAAAiyJx8K2w6RUAAAAAAJCUQA=='; // the tuple sketch of a key with 1316
const rows = [
  {
    t: '2024-01-01T01:00:00Z',
    page: 'x',
    who: 'false',
    sketch: 'AQMDAAA6zJMjWZVsQSOjWQ==',
    hll: 'AgEHDAMIAQCLWYEE',
    ms: 3.5,
    q: one,
    tuple,
  },
  {
    t: '2024-01-01T01:10:00Z',
    page: 'x',
    who: 'true',
    sketch: 'AQMDAAA6zJNUC8IHTRkbUQ==',
    hll: 'AgEHDAMIAQCtTKIG',
    ms: '1',
    q: null,
    tuple,
  },
  {
    t: '2024-01-01T02:00:00Z',
    page: 'x',
    who: ['true', 'more'],
    sketch: 'AQMDAAAeAAA=',
    hll: null,
    ms: 2,
    q: 7,
  },
  {
    t: '2024-01-01T02:10:00Z',
    page: 'y',
    who: -215,
    sketch: 'AQMDAAA6zJMjWZVsQSOjWQ==',
    hll: 'AgEHDAMIAQCLWYEE',
    ms: -4,
    q: one,
  },
];
const metricsSpec = [
  { type: 'thetaSketch', name: 'people', fieldName: 'who' },
  { type: 'thetaSketch', name: 'given', fieldName: 'sketch', isInputThetaSketch: true },
  { type: 'HLLSketchBuild', name: 'hllPeople', fieldName: 'who' },
  { type: 'HLLSketchMerge', name: 'hllGiven', fieldName: 'hll' },
  { type: 'quantilesDoublesSketch', name: 'times', fieldName: 'ms', k: 64 },
  { type: 'quantilesDoublesSketch', name: 'timesGiven', fieldName: 'q' },
  { type: 'KllDoublesSketch', name: 'kllTimes', fieldName: 'ms' },
  { type: 'arrayOfDoublesSketch', name: 'tuples', fieldName: 'tuple' },
  { type: 'KllFloatsSketch', name: 'kllFloats', fieldName: 'ms', k: 20 },
];

async function started() {
  const { post, ended } = api(await startService());
  const done = async (task: object) => ended((await post('/svc/indexer/v1/task', task)).body.task);
  return {
    load: (data: readonly object[], metrics: readonly object[] = metricsSpec) =>
      done({
        type: 'index_parallel',
        spec: {
          dataSchema: {
            dataSource: 'd',
            timestampSpec: { column: 't', format: 'iso' },
            dimensionsSpec: { dimensions: ['page'] },
            metricsSpec: metrics,
            granularitySpec: { segmentGranularity: 'DAY', queryGranularity: 'HOUR', rollup: true },
          },
          ioConfig: {
            type: 'index_parallel',
            inputSource: {
              type: 'inline',
              data: data.map((row) => JSON.stringify(row)).join('\n'),
            },
            inputFormat: { type: 'json' },
          },
        },
      }),
    compact: () =>
      done({
        type: 'compact',
        dataSource: 'd',
        ioConfig: {
          type: 'compact',
          inputSpec: { type: 'interval', interval: '2024-01-01/2024-01-02' },
        },
        granularitySpec: { segmentGranularity: 'DAY', queryGranularity: 'DAY' },
      }),
    sql: async (query: string) =>
      (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body,
    native: async (query: object) =>
      (
        await post('/svc/v2/', {
          dataSource: 'd',
          intervals: ['2024/2025'],
          granularity: 'all',
          ...query,
        })
      ).body,
  };
}

const estimates = `SELECT page, COUNT(*), APPROX_COUNT_DISTINCT_DS_THETA(people), APPROX_COUNT_DISTINCT_DS_THETA(given),
  APPROX_COUNT_DISTINCT_DS_HLL("hllPeople"), APPROX_COUNT_DISTINCT_DS_HLL("hllGiven"),
  DS_GET_QUANTILES(DS_QUANTILES_SKETCH(times), 0, 0.5, 1), APPROX_QUANTILE_DS("timesGiven", 1) FROM d GROUP BY 1 ORDER BY 1`;

test('sketches of values and sketches in base64 are stored, rolled up, merged by queries and combined by compaction', async () => {
  const { load, compact, sql, native } = await started();
  expect(await load(rows)).toMatchObject({ statusCode: 'SUCCESS' });
  const expected = (stored: number) => [
    ['x', stored, 3, 2, 3, 2, '[1.0,2.0,3.5]', 7],
    ['y', 1, 1, 1, 1, 1, '[-4.0,-4.0,-4.0]', 2],
  ];
  expect(await sql(estimates)).toEqual(expected(2));
  expect(await sql('SELECT DS_THETA(given) FROM d')).toEqual([
    ['"AgMDAAAazJMCAAAAAACAP1QLwgdNGRtRI1mVbEEjo1k="'],
  ]);
  const aggregations = [
    { type: 'thetaSketch', name: 'theta', fieldName: 'people' },
    { type: 'HLLSketchMerge', name: 'hll', fieldName: 'hllGiven', round: true },
    { type: 'quantilesDoublesSketch', name: 'times', fieldName: 'times' },
    {
      type: 'quantilesDoublesSketch',
      name: 'given',
      fieldName: 'timesGiven',
      shouldFinalize: false,
    },
  ];
  const kll = {
    queryType: 'timeseries',
    aggregations: [
      { type: 'KllDoublesSketch', name: 'times', fieldName: 'kllTimes' },
      { type: 'KllFloatsSketchMerge', name: 'kllFloats' },
    ],
    postAggregations: [
      {
        type: 'KllDoublesSketchToQuantiles',
        name: 'q',
        fractions: [0, 0.5, 1],
        field: { type: 'fieldAccess', fieldName: 'times' },
      },
      {
        type: 'KllFloatsSketchToRank',
        name: 'r',
        value: 2,
        field: { type: 'fieldAccess', fieldName: 'kllFloats' },
      },
    ],
  };
  const tuples =
    'SELECT page, DS_TUPLE_DOUBLES(tuples), DS_TUPLE_DOUBLES_METRICS_SUM_ESTIMATE(DS_TUPLE_DOUBLES(tuples)) FROM d GROUP BY 1 ORDER BY 1';
  const tupleResult = [
    ['x', '1.0', '[2632.0]'],
    ['y', '0.0', '[0.0]'],
  ];
  expect(await sql(tuples)).toEqual(tupleResult);
  const kllResult = { times: 4, kllFloats: 4, q: [-4, 1, 3.5], r: 0.75 };
  expect((await native(kll))[0].result).toEqual(kllResult);
  expect((await native({ queryType: 'timeseries', aggregations }))[0].result).toEqual({
    theta: 4,
    hll: 2,
    times: 4,
    given: 'AgMIGoAAAAADAAAAAAAAAAAAAAAAAABAAAAAAAAAHEAAAAAAAAAAQAAAAAAAAABAAAAAAAAAHEA=',
  });
  expect(await compact()).toMatchObject({ statusCode: 'SUCCESS' });
  expect(await sql(estimates)).toEqual(expected(1));
  expect((await native(kll))[0].result).toEqual(kllResult);
  expect(await sql(tuples)).toEqual(tupleResult);
});

test('a text that is neither a number nor a quantiles sketch fails the task, and so does a size that no sketch has', async () => {
  const { load } = await started();
  const metric = { type: 'quantilesDoublesSketch', name: 'times', fieldName: 'ms' };
  expect(await load([{ ...rows[0], ms: 'AQMDAAA6zJMjWZVsQSOjWQ==' }], [metric])).toMatchObject({
    statusCode: 'FAILED',
    errorMsg: expect.stringContaining('Family ID [3] is not that of a quantiles sketch'),
  });
  await expect(load(rows, [{ ...metric, k: 100 }])).rejects.toThrow();
});

test('a text that is not a sketch fails the task with what is wrong with it', async () => {
  const { load } = await started();
  const metric = {
    type: 'thetaSketch',
    name: 'given',
    fieldName: 'sketch',
    isInputThetaSketch: true,
  };
  const status = await load([{ ...rows[0], sketch: 'AAAA' }], [metric]);
  expect(status).toMatchObject({
    statusCode: 'FAILED',
    errorMsg: expect.stringContaining('A theta sketch has at least [8] bytes, not [3]'),
  });
});

test('first and last values are stored with their times, and choose by them in rollup, queries and compaction', async () => {
  const { load, compact, sql, native } = await started();
  const row = (time: string, text: unknown, number: unknown, other?: number) => ({
    t: `2024-01-01T${time}Z`,
    page: 'x',
    text,
    number,
    other,
  });
  const metrics = [
    { type: 'stringFirst', name: 'sf', fieldName: 'text' },
    { type: 'stringLast', name: 'sl', fieldName: 'text', maxStringBytes: 2 },
    { type: 'longLast', name: 'll', fieldName: 'number' },
    { type: 'floatFirst', name: 'ff', fieldName: 'number' },
    { type: 'doubleLast', name: 'd', fieldName: 'number', timeColumn: 'other' },
    { type: 'stringLast', name: 'none', fieldName: 'absent' },
  ];
  const rows = [
    row('01:00:02', 'two', 0.1, 7),
    row('01:00:03', 'three', 3),
    row('01:00:03', 'thrice', 4, 9),
    row('01:00:01', null, 1, 8),
    row('02:00:00', ['a', 'b'], null),
  ];
  const aggregators = (one: string) => [
    { type: one, name: 'v', fieldName: one === 'longLast' ? 'll' : 'sl' },
  ];
  const last = (one: string) => native({ queryType: 'timeseries', aggregations: aggregators(one) });

  expect((await load(rows, metrics)).statusCode).toBe('SUCCESS');

  expect(await sql('SELECT sf, sl, ll, ff, d, "none" FROM d')).toEqual([
    [
      '{"lhs":1704070802000,"rhs":"two"}',
      '{"lhs":1704070803000,"rhs":"th"}',
      '{"lhs":1704070803000,"rhs":4}',
      '{"lhs":1704070801000,"rhs":1.0}',
      '{"lhs":9,"rhs":4.0}',
      '{"lhs":-4611686018427387904,"rhs":null}',
    ],
    [
      '{"lhs":1704074400000,"rhs":"[a, b]"}',
      '{"lhs":1704074400000,"rhs":"[a"}',
      '{"lhs":1704074400000,"rhs":null}',
      '{"lhs":1704074400000,"rhs":null}',
      '{"lhs":-9223372036854775808,"rhs":null}',
      '{"lhs":-4611686018427387904,"rhs":null}',
    ],
  ]);
  const chosen =
    'SELECT EARLIEST(sf, 9), LATEST(sl, 9), LATEST(ll), EARLIEST(ff), LATEST_BY(d, __time) FROM d';
  const found = [['two', '[a', null, 1, 4]];
  expect(await sql(chosen)).toEqual(found);
  expect(await last('stringLast')).toMatchObject([{ result: { v: '[a' } }]);
  expect(await last('longLast')).toMatchObject([{ result: { v: null } }]);
  expect(await native({ queryType: 'scan', columns: ['ll'], limit: 1 })).toMatchObject([
    { events: [{ ll: { lhs: 1704070803000, rhs: 4 } }] },
  ]);
  expect((await compact()).statusCode).toBe('SUCCESS');
  expect(await sql('SELECT sf, ll FROM d')).toEqual([
    ['{"lhs":1704070802000,"rhs":"two"}', '{"lhs":1704074400000,"rhs":null}'],
  ]);
  expect(await sql(chosen)).toEqual(found);
});

test('a filtered last value is that of its rows, and any value of a number is 0 in place of null', async () => {
  const { load, sql } = await started();
  const filtered = (type: string, name: string, fieldName: string) => ({
    type: 'filtered',
    filter: { type: 'selector', dimension: 'user', value: 'x' },
    aggregator: { type, name, fieldName },
  });
  const metrics = [
    filtered('longLast', 'n', 'number'),
    filtered('stringLast', 's', 'user'),
    filtered('longLast', 'none', 'absent'),
    { type: 'doubleAny', name: 'a', fieldName: 'absent' },
  ];
  const rows = [
    { t: '2024-01-01T01:00:01Z', page: 'p', user: 'x', number: 5 },
    { t: '2024-01-01T01:00:02Z', page: 'p', user: 'y', number: 7 },
  ];

  await load(rows, metrics);

  expect(await sql('SELECT n, s, "none", a FROM d')).toEqual([
    [
      '{"lhs":1704070801000,"rhs":5}',
      '{"lhs":1704070801000,"rhs":"x"}',
      '{"lhs":-9223372036854775808,"rhs":null}',
      0,
    ],
  ]);
});

test('a column of pairs may have plain values in other segments', async () => {
  const { load, sql, native } = await started();
  const plain = [{ t: '2024-01-01T01:00:00Z', page: 'x', number: 5 }];
  const paired = [{ t: '2024-01-02T01:00:00Z', page: 'x', number: 7 }];
  await load(plain, [{ type: 'longSum', name: 'v', fieldName: 'number' }]);

  await load(paired, [{ type: 'longLast', name: 'v', fieldName: 'number' }]);

  const before = "SELECT LATEST(v) FROM d WHERE __time < TIMESTAMP '2024-01-02'";
  expect(await sql(before)).toEqual([[5]]);
  expect(await sql('SELECT EARLIEST(v), LATEST(v) FROM d')).toEqual([[5, 7]]);
  const aggregations = [{ type: 'longFirst', name: 'v', fieldName: 'v' }];
  expect(await native({ queryType: 'timeseries', aggregations })).toMatchObject([
    { result: { v: 5 } },
  ]);
});
