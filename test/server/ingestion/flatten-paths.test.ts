// Paths of flatten specifications; the values are those of a real cluster of version 33.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

const rows = [
  {
    t: '2024-01-01T00:00:00Z',
    a: 'x',
    o: { p: 1, q: [1, 2, 3], r: { s: 'deep' }, 'k.dot': 5 },
    l: [{ v: 1 }, { v: 2 }, { v: null }],
    n: 5,
  },
  { t: '2024-01-01T01:00:00Z', a: 'y', o: { p: 'two', q: [] }, l: [] },
  { t: '2024-01-01T02:00:00Z', a: null, o: null, l: { v: 9 } },
];

async function ingest(flattenSpec: object, dimensions: readonly unknown[]) {
  const { post, ended } = api(await startService());
  const { status, body } = await post('/svc/indexer/v1/task', {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'flat',
        timestampSpec: { column: 't', format: 'iso' },
        dimensionsSpec: { dimensions },
        granularitySpec: { segmentGranularity: 'DAY', rollup: false },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'inline', data: rows.map((row) => JSON.stringify(row)).join('\n') },
        inputFormat: { type: 'json', flattenSpec },
      },
    },
  });
  if (status !== 200) return status;
  await ended(body.task);
  const selected = dimensions.map((one) => (typeof one === 'string' ? one : 'z')).join(', ');
  const query = `SELECT ${selected || '*'} FROM flat ORDER BY __time`;
  return (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body;
}

test.each<[string, unknown[]]>([
  ['o.p', ['1', 'two', null]],
  ['$..s', ['deep', null, null]],
  ['$..v', ['[null,"1","2"]', null, '9']],
  ['$..q[0]', ['1', null, null]],
  ['$.o.q[0:2]', ['["1","2"]', null, null]],
  ['$.o.q[1:]', ['["2","3"]', null, null]],
  ['$.o.q[:-1]', ['["1","2"]', null, null]],
  ['$.o.q[0,2]', ['["1","3"]', '[null,null]', null]],
  ['$.l.*', ['["{v=1}","{v=2}","{v=null}"]', null, '9']],
  ['$.o.*', ['["1","5","[1, 2, 3]","{s=deep}"]', '["[]","two"]', null]],
])('the path [%s] selects values', async (expr, expected) => {
  const fields = [{ type: 'path', name: 'z', expr }];
  expect(await ingest({ fields }, ['z'])).toEqual(expected.map((value) => [value]));
});

test('a path that selects several values is an array in a typed column', async () => {
  const fields = [{ type: 'path', name: 'z', expr: '$.o.q[1:]' }];
  expect(await ingest({ fields }, [{ type: 'auto', name: 'z' }])).toEqual([
    ['[2,3]'],
    ['[]'],
    ['[]'],
  ]);
});

test('an object is discovered as a text where a path selects it, and not otherwise', async () => {
  const fields = [{ type: 'path', name: 'z', expr: '$.o.r' }];
  expect(await ingest({ fields }, [])).toEqual([
    ['2024-01-01T00:00:00.000Z', '{s=deep}', 'x', '5'],
    ['2024-01-01T01:00:00.000Z', null, 'y', null],
    ['2024-01-01T02:00:00.000Z', null, null, null],
  ]);
});

test('without field discovery, named fields are read, and the time', async () => {
  const fields = [{ type: 'path', name: 'z', expr: '$.o.p' }];
  expect(await ingest({ useFieldDiscovery: false, fields }, ['a', 'n', 'z'])).toEqual([
    ['x', '5', '1'],
    ['y', null, 'two'],
    [null, null, null],
  ]);
});

test('a name twice is refused', async () => {
  expect(await ingest({ fields: ['a', { type: 'path', name: 'a', expr: '$.n' }] }, ['a'])).toBe(
    400,
  );
});

test.each([
  ['a number of many digits', '$.l[99999999999]'],
  ['a slice from a number of many digits', '$.l[99999999999:]'],
  ['an item with a number of many digits', '$.l[0,99999999999]'],
  ['many items', `$.l[0${',1'.repeat(1000)}]`],
])('a path to %s is refused', async (_, expr) => {
  expect(await ingest({ fields: [{ type: 'path', name: 'z', expr }] }, ['z'])).toBe(400);
});

test.each([
  ['path', '$.l[?(@.v==2)].v'],
  ['path', '$.o.q.length()'],
  ['jq', '.n + 1'],
  ['jq', '.o | keys'],
])('a %s that computes is refused: [%s]', async (type, expr) => {
  expect(await ingest({ fields: [{ type, name: 'z', expr }] }, ['z'])).toBe(400);
});
