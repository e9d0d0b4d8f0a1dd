// Extraction functions of dimensions over rows that the query itself holds; the answers are those
// of a real cluster of version 33.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startServer } from '../../../src/server/server.ts';
import { api } from '../../support/wire.ts';

let service: Service;
beforeAll(async () => {
  service = await startServer({ port: 0 });
});
afterAll(() => service.close());

type Query = Readonly<Record<string, unknown>>;

const count = { type: 'count', name: 'c' };
const source = {
  type: 'inline',
  columnNames: ['k', 'n'],
  columnTypes: ['STRING', 'LONG'],
  rows: [
    ['b', 1],
    ['a', 20],
    ['z', 3],
    [null, null],
  ],
};
const query = { dataSource: source, intervals: ['1960/1980'], granularity: 'all' };
const groupBy = { ...query, queryType: 'groupBy', aggregations: [count] };

async function rowsOf(given: Query): Promise<unknown> {
  const { status, body } = await api(service).post('/svc/v2/', given);
  if (status !== 200) return { status, ...body };
  return given.queryType === 'topN'
    ? body[0].result
    : body.map(({ event }: { event: unknown }) => event);
}

const map = { type: 'map', map: { a: 'Z', b: 'A', '1': 'one' }, isOneToOne: true };
const lookup = { type: 'lookup', lookup: map };
const extracted = (extractionFn: Query, dimension = 'k') => ({
  type: 'extraction',
  dimension,
  outputName: 'v',
  extractionFn,
});
const mark = { type: 'expression', name: 'p', expression: "concat(v, '!')" };
const marked = [
  { v: null, c: 1, p: null },
  { v: 'Z', c: 1, p: 'a!' },
  { v: 'A', c: 1, p: 'b!' },
  { v: null, c: 1, p: 'z!' },
];

test.each<[string, Query, unknown]>([
  ['a lookup', extracted(lookup), marked],
  ['a dimension of a lookup', { ...lookup, dimension: 'k', outputName: 'v' }, marked],
  [
    'several lookups',
    extracted({
      type: 'cascade',
      extractionFns: [lookup, { ...lookup, retainMissingValue: true }],
    }),
    [
      { v: null, c: 1, p: null },
      { v: 'Z', c: 1, p: 'a!' },
      { v: 'A', c: 1, p: 'b!' },
      { v: null, c: 1, p: 'z!' },
    ],
  ],
  [
    'an identity, whose numbers are texts',
    { ...extracted({ type: 'identity' }, 'n'), outputType: 'LONG' },
    [
      { v: null, c: 1, p: null },
      { v: '1', c: 1, p: '1!' },
      { v: '20', c: 1, p: '20!' },
      { v: '3', c: 1, p: '3!' },
    ],
  ],
])('groups are made before an injective extraction: %s', async (_, dimension, expected) => {
  const given = { ...groupBy, dimensions: [dimension], postAggregations: [mark] };
  expect(await rowsOf(given)).toEqual(expected);
});

test('another step of a cascade extracts before the groups are made', async () => {
  const steps = { type: 'cascade', extractionFns: [lookup, { type: 'lower' }] };
  expect(await rowsOf({ ...groupBy, dimensions: [extracted(steps)] })).toEqual([
    { v: null, c: 2 },
    { v: 'a', c: 1 },
    { v: 'z', c: 1 },
  ]);
});

const dimensions = [extracted(lookup)];
const named = (value: string) => ({
  ...groupBy,
  dimensions,
  having: { type: 'dimSelector', dimension: 'v', value },
});
const descending = {
  type: 'default',
  columns: [{ dimension: 'v', direction: 'descending' }],
  limit: 2,
};
test.each<[string, Query, unknown]>([
  ['a condition of groups', named('a'), [{ v: 'Z', c: 1 }]],
  ['a condition of extracted values', named('Z'), []],
  [
    'the order of groups',
    { ...groupBy, dimensions, limitSpec: descending },
    [
      { v: null, c: 1 },
      { v: 'A', c: 1 },
    ],
  ],
  [
    'a query of the groups',
    {
      ...groupBy,
      dataSource: { type: 'query', query: { ...groupBy, dimensions } },
      dimensions: ['v'],
    },
    [null, 'a', 'b', 'z'].map((v) => ({ v, c: 1 })),
  ],
  [
    'a filter of extracted values, which is forgotten',
    { ...groupBy, dimensions: [{ type: 'listFiltered', delegate: dimensions[0], values: ['A'] }] },
    [null, 'Z', 'A', null].map((v) => ({ v, c: 1 })),
  ],
  [
    'a set without the dimension, whose null is replaced',
    {
      ...groupBy,
      dimensions: [extracted({ ...lookup, replaceMissingValueWith: '?' })],
      subtotalsSpec: [[]],
    },
    [{ v: '?', c: 4 }],
  ],
])('values before an injective extraction are seen by %s', async (_, given, expected) => {
  expect(await rowsOf(given)).toEqual(expected);
});

