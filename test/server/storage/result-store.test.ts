import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { StoredResult } from '../../../src/server/storage/statement-results.ts';
import type { Storage } from '../../../src/server/storage/storage.ts';
import { insertTask } from '../../../src/server/storage/tasks.ts';
import { temporaryStorage } from '../../support/storage.ts';

const result = (queryId: string): StoredResult => ({
  queryId,
  createdMs: 5,
  identity: 'me',
  columns: [{ name: 'n', type: { name: 'BIGINT' }, nativeType: 'LONG' }],
  pages: [{ id: 0, numRows: 1, sizeInBytes: 4 }],
  numRows: 1,
  sizeBytes: 4,
  sample: '[[1]]',
});

async function staged({ segments }: Storage, taskId: string): Promise<string> {
  const file = join(await segments.makeStagingFolder(taskId), 'result.parquet');
  writeFileSync(file, 'rows');
  return file;
}

const addTask = ({ metadata }: Storage, id: string) =>
  insertTask(
    metadata,
    {
      id,
      groupId: id,
      type: 'query_controller',
      dataSource: '__query_select',
      createdMs: 5,
      queuedMs: 5,
      priority: 50,
      status: 'SUCCESS',
      runnerStatus: 'NONE',
      durationMs: 1,
      errorMsg: undefined,
      location: undefined,
    },
    {},
  );

test('a kept result is known with its file; when the task may not succeed, neither is there', async () => {
  const storage = await temporaryStorage();
  const { results } = storage;
  await results.keep(result('query-1'), await staged(storage, 'query-1'), () => undefined);
  expect(results.find('query-1')).toEqual(result('query-1'));
  expect(existsSync(results.fileOf('query-1'))).toBe(true);
  const stopped = results.keep(result('query-2'), await staged(storage, 'query-2'), () => {
    throw new Error('The task was stopped');
  });
  await expect(stopped).rejects.toThrow('The task was stopped');
  expect([results.find('query-2'), existsSync(results.fileOf('query-2'))]).toEqual([
    undefined,
    false,
  ]);
});

test('results go with their task, and files that nobody knows go, too', async () => {
  const storage = await temporaryStorage();
  const { results, folder } = storage;
  addTask(storage, 'query-there');
  for (const id of ['query-there', 'query-gone'])
    await results.keep(result(id), await staged(storage, id), () => undefined);
  writeFileSync(join(folder.results, 'query-lost.parquet'), 'rows');
  await results.removeStray();
  expect(readdirSync(folder.results)).toEqual(['query-there.parquet']);
  expect([results.find('query-there')?.numRows, results.find('query-gone')]).toEqual([
    1,
    undefined,
  ]);
});
