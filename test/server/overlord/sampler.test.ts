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
  const http = api(await startService());
  const rowsOf = async (data: string, inputFormat: object, dimensionsSpec = {}) => {
    const { body } = await http.post('/svc/indexer/v1/sampler', {
      type: 'index',
      spec: {
        ioConfig: { type: 'index', inputSource: { type: 'inline', data }, inputFormat },
        dataSchema: {
          dataSource: 'sample',
          timestampSpec: { column: 'none', missingValue: '1970-01-01' },
          dimensionsSpec,
        },
      },
    });
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
