// Native queries over a small datasource, with the replies of a real 33.0.0 that had the same rows
// (recorded-native-queries.json).
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startServer } from '../../../src/server/server.ts';
import { api } from '../../support/wire.ts';

const rows = [
  {
    t: '2020-01-01T00:00:00Z',
    s: 'a',
    m: ['x', 'y'],
    n: 1,
    d: 1.5,
    f: 0.5,
    v: '2',
    x: '10,20',
    arr: [1, 2],
  },
  {
    t: '2020-01-01T01:00:00Z',
    s: 'b',
    m: ['y'],
    n: 2,
    d: -2.5,
    f: 1.25,
    v: '10',
    x: '1,1',
    arr: [3],
  },
  {
    t: '2020-01-01T03:30:00Z',
    s: null,
    m: null,
    n: null,
    d: null,
    f: null,
    v: '1.5',
    x: null,
    arr: null,
  },
  {
    t: '2020-01-02T00:00:00Z',
    s: 'A',
    m: ['x', 'z'],
    n: 10,
    d: 0,
    f: 3,
    v: 'abc',
    x: '5,5',
    arr: [],
  },
  {
    t: '2020-01-02T12:00:00Z',
    s: '',
    m: [],
    n: -5,
    d: 100.25,
    f: -1,
    v: null,
    x: '0,0',
    arr: [1, null],
  },
  {
    t: '2020-01-04T00:00:00Z',
    s: 'abc',
    m: ['z', 'z', 'q'],
    n: 7,
    d: 7,
    f: 7.5,
    v: 'v10',
    x: '9.5,9.5',
    arr: [2],
  },
  {
    t: '2020-01-04T00:00:00.500Z',
    s: 'b',
    m: 'p',
    n: 3,
    d: 1e20,
    f: 1e10,
    v: 'v9',
    x: '-3,4',
    arr: [9],
  },
];

let service: Service;
beforeAll(async () => {
  service = await startServer({ port: 0 });
  const { post, ended } = api(service);
  const numbers = [
    { type: 'long', name: 'n' },
    { type: 'double', name: 'd' },
    { type: 'float', name: 'f' },
  ];
  const { body } = await post('/svc/indexer/v1/task', {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'rows',
        timestampSpec: { column: 't', format: 'iso' },
        dimensionsSpec: {
          dimensions: ['s', 'm', ...numbers, 'v', 'x', { type: 'auto', name: 'arr' }],
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
  expect((await ended(body.task)).statusCode).toBe('SUCCESS');
});
afterAll(() => service.close());

type Query = Readonly<Record<string, unknown>>;
type Reply = { readonly status: number } | { readonly body: unknown };

const recorded: readonly (readonly [Query, Reply])[] = JSON.parse(
  readFileSync(new URL('recorded-native-queries.json', import.meta.url), 'utf8'),
);

// Rows of a scan and of groupBy without what is around them: ids of segments differ from cluster to
// cluster.
function plain(
  queryType: unknown,
  body: readonly { readonly events: unknown[]; readonly event: unknown }[],
): unknown {
  if (queryType === 'scan') return body.flatMap(({ events }) => events);
  return queryType === 'groupBy' ? body.map(({ event }) => event) : body;
}

// Fifteen digits are the same number.
const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, part) =>
    typeof part === 'number' ? Number(part.toPrecision(12)) : part,
  );

test.each(['topN', 'search', 'timeseries', 'groupBy', 'scan'])(
  '%s answers as a real cluster did',
  async (queryType) => {
    const { post } = api(service);
    const asked = recorded.filter(([query]) => query.queryType === queryType);
    expect(asked.length).toBeGreaterThan(9);
    for (const [query, wanted] of asked) {
      const sent = {
        dataSource: 'rows',
        intervals: ['2020-01-01/2020-01-05'],
        granularity: 'all',
        ...query,
      };
      const { status, body } = await post('/svc/v2/', sent);
      const got = status === 200 ? { body: plain(queryType, body) } : { status };
      expect(rounded({ query, ...got })).toEqual(rounded({ query, ...wanted }));
    }
  },
);
