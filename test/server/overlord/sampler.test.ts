// Sampler replies, as of a real 33.0.0.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

test('the sampler shows each row with all columns, and each dimension with what it does with lists and whether it has an index', async () => {
  const http = api(await startService());
  const { status, body } = await http.post('/svc/indexer/v1/sampler', {
    type: 'index',
    spec: {
      ioConfig: {
        type: 'index',
        inputSource: {
          type: 'inline',
          data: '{"t":"2020-01-01","z":"x","n":1}\n{"t":"2020-01-01","y":"q"}',
        },
        inputFormat: { type: 'json' },
      },
      dataSchema: {
        dataSource: 'sample',
        timestampSpec: { column: 't', format: 'iso' },
        dimensionsSpec: {
          dimensions: [
            'z',
            { type: 'string', name: 'y', multiValueHandling: 'ARRAY' },
            { type: 'long', name: 'k' },
          ],
        },
        metricsSpec: [
          { type: 'count', name: 'c' },
          { type: 'doubleMax', name: 'm', fieldName: 'none' },
        ],
        granularitySpec: { rollup: false, queryGranularity: 'DAY' },
      },
    },
  });
  const dimensions = [
    { type: 'string', name: 'z', multiValueHandling: 'SORTED_ARRAY', createBitmapIndex: true },
    { type: 'string', name: 'y', multiValueHandling: 'ARRAY', createBitmapIndex: true },
    { type: 'long', name: 'k', multiValueHandling: 'SORTED_ARRAY', createBitmapIndex: false },
  ];
  expect(status).toBe(200);
  expect(body).toMatchObject({ logicalDimensions: dimensions, physicalDimensions: dimensions });
  expect(body.data.map(({ parsed }: { parsed: object }) => parsed)).toEqual([
    { __time: 1_577_836_800_000, z: 'x', y: null, k: null, c: 1, m: null },
    { __time: 1_577_836_800_000, z: null, y: 'q', k: null, c: 1, m: null },
  ]);
});

test('a list of one text is a text in a dimension of texts, and lists with a delimiter are lists in the input, too', async () => {
  const rowsOf = async (data: string, inputFormat: object, dimensionsSpec = {}) => {
    const timestampSpec = { column: 'none', missingValue: '1970-01-01' };
    const body = await sampleOf(data, inputFormat, { timestampSpec, dimensionsSpec });
    return body.data;
  };
  const lists = '{"a":["x"],"b":[],"c":[1,2],"d":[3]}\n{"a":[null],"b":"","c":7}';
  expect(await rowsOf(lists, { type: 'json' })).toEqual([
    {
      input: { a: ['x'], b: [], c: [1, 2], d: [3] },
      parsed: { __time: 0, a: 'x', b: null, c: ['1', '2'], d: '3' },
    },
    { input: { a: [null], b: '', c: 7 }, parsed: { __time: 0, a: null, b: '', c: '7', d: null } },
  ]);
  const [discovered] = await rowsOf(lists, { type: 'json' }, { useSchemaDiscovery: true });
  expect(discovered.parsed).toMatchObject({ a: ['x'], c: [1, 2] });
  const delimited = { type: 'regex', pattern: '([\\s\\S]*)', listDelimiter: 'x', columns: ['raw'] };
  expect(await rowsOf('axbxc\nd', delimited)).toEqual([
    { input: { raw: ['a', 'b', 'c'] }, parsed: { __time: 0, raw: ['a', 'b', 'c'] } },
    { input: { raw: 'd' }, parsed: { __time: 0, raw: 'd' } },
  ]);
});

const typedRows = [
  '{"time":"2015-09-12T00:46:58.771Z","s":"a","n":null,"l":1,"d":1.5,"b":true,"arr":["a","b"],"o":{"a":1},"mix":1}',
  '{"time":"2015-09-12T00:46:59.771Z","mix":"a","n":null,"late":"x"}',
].join('\n');

