// Native queries over many segments: what is asked of each of them stays bounded.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startServer } from '../../../src/server/server.ts';
import { loadVisits } from '../../support/visits.ts';
import { api } from '../../support/wire.ts';

let service: Service;
const columns = [...'abcdefghijkl'];
const days = 120;

beforeAll(async () => {
  service = await startServer({ port: 0 });
  const row = (day: number) => ({
    t: new Date(Date.UTC(2024, 0, 1 + day)).toISOString(),
    ...Object.fromEntries(columns.map((column) => [column, day === 0 ? null : `${column}1`])),
  });
  const wire = api(service);
  const { body } = await wire.post('/svc/indexer/v1/task', {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'days',
        timestampSpec: { column: 't' },
        dimensionsSpec: { dimensions: columns },
        granularitySpec: { segmentGranularity: 'DAY', rollup: false },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: {
          type: 'inline',
          data: Array.from({ length: days }, (_, day) => JSON.stringify(row(day))).join('\n'),
        },
        inputFormat: { type: 'json' },
      },
    },
  });
  await wire.ended(body.task);
});
afterAll(() => service.close());

const asked = async (query: Readonly<Record<string, unknown>>) =>
  (
    await api(service).post('/svc/v2/', {
      dataSource: 'days',
      intervals: ['2024/2025'],
      granularity: 'all',
      ...query,
    })
  ).body;

// A question to each segment for each column would make a plan that never ends.
test('a search of all columns in many segments', async () => {
  const [{ result }] = await asked({
    queryType: 'search',
    query: { type: 'contains', value: '1' },
  });
  expect(result).toEqual(
    columns.map((dimension) => ({ dimension, value: `${dimension}1`, count: days - 1 })),
  );
});

test('a number of a text in many segments', async () => {
  const [{ result }] = await asked({
    queryType: 'timeseries',
    aggregations: [{ type: 'longFirst', fieldName: 'a', name: 'first' }],
    context: { vectorize: 'false' },
  });
  expect(result).toEqual({ first: 0 });
});

test('segmentMetadata analyzes the last week of each datasource, in the order of ids', async () => {
  await loadVisits(service);
  const analyses: { id: string; numRows: number }[] = await asked({
    queryType: 'segmentMetadata',
    dataSource: { type: 'union', dataSources: ['visits', 'days'] },
    intervals: undefined,
    toInclude: { type: 'none' },
  });
  const ids = analyses.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted());
  expect(analyses.map(({ numRows }) => numRows)).toEqual([1, 1, 1, 1, 1, 1, 1, 3, 2, 1]);
});
