// The columns of rows without a schema and their order; what is expected is what the real engine
// answered.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Service } from '../../../src/server/server.ts';
import { startTestServer } from '../../support/start-server.ts';
import { api } from '../../support/wire.ts';

let service: Service;
let loads = 0;

beforeAll(async () => {
  service = await startTestServer({ port: 0 });
});
afterAll(() => service.close());

const first = { t: '2024-01-02T00:00:00Z', z: '1', b: null, m: [1, 2], o: { x: 1 }, k: 'q' };
const second = { t: '2024-01-01T00:00:00Z', k: 'q', a: 1, z: '1', e: [], s: '' };
const third = { t: '2024-01-02T01:00:00Z', y: '1', b: '2', z: '3', nul: null };

interface Given {
  readonly rows?: readonly object[];
  readonly format?: object;
  readonly schema?: object;
  readonly context?: object;
}

async function loaded({ rows = [first, second, third], format, schema, context }: Given) {
  const { post, ended } = api(service);
  const dataSource = `found${++loads}`;
  const { body } = await post('/svc/indexer/v1/task', {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource,
        timestampSpec: { column: 't', format: 'iso' },
        dimensionsSpec: {},
        granularitySpec: { segmentGranularity: 'YEAR', rollup: false },
        ...schema,
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'inline', data: rows.map((row) => JSON.stringify(row)).join('\n') },
        inputFormat: { type: 'json', ...format },
      },
    },
    context,
  });
  await ended(body.task);
  // The statements call each datasource by one name.
  const rowsOf = async (statement: string) => {
    const query = statement.replace(/\bfound\b/, dataSource);
    return (await post('/svc/v2/sql', { query, resultFormat: 'array', header: true })).body;
  };
  return {
    rowsOf,
    columns: async () => (await rowsOf('SELECT * FROM found'))[0].slice(1).join(' '),
  };
}

test.each<[string, Given, string]>([
  [
    'type discovery finds all fields, nulls too',
    { schema: { dimensionsSpec: { useSchemaDiscovery: true } } },
    'z b m o k a e s y nul',
  ],
  ['plain discovery that keeps nulls', { format: { keepNullColumns: true } }, 'z b m k a s y'],
  [
    'a flattenSpec keeps nulls, and all dimensions are stored without values, too',
    {
      format: {
        flattenSpec: {
          useFieldDiscovery: true,
          fields: [{ type: 'path', name: 'ox', expr: '$.o.x' }],
        },
      },
      schema: { dimensionsSpec: { includeAllDimensions: true, dimensions: ['k'] } },
    },
    'k ox z b m a e s y nul',
  ],
  ['plain discovery begins a field where it has a value', {}, 'z m k a s y b'],
  [
    'a transform reads a field and leaves it where it is',
    {
      rows: [first, second],
      schema: {
        dimensionsSpec: { useSchemaDiscovery: true },
        transformSpec: {
          transforms: [{ type: 'expression', name: 'tr', expression: "concat(k, '!')" }],
        },
      },
    },
    'z b m o k a e s',
  ],
])('columns stand in the order in which rows have them: %s', async (_, given, columns) => {
  expect(await (await loaded(given)).columns()).toBe(columns);
});

test('a field is discovered in the first row where it is flat, and is null where it is not', async () => {
  const rows = [
    { t: '2024-01-01T00:00:00Z', a: { x: 1 }, b: 's', c: [1, 2], d: [{ x: 1 }], e: 1 },
    { t: '2024-01-01T00:00:01Z', a: 'text', b: { y: 1 }, c: 'z', d: 'w', e: [[1]] },
    { t: '2024-01-01T00:00:02Z', a: 5, c: ['a', 'b'], d: [1], f: [{}] },
  ];
  const { rowsOf } = await loaded({ rows });
  expect(await rowsOf('SELECT * FROM found ORDER BY __time')).toEqual([
    ['__time', 'b', 'c', 'e', 'a', 'd'],
    ['2024-01-01T00:00:00.000Z', 's', '["1","2"]', '1', null, null],
    ['2024-01-01T00:00:01.000Z', null, 'z', null, 'text', 'w'],
    ['2024-01-01T00:00:02.000Z', null, '["a","b"]', null, '5', '1'],
  ]);
});