test('rows show their null fields, and discovered columns are stored as auto', async () => {
  const http = api(await startService());
  const sampleOf = async (dimensionsSpec: object, inputFormat: object = {}) => {
    const { body } = await http.post('/svc/indexer/v1/sampler', {
      type: 'index',
      spec: {
        ioConfig: {
          type: 'index',
          inputSource: { type: 'inline', data: typedRows },
          inputFormat: { type: 'json', ...inputFormat },
        },
        dataSchema: {
          dataSource: 'sample',
          timestampSpec: { column: 'time', format: 'iso' },
          granularitySpec: { rollup: false },
          dimensionsSpec,
        },
      },
    });
    return body;
  };
  const typesOf = (dimensions: readonly { readonly name: string; readonly type: string }[]) =>
    dimensions.map(({ name, type }) => `${name} ${type}`).join(', ');

  const discovered = await sampleOf({ useSchemaDiscovery: true });
  expect(typesOf(discovered.logicalDimensions)).toBe(
    's string, n string, l long, d double, b long, arr auto, o auto, mix string, late string',
  );
  expect(typesOf(discovered.physicalDimensions)).toBe(
    's auto, n auto, l auto, d auto, b auto, arr auto, o auto, mix auto, late auto',
  );
  expect(discovered.data[0]).toMatchObject({
    input: { n: null },
    parsed: { n: null, b: true, arr: ['a', 'b'], o: { a: 1 }, mix: 1 },
  });
  expect(Object.keys(discovered.data[1].input)).toEqual(['time', 'mix', 'n', 'late']);

  const named = await sampleOf({
    dimensions: [{ type: 'json', name: 'o' }, { type: 'auto', name: 'l' }, 'mix'],
  });
  expect(named.logicalDimensions).toMatchObject([
    { type: 'json', name: 'o', formatVersion: 5 },
    { type: 'auto', name: 'l' },
    { type: 'string', name: 'mix' },
  ]);
  expect(typesOf(named.physicalDimensions)).toBe('o auto, l auto, mix string');

  // Without type discovery, a field is found with its first value.
  const plain = await sampleOf({});
  expect(plain.logicalDimensions.map(({ name }: { name: string }) => name)).toEqual([
    's',
    'l',
    'd',
    'b',
    'arr',
    'mix',
    'late',
  ]);
  const withNulls = await sampleOf({}, { keepNullColumns: true });
  expect(withNulls.logicalDimensions[1]).toMatchObject({ name: 'n', type: 'string' });
});

test.each([
  [['lat'], '1'],
  [['lat', 'lon', 'height'], '3'],
])(
  'points of %j are refused, since a spatial dimension takes two coordinates',
  async (dims, count) => {
    const http = api(await startService());
    const reply = await http.post('/svc/indexer/v1/sampler', {
      type: 'index',
      spec: {
        ioConfig: {
          type: 'index',
          inputSource: { type: 'inline', data: '{"t":"2020-01-01","lat":1,"lon":2,"height":3}' },
          inputFormat: { type: 'json' },
        },
        dataSchema: {
          dataSource: 'sample',
          timestampSpec: { column: 't', format: 'iso' },
          dimensionsSpec: { spatialDimensions: [{ dimName: 'place', dims }] },
          granularitySpec: { rollup: false },
        },
      },
    });
    expect(reply).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining(`[place] has a value of [${count}] coordinates`) },
    });
  },
);

test('a row that is nested too deeply is shown as one that cannot be read', async () => {
  const http = api(await startService());
  const levels = 100_000;
  const data = `{"a":"x"}\n{"a":${'{"b":'.repeat(levels)}1${'}'.repeat(levels)}}`;
  const { status, body } = await http.post('/svc/indexer/v1/sampler', {
    type: 'index',
    spec: {
      ioConfig: {
        type: 'index',
        inputSource: { type: 'inline', data },
        inputFormat: { type: 'json' },
      },
      dataSchema: {
        dataSource: 'sample',
        timestampSpec: { column: 'none', missingValue: '1970-01-01' },
        dimensionsSpec: { dimensions: ['a'] },
      },
    },
  });
  expect(status).toBe(200);
  expect(body.data).toEqual([
    { input: { a: 'x' }, parsed: { __time: 0, a: 'x' } },
    {
      unparseable: true,
      error: 'Nested data has more than [1000] levels. Reduce its depth.',
    },
  ]);
});

async function sampleOf(data: string, inputFormat: object, schema: object) {
  const http = api(await startService());
  const { body } = await http.post('/svc/indexer/v1/sampler', {
    type: 'index',
    spec: {
      ioConfig: { type: 'index', inputSource: { type: 'inline', data }, inputFormat },
      dataSchema: {
        dataSource: 'sample',
        timestampSpec: { column: 't', format: 'auto' },
        granularitySpec: { rollup: false, queryGranularity: 'none' },
        ...schema,
      },
    },
  });
  return body;
}

