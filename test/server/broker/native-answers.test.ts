// Answers of native queries over rows that the query itself holds, found with random queries; all
// are those of a real cluster of version 33.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startServer } from '../../../src/server/server.ts';
import { api } from '../../support/wire.ts';

let service: Service;
beforeAll(async () => {
  service = await startServer({ port: 0 });
});
afterAll(() => service.close());

type Query = Readonly<Record<string, unknown>>;

const inline = {
  type: 'inline',
  columnNames: ['s', 'n', 'x'],
  columnTypes: ['STRING', 'LONG', 'DOUBLE'],
  rows: [
    ['a', 7, 1.5],
    ['b', 100, 2],
    [null, null, null],
    ['a', -1, 0.5],
  ],
};
const ask = async (query: Query) => {
  const { body } = await api(service).post('/svc/v2/', {
    dataSource: inline,
    intervals: ['1960/2030'],
    granularity: 'all',
    ...query,
  });
  return body;
};

const groups = async (query: Query): Promise<readonly unknown[]> => {
  const items: { event: unknown }[] = await ask({
    queryType: 'groupBy',
    dimensions: ['s'],
    ...query,
  });
  return items.map(({ event }) => event);
};

test.each<[string, Query, readonly unknown[]]>([
  [
    'a dimension of numbers is sorted as text by default',
    {
      dimensions: [{ type: 'default', dimension: 'n', outputName: 'n', outputType: 'LONG' }],
      limitSpec: { type: 'default', columns: ['n'] },
    },
    [{ n: null }, { n: -1 }, { n: 100 }, { n: 7 }],
  ],
  [
    'a text that is not a number finds the nulls of a column of numbers',
    { filter: { type: 'selector', dimension: 'n', value: 'US' } },
    [{ s: null }],
  ],
  [
    'and its opposite finds all numbers',
    { filter: { type: 'not', field: { type: 'selector', dimension: 'n', value: 'US' } } },
    [{ s: 'a' }, { s: 'b' }],
  ],
  [
    'subtotals are made of the groups that a limit leaves, if it needs nothing but their keys',
    {
      dimensions: ['s', 'n'],
      aggregations: [{ type: 'count', name: 'k' }],
      limitSpec: { type: 'default', limit: 3, columns: ['n'] },
      subtotalsSpec: [['s'], []],
    },
    [
      { s: null, n: null, k: 1 },
      { s: 'a', n: null, k: 1 },
      { s: 'b', n: null, k: 1 },
    ],
  ],
  [
    'a limit by an aggregate leaves all groups to the subtotals',
    {
      aggregations: [{ type: 'count', name: 'k' }],
      limitSpec: { type: 'default', limit: 2, columns: [{ dimension: 'k', direction: 'desc' }] },
      subtotalsSpec: [['s'], []],
    },
    [
      { s: null, k: 4 },
      { s: 'a', k: 2 },
    ],
  ],
  [
    'a field is read as it is before its finalization',
    {
      dimensions: [],
      aggregations: [
        {
          type: 'expression',
          name: 'k',
          fields: ['n'],
          initialValue: '0',
          fold: '__acc + 1',
          combine: '__acc + k',
          finalize: 'o * 2',
        },
      ],
      postAggregations: [
        { type: 'fieldAccess', name: 'p', fieldName: 'k' },
        { type: 'finalizingFieldAccess', name: 'q', fieldName: 'k' },
      ],
    },
    [{ k: 8, p: 4, q: 8 }],
  ],
  [
    'an array of one item equals a number',
    { filter: { type: 'equals', column: 'n', matchValueType: 'ARRAY<LONG>', matchValue: [7] } },
    [{ s: 'a' }],
  ],
  [
    'a limit counts the rows of all subtotals',
    {
      aggregations: [{ type: 'longSum', name: 'k', fieldName: 'n' }],
      limitSpec: { type: 'default', limit: 3, columns: [] },
      subtotalsSpec: [['s'], []],
    },
    [
      { s: null, k: null },
      { s: 'a', k: 6 },
      { s: 'b', k: 100 },
    ],
  ],
])('groupBy: %s', async (_, query, wanted) => {
  expect(await groups(query)).toEqual(wanted);
});