test('schema discovery reads truths as numbers, among texts, too', async () => {
  const rows = [{ a: true }, { a: 'x' }, { a: false }].map((row, at) => ({
    t: `2024-01-01T00:00:0${at}Z`,
    ...row,
  }));
  const { rowsOf } = await loaded({
    rows,
    schema: { dimensionsSpec: { useSchemaDiscovery: true } },
  });
  expect((await rowsOf('SELECT a FROM found ORDER BY __time')).slice(1)).toEqual([
    ['1'],
    ['x'],
    ['0'],
  ]);
});

test('a segment has the found columns that its rows have, and metrics by their names', async () => {
  const rows = [first, { ...second, t: '2023-01-01' }, { t: '2022-01-02', q: '1', w: null }];
  const metricsSpec = [
    { type: 'count', name: 'cnt' },
    { type: 'longSum', name: 'asum', fieldName: 'a' },
  ];
  const { columns, rowsOf } = await loaded({ rows, schema: { metricsSpec } });
  expect(await columns()).toBe('z m k asum cnt s q');
  expect(
    await rowsOf(
      'SELECT dimensions, metrics FROM sys.segments WHERE datasource = \'found\' ORDER BY "start"',
    ),
  ).toEqual([
    ['dimensions', 'metrics'],
    ['["q"]', '["cnt","asum"]'],
    ['["z","k","s"]', '["cnt","asum"]'],
    ['["z","m","k"]', '["cnt","asum"]'],
  ]);
});

test('a task that stores no empty columns leaves named dimensions without values out', async () => {
  const dimensionsSpec = { dimensions: ['k', 'nowhere'] };
  expect(await (await loaded({ schema: { dimensionsSpec } })).columns()).toBe('k nowhere');
  expect(
    await (
      await loaded({ schema: { dimensionsSpec }, context: { storeEmptyColumns: false } })
    ).columns(),
  ).toBe('k');
});

test.each([
  ['with type discovery', { useSchemaDiscovery: true }],
  ['of plain texts', {}],
])('a field has the same values among a few fields and among hundreds, %s', async (_, spec) => {
  const odd = {
    'a/b': 1,
    'a~c': '7',
    Case: true,
    case: 'lower',
    'q"uote': 1.5e300,
    'dot.ted': [1, 'two', null],
    ünïcode: 'ö',
    "it's": { deep: [1] },
    nul: null,
    big: 9007199254740994,
  };
  const times = { t: '2024-01-01T00:00:00Z' };
  const some = [odd, { 'a/b': 'x', case: 2, 'dot.ted': 'one' }, { Case: [], big: '12' }];
  const fillers = [1, 'text', true, ['a', 'b'], 0.5].flatMap((value, kind) =>
    Array.from({ length: 70 }, (_, at) => [`filler ${kind} ${at}`, value] as const),
  );
  const answers: unknown[] = [];
  for (const filler of [{}, Object.fromEntries(fillers)]) {
    const rows = some.map((row) => ({ ...times, ...row, ...filler }));
    const { rowsOf, columns } = await loaded({
      rows: [...rows, [1] as object, { ...times, ...filler }],
      schema: { dimensionsSpec: spec },
    });
    const own = Object.keys(odd).filter((name) => name !== "it's" || 'useSchemaDiscovery' in spec);
    const names = own.filter((name) => name !== 'nul' || 'useSchemaDiscovery' in spec);
    const selected = names.map((name) => `"${name.replaceAll('"', '""')}"`).join(', ');
    answers.push(await rowsOf(`SELECT ${selected} FROM found`));
    expect((await columns()).includes('filler 3 69')).toBe('filler 3 69' in filler);
  }
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[0]).toHaveLength(5);
});