const topN = { ...query, queryType: 'topN', threshold: 3, aggregations: [count] };
const inMulti = { type: 'listFiltered', delegate: dimensions[0], values: ['A'] };
test.each<[string, Query, unknown]>([
  ['equal numbers by the values before it', { metric: 'c' }, [null, 'Z', 'A']],
  ['turned numbers, too', { metric: { type: 'inverted', metric: 'c' } }, [null, 'Z', 'A']],
  [
    'numbers of all values in spite of a filter',
    { metric: 'c', dimension: inMulti },
    [null, 'Z', 'A'],
  ],
  ['texts by the extracted values', { metric: { type: 'dimension' } }, [null, 'A', 'Z']],
])('topN with an injective extraction ranks %s', async (_, given, expected) => {
  const rows = await rowsOf({ ...topN, dimension: dimensions[0], ...given });
  expect((rows as { v: unknown }[]).map(({ v }) => v)).toEqual(expected);
});

const computed = (expression: string, outputType?: string) => [
  { type: 'expression', name: 'x', expression, ...(outputType && { outputType }) },
];
const kept = {
  type: 'lookup',
  lookup: { type: 'map', map: { '2': 'two' } },
  retainMissingValue: true,
};
const ofComputed = [extracted(kept, 'x'), { ...kept, dimension: 'x', outputName: 'v' }];
test.each(ofComputed)('a lookup reads computed numbers as they are computed: %j', async (given) => {
  const valuesOf = async (...column: Parameters<typeof computed>) => {
    const asked = { ...groupBy, dimensions: [given], virtualColumns: computed(...column) };
    return ((await rowsOf(asked)) as { v: unknown }[]).map(({ v }) => v);
  };
  expect(await valuesOf('n + 1', 'DOUBLE')).toEqual([null, '21', '4', 'two']);
  expect(await valuesOf('n * 1.5', 'LONG')).toEqual([null, '1.5', '30.0', '4.5']);
  expect(await valuesOf('n * 2.0')).toEqual([null, '2.0', '40.0', '6.0']);
});

test.each([[undefined], ['STRING'], ['ARRAY<STRING>']])(
  'a function extracts from the items of a computed array declared as %s',
  async (outputType) => {
    const dimension = extracted({ type: 'stringFormat', format: '<%s>' }, 'x');
    for (const queryType of ['groupBy', 'topN']) {
      const rows = await rowsOf({
        ...query,
        queryType,
        dimensions: [dimension],
        dimension,
        metric: { type: 'dimension' },
        threshold: 9,
        aggregations: [count],
        filter: { type: 'in', dimension: 'k', values: ['a', 'b'] },
        virtualColumns: computed('array(k, n)', outputType),
      });
      expect(rows).toEqual(['<1>', '<20>', '<a>', '<b>'].map((v) => ({ v, c: 1 })));
    }
  },
);

test('a function that begins before a text fails the query, unless there are only nulls', async () => {
  const before = { type: 'substring', index: -1 };
  expect(await rowsOf({ ...groupBy, dimensions: [extracted(before)] })).toMatchObject({
    errorMessage:
      'java.util.concurrent.ExecutionException: java.lang.StringIndexOutOfBoundsException: begin -1',
  });
  const filter = { type: 'null', column: 'k' };
  expect(await rowsOf({ ...groupBy, filter, dimensions: [extracted(before)] })).toEqual([
    { v: null, c: 1 },
  ]);
});

const unnested = {
  type: 'unnest',
  base: source,
  virtualColumn: { type: 'expression', name: 'u', expression: 'array(k, n)' },
};
const filter = { type: 'in', dimension: 'k', values: ['a', 'b'] };
test('the extraction and the filter of an unnested item are forgotten', async () => {
  const of = (dimension: unknown) => ({
    dataSource: unnested,
    filter,
    dimension,
    dimensions: [dimension],
    metric: { type: 'dimension' },
    threshold: 9,
  });
  const items = (name: string) => ['1', '20', 'a', 'b'].map((item) => ({ [name]: item, c: 1 }));
  for (const extractionFn of [{ type: 'upper' }, kept])
    for (const kind of [groupBy, topN])
      expect(await rowsOf({ ...kind, ...of(extracted(extractionFn, 'u')) })).toEqual(items('v'));
  const listed = { type: 'listFiltered', delegate: 'u', values: ['a'] };
  for (const kind of [groupBy, topN])
    expect(await rowsOf({ ...kind, ...of(listed) })).toEqual(items('u'));
});

test('an injective extraction of an unnested item changes the final rows only', async () => {
  const given = { dataSource: unnested, filter, dimensions: [extracted(lookup, 'u')] };
  expect(await rowsOf({ ...groupBy, ...given })).toEqual([
    { v: 'one', c: 1 },
    { v: null, c: 1 },
    { v: 'Z', c: 1 },
    { v: 'A', c: 1 },
  ]);
});
