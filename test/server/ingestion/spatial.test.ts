// Spatial dimensions and filters; what is expected is what the real engine answered.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

const rows = [
  { a: 'x', lat: 1, lon: 2 },
  { a: 'y', lat: 1.5, lon: '2.5' },
  { a: 'z', lat: 'abc', lon: 2 },
  { a: 'w', lon: 2 },
  { a: 'v', coord: '3,4' },
  { a: 'u', coord: '3,q' },
  { a: 's', coord: '', lat: 7, lon: 8 },
  { a: 'q', lat: [1, 2], lon: [3] },
  { a: 'p', lat: [1, 2] },
  { a: 'o', coord: ' 3 , 4.25f' },
  { a: 'n', lat: 'NaN', lon: 'Infinity' },
  { a: 'm', lat: true, lon: 1 },
  { a: 'l', lat: 1e10, lon: 1 },
];

const taskOf = (data: readonly object[], dimensionsSpec: object, more: object = {}) => ({
  type: 'index_parallel',
  spec: {
    dataSchema: {
      dataSource: 'places',
      timestampSpec: { column: 't', format: 'millis' },
      dimensionsSpec,
      granularitySpec: { segmentGranularity: 'YEAR', rollup: false },
      ...more,
    },
    ioConfig: {
      type: 'index_parallel',
      inputSource: {
        type: 'inline',
        data: data
          .map((row, hour) => JSON.stringify({ t: Date.UTC(2024, 0, 1, hour), ...row }))
          .join('\n'),
      },
      inputFormat: { type: 'json' },
    },
  },
});

async function started() {
  const { post, ended } = api(await startService());
  return {
    post,
    ended,
    async load(...given: Parameters<typeof taskOf>) {
      const { body } = await post('/svc/indexer/v1/task', taskOf(...given));
      return ended(body.task);
    },
    rows: async (query: string) =>
      (await post('/svc/v2/sql', { query, resultFormat: 'array', header: true })).body,
    async within(bound: object, dimension = 'coord', negated = false) {
      const spatial = { type: 'spatial', dimension, bound };
      const { body } = await post('/svc/v2', {
        queryType: 'scan',
        dataSource: 'places',
        intervals: ['2024/2025'],
        columns: ['a'],
        resultFormat: 'compactedList',
        filter: negated ? { type: 'not', field: spatial } : spatial,
      });
      return body.flatMap(({ events }: { events: string[][] }) => events.flat()).join('');
    },
  };
}

const coord = { type: 'spatial', name: 'coord', dims: ['lat', 'lon'] };

test('a spatial dimension joins the coordinates of its fields, and a spatial filter finds those within a bound', async () => {
  const service = await started();
  await service.load(rows, { dimensions: ['a', coord] });
  expect(await service.rows('SELECT a, coord FROM places')).toEqual([
    ['a', 'coord'],
    ['x', '1,2'],
    ['y', '1.5,2.5'],
    ['z', null],
    ['w', null],
    ['v', '3,4'],
    ['u', null],
    ['s', null],
    ['q', null],
    ['p', '1,2'],
    ['o', ' 3 , 4.25f'],
    ['n', 'NaN,Infinity'],
    ['m', null],
    ['l', '10000000000,1'],
  ]);
  const rectangle = { type: 'rectangular', minCoords: [1, 2], maxCoords: [2, 3] };
  expect(await service.within(rectangle)).toBe('xyp');
  expect(await service.within(rectangle, 'coord', true)).toBe('zwvusqonml');
  expect(await service.within(rectangle, 'missing', true)).toBe('');
  expect(
    await service.within({
      type: 'rectangular',
      minCoords: ['1', '2'],
      maxCoords: ['2', '3'],
      limit: 1,
    }),
  ).toBe('xyp');
  expect(await service.within({ type: 'rectangular', minCoords: [1], maxCoords: [2] })).toBe('');
  expect(
    await service.within({ type: 'rectangular', minCoords: [1, 2, 3], maxCoords: [2, 3, 4] }),
  ).toBe('');
  expect(await service.within({ type: 'radius', coords: [1, 2], radius: 1 })).toBe('xyp');
  expect(await service.within({ type: 'radius', coords: [1, 2] })).toBe('xp');
  expect(await service.within({ type: 'radius', coords: [1, 2, 3], radius: 1 })).toBe('');
  expect(
    await service.within({ type: 'radius', coords: [1, 2], radius: 100, radiusUnit: 'kilometers' }),
  ).toBe('xyp');
  expect(
    await service.within({ type: 'polygon', abscissa: [0, 0, 3, 3], ordinate: [0, 4, 4, 0] }),
  ).toBe('xyvp');
  expect(
    await service.within({ type: 'polygon', abscissa: [0, 3, 1], ordinate: [0, 4, 1.9] }),
  ).toBe('v');
});

