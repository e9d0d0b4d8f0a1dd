// Native filters of stored numbers and arrays; the answers are those of a real cluster of version
// 33.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startServer } from '../../../src/server/server.ts';
import { api } from '../../support/wire.ts';

type Query = Readonly<Record<string, unknown>>;

let service: Service;
beforeAll(async () => {
  service = await startServer({ port: 0 });
  const { post, ended } = api(service);
  const rows = [
    { id: 1, n: 0, d: -0.0, f: 0, list: [], s: '7' },
    { id: 2, n: 1, d: 1.5, f: 0.5, list: [0.5, 2], s: '007' },
    { id: 3, n: 7, d: 0.1, f: 0.1, list: [0.1], s: 'true' },
    { id: 4, n: null, d: null, f: null, list: null, s: null },
  ];
  const data = rows.map((row) => JSON.stringify({ ...row, t: '2024-01-01' })).join('\n');
  const { body } = await post('/svc/indexer/v1/task', {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'numbers',
        timestampSpec: { column: 't', format: 'iso' },
        dimensionsSpec: {
          dimensions: [
            { type: 'long', name: 'id' },
            { type: 'string', name: 's' },
            { type: 'long', name: 'n' },
            { type: 'double', name: 'd' },
            { type: 'float', name: 'f' },
            { type: 'auto', name: 'list' },
          ],
        },
        granularitySpec: { segmentGranularity: 'DAY', rollup: false },
      },
      ioConfig: {
        type: 'index_parallel',
        // JSON of JavaScript loses the sign of zero.
        inputSource: { type: 'inline', data: data.replace('"d":0,', '"d":-0.0,') },
        inputFormat: { type: 'json' },
      },
    },
  });
  expect(await ended(body.task)).toMatchObject({ statusCode: 'SUCCESS' });
});
afterAll(() => service.close());

async function ids(filter: Query): Promise<readonly number[]> {
  const { body } = await api(service).post('/svc/v2/', {
    queryType: 'scan',
    dataSource: 'numbers',
    intervals: ['2024/2025'],
    columns: ['id'],
    resultFormat: 'compactedList',
    filter,
  });
  return body.flatMap(({ events }: { events: [number][] }) => events.flat());
}

const selector = (dimension: string, value: string) => ({ type: 'selector', dimension, value });
const among = (dimension: string, ...values: string[]) => ({ type: 'in', dimension, values });
const equals = (column: string, matchValueType: string, matchValue: unknown) => ({
  type: 'equals',
  column,
  matchValueType,
  matchValue,
});
const bound = (dimension: string, ordering: string, limits: Query) => ({
  type: 'bound',
  dimension,
  ordering,
  ...limits,
});
const comparison = (...dimensions: string[]) => ({ type: 'columnComparison', dimensions });
const not = (field: Query) => ({ type: 'not', field });

test.each<[string, Query, number[]]>([
  ['zeros of different signs differ', selector('d', '0'), []],
  ['zeros of one sign are equal', selector('d', '-0.0'), [1]],
  ['a float has a sign of zero, too', selector('f', '-0.0'), []],
  ['also in a list', among('d', '-0', '7'), [1]],
  [
    'however long it is',
    among('d', ...Array.from({ length: 100_000 }, (_, at) => `-0e${at}`)),
    [1],
  ],
  [
    'also in a list of a type',
    { type: 'inType', column: 'd', matchValueType: 'DOUBLE', sortedValues: [0, 1.5] },
    [2],
  ],
  ['also in an equality', equals('d', 'DOUBLE', 0), []],
  ['NaN is a number, and no null', selector('d', 'NaN'), []],
  ['also in a list with others', among('d', 'NaN', '1.5'), [2]],
  ['an integer has no sign of zero', equals('f', 'LONG', '-0.0'), [1]],
  ['a fraction among integers means null', selector('n', '1.5'), [4]],
  ['as does a list of one', among('n', 'a'), [4]],
  ['a longer list leaves it out', among('n', '1.5', '7'), [3]],
  ['a whole number may have a point', selector('n', '1.0'), [2]],
  ['a match value becomes an integer', equals('n', 'LONG', 1.5), [2]],
  ['or a double', equals('n', 'DOUBLE', '1.5'), []],
  ['a float equals the nearest double', equals('f', 'DOUBLE', '0.1'), [3]],
  [
    'but a range compares doubles',
    { type: 'range', column: 'f', matchValueType: 'DOUBLE', lower: 0.1, upper: 0.1 },
    [],
  ],
  [
    'a range of texts reads the text of a float',
    { type: 'range', column: 'f', matchValueType: 'STRING', lower: '0.1', upper: '0.1' },
    [3],
  ],
  ['a bound of lengths, too', bound('f', 'strlen', { upper: '0.5' }), [1, 2, 3]],
  ['a zero at the end is a digit', bound('f', 'alphanumeric', { lower: '0' }), []],
  ['a zero before a point is none', bound('n', 'alphanumeric', { upper: '0.5' }), []],
  ['numbers are compared as texts', comparison('d', 'f'), [3, 4]],
  ['an array as several texts', comparison('list', 'f'), [2, 3, 4]],
  ['an empty array differs', not(comparison('list', 'f')), [1]],
])('%s', async (_, filter, expected) => {
  expect(await ids(filter)).toEqual(expected);
});