test('a rollup shows merged rows by the first of them, and each row with a value that does not fit', async () => {
  const lines = [
    { t: '2024-01-01T01:00', a: 'x', n: 5 },
    { t: '2024-W01-1T02:00', a: 'x', n: 'abc' },
    { t: '2024-01-01T03:00', a: 'x', n: 2 },
    { t: '2024-01-02', a: 'x', n: 1 },
  ];
  const { data, ...counts } = await sampleOf(
    lines.map((line) => JSON.stringify(line)).join('\n'),
    { type: 'json' },
    {
      dimensionsSpec: { dimensions: ['a'] },
      metricsSpec: [
        { type: 'count', name: 'c' },
        { type: 'longSum', name: 's', fieldName: 'n' },
        { type: 'longLast', name: 'l', fieldName: 'n' },
      ],
      granularitySpec: { rollup: true, queryGranularity: 'day' },
    },
  );
  expect(counts).toMatchObject({ numRowsRead: 4, numRowsIndexed: 3 });
  expect(data).toEqual([
    {
      input: lines[0],
      parsed: {
        __time: 1_704_067_200_000,
        a: 'x',
        c: 3,
        s: 7,
        l: { lhs: 1_704_078_000_000, rhs: 2 },
      },
    },
    {
      input: lines[1],
      unparseable: true,
      error: expect.stringContaining('Unable to parse value[abc] for field[n]'),
    },
    {
      input: lines[3],
      parsed: {
        __time: 1_704_153_600_000,
        a: 'x',
        c: 1,
        s: 1,
        l: { lhs: 1_704_153_600_000, rhs: 1 },
      },
    },
  ]);
});

test('numbers that JSON lacks are texts, and given types are shown with their values', async () => {
  const { logicalDimensions, data } = await sampleOf(
    '{"t":"2024-01-01","d":"NaN","f":"1e39","a":"5","l":["1","Infinity"]}\n{"t":"2024-01-01","d":"x"}',
    { type: 'json' },
    {
      dimensionsSpec: {
        dimensions: [
          { type: 'double', name: 'd' },
          { type: 'float', name: 'f' },
          { type: 'auto', name: 'a', castToType: 'LONG' },
          { type: 'auto', name: 'l', castToType: 'ARRAY<DOUBLE>' },
        ],
      },
    },
  );
  expect(logicalDimensions[2]).toMatchObject({ type: 'auto', castToType: 'LONG' });
  expect(data).toMatchObject([
    { parsed: { d: 'NaN', f: 'Infinity', a: 5, l: [1, 'Infinity'] } },
    {
      parsed: { d: null },
      error: expect.stringContaining('Could not convert value [x] to double for dimension [d].'),
    },
  ]);
});

test('numbers in delimited files are numbers in the input, too, where they are read as such', async () => {
  const csv = { type: 'csv', findColumnsFromHeader: true, tryParseNumbers: true };
  const lines = ['t,a,b', '2024-01-01,007,1e3', '2024-01-01,x,2', '2024-01-01,1e400,1;2.50;y'];
  const { data } = await sampleOf(
    lines.join('\n'),
    { ...csv, listDelimiter: ';' },
    { dimensionsSpec: { useSchemaDiscovery: true } },
  );
  expect(data).toMatchObject([
    { input: { a: 7, b: 1000 } },
    { input: { a: 'x', b: 2 } },
    { input: { a: 'Infinity', b: [1, 2.5, 'y'] } },
  ]);
});

const dayOf2015 = Date.parse('2015-09-12');

test('rows that are left out add no columns, and columns follow the rows that are kept', async () => {
  const ofRows = async (data: string, schema: object = {}) => {
    const { logicalSegmentSchema, data: rows } = await sampleOf(data, { type: 'json' }, schema);
    const shown = rows.flatMap(({ parsed = [] }: { parsed?: object }) => parsed);
    return { columns: logicalSegmentSchema.map(({ name }: { name: string }) => name), shown };
  };
  const unread = '{"t":"never","late":1,"b":2}';
  expect(await ofRows(`${unread}\n{"t":"2015-09-12","a":1,"b":2}`)).toEqual({
    columns: ['__time', 'a', 'b'],
    shown: [{ __time: dayOf2015, a: '1', b: '2' }],
  });
  const filter = { type: 'selector', dimension: 'k', value: 'x' };
  expect(
    await ofRows('{"t":"2015-09-12","k":"y","other":1}\n{"t":"2015-09-12","k":"x","no":{}}', {
      transformSpec: { filter },
    }),
  ).toEqual({ columns: ['__time', 'k'], shown: [{ __time: dayOf2015, k: 'x' }] });
});

