// Arrays and documents in native queries over real segments; the rules are those of a real cluster
// of version 33.
import { expect, test } from 'vitest';
import { visitsService } from '../../support/visits.ts';
import { api } from '../../support/wire.ts';

const service = visitsService();

type Query = Readonly<Record<string, unknown>>;

const ask = async (query: Query) => {
  const { body } = await api(service()).post('/svc/v2/', {
    dataSource: 'visits',
    intervals: ['2020-01-01/2020-02-01'],
    granularity: 'all',
    ...query,
  });
  return body;
};

interface Batch {
  readonly events: readonly (readonly unknown[])[];
  readonly rowSignature: readonly unknown[];
}

const scanned = async (columns: readonly string[], query: Query): Promise<readonly Batch[]> =>
  ask({ queryType: 'scan', columns, resultFormat: 'compactedList', ...query });
const rowsOf = async (columns: readonly string[], query: Query) =>
  (await scanned(columns, query)).flatMap(({ events }) => events);
const valuesOf = async (virtualColumn: Query) =>
  (await rowsOf(['v'], { virtualColumns: [virtualColumn] })).flat();
const field = (query: Query) => ({
  type: 'nested-field',
  columnName: 'doc',
  outputName: 'v',
  ...query,
});
const expression = (text: string, outputType: string | null = null) => ({
  type: 'expression',
  name: 'v',
  expression: text,
  outputType,
});
const groups = async (virtualColumn: Query) => {
  const found: { event: { v: unknown } }[] = await ask({
    queryType: 'groupBy',
    dimensions: ['v'],
    virtualColumns: [virtualColumn],
  });
  return found.map(({ event }) => event.v);
};
const cities = async (filter: Query) => (await rowsOf(['city'], { filter })).flat();
const contains = (column: string, type: string, value: unknown) => ({
  type: 'arrayContainsElement',
  column,
  elementMatchValueType: type,
  elementMatchValue: value,
});

test('a scan shows the field of a document as it is there, whatever type is expected', async () => {
  const fields = [1, 2, null, 3, null, null];
  expect(await valuesOf(field({ path: '$.k' }))).toEqual(fields);
  expect(await valuesOf(field({ path: '$.k', expectedType: 'STRING' }))).toEqual(fields);
  expect(await valuesOf(field({ path: '.k', useJqSyntax: true }))).toEqual(fields);
  expect(await valuesOf(field({ path: '$' }))).toEqual([null, null, null, null, [1], 'text']);
  expect(await ask({ queryType: 'scan', virtualColumns: [field({ path: '.k' })] })).toMatchObject({
    errorMessage: 'JSONPath [.k] must start with [$]',
  });
});

test('the root of a column without documents is the column, and only arrays have items', async () => {
  const numbers = [1, 2, null, 30, 4, 5];
  const none = [null, null, null, null, null, null];
  expect(await valuesOf(field({ columnName: 'n', path: '$' }))).toEqual(numbers);
  expect(await valuesOf(field({ columnName: 'n', path: '$', expectedType: 'STRING' }))).toEqual(
    numbers,
  );
  expect(await valuesOf(field({ columnName: 'n', path: '$.k' }))).toEqual(none);
  expect(await valuesOf(field({ columnName: 'tags', path: '$[0]' }))).toEqual(none);
  expect(await valuesOf(field({ columnName: 'arr', path: '$[1]' }))).toEqual([
    'q',
    ...none.slice(1),
  ]);
});

test('a constant array that is declared as a number is grouped as its text', async () => {
  expect(await groups(expression("['a']", 'LONG'))).toEqual(['[a]']);
  expect(await groups(expression('array(1, 2)', 'DOUBLE'))).toEqual(['[1, 2]']);
  expect(await groups(expression('[1, 2]', 'STRING'))).toEqual(['1', '2']);
  expect(await groups(expression('array(n)', 'LONG'))).toEqual([null, '1', '2', '30', '4', '5']);
});

test('an array that is declared as a text or a number is shown unchanged', async () => {
  const shown = async (text: string, type: string) => {
    const [batch] = await scanned(['v'], { virtualColumns: [expression(text, type)], limit: 1 });
    return [batch?.events, batch?.rowSignature];
  };
  expect(await shown("['a']", 'STRING')).toEqual([[['a']], [{ name: 'v', type: 'STRING' }]]);
  expect(await shown('array(n, 2)', 'STRING')).toEqual([
    [[[1, 2]]],
    [{ name: 'v', type: 'STRING' }],
  ]);
  expect(await shown('[1, 2]', 'LONG')).toEqual([[[[1, 2]]], [{ name: 'v', type: 'LONG' }]]);
});

test('unnest reads the values as computed, and leaves out rows without any', async () => {
  const unnested = async (text: string, outputType: string | null = null) =>
    rowsOf(['city', 'v'], {
      dataSource: {
        type: 'unnest',
        base: 'visits',
        virtualColumn: expression(text, outputType),
      },
      limit: 3,
    });
  expect(await unnested('array(n, 7)', 'LONG')).toEqual([
    ['Paris', 1],
    ['Paris', 7],
    ['Lima', 2],
  ]);
  expect(await unnested("concat(tags, '!')", 'STRING')).toEqual([
    ['Paris', 'a!'],
    ['Paris', 'b!'],
    ['Lima', 'b!'],
  ]);
  expect((await unnested('n')).at(-1)).toEqual(['Paris', 30]);
  expect((await unnested('city', 'LONG')).at(-1)).toEqual(['Paris', 'Paris']);
  expect((await unnested('city')).at(-1)).toEqual([null, null]);
  expect(await unnested('unknown')).toEqual([]);
});

test('a selector finds missing arrays, and an empty list finds none', async () => {
  expect(await cities({ type: 'selector', dimension: 'arr', value: null })).toEqual([null]);
  expect(await cities({ type: 'in', dimension: 'arr', values: [] })).toEqual([]);
});

test('only arrays contain null, and a column of numbers contains no other texts', async () => {
  expect(await cities(contains('city', 'STRING', null))).toEqual([]);
  expect(await cities(contains('arr', 'STRING', 'p'))).toEqual(['Paris', 'Oslo']);
  expect(await cities(contains('n', 'LONG', 2.5))).toEqual(['Lima']);
  expect(await cities(contains('n', 'STRING', 'x'))).toEqual([]);
  expect(await cities(contains('tags', 'ARRAY<STRING>', ['d']))).toEqual(['Lima']);
  expect(await cities(contains('arr', 'ARRAY<STRING>', ['p']))).toEqual([]);
  expect(await ask({ queryType: 'scan', filter: contains('arr', 'TEXT', 'p') })).toMatchObject({
    errorMessage: expect.stringContaining('elementMatchValueType cannot be null'),
  });
});

test('documents are outside of all ranges and lists', async () => {
  const range = { type: 'range', column: 'doc', matchValueType: 'LONG', lower: 0 };
  expect(await cities(range)).toEqual([]);
  expect(await cities({ type: 'not', field: range })).toEqual([]);
  expect(await cities(contains('doc', 'LONG', 1))).toEqual([]);
});

test('a scan refuses an order that its columns contradict', async () => {
  const orderBy = [{ columnName: '__time', order: 'ascending' }];
  expect(
    await ask({ queryType: 'scan', columns: ['__time'], order: 'descending', orderBy }),
  ).toMatchObject({ errorMessage: "Cannot provide 'order' incompatible with 'orderBy'" });
  expect(await rowsOf(['__time'], { order: 'ascending', orderBy, limit: 1 })).toEqual([
    [Date.parse('2020-01-01')],
  ]);
});