test('doubles of the query itself are shown as given', async () => {
  const response = await fetch(`${service.url}/svc/v2/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      queryType: 'scan',
      dataSource: inline,
      intervals: ['1960/2030'],
      columns: ['x'],
      resultFormat: 'compactedList',
    }),
  });
  expect(await response.text()).toContain('"events":[[1.5],[2],[null],[0.5]]');
});

test('rows without a time keep their order, and a value is shown with its time', async () => {
  const body = await ask({
    queryType: 'timeseries',
    aggregations: [
      { type: 'longLast', name: 'l', fieldName: 'n' },
      { type: 'longFirst', name: 'f', fieldName: 'n' },
    ],
    postAggregations: [{ type: 'fieldAccess', name: 'p', fieldName: 'l' }],
  });
  expect(body[0].result).toEqual({ l: -1, f: 7, p: { lhs: 0, rhs: -1 } });
});

test('a post-aggregator has the type of the value that it chooses', async () => {
  const chosen = (name: string, expression: string) => ({ type: 'expression', name, expression });
  const body = await ask({
    queryType: 'timeseries',
    aggregations: [{ type: 'doubleSum', name: 'd', fieldName: 'x' }],
    postAggregations: [
      chosen('p', "if(d > 100, d, 'none')"),
      chosen('q', "if(d > 1, d, 'none')"),
      chosen('r', 'if(d > 100, d, 0)'),
    ],
  });
  expect(body[0].result).toEqual({ d: 4, p: 'none', q: 4, r: 0 });
});

test('another name of a column keeps its type, and of no column has none', async () => {
  const body = await ask({
    queryType: 'scan',
    virtualColumns: [
      { type: 'expression', name: 'v', expression: 'x', outputType: 'LONG' },
      { type: 'expression', name: 'w', expression: 'gone' },
    ],
    columns: ['v', 'w'],
    resultFormat: 'compactedList',
    limit: 1,
  });
  expect(body[0]).toMatchObject({
    events: [[1.5, null]],
    rowSignature: [{ name: 'v', type: 'DOUBLE' }, { name: 'w' }],
  });
});

test('joined rows keep the order of the left side, then that of the right side', async () => {
  const body = await ask({
    queryType: 'scan',
    dataSource: {
      type: 'join',
      left: inline,
      right: inline,
      rightPrefix: 'r.',
      condition: 's == "r.s"',
      joinType: 'LEFT',
    },
    columns: ['n', 'r.n'],
    resultFormat: 'compactedList',
  });
  expect(body[0].events).toEqual([
    [7, 7],
    [7, -1],
    [100, 100],
    [null, null],
    [-1, 7],
    [-1, -1],
  ]);
});

test('floor makes doubles, and an expression of a text has no number', async () => {
  const body = await ask({
    queryType: 'timeseries',
    aggregations: [
      { type: 'doubleSum', name: 'd', expression: 'floor(n) / 2' },
      { type: 'longMax', name: 'm', expression: 's' },
    ],
  });
  expect(body[0].result).toEqual({ d: 53, m: null });
});

test('the id of a query is a text', async () => {
  const body = await ask({ queryType: 'timeBoundary', context: { queryId: 5 } });
  expect(body.errorMessage).toBe(
    'Expected key [queryId] to be a String, but got [java.lang.Integer]',
  );
});

// JSON that JavaScript does not write: numbers beyond its own.
const answer = async (json: string) => {
  const response = await fetch(`${service.url}/svc/v2/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: json,
  });
  return response.text();
};

test.each([
  ['LONG', '9223372036854775808', '"-9223372036854775808"'],
  ['LONG', '1e400', '"9223372036854775807"'],
  ['LONG', 'true', 'null'],
  ['LONG', '" 12"', '"12"'],
  ['LONG', '""', 'null'],
  ['LONG', '[5]', 'null'],
  ['DOUBLE', '1e400', '"Infinity"'],
  ['DOUBLE', '"1.5"', '"1.5"'],
  ['STRING', '9223372036854775808', '"9223372036854775808"'],
  ['STRING', '1e400', '"Infinity"'],
  ['STRING', '1e20', '"1.0E20"'],
  ['STRING', '9007199254740993', '"9007199254740993"'],
])('a column of type %s holds %s as the group %s', async (type, value, group) => {
  const text = await answer(`{
    "queryType": "groupBy", "intervals": ["1960/2030"], "granularity": "all", "dimensions": ["a"],
    "dataSource": {"type": "inline", "columnNames": ["a"], "columnTypes": ["${type}"], "rows": [[${value}]]}
  }`);
  expect(text).toContain(`"event":{"a":${group}}`);
});

const source = JSON.stringify(inline);
const endless = (more: string) =>
  answer(
    `{"dataSource": ${source}, "intervals": ["1960/2030"], "granularity": "all", "aggregations": [{"type": "count", "name": "c"}, {"type": "quantilesDoublesSketch", "name": "q", "fieldName": "n"}], ${more}}`,
  );

