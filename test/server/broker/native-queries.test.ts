// Native queries of every type against a real service with real segments.
import { expect, test } from 'vitest';
import { visitsService } from '../../support/visits.ts';
import { api } from '../../support/wire.ts';

const service = visitsService();

type Query = Readonly<Record<string, unknown>>;

const asked = (query: Query) =>
  api(service()).post('/svc/v2/', {
    dataSource: 'visits',
    intervals: ['2020-01-01/2020-02-01'],
    granularity: 'all',
    ...query,
  });

/** The answer to a query that is not refused. */
async function answerTo(query: Query) {
  const { status, text, body } = await asked(query);
  if (status !== 200) throw new Error(text);
  return body;
}

const rows = [{ type: 'count', name: 'rows' }];
const field = (fieldName: string) => ({ type: 'fieldAccess', fieldName });
const constant = (value: number) => ({ type: 'constant', name: 'c', value });

/** What timeseries says of all time. */
const totals = async (query: Query) =>
  (await answerTo({ queryType: 'timeseries', aggregations: rows, ...query }))[0].result;

/** Start (without zeros) and number of rows of each bucket. */
const counted = async (query: Query) =>
  (await answerTo({ queryType: 'timeseries', aggregations: rows, ...query })).map(
    ({ timestamp, result }: { timestamp: string | null; result: { rows: number } }) =>
      `${timestamp} ${result.rows}`,
  );

/** The values of each group of groupBy, in the order of the result. */
const grouped = async (dimensions: readonly unknown[], query: Query = {}) =>
  await answerTo({
    queryType: 'groupBy',
    dimensions,
    aggregations: rows,
    ...query,
    context: { resultAsArray: true, ...(query.context as object) },
  });

/** The values of topN over all time. */
const topValues = async (query: Query): Promise<readonly object[]> =>
  (await answerTo({ queryType: 'topN', threshold: 5, ...query }))[0].result;

const extracted = (dimension: string, extractionFn: Query) =>
  grouped([{ type: 'extraction', dimension, outputName: 'out', extractionFn }]);

test('a query over a query reads its estimates, and merges its sketches where the context of the inner one says so', async () => {
  const kinds = [
    ['thetaSketch', 'thetaSketch'],
    ['HLLSketchBuild', 'HLLSketchMerge'],
    ['quantilesDoublesSketch', 'quantilesDoublesSketch', 'n'],
  ] as const;
  for (const [build, merge, fieldName = 'tags'] of kinds) {
    const inner = {
      queryType: 'groupBy',
      dataSource: 'visits',
      granularity: 'month',
      intervals: ['2020-01-01/2020-02-01'],
      dimensions: ['city'],
    };
    const over = async (context: Query, aggregation: Query) => {
      const query = {
        ...inner,
        context,
        aggregations: [{ type: build, name: 'sketch', fieldName }],
      };
      return (
        await totals({
          dataSource: { type: 'query', query },
          aggregations: [{ name: 'x', fieldName: 'sketch', ...aggregation }],
        })
      ).x;
    };
    const whole = (await totals({ aggregations: [{ type: build, name: 'x', fieldName }] })).x;
    expect(await over({ finalize: false }, { type: merge }), build).toBe(whole);
    expect(await over({}, { type: 'doubleSum' }), build).toBeGreaterThanOrEqual(whole);
  }
});

test('timeseries says where a bucket is empty, within each segment from its first row to its last', async () => {
  const day = ['2020-01-01T02:00:00Z/2020-01-01T06:00:00Z'];
  expect(await counted({ granularity: 'hour', intervals: day })).toEqual([
    '2020-01-01T02:00:00.000Z 0',
    '2020-01-01T03:00:00.000Z 1',
    '2020-01-01T04:00:00.000Z 0',
    '2020-01-01T05:00:00.000Z 0',
  ]);
  expect(
    await counted({
      granularity: 'hour',
      intervals: day,
      descending: true,
      limit: 2,
      context: { grandTotal: true },
    }),
  ).toEqual(['2020-01-01T05:00:00.000Z 0', '2020-01-01T04:00:00.000Z 0', 'null 0']);
  expect(
    await counted({ granularity: 'hour', intervals: day, context: { skipEmptyBuckets: true } }),
  ).toEqual(['2020-01-01T03:00:00.000Z 1']);
  expect(await counted({ granularity: 'day', intervals: ['2019/2021'] })).toEqual([
    '2020-01-01T00:00:00.000Z 3',
    '2020-01-02T00:00:00.000Z 2',
    '2020-01-03T00:00:00.000Z 1',
  ]);
  expect(await counted({ granularity: 'day', intervals: ['1999/2000'] })).toEqual([]);
});

test('the grand total is that of the results that a limit leaves', async () => {
  const limited = (query: Query) =>
    counted({ granularity: 'day', limit: 2, context: { grandTotal: true }, ...query });
  expect(await limited({})).toEqual([
    '2020-01-01T00:00:00.000Z 3',
    '2020-01-02T00:00:00.000Z 2',
    'null 5',
  ]);
  expect(await limited({ descending: true })).toEqual([
    '2020-01-03T00:00:00.000Z 1',
    '2020-01-02T00:00:00.000Z 2',
    'null 3',
  ]);
  const filter = { type: 'selector', dimension: 'city', value: 'nowhere' };
  expect(await limited({ filter, context: { grandTotal: true, skipEmptyBuckets: true } })).toEqual([
    'null null',
  ]);
});

test('any value is that of the first segment, even if it has none; descending, of the last', async () => {
  const any = (dimension: string, inner: Query = {}) => {
    const filter = { type: 'selector', dimension: 'city', value: dimension };
    return [
      { type: 'stringAny', name: 'city', fieldName: 'city' },
      {
        type: 'filtered',
        filter,
        aggregator: { type: 'longAny', name: 'n', fieldName: 'n', ...inner },
      },
    ];
  };
  expect(await totals({ aggregations: any('Lima') })).toEqual({ city: 'Paris', n: 2 });
  expect(await totals({ aggregations: any('Oslo') })).toEqual({ city: 'Paris', n: null });
  expect(await totals({ aggregations: any('Oslo'), descending: true })).toEqual({
    city: 'Lima',
    n: null,
  });
  expect(await grouped([], { aggregations: any('Oslo') })).toEqual([['Paris', null]]);
  const days: readonly { result: { n: number } }[] = await answerTo({
    queryType: 'timeseries',
    granularity: 'day',
    descending: true,
    aggregations: [{ type: 'longAny', name: 'n', fieldName: 'n' }],
  });
  expect(days.map(({ result }) => result.n)).toEqual([5, 4, null]);
  const { city } = await totals({
    filter: { type: 'selector', dimension: 'city', value: 'Oslo' },
    aggregations: any('Oslo'),
  });
  expect(city).toBe(null);
});

test('a sum of floats adds values as floats', async () => {
  const expression = 'case_searched(n == 1, 1.0 / 3, -1.0)';
  const { sum } = await totals({
    aggregations: [{ type: 'floatSum', name: 'sum', expression }],
    filter: { type: 'in', dimension: 'n', values: ['1', '2'] },
  });
  expect(sum).toBe(Math.fround(Math.fround(1 / 3) - 1));
});

test('of rows at the same time, a descending timeseries reads the last one first', async () => {
  const virtualColumns = [{ type: 'expression', name: 'now', expression: '1', outputType: 'LONG' }];
  const aggregations = ['stringFirst', 'stringLast'].map((type) => ({
    type,
    name: type,
    fieldName: 'city',
    timeColumn: 'now',
  }));
  const edges = { aggregations, virtualColumns };
  expect(await totals(edges)).toEqual({ stringFirst: 'Paris', stringLast: 'Lima' });
  expect(await totals({ ...edges, descending: true })).toEqual({
    stringFirst: 'Lima',
    stringLast: 'Paris',
  });
  const dataSource = {
    type: 'query',
    query: {
      queryType: 'groupBy',
      dataSource: 'visits',
      intervals: ['2020-01-01/2020-02-01'],
      granularity: 'all',
      dimensions: ['city'],
      aggregations: rows,
    },
  };
  const ofGroups = aggregations.map(({ timeColumn: _, ...aggregation }) => aggregation);
  const above = { dataSource, aggregations: ofGroups, intervals: ['1960/2030'], descending: true };
  expect(await totals(above)).toEqual({
    stringFirst: 'Paris',
    stringLast: null,
  });
});

test('subtotals count a row for each of its values', async () => {
  expect(await grouped(['tags', 'city'], { subtotalsSpec: [[]] })).toEqual([[null, null, 9]]);
});