test('a filtered metric aggregates the rows that its filter selects', async () => {
  const rows = [
    { t: '2024-01-01T00:00:00Z', a: 'x', s: 'first', n: 1 },
    { t: '2024-01-01T00:30:00Z', a: 'x', s: 'mid', n: 5 },
    { t: '2024-01-01T00:10:00Z', a: 'x', s: null, n: null },
    { t: '2024-01-01T01:30:00Z', a: 'x', s: 'late', n: 7 },
    { t: '2024-01-01T00:20:00Z', a: 'y', s: 'only', n: 3 },
    { t: '2024-01-01T00:25:00Z', a: 'z' },
  ];
  const metricsSpec = [
    {
      type: 'filtered',
      filter: { type: 'bound', dimension: 'n', lower: '2', ordering: 'numeric' },
      aggregator: { type: 'count', name: 'x' },
    },
    {
      type: 'filtered',
      name: 'yy',
      filter: { type: 'selector', dimension: 's', value: 'first' },
      aggregator: { type: 'longSum', name: 'y', fieldName: 'n' },
    },
  ];
  const granularitySpec = { rollup: true, queryGranularity: 'HOUR', segmentGranularity: 'DAY' };
  const schema = { dimensionsSpec: { dimensions: ['a'] }, metricsSpec, granularitySpec };
  const { rowsOf } = await loaded({ rows, schema });
  expect(await rowsOf('SELECT * FROM found')).toEqual([
    ['__time', 'a', 'x', 'yy'],
    ['2024-01-01T00:00:00.000Z', 'x', 1, 1],
    ['2024-01-01T00:00:00.000Z', 'y', 1, null],
    ['2024-01-01T00:00:00.000Z', 'z', 0, null],
    ['2024-01-01T01:00:00.000Z', 'x', 1, null],
  ]);
});

test('a time in the forms that its pattern reads is parsed, as by Joda', async () => {
  const read = async (format: string, ...times: string[]) => {
    const schema = {
      timestampSpec: { column: 't', format },
      dimensionsSpec: { dimensions: ['a'] },
    };
    const rows = times.map((t, a) => ({ t, a }));
    const { rowsOf } = await loaded({ rows, schema });
    const answer = await rowsOf('SELECT a, MAX(__time) FROM found GROUP BY a ORDER BY a');
    return answer.slice(1).map(([, time]: string[]) => time);
  };
  expect(await read('dd MMM yyyy', '05 Mar 2024', '5 mar 2024', '05 March 2024')).toEqual(
    Array.from({ length: 3 }, () => '2024-03-05T00:00:00.000Z'),
  );
  expect(
    await read("yyyy-MM-dd'T'HH:mm:ssZ", '2024-01-02T03:04:05+0100', '2024-01-02T03:04:05Z'),
  ).toEqual(['2024-01-02T02:04:05.000Z', '2024-01-02T03:04:05.000Z']);
});

const discovery = { useSchemaDiscovery: true };
const asJson = { dimensions: ['a', 'b'].map((name) => ({ type: 'json', name })) };
const onlyOnes = { filter: { type: 'selector', dimension: 'a', value: '1' } };
const in2024 = { segmentGranularity: 'YEAR', intervals: ['2024-01-01/2025-01-01'] };

test.each<[string, string, object, string[]]>([
  ['never', 'its time cannot be read', {}, ['BIGINT', 'BIGINT']],
  ['2023-01-02', 'it is outside the intervals', { granularitySpec: in2024 }, ['BIGINT', 'BIGINT']],
  ['2024-01-02', 'the filter leaves it out', { transformSpec: onlyOnes }, ['BIGINT', 'BIGINT']],
  ['never', 'dimensions are json', { dimensionsSpec: asJson }, ['BIGINT', 'BIGINT']],
  ['2024-W01-2', 'it is stored', {}, ['VARCHAR', 'COMPLEX<json>']],
])(
  'the types of columns are those of stored rows: the row of %s, because %s',
  async (t, _, schema, types) => {
    const rows = [
      { t, a: 'text', b: { k: 1 } },
      { t: '2024-01-01', a: 1, b: 2 },
    ];
    const { rowsOf } = await loaded({ rows, schema: { dimensionsSpec: discovery, ...schema } });
    const found = await rowsOf(
      "SELECT DATA_TYPE FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'found' AND COLUMN_NAME <> '__time' ORDER BY COLUMN_NAME",
    );
    expect(found.slice(1).flat()).toEqual(types);
  },
);

