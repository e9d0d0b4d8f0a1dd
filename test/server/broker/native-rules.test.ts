// Rules of native queries over rows that the query itself holds; the answers are those of a real
// cluster of version 33.
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
  columnNames: ['k', 'x'],
  columnTypes: ['STRING', 'DOUBLE'],
  rows: [
    ['true', 1.5],
    ['10', 20.5],
    [null, null],
  ],
};
const asked = (query: Query) =>
  api(service).post('/svc/v2/', {
    dataSource: inline,
    intervals: ['1969/1972'],
    granularity: 'all',
    ...query,
  });
const count = { type: 'count', name: 'c' };
const virtual = (name: string, expression: string) => ({ type: 'expression', name, expression });
const sum = (given: Query) => ({ type: 'longSum', name: 's', ...given });
const groups = {
  queryType: 'groupBy',
  intervals: ['1960/1980'],
  granularity: 'all',
  dimensions: ['k'],
  aggregations: [count],
};
// An id of the Broker's own before version 37: test/spec/documentation-examples.jsonl
const rowsId = null;
const firstTime = '-146136543-09-08T08:23:32.096Z';
const timeseries = (results: Readonly<Record<string, Query>>) =>
  Object.entries(results).map(([time, result]) => ({ timestamp: `${time}T00:00:00.000Z`, result }));
const events = (time: string, ...given: readonly Query[]) =>
  given.map((event) => ({ version: 'v1', timestamp: `${time}T00:00:00.000Z`, event }));

