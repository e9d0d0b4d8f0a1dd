// Arguments of sketches, exact lists and approximations that ask for more than there is.
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
} from '../attack.ts';
import { nativeOn } from './bodies.ts';

// The real engine's status, and mostly its words.
const unreadable = refusedWith(
  500,
  /failed to deserialize|must be a positive integer-power of 2|No HLL sketch has the type|An HLL sketch ends after|of serialization version|A theta sketch has at least/,
);
const some = answered(/^\[/);
const statements: readonly [name: string, sql: string, ...right: Ending[]][] = [
  [
    'a theta sketch of 2^30',
    'SELECT APPROX_COUNT_DISTINCT_DS_THETA(page, 1073741824) FROM wikipedia',
  ],
  [
    'a theta sketch of 2^62',
    'SELECT APPROX_COUNT_DISTINCT_DS_THETA(page, 4611686018427387904) FROM wikipedia',
  ],
  ['a theta sketch of -1', 'SELECT APPROX_COUNT_DISTINCT_DS_THETA(page, -1) FROM wikipedia'],
  ['an HLL sketch of 2^30', 'SELECT APPROX_COUNT_DISTINCT_DS_HLL(page, 30) FROM wikipedia'],
  [
    'an HLL sketch of an unknown kind',
    "SELECT APPROX_COUNT_DISTINCT_DS_HLL(page, 12, 'HLL_99') FROM wikipedia",
  ],
  [
    'a quantiles sketch of 2^31',
    'SELECT APPROX_QUANTILE_DS(added, 0.5, 2147483647) FROM wikipedia',
  ],
  ['a quantiles sketch of 3', 'SELECT APPROX_QUANTILE_DS(added, 0.5, 3) FROM wikipedia'],
  ['a quantile of 2', 'SELECT APPROX_QUANTILE_DS(added, 2.0) FROM wikipedia'],
  ['a quantile of NaN', "SELECT APPROX_QUANTILE_DS(added, CAST('NaN' AS DOUBLE)) FROM wikipedia"],
  [
    'fixed buckets of 2^31',
    "SELECT APPROX_QUANTILE_FIXED_BUCKETS(added, 0.5, 2147483647, 0, 1000, 'ignore') FROM wikipedia",
  ],
  [
    'fixed buckets of nothing',
    "SELECT APPROX_QUANTILE_FIXED_BUCKETS(added, 0.5, 0, 1, 1, 'ignore') FROM wikipedia",
  ],
  [
    'a histogram of 100,000 splits',
    `SELECT DS_HISTOGRAM(DS_QUANTILES_SKETCH(added), ${list(100_000, String)}) FROM wikipedia`,
  ],
  [
    'a cdf of 100,000 splits',
    `SELECT DS_CDF(DS_QUANTILES_SKETCH(added), ${list(100_000, String)}) FROM wikipedia`,
  ],
  [
    'a histogram of split points that go back',
    'SELECT DS_HISTOGRAM(DS_QUANTILES_SKETCH(added), 5, 1, 3) FROM wikipedia',
  ],
  [
    '100,000 quantiles',
    `SELECT DS_GET_QUANTILES(DS_QUANTILES_SKETCH(added), ${list(100_000, '0.5')}) FROM wikipedia`,
  ],
  [
    'a sketch of each row',
    'SELECT page, comment, DS_THETA(user, 16384), DS_QUANTILES_SKETCH(added, 32768) FROM wikipedia GROUP BY 1, 2',
  ],
  [
    'a thousand sketches',
    `SELECT ${list(1000, (at) => `APPROX_COUNT_DISTINCT_DS_THETA(page || '${at}', 65536)`)} FROM wikipedia`,
  ],
  [
    'the union of a thousand sketches',
    `SELECT THETA_SKETCH_ESTIMATE(THETA_SKETCH_UNION(65536, ${list(1000, (at) => `DS_THETA(page || '${at}')`)})) FROM wikipedia`,
  ],
  [
    'a sketch of a broken text',
    "SELECT HLL_SKETCH_ESTIMATE(DECODE_BASE64_COMPLEX('HLLSketch', 'AAAA'))",
  ],
  [
    'a sketch of a vast text',
    "SELECT THETA_SKETCH_ESTIMATE(DECODE_BASE64_COMPLEX('thetaSketch', REPEAT('////', 1000000)))",
  ],
  ['a bloom filter of 2^31', 'SELECT BLOOM_FILTER(page, 2147483647) FROM wikipedia'],
  ['a bloom filter of 2^62', 'SELECT BLOOM_FILTER(page, 4611686018427387904) FROM wikipedia'],
  ['a bloom filter of -1', 'SELECT BLOOM_FILTER(page, -1) FROM wikipedia'],
  [
    'a bloom filter of each row',
    'SELECT page, BLOOM_FILTER(user, 1000000) FROM wikipedia GROUP BY 1',
  ],
  [
    'the test of a broken bloom filter',
    "SELECT COUNT(*) FROM wikipedia WHERE BLOOM_FILTER_TEST(page, 'AAAA')",
  ],
  [
    'the test of a bloom filter of a megabyte',
    `SELECT COUNT(*) FROM wikipedia WHERE BLOOM_FILTER_TEST(page, '${'A'.repeat(1_000_000)}')`,
  ],
  [
    'tuples of 2^31',
    'SELECT DS_TUPLE_DOUBLES_METRICS_SUM_ESTIMATE(DS_TUPLE_DOUBLES(page, added, 2147483647)) FROM wikipedia',
  ],
  [
    'a distinct count of a join',
    'SELECT APPROX_COUNT_DISTINCT(a.page || b.page) FROM wikipedia a JOIN wikipedia b ON a.channel = b.channel',
  ],
  ['EARLIEST of 2^31 bytes', 'SELECT CHAR_LENGTH(EARLIEST(page, 2147483647)) FROM wikipedia'],
  ['EARLIEST of -1 bytes', 'SELECT EARLIEST(page, -1) FROM wikipedia'],
  ['ANY_VALUE of 2^62 bytes', 'SELECT ANY_VALUE(page, 4611686018427387904) FROM wikipedia'],
  ['ARRAY_AGG of -1 bytes', 'SELECT ARRAY_AGG(page, -1) FROM wikipedia'],
  ['STRING_AGG of -1 bytes', "SELECT STRING_AGG(page, ',', -1) FROM wikipedia"],
];

const natives: readonly [name: string, aggregator: object][] = [
  ['thetaSketch of 2^30', { type: 'thetaSketch', name: 's', fieldName: 'page', size: 1073741824 }],
  ['HLLSketchBuild of 2^40', { type: 'HLLSketchBuild', name: 's', fieldName: 'page', lgK: 40 }],
  [
    'quantilesDoublesSketch of 2^30',
    { type: 'quantilesDoublesSketch', name: 's', fieldName: 'added', k: 1073741824 },
  ],
  [
    'approxHistogram of 2^31',
    {
      type: 'approxHistogram',
      name: 's',
      fieldName: 'added',
      resolution: 2147483647,
      numBuckets: 2147483647,
    },
  ],
  [
    'fixedBucketsHistogram of 2^31',
    {
      type: 'fixedBucketsHistogram',
      name: 's',
      fieldName: 'added',
      numBuckets: 2147483647,
      lowerLimit: 0,
      upperLimit: 1,
      outlierHandlingMode: 'overflow',
    },
  ],
  [
    'cardinality of 100,000 fields',
    {
      type: 'cardinality',
      name: 's',
      fields: Array.from({ length: 100_000 }, () => 'page'),
      byRow: true,
    },
  ],
  [
    'bloom of 2^31',
    {
      type: 'bloom',
      name: 's',
      field: { type: 'default', dimension: 'page' },
      maxNumEntries: 2147483647,
    },
  ],
  ['momentSketch of 1000', { type: 'momentSketch', name: 's', fieldName: 'added', k: 1000 }],
  [
    'filtered 500 deep',
    Array.from({ length: 300 }).reduce<object>(
      (aggregator) => ({ type: 'filtered', filter: { type: 'true' }, aggregator }),
      {
        type: 'count',
        name: 's',
      },
    ),
  ],
  [
    'stringAny of -1 bytes',
    { type: 'stringAny', name: 's', fieldName: 'page', maxStringBytes: -1 },
  ],
  ['an unknown aggregator', { type: '../../etc/passwd', name: 's' }],
];

export const sketches: AttackClass = {
  name: 'sketches',
  attacks: [
    ...statements.map(
      ([name, sql, ...right]): Attack => ({
        name,
        as: 'anyone',
        asks: { sql, context: { timeout: 8000 } },
        expects: [refused(), tooMuch, timedOut, some, unreadable, ...right],
        withinMs: 10_000,
        ...(/a thousand sketches/.test(name) && {
          stopsBy: ['timeout', 'cancel', 'gone'] as const,
        }),
      }),
    ),
    ...natives.map(
      ([name, aggregator]): Attack => ({
        name: `native: ${name}`,
        as: 'anyone',
        asks: {
          native: nativeOn({
            queryType: 'timeseries',
            granularity: 'all',
            aggregations: [aggregator],
            context: { timeout: 8000 },
          }),
        },
        expects: [refused(), tooMuch, timedOut, some],
        withinMs: 10_000,
      }),
    ),
  ],
};
