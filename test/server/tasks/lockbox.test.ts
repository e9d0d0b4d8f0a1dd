import { expect, test } from 'vitest';
import { parseInterval } from '../../../src/model/interval.ts';
import { openMetadata } from '../../../src/server/storage/metadata.ts';
import { Lockbox, type LockRequest } from '../../../src/server/tasks/lockbox.ts';

const request = (
  taskId: string,
  interval: string,
  rest: Partial<LockRequest> = {},
): LockRequest => ({
  taskId,
  groupId: taskId,
  dataSource: 'wiki',
  interval: parseInterval(interval),
  type: 'EXCLUSIVE',
  priority: 50,
  ...rest,
});

test('overlapping time chunks of a datasource are written by one task at a time', () => {
  const lockbox = new Lockbox(openMetadata(':memory:'), () => 0);
  expect(lockbox.take([request('a', '2024-01-01/2024-01-03')])).toHaveLength(1);
  expect(lockbox.take([request('b', '2024-01-02/2024-01-04')])).toBeUndefined();
  expect(lockbox.take([request('b', '2024-01-03/2024-01-04')])).toHaveLength(1);
  expect(
    lockbox.take([request('c', '2024-01-02/2024-01-04', { dataSource: 'other' })]),
  ).toHaveLength(1);
  expect(lockbox.take([request('d', '2024-01-01/2024-01-02', { groupId: 'a' })])).toHaveLength(1);
});

test('all locks of a request are taken, or none', () => {
  const lockbox = new Lockbox(openMetadata(':memory:'), () => 0);
  lockbox.take([request('a', '2024-01-02/2024-01-03')]);
  expect(
    lockbox.take([request('b', '2024-01-01/2024-01-02'), request('b', '2024-01-02/2024-01-03')]),
  ).toBeUndefined();
  expect(lockbox.list({ taskId: 'b' })).toEqual([]);
});

test('a task of higher priority takes a lock over, and the one that had it finds out', () => {
  const metadata = openMetadata(':memory:');
  const lockbox = new Lockbox(metadata, () => 0);
  lockbox.take([request('low', '2024-01-01/2024-01-02', { priority: 25 })]);
  expect(lockbox.take([request('high', '2024-01-01/2024-01-02', { priority: 75 })])).toHaveLength(
    1,
  );
  expect(lockbox.holdsAll(metadata, 'low')).toBe(false);
  expect(lockbox.holdsAll(metadata, 'high')).toBe(true);
});

test('appends go together, and with one replacement of all they add to; they have the oldest version there is', () => {
  const lockbox = new Lockbox(openMetadata(':memory:'), () => Date.parse('2024-05-01'));
  const one = lockbox.take([request('a', '2024-01-01/2024-01-02', { type: 'APPEND' })]);
  const two = lockbox.take([request('b', '2024-01-01/2024-01-02', { type: 'APPEND' })]);
  const three = lockbox.take([request('c', '2024-01-01/2024-01-02', { type: 'REPLACE' })]);
  expect(
    lockbox.take([request('d', '2024-01-01/2024-01-02', { type: 'REPLACE' })]),
  ).toBeUndefined();
  expect(lockbox.take([request('e', '2024-01-01/2024-01-03', { type: 'APPEND' })])).toBeUndefined();
  expect(
    lockbox.take([request('f', '2024-01-01T00/2024-01-01T01', { type: 'SHARED' })]),
  ).toBeUndefined();
  expect([one, two, three].map((locks) => locks?.[0]?.version)).toEqual([
    '1970-01-01T00:00:00.000Z',
    '1970-01-01T00:00:00.000Z',
    '2024-05-01T00:00:00.000Z',
  ]);
});

test('a replacement of a part takes over what is appended to the whole, when its priority is higher', () => {
  const metadata = openMetadata(':memory:');
  const lockbox = new Lockbox(metadata, () => 0);
  lockbox.take([request('day', '2024-01-01/2024-01-02', { type: 'APPEND', priority: 50 })]);
  lockbox.take([request('hour', '2024-01-01T03/2024-01-01T04', { type: 'APPEND', priority: 50 })]);
  const part = request('part', '2024-01-01T03/2024-01-01T04', { type: 'REPLACE', priority: 50 });
  expect(lockbox.take([part])).toBeUndefined();
  expect(lockbox.take([{ ...part, priority: 51 }])).toHaveLength(1);
  expect(['day', 'hour', 'part'].map((task) => lockbox.holdsAll(metadata, task))).toEqual([
    false,
    true,
    true,
  ]);
});

test('versions grow even when the clock stands still', () => {
  const lockbox = new Lockbox(openMetadata(':memory:'), () => Date.parse('2024-05-01'));
  const [one, two] = ['a', 'b'].map((task) =>
    lockbox.take([request(task, '2024-01-01/2024-01-02', { type: 'SHARED' })]),
  );
  expect([one, two].map((locks) => locks?.[0]?.version)).toEqual([
    '2024-05-01T00:00:00.000Z',
    '2024-05-01T00:00:00.001Z',
  ]);
});

test('who waits for a lock gets it when it is given back, or gives up when told to', async () => {
  const metadata = openMetadata(':memory:');
  const lockbox = new Lockbox(metadata, () => 0);
  lockbox.take([request('a', '2024-01-01/2024-01-02')]);
  const waiting = lockbox.wait(
    [request('b', '2024-01-01/2024-01-02')],
    new AbortController().signal,
  );
  const stop = new AbortController();
  const stopped = lockbox.wait([request('c', '2024-01-01/2024-01-02')], stop.signal);
  stop.abort(new Error('enough'));
  await expect(stopped).rejects.toThrow('enough');
  lockbox.release(metadata, 'a');
  lockbox.notifyWaiting();
  expect(await waiting).toHaveLength(1);
});