test('a number may be larger than any double', async () => {
  expect(
    await endless(
      '"queryType": "groupBy", "dimensions": [], "having": {"type": "lessThan", "aggregation": "c", "value": 1e400}',
    ),
  ).toContain('"c":4');
  expect(
    await endless(
      '"queryType": "timeseries", "postAggregations": [{"type": "quantilesDoublesSketchToCDF", "name": "p", "splitPoints": [1, 1e400], "field": {"type": "fieldAccess", "fieldName": "q"}}]',
    ),
  ).toMatch(/"p":\[0\.3\d+,1\.0,1\.0\]/);
  expect(
    await endless(
      '"queryType": "timeseries", "granularity": {"type": "duration", "duration": 60, "origin": 1e400}',
    ),
  ).toContain('The origin of a granularity is a time');
});

test('an escape may be any character', async () => {
  const likes = async (pattern: string, mark: string) => {
    const [row] = await ask({
      queryType: 'timeseries',
      dataSource: { ...inline, rows: [['50%é', 1, 1]] },
      aggregations: [{ type: 'count', name: 'c' }],
      filter: { type: 'like', dimension: 's', pattern, escape: mark },
    });
    return row.result.c === 1;
  };
  expect(await likes('50é%éé', 'é')).toBe(true);
  expect(await likes('50é_éé', 'é')).toBe(false);
  expect(await likes('50\ud800%_', '\ud800')).toBe(true);
  expect(await likes('50%é', '\\')).toBe(true);
  expect(await likes('50%%é', '%')).toBe(true);
  expect(await likes('%é', 'é')).toBe(false);
});

const ordered = async (direction: string, dimensionOrder: string) => {
  const rows = ['b', 'B', '01', '1.0', '1', 'x10', 'x9'].map((text) => [text]);
  const found = await groups({
    dataSource: { type: 'inline', columnNames: ['s'], columnTypes: ['STRING'], rows },
    limitSpec: { type: 'default', columns: [{ dimension: 's', direction, dimensionOrder }] },
  });
  return found.map((event) => (event as { s: string }).s).join(' ');
};

test('texts that are equal in an order keep the order of the groups in both directions', async () => {
  expect(await ordered('ascending', 'version')).toBe('B b x9 x10 01 1 1.0');
  expect(await ordered('descending', 'version')).toBe('01 1 1.0 x10 x9 B b');
  expect(await ordered('descending', 'numeric')).toBe('01 1 1.0 x9 x10 b B');
});

test('a truth is in no bucket of numbers', async () => {
  const bucket = { type: 'bucket', size: 5, offset: 2 };
  expect(
    await groups({
      dataSource: {
        type: 'inline',
        columnNames: ['s'],
        columnTypes: ['STRING'],
        rows: [['true'], ['FALSE'], ['9']],
      },
      dimensions: [{ type: 'extraction', dimension: 's', outputName: 'x', extractionFn: bucket }],
    }),
  ).toEqual([{ x: null }, { x: '7' }]);
});

test('the total of all time without data is that of its single bucket', async () => {
  const answers: { result: unknown }[] = await ask({
    queryType: 'timeseries',
    dataSource: 'unknown',
    intervals: [],
    aggregations: [{ type: 'count', name: 'c' }],
    postAggregations: [{ type: 'expression', name: 'e', expression: 'c + 1' }],
    context: { grandTotal: true },
  });
  expect(answers.map(({ result }) => result)).toEqual([
    { c: 0, e: 1 },
    { c: 0, e: 1 },
  ]);
});

test('the broker itself counts an empty text among distinct values', async () => {
  const dataSource = {
    type: 'inline',
    columnNames: ['k'],
    columnTypes: ['STRING'],
    rows: [[''], ['a'], [null], ['b']],
  };
  const aggregations = [{ type: 'cardinality', fields: ['k'], name: 'c' }];
  const query = { queryType: 'timeseries', dataSource, aggregations };
  expect(await ask(query)).toMatchObject([{ result: { c: 3.0021994137521975 } }]);
  const ranked = { ...query, queryType: 'topN', dimension: 'k', metric: 'c', threshold: 1 };
  const filter = { type: 'equals', column: 'k', matchValueType: 'STRING', matchValue: '' };
  expect(await ask({ ...ranked, filter })).toMatchObject([{ result: [{ k: '', c: 0 }] }]);
});