test('a text that is not a number finds nulls, unless the engine computes by vectors', async () => {
  const filter = { type: 'selector', dimension: 'n', value: 'x' };
  const found = async ({ more, ...query }: Query & { readonly more?: readonly Query[] }) =>
    (await totals({ filter, ...query, aggregations: [...rows, ...(more ?? [])] })).rows;
  expect(await found({})).toBe(0);
  expect(await found({ more: [{ type: 'stringAny', name: 'x', fieldName: 'city' }] })).toBe(0);
  expect(
    await found({ virtualColumns: [{ type: 'expression', name: 'v', expression: 'n + 1' }] }),
  ).toBe(0);
  const byRows = [
    { context: { vectorize: false } },
    { descending: true },
    { more: [{ type: 'cardinality', name: 'x', fields: ['city'], byRow: true }] },
    { more: [{ type: 'stringAny', name: 'x', fieldName: 'n' }] },
    { more: [{ type: 'longSum', name: 'x', fieldName: 'city' }] },
    {
      more: [
        {
          type: 'filtered',
          filter: { type: 'columnComparison', dimensions: ['city', 'n'] },
          aggregator: { type: 'count', name: 'x' },
        },
      ],
    },
    {
      virtualColumns: [{ type: 'expression', name: 'v', expression: 'case_searched(n > 1, 1, 0)' }],
    },
  ];
  for (const query of byRows) expect(await found(query), JSON.stringify(query)).toBe(1);
  expect(await grouped(['city'], { filter })).toEqual([]);
  const upper = { type: 'extraction', dimension: 'city', extractionFn: { type: 'upper' } };
  expect(await grouped([upper], { filter })).toEqual([[null, 1]]);
});

test('a search with enough hits in indexes finds one more in rows', async () => {
  const [{ result }] = await answerTo({
    queryType: 'search',
    query: { type: 'contains', value: '' },
    searchDimensions: ['city', '__time'],
    limit: 1,
  });
  expect(result).toEqual([{ dimension: '__time', value: '1577836800000', count: 1 }]);
});

test('subtotals pass over a bucket that begins before the interval', async () => {
  const query = { granularity: 'day', intervals: ['2020-01-01T01:00:00Z/2020-02-01'] };
  const times = async (given: Query) =>
    (await grouped(['city'], { ...query, ...given })).map(([time]: [number]) => time);
  const days = [1, 2, 3].map((day) => Date.UTC(2020, 0, day));
  expect(new Set(await times({}))).toEqual(new Set(days));
  expect(await times({ subtotalsSpec: [[]] })).toEqual(days.slice(1));
});

test('any value of a bucket is that of the segment that is merged first', async () => {
  const granularity = { type: 'period', period: 'P2D', origin: '2019-12-31T00:00:00Z' };
  const aggregations = [{ type: 'stringAny', name: 'any', fieldName: 'city' }];
  const cities = async (query: Query) =>
    (await answerTo({ granularity, aggregations, ...query })).map(
      ({ result }: { result: unknown }) => result,
    );
  const series = { queryType: 'timeseries' };
  expect(await cities(series)).toEqual([{ any: 'Paris' }, { any: 'Lima' }]);
  expect(await cities({ ...series, descending: true })).toEqual([{ any: 'Oslo' }, { any: null }]);
  const filter = { type: 'selector', dimension: 'city', value: 'Oslo' };
  expect(await cities({ ...series, filter })).toEqual([{ any: null }, { any: null }]);
  const context = { skipEmptyBuckets: true };
  expect(await cities({ ...series, filter, context })).toEqual([{ any: 'Oslo' }]);
  const top = { queryType: 'topN', dimension: 'nope', metric: { type: 'dimension' }, threshold: 1 };
  expect(await cities(top)).toEqual([
    [{ nope: null, any: 'Paris' }],
    [{ nope: null, any: 'Lima' }],
  ]);
  expect(await cities({ ...top, filter })).toEqual([[], [{ nope: null, any: 'Oslo' }]]);
});

test('an empty list of intervals holds no time', async () => {
  expect(await counted({ intervals: [] })).toEqual(['1970-01-01T00:00:00.000Z 0']);
  expect(
    await answerTo({
      queryType: 'topN',
      dimension: 'city',
      metric: 'rows',
      threshold: 2,
      aggregations: rows,
      intervals: [],
    }),
  ).toEqual([]);
});

test('dataSourceMetadata and segmentMetadata look at whole segments; a merged one has the interval of the latest', async () => {
  const ofSegments = {
    queryType: 'segmentMetadata',
    toInclude: { type: 'none' },
    intervals: ['2000/2100'],
  };
  const [first, second] = await answerTo({
    ...ofSegments,
    merge: false,
    analysisTypes: ['interval'],
  });
  const [start] = first.intervals[0].split('/');
  const [part] = await answerTo({ ...ofSegments, intervals: [`${start}/PT1S`] });
  expect(part.numRows).toBe(first.numRows);
  const [{ id }] = await answerTo({
    ...ofSegments,
    merge: true,
    intervals: [first.intervals[0], second.intervals[0]],
  });
  expect(id).toBe(`visits_${second.intervals[0].replace('/', '_')}_merged`);
  const [{ result }] = await answerTo({
    queryType: 'dataSourceMetadata',
    intervals: [`${start}/PT1S`],
  });
  const [whole] = await answerTo({
    queryType: 'timeBoundary',
    bound: 'maxTime',
    intervals: first.intervals,
  });
  expect(result.maxIngestedEventTime).toBe(whole.result.maxTime);
});

test('the one bucket of all time begins with the first row, or with the interval when that is later', async () => {
  expect(await counted({ intervals: ['2019/2021'] })).toEqual(['2020-01-01T00:00:00.000Z 6']);
  expect(await counted({ intervals: ['2020-01-01T01/2021'] })).toEqual([
    '2020-01-01T01:00:00.000Z 5',
  ]);
  expect(await counted({ intervals: ['1999/2000'] })).toEqual(['1999-01-01T00:00:00.000Z 0']);
  expect(await counted({ intervals: ['1999/2000'], context: { skipEmptyBuckets: true } })).toEqual(
    [],
  );
  expect(await counted({ filter: { type: 'selector', dimension: 'city', value: 'Lima' } })).toEqual(
    ['2020-01-01T00:00:00.000Z 2'],
  );
});

test.each<[string, unknown, string[]]>([
  [
    'a zone',
    { type: 'period', period: 'P1D', timeZone: 'America/Los_Angeles' },
    [
      '2019-12-31T00:00:00.000-08:00 2',
      '2020-01-01T00:00:00.000-08:00 2',
      '2020-01-02T00:00:00.000-08:00 1',
      '2020-01-03T00:00:00.000-08:00 1',
    ],
  ],
  [
    'an origin',
    { type: 'period', period: 'P2D', origin: '2020-01-02T00:00:00Z' },
    ['2019-12-31T00:00:00.000Z 3', '2020-01-02T00:00:00.000Z 3'],
  ],
  [
    'a duration',
    { type: 'duration', duration: 172_800_000, origin: '2020-01-02T00:00:00Z' },
    ['2019-12-31T00:00:00.000Z 3', '2020-01-02T00:00:00.000Z 3'],
  ],
  ['weeks', 'week', ['2019-12-30T00:00:00.000Z 6']],
  ['quarters', 'QUARTER', ['2020-01-01T00:00:00.000Z 6']],
])('buckets with %s', async (_, granularity, expected) => {
  expect(await counted({ granularity, context: { skipEmptyBuckets: true } })).toEqual(expected);
});

test.each<[Query, unknown]>([
  [{ type: 'longSum', fieldName: 'n' }, 42],
  [{ type: 'longSum', expression: 'n * 2' }, 84],
  [{ type: 'longSum', fieldName: 'nothing' }, null],
  [{ type: 'doubleSum', fieldName: 'x' }, 10_000_007.85],
  [{ type: 'floatMax', fieldName: 'f' }, 8.25],
  [{ type: 'longMin', fieldName: 'n' }, 1],
  [{ type: 'doubleMean', fieldName: 'n' }, 8.4],
  [{ type: 'longFirst', fieldName: 'n' }, 1],
  [{ type: 'floatFirst', fieldName: 'f', timeColumn: 'n' }, 0.25],
  [{ type: 'stringLast', fieldName: 'city', maxStringBytes: 2 }, 'Li'],
  [{ type: 'stringAny', fieldName: 'city' }, expect.any(String)], // whichever comes first
  [{ type: 'cardinality', fields: ['city'] }, 3.0021994137521975],
  [{ type: 'cardinality', fields: ['city', 'tags'], round: true }, 7],
  [{ type: 'cardinality', fields: ['city', 'n'], byRow: true, round: true }, 6],
  [{ type: 'cardinality', fields: ['tags'], byRow: true, round: true }, 5],
  [{ type: 'cardinality', fields: ['city', 'n', 'x', 'f', 'tags'], round: true }, 22],
  [{ type: 'cardinality', fields: ['doc', 'nothing'] }, 0],
  [{ type: 'cardinality', fields: [] }, 0],
  [{ type: 'hyperUnique', fieldName: 'city' }, 0], // which is not a sketch
  [{ type: 'thetaSketch', fieldName: 'city' }, 3],
  [{ type: 'HLLSketchBuild', fieldName: 'city', round: true }, 3],
  [{ type: 'quantilesDoublesSketch', fieldName: 'x' }, 5],
  [{ type: 'quantilesDoublesSketch', fieldName: 'city' }, 0], // texts are no numbers here
  [{ type: 'KllFloatsSketch', fieldName: 'arr' }, 0],
  [{ type: 'longAny', fieldName: 'city' }, null],
  [{ type: 'floatAny', fieldName: 'tags' }, null],
  [{ type: 'doubleMean', fieldName: 'tags' }, 0], // its elements are counted as 0
  [
    {
      type: 'filtered',
      filter: { type: 'selector', dimension: 'city', value: 'Paris' },
      aggregator: { type: 'longSum', name: 'inner', fieldName: 'n' },
    },
    31,
  ],
])('aggregator %j', async (aggregator, expected) => {
  expect(await totals({ aggregations: [{ ...aggregator, name: 'a' }] })).toEqual({ a: expected });
});

