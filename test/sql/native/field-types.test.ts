// Fields of native queries with other types than the engine reads, and how it takes them. The
// answers are those of a real cluster of version 33, asked with every field of valid queries
// replaced.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startServer } from '../../../src/server/server.ts';
import { api } from '../../support/wire.ts';

let service: Service;
beforeAll(async () => {
  service = await startServer({ port: 0 });
});
afterAll(() => service.close());

type Part = Readonly<Record<string, unknown>>;

const ask = async (query: Part) =>
  (
    await api(service).post('/svc/v2/', {
      queryType: 'timeseries',
      dataSource: {
        type: 'inline',
        columnNames: ['s', 'n'],
        columnTypes: ['STRING', 'LONG'],
        rows: [
          ['a', 1],
          ['b', 2],
          ['b', 3],
        ],
      },
      intervals: ['1960/2030'],
      granularity: 'all',
      aggregations: [{ type: 'count', name: 'c' }],
      ...query,
    })
  ).body;

const counted = async (filter: Part) => (await ask({ filter }))[0]?.result?.c;
const refusal = async (query: Part) => (await ask(query)).errorMessage;
const b = { type: 'selector', dimension: 's', value: 'b' };

test('a field is true for any whole number but 0, and for the words true and false', async () => {
  const above = (lowerStrict: unknown) =>
    counted({ type: 'bound', dimension: 'n', lower: '1', ordering: 'numeric', lowerStrict });
  expect(await Promise.all([1, -1, 'TRUE', true].map(above))).toEqual([2, 2, 2, 2]);
  expect(await Promise.all([0, '', null, 'False'].map(above))).toEqual([3, 3, 3, 3]);
  const within = (lowerOpen: unknown) =>
    counted({ type: 'range', column: 'n', matchValueType: 'LONG', lower: 1, lowerOpen });
  expect(await Promise.all([-1, false].map(within))).toEqual([2, 3]);
});

test('nulls among the fields of a filter are passed over, and one field is left', async () => {
  expect(await counted({ type: 'and', fields: [null, b] })).toBe(2);
  expect(await counted({ type: 'or', fields: [b, null] })).toBe(2);
  expect(await refusal({ filter: { type: 'and', fields: [null] } })).toBe(
    'AND operator requires at least one field',
  );
  expect(await refusal({ filter: { type: 'or', fields: [] } })).toBe(
    'OR operator requires at least one field',
  );
});

test('a dimension of an unknown type, or with an unknown type of values, is a plain one', async () => {
  const groups = async (dimension: Part) => {
    const rows: { event: Part }[] = await ask({ queryType: 'groupBy', dimensions: [dimension] });
    return rows.map(({ event }) => event);
  };
  const plain = [
    { x: 'a', c: 1 },
    { x: 'b', c: 2 },
  ];
  expect(await groups({ type: 'nonsense', dimension: 's', outputName: 'x' })).toEqual(plain);
  expect(await groups({ type: 'toString', dimension: 's', outputName: 'x' })).toEqual(plain);
  expect(
    await groups({ type: 'default', dimension: 's', outputName: 'x', outputType: 'nonsense' }),
  ).toEqual(plain);
});

test('a search is sorted as texts by default', async () => {
  const found = await ask({
    queryType: 'search',
    searchDimensions: ['s'],
    query: { type: 'all' },
    sort: {},
  });
  expect(found[0].result).toMatchObject([{ value: 'a' }, { value: 'b', count: 2 }]);
});

test('bounds of a theta sketch are part of its result', async () => {
  const sketch = { type: 'thetaSketch', name: 't', fieldName: 'n' };
  const bounds = { estimate: 3, highBound: 3, lowBound: 3, numStdDev: 2 };
  const [row] = await ask({
    aggregations: [sketch, { ...sketch, name: 'u', errorBoundsStdDev: 2 }],
    postAggregations: [
      {
        type: 'thetaSketchEstimate',
        name: 'p',
        errorBoundsStdDev: 2,
        field: { type: 'fieldAccess', fieldName: 't' },
      },
    ],
  });
  expect(row.result).toEqual({ t: 3, u: bounds, p: bounds });
});