test.each([
  [[1, 2], 'BIGINT'],
  [[1.5, 2], 'DOUBLE'],
  [['x', 'y'], 'VARCHAR'],
  [[1, 'x'], 'VARCHAR'],
  [[true, false], 'BIGINT'],
  [[null, null], 'VARCHAR'],
  [[['a', 'b'], ['c']], 'ARRAY'],
  [[{ k: 1 }, 2], 'COMPLEX<json>'],
  [[[[1]], [[2]]], 'COMPLEX<json>'],
])('a dimension of the type json with %j is %s', async (values, type) => {
  const { rowsOf } = await loaded({
    rows: values.map((b) => ({ t: '2024-01-01', b })),
    schema: { dimensionsSpec: { dimensions: [{ type: 'json', name: 'b' }] } },
  });
  const found = await rowsOf(
    "SELECT DATA_TYPE FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'found' AND COLUMN_NAME = 'b'",
  );
  expect(found.slice(1)).toEqual([[type]]);
});

const mixed = [
  { b: { x: 1 }, n: [1, 2] },
  { b: 'a', n: [2, 3] },
  { b: ['a', 'c'], n: 2 },
  { b: [[5]], n: [{ y: 2 }] },
  { n: null },
].map((row, id) => ({ t: `2024-01-0${id + 1}`, id, ...row }));

test.each<[object, number[]]>([
  [{ type: 'selector', dimension: 'b', value: 'a' }, [1, 2]],
  [{ type: 'not', field: { type: 'selector', dimension: 'b', value: 'a' } }, [0, 3]],
  [{ type: 'in', dimension: 'b', values: ['c', null] }, [2, 4]],
  [{ type: 'null', column: 'b' }, [4]],
  [{ type: 'like', dimension: 'b', pattern: 'a%' }, [1, 2]],
  [{ type: 'selector', dimension: 'n', value: '2' }, [0, 1, 2]],
  [{ type: 'equals', column: 'n', matchValueType: 'LONG', matchValue: 3 }, [1]],
])('the filter %j reads lists and nested values as texts', async (filter, ids) => {
  const schema = {
    dimensionsSpec: { dimensions: [{ type: 'long', name: 'id' }] },
    transformSpec: { filter },
  };
  const { rowsOf } = await loaded({ rows: mixed, schema });

  expect((await rowsOf('SELECT id FROM found ORDER BY __time')).slice(1).flat()).toEqual(ids);
});

const numbers = [1, 2, 10, -3, null, 2.5, true].map((v, id) => ({
  t: `2024-01-0${id + 1}`,
  id,
  v,
}));

test.each<[object, number[]]>([
  [{ type: 'bound', dimension: 'v', upper: 'b' }, [0, 1, 2, 3, 4, 5]],
  [{ type: 'bound', dimension: 'v', upper: '2' }, [0, 1, 2, 3, 4]],
  [{ type: 'not', field: { type: 'bound', dimension: 'v', lower: '2' } }, [0, 2, 3, 4]],
  [{ type: 'bound', dimension: 'v', upper: '2', ordering: 'numeric' }, [0, 1, 3, 4, 6]],
  [{ type: 'like', dimension: 'v', pattern: '%.%' }, [5]],
  [{ type: 'regex', dimension: 'v', pattern: '^[0-9]+$' }, [0, 1, 2]],
  [{ type: 'selector', dimension: 'v', value: 'true' }, [6]],
  [{ type: 'equals', column: 'v', matchValueType: 'DOUBLE', matchValue: 2.5 }, [5]],
])('the filter %j reads numbers and truths as their texts', async (filter, ids) => {
  const schema = {
    dimensionsSpec: { dimensions: [{ type: 'long', name: 'id' }] },
    transformSpec: { filter },
  };
  const { rowsOf } = await loaded({ rows: numbers, schema });
  expect((await rowsOf('SELECT id FROM found ORDER BY __time')).slice(1).flat()).toEqual(ids);
});