test('fixed buckets count numbers and nulls, are ordered by how many they hold, and merge', async () => {
  const buckets = {
    type: 'fixedBucketsHistogram',
    name: 'h',
    fieldName: 'n',
    numBuckets: 2,
    lowerLimit: 0,
    upperLimit: 10,
  };
  const overflow = { ...buckets, outlierHandlingMode: 'OVERFLOW' };
  const shown =
    '{lowerLimit=0.0, upperLimit=10.0, numBuckets=2, upperOutlierCount=1, lowerOutlierCount=0, missingValueCount=1, histogram=[3, 1], outlierHandlingMode=overflow, count=4, max=5.0, min=1.0}';
  const posts = [
    { type: 'quantile', name: 'q', fieldName: 'h', probability: 0.5 },
    { type: 'quantiles', name: 'qs', fieldName: 'h', probabilities: [0.5, 1] },
    { type: 'max', name: 'most', fieldName: 'h' },
  ];
  expect(await totals({ aggregations: [overflow], postAggregations: posts })).toEqual({
    h: shown,
    q: 3.3333333,
    qs: { probabilities: [0.5, 1], quantiles: [3.3333333, 10], min: 1, max: 5 },
    most: 5,
  });
  const bytes =
    'AQEAAAAAAAAAAEAkAAAAAAAAAAAAAgEAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAUAUAAAAAAAAP/AAAAAAAAAAAAAAAAAAAwAAAAAAAAAB';
  expect(await totals({ aggregations: [{ ...overflow, finalizeAsBase64Binary: true }] })).toEqual({
    h: bytes,
  });
  expect(await totals({ aggregations: [overflow], context: { finalize: false } })).toEqual({
    h: bytes,
  });
  const inner = {
    queryType: 'groupBy',
    dataSource: 'visits',
    intervals: ['2020/2021'],
    granularity: 'month',
    dimensions: ['city'],
    context: { finalize: false },
  };
  expect(
    await totals({
      dataSource: { type: 'query', query: { ...inner, aggregations: [overflow] } },
      aggregations: [{ ...overflow, fieldName: 'h' }],
    }),
  ).toEqual({ h: shown });
  const [top] = await answerTo({
    queryType: 'topN',
    dimension: 'city',
    metric: 'h',
    threshold: 1,
    aggregations: [overflow],
  });
  expect(top?.result[0].city).toBe('Lima');
});

test.each<[Query, string]>([
  [{}, 'outlierHandlingMode'],
  [
    { outlierHandlingMode: 'drop' },
    '[outlierHandlingMode] is [drop], but must be one of [ignore, overflow, clip]',
  ],
  [{ outlierHandlingMode: 'clip' }, 'Upper limit [0.0] must be greater than lower limit [0.0].'],
  [{ outlierHandlingMode: 'clip', upperLimit: 1, numBuckets: 0 }, 'numBuckets must be > 0'],
  [{ outlierHandlingMode: 'clip', upperLimit: 'Infinity' }, 'must be finite numbers'],
  [
    { outlierHandlingMode: 'clip', upperLimit: 1, fieldName: 'city' },
    'counts numbers, not a column of type [STRING]',
  ],
])('fixed buckets with %j are refused', async (settings, words) => {
  const { status, text } = await asked({
    queryType: 'timeseries',
    aggregations: [{ type: 'fixedBucketsHistogram', name: 'h', fieldName: 'n', ...settings }],
  });
  expect([status, text]).toEqual([400, expect.stringContaining(words)]);
});

test('filters around filters all hold', async () => {
  const paris = { type: 'selector', dimension: 'city', value: 'Paris' };
  const large = { type: 'bound', dimension: 'n', lower: '10', ordering: 'numeric' };
  const inner = { type: 'filtered', filter: large, aggregator: { type: 'count', name: 'both' } };
  expect(
    await totals({ aggregations: [{ type: 'filtered', filter: paris, aggregator: inner }] }),
  ).toEqual({ both: 1 });
});

test.each<[Query, unknown]>([
  [{ type: 'arithmetic', fn: '/', fields: [field('sum'), field('rows')] }, 7],
  [{ type: 'arithmetic', fn: '/', fields: [field('sum'), constant(0)] }, 0],
  [{ type: 'arithmetic', fn: 'quotient', fields: [field('sum'), constant(0)] }, 'Infinity'],
  [{ type: 'arithmetic', fn: 'pow', fields: [field('rows'), constant(2)] }, 36],
  [{ type: 'doubleGreatest', fields: [field('sum'), constant(50.5)] }, 50.5],
  [{ type: 'longLeast', fields: [field('sum'), constant(5)] }, 5],
  [{ type: 'expression', expression: "concat('n=', sum / rows)" }, 'n=7'],
  [{ type: 'hyperUniqueCardinality', fieldName: 'cities' }, 3.0021994137521975],
  [{ type: 'quantilesDoublesSketchToQuantile', fraction: 0.5, field: field('quantiles') }, 1.5],
  [
    { type: 'quantilesDoublesSketchToQuantiles', fractions: [0, 1], field: field('quantiles') },
    [-2, 10_000_000],
  ],
  // Ten bins unless it says how many; all values are in the first where they are equal.
  [
    { type: 'quantilesDoublesSketchToHistogram', field: field('equal') },
    [6, ...new Array<number>(9).fill(0)],
  ],
  [
    {
      type: 'thetaSketchEstimate',
      field: {
        type: 'thetaSketchSetOp',
        name: 's',
        func: 'NOT',
        fields: [field('theta'), field('theta')],
      },
    },
    0,
  ],
])('post-aggregator %j', async (post, expected) => {
  const { p } = await totals({
    virtualColumns: [
      { type: 'expression', name: 'seven', expression: '7.0', outputType: 'DOUBLE' },
    ],
    aggregations: [
      ...rows,
      { type: 'quantilesDoublesSketch', name: 'equal', fieldName: 'seven' },
      { type: 'longSum', name: 'sum', fieldName: 'n' },
      { type: 'cardinality', name: 'cities', fields: ['city'] },
      { type: 'quantilesDoublesSketch', name: 'quantiles', fieldName: 'x' },
      { type: 'thetaSketch', name: 'theta', fieldName: 'city' },
    ],
    postAggregations: [{ ...post, name: 'p' }],
  });
  expect(p).toEqual(expected);
});

test('topN takes the most of something, in whatever order it is told', async () => {
  const cities = async (metric: unknown, query: Query = {}) => {
    const [bucket] = await answerTo({
      queryType: 'topN',
      dimension: 'city',
      threshold: 2,
      aggregations: rows,
      metric,
      ...query,
    });
    return bucket?.result.map(({ city }: { city: string | null }) => city);
  };
  expect(await cities('rows')).toEqual(['Lima', 'Paris']);
  expect(await cities({ type: 'inverted', metric: 'rows' })).toEqual([null, 'Oslo']);
  expect(await cities({ type: 'dimension', ordering: 'lexicographic' })).toEqual([null, 'Lima']);
  expect(await cities({ type: 'lexicographic', previousStop: 'Lima' })).toEqual(['Oslo', 'Paris']);
  expect(
    await cities({ type: 'inverted', metric: { type: 'lexicographic', previousStop: 'Paris' } }),
  ).toEqual(['Oslo', 'Lima']);
  expect(await cities('rows', { filter: { type: 'false' } })).toEqual([]);
  const days = await answerTo({
    queryType: 'topN',
    dimension: 'tags',
    threshold: 1,
    metric: 'rows',
    aggregations: rows,
    granularity: 'day',
  });
  expect(days).toEqual([
    { timestamp: '2020-01-01T00:00:00.000Z', result: [{ tags: 'b', rows: 2 }] },
    { timestamp: '2020-01-02T00:00:00.000Z', result: [{ tags: 'a', rows: 3 }] },
    { timestamp: '2020-01-03T00:00:00.000Z', result: [{ tags: 'd', rows: 1 }] },
  ]);
});

test('groupBy: values of every type, several values of one row apart', async () => {
  expect(await grouped(['city'])).toEqual([
    [null, 1],
    ['Lima', 2],
    ['Oslo', 1],
    ['Paris', 2],
  ]);
  expect(await grouped(['tags'])).toEqual([
    [null, 1],
    ['a', 4],
    ['b', 2],
    ['c', 1],
    ['d', 1],
  ]);
  expect(await grouped(['f'], { intervals: ['2020-01-01/P1D'] })).toEqual([
    [null, 1],
    ['0.1', 1],
    ['0.25', 1],
  ]);
  expect(
    await grouped([{ type: 'default', dimension: 'n', outputType: 'LONG' }], {
      intervals: ['2020-01-01/P1D'],
    }),
  ).toEqual([
    [null, 1],
    [1, 1],
    [2, 1],
  ]);
  expect(
    await grouped([{ type: 'default', dimension: 'arr', outputType: 'ARRAY<STRING>' }], {
      intervals: ['2020-01-02/P1D'],
    }),
  ).toEqual([
    [[], 1],
    [['p'], 1],
  ]);
  expect(await grouped(['nothing'])).toEqual([[null, 6]]);
  expect(await grouped([])).toEqual([[6]]);
  expect(await grouped([], { intervals: ['1999/2000'] })).toEqual([[0]]);
  expect(await grouped(['city'], { intervals: ['1999/2000'] })).toEqual([]);
});