test('zeros are equal where a single value is compared by vectors', async () => {
  const count = async (filter: Query) => {
    const { body } = await api(service).post('/svc/v2/', {
      queryType: 'timeseries',
      dataSource: 'numbers',
      intervals: ['2024/2025'],
      granularity: 'all',
      aggregations: [{ type: 'count', name: 'n' }],
      filter,
    });
    return body[0].result.n;
  };
  expect(await count(selector('d', '0'))).toBe(1);
  expect(await count(equals('d', 'DOUBLE', 0))).toBe(1);
  expect(await count(not(among('d', '0')))).toBe(2);
  expect(await count(among('d', '0', '7'))).toBe(0);
});

test('a number with a fraction is no time', async () => {
  const failureOf = async (dimension: string) => {
    const { body } = await api(service).post('/svc/v2/', {
      queryType: 'scan',
      dataSource: 'numbers',
      intervals: ['2024/2025'],
      filter: { ...selector(dimension, '1970'), extractionFn: { type: 'timeFormat' } },
    });
    return body.errorMessage;
  };
  const message = 'No instant converter found for type: java.lang.';
  expect(await failureOf('d')).toBe(`${message}Double`);
  expect(await failureOf('f')).toBe(`${message}Float`);
  expect(await failureOf('n')).toBeUndefined();
});

test('a function extracts from the text of a computed number', async () => {
  const years = async (expression: string) => {
    const { body } = await api(service).post('/svc/v2/', {
      queryType: 'topN',
      dataSource: 'numbers',
      intervals: ['2024/2025'],
      granularity: 'all',
      virtualColumns: [{ type: 'expression', name: 'v', expression, outputType: 'LONG' }],
      dimension: {
        type: 'extraction',
        dimension: 'v',
        extractionFn: { type: 'timeFormat', format: 'yyyy' },
      },
      metric: { type: 'dimension' },
      threshold: 9,
    });
    return body[0].result.map(({ v }: Query) => v);
  };
  expect(await years('id * 1000')).toEqual(['1000', '2000', '3000', '4000']);
  expect(await years('__time')).toEqual(['2024']);
});

test('the text of a computed number is that of its own type', async () => {
  const groups = async (expression: string, outputType: string, type = 'STRING') => {
    const { body } = await api(service).post('/svc/v2/', {
      queryType: 'groupBy',
      dataSource: 'numbers',
      intervals: ['2024/2025'],
      granularity: 'all',
      virtualColumns: [{ type: 'expression', name: 'v', expression, outputType }],
      dimensions: [{ type: 'default', dimension: 'v', outputType: type }],
      filter: equals('id', 'LONG', 2),
    });
    return body.map(({ event }: { event: Query }) => event.v);
  };
  expect(await groups('n + 1', 'DOUBLE')).toEqual(['2']);
  expect(await groups('n + 1', 'FLOAT')).toEqual(['2.0']);
  expect(await groups('d + 1', 'LONG')).toEqual(['2.5']);
  expect(await groups('d + 1', 'LONG', 'LONG')).toEqual([2]);
  expect(await groups("concat(n, '.5')", 'STRING', 'LONG')).toEqual([null]);
  expect(await groups("concat(n, 'e2')", 'STRING', 'LONG')).toEqual([100]);
});

test('filters whose values are texts read numbers and truths as texts', async () => {
  const not = (field: Query) => ({ type: 'not', field });
  const selector = (value: unknown) => ({ type: 'selector', dimension: 's', value });
  expect(await ids(selector(7))).toEqual([1]);
  expect(await ids(not(selector(7)))).toEqual([2, 3]);
  expect(await ids(selector(true))).toEqual([3]);
  expect(await ids({ type: 'in', dimension: 's', values: [7, null] })).toEqual([1, 4]);
  const ofTexts = { column: 's', matchValueType: 'STRING' };
  expect(await ids({ type: 'equals', ...ofTexts, matchValue: 7 })).toEqual([1]);
  expect(await ids({ type: 'inType', ...ofTexts, sortedValues: [7] })).toEqual([1]);
});

test('a null is outside of a lower limit of texts, but unknown to an index of texts', async () => {
  const outside = (dimension: string, ordering: string) =>
    ids({ type: 'not', field: { type: 'bound', dimension, lower: '1', ordering } });
  expect(await outside('s', 'lexicographic')).toEqual([2]);
  expect(await outside('s', 'strlen')).toEqual([4]);
  expect(await outside('s', 'alphanumeric')).toEqual([4]);
  expect(await outside('missing', 'lexicographic')).toEqual([1, 2, 3, 4]);
  expect(await outside('n', 'numeric')).toEqual([1]);
});

test('a text that is no number equals no number, and no number is unknown', async () => {
  const equal = { type: 'equals', matchValueType: 'STRING', matchValue: 'a' };
  for (const column of ['n', 'd'])
    expect(await ids({ type: 'not', field: { ...equal, column } })).toEqual(
      await ids({ type: 'not', field: { type: 'null', column } }),
    );
});