test('a filtered metric reads lists of numbers as texts', async () => {
  const filter = { type: 'selector', dimension: 'n', value: '2' };
  const schema = {
    dimensionsSpec: { dimensions: [{ type: 'long', name: 'id' }] },
    metricsSpec: [{ type: 'filtered', filter, aggregator: { type: 'count', name: 'held' } }],
  };
  const { rowsOf } = await loaded({ rows: mixed, schema });
  expect((await rowsOf('SELECT held FROM found ORDER BY __time')).slice(1).flat()).toEqual([
    1, 1, 1, 0, 0,
  ]);
});

test('one nested value leaves the others of its field to a transform', async () => {
  const rows = [{ b: { x: 1 } }, { b: 5 }, { b: 5.5 }, {}, { b: 1 }].map((row, id) => ({
    t: `2024-01-0${id + 1}`,
    ...row,
  }));
  const schema = {
    dimensionsSpec: {
      dimensions: ['sum', 'more', 'x'].map((name) => ({ type: 'auto', name })),
    },
    transformSpec: {
      transforms: Object.entries({
        sum: 'b + 1',
        more: 'b > 1',
        x: "concat(json_value(b, '$.x'), '!')",
      }).map(([name, expression]) => ({ type: 'expression', name, expression })),
    },
  };
  const { rowsOf } = await loaded({ rows, schema });
  expect((await rowsOf('SELECT "sum", more, x FROM found ORDER BY __time')).slice(1)).toEqual([
    [null, null, '1!'],
    [6, 1, null],
    [6.5, 1, null],
    [null, null, null],
    [2, 0, null],
  ]);
});

const lists = ['x', ['x'], ['x', 'z'], [], [null], [1, 2], true, [true], null].map((v, id) => ({
  t: `2024-01-0${id + 1}`,
  v,
}));

test.each<[string, readonly (string | null)[]]>([
  ['upper(v)', ['X', 'X', '[X, Z]', '[]', null, '[1, 2]', '1', '1', null]],
  ['strlen(v)', ['1', '1', '6', '2', null, '6', '1', '1', null]],
  ["concat(v, '!')", ['x!', 'x!', '[x, z]!', '[]!', null, '[1, 2]!', '1!', '1!', null]],
  ['array_length(v)', ['1', '1', '2', '0', '1', '2', '1', '1', null]],
  ['to_json_string(v)', ['"x"', '["x"]', '["x","z"]', '[]', '[null]', '[1,2]', '1', '[1]', null]],
  ['try_parse_json(v)', [null, null, null, null, null, null, null, null, null]],
  ['v + 1', [null, null, null, null, null, null, '2', '2.0', null]],
  ["json_value(v, '$[0]')", [null, 'x', 'x', null, null, '1', null, 'true', null]],
])(
  'a transform reads a row by itself, and its list as one array: %s',
  async (expression, values) => {
    const schema = {
      dimensionsSpec: { dimensions: ['made'] },
      transformSpec: { transforms: [{ type: 'expression', name: 'made', expression }] },
    };
    const { rowsOf } = await loaded({ rows: lists, schema });
    expect((await rowsOf('SELECT made FROM found ORDER BY __time')).slice(1).flat()).toEqual(
      values,
    );
  },
);

test('a task fails where a transform reads as JSON what is not, unless it tries', async () => {
  const statusOf = async (expression: string, v: unknown) => {
    const { post, ended } = api(service);
    const { body } = await post('/svc/indexer/v1/task', {
      type: 'index_parallel',
      spec: {
        dataSchema: {
          dataSource: 'parsed',
          timestampSpec: { column: 't' },
          dimensionsSpec: { dimensions: ['made'] },
          granularitySpec: {},
          transformSpec: { transforms: [{ type: 'expression', name: 'made', expression }] },
        },
        ioConfig: {
          type: 'index_parallel',
          inputSource: { type: 'inline', data: JSON.stringify({ t: '2024-01-01', v }) },
          inputFormat: { type: 'json' },
        },
      },
    });
    return (await ended(body.task)).errorMsg ?? 'done';
  };
  const bad = 'Function[parse_json] bad string input';
  expect(await statusOf('parse_json(v)', '{bad')).toContain(bad);
  expect(await statusOf('parse_json(v)', 'NaN')).toContain(bad);
  expect(await statusOf('parse_json(v)', [1])).toContain('invalid input expected STRING but got');
  expect(await statusOf('parse_json(v)', '1 2')).toBe('done');
  expect(await statusOf('try_parse_json(v)', '{bad')).toBe('done');
  const long = 'Infinity '.repeat(10_000);
  expect(await statusOf('parse_json(v)', JSON.stringify([long]))).toBe('done');
  expect(await statusOf('parse_json(v)', `[1] ${long}`)).toContain(bad);
});

