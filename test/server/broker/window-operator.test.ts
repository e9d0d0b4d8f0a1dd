// windowOperator queries: the operators one by one, and the queries that EXPLAIN shows for windows.
// The answers are those of a real 33.0.0.
import { expect, test } from 'vitest';
import { visitsService } from '../../support/visits.ts';
import { api } from '../../support/wire.ts';

const service = visitsService();

type Query = Readonly<Record<string, unknown>>;

const rows = {
  type: 'inline',
  columnNames: ['a', 'b', 't'],
  columnTypes: ['STRING', 'LONG', 'DOUBLE'],
  rows: [
    ['x', 1, 1.5],
    ['x', 2, null],
    ['y', 3, 2.5],
    ['x', 4, 0.5],
    [null, 5, 7],
  ],
};
const sort = (column: string, direction = 'ASC') => ({ column, direction });
const sorted = (...columns: Query[]) => ({ type: 'naiveSort', columns });
const partition = (...partitionColumns: string[]) => ({ type: 'naivePartition', partitionColumns });
const window = (processor: Query) => ({ type: 'window', processor });
const numbered = window({ type: 'rowNumber', outputColumn: 'w' });
const sumOf = (frame: Query) =>
  window({
    type: 'framedAgg',
    frame,
    aggregations: [{ type: 'longSum', name: 'w', fieldName: 'b' }],
  });

const post = (path: string, body: unknown) => api(service()).post(`/svc/v2${path}`, body);
const send = (operatorDefinition: unknown, given: Query = {}) =>
  post('/', {
    queryType: 'windowOperator',
    dataSource: rows,
    intervals: { type: 'LegacySegmentSpec', intervals: ['1000/3000'] },
    outputSignature: ['a', 'b', 'w'].map((name) => ({ name, type: 'LONG' })),
    operatorDefinition,
    ...given,
  });
const answer = async (operators: unknown, given?: Query) => (await send(operators, given)).body;

test.each<[string, readonly Query[], string]>([
  ['a partition ends where a value changes', [partition('a'), numbered], 'x11 x22 y31 x41 ∅51'],
  [
    'sorted rows, null first',
    [sorted(sort('a'), sort('b', 'DESC')), partition('a'), numbered],
    '∅51 x41 x22 x13 y31',
  ],
  ['rows without a partition', [numbered], 'x11 x22 y33 x44 ∅55'],
  ['no operators', [], 'x1∅ x2∅ y3∅ x4∅ ∅5∅'],
  [
    'ranks count the rows before, dense ranks the values',
    [sorted(sort('a')), window({ type: 'rank', group: ['a'], outputColumn: 'w' })],
    '∅51 x12 x22 x42 y35',
  ],
  [
    'dense ranks of descending values',
    [sorted(sort('a', 'DESC')), window({ type: 'denseRank', group: ['a'], outputColumn: 'w' })],
    'y31 x12 x22 x42 ∅53',
  ],
  [
    'a frame of rows',
    [partition(), sumOf({ type: 'rows', lowerOffset: -1, upperOffset: 1 })],
    'x13 x26 y39 x412 ∅59',
  ],
  [
    'a frame of groups',
    [sumOf({ type: 'groups', lowerOffset: null, upperOffset: 0, orderByColumns: ['a'] })],
    'x13 x23 y36 x410 ∅515',
  ],
  [
    'values of other rows',
    [partition('a'), window({ type: 'offset', inputColumn: 'b', outputColumn: 'w', offset: 1 })],
    'x12 x2∅ y3∅ x4∅ ∅5∅',
  ],
  [
    'a scan filters, cuts and computes',
    [
      {
        type: 'scan',
        filter: { type: 'range', column: 'b', matchValueType: 'LONG', lower: 2 },
        virtualColumns: [
          { type: 'expression', name: 'w', expression: 'b * 2', outputType: 'LONG' },
        ],
        offsetLimit: { offset: 1, limit: 2 },
      },
    ],
    'y36 x48',
  ],
  [
    'columns that a scan repeats',
    [{ type: 'scan', projectedColumns: ['a', 'b', 'a'] }, sorted(sort('b', 'DESC')), numbered],
    '∅51 x42 y33 x24 x15',
  ],
])('%s', async (_, operators, expected) => {
  const found: readonly (readonly unknown[])[] = await answer(operators);
  const shown = found.map((row) => row.map((value) => value ?? '∅').join(''));
  expect(shown.join(' ')).toBe(expected);
});