test.each<[string, Query, unknown]>([
  [
    'rows without a time are of 1970, and buckets fill the interval',
    { queryType: 'timeseries', granularity: 'year', aggregations: [count] },
    timeseries({ '1969-01-01': { c: 0 }, '1970-01-01': { c: 3 }, '1971-01-01': { c: 0 } }),
  ],
  [
    'an interval without 1970 has none of them',
    { queryType: 'timeseries', intervals: ['2000/2001'], aggregations: [count] },
    timeseries({ '2000-01-01': { c: 0 } }),
  ],
  [
    'a scan shows their time and the id of the Broker',
    { queryType: 'scan', columns: ['__time', 'k'], limit: 1, resultFormat: 'compactedList' },
    [
      {
        segmentId: rowsId,
        columns: ['__time', 'k'],
        events: [[0, 'true']],
        rowSignature: [
          { name: '__time', type: 'LONG' },
          { name: 'k', type: 'STRING' },
        ],
      },
    ],
  ],
  [
    'a limited group without keys has all rows',
    {
      queryType: 'groupBy',
      aggregations: [count],
      limitSpec: { type: 'default', limit: 1 },
      subtotalsSpec: [[]],
    },
    events('1969-01-01', { c: 3 }),
  ],
  [
    'an extraction function of numbers does not see their nulls in a bound filter',
    {
      queryType: 'timeseries',
      aggregations: [count],
      filter: { type: 'bound', dimension: 'x', upper: 'zz', extractionFn: { type: 'upper' } },
    },
    timeseries({ '1969-01-01': { c: 2 } }),
  ],
  [
    'a scan shows the type that a virtual column declares',
    {
      queryType: 'scan',
      columns: ['v'],
      limit: 1,
      virtualColumns: [
        { type: 'expression', name: 'v', expression: "concat(k, '!')", outputType: 'LONG' },
      ],
    },
    [
      {
        segmentId: rowsId,
        columns: ['v'],
        events: [{ v: 'true!' }],
        rowSignature: [{ name: 'v', type: 'LONG' }],
      },
    ],
  ],
  [
    'a query reads groups of all time as rows without a time',
    {
      queryType: 'timeseries',
      intervals: ['2000/2001'],
      dataSource: { type: 'query', query: { ...groups, dataSource: inline } },
      aggregations: [count],
    },
    timeseries({ '2000-01-01': { c: 0 } }),
  ],
  [
    'a search of them is of all time',
    { queryType: 'search', granularity: 'day', query: { type: 'contains', value: 'tr' } },
    [{ timestamp: firstTime, result: [{ dimension: 'k', value: 'true', count: 1 }] }],
  ],
  [
    'dataSourceMetadata of them is the first of all times',
    { queryType: 'dataSourceMetadata' },
    [{ timestamp: firstTime, result: { maxIngestedEventTime: firstTime } }],
  ],
  [
    'a limitSpec without a type limits nothing',
    { ...groups, limitSpec: { limit: 1, columns: ['c'] } },
    events('1960-01-01', { k: null, c: 1 }, { k: '10', c: 1 }, { k: 'true', c: 1 }),
  ],
  [
    'having may look at the time of groups of all time',
    {
      ...groups,
      dimensions: [],
      having: {
        type: 'filter',
        filter: { type: 'interval', dimension: '__time', intervals: ['1960/1961'] },
      },
    },
    events('1960-01-01', { c: 3 }),
  ],
  [
    'the text of a truth is not a number in a column, but one in an expression',
    {
      queryType: 'timeseries',
      aggregations: [sum({ fieldName: 'k' }), { ...sum({ expression: 'k' }), name: 'e' }],
    },
    timeseries({ '1969-01-01': { s: 10, e: 11 } }),
  ],
  [
    'nor is it one in a dimension',
    {
      ...groups,
      dimensions: [{ type: 'default', dimension: 'k', outputName: 'o', outputType: 'LONG' }],
    },
    events('1960-01-01', { o: null, c: 2 }, { o: 10, c: 1 }),
  ],
  [
    'topN orders numbers by their text where it is told so',
    {
      queryType: 'topN',
      dimension: { type: 'default', dimension: 'x', outputName: 'x', outputType: 'DOUBLE' },
      metric: { type: 'dimension', ordering: 'alphanumeric', previousStop: '10' },
      threshold: 5,
      aggregations: [count],
    },
    [{ timestamp: '1969-01-01T00:00:00.000Z', result: [{ x: 20.5, c: 1 }] }],
  ],
  [
    'no null comes after a previous stop',
    {
      queryType: 'topN',
      dimension: 'k',
      metric: { type: 'dimension', ordering: 'numeric', previousStop: 'a' },
      threshold: 5,
      aggregations: [count],
    },
    [
      {
        timestamp: '1969-01-01T00:00:00.000Z',
        result: [
          { k: 'true', c: 1 },
          { k: '10', c: 1 },
        ],
      },
    ],
  ],
  [
    'a grand total has no field of its time',
    {
      queryType: 'timeseries',
      aggregations: [count],
      context: { grandTotal: true, timestampResultField: 't' },
    },
    [
      ...timeseries({ '1969-01-01': { t: -31536000000, c: 3 } }),
      { timestamp: null, result: { c: 3 } },
    ],
  ],
  [
    'a rounded estimate is whole, and sketches have bounds',
    {
      queryType: 'timeseries',
      aggregations: [
        { type: 'cardinality', name: 'u', fields: ['k'], round: true },
        { type: 'HLLSketchBuild', name: 'h', fieldName: 'k', round: true },
      ],
      postAggregations: [
        { type: 'hyperUniqueCardinality', name: 'p', fieldName: 'u' },
        {
          type: 'HLLSketchEstimateWithBounds',
          name: 'b',
          field: { type: 'fieldAccess', fieldName: 'h' },
          numStdDev: 2,
        },
      ],
    },
    timeseries({
      '1969-01-01': { u: 2, h: 2, p: 2, b: [2.000000004967054, 2, 2.0001997319422404] },
    }),
  ],
  [
    'numbers and truths stand for texts',
    {
      queryType: 'timeseries',
      aggregations: [{ type: 'count', name: 5 }],
      descending: '',
      limit: '',
    },
    timeseries({ '1969-01-01': { 5: 3 } }),
  ],
])('%s', async (_, query, expected) => {
  const { status, body } = await asked(query);
  expect([status, body]).toEqual([200, expected]);
});

