// Grouping sets, buckets of time and limits that multiply a small request.
import {
  type Attack,
  type AttackClass,
  answered,
  type Ending,
  list,
  refused,
  refusedWith,
  timedOut,
  tooMuch,
  value,
} from '../attack.ts';
import { nativeOn } from './bodies.ts';

const columns = [
  'channel',
  'cityName',
  'comment',
  'countryIsoCode',
  'countryName',
  'isAnonymous',
  'isMinor',
  'isNew',
  'isRobot',
  'isUnpatrolled',
  'namespace',
  'page',
  'regionIsoCode',
  'regionName',
  'user',
  'added',
  'deleted',
  'delta',
  'metroCode',
  'diffUrl',
];
const first = (count: number) => list(count, (at) => `"${columns[at % columns.length]}"`);
const count = answered(/^\[\[\d+/);

const statements: readonly [name: string, sql: () => string, ...right: Ending[]][] = [
  [
    'CUBE of 14 columns',
    () => `SELECT ${first(14)}, COUNT(*) FROM wikipedia GROUP BY CUBE (${first(14)})`,
  ],
  [
    'CUBE of 14 columns, counted',
    () =>
      `SELECT COUNT(*) FROM (SELECT ${first(14)}, COUNT(*) FROM wikipedia GROUP BY CUBE (${first(14)}))`,
  ],
  [
    'CUBE of 20 columns',
    () => `SELECT COUNT(*) FROM (SELECT 1 FROM wikipedia GROUP BY CUBE (${first(20)}))`,
  ],
  [
    'CUBE of 31 columns',
    () =>
      `SELECT COUNT(*) FROM (SELECT 1 FROM wikipedia GROUP BY CUBE (${list(31, (at) => `added + ${at}`)}))`,
  ],
  [
    'CUBE of 64 columns',
    () =>
      `SELECT COUNT(*) FROM (SELECT 1 FROM wikipedia GROUP BY CUBE (${list(64, (at) => `added + ${at}`)}))`,
  ],
  [
    'CUBE of 1,000 columns',
    () =>
      `SELECT COUNT(*) FROM (SELECT 1 FROM wikipedia GROUP BY CUBE (${list(1000, (at) => `added + ${at}`)}))`,
  ],
  [
    'CUBE of 3 columns is not an attack',
    () =>
      'SELECT COUNT(*) FROM (SELECT isNew, isRobot, isMinor FROM wikipedia GROUP BY CUBE (isNew, isRobot, isMinor))',
    count,
  ],
  [
    'ROLLUP of 20 columns',
    () => `SELECT COUNT(*) FROM (SELECT 1 FROM wikipedia GROUP BY ROLLUP (${first(20)}))`,
    count,
  ],
  [
    'ROLLUP of 5,000 columns',
    () =>
      `SELECT COUNT(*) FROM (SELECT 1 FROM wikipedia GROUP BY ROLLUP (${list(5000, (at) => `added + ${at}`)}))`,
  ],
  [
    'GROUPING SETS of 100,000',
    () =>
      `SELECT COUNT(*) FROM wikipedia GROUP BY GROUPING SETS (${list(100_000, '(channel)', ',')})`,
  ],
  [
    'GROUPING SETS of 3,000 over rows',
    () =>
      `SELECT COUNT(*) FROM wikipedia GROUP BY GROUPING SETS (${list(3000, (at) => `(page, added + ${at})`)})`,
  ],
  [
    'CUBE times CUBE',
    () =>
      `SELECT COUNT(*) FROM wikipedia GROUP BY CUBE (${first(8)}), CUBE (${list(8, (at) => `added + ${at}`)})`,
  ],
  [
    'GROUPING SETS of CUBE',
    () =>
      `SELECT COUNT(*) FROM wikipedia GROUP BY GROUPING SETS (CUBE (${first(12)}), ROLLUP (${first(12)}))`,
  ],
  [
    'GROUPING of 64 columns',
    () =>
      `SELECT GROUPING(${list(64, (at) => `"${columns[at % 20]}"`)}) FROM wikipedia GROUP BY ${first(20)} LIMIT 1`,
  ],
  [
    'three CUBE of four in UNION',
    () =>
      list(
        20,
        () => `SELECT COUNT(*) FROM (SELECT 1 FROM wikipedia GROUP BY CUBE (${first(10)}))`,
        ' UNION ALL ',
      ),
  ],
  [
    'seconds of each row',
    () =>
      "SELECT COUNT(*) FROM (SELECT TIME_FLOOR(__time, 'PT1S'), page, COUNT(*) FROM wikipedia GROUP BY 1, 2)",
    count,
  ],
  [
    'PIVOT of 50,000',
    () =>
      `SELECT * FROM wikipedia PIVOT (SUM(added) FOR page IN (${list(50_000, (at) => `'p${at}' AS c${at}`)}))`,
  ],
];

const on = (query: object) =>
  nativeOn({ aggregations: [{ type: 'count', name: 'n' }], context: { timeout: 6000 }, ...query });
const eternity = ['-146136543-09-08T08:23:32.096Z/146140482-04-24T15:36:27.903Z'];
const natives: readonly [name: string, query: object, ...right: Ending[]][] = [
  [
    'seconds over eternity',
    { queryType: 'timeseries', granularity: 'second', intervals: eternity },
    answered(/"n":/),
  ],
  [
    'milliseconds of all rows with empty buckets',
    {
      queryType: 'timeseries',
      granularity: 'none',
      intervals: eternity,
      context: { skipEmptyBuckets: false, timeout: 3000 },
    },
  ],
  [
    'unions of unions',
    {
      queryType: 'timeseries',
      granularity: 'all',
      intervals: eternity,
      dataSource: {
        type: 'union',
        dataSources: Array.from({ length: 300 }, () => ({
          type: 'union',
          dataSources: Array.from({ length: 300 }, () => 'wikipedia'),
        })),
      },
    },
  ],
  [
    'seconds over eternity with empty buckets',
    {
      queryType: 'timeseries',
      granularity: 'second',
      intervals: eternity,
      context: { skipEmptyBuckets: false, timeout: 6000 },
    },
    answered(/^\[/),
  ],
  [
    'seconds over eternity without rows',
    {
      queryType: 'timeseries',
      granularity: 'second',
      dataSource: 'wikipedia',
      filter: { type: 'selector', dimension: 'page', value: '\u0001' },
      intervals: eternity,
      context: { skipEmptyBuckets: false, timeout: 6000 },
    },
    answered(/^\[/),
  ],
  [
    'milliseconds over a millennium',
    {
      queryType: 'timeseries',
      granularity: { type: 'duration', duration: 1 },
      intervals: ['1000/2000'],
      context: { skipEmptyBuckets: false, timeout: 6000 },
    },
    answered(/^\[/),
  ],
  [
    'no granularity over eternity',
    {
      queryType: 'timeseries',
      granularity: 'none',
      intervals: eternity,
      context: { skipEmptyBuckets: false, timeout: 6000 },
    },
    answered(),
  ],
  [
    'a period of a millisecond',
    {
      queryType: 'timeseries',
      granularity: { type: 'period', period: 'PT0.001S' },
      intervals: eternity,
      context: { skipEmptyBuckets: false, timeout: 6000 },
    },
    answered(/^\[/),
  ],
  [
    'a period of nothing',
    { queryType: 'timeseries', granularity: { type: 'period', period: 'PT0S' } },
  ],
  [
    'a period that goes back',
    { queryType: 'timeseries', granularity: { type: 'period', period: 'P-1D' } },
    answered(/^\[/),
  ],
  [
    'a period of 2^31 years',
    { queryType: 'timeseries', granularity: { type: 'period', period: 'P2147483647Y' } },
    answered(),
  ],
  [
    'a period of 10^30 years',
    { queryType: 'timeseries', granularity: { type: 'period', period: `P1${'0'.repeat(30)}Y` } },
  ],
  [
    'a period of a million parts',
    {
      queryType: 'timeseries',
      granularity: { type: 'period', period: `P${'1D'.repeat(1_000_000)}` },
    },
  ],
  [
    'a period with an origin in year -292 million',
    {
      queryType: 'timeseries',
      granularity: { type: 'period', period: 'PT1S', origin: '-292275055-05-16T16:47:04.192Z' },
    },
    answered(),
  ],
  ['a duration of 0', { queryType: 'timeseries', granularity: { type: 'duration', duration: 0 } }],
  [
    'a duration of -1',
    { queryType: 'timeseries', granularity: { type: 'duration', duration: -1 } },
  ],
  [
    'a duration of 2^63',
    {
      queryType: 'timeseries',
      granularity: { type: 'duration', duration: 9223372036854775807n.toString() },
    },
    answered(),
  ],
  [
    'buckets of an unknown zone',
    {
      queryType: 'timeseries',
      granularity: { type: 'period', period: 'P1D', timeZone: 'Mars/Olympus' },
    },
    answered(),
  ],
  [
    'buckets in a zone over eternity',
    {
      queryType: 'timeseries',
      granularity: { type: 'period', period: 'PT1H', timeZone: 'Europe/Paris' },
      intervals: eternity,
      context: { skipEmptyBuckets: false, timeout: 6000 },
    },
    answered(/^\[\{"timestamp":"2015-09-12T02:00:00.000\+02:00"/), // only hours between the first and the last row
  ],
  [
    'days over eternity with empty buckets',
    {
      queryType: 'timeseries',
      granularity: 'day',
      intervals: eternity,
      context: { skipEmptyBuckets: false, timeout: 6000 },
    },
    answered(/^\[/),
  ],
  [
    'a thousand intervals of seconds',
    {
      queryType: 'timeseries',
      granularity: 'second',
      intervals: Array.from({ length: 1000 }, (_, at) => `${1000 + at}/${1001 + at}`),
      context: { skipEmptyBuckets: false, timeout: 6000 },
    },
    answered(/^\[/),
  ],
  [
    'topN of each second',
    {
      queryType: 'topN',
      granularity: 'second',
      dimension: 'page',
      metric: 'n',
      threshold: 2147483647,
      intervals: eternity,
    },
    answered(),
  ],
  [
    'topN of 2^31',
    {
      queryType: 'topN',
      granularity: 'all',
      dimension: 'page',
      metric: 'n',
      threshold: 2147483647,
    },
    answered(),
  ],
  [
    'topN of 2^63',
    { queryType: 'topN', granularity: 'all', dimension: 'page', metric: 'n', threshold: 9.3e18 },
  ],
  [
    'topN of -1',
    { queryType: 'topN', granularity: 'all', dimension: 'page', metric: 'n', threshold: -1 },
  ],
  [
    'groupBy of each second',
    { queryType: 'groupBy', granularity: 'second', dimensions: ['page'], intervals: eternity },
    answered(),
  ],
  [
    'groupBy with 16,384 subtotals',
    {
      queryType: 'groupBy',
      granularity: 'all',
      dimensions: columns.slice(0, 14),
      subtotalsSpec: Array.from({ length: 16_384 }, (_, set) =>
        columns.slice(0, 14).filter((_, at) => set & (1 << at)),
      ),
    },
  ],
  [
    'groupBy with a limit of 2^31',
    {
      queryType: 'groupBy',
      granularity: 'all',
      dimensions: columns.slice(0, 19),
      limitSpec: { type: 'default', limit: 2147483647, columns: columns.slice(0, 19) },
    },
    answered(),
  ],
  [
    'groupBy with an offset of 2^53',
    {
      queryType: 'groupBy',
      granularity: 'all',
      dimensions: ['page'],
      limitSpec: { type: 'default', limit: 1, offset: 9007199254740992, columns: ['page'] },
    },
    answered(/^\[\]/),
  ],
  [
    'scan with a batch of 2^31',
    { queryType: 'scan', batchSize: 2147483647, columns: ['page'] },
    answered(),
  ],
  [
    'scan with a batch of 0',
    { queryType: 'scan', batchSize: 0, columns: ['page'], limit: 1 },
    answered(),
  ],
  [
    'scan with a limit of 2^63',
    { queryType: 'scan', limit: '9223372036854775807', columns: ['page'] },
    answered(),
  ],
  [
    'scan with an offset of 2^63',
    { queryType: 'scan', limit: 1, offset: '9223372036854775807', columns: ['page'] },
    answered(/^\[/),
  ],
  [
    'search with a limit of 2^31',
    {
      queryType: 'search',
      granularity: 'all',
      limit: 2147483647,
      query: { type: 'contains', value: '' },
    },
    answered(),
  ],
  [
    'search of each second',
    {
      queryType: 'search',
      granularity: 'second',
      intervals: eternity,
      query: { type: 'contains', value: 'a' },
    },
    answered(),
  ],
  [
    'listFiltered of a million',
    {
      queryType: 'groupBy',
      granularity: 'all',
      dimensions: [
        {
          type: 'listFiltered',
          delegate: 'page',
          values: Array.from({ length: 300_000 }, (_, at) => `p${at}`),
        },
      ],
    },
    answered(),
  ],
  [
    'bucket extraction of 0',
    {
      queryType: 'groupBy',
      granularity: 'all',
      dimensions: [
        {
          type: 'extraction',
          dimension: 'added',
          outputName: 'd',
          extractionFn: { type: 'bucket', size: 0 },
        },
      ],
    },
    answered(),
  ],
  [
    'substring extraction of 2^31',
    {
      queryType: 'groupBy',
      granularity: 'all',
      dimensions: [
        {
          type: 'extraction',
          dimension: 'page',
          outputName: 'd',
          extractionFn: { type: 'substring', index: 0, length: 2147483647 },
        },
      ],
      limitSpec: { type: 'default', limit: 1 },
    },
    answered(),
  ],
  [
    'timeBoundary of nothing',
    { queryType: 'timeBoundary', bound: 'x'.repeat(1_000_000) },
    answered(),
  ],
];

export const grouping: AttackClass = {
  name: 'grouping',
  attacks: [
    ...statements.map(
      ([name, sql, ...right]): Attack => ({
        name,
        as: 'anyone',
        asks: { sql, context: { timeout: 8000 } },
        expects: [refused(), tooMuch, timedOut, ...right],
        withinMs: 12_000,
        ...(/CUBE of 14 columns|CUBE times/.test(name) && {
          stopsBy: ['timeout', 'cancel', 'gone', 'sigterm'] as const,
        }),
      }),
    ),
    ...natives.map(
      ([name, query, ...right]): Attack => ({
        name: `native: ${name}`,
        as: 'anyone',
        asks: { native: on(query) },
        expects: [refused(), tooMuch, timedOut, ...right],
        withinMs: 10_000,
        ...(/^seconds over eternity with/.test(name) && {
          stopsBy: ['timeout', 'cancel', 'gone'] as const,
        }),
      }),
    ),
    {
      name: 'a bucket of each row by TIME_FLOOR with a period of nothing',
      as: 'anyone',
      asks: { sql: "SELECT COUNT(*) FROM wikipedia GROUP BY TIME_FLOOR(__time, 'PT0S')" },
      expects: [refused(), refusedWith(500, /zero period/)],
    },
    {
      name: 'TIME_SHIFT by 2^31 periods',
      as: 'anyone',
      asks: { sql: "SELECT TIME_SHIFT(TIMESTAMP '2024-01-01', 'P1Y', 2147483647)" },
      expects: [refused(), answered()],
    },
    {
      name: 'TIMESTAMPADD of 2^62 years',
      as: 'anyone',
      asks: { sql: "SELECT TIMESTAMPADD(YEAR, 4611686018427387904, TIMESTAMP '2024-01-01')" },
      expects: [refused(), answered()],
    },
    {
      name: 'an interval from year -292 million',
      as: 'anyone',
      asks: {
        sql: "SELECT COUNT(*) FROM wikipedia WHERE TIME_IN_INTERVAL(__time, '-292275055-05-16/292278994-08-17')",
      },
      expects: [value(39244), refused()],
    },
  ],
};