test('the fields of a spatial dimension are no other dimensions, and metrics still read them', async () => {
  const service = await started();
  const two = rows.slice(0, 2);
  await service.load(two, {
    dimensions: ['a', 'lat'],
    spatialDimensions: [{ dimName: 'coord', dims: ['lat', 'lon'] }],
  });
  expect(await service.rows('SELECT * FROM places')).toEqual([
    ['__time', 'a', 'lat', 'coord'],
    ['2024-01-01T00:00:00.000Z', 'x', null, '1,2'],
    ['2024-01-01T01:00:00.000Z', 'y', null, '1.5,2.5'],
  ]);
  await service.load(two, { useSchemaDiscovery: true, dimensions: [coord] });
  expect((await service.rows('SELECT * FROM places'))[0]).toEqual(['__time', 'coord', 'a']);
  await service.load(
    [...two, ...two],
    { dimensions: [coord] },
    {
      granularitySpec: { segmentGranularity: 'YEAR', queryGranularity: 'DAY' },
      metricsSpec: [{ type: 'doubleSum', name: 'sum', fieldName: 'lat' }],
    },
  );
  expect(await service.rows('SELECT coord, "sum" FROM places')).toEqual([
    ['coord', 'sum'],
    ['1,2', 2],
    ['1.5,2.5', 3],
  ]);
});

test('a compaction keeps coordinates, and makes a spatial dimension of stored columns', async () => {
  const service = await started();
  await service.load(rows.slice(0, 2), {
    dimensions: ['a', { type: 'double', name: 'lat' }, { type: 'double', name: 'lon' }],
  });
  const compact = {
    type: 'compact',
    dataSource: 'places',
    interval: '2024/2025',
    dimensionsSpec: { dimensions: ['a', coord] },
  };
  await service.ended((await service.post('/svc/indexer/v1/task', compact)).body.task);
  expect((await service.rows('SELECT * FROM places')).slice(1)).toEqual([
    ['2024-01-01T00:00:00.000Z', 'x', '1.0,2.0'],
    ['2024-01-01T01:00:00.000Z', 'y', '1.5,2.5'],
  ]);
});

test.each([
  [
    'a value of three coordinates',
    [{ a: 'x', coord: '1,2,3' }],
    'Spatial dimension [coord] has a value of [3] coordinates, and takes two',
  ],
  [
    'several values in a row',
    [{ a: 'x', coord: ['1,2', '3,4'] }],
    'Spatial dimension [coord] has several values in a row, and takes one',
  ],
])('%s ends the task', async (_, data, reason) => {
  const service = await started();
  expect(await service.load(data, { dimensions: ['a', coord] })).toMatchObject({
    statusCode: 'FAILED',
    errorMsg: reason,
  });
});

test.each([
  [
    { dimensions: [{ type: 'spatial', name: 'coord' }] },
    'a spatial dimension needs the fields of its coordinates in [dims]',
  ],
  [
    { dimensions: ['coord'], spatialDimensions: [{ dimName: 'coord', dims: ['x'] }] },
    'Duplicate column entries found : [coord]',
  ],
  [{ spatialDimensions: [{ dims: ['x'] }] }, 'spatialDimensions[0].dimName]: must not be null'],
])('a spatial dimension is refused: %#', async (dimensionsSpec, reason) => {
  const { post } = await started();
  const { status, body } = await post('/svc/indexer/v1/task', taskOf([], dimensionsSpec));
  expect(status).toBe(400);
  expect(body.error).toContain(reason);
});
