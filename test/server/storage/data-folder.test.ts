import { existsSync } from 'node:fs';
import { chmod, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { setConfig } from '../../../src/server/storage/config.ts';
import { migrations } from '../../../src/server/storage/migrations/index.ts';
import { openStorage } from '../../../src/server/storage/storage.ts';
import { built, runChild } from '../../support/child.ts';
import { temporaryFolder } from '../../support/storage.ts';

test('a folder in use is refused with its name and the process; closed, it opens again', async () => {
  const folder = await temporaryFolder();
  const storage = openStorage(folder);
  expect(() => openStorage(folder)).toThrow(
    `The data folder [${folder}] is in use by process [${process.pid}].`,
  );
  const child = await built('test/server/storage/publish-child.ts');
  expect(await runChild(child.path, [folder, 'publish', '1', '1'], {})).toMatchObject({
    lines: [],
    code: 1,
  });
  await storage.close();
  expect(await runChild(child.path, [folder, 'publish', '1', '1'], {})).toMatchObject({
    lines: ['1'],
    code: 0,
  });
  await child.remove();
});

test('files with data are for their owner only, whatever the umask, the folder and those that are there', async () => {
  const folder = await temporaryFolder();
  await chmod(folder, 0o755);
  await openStorage(folder).close();
  const modes = async () => {
    const entries = await readdir(folder, { withFileTypes: true });
    const found = entries.map(async (entry) => [
      entry.name,
      ((await stat(join(folder, entry.name))).mode & 0o777).toString(8),
    ]);
    return Object.fromEntries(await Promise.all(found));
  };
  for (const name of ['metadata.sqlite', 'lock.sqlite']) await chmod(join(folder, name), 0o666);
  for (const name of ['segments', 'task-logs', 'results']) await chmod(join(folder, name), 0o777);
  const umask = process.umask(0);
  onTestFinished(() => void process.umask(umask));
  const storage = openStorage(folder);
  setConfig(storage.metadata, 'kept', { a: 1 });
  await storage.folder.cleaned;
  const all = await modes();
  expect(Object.keys(all)).toEqual(
    expect.arrayContaining([
      'metadata.sqlite-wal',
      'metadata.sqlite-shm',
      'pid',
      'spill',
      'staging',
    ]),
  );
  for (const [name, mode] of Object.entries(all))
    expect([name, mode]).toEqual([
      name,
      name.includes('.sqlite') || name === 'pid' ? '600' : '700',
    ]);
  expect(((await stat(folder)).mode & 0o777).toString(8)).toBe('755'); // whoever made it decides
  await storage.close();
});

test('a process id left by a killed process is not an obstacle', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'pid'), `${process.ppid}\n`);
  await openStorage(folder).close();
});

test('a temporary folder is gone after closing', async () => {
  const storage = openStorage();
  const { path } = storage.folder;
  expect(existsSync(path)).toBe(true);
  await storage.close();
  expect(existsSync(path)).toBe(false);
});

test('a store of a newer format is refused and left as it is', async () => {
  const folder = await temporaryFolder();
  const storage = openStorage(folder);
  setConfig(storage.metadata, 'kept', { a: 1 });
  await storage.close();
  const database = new DatabaseSync(join(folder, 'metadata.sqlite'));
  database.exec(`PRAGMA user_version = ${migrations.length + 1}`);
  database.close();
  const message = `has format [${migrations.length + 1}], written by a newer version; this version reads up to [${migrations.length}]`;
  expect(() => openStorage(folder)).toThrow(message);
  expect(() => openStorage(folder)).toThrow(message); // and not: in use
});

test('a folder that cannot be made says why', () => {
  expect(() => openStorage('/dev/null/data')).toThrow(
    'The data folder [/dev/null/data] cannot be written',
  );
});