test.each([{}, { outputType: 'LONG' }])(
  'several computed numbers of a row are no value of a dimension: %o',
  async (declared) => {
    const lengths = { type: 'expression', name: 'v', expression: 'strlen(tags)', ...declared };
    expect(await grouped(['v'], { virtualColumns: [lengths] })).toEqual([
      [null, 4],
      ['1', 2],
    ]);
  },
);

test('groupBy: having, order, limit, offset and subtotals', async () => {
  expect(
    await grouped(['city'], { having: { type: 'greaterThan', aggregation: 'rows', value: 1 } }),
  ).toEqual([
    ['Lima', 2],
    ['Paris', 2],
  ]);
  const not = {
    type: 'not',
    havingSpec: { type: 'dimSelector', dimension: 'city', value: 'Lima' },
  };
  const or = {
    type: 'or',
    havingSpecs: [
      { type: 'equalTo', aggregation: 'rows', value: 2 },
      { type: 'filter', filter: { type: 'null', column: 'city' } },
    ],
  };
  expect(await grouped(['city'], { having: { type: 'and', havingSpecs: [not, or] } })).toEqual([
    [null, 1],
    ['Paris', 2],
  ]);
  const sorted = {
    type: 'default',
    limit: 2,
    offset: 1,
    columns: [{ dimension: 'rows', direction: 'descending' }, 'city'],
  };
  expect(await grouped(['city'], { limitSpec: sorted })).toEqual([
    ['Paris', 2],
    [null, 1],
  ]);
  const numeric = (dimensionOrder: unknown) => ({
    type: 'default',
    limit: 2,
    columns: [{ dimension: 'n', direction: 'descending', dimensionOrder }],
  });
  expect(await grouped(['n'], { limitSpec: numeric({ type: 'numeric' }) })).toEqual([
    ['30', 1],
    ['5', 1],
  ]);
  expect(await grouped(['n'], { limitSpec: numeric('lexicographic') })).toEqual([
    ['5', 1],
    ['4', 1],
  ]);
  const grouping = { type: 'grouping', name: 'g', groupings: ['city', 'day'] };
  expect(
    await grouped(
      [
        'city',
        {
          type: 'extraction',
          dimension: '__time',
          outputName: 'day',
          extractionFn: { type: 'timeFormat', format: 'dd' },
        },
      ],
      {
        aggregations: [...rows, grouping],
        subtotalsSpec: [['day'], []],
      },
    ),
  ).toEqual([
    [null, '01', 3, 2],
    [null, '02', 2, 2],
    [null, '03', 1, 2],
    [null, null, 6, 3],
  ]);
  expect(
    await answerTo({
      queryType: 'groupBy',
      dimensions: ['city'],
      aggregations: rows,
      granularity: 'day',
      limitSpec: { type: 'default', limit: 1 },
    }),
  ).toEqual([
    { version: 'v1', timestamp: '2020-01-01T00:00:00.000Z', event: { city: null, rows: 1 } },
  ]);
});

test.each<[string, Query, unknown[]]>([
  [
    'city',
    { type: 'strlen' },
    [
      [null, 1],
      ['4', 3],
      ['5', 2],
    ],
  ],
  [
    'city',
    { type: 'regex', expr: '^(.)i', replaceMissingValue: true, replaceMissingValueWith: 'none' },
    [
      ['L', 2],
      ['none', 4],
    ],
  ],
  [
    'city',
    { type: 'partial', expr: 'i' },
    [
      [null, 2],
      ['Lima', 2],
      ['Paris', 2],
    ],
  ],
  [
    'city',
    { type: 'searchQuery', query: { type: 'contains', value: 'P', caseSensitive: true } },
    [
      [null, 4],
      ['Paris', 2],
    ],
  ],
  [
    'city',
    { type: 'lookup', lookup: { type: 'map', map: { Paris: 'FR' } }, retainMissingValue: true },
    [
      [null, 1],
      ['FR', 2],
      ['Lima', 2],
      ['Oslo', 1],
    ],
  ],
  [
    'city',
    {
      type: 'cascade',
      extractionFns: [{ type: 'upper' }, { type: 'stringFormat', format: '<%s>' }],
    },
    [
      ['<LIMA>', 2],
      ['<OSLO>', 1],
      ['<PARIS>', 2],
      ['<null>', 1],
    ],
  ],
  [
    'n',
    { type: 'bucket', size: 10 },
    [
      [null, 1],
      ['0', 4],
      ['30', 1],
    ],
  ],
  [
    'tags',
    { type: 'upper' },
    [
      [null, 1],
      ['A', 4],
      ['B', 2],
      ['C', 1],
      ['D', 1],
    ],
  ],
  [
    '__time',
    { type: 'timeFormat', format: 'EEEE', timeZone: 'Asia/Tokyo' },
    [
      ['Friday', 2],
      ['Thursday', 1],
      ['Wednesday', 3],
    ],
  ],
  [
    '__time',
    { type: 'timeFormat', granularity: 'day' },
    [
      ['2020-01-01T00:00:00.000Z', 3],
      ['2020-01-02T00:00:00.000Z', 2],
      ['2020-01-03T00:00:00.000Z', 1],
    ],
  ],
])('extraction of %s by %j', async (dimension, extractionFn, expected) => {
  expect(await extracted(dimension, extractionFn)).toEqual(expected);
});

test.each<[Query, unknown[]]>([
  [
    { type: 'expression', name: 'v', expression: "concat(city, '!')", outputType: 'STRING' },
    [
      [null, 1],
      ['Lima!', 2],
      ['Oslo!', 1],
      ['Paris!', 2],
    ],
  ],
  [
    { type: 'nested-field', columnName: 'doc', outputName: 'v', path: '$.k' },
    [
      [null, 3],
      ['1', 1],
      ['2', 1],
      ['3', 1],
    ],
  ],
  [
    {
      type: 'nested-field',
      columnName: 'doc',
      outputName: 'v',
      pathParts: [{ type: 'field', field: 's' }],
    },
    [
      [null, 5],
      ['v', 1],
    ],
  ],
  [
    { type: 'mv-filtered', name: 'v', delegate: 'tags', values: ['a'] },
    [
      [null, 3],
      ['a', 4],
    ],
  ],
  [
    { type: 'mv-regex-filtered', name: 'v', delegate: 'tags', pattern: '[cd]' },
    [
      [null, 4],
      ['c', 1],
      ['d', 1],
    ],
  ],
  [
    { type: 'mv-prefix-filtered', name: 'v', delegate: 'tags', prefix: 'b' },
    [
      [null, 4],
      ['b', 2],
    ],
  ],
  [
    { type: 'fallback', name: 'v', columns: ['town', 'city'] },
    [
      [null, 1],
      ['Lima', 2],
      ['Oslo', 1],
      ['Paris', 2],
    ],
  ],
])('virtual column %j', async (virtual, expected) => {
  expect(await grouped(['v'], { virtualColumns: [virtual] })).toEqual(expected);
});

test('dimensions whose values are picked from the several of a row', async () => {
  const filtered = (spec: Query) => grouped([{ delegate: 'tags', ...spec }]);
  expect(await filtered({ type: 'listFiltered', values: ['b', 'c'] })).toEqual([
    [null, 3],
    ['b', 2],
    ['c', 1],
  ]);
  expect(await filtered({ type: 'regexFiltered', pattern: '[ab]' })).toEqual([
    [null, 2],
    ['a', 4],
    ['b', 2],
  ]);
  expect(await filtered({ type: 'prefixFiltered', prefix: 'd' })).toEqual([
    [null, 5],
    ['d', 1],
  ]);
});

test('a column of picked values forgets extractions, and top values leave out the others', async () => {
  const virtualColumns = [{ type: 'mv-filtered', name: 'v', delegate: 'tags', values: ['a', 'b'] }];
  const upper = { dimension: 'v', outputName: 'k', extractionFn: { type: 'upper' } };
  const extraction = { type: 'extraction', ...upper };
  const all = [
    [null, 2],
    ['a', 4],
    ['b', 2],
  ];
  expect(await grouped([extraction], { virtualColumns })).toEqual(all);
  const listed = { type: 'listFiltered', delegate: 'v', values: ['a'] };
  expect(await grouped([listed], { virtualColumns })).toEqual(all);
  const top = async (dimension: unknown) =>
    (await topValues({ virtualColumns, dimension, metric: 'rows', aggregations: rows })).map(
      (value) => Object.values(value),
    );
  for (const dimension of ['v', extraction, listed])
    expect(await top(dimension)).toEqual([
      ['a', 4],
      ['b', 2],
    ]);
});

test('a text lists intervals between commas, and empty intervals do not count', async () => {
  const days = async (intervals: unknown) =>
    (await answerTo({ queryType: 'timeseries', aggregations: rows, intervals }))[0];
  const none = '2020-01-02/2020-01-02';
  const ofTwo = { result: { rows: 4 } };
  expect(await days('2020-01-01/2020-01-02,2020-01-03/2020-01-04,')).toMatchObject(ofTwo);
  expect(await days([none, '2020-01-01/2020-01-02'])).toMatchObject({ result: { rows: 3 } });
  const nowhere = { timestamp: '1970-01-01T00:00:00.000Z', result: { rows: 0 } };
  expect(await days(none)).toEqual(nowhere);
  expect(await days(',')).toEqual(nowhere);
  const listed = ['2020-01-01/2020-01-02,2020-01-03/2020-01-04'];
  expect((await asked({ queryType: 'timeseries', intervals: listed })).status).toBe(400);
});