test.each<[Query, string]>([
  [{ ...groups, dimensions: ['__time'] }, "'__time' cannot be used as an output name"],
  [{ ...groups, dimensions: [''] }, 'Column name must be provided and non-empty'],
  [
    {
      queryType: 'timeseries',
      postAggregations: [{ type: 'expression', name: 'p', expression: '__time' }],
    },
    'Missing fields [[__time]]',
  ],
  [{ queryType: 'segmentMetadata' }, 'Invalid dataSource type'],
  [
    {
      queryType: 'segmentMetadata',
      dataSource: 'd',
      lenientAggregatorMerge: false,
      aggregatorMergeStrategy: 'latest',
    },
    'Both [lenientAggregatorMerge]',
  ],
  [
    { queryType: 'timeseries', filter: { type: 'extraction', dimension: 'k', value: 'a' } },
    'extraction function must not be null',
  ],
  [
    { queryType: 'timeseries', filter: { type: 'equals', column: 'x', matchValue: 1.5 } },
    'matchValueType cannot be null',
  ],
  [
    {
      queryType: 'timeseries',
      virtualColumns: [{ type: 'expression', name: 'v', expression: '' }],
      aggregations: [sum({ fieldName: 'v' })],
    },
    'Expression []',
  ],
  [
    { queryType: 'timeseries', filter: { type: 'columnComparison', dimensions: ['k'] } },
    'dimensions must have a least 2 dimensions',
  ],
  [
    {
      queryType: 'timeseries',
      aggregations: [{ type: 'singleValue', name: 'a', fieldName: 'x' }],
    },
    '[columnType]',
  ],
  [
    { queryType: 'timeseries', dataSource: { ...inline, columnTypes: ['STRING'] } },
    'must be the same length',
  ],
  [
    {
      ...groups,
      dimensions: [
        {
          type: 'extraction',
          dimension: 'x',
          outputName: 'o',
          extractionFn: { type: 'timeFormat', asMillis: true, locale: 'en' },
        },
      ],
    },
    '[locale] of [timeFormat] requires a format',
  ],
])('%j is refused by name', async (query, reason) => {
  const { status, body } = await asked(query);
  expect(status).toBe(400);
  expect(body.errorMessage).toContain(reason);
});

test.each<[Query, string, string]>([
  [{ queryType: 'scan', columns: ['k'], intervals: [] }, 'RUNTIME_FAILURE', 'single interval'],
  [{ ...groups, intervals: ['2000/2000'] }, 'RUNTIME_FAILURE', 'single interval'],
  [
    {
      queryType: 'topN',
      dimension: 'k',
      metric: 'c',
      threshold: 1,
      aggregations: [count],
      intervals: [],
    },
    'DEFENSIVE',
    'single interval',
  ],
  [
    {
      ...groups,
      dimensions: [
        {
          type: 'extraction',
          dimension: 'k',
          outputName: 'o',
          extractionFn: { type: 'timeFormat', format: 'yyyy' },
        },
      ],
    },
    'RUNTIME_FAILURE',
    'Invalid format: "true"',
  ],
  [
    { queryType: 'timeseries', filter: { type: 'expression', expression: 'x +' } },
    'RUNTIME_FAILURE',
    'Expression [x +]',
  ],
  [
    { queryType: 'timeseries', aggregations: [sum({ expression: '' })] },
    'RUNTIME_FAILURE',
    'Expression []',
  ],
  [
    { ...groups, having: { type: 'greaterThan', aggregation: 'k', value: 1 } },
    'RUNTIME_FAILURE',
    'For input string: "true"',
  ],
])('%j fails', async (query, category, reason) => {
  const { status, body } = await asked(query);
  expect(status).toBe(500);
  expect(body.category).toBe(category);
  expect(body.errorMessage).toContain(reason);
});

test('having compares numbers exactly, finds nulls, and takes an empty text for null', async () => {
  const most = '9007199254740993';
  const rows = [
    ['whole', most, 1.5],
    ['zero', '0', -0.0],
    ['', null, null],
    [null, '3', 9007199254740992],
  ];
  const found = async (given: Query) => {
    const { body } = await asked({
      ...groups,
      dataSource: {
        type: 'inline',
        columnNames: ['k', 'n', 'd'],
        columnTypes: ['STRING', 'LONG', 'DOUBLE'],
        rows,
      },
      aggregations: [
        { type: 'longMax', name: 'n', fieldName: 'n' },
        { type: 'doubleMax', name: 'd', fieldName: 'd' },
      ],
      having: given,
    });
    return body.map(({ event }: { event: Query }) => event.k);
  };
  const compared = (type: string, aggregation: string, value: unknown) =>
    found({ type, aggregation, value });
  expect(await compared('equalTo', 'n', most)).toEqual(['whole']);
  expect(await compared('equalTo', 'n', 9007199254740992)).toEqual([]);
  expect(await compared('greaterThan', 'n', 9007199254740992)).toEqual(['whole']);
  expect(await compared('lessThan', 'n', 2.5)).toEqual(['zero']);
  expect(await compared('equalTo', 'n', 2.5)).toEqual([]);
  expect(await compared('equalTo', 'n', '-0.0')).toEqual(['zero']);
  expect(await compared('greaterThan', 'n', 1e300)).toEqual([]);
  expect(await compared('equalTo', 'n', null)).toEqual(['']);
  expect(await compared('lessThan', 'n', null)).toEqual([]);
  expect(await compared('equalTo', 'd', most)).toEqual([]);
  expect(await compared('lessThan', 'd', most)).toEqual([null, 'whole', 'zero']);
  for (const value of [null, ''])
    expect(await found({ type: 'dimSelector', dimension: 'k', value })).toEqual([null, '']);
});

