// Every field of valid native queries, replaced by values of other types: each query is answered or
// refused in a sentence, and none is an internal error.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';

type Query = Readonly<Record<string, unknown>>;

const channel = { type: 'selector', dimension: 's', value: 'a' };
const field = { type: 'fieldAccess', fieldName: 'q' };
const queries: readonly Query[] = [
  {
    queryType: 'timeseries',
    granularity: { type: 'period', period: 'P1Y', timeZone: 'UTC', origin: '2015-01-01T00:00:00Z' },
    filter: {
      type: 'and',
      fields: [
        { type: 'bound', dimension: 'n', lower: '1', upper: '9', ordering: 'numeric' },
        { type: 'in', dimension: 's', values: ['a', null], extractionFn: { type: 'upper' } },
        { type: 'like', dimension: 's', pattern: 'a%', escape: '!' },
        { type: 'range', column: 'n', matchValueType: 'LONG', lower: 1, lowerOpen: true },
        { type: 'columnComparison', dimensions: ['s', 'n'] },
        { type: 'interval', dimension: '__time', intervals: ['2000/2001'] },
        { type: 'expression', expression: 'n > 1' },
      ],
    },
    aggregations: [
      { type: 'quantilesDoublesSketch', name: 'q', fieldName: 'n', k: 64 },
      { type: 'cardinality', name: 'c', fields: ['s'], byRow: true, round: true },
      { type: 'filtered', aggregator: { type: 'count', name: 'f' }, filter: channel },
      { type: 'longSum', name: 'l', expression: 'n + 1' },
    ],
    postAggregations: [
      { type: 'quantilesDoublesSketchToCDF', name: 'p', splitPoints: [1, 2], field },
      {
        type: 'arithmetic',
        name: 'a',
        fn: '/',
        fields: [
          { type: 'fieldAccess', fieldName: 'l' },
          { type: 'constant', value: 2 },
        ],
      },
    ],
    virtualColumns: [
      { type: 'expression', name: 'v', expression: 'n', outputType: 'LONG' },
      {
        type: 'nested-field',
        columnName: 's',
        outputName: 'w',
        pathParts: [{ type: 'field', field: 'x' }],
      },
    ],
    context: { skipEmptyBuckets: true, timeout: 9000, priority: 1 },
  },
  {
    queryType: 'groupBy',
    granularity: { type: 'duration', duration: 86_400_000_000, origin: '2015-01-01T00:00:00Z' },
    dimensions: [
      { type: 'default', dimension: 'n', outputName: 'd', outputType: 'LONG' },
      {
        type: 'extraction',
        dimension: 's',
        outputName: 'e',
        extractionFn: {
          type: 'cascade',
          extractionFns: [
            { type: 'regex', expr: '(.)', index: 1, replaceMissingValueWith: 'x' },
            { type: 'substring', index: 0, length: 3 },
            { type: 'lookup', lookup: { type: 'map', map: { a: 'b' } }, retainMissingValue: true },
          ],
        },
      },
      { type: 'listFiltered', delegate: 's', values: ['a'], isWhitelist: true },
    ],
    aggregations: [{ type: 'stringFirst', name: 'c', fieldName: 's', maxStringBytes: 9 }],
    having: { type: 'or', havingSpecs: [{ type: 'greaterThan', aggregation: 'n', value: 1 }] },
    limitSpec: {
      type: 'default',
      limit: 5,
      columns: [{ dimension: 'd', direction: 'descending', dimensionOrder: { type: 'numeric' } }],
    },
    subtotalsSpec: [['d'], []],
  },
  {
    queryType: 'topN',
    granularity: 'all',
    dimension: { type: 'default', dimension: 's', outputName: 'd' },
    threshold: 3,
    metric: { type: 'inverted', metric: { type: 'dimension', previousStop: 'a' } },
    aggregations: [{ type: 'count', name: 'c' }],
  },
  {
    queryType: 'search',
    granularity: 'all',
    searchDimensions: ['s'],
    query: { type: 'fragment', values: ['a'], case_sensitive: true },
    sort: { type: 'lexicographic' },
    limit: 5,
  },
  { queryType: 'scan', columns: ['s'], resultFormat: 'list', limit: 5, batchSize: 2, offset: 1 },
];
const dataSource = {
  type: 'inline',
  columnNames: ['s', 'n'],
  columnTypes: ['STRING', 'LONG'],
  rows: [
    ['a', 1],
    [null, 2],
  ],
};

// As JSON, some of which JavaScript does not write.
const values = ['null', '[[null]]', '{"type":"__proto__"}', '-1', '1e400', '9223372036854775808'];
const texts = ['""', '"toString"', '"a\\u0000b"', '"\\ud800"', '"{"'];

test('a field of another type is taken or refused, and never an internal error', async () => {
  const service = await startService();
  const bodies = queries.flatMap((query) => mutations({ intervals: ['2000/2030'], ...query }));
  expect(bodies.length).toBeGreaterThan(1000);
  const failures: string[] = [];
  const ask = async () => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
      const response = await fetch(`${service.url}/svc/v2/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      const text = await response.text();
      const isRefused = response.status !== 200 && /"errorMessage":"./.test(text);
      if (text.includes('Internal error') || (response.status !== 200 && !isRefused))
        failures.push(`${response.status} ${text}: ${body}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, ask));
  expect(failures).toEqual([]);
});

function mutations(query: Query): string[] {
  const whole = JSON.stringify({ ...query, dataSource });
  const source = JSON.stringify({ dataSource }).slice(1);
  const changed = [...placesIn(query)].flatMap((place) =>
    [...values, ...texts].map((value) => {
      const marked = JSON.stringify(query, replacing(place)).replace('"\\u0007"', value);
      return `${marked.slice(0, -1)},${source}`;
    }),
  );
  return [whole, ...changed];
}

type Place = readonly [holder: object, key: string];

function* placesIn(holder: object): Generator<Place> {
  for (const [key, value] of Object.entries(holder)) {
    yield [holder, key];
    if (typeof value === 'object' && value !== null) yield* placesIn(value);
  }
}

const replacing = ([holder, key]: Place) =>
  function (this: unknown, name: string, value: unknown) {
    return this === holder && name === key ? '\u0007' : value;
  };