const extraction = (extractionFn: Part) => ({
  queryType: 'groupBy',
  dimensions: [{ type: 'extraction', dimension: 's', outputName: 'x', extractionFn }],
});
const sum = { type: 'longSum', name: 'l', fieldName: 'n' };
const field = { type: 'fieldAccess', fieldName: 'l' };

test.each<[string, Part, string]>([
  [
    'a field that is no condition, where nothing needs it',
    extraction({ type: 'lookup', lookup: { type: 'map', map: {} }, optimize: 'nonsense' }),
    '[optimize] of [lookup] must be true or false, but is [nonsense]',
  ],
  [
    'a type of a dimension that is an object',
    { ...extraction({}), dimensions: [{ type: {}, dimension: 's' }] },
    'Column name must be provided and non-empty',
  ],
  [
    'a type of values that is a number',
    { queryType: 'groupBy', dimensions: [{ type: 'default', dimension: 's', outputType: 1 }] },
    '[outputType] of [default] must be a text',
  ],
  [
    'a limit of a bound that is a list',
    { filter: { type: 'bound', dimension: 's', lower: [] } },
    'Property [lower] of a [bound] filter must be a text',
  ],
  [
    'a lookup that is no map',
    extraction({ type: 'lookup', lookup: { type: 'nonsense', map: {} } }),
    'must be of type [map], not [nonsense]',
  ],
  [
    'a number as a condition of the context',
    { context: { skipEmptyBuckets: 1 } },
    'Expected key [skipEmptyBuckets] to be a Boolean, but got [java.lang.Integer]',
  ],
  [
    'a list as a text of the context',
    { context: { lane: [] } },
    'Expected key [lane] to be a String, but got [java.util.ArrayList]',
  ],
  ['a locale that is a list', extraction({ type: 'upper', locale: ['en'] }), '[locale] of [upper]'],
  [
    'a range without the type of its limits',
    { filter: { type: 'range', column: 'n', lower: 1 } },
    'matchValueType cannot be null',
  ],
  [
    'an element without a type',
    { filter: { type: 'arrayContainsElement', column: 's', elementMatchValue: 'a' } },
    'elementMatchValueType cannot be null',
  ],
  ['a filter without a type', { filter: { dimension: 's' } }, "missing type id property 'type'"],
  [
    'a filter whose type is an object',
    { filter: { type: {} } },
    'Could not resolve type id [an object] as a filter',
  ],
  [
    'a virtual column without a name',
    { virtualColumns: [{ type: 'expression', name: '', expression: '1' }] },
    'Empty or null virtualColumn name',
  ],
  [
    'an unknown order of a post-aggregator',
    {
      aggregations: [sum],
      postAggregations: [
        { type: 'arithmetic', name: 'p', fn: '+', fields: [field, field], ordering: 'nonsense' },
      ],
    },
    '[ordering] of [arithmetic] is null or [numericFirst], not [nonsense]',
  ],
  [
    'an order of a scan that is none',
    { queryType: 'scan', orderBy: [{ columnName: '__time', order: 'desc' }] },
    'Unknown order [desc]',
  ],
  [
    'an order of a scan that is missing',
    { queryType: 'scan', orderBy: [{ columnName: '__time' }] },
    'Order required for column [__time]',
  ],
  [
    'an order of a scan by another column than the time',
    { queryType: 'scan', columns: ['s'], orderBy: [{ columnName: 's', order: 'ascending' }] },
    'Cannot execute query with orderBy [s ASC]',
  ],
  [
    'an order of a scan by a column that is not selected',
    { queryType: 'scan', columns: ['s'], orderBy: [{ columnName: 'x', order: 'ascending' }] },
    "Column [x] from 'orderBy' must also appear in 'columns'.",
  ],
  [
    'a merge of sketches over texts',
    { aggregations: [{ type: 'HLLSketchMerge', name: 'h', fieldName: 's' }] },
    'Using aggregator [HLLSketchMerge] is not supported for complex columns with type [STRING].',
  ],
])('%s is refused', async (_, query, words) => {
  expect(await refusal(query)).toContain(words);
});