test('a float among the top values keeps its digits if only one segment has it', async () => {
  const aggregations = [{ type: 'floatMin', name: 'least', fieldName: 'f' }];
  const metric = { type: 'dimension' };
  const small = { type: 'in', dimension: 'n', values: ['1', '2'] };
  expect(await topValues({ dimension: 'n', metric, aggregations, filter: small })).toEqual([
    { n: '1', least: 0.25 },
    { n: '2', least: 0.1 },
  ]);
  const ofLima = { type: 'selector', dimension: 'city', value: 'Lima' };
  expect(await topValues({ dimension: 'city', metric, aggregations, filter: ofLima })).toEqual([
    { city: 'Lima', least: 0.10000000149011612 },
  ]);
});

test('scan: segment by segment, in batches, with offset and limit; or by time', async () => {
  const scanned = (query: Query) =>
    answerTo({ queryType: 'scan', columns: ['n'], resultFormat: 'compactedList', ...query });
  const events = async (query: Query) =>
    (await scanned(query)).map((batch: { events: unknown[] }) => batch.events);
  expect(await events({})).toEqual([[[1], [2], [null]], [[30], [4]], [[5]]]);
  expect(await events({ batchSize: 2 })).toEqual([[[1], [2]], [[null]], [[30], [4]], [[5]]]);
  expect(await events({ offset: 2, limit: 2 })).toEqual([[[null]], [[30]]]);
  // An offset cuts batches: it does not move their borders.
  expect(await events({ batchSize: 2, offset: 1 })).toEqual([[[2]], [[null]], [[30], [4]], [[5]]]);
  expect(await events({ batchSize: 2, offset: 1, limit: 2 })).toEqual([[[2]], [[null]]]);
  const [batch] = await scanned({
    columns: ['__time', 'n', 'nothing'],
    order: 'descending',
    limit: 2,
    resultFormat: 'list',
  });
  expect(batch).toEqual({
    segmentId: null,
    columns: ['__time', 'n', 'nothing'],
    events: [
      { __time: Date.parse('2020-01-03T10:00:00Z'), n: 5, nothing: null },
      { __time: Date.parse('2020-01-02T18:00:00Z'), n: 4, nothing: null },
    ],
    rowSignature: [
      { name: '__time', type: 'LONG' },
      { name: 'n', type: 'LONG' },
      { name: 'nothing' },
    ],
  });
  const [first] = await scanned({
    columns: [],
    limit: 1,
    virtualColumns: [{ type: 'expression', name: 'v', expression: 'n + 1' }],
  });
  expect(first.segmentId).toMatch(/^visits_2020-01-01T00:00:00.000Z_2020-01-02T00:00:00.000Z_/);
  expect(first.columns).toEqual(['__time', 'city', 'tags', 'n', 'x', 'f', 'arr', 'doc', 'v']);
  expect(first.events).toEqual([
    [Date.parse('2020-01-01'), 'Paris', ['a', 'b'], 1, 1.5, 0.25, ['p', 'q'], { k: 1, s: 'v' }, 2],
  ]);
});

test('search tells in how many rows a value is', async () => {
  const found = async (query: Query) => {
    const [result] = await answerTo({
      queryType: 'search',
      searchDimensions: ['city', 'tags'],
      ...query,
    });
    return result?.result.map(
      ({ dimension, value, count }: Record<string, unknown>) => `${dimension} ${value} ${count}`,
    );
  };
  expect(await found({ query: { type: 'insensitive_contains', value: 'A' } })).toEqual([
    'city Lima 2',
    'city Paris 2',
    'tags a 3',
  ]);
  expect(
    await found({ query: { type: 'fragment', values: ['a', 's'] }, searchDimensions: ['city'] }),
  ).toEqual(['city Paris 2']);
  expect(await found({ query: { type: 'regex', pattern: '^.$' }, limit: 2 })).toEqual([
    'tags a 3',
    'tags b 2',
  ]);
  expect(
    await found({ query: { type: 'all' }, searchDimensions: ['city'], sort: { type: 'strlen' } }),
  ).toEqual(['city null 1', 'city Lima 2', 'city Oslo 1', 'city Paris 2']);
  expect(await found({ query: { type: 'contains', value: 'zzz' } })).toEqual([]);
});

test('a search for fragments finds no null, and looks once for equal fragments', async () => {
  const counted = async (values: readonly string[]) =>
    (
      await answerTo({
        queryType: 'search',
        searchDimensions: ['city'],
        query: { type: 'fragment', values },
      })
    )[0].result.map(({ value, count }: Record<string, unknown>) => `${value} ${count}`);
  expect(await counted([])).toEqual(['Lima 2', 'Oslo 1', 'Paris 2']);
  const began = performance.now();
  expect(await counted(Array(50_000).fill('i'))).toEqual(['Lima 2', 'Paris 2']);
  expect(performance.now() - began, 'ms').toBeLessThan(5000);
});

test('groups of a computed array show its text; other queries refuse the array', async () => {
  const computed = (expression: string, outputType?: string) => ({
    virtualColumns: [
      { type: 'expression', name: 'v', expression, ...(outputType && { outputType }) },
    ],
  });
  expect(await grouped(['v'], computed('array(n, n)'))).toEqual([
    ['[1, 1]', 1],
    ['[2, 2]', 1],
    ['[30, 30]', 1],
    ['[4, 4]', 1],
    ['[5, 5]', 1],
    ['[null, null]', 1],
  ]);
  expect(await grouped(['v'], computed("string_to_array(city, 'i')", 'ARRAY<STRING>'))).toEqual([
    [null, 1],
    ['[L, ma]', 2],
    ['[Oslo]', 1],
    ['[Par, s]', 2],
  ]);
  const numbers = { type: 'default', dimension: 'v', outputName: 'v', outputType: 'ARRAY<LONG>' };
  expect(await grouped([numbers], computed("array(city, '7')"))).toEqual([[[null, 7], 6]]);
  const refused = {
    status: 500,
    body: {
      errorClass: 'org.apache.druid.java.util.common.IAE',
      errorMessage: 'Cannot create query type helper from invalid type [ARRAY<LONG>]',
    },
  };
  const topN = { queryType: 'topN', dimension: 'v', metric: 'rows', aggregations: rows };
  expect(await asked({ ...topN, threshold: 2, ...computed('array(n)') })).toMatchObject(refused);
  expect(
    await asked({
      queryType: 'search',
      searchDimensions: ['v'],
      query: { type: 'all' },
      ...computed('array(n)'),
    }),
  ).toMatchObject(refused);
});

test('a time boundary has no virtual columns', async () => {
  const filter = { type: 'selector', dimension: 'v', value: 'LIMA' };
  const virtualColumns = [{ type: 'expression', name: 'v', expression: 'upper(city)' }];
  expect(await answerTo({ queryType: 'timeBoundary', virtualColumns, filter })).toEqual([]);
  expect(await answerTo({ queryType: 'scan', virtualColumns, filter })).toHaveLength(2);
});

test('a scan in order of time shows the segment of each row, unless it has a limit', async () => {
  const shown = async (query: Query) =>
    (await answerTo({ queryType: 'scan', columns: ['__time'], order: 'descending', ...query })).map(
      ({ segmentId, events }: { segmentId: string | null; events: unknown[] }) =>
        `${segmentId?.slice(7, 17)} ${events.length}`,
    );
  expect(await shown({ intervals: ['2020-01-02/2020-01-04'], limit: 2 })).toEqual(['undefined 2']);
  const days = await shown({});
  expect(days).toHaveLength((await totals({})).rows);
  expect(days).toEqual(days.toSorted().reverse());
  expect(days[0]).toBe('2020-01-03 1');
});

test('a query over a scan reads a virtual column in its declared type', async () => {
  const query = {
    queryType: 'scan',
    dataSource: 'visits',
    intervals: ['2020-01-01/2020-02-01'],
    columns: ['v'],
    virtualColumns: [{ type: 'expression', name: 'v', expression: 'n', outputType: 'DOUBLE' }],
  };
  const filter = { type: 'in', dimension: 'v', values: ['a', null] };
  const over = (inner: Query) =>
    totals({ dataSource: { type: 'query', query: inner }, intervals: ['1960/2030'], filter });
  expect(await over(query)).toEqual(await totals({ filter: { type: 'null', column: 'n' } }));
});

test('a search filter matches no null', async () => {
  const all = { type: 'search', dimension: 'city', query: { type: 'all' } };
  expect((await totals({})).rows - (await totals({ filter: all })).rows).toBe(1);
  expect((await totals({ filter: { type: 'not', field: all } })).rows).toBe(0);
});

test('a search without dimensions reads numbers, too, and fails at an array', async () => {
  const { status, body } = await asked({ queryType: 'search', query: { type: 'all' } });
  expect(status).toBe(500);
  expect(body.errorMessage).toContain('invalid type [ARRAY<STRING>]');
});

