// The times of stored rows and their segments; what is expected is what the real engine answered.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

const days = [0, 1, 2, 3].map((at) => ({ t: `2024-01-0${1 + (at >> 1)}T0${at}:00:00Z`, n: at }));

async function loaded(granularitySpec: object, rows: readonly object[] = days, format = 'auto') {
  const { get, post, ended } = api(await startService());
  const { body } = await post('/svc/indexer/v1/task', {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'times',
        timestampSpec: { column: 't', format },
        dimensionsSpec: { dimensions: [{ type: 'long', name: 'n' }] },
        granularitySpec: { segmentGranularity: 'DAY', rollup: false, ...granularitySpec },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'inline', data: rows.map((row) => JSON.stringify(row)).join('\n') },
        inputFormat: { type: 'json' },
      },
    },
  });
  await ended(body.task);
  const query = 'SELECT __time, n FROM times ORDER BY __time';
  const found = await post('/svc/v2/sql', { query, resultFormat: 'array' });
  const segments = await get('/svc/coordinator/v1/metadata/segments');
  return {
    rows: found.body,
    intervals: segments.body.map(({ interval }: { interval: string }) => interval),
  };
}

test('a truncated time is not before the time chunk of its row', async () => {
  const { rows } = await loaded({ queryGranularity: 'MONTH' });
  expect(rows).toEqual([
    ['2024-01-01T00:00:00.000Z', 0],
    ['2024-01-01T00:00:00.000Z', 1],
    ['2024-01-02T00:00:00.000Z', 2],
    ['2024-01-02T00:00:00.000Z', 3],
  ]);
});

test('intervals select whole time chunks', async () => {
  const { rows } = await loaded({ intervals: ['2024-01-02T05:00/2024-01-02T06:00'] });
  expect(rows).toEqual([
    ['2024-01-02T02:00:00.000Z', 2],
    ['2024-01-02T03:00:00.000Z', 3],
  ]);
});

test('transforms and filters see times of rare forms', async () => {
  const { post, ended } = api(await startService());
  const lines = ['2015-09-12T01:02:03', '2015-W37', '2014-W01', 'never'].map((t) => ({ t }));
  const spec = {
    dataSchema: {
      dataSource: 'weeks',
      timestampSpec: { column: 't', format: 'auto' },
      dimensionsSpec: { dimensions: ['shown', { type: 'long', name: 'after' }] },
      granularitySpec: { segmentGranularity: 'YEAR', rollup: false },
      transformSpec: {
        filter: { type: 'interval', dimension: '__time', intervals: ['2015/2016'] },
        transforms: [
          { type: 'expression', name: 'shown', expression: 'timestamp_format(__time)' },
          { type: 'expression', name: 'after', expression: '__time + 1' },
        ],
      },
    },
    ioConfig: {
      type: 'index',
      inputSource: { type: 'inline', data: lines.map((row) => JSON.stringify(row)).join('\n') },
      inputFormat: { type: 'json' },
    },
    tuningConfig: { type: 'index' },
  };
  const sampled = await post('/svc/indexer/v1/sampler', { type: 'index', spec });
  const week = { shown: '2015-09-07T00:00:00.000Z', after: 1_441_584_000_001 };
  const second = { shown: '2015-09-12T01:02:03.000Z', after: 1_442_019_723_001 };
  const parsed = sampled.body.data.flatMap((row: { parsed: object }) => row.parsed ?? []);
  expect(parsed).toMatchObject([second, week]);
  const { body } = await post('/svc/indexer/v1/task', { type: 'index', spec });
  expect(await ended(body.task)).toMatchObject({ statusCode: 'SUCCESS' });
  const query = 'SELECT shown, "after" FROM weeks ORDER BY __time';
  expect((await post('/svc/v2/sql', { query })).body).toEqual([week, second]);
});

test('with the granularity ALL, the intervals are the time chunks', async () => {
  const { rows, intervals } = await loaded({
    segmentGranularity: 'ALL',
    intervals: ['2024-01-01/2024-01-02'],
  });
  expect(rows.map(([, n]: unknown[]) => n)).toEqual([0, 1]);
  expect(intervals).toEqual(['2024-01-01T00:00:00.000Z/2024-01-02T00:00:00.000Z']);
});

test('numbers may have a sign, and few digits in ISO 8601 are a year', async () => {
  const signed = [{ t: '+7', n: 0 }];
  expect((await loaded({}, signed, 'posix')).rows).toEqual([['1970-01-01T00:00:07.000Z', 0]]);
  const years = [
    { t: 2024, n: 0 },
    { t: 1704067200000, n: 1 },
  ];
  expect((await loaded({}, years, 'iso')).rows).toEqual([
    ['2024-01-01T00:00:00.000Z', 0],
    ['2024-01-01T00:00:00.000Z', 1],
  ]);
});

const tooFar = ['9223372036854775807', 1e20, '99999999999999999999'];

test.each<[format: string, unreadable: unknown[], readable: unknown[], time: string]>([
  ['auto', ['t', 'T', 'T10:00', 'TZ', ...tooFar], ['1970-01-01T10'], '1970-01-01T10:00:00.000Z'],
  ['iso', ['t', ...tooFar, 36000000000.75], ['T10', 'T10:00Z'], '1970-01-01T10:00:00.000Z'],
  ['posix', ['1704067200123456789', ...tooFar], ['+36000', 36000.9], '1970-01-01T10:00:00.000Z'],
  ['ruby', ['0x10', 'x', ...tooFar], ['3.6e4', '36000d', 36000], '1970-01-01T10:00:00.000Z'],
  ['yyyy', [2024.5], [2024, '2024'], '2024-01-01T00:00:00.000Z'],
])(
  'only rows whose times cannot be read are left out: %s, %j',
  async (format, unreadable, readable, time) => {
    const given = [...unreadable, ...readable].map((t, n) => ({ t, n }));
    const { rows } = await loaded({}, given, format);
    expect(rows).toEqual(readable.map((_, index) => [time, unreadable.length + index]));
  },
);