test('a transform replaces a found field in the rows that have it', async () => {
  const transforms = [{ type: 'expression', name: 'a', expression: "'made'" }];
  const rows = [{ a: 1 }, { b: 1 }, { a: { x: 1 } }, { a: 'x' }].map((row, id) => ({
    t: `2024-01-0${id + 1}`,
    ...row,
  }));
  const { rowsOf } = await loaded({ rows, schema: { transformSpec: { transforms } } });
  expect((await rowsOf('SELECT a FROM found ORDER BY __time')).slice(1).flat()).toEqual([
    'made',
    null,
    null,
    'made',
  ]);
});

test('nulls are found by a schema discovery and a flattenSpec, and a transform replaces them', async () => {
  const transforms = [{ type: 'expression', name: 'a', expression: "'made'" }];
  const rows = [{ b: 1 }, { a: null }, { a: { x: 1 } }, { a: 'x' }].map((row, id) => ({
    t: `2024-01-0${id + 1}`,
    ...row,
  }));
  const values = async (given: Given) => {
    const schema = { ...given.schema, transformSpec: { transforms } };
    const { rowsOf } = await loaded({ rows, ...given, schema });
    return (await rowsOf('SELECT a FROM found ORDER BY __time')).slice(1).flat();
  };
  const discovery = { dimensionsSpec: { useSchemaDiscovery: true } };
  expect(await values({ schema: discovery })).toEqual([null, 'made', 'made', 'made']);
  const fields = [{ type: 'path', name: 'p', expr: '$.a.x' }];
  const format = { flattenSpec: { useFieldDiscovery: true, fields } };
  expect(await values({ format })).toEqual([null, 'made', null, 'made']);
});

test('a transform whose result nobody reads is not computed', async () => {
  const transforms = [
    { type: 'expression', name: 'unread', expression: 'parse_json(z)' },
    { type: 'expression', name: 'made', expression: "concat(k, '!')" },
  ];
  const rows = [{ t: '2024-01-01', z: '{bad', k: 'q' }];
  const schema = { dimensionsSpec: { dimensions: ['made'] }, transformSpec: { transforms } };
  const { rowsOf } = await loaded({ rows, schema });
  expect((await rowsOf('SELECT made FROM found'))[1]).toEqual(['q!']);
});

test.each<[unknown, number | bigint | null, number | string | null]>([
  ['NaN', 0, 'NaN'],
  ['-Infinity', -9_223_372_036_854_775_808n, '-Infinity'],
  ['1.5f', 1, 1.5],
  ['+5', 5, 5],
  ['1e400', 9_223_372_036_854_775_807n, 'Infinity'],
  ['9223372036854775808', 9_223_372_036_854_775_807n, 2 ** 63],
  ['-inf', null, null],
  ['nan', null, null],
  ['1_000', null, null],
  ['+-5', null, null],
])('a metric reads the text %j as Java does', async (v, long, double) => {
  const schema = {
    dimensionsSpec: { dimensions: ['k'] },
    metricsSpec: [
      { type: 'longMax', name: 'l', fieldName: 'v' },
      { type: 'doubleMax', name: 'd', fieldName: 'v' },
    ],
  };
  const { rowsOf } = await loaded({ rows: [{ t: '2024-01-01', v }], schema });
  expect((await rowsOf('SELECT l, d FROM found'))[1]).toEqual([long, double]);
});

test('what a filtered metric reads is not found as a dimension', async () => {
  const filter = { type: 'columnComparison', dimensions: ['z', 'k'] };
  const schema = {
    metricsSpec: [{ type: 'filtered', filter, aggregator: { type: 'count', name: 'alike' } }],
  };
  expect(await (await loaded({ schema })).columns()).toBe('m a s y b alike');
});