test.each<[string, string, Query]>([
  [
    'java.lang.ArithmeticException',
    '/ by zero',
    {
      queryType: 'timeseries',
      aggregations: [count],
      postAggregations: [virtual('p', '1 / (c - c)')],
    },
  ],
  [
    'java.lang.ClassCastException',
    'A value of type [STRING] is not a number',
    {
      queryType: 'timeseries',
      aggregations: [{ type: 'stringAny', name: 't', fieldName: 'k' }],
      postAggregations: [
        {
          type: 'arithmetic',
          name: 'p',
          fn: '+',
          fields: [
            { type: 'fieldAccess', fieldName: 't' },
            { type: 'constant', value: 1 },
          ],
        },
      ],
    },
  ],
  [
    'java.lang.NumberFormatException',
    'For input string: "true"',
    { ...groups, having: { type: 'greaterThan', aggregation: 'k', value: 1 } },
  ],
  [
    'java.lang.IllegalArgumentException',
    'Invalid format: "true"',
    {
      queryType: 'timeseries',
      filter: {
        type: 'selector',
        dimension: 'k',
        value: '1970',
        extractionFn: { type: 'timeFormat', format: 'yyyy' },
      },
    },
  ],
])('a failure while rows are read names the class %s', async (errorClass, errorMessage, query) => {
  const { status, body } = await asked(query);
  expect(status).toBe(500);
  expect(body).toMatchObject({ errorClass, errorMessage, context: { errorClass } });
});

test('a time format reads a text as an ISO time', async () => {
  const { body } = await asked({
    ...groups,
    dataSource: {
      ...inline,
      rows: [
        ['2015', 1],
        ['2015-01-01T10:00:00+01:00', 2],
      ],
    },
    dimensions: [
      {
        type: 'extraction',
        dimension: 'k',
        outputName: 'o',
        extractionFn: { type: 'timeFormat', format: 'yyyy-MM-dd HH' },
      },
    ],
  });
  expect(body.map(({ event }: { event: Query }) => event.o)).toEqual([
    '2015-01-01 00',
    '2015-01-01 09',
  ]);
});

test.each<[Query, number]>([
  [{ type: 'selector', dimension: 'f', value: '0.1' }, 1],
  [{ type: 'in', dimension: 'f', values: ['0.1', 2.5] }, 2],
  [{ type: 'bound', dimension: 'f', upper: '0.1', ordering: 'numeric' }, 1],
  [{ type: 'equals', column: 'k', matchValueType: 'LONG', matchValue: 'true' }, 0],
  [{ type: 'bound', dimension: 'k', lower: '0', upper: '1', ordering: 'numeric' }, 0],
  [{ type: 'bound', dimension: 'k', lower: 'a', upper: '1', ordering: 'numeric' }, 2],
  [{ type: 'range', column: 'k', matchValueType: 'LONG', lower: 0 }, 0],
])('%j matches [%d] rows', async (filter, rows) => {
  const { body } = await asked({
    queryType: 'timeseries',
    dataSource: {
      type: 'inline',
      columnNames: ['k', 'f'],
      columnTypes: ['STRING', 'FLOAT'],
      rows: [
        ['true', 0.1],
        ['false', 2.5],
      ],
    },
    aggregations: [count],
    filter,
  });
  expect(body[0].result).toEqual({ c: rows });
});

test.each<[string, Query, string]>([
  ['itself', { virtualColumns: [virtual('x', 'x + 1')] }, 'x'],
  ['itself through another', { virtualColumns: [virtual('a', 'b + 1'), virtual('b', 'a')] }, 'a'],
])('a virtual column that needs %s is refused', async (_, query, name) => {
  const { status, body } = await asked({ queryType: 'scan', columns: ['k'], ...query });
  expect(status).toBe(400);
  expect(body).toMatchObject({ errorMessage: `Self-referential column[${name}]` });
});