test('rows of values show the empty ones as null, and an empty line is a row', async () => {
  const rowsOf = async (data: string, inputFormat: object) => {
    const schema = { timestampSpec: { column: 't', missingValue: '2015-09-12' } };
    return (await sampleOf(data, { columns: ['t', 'a', 'b'], ...inputFormat }, schema)).data;
  };
  const parsed = { __time: dayOf2015, a: null, b: null };
  const rows = [
    { input: { t: '2015-09-12', a: null, b: 'x' }, parsed: { ...parsed, b: 'x' } },
    { input: { t: null }, parsed },
    { input: { t: '2015-09-12', a: 'y' }, parsed: { ...parsed, a: 'y' } },
  ];
  expect(await rowsOf('2015-09-12,,x\n\n2015-09-12,y', { type: 'csv' })).toEqual(rows);
  expect(await rowsOf('2015-09-12\t\tx\n\n2015-09-12\ty', { type: 'tsv' })).toEqual(rows);
});

test('text behind the object of a row is not shown, and fields of a flattenSpec are not of the row', async () => {
  const format = {
    type: 'json',
    flattenSpec: { fields: [{ type: 'path', name: 'x', expr: '$..p' }] },
  };
  const { data } = await sampleOf('{"t":"2015-09-12","a":null} more', format, {});
  expect(data).toEqual([
    {
      input: { t: '2015-09-12', a: null },
      parsed: { __time: dayOf2015, x: null, a: null },
    },
  ]);
});

test('transforms make numbers that JSON lacks, and a lookup, which rows have not, is refused', async () => {
  const parsedOf = async (expression: string) => {
    const transforms = [{ type: 'expression', name: 'v', expression }];
    const dimensionsSpec = { dimensions: [{ type: 'auto', name: 'v' }] };
    const schema = { dimensionsSpec, transformSpec: { transforms } };
    const reply = await sampleOf('{"t":"2015-09-12"}', { type: 'json' }, schema);
    return reply.error ?? reply.data[0].parsed.v;
  };
  expect(await parsedOf('0.0 / 0')).toBe('NaN');
  expect(await parsedOf('array(1.0 / 0, 2)')).toEqual(['Infinity', 2]);
  expect(await parsedOf("cast('NaN', 'DOUBLE')")).toBe('NaN');
  expect(await parsedOf("lookup('a', 'nowhere')")).toContain('Lookup [nowhere] not found');
});

test('a sample shows a transform of a found field only in rows that have it', async () => {
  const transforms = [{ type: 'expression', name: 'a', expression: "'made'" }];
  const lines = '{"t":"2015-09-12","b":1}\n{"t":"2015-09-12","a":null}';
  const valuesOf = async (dimensionsSpec: object) => {
    const schema = { dimensionsSpec, transformSpec: { transforms } };
    const { data } = await sampleOf(lines, { type: 'json' }, schema);
    return data.map(({ parsed }: { parsed: { a: unknown } }) => parsed.a);
  };
  expect(await valuesOf({ useSchemaDiscovery: true })).toEqual([null, 'made']);
  const named = { useSchemaDiscovery: true, dimensions: [{ type: 'auto', name: 'a' }] };
  expect(await valuesOf(named)).toEqual(['made', 'made']);
});

test('the last text of a list is that of the list, and columns without values are texts', async () => {
  const format = { type: 'tsv', columns: ['t', 'a', 'b'], listDelimiter: '|' };
  const { logicalSegmentSchema, data } = await sampleOf('2015-09-12\tx|y\t1', format, {
    dimensionsSpec: { dimensions: [{ type: 'auto', name: 'v' }, 'b'] },
    metricsSpec: [{ type: 'stringLast', name: 'last', fieldName: 'a' }],
    transformSpec: { transforms: [{ type: 'expression', name: 'v', expression: 'parse_long(a)' }] },
  });
  expect(data[0].parsed).toEqual({
    __time: dayOf2015,
    v: null,
    b: '1',
    last: { lhs: dayOf2015, rhs: '[x, y]' },
  });
  expect(logicalSegmentSchema[1]).toEqual({ name: 'v', type: 'STRING' });
});
