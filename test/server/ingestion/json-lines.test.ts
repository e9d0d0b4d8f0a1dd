// Lines of JSON as a real 33.0.0 reads them.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

async function loaded(
  lines: readonly string[],
  dimensions: readonly unknown[],
  ends = '\n',
  useSchemaDiscovery = false,
) {
  const { get, post, ended } = api(await startService());
  const { body } = await post('/svc/indexer/v1/task', {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'lines',
        timestampSpec: { column: 'none', missingValue: '2020-01-01' },
        dimensionsSpec: { dimensions, useSchemaDiscovery },
        granularitySpec: { segmentGranularity: 'YEAR', rollup: false },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'inline', data: lines.join(ends) },
        inputFormat: { type: 'json' },
      },
      tuningConfig: { type: 'index_parallel', maxSavedParseExceptions: 10 },
    },
  });
  expect(await ended(body.task)).toMatchObject({ statusCode: 'SUCCESS' });
  const query = 'SELECT "a" FROM "lines"';
  const { payload } = (await get(`/svc/indexer/v1/task/${body.task}/reports`)).body
    .ingestionStatsAndErrors;
  return {
    values: (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body
      .flat()
      .sort() as unknown[],
    unparseable: payload.rowStats.buildSegments.unparseable,
  };
}

const readings: [string, readonly unknown[]][] = [
  ['named', ['a']],
  ['discovered', []],
];

test.each(readings)('the last of equal keys counts in %s columns', async (_, dimensions) => {
  const lines = [
    '{"a":1,"a":2}',
    '{"a":"t","b":1,"a":null}',
    '{"a":null,"b":1,"\\u0061":3}',
    '{"A":0,"a":4}',
    '{"a":5,"A":0,"a":6,"b":2}',
    '{"b":1,"b":2,"a":7}',
    '{"a":8,"o":{"x":1,"x":2}}',
  ];
  expect(await loaded(lines, dimensions)).toEqual({
    values: ['2', '3', '4', '6', '7', '8', null],
    unparseable: 0,
  });
});

test('the last of equal keys counts in the objects of a row with equal keys, too', async () => {
  const lines = ['{"a":{"x":1,"x":2},"b":1,"b":2}'];
  const { values } = await loaded(lines, [{ type: 'json', name: 'a' }]);
  expect(values).toEqual(['{"x":2}']);
});

test.each(readings)(
  'the first value of a line counts in %s columns, and only JSON is read',
  async (_, dimensions) => {
    const many = '{"a":"k"}'.repeat(5000);
    const long = `{"a":"${'v'.repeat(40_000)}"},`;
    const lines = [
      '{"a":"b"}{"a":"c"}',
      '{"a":"d"}, x',
      '{"a":"e"}}',
      '  {"a":"f"}',
      '\ufeff{"a":"g"}',
      '{"a":"h"} {"a":NaN}',
      '{"a":"NaN"}',
      '{"a":"[i,]"}',
      many,
      long,
      ...['{"a":"y",}', '{"b":[1,]}', '{"a":NaN}', '{"a":-Infinity}', 'nul', '   '],
    ];
    const { values, unparseable } = await loaded(lines, dimensions);
    expect(values).toEqual(['NaN', '[i,]', 'b', 'd', 'e', 'f', 'g', 'h', 'k', 'v'.repeat(40_000)]);
    expect(unparseable).toBe(6);
  },
);

test.each(readings)('JSON other than an object has no %s columns', async (_, dimensions) => {
  const lines = ['[1]', 'null', '"q"', '5', 'true', '{}', '[{"a":"x"}]', '{"a":"z"}'];
  expect(await loaded(lines, dimensions)).toEqual({
    values: [...Array.from({ length: 7 }, () => null), 'z'],
    unparseable: 0,
  });
});

test.each(['\n', '\r\n'])('an empty line between lines that end in %j is a row', async (end) => {
  const lines = ['', '{"a":1}', '', '  ', '{"a":2}', '', ''];
  expect(await loaded(lines, ['a'], end)).toEqual({ values: ['1', '2'], unparseable: 4 });
});

test('empty lines are not rows in a file whose lines end differently', async () => {
  const { values, unparseable } = await loaded(['{"a":1}\r\n{"a":2}\n\r\n{"a":3}'], ['a']);
  expect({ values, unparseable }).toEqual({ values: ['1', '2', '3'], unparseable: 0 });
});

test('half a surrogate pair is a question mark', async () => {
  const lines = ['{"a":"\\ud800"}', '{"a":"b\\udc00x"}', '{"a":"\\ud83d\\ude00"}'];
  const { values } = await loaded([...lines, '{"a":"\\\\ud800","a":"\\\\ud801"}'], ['a']);
  expect(values).toEqual(['?', '\\ud801', 'b?x', '\u{1f600}']);
});

test('the sampler reads objects and null', async () => {
  const { post } = api(await startService());
  const { body } = await post('/svc/indexer/v1/sampler', {
    type: 'index',
    spec: {
      ioConfig: {
        type: 'index',
        inputSource: { type: 'inline', data: '[1]\nnull\n{}\n"q"\n{"a":1,"a":2}\n{"a":7,}' },
        inputFormat: { type: 'json' },
      },
      dataSchema: {
        dataSource: 'sample',
        timestampSpec: { column: 'none', missingValue: '1970-01-01' },
        dimensionsSpec: { useSchemaDiscovery: true },
        granularitySpec: { rollup: false },
      },
    },
  });
  const unreadable = { unparseable: true, error: expect.stringContaining('Unable to parse row') };
  expect(body.data).toMatchObject([
    unreadable,
    { parsed: { __time: 0, a: null } },
    { parsed: { __time: 0, a: null } },
    unreadable,
    { input: { a: 2 }, parsed: { __time: 0, a: 2 } },
    unreadable,
  ]);
});

test.each<[string, unknown]>([
  ['{"a":9223372036854775807}', 9_223_372_036_854_775_807n],
  ['{"a":9223372036854775808}', 2 ** 63],
  ['{"a":18446744073709551615}', 2 ** 64],
  ['{"a":[1,9223372036854775808]}', '[1.0,9.223372036854776E18]'],
])('type discovery reads a whole number beyond a long as a double: %s', async (line, value) => {
  expect((await loaded([line], [], '\n', true)).values).toEqual([value]);
});
