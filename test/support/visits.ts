// A small datasource with every kind of column, loaded by a task: three days, one segment each.
import { afterAll, beforeAll } from 'vitest';
import { type Service, startServer } from '../../src/server/server.ts';
import { api } from './wire.ts';

const rows = [
  {
    t: '2020-01-01T00:00:00.000Z',
    city: 'Paris',
    tags: ['a', 'b'],
    n: 1,
    x: 1.5,
    f: 0.25,
    arr: ['p', 'q'],
    doc: { k: 1, s: 'v' },
  },
  {
    t: '2020-01-01T03:30:00.000Z',
    city: 'Lima',
    tags: ['b'],
    n: 2,
    x: -2,
    f: 0.1,
    arr: ['q'],
    doc: { k: 2 },
  },
  {
    t: '2020-01-01T12:00:00.000Z',
    city: null,
    tags: [],
    n: null,
    x: null,
    f: null,
    arr: null,
    doc: null,
  },
  {
    t: '2020-01-02T01:00:00.000Z',
    city: 'Paris',
    tags: ['c', 'a'],
    n: 30,
    x: 0.1,
    f: 7,
    arr: [],
    doc: { k: 3 },
  },
  {
    t: '2020-01-02T18:00:00.000Z',
    city: 'Oslo',
    tags: ['a', 'a'],
    n: 4,
    x: 1e7,
    f: 3.5,
    arr: ['p'],
    doc: [1],
  },
  {
    t: '2020-01-03T10:00:00.000Z',
    city: 'Lima',
    tags: ['d'],
    n: 5,
    x: 8.25,
    f: 8.25,
    arr: ['r'],
    doc: 'text',
  },
];

/** Loads the datasource `visits`. */
export async function loadVisits(service: Service): Promise<void> {
  const { post, ended } = api(service);
  const { body } = await post('/svc/indexer/v1/task', {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'visits',
        timestampSpec: { column: 't', format: 'iso' },
        dimensionsSpec: {
          dimensions: [
            'city',
            'tags',
            { type: 'long', name: 'n' },
            { type: 'double', name: 'x' },
            { type: 'float', name: 'f' },
            { type: 'auto', name: 'arr' },
            { type: 'json', name: 'doc' },
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
  const { statusCode } = await ended(body.task);
  if (statusCode !== 'SUCCESS') throw new Error(`Loading visits ended as ${statusCode}`);
}

/** A service with the visits for all tests of a file. Requested when they run. */
export function visitsService(): () => Service {
  let service: Service;
  beforeAll(async () => {
    service = await startServer({ port: 0 });
    await loadVisits(service);
  });
  afterAll(() => service.close());
  return () => service;
}