test('a list of intervals may hold nulls, the list of an object may not', async () => {
  const query = { queryType: 'timeseries', aggregations: [count] };
  const { body } = await asked({ ...query, intervals: [null, '1969/1972'] });
  expect(body).toMatchObject([{ result: { c: 3 } }]);
  for (const intervals of [null, [null, '1969/1972']])
    expect(await asked({ ...query, intervals: { type: 'intervals', intervals } })).toMatchObject({
      status: 400,
    });
});

const oneToOne = { type: 'lookup', injective: true, lookup: { type: 'map', map: { true: 'yes' } } };
const lookedUp = {
  type: 'extraction',
  dimension: 'k',
  outputName: 'v',
  extractionFn: oneToOne,
};
test.each([
  [lookedUp],
  [
    {
      type: 'lookup',
      dimension: 'k',
      outputName: 'v',
      lookup: { ...oneToOne.lookup, isOneToOne: true },
    },
  ],
])('values of an injective lookup are groups of their own: %j', async (dimension) => {
  const { body } = await asked({ ...groups, dimensions: [dimension] });
  expect(body.map(({ event }: { event: unknown }) => event)).toEqual([
    { v: null, c: 1 },
    { v: null, c: 1 },
    { v: 'yes', c: 1 },
  ]);
});

test('topN ranks the values of an injective lookup, too', async () => {
  const { body } = await asked({
    queryType: 'topN',
    dimension: lookedUp,
    metric: 'c',
    threshold: 3,
    aggregations: [count],
  });
  expect(body[0].result).toHaveLength(3);
});

const theta = { type: 'thetaSketch', name: 't', fieldName: 'k' };
const union = {
  type: 'thetaSketchEstimate',
  name: 'e',
  field: {
    type: 'thetaSketchSetOp',
    name: 'o',
    func: 'union',
    fields: ['t', 't'].map((fieldName) => ({ type: 'fieldAccess', fieldName })),
  },
};
test.each<[string, Query, number, string]>([
  [
    'a set operation in lower case',
    { queryType: 'timeseries', aggregations: [theta], postAggregations: [union] },
    400,
    'Unknown set operation [union]',
  ],
  [
    'types of other columns than a scan has',
    { queryType: 'scan', columns: ['k', 'x'], columnTypes: ['STRING'] },
    400,
    'Inconsistent number of columns[2] and columnTypes[1] specified!',
  ],
  [
    'a fudged timestamp that is not a text',
    { ...groups, granularity: 'hour', context: { fudgeTimestamp: 0 } },
    400,
    'Expected key [fudgeTimestamp] to be a String',
  ],
  [
    'a negative limit of a search',
    { queryType: 'search', query: { type: 'contains', value: 't' }, limit: -1 },
    500,
    'limit is negative',
  ],
])('%s is refused', async (_, query, wanted, message) => {
  const { status, body } = await asked(query);
  expect([status, body.errorMessage]).toEqual([wanted, expect.stringContaining(message)]);
});

test.each([
  ['alphanumeric', ['9', '\u0661\u0660', '\u0967\u0967', 'a']],
  ['version', ['9', '\u0661\u0660', '\u0967\u0967']],
])('digits of other scripts are numbers in the order [%s]', async (dimensionOrder, sorted) => {
  const { body } = await asked({
    ...groups,
    dataSource: {
      type: 'inline',
      columnNames: ['k'],
      columnTypes: ['STRING'],
      rows: sorted.map((text) => [text]).reverse(),
    },
    limitSpec: { type: 'default', columns: [{ dimension: 'k', dimensionOrder }] },
  });
  expect(body.map(({ event }: { event: { k: string } }) => event.k)).toEqual(sorted);
});

test('version 33 prints large floats with the digits of Java 17', async () => {
  const older = await startServer({ port: 0, engineVersion: 33 });
  const query = {
    queryType: 'timeseries',
    dataSource: {
      ...inline,
      columnTypes: ['STRING', 'LONG'],
      rows: [['a', 9_007_199_254_740_992]],
    },
    intervals: ['1969/1972'],
    granularity: 'all',
    aggregations: [{ type: 'floatMax', name: 'm', fieldName: 'x' }],
  };
  const textOf = async (from: Service) => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(query),
    };
    return (await fetch(`${from.url}/svc/v2/`, init)).text();
  };
  expect(await textOf(older)).toContain('"m":9.0071993E15');
  expect(await textOf(service)).toContain('"m":9.007199E15');
  await older.close();
});
