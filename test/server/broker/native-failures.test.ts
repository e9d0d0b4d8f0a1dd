// Native queries that can be read and that the real engine fails to run: the status and the error
// object are those of a real cluster of version 33, which failed for such queries.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startServer } from '../../../src/server/server.ts';
import { api } from '../../support/wire.ts';

let service: Service;
let wire: ReturnType<typeof api>;

beforeAll(async () => {
  service = await startServer({ port: 0 });
  wire = api(service);
  const rows = [
    { t: '1969-12-31T23:00:00Z', s: 'a', n: 1, j: { x: 1 }, words: ['a', 'b'] },
    { t: '1970-01-02T01:00:00Z', s: 'b', n: 2, words: ['c'] },
  ];
  const { body } = await wire.post('/svc/indexer/v1/task', {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'two',
        timestampSpec: { column: 't' },
        dimensionsSpec: {
          dimensions: [
            's',
            { type: 'long', name: 'n' },
            { type: 'json', name: 'j' },
            { type: 'auto', name: 'words', castToType: 'ARRAY<STRING>' },
          ],
        },
        granularitySpec: { segmentGranularity: 'DAY', rollup: false },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'inline', data: rows.map((row) => JSON.stringify(row)).join('\n') },
        inputFormat: { type: 'json' },
      },
    },
  });
  await wire.ended(body.task);
});

afterAll(() => service.close());

type Query = Readonly<Record<string, unknown>>;
const ask = (query: Query) =>
  wire.post('/svc/v2/', {
    dataSource: 'two',
    intervals: ['1960/1980'],
    granularity: 'all',
    ...query,
  });

const count = { type: 'count', name: 'c' };
const timeseries = { queryType: 'timeseries', aggregations: [count] };
const groupBy = { queryType: 'groupBy', dimensions: ['s'] };
const inline = { type: 'inline', columnNames: ['k'], columnTypes: ['STRING'], rows: [['a']] };
const joined = (condition: string, right: unknown = inline) => ({
  ...timeseries,
  dataSource: { type: 'join', left: 'two', right, rightPrefix: 'r.', condition, joinType: 'LEFT' },
});
const extraction = (extractionFn: Query) => ({
  ...groupBy,
  dimensions: [{ type: 'extraction', dimension: 's', outputName: 'x', extractionFn }],
});
const post = (aggregator: Query, field: string) => ({
  queryType: 'timeseries',
  aggregations: [{ name: 'a', ...aggregator }],
  postAggregations: [
    {
      type: 'arithmetic',
      name: 'p',
      fn: '+',
      fields: [
        { type: field, fieldName: 'a' },
        { type: 'constant', value: 1 },
      ],
    },
  ],
});
const limit = { type: 'default', limit: 2, columns: ['s'] };
const forced = { forceLimitPushDown: true };