test('names that callers choose are no fields', async () => {
  const query = extraction({
    type: 'lookup',
    lookup: { type: 'map', map: { a: 'A', optimize: 'yes', locale: 'x' } },
    retainMissingValue: true,
  });
  expect(await ask(query)).toMatchObject([{ event: { x: 'A' } }, { event: { x: 'b' } }]);
});

test('what is malformed is no failure of a run', async () => {
  const statuses = await Promise.all(
    [
      {
        queryType: 'groupBy',
        dimensions: [{ type: 'lookup', dimension: 's', outputName: 'x', lookup: 'map' }],
      },
      {
        queryType: 'groupBy',
        dimensions: [{ type: 'lookup', dimension: 's', outputName: 'x' }],
      },
      { filter: { type: 'expression', expression: ['n > 1'] } },
      { aggregations: [{ type: 'longSum', name: 'l', expression: {} }] },
      extraction({ type: 'time', timeFormat: 'nonsense', resultFormat: 'yyyy' }),
      extraction({ type: 'time', timeFormat: 'yyyy', resultFormat: '' }),
    ].map(async (query) => {
      const given = { intervals: ['2000/2001'], granularity: 'all', dataSource: 'd' };
      const asked = { queryType: 'timeseries', ...given, ...query };
      return (await api(service).post('/svc/v2/', asked)).status;
    }),
  );
  expect(statuses).toEqual([400, 400, 400, 400, 400, 400]);
});

test('a post-aggregator of a sketch says what its field is', async () => {
  const quantile = (field: Part) => ({
    aggregations: [{ type: 'quantilesDoublesSketch', name: 'q', fieldName: 'n' }],
    postAggregations: [
      { type: 'quantilesDoublesSketchToQuantile', name: 'p', fraction: 0.5, field },
    ],
  });
  expect(await refusal(quantile({ type: 'fieldAccess', fieldName: 'r' }))).toBe(
    'Missing fields [[r]] for postAggregator [p]',
  );
  expect(await refusal(quantile({ type: 'finalizingFieldAccess', fieldName: 'q' }))).toBe(
    'The field of [quantilesDoublesSketchToQuantile] must be a sketch, not its estimate',
  );
});

test('an extraction function has an older name, which clients write', async () => {
  const dimension = {
    type: 'extraction',
    dimension: 's',
    outputName: 'x',
    dimExtractionFn: { type: 'upper' },
  };
  expect(await ask({ queryType: 'groupBy', dimensions: [dimension] })).toMatchObject([
    { event: { x: 'A' } },
    { event: { x: 'B' } },
  ]);
});

test('a query may list many values, and may be nested deeply', async () => {
  const values = Array.from({ length: 300_000 }, (_, index) => `v${index}`);
  expect(await counted({ type: 'in', dimension: 's', values: [...values, 'b'] })).toBe(2);
  let deep: unknown = { round: true };
  for (let depth = 0; depth < 300; depth++) deep = [deep];
  expect(await ask({ unknown: deep })).toMatchObject([{ result: { c: 3 } }]);
});

test('a cascade is as long as a query can be planned with', async () => {
  const upper = { type: 'upper' };
  const cascade = (extractionFns: readonly Part[]) =>
    extraction({ type: 'cascade', extractionFns });
  const inner = { type: 'cascade', extractionFns: Array.from({ length: 60 }, () => upper) };
  expect(await refusal(cascade([inner, inner]))).toContain(
    'Limit [cascadedFunctions] exceeded: [120] of at most [100]',
  );
  expect(await ask(cascade([upper, upper]))).toMatchObject([
    { event: { x: 'A' } },
    { event: { x: 'B' } },
  ]);
});
