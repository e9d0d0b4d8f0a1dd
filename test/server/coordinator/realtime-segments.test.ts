// Rows of streams that nobody has published yet, as the Coordinator lists their segments.
import { expect, test } from 'vitest';
import { dialectOf } from '../../../src/model/dialect.ts';
import { metadataRoutes } from '../../../src/server/coordinator/metadata-routes.ts';
import { RealtimeRows } from '../../../src/server/segments/realtime-rows.ts';
import { storedSegments } from '../../../src/server/segments/served-segments.ts';
import { startServer } from '../../../src/server/server.ts';
import { insertSegments } from '../../../src/server/storage/segments.ts';
import { column, temporaryStorage } from '../../support/storage.ts';

const interval = { start: 0, end: 3_600_000 };
const columns = [column('page', 'STRING')];

/**
 * A datasource with a published segment, another with rows of a stream alone, and how the
 * Coordinator lists them.
 */
async function withStream(knowsSchemas: boolean) {
  const storage = await temporaryStorage();
  const shape = {
    interval,
    version: 'v1',
    shardSpec: { type: 'numbered' as const, partitionNum: 0, partitions: 0 },
  };
  const published = {
    ...shape,
    dataSource: 'wiki',
    partitionNum: 0,
    sizeBytes: 9,
    numRows: 3,
    path: 'segments/wiki',
    columns,
  };
  storage.metadata.transaction((tx) => {
    const rest = {
      dimensions: ['page'],
      metrics: [],
      lastCompactionState: undefined,
      ingestion: undefined,
    };
    insertSegments(tx, [{ ...published, ...rest }], 0);
  });
  const realtime = new RealtimeRows();
  const file = {
    file: '/rows.parquet',
    columns,
    sizeBytes: 1,
    numRows: 7,
    interval,
    rowsOf: new Map([[0, 7]]),
  };
  realtime.add({
    dataSource: 'edits',
    dimensions: ['page'],
    metrics: [],
    placeOf: () => ({ ...shape, partitionNum: 0 }),
    replica: { group: {}, number: 0, progress: () => 0 },
    files: [file],
  });
  const routes = metadataRoutes(
    storage,
    storedSegments(storage) as never,
    dialectOf('svc'),
    knowsSchemas ? realtime : undefined,
    () => 0,
  );
  return (query: object, may = (_: string, _name: string) => true) => {
    const pieces = routes.segments({ query, caller: { may } } as never) as unknown as {
      text(): Iterable<string>;
    };
    return JSON.parse([...pieces.text()].join('')) as object[];
  };
}

const withBoth = { includeOvershadowedStatus: true, includeRealtimeSegments: true };
const wiki = expect.objectContaining({ dataSource: 'wiki', realtime: false, numRows: 3 });
const edits = expect.objectContaining({
  dataSource: 'edits',
  identifier: expect.stringMatching(/^edits_1970-01-01T00:00:00.000Z_1970-01-01T01:00:00.000Z_v1/),
  loadSpec: {},
  overshadowed: false,
  replicationFactor: null,
  realtime: true,
  numRows: 7,
});

test('segments of streams are listed with includeRealtimeSegments, to those who may read them', async () => {
  const list = await withStream(true);
  expect(list(withBoth)).toEqual([edits, wiki]);
  expect(list({ ...withBoth, datasources: ['edits'] })).toEqual([edits]);
  expect(list({ includeOvershadowedStatus: true })).toEqual([wiki]);
  expect(list(withBoth, (_, name) => name === 'wiki')).toEqual([wiki]);
});

test('without property centralizedDatasourceSchema.enabled the Coordinator does not know them', async () => {
  const list = await withStream(false);
  expect(list(withBoth)).toEqual([wiki]);
  const wrong = startServer({
    port: 0,
    properties: { 'svc.centralizedDatasourceSchema.enabled': 'maybe' },
  });
  await expect(wrong).rejects.toThrow('[svc.centralizedDatasourceSchema.enabled]');
});