test.each<[string, Query, string]>([
  ['a join by other than equal values', joined('s != "r.k"'), 'not joinable'],
  ['a join with a condition on one side', joined('s == "r.k" && n > 1'), 'not joinable'],
  ['a join of columns of one side', joined('"r.k" == "r.k"'), 'not joinable'],
  [
    'a join to an unknown lookup',
    joined('s == "r.k"', { type: 'lookup', lookup: 'unknown' }),
    'not joinable',
  ],
  ['a table on the right', joined('s == "r.s"', 'two'), 'subquery structure'],
  [
    'a union on the right',
    joined('s == "r.s"', { type: 'union', dataSources: ['two'] }),
    'subquery structure',
  ],
  ['a forced limit without a limitSpec', { ...groupBy, context: forced }, 'limit spec must be'],
  [
    'a forced limit without a limit',
    { ...groupBy, limitSpec: { type: 'default', columns: ['s'] }, context: forced },
    'must have a limit',
  ],
  [
    'a forced limit with having',
    { ...groupBy, having: { type: 'always' }, limitSpec: limit, context: forced },
    'having spec',
  ],
  [
    'a forced limit by a post-aggregator',
    {
      ...groupBy,
      postAggregations: [{ type: 'constant', name: 'p', value: 1 }],
      limitSpec: { ...limit, columns: ['p'] },
      context: forced,
    },
    'post aggregator',
  ],
  [
    'a fudged time with buckets',
    { ...groupBy, granularity: 'day', context: { fudgeTimestamp: '1000' } },
    'time to compare',
  ],
  [
    'a set that names a dimension twice',
    { ...groupBy, subtotalsSpec: [['s', 's']] },
    'names [s] twice',
  ],
  [
    'a sketch that HAVING compares',
    {
      ...groupBy,
      aggregations: [{ type: 'thetaSketch', fieldName: 's', shouldFinalize: false, name: 'a' }],
      having: { type: 'greaterThan', aggregation: 'a', value: 1 },
    },
    'not a number',
  ],
  ['an array as a text', { ...groupBy, dimensions: ['words'] }, 'invalid type [ARRAY<STRING>]'],
  [
    'a text as an array',
    {
      ...groupBy,
      dimensions: [
        { type: 'default', dimension: 's', outputName: 'x', outputType: 'ARRAY<STRING>' },
      ],
    },
    'Cannot group by',
  ],
  [
    'the largest arrays',
    {
      queryType: 'topN',
      dimension: {
        type: 'default',
        dimension: 'words',
        outputName: 'x',
        outputType: 'ARRAY<STRING>',
      },
      metric: 'c',
      threshold: 1,
      aggregations: [count],
    },
    'invalid type [ARRAY<STRING>]',
  ],
  ['an unknown lookup', extraction({ type: 'registeredLookup', lookup: 'x' }), 'Lookup [x] not'],
  [
    'an unknown lookup of an expression',
    {
      ...groupBy,
      dimensions: ['v'],
      virtualColumns: [{ type: 'expression', name: 'v', expression: "lookup(s, 'x')" }],
    },
    'Lookup [x] not found',
  ],
  [
    'JavaScript in a filter',
    { ...timeseries, filter: { type: 'javascript', dimension: 's', function: 'f' } },
    'JavaScript is disabled',
  ],
  [
    'JavaScript in an extraction',
    extraction({ type: 'javascript', function: 'f' }),
    'JavaScript is disabled',
  ],
  ['a format of two texts', extraction({ type: 'stringFormat', format: '%s %s' }), 'one text'],
  ['a format of a number', extraction({ type: 'stringFormat', format: '%d' }), 'one text'],
  [
    'the sum of a text',
    post({ type: 'stringLast', fieldName: 's' }, 'finalizingFieldAccess'),
    'not a number',
  ],
  [
    'the sum of a value with its time',
    post({ type: 'longLast', fieldName: 'n' }, 'fieldAccess'),
    'not a number',
  ],
  [
    'a mean that is not finalized',
    post({ type: 'doubleMean', fieldName: 'n' }, 'fieldAccess'),
    'not a number',
  ],
  [
    'rows without segments in two intervals',
    { ...timeseries, dataSource: inline, intervals: ['1960/1971', '1980/1981'] },
    'single interval',
  ],
  [
    'a registered lookup that keeps and replaces what is missing',
    extraction({
      type: 'registeredLookup',
      lookup: 'x',
      retainMissingValue: true,
      replaceMissingValueWith: 'y',
    }),
    'replaceMissingValueWith',
  ],
  [
    'the sum of a sketch',
    post({ type: 'cardinality', fields: ['n'] }, 'fieldAccess'),
    'not a number',
  ],
])('%s fails', async (_, query, message) => {
  expect(await ask(query)).toMatchObject({
    status: 500,
    body: {
      error: 'Unknown exception',
      errorCode: 'legacyQueryException',
      persona: 'OPERATOR',
      category: 'RUNTIME_FAILURE',
      errorMessage: expect.stringContaining(message),
    },
  });
});

test.each<[string, Query, string]>([
  [
    'a scan in the order of time over rows without segments',
    { queryType: 'scan', dataSource: inline, order: 'ascending' },
    'Time-ordering',
  ],
  [
    'a selector on an array',
    {
      ...groupBy,
      dataSource: {
        type: 'inline',
        columnNames: ['a'],
        columnTypes: ['ARRAY<LONG>'],
        rows: [[[1]]],
      },
      filter: { type: 'selector', dimension: 'a', value: '1' },
    },
    'ARRAY types',
  ],
  ...(['bound', 'like', 'regex'] as const).map((type): [string, Query, string] => [
    `a filter [${type}] on an array`,
    {
      ...groupBy,
      dataSource: {
        type: 'inline',
        columnNames: ['a'],
        columnTypes: ['ARRAY<STRING>'],
        rows: [[['x']]],
      },
      filter: { type, dimension: 'a', lower: 'x', pattern: 'x' },
    },
    'ARRAY types',
  ]),
])('%s is an unsupported operation', async (_, query, message) => {
  expect(await ask(query)).toMatchObject({
    status: 500,
    body: {
      error: 'Unsupported operation',
      category: 'RUNTIME_FAILURE',
      errorMessage: expect.stringContaining(message),
    },
  });
});