test('a search stops at its limit: in dictionaries by value, in rows by row', async () => {
  const found = async (query: Query) => {
    const [{ result }] = await answerTo({
      queryType: 'search',
      searchDimensions: ['city'],
      query: { type: 'all' },
      limit: 2,
      ...query,
    });
    return result.map(({ value, count }: Query) => `${value} ${count}`);
  };
  expect(await found({})).toEqual(['null 1', 'Lima 2']);
  // The indexes of a filtered source know nothing of its filter.
  const filtered = {
    type: 'filter',
    base: 'visits',
    filter: { type: 'selector', dimension: 'city', value: 'Paris' },
  };
  expect(await found({ dataSource: filtered })).toEqual(['null 1', 'Lima 2']);
  const byRow = {
    type: 'not',
    field: { type: 'equals', column: 'n', matchValueType: 'LONG', matchValue: -99 },
  };
  expect(await found({ dataSource: filtered, filter: byRow })).toEqual(['Paris 2']);
});

test('a dimension over an expression of one text forgets its extraction', async () => {
  const extraction = {
    type: 'extraction',
    dimension: 'v',
    outputName: 'out',
    extractionFn: { type: 'substring', index: 1 },
  };
  const of = async (expression: string) =>
    (
      await grouped([extraction], {
        virtualColumns: [{ type: 'expression', name: 'v', expression, outputType: 'STRING' }],
        filter: { type: 'selector', dimension: 'city', value: 'Paris' },
      })
    )[0];
  expect(await of('upper(city)')).toEqual(['PARIS', 2]);
  expect(await of('city')).toEqual(['aris', 2]);
});

test.each([
  ['timeBoundary', 'dataSourceMetadata'],
  ['timeBoundaries', 'datasourceMetadata'], // as the specification spells them
])('the first and the last time: %s and %s', async (timeBoundary, dataSourceMetadata) => {
  expect(await answerTo({ queryType: timeBoundary })).toEqual([
    {
      timestamp: '2020-01-01T00:00:00.000Z',
      result: { minTime: '2020-01-01T00:00:00.000Z', maxTime: '2020-01-03T10:00:00.000Z' },
    },
  ]);
  const last = {
    queryType: timeBoundary,
    bound: 'maxTime',
    filter: { type: 'selector', dimension: 'city', value: 'Paris' },
  };
  expect(await answerTo({ ...last, context: { serializeDateTimeAsLong: true } })).toEqual([
    {
      timestamp: Date.parse('2020-01-02T01:00:00Z'),
      result: { maxTime: Date.parse('2020-01-02T01:00:00Z') },
    },
  ]);
  expect(await answerTo({ queryType: timeBoundary, dataSource: 'unknown' })).toEqual([]);
  expect(await answerTo({ queryType: dataSourceMetadata })).toEqual([
    {
      timestamp: '2020-01-03T10:00:00.000Z',
      result: { maxIngestedEventTime: '2020-01-03T10:00:00.000Z' },
    },
  ]);
});

test('segmentMetadata of each segment, and merged', async () => {
  const [merged, ...others] = await answerTo({ queryType: 'segmentMetadata', merge: true });
  expect(others).toEqual([]);
  expect(merged).toMatchObject({
    intervals: ['2020-01-01T00:00:00.000Z/2020-01-04T00:00:00.000Z'],
    numRows: 6,
    rollup: null,
  });
  expect(merged.columns.tags).toMatchObject({
    type: 'STRING',
    hasMultipleValues: true,
    hasNulls: true,
    cardinality: 3,
    minValue: null,
    maxValue: 'd',
  });
  expect(merged.columns.arr).toMatchObject({
    typeSignature: 'ARRAY<STRING>',
    type: 'ARRAY',
    cardinality: null,
  });
  expect(merged.columns.doc).toMatchObject({ typeSignature: 'COMPLEX<json>', type: 'json' });
  const each = await answerTo({
    queryType: 'segmentMetadata',
    analysisTypes: ['size'],
    toInclude: { type: 'list', columns: ['city'] },
  });
  expect(
    each.map(({ numRows, intervals, columns }: Record<string, unknown>) => [
      numRows,
      intervals,
      Object.keys(columns as object),
    ]),
  ).toEqual([
    [3, null, ['city']],
    [2, null, ['city']],
    [1, null, ['city']],
  ]);
  expect(each[0].size).toBeGreaterThan(0);
});

const countries = {
  type: 'inline',
  columnNames: ['c', 'country'],
  columnTypes: ['STRING', 'STRING'],
  rows: [
    ['Paris', 'FR'],
    ['Lima', 'PE'],
  ],
};
const byCity = {
  queryType: 'groupBy',
  dataSource: 'visits',
  granularity: 'day',
  dimensions: ['city'],
  aggregations: rows,
  intervals: ['2020/2021'],
};

test.each<[string, unknown, string, unknown[]]>([
  [
    'a table',
    { type: 'table', name: 'visits' },
    'city',
    [
      [null, 1],
      ['Lima', 2],
      ['Oslo', 1],
      ['Paris', 2],
    ],
  ],
  ['nothing known', 'unknown', 'city', []],
  [
    'a union',
    { type: 'union', dataSources: ['visits', 'visits', 'unknown'] },
    'city',
    [
      [null, 2],
      ['Lima', 4],
      ['Oslo', 2],
      ['Paris', 4],
    ],
  ],
  [
    'rows in the query',
    countries,
    'country',
    [
      ['FR', 1],
      ['PE', 1],
    ],
  ],
  [
    'another query',
    {
      type: 'query',
      query: { ...byCity, aggregations: [{ type: 'longSum', name: 'sum', fieldName: 'n' }] },
    },
    'sum',
    [
      [null, 1],
      ['1', 1],
      ['2', 1],
      ['30', 1],
      ['4', 1],
      ['5', 1],
    ],
  ],
  [
    'a scan',
    {
      type: 'query',
      query: {
        queryType: 'scan',
        dataSource: 'visits',
        columns: ['city'],
        limit: 2,
        intervals: ['2020/2021'],
      },
    },
    'city',
    [
      ['Lima', 1],
      ['Paris', 1],
    ],
  ],
  [
    'an inner join',
    {
      type: 'join',
      left: 'visits',
      right: countries,
      rightPrefix: 'j.',
      condition: 'city == "j.c"',
      joinType: 'INNER',
    },
    'j.country',
    [
      ['FR', 2],
      ['PE', 2],
    ],
  ],
  [
    'a left join',
    {
      type: 'join',
      left: 'visits',
      right: countries,
      rightPrefix: 'j.',
      condition: 'city == "j.c"',
      joinType: 'LEFT',
    },
    'j.country',
    [
      [null, 2],
      ['FR', 2],
      ['PE', 2],
    ],
  ],
  [
    'unnested values',
    {
      type: 'unnest',
      base: 'visits',
      virtualColumn: { type: 'expression', name: 'tag', expression: '"tags"' },
    },
    'tag',
    [
      [null, 1],
      ['a', 4],
      ['b', 2],
      ['c', 1],
      ['d', 1],
    ],
  ],
  [
    'some of an array',
    {
      type: 'unnest',
      base: 'visits',
      virtualColumn: { type: 'expression', name: 'item', expression: '"arr"' },
      unnestFilter: { type: 'in', dimension: 'item', values: ['p', 'q'] },
    },
    'item',
    [
      ['p', 2],
      ['q', 2],
    ],
  ],
  [
    'some rows',
    {
      type: 'filter',
      base: 'visits',
      filter: { type: 'selector', dimension: 'city', value: 'Lima' },
    },
    'city',
    [['Lima', 2]],
  ],
  [
    'permitted rows',
    {
      type: 'restrict',
      base: { type: 'table', name: 'visits' },
      policy: { type: 'row', rowFilter: { type: 'selector', dimension: 'city', value: 'Oslo' } },
    },
    'city',
    [['Oslo', 1]],
  ],
])('reads %s', async (_, dataSource, dimension, expected) => {
  expect(await grouped([dimension], { dataSource, intervals: ['0000/3000'] })).toEqual(expected);
});

test('each segment can be asked for its own result', async () => {
  const [first, ...others] = await answerTo({
    queryType: 'timeseries',
    aggregations: rows,
    context: { bySegment: true },
  });
  expect(others).toHaveLength(2);
  expect(first).toEqual({
    timestamp: '2020-01-01T00:00:00.000Z',
    result: {
      results: [{ timestamp: '2020-01-01T00:00:00.000Z', result: { rows: 3 } }],
      segment: expect.stringMatching(/^visits_2020-01-01/),
      interval: '2020-01-01T00:00:00.000Z/2020-01-02T00:00:00.000Z',
    },
  });
});

test('the groups of each segment have the start of the whole query', async () => {
  const context = { bySegment: true };
  const shown = await answerTo({
    queryType: 'groupBy',
    intervals: ['2019-12-31/2020-01-02'],
    context,
  });
  expect(shown[0].result.results[0].timestamp).toBe('2019-12-31T00:00:00.000Z');
});

test('a segment that meets several intervals is shown once for each of them', async () => {
  const shown = await answerTo({
    queryType: 'timeseries',
    aggregations: rows,
    intervals: ['2020-01-01T00/PT2H', '2020-01-01T03/PT1H'],
    context: { bySegment: true },
  });
  expect(shown.map(({ result }: { result: Query }) => [result.interval, result.results])).toEqual([
    [
      '2020-01-01T00:00:00.000Z/2020-01-01T02:00:00.000Z',
      [{ timestamp: '2020-01-01T00:00:00.000Z', result: { rows: 1 } }],
    ],
    [
      '2020-01-01T03:00:00.000Z/2020-01-01T04:00:00.000Z',
      [{ timestamp: '2020-01-01T03:00:00.000Z', result: { rows: 1 } }],
    ],
  ]);
});