test('the least and the greatest of long numbers are exact', async () => {
  const fields = ['low', 'high'].map((fieldName) => ({ type: 'fieldAccess', fieldName }));
  const aggregations = [
    { type: 'longMin', fieldName: 'n', name: 'low' },
    { type: 'longMax', fieldName: 'n', name: 'high' },
  ];
  const items = await ask({
    queryType: 'timeseries',
    dataSource: {
      type: 'inline',
      columnNames: ['n'],
      columnTypes: ['LONG'],
      rows: [['-9007199254740993'], ['9007199254740993']],
    },
    aggregations,
    postAggregations: [
      { type: 'longLeast', name: 'least', fields },
      { type: 'longGreatest', name: 'greatest', fields },
    ],
    virtualColumns: [],
  });
  expect(items[0].result).toMatchObject({
    least: items[0].result.low,
    greatest: items[0].result.high,
  });
});

test('a type of join is also known by its number', async () => {
  const join = (joinType: unknown) =>
    ask({
      queryType: 'timeseries',
      aggregations: [{ type: 'count', name: 'c' }],
      dataSource: {
        type: 'join',
        left: inline,
        right: { ...inline, rows: [['a', 1, 1]] },
        rightPrefix: 'r.',
        condition: 's == "r.s"',
        joinType,
      },
    });
  for (const [given, c] of [
    ['INNER', 2],
    [0, 2],
    ['0', 2],
    ['LEFT ', 4],
    [1, 4],
  ])
    expect(await join(given)).toMatchObject([{ result: { c } }]);
  for (const given of [4, 'inner', true]) expect((await join(given)).errorMessage).toMatch(/join/i);
});

test('a column without a declared type keeps the type of its values', async () => {
  const dataSource = (columnTypes: readonly unknown[]) => ({
    type: 'inline',
    columnNames: ['n'],
    columnTypes,
    rows: [[1]],
  });
  const scan = { queryType: 'scan', resultFormat: 'compactedList' };
  expect(await ask({ ...scan, dataSource: dataSource([null]) })).toMatchObject([
    { events: [[1]], rowSignature: [{ name: 'n' }] },
  ]);
  expect(await ask({ ...scan, dataSource: dataSource([-1]) })).toMatchObject({
    errorMessage: expect.stringContaining('[columnTypes]'),
  });
});

test.each<[string, Query, readonly unknown[]]>([
  [
    'the opposite of a filter of unknown outcome holds',
    {
      type: 'not',
      havingSpec: {
        type: 'filter',
        filter: { type: 'range', column: 'm', matchValueType: 'LONG', lower: 0 },
      },
    },
    [null],
  ],
  [
    'numbers are selected by their texts',
    { type: 'dimSelector', dimension: 'm', value: '7' },
    ['a'],
  ],
  [
    'another text of a number is another one',
    { type: 'dimSelector', dimension: 'm', value: '7.0' },
    [],
  ],
])('in HAVING, %s', async (_, having, expected) => {
  const aggregations = [{ type: 'longMax', fieldName: 'n', name: 'm' }];
  const found = (await groups({ aggregations, having })) as readonly { s: unknown }[];
  expect(found.map(({ s }) => s)).toEqual(expected);
});

test('lists of a column of texts are its several values', async () => {
  const dataSource = {
    type: 'inline',
    columnNames: ['s'],
    columnTypes: ['STRING'],
    rows: [[['a', 'b']], ['a'], [[]], [null]],
  };
  const count = { type: 'count', name: 'c' };
  expect(await groups({ dataSource, aggregations: [count] })).toEqual([
    { s: null, c: 2 },
    { s: 'a', c: 2 },
    { s: 'b', c: 1 },
  ]);
  const filter = { type: 'selector', dimension: 's', value: 'b' };
  expect(
    await ask({ queryType: 'scan', dataSource, filter, resultFormat: 'compactedList' }),
  ).toMatchObject([{ events: [[['a', 'b']]] }]);
});

test('a sketch that HAVING compares fails only if there are groups', async () => {
  const query = {
    queryType: 'groupBy',
    dimensions: ['s'],
    aggregations: [{ type: 'thetaSketch', fieldName: 's', shouldFinalize: false, name: 'a' }],
    having: { type: 'greaterThan', aggregation: 'a', value: 1 },
  };
  expect(await ask({ ...query, filter: { type: 'false' } })).toEqual([]);
  expect((await ask(query)).errorMessage).toContain('not a number');
});