test.each<[string, Query]>([
  [
    'a lookup dimension without a name',
    { ...groupBy, dimensions: [{ type: 'lookup', dimension: 's', name: 'x' }] },
  ],
  ['having of the type never', { ...groupBy, having: { type: 'never' } }],
  ['values of no type', { ...timeseries, filter: { type: 'inType', column: 's', values: ['a'] } }],
  [
    'an interval filter of no interval',
    { ...timeseries, filter: { type: 'interval', dimension: '__time', intervals: [] } },
  ],
  [
    'an aggregator without a name in groups',
    { ...groupBy, aggregations: [{ type: 'count', name: '' }] },
  ],
])('%s cannot be read', async (_, query) => {
  expect(await ask(query)).toMatchObject({ status: 400, body: { error: 'Unknown exception' } });
});

test.each<[string, Query]>([
  ['a data source of an unknown type with a name is a table', { type: 'unknown', name: 'two' }],
  ['a data source of no type with a name is a table', { name: 'two' }],
  ['a filter data source may have no filter', { type: 'filter', base: 'two', filter: null }],
])('%s', async (_, dataSource) => {
  expect((await ask({ ...timeseries, dataSource })).body).toMatchObject([{ result: { c: 2 } }]);
});

test('a scan ignores a granularity, and shows the computed types of virtual columns', async () => {
  const { body } = await ask({
    queryType: 'scan',
    granularity: 'unknown',
    limit: 1,
    columns: ['v', 'w', 'x', 'y', 'z'],
    virtualColumns: [
      { type: 'expression', name: 'v', expression: 'n', outputType: 'DOUBLE' },
      { type: 'expression', name: 'w', expression: 'n + 1', outputType: 'FLOAT' },
      { type: 'expression', name: 'x', expression: 'n * 1.5', outputType: 'LONG' },
      { type: 'expression', name: 'y', expression: 's', outputType: 'LONG' },
      { type: 'expression', name: 'z', expression: 'n', outputType: 'STRING' },
    ],
  });
  expect(body[0].rowSignature).toEqual([
    { name: 'v', type: 'LONG' },
    { name: 'w', type: 'FLOAT' },
    { name: 'x', type: 'DOUBLE' },
    { name: 'y', type: 'LONG' },
    { name: 'z', type: 'LONG' },
  ]);
});

test('a scan shows no types of rows whose query says none', async () => {
  const { columnTypes: _, ...untyped } = inline;
  const query = { queryType: 'scan', columns: ['__time', 'k'] };
  const signature = [{ name: '__time', type: 'LONG' }, { name: 'k' }];
  const shown = async (dataSource: Query) =>
    (await ask({ ...query, dataSource })).body[0].rowSignature;
  expect(await shown(untyped)).toEqual(signature);
  const below = { ...query, dataSource: inline, intervals: ['1960/1980'] };
  expect(await shown({ type: 'query', query: below })).toEqual(signature);
});

test('a segment that is not read fails nothing', async () => {
  const query = { ...joined('s != "r.k"'), intervals: ['2000/2001'] };
  expect(await ask(query)).toMatchObject({ status: 200 });
});

test('buckets of several hours before 1970 hold no rows', async () => {
  const { body } = await ask({ ...timeseries, granularity: 'six_hour' });
  expect(body).toEqual([{ timestamp: '1970-01-02T00:00:00.000Z', result: { c: 1 } }]);
});

test('subtotals of no rows are none, and a groupBy without dimensions is one', async () => {
  const filter = { type: 'false' };
  const aggregations = [count];
  const none = { ...groupBy, aggregations, filter, subtotalsSpec: [[]] };
  expect((await ask(none)).body).toEqual([]);
  const one = { ...groupBy, dimensions: [], aggregations, filter };
  expect((await ask(one)).body).toMatchObject([{ event: { c: 0 } }]);
});