test('several processors, each with a column of its own', async () => {
  const outputs = ['a', 'first', 'last', 'tile', 'share', 'percent'];
  expect(
    await answer(
      [
        partition('a'),
        window({
          type: 'composing',
          processors: [
            { type: 'first', inputColumn: 'b', outputColumn: 'first' },
            { type: 'last', inputColumn: 'b', outputColumn: 'last' },
            { type: 'percentile', outputColumn: 'tile', numBuckets: 2 },
            { type: 'cumeDist', group: ['b'], outputColumn: 'share' },
            { type: 'rank', group: ['b'], outputColumn: 'percent', asPercent: true },
          ],
        }),
      ],
      { outputSignature: outputs.map((name) => ({ name })) },
    ),
  ).toEqual([
    ['x', 1, 2, 1, 0.5, 0],
    ['x', 1, 2, 2, 1, 1],
    ['y', 3, 3, 1, 1, 0],
    ['x', 4, 4, 1, 1, 0],
    [null, 5, 5, 1, 1, 0],
  ]);
});

test.each<[string, unknown, Query, string]>([
  ['an operator', [{ type: 'nope' }], {}, 'naivePartition, naiveSort'],
  ['a processor', [window({ type: 'nope' })], {}, 'composing'],
  ['a frame', [sumOf({ type: 'nope' })], {}, 'rows, groups'],
  ['a column', [sorted(sort('nope'))], {}, 'column[nope]'],
  ['a list of operators', 'x', {}, '[operatorDefinition]'],
  ['bounds', [sumOf({ type: 'rows', lowerOffset: 5, upperOffset: 1 })], {}, '[lowerOffset] is [5]'],
  ['a table without leaf operators', [], { dataSource: 'visits' }, 'query or inline data source'],
  [
    'a scan of very many columns',
    [{ type: 'scan', projectedColumns: Array.from({ length: 6000 }, (_, index) => `c${index}`) }],
    {},
    'Limit [columns] exceeded',
  ],
  [
    'a partition by very many columns',
    [partition(...Array.from({ length: 6000 }, () => 'a'))],
    {},
    'Limit [columns] exceeded',
  ],
  [
    'very many operators',
    Array.from({ length: 500 }, () => sorted(sort('a'))),
    {},
    'Limit [nesting] exceeded',
  ],
])('%s that is wrong is refused', async (_, operators, given, message) => {
  const { status, body } = await send(operators, given);
  expect(status).toBe(400);
  expect(body.errorMessage).toContain(message);
});

test('many windows over windows are planned in linear time', async () => {
  const processors = Array.from({ length: 40 }, (_, index) => ({
    type: 'rank',
    group: ['a'],
    outputColumn: index === 39 ? 'w' : `r${index}`,
  }));
  const found = await answer([sorted(sort('a')), window({ type: 'composing', processors })]);
  expect(found.map(([, , rank]: readonly unknown[]) => rank)).toEqual([1, 2, 2, 2, 5]);
});

test('leaf operators read a table', async () => {
  const filter = { type: 'range', column: 'n', matchValueType: 'LONG', lower: 4 };
  expect(
    await answer([sorted(sort('n', 'DESC')), numbered], {
      dataSource: { type: 'table', name: 'visits' },
      leafOperators: [{ type: 'scan', filter, projectedColumns: ['n', 'city'] }],
      outputSignature: [{ name: 'n' }, { name: 'city' }, { name: 'w' }],
    }),
  ).toEqual([
    [30, 'Paris', 1],
    [5, 'Lima', 2],
    [4, 'Oslo', 3],
  ]);
});

test('the query that EXPLAIN shows for windows answers as the statement, also below another', async () => {
  const statement =
    'SELECT city, SUM(n) AS n, RANK() OVER (ORDER BY SUM(n) DESC) AS r FROM visits GROUP BY 1';
  const sql = async (query: string) => (await post('/sql', { query, resultFormat: 'array' })).body;
  const [[plan]] = await sql(`EXPLAIN PLAN FOR ${statement}`);
  const [{ query }] = JSON.parse(plan);
  expect(query.queryType).toBe('windowOperator');
  const { body: found } = await post('/', query);
  expect(found).toEqual(await sql(statement));
  const { body: counted } = await post('/', {
    queryType: 'timeseries',
    dataSource: { type: 'query', query },
    intervals: ['1000/3000'],
    granularity: 'all',
    aggregations: [{ type: 'longMax', name: 'last', fieldName: 'w0' }],
  });
  expect(counted).toMatchObject([{ result: { last: found.length } }]);
});