test('of the segments, only those that may have the first or the last time show them', async () => {
  const starts = async (query: Query) =>
    (await answerTo({ context: { bySegment: true }, ...query })).map(
      ({ result: { results } }: { result: { results: readonly { timestamp: string }[] } }) =>
        results.map(({ timestamp }) => timestamp),
    );
  const [first, second, last] = ['01', '02', '03'].map((day) => [`2020-01-${day}T00:00:00.000Z`]);
  expect(await starts({ queryType: 'timeBoundary' })).toEqual([first, last]);
  expect(await starts({ queryType: 'timeBoundary', bound: 'minTime' })).toEqual([first]);
  const filter = { type: 'true' };
  expect(await starts({ queryType: 'timeBoundary', filter })).toEqual([first, second, last]);
  expect(await starts({ queryType: 'dataSourceMetadata' })).toEqual([last]);
});

test('a query that names segments reads those that exist, and no others', async () => {
  const found = async (segments: readonly object[], query: Query = { queryType: 'scan' }) =>
    answerTo({ ...query, intervals: { type: 'segments', segments } });
  const scan = await answerTo({ queryType: 'scan', columns: ['city'] });
  const ids: string[] = scan.map(({ segmentId }: { segmentId: string }) => segmentId);
  const specs = ids.map((id) => {
    const [, start, end, ver] = /_(\d{4}-[^_]*Z)_(\d{4}-[^_]*Z)_([^_]*)/.exec(id) ?? [];
    return { itvl: `${start}/${end}`, ver, part: 0 };
  });
  expect(specs.length).toBeGreaterThan(1);
  const [first = { itvl: '', ver: '', part: 0 }] = specs;
  const idsOf = (entries: readonly { readonly segmentId: string }[]) =>
    entries.map(({ segmentId }) => segmentId);
  expect(idsOf(await found([first]))).toEqual([ids[0]]);
  expect(idsOf(await found(specs))).toEqual(ids);
  const part = { ...first, itvl: '2020-01-01T00/2020-01-01T06' };
  expect(idsOf(await found([part]))).toEqual([ids[0]]);
  const missing = [
    { ...first, ver: 'other' },
    { ...first, part: 7 },
    { ...first, itvl: '2020-01-01/2020-01-03' },
  ];
  for (const segment of missing) expect(await found([segment])).toEqual([]);
  const query = { queryType: 'timeseries', granularity: 'all', aggregations: rows };
  const counted = await found([first, missing[0] ?? first], query);
  expect(counted).toEqual(await answerTo({ ...query, intervals: first.itvl }));
  expect(
    (await asked({ queryType: 'scan', intervals: { type: 'segments', segments: [{}] } })).status,
  ).toBe(400);
});

test('groups and timeseries refuse values of vectorize that the engine does not know', async () => {
  const told = async (queryType: string, vectorize: unknown) => {
    const query = { queryType, dimensions: ['city'], columns: ['city'], context: { vectorize } };
    const { status, body } = await asked({ ...query, aggregations: rows });
    return status === 200 ? 200 : body.errorMessage;
  };
  const values = 'referring to one of the values [FALSE,TRUE,FORCE] of enum [Vectorize]';
  expect(await told('timeseries', 'nonsense')).toBe(
    `Expected key [vectorize] to be ${values}, but got [nonsense]`,
  );
  expect(await told('groupBy', 1)).toBe(
    'Expected key [vectorize] to be of type [Vectorize], but got [java.lang.Integer]',
  );
  expect(await told('timeseries', 'force')).toBe(200);
  expect(await told('groupBy', false)).toBe(200);
  expect(await told('scan', 'nonsense')).toBe(200);
});

test.each<[Query, string]>([
  [{ queryType: 'timeseries', intervals: null }, 'intervals'],
  [
    { queryType: 'timeseries', intervals: ['yesterday'] },
    "Format requires a '/' separator: yesterday",
  ],
  [{ queryType: 'groupBy', granularity: null }, 'Must specify a granularity'],
  [
    { queryType: 'groupBy', dimensions: [{ type: 'listFiltered', delegate: 'city', values: [] }] },
    'values list must be non-empty',
  ],
  [
    { queryType: 'timeseries', context: { timestampResultField: 5 } },
    'Expected key [timestampResultField] to be a String',
  ],
  [{ queryType: 'timeseries', granularity: 'fortnight' }, 'Granularity [fortnight] is unknown'],
  [{ queryType: 'timeseries', aggregations: [...rows, ...rows] }, '[rows] already defined'],
  [
    { queryType: 'timeseries', aggregations: [{ type: 'most', name: 'a' }] },
    "Could not resolve type id 'most'",
  ],
  [
    { queryType: 'timeseries', aggregations: [{ type: 'count' }] },
    'Must have a valid, non-null [name]',
  ],
  [
    { queryType: 'timeseries', aggregations: [{ type: 'javascript', name: 'j' }] },
    'JavaScript is disabled',
  ],
  [{ queryType: 'timeseries', filter: { type: 'regex', dimension: 'city', pattern: '(' } }, '('],
  [
    { queryType: 'timeseries', virtualColumns: [{ type: 'expression', expression: '1' }] },
    'Must have a valid, non-null [name]',
  ],
  [
    { queryType: 'topN', dimension: 'city', metric: 'rows', aggregations: rows },
    'Threshold cannot be equal to 0',
  ],
  [
    { queryType: 'topN', dimension: 'city', threshold: 1, metric: 'most', aggregations: rows },
    'most',
  ],
  [
    { queryType: 'groupBy', dimensions: ['city'], limitSpec: { type: 'default', limit: 0 } },
    'limit[0] must be >0',
  ],
  [
    { queryType: 'groupBy', dimensions: ['city'], subtotalsSpec: [['town']] },
    'Subtotal spec [town]',
  ],
  [{ queryType: 'scan', columns: ['n'], order: 'ascending' }, '__time column must be selected'],
])('%j is refused by name', async (query, reason) => {
  const { status, body } = await asked(query);
  expect([status, Object.keys(body)]).toEqual([
    400,
    ['error', 'errorMessage', 'errorClass', 'host'],
  ]);
  expect(body.errorMessage).toContain(reason);
});

test('what the engine has and this one has not is 501, a wrong timeout 400, one that is over 504', async () => {
  expect(await asked({ queryType: 'scan', resultFormat: 'valueVector' })).toMatchObject({
    status: 501,
    body: { error: 'Unsupported query' },
  });
  const timed = (timeout: unknown) => asked({ queryType: 'timeBoundary', context: { timeout } });
  expect(await timed(-1)).toMatchObject({
    status: 400,
    body: { error: 'Query context parse failed' },
  });
  expect(await timed('soon')).toMatchObject({
    status: 400,
    body: { error: 'Query context parse failed' },
  });
  const slow = await asked({
    queryType: 'timeseries',
    dataSource: everyPair,
    intervals: ['0000/3000'],
    aggregations: rows,
    context: { timeout: 50 },
  });
  expect(slow).toMatchObject({ status: 504, body: { error: 'Query timeout' } });
});

const large = {
  type: 'inline',
  columnNames: ['a', 'zero'],
  columnTypes: ['LONG', 'LONG'],
  rows: Array.from({ length: 60_000 }, (_, index) => [index, 0]),
};

// Each row matches each other one, which takes much longer than anybody waits here.
const everyPair = {
  type: 'join',
  left: large,
  right: large,
  rightPrefix: 'r.',
  condition: '"a" * 0 == "r.zero"',
  joinType: 'INNER',
};

test('a running query is cancelled by its id; an unknown id is not a fault', async () => {
  const running = asked({
    queryType: 'timeseries',
    dataSource: everyPair,
    intervals: ['0000/3000'],
    aggregations: rows,
    context: { queryId: 'long' },
  });
  const cancelled = async () =>
    (await fetch(`${service().url}/svc/v2/long`, { method: 'DELETE' })).status;
  const ended = { over: false };
  const over = running.finally(() => {
    ended.over = true;
  });
  // The first moments of a query may miss it.
  while (!ended.over) {
    expect(await cancelled()).toBe(202);
    await new Promise((wake) => setTimeout(wake, 50));
  }
  expect(await over).toMatchObject({ status: 500, body: { error: 'Query cancelled' } });
  expect((await fetch(`${service().url}/svc/v2/unknown`, { method: 'DELETE' })).status).toBe(202);
});