test('segmentMetadata shows JSON without values as text, and does not merge it', async () => {
  const query = {
    queryType: 'segmentMetadata',
    toInclude: { type: 'list', columns: ['j'] },
    analysisTypes: [],
  };
  const apart = await ask(query);
  expect(apart.body).toMatchObject([
    { numRows: 1, columns: { j: { typeSignature: 'COMPLEX<json>', type: 'json' } } },
    { numRows: 1, columns: { j: { typeSignature: 'STRING', type: 'STRING', hasNulls: true } } },
  ]);
  expect((await ask({ ...query, merge: true })).body).toMatchObject([
    {
      numRows: 2,
      columns: {
        j: {
          type: 'STRING',
          size: -1,
          errorMessage: 'error:cannot_merge_diff_types: [STRING] and [json]',
        },
      },
    },
  ]);
});

test('segmentMetadata counts a segment once in each interval and each part of a union', async () => {
  const query = { queryType: 'segmentMetadata', analysisTypes: ['aggregators'] };
  const intervals = ['1970-01-02T00/1970-01-02T01', '1970-01-02T05/1970-01-02T06'];
  expect((await ask({ ...query, intervals })).body).toMatchObject([
    { numRows: 2, aggregators: null },
  ]);
  const dataSource = { type: 'union', dataSources: ['two', 'two'] };
  expect((await ask({ ...query, dataSource })).body).toMatchObject([
    { numRows: 2 },
    { numRows: 2 },
  ]);
});

test('a segment of a union has the columns of its own datasource only', async () => {
  const { body } = await wire.post('/svc/indexer/v1/task', {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'other',
        timestampSpec: { column: 't' },
        dimensionsSpec: { dimensions: ['z'] },
        granularitySpec: { segmentGranularity: 'DAY', rollup: false },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'inline', data: '{"t":"1970-01-02","z":"q"}' },
        inputFormat: { type: 'json' },
      },
    },
  });
  await wire.ended(body.task);
  const dataSource = { type: 'union', dataSources: ['two', 'other'] };
  const query = { queryType: 'segmentMetadata', analysisTypes: ['minmax'], dataSource };
  const { body: merged } = await ask({ ...query, merge: true });
  expect(merged[0].columns.z).toMatchObject({ hasNulls: false, minValue: 'q' });
  expect(merged[0].columns.s).toMatchObject({ hasNulls: false, minValue: 'a' });
  const { body: apart } = await ask(query);
  expect(apart.map(({ columns }: { columns: object }) => 'z' in columns)).toEqual(
    expect.arrayContaining([true, false]),
  );
});

test('a groupBy that fails while it reads rows reports the failure of a thread', async () => {
  const extracted = extraction({ type: 'timeFormat' });
  const reason = 'Invalid format: "a"';
  expect((await ask(extracted)).body).toMatchObject({
    errorClass: 'java.lang.RuntimeException',
    errorMessage: `java.util.concurrent.ExecutionException: java.lang.IllegalArgumentException: ${reason}`,
  });
  const alone = { errorClass: 'java.lang.IllegalArgumentException', errorMessage: reason };
  const topN = { ...extracted, queryType: 'topN', dimension: extracted.dimensions[0] };
  expect((await ask({ ...topN, metric: { type: 'dimension' }, threshold: 1 })).body).toMatchObject(
    alone,
  );
  const inner = { ...groupBy, dataSource: 'two', intervals: ['1960/1980'], granularity: 'all' };
  const outer = { ...extracted, dataSource: { type: 'query', query: inner } };
  expect((await ask(outer)).body).toMatchObject(alone);
  const threaded = { errorClass: 'java.lang.RuntimeException' };
  const filter = { type: 'expression', expression: '1 / (strlen(s) - strlen(s)) > 0' };
  const failing = { ...inner, filter };
  const above = { ...groupBy, granularity: 'all', dataSource: { type: 'query', query: failing } };
  for (const queryType of ['groupBy', 'timeseries', 'scan'])
    expect((await ask({ ...above, queryType })).body).toMatchObject(threaded);
  const zero = { type: 'expression', name: 'p', expression: 'n / 0' };
  const counted = { ...inner, aggregations: [{ type: 'count', name: 'n' }] };
  expect((await ask({ ...counted, postAggregations: [zero] })).body).toMatchObject({
    errorClass: 'java.lang.ArithmeticException',
  });
});

test.each([
  ['1 == 1', 2],
  ['1 == 2 && s == "r.k"', 2], // a LEFT join keeps rows without a partner
])('the constants of a join condition [%s] are computed', async (condition, rows) => {
  const { status, body } = await ask(joined(condition));
  expect({ status, body }).toMatchObject({ status: 200, body: [{ result: { c: rows } }] });
});
