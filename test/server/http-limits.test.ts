// Limits of bodies that are stored, shown or compared: refused while they are read.
import { expect, test } from 'vitest';
import { startService } from '../support/service.ts';
import { api } from '../support/wire.ts';

const times = <T>(length: number, make: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => make(index));
const fields = (length: number) => Object.fromEntries(times(length, (at) => [`property${at}`, 1]));

const compaction = '/svc/coordinator/v1/config/compaction';
const ids = times(190_000, (at) => `wiki_2016-06-27T00:00:00.000Z_2016-06-28T00:00:00.000Z_v${at}`);

test.each<[what: string, limit: string, path: string, body: object]>([
  [
    'a task with 20,000 context parameters',
    'bodyItems',
    '/svc/indexer/v1/task',
    { type: 'noop', context: fields(20_000) },
  ],
  [
    'a task with 20,000 unknown fields',
    'bodyItems',
    '/svc/indexer/v1/task',
    { type: 'noop', more: [fields(20_000)] },
  ],
  [
    'many objects',
    'bodyValues',
    '/svc/indexer/v1/task',
    { type: 'noop', more: times(40, () => fields(2000)) },
  ],
  [
    '20,000 ids of tasks',
    'bodyItems',
    '/svc/indexer/v1/taskStatus',
    times(20_000, (at) => `task${at}`),
  ],
  [
    'a supervisor with a long text',
    'documentBytes',
    '/svc/indexer/v1/supervisor',
    { type: 'noop', id: 'a', more: 'x'.repeat(3_000_000) },
  ],
  [
    'a compaction configuration',
    'documentBytes',
    compaction,
    { dataSource: 'a', taskContext: { a: 'x'.repeat(3_000_000) } },
  ],
])('%s: [%s] is exceeded', async (_, limit, path, body) => {
  const { status, text } = await api(await startService()).post(path, body);
  expect(status).toBe(400);
  expect(text).toContain(`Limit [${limit}] exceeded in [body]`);
});

test('a task with long rows, and a long list of segments, are within the limits', async () => {
  const { post } = api(await startService());
  const inputSource = { type: 'inline', data: '{"a":1}\n'.repeat(400_000) };
  const spec = {
    dataSchema: {
      dataSource: 'a',
      timestampSpec: { column: 't', missingValue: '2024-01-01T00:00:00Z' },
      dimensionsSpec: {},
    },
    ioConfig: { type: 'index_parallel', inputSource, inputFormat: { type: 'json' } },
  };
  expect((await post('/svc/indexer/v1/task', { type: 'index_parallel', spec })).status).toBe(200);
  expect(
    (await post('/svc/coordinator/v1/datasources/wiki/markUnused', { segmentIds: ids })).status,
  ).toBe(204);
});