test('the reply carries the id of the query, and is indented on request', async () => {
  const send = (search: string) =>
    fetch(`${service().url}/svc/v2${search}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        queryType: 'groupBy',
        dataSource: 'visits',
        intervals: ['2020-01-03/P1D'],
        granularity: 'all',
        dimensions: ['tags'],
        aggregations: rows,
        context: { queryId: 'mine' },
      }),
    });
  const response = await send('/?pretty');
  expect(response.headers.get('x-svc-query-id')).toBe('mine');
  expect(response.headers.get('x-svc-response-context')).toBe('{}');
  expect(await response.text()).toBe(
    '[ {\n  "version" : "v1",\n  "timestamp" : "2020-01-03T00:00:00.000Z",\n  "event" : {\n    "tags" : "d",\n    "rows" : 1\n  }\n} ]',
  );
});

test('candidates are indented when that is asked for', async () => {
  const body = JSON.stringify({
    queryType: 'scan',
    dataSource: 'visits',
    intervals: ['2020-01-01/2020-01-03'],
  });
  const headers = { 'content-type': 'application/json' };
  const candidates = async (search: string) =>
    (
      await fetch(`${service().url}/svc/v2/candidates${search}`, { method: 'POST', headers, body })
    ).text();
  const [plain, pretty] = [await candidates(''), await candidates('?pretty')];
  expect(plain).toMatch(/^\[\{"interval":/);
  expect(pretty).toMatch(/^\[ \{\n {2}"interval" : /);
  expect(JSON.parse(pretty)).toEqual(JSON.parse(plain));
});

test('candidates are the segments a query would read, with where they are', async () => {
  const candidates = async (body: Query, search = '') =>
    (await api(service()).post(`/svc/v2/candidates${search}`, body)).body;
  const query = {
    queryType: 'scan',
    dataSource: { type: 'query', query: { ...byCity } },
    intervals: ['2020-01-01T12/2020-01-03'],
  };
  const found = await candidates(query, '?numCandidates=1');
  expect(found.map(({ interval }: { interval: string }) => interval)).toEqual([
    '2020-01-01T12:00:00.000Z/2020-01-02T00:00:00.000Z',
    '2020-01-02T00:00:00.000Z/2020-01-03T00:00:00.000Z',
  ]);
  expect(found[0]).toMatchObject({
    partitionNumber: 0,
    locations: [{ type: 'historical', tier: '_default_tier', priority: 0 }],
  });
  expect(
    await candidates({ queryType: 'scan', dataSource: 'unknown', intervals: ['2020/2021'] }),
  ).toEqual([]);
  expect(await candidates({ queryType: 'nothing', dataSource: 'visits' })).toMatchObject({
    error: 'Unknown exception',
  });
});

test.each<[string, Query]>([
  ['timeseries', {}],
  ['topN', { dimension: 'page', metric: 'rows', threshold: 2 }],
  [
    'groupBy',
    {
      dimensions: [
        'page',
        {
          type: 'extraction',
          dimension: 'page',
          outputName: 'first',
          extractionFn: { type: 'substring', index: 0, length: 1 },
        },
      ],
    },
  ],
  ['scan', { columns: ['__time', 'page'], order: 'descending' }],
  ['search', { query: { type: 'contains', value: 'a' } }],
  ['timeBoundary', {}],
  ['segmentMetadata', {}],
  ['dataSourceMetadata', {}],
])('%s of a datasource that nobody knows, by the day, is empty', async (queryType, query) => {
  expect(
    await answerTo({
      queryType,
      dataSource: 'unknown',
      granularity: 'day',
      aggregations: rows,
      ...query,
    }),
  ).toEqual([]);
});

const moments = (count: number) => ({
  type: 'inline',
  columnNames: ['__time'],
  columnTypes: ['LONG'],
  rows: [[0], [count - 1]],
});

test('more empty buckets than a query may return are refused before any is written; a limit and skipping them need none', async () => {
  const query = {
    queryType: 'timeseries',
    granularity: 'none',
    intervals: ['1970/2100'],
    aggregations: rows,
  };
  const tooMany = await asked({ ...query, dataSource: moments(1_000_001) });
  expect(tooMany.status).toBe(400);
  expect(tooMany.body.errorMessage).toBe(
    'Limit [emptyBuckets] exceeded: [1000001] of at most [1000000] buckets without rows that a timeseries query returns. See svcctl help limits',
  );
  const years = moments(31_536_000_000);
  expect(
    (
      await asked({
        ...query,
        dataSource: years,
        granularity: { type: 'period', period: 'PT0.001S' },
      })
    ).status,
  ).toBe(400);
  expect((await asked({ ...query, dataSource: years, descending: true, limit: 2 })).status).toBe(
    400,
  );
  expect(await counted({ ...query, dataSource: years, limit: 2 })).toEqual([
    '1970-01-01T00:00:00.000Z 1',
    '1970-01-01T00:00:00.001Z 0',
  ]);
  expect(
    await counted({ ...query, dataSource: years, context: { skipEmptyBuckets: true } }),
  ).toHaveLength(2);
});

test('the time of a query is over also while empty buckets are counted and written', async () => {
  const startedMs = performance.now();
  const query = {
    queryType: 'timeseries',
    granularity: 'none',
    intervals: ['1970-01-01T00:00:00/1970-01-01T00:16:40'],
    dataSource: moments(999_000),
    aggregations: rows,
  };
  // Cut off, where rows had begun to flow
  const ending = await asked({ ...query, context: { timeout: 150 } }).catch(() => ({ status: 0 }));
  expect([0, 504]).toContain(ending.status);
  expect(performance.now() - startedMs).toBeLessThan(1500);
});

test('data sources in each other are counted together', async () => {
  const table = { type: 'table', name: 'visits' };
  const union = (count: number, part: object) => ({
    type: 'union',
    dataSources: Array.from({ length: count }, () => part),
  });
  const query = { queryType: 'timeseries', aggregations: rows };
  for (const dataSource of [
    union(40, union(40, table)),
    union(40, { type: 'query', query: { ...query, ...within, dataSource: union(40, table) } }),
  ]) {
    const { status, body } = await asked({ ...query, dataSource });
    expect(status).toBe(400);
    expect(body.errorMessage).toContain('Limit [tables] exceeded: [1001] of at most [1000]');
  }
});

const within = { intervals: ['2020-01-01/2020-02-01'], granularity: 'all' };

test('approximate histograms, KLL and tuple sketches are computed, read, and merged by a query above', async () => {
  const aggregations = [
    { type: 'approxHistogram', name: 'h', fieldName: 'n', resolution: 10, numBuckets: 2 },
    { type: 'KllDoublesSketch', name: 'k', fieldName: 'n' },
    { type: 'arrayOfDoublesSketch', name: 't', fieldName: 'city', metricColumns: ['n', 'x'] },
  ];
  const postAggregations = [
    { type: 'quantile', name: 'median', fieldName: 'h', probability: 0.5 },
    { type: 'customBuckets', name: 'buckets', fieldName: 'h', breaks: [0, 4, 100] },
    { type: 'max', name: 'most', fieldName: 'h' },
    { type: 'KllDoublesSketchToQuantile', name: 'kMedian', fraction: 0.5, field: field('k') },
    { type: 'arrayOfDoublesSketchToMetricsSumEstimate', name: 'sums', field: field('t') },
  ];
  const expected = {
    k: 5,
    t: 3,
    kMedian: 4,
    most: 30,
    buckets: { breaks: [0, 4, 100], counts: [3, 2] },
  };
  expect(await totals({ aggregations, postAggregations })).toMatchObject({
    ...expected,
    h: { breaks: [-28, 1, 30], counts: [1, 4] },
  });
  const ofCities = {
    queryType: 'groupBy',
    dataSource: 'visits',
    intervals: ['2020-01-01/2020-02-01'],
    granularity: 'month',
    dimensions: ['city'],
    aggregations,
    context: { finalize: false },
  };
  const above = aggregations.map(({ type, name }) => ({
    type: type === 'approxHistogram' ? 'approxHistogramFold' : type,
    name,
    fieldName: name,
  }));
  expect(
    await totals({
      dataSource: { type: 'query', query: ofCities },
      aggregations: above,
      postAggregations,
    }),
  ).toMatchObject(expected);
  for (const aggregator of [
    { type: 'approxHistogram', name: 'h', fieldName: 'n', resolution: 2 ** 31 },
    { type: 'KllFloatsSketch', name: 'k', fieldName: 'n', k: 3 },
    {
      type: 'arrayOfDoublesSketch',
      name: 't',
      fieldName: 'city',
      metricColumns: ['n'],
      nominalEntries: 17,
    },
    { type: 'arrayOfDoublesSketch', name: 't', fieldName: 'city' },
    { type: 'approxHistogram', name: 'h', fieldName: 'n', lowerLimit: 1 },
  ]) {
    expect([400, 501]).toContain(
      (await asked({ queryType: 'timeseries', aggregations: [aggregator] })).status,
    );
  }
});

test('the size of a segment is that of its values as text', async () => {
  const size = async (query: Query) =>
    (
      await answerTo({
        queryType: 'segmentMetadata',
        analysisTypes: ['size'],
        intervals: ['2020-01-01/2020-01-02'],
        ...query,
      })
    )[0];
  const { size: all, columns } = await size({});
  const sizes = Object.entries<{ size: number }>(columns).map(([name, column]) => [
    name,
    column.size,
  ]);
  // Three rows; the values of one row of [tags] count once, lists and JSON do not
  expect(Object.fromEntries(sizes)).toEqual({
    __time: 30,
    city: 9,
    tags: 3,
    n: 24,
    x: 24,
    f: 24,
    arr: 0,
    doc: 0,
  });
  expect(all).toBe(114 + 3 * 8); // with a separator for each value
  const { size: again, columns: some } = await size({
    toInclude: { type: 'list', columns: ['city'] },
  });
  expect([again, Object.keys(some)]).toEqual([all, ['city']]);
});