test('a groupBy reads the first values of a groupBy with their times, other queries without', async () => {
  const aggregations = [{ type: 'longFirst', fieldName: 'n', name: 'f' }];
  const query = { queryType: 'groupBy', dimensions: ['s'], aggregations };
  const dataSource = {
    type: 'query',
    query: { dataSource: inline, intervals: ['1960/2030'], granularity: 'all', ...query },
  };
  const sum = { type: 'longSum', fieldName: 'f', name: 'sum' };
  expect(await groups({ dataSource, dimensions: ['f'], aggregations: [] })).toEqual(
    ['100', '7', 'null'].map((value) => ({ f: `Pair{lhs=0, rhs=${value}}` })),
  );
  const last = { type: 'longLast', fieldName: 'f', name: 'last' };
  expect(await groups({ dataSource, dimensions: [], aggregations: [sum, last] })).toEqual([
    { sum: null, last: 100 },
  ]);
  const isSeven = { type: 'selector', dimension: 'f', value: '7' };
  expect(await groups({ dataSource, filter: isSeven })).toEqual([]);
  const sketch = { type: 'thetaSketch', fieldName: 'f', name: 'x' };
  const ofPairs = { queryType: 'groupBy', dataSource, dimensions: [], aggregations: [sketch] };
  expect((await ask(ofPairs)).errorClass).toBe('org.apache.druid.java.util.common.ISE');
  const number = { type: 'default', dimension: 'f', outputName: 'f', outputType: 'LONG' };
  expect(await groups({ dataSource, dimensions: [number] })).toEqual([{ f: null }]);
  expect(await ask({ queryType: 'timeseries', dataSource, aggregations: [sum] })).toMatchObject([
    { result: { sum: 107 } },
  ]);
});

test('a query that reads rows of another query reads estimates, whose types it does not know', async () => {
  const dataSource = {
    type: 'query',
    query: {
      queryType: 'groupBy',
      dataSource: inline,
      intervals: ['1960/2030'],
      granularity: 'all',
      dimensions: ['s'],
      aggregations: [
        { type: 'longFirst', fieldName: 'n', name: 'f' },
        { type: 'cardinality', fields: ['s'], name: 'c', round: true },
        { type: 'longSum', fieldName: 'n', name: 'sum' },
      ],
    },
  };
  const [rows] = await ask({ queryType: 'scan', dataSource, resultFormat: 'compactedList' });
  expect(rows).toMatchObject({
    events: [
      [null, null, 0, null],
      ['a', 7, 1, 6],
      ['b', 100, 1, 100],
    ],
    rowSignature: [
      { name: 's', type: 'STRING' },
      { name: 'f' },
      { name: 'c' },
      { name: 'sum', type: 'LONG' },
    ],
  });
});

test('a scan shows the values of a query as it gives them, other queries in the types of their columns', async () => {
  const dataSource = {
    type: 'inline',
    columnNames: ['s', 'n'],
    columnTypes: ['STRING', 'LONG'],
    rows: [
      ['x', 1.5],
      [3, '2'],
      [true, { k: 1 }],
    ],
  };
  const isThree = { type: 'selector', dimension: 's', value: '3' };
  const scan = { queryType: 'scan', resultFormat: 'compactedList' };
  const events = [
    ['x', 1.5],
    [3, '2'],
    [true, { k: 1 }],
  ];
  const signature = [
    { name: 's', type: 'STRING' },
    { name: 'n', type: 'LONG' },
  ];
  expect(await ask({ ...scan, dataSource })).toMatchObject([{ events, rowSignature: signature }]);
  const filtered = { type: 'filter', base: dataSource, filter: isThree };
  expect(await ask({ ...scan, dataSource: filtered })).toMatchObject([{ events: [[3, '2']] }]);
  const sum = { type: 'longSum', fieldName: 'n', name: 'sum' };
  expect(await groups({ dataSource, aggregations: [sum] })).toEqual([
    { s: '3', sum: 2 },
    { s: 'true', sum: null },
    { s: 'x', sum: 1 },
  ]);
});

test('a column of a query that stands twice has one type', async () => {
  const twice = { type: 'inline', columnNames: ['a', 'a'], rows: [['x', 'x']] };
  const refused = { ...twice, columnTypes: ['STRING', 'LONG'] };
  expect(await ask({ queryType: 'scan', dataSource: twice })).toMatchObject([
    { events: [{ a: 'x' }] },
  ]);
  expect((await ask({ queryType: 'scan', dataSource: refused })).errorMessage).toContain(
    'Column[a] has conflicting types [STRING] and [LONG]',
  );
});
