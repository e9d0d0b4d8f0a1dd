import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import { deleteLookup, findLookupState, setLookup } from '../../../src/server/storage/lookups.ts';
import { openMetadata } from '../../../src/server/storage/metadata.ts';
import { migrations } from '../../../src/server/storage/migrations/index.ts';
import { temporaryFolder, temporaryStorage } from '../../support/storage.ts';

const large = { tier: '__default', name: 'large' };
const pairs = (value: string) =>
  Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`key${at}`, value]));
const spec = (map: object) =>
  JSON.stringify({ version: 'v1', lookupExtractorFactory: { type: 'map', map } });

test('the file of a large lookup is made once for each change, and stays while a query that began before reads it', async () => {
  const { metadata, lookupFiles, folder } = await temporaryStorage();
  setLookup(metadata, large, spec(pairs('old')));
  const letGo = lookupFiles.hold();
  const old = lookupFiles.find('large')?.path ?? '';
  expect(lookupFiles.find('large')?.path).toBe(old);
  expect(JSON.parse(readFileSync(old, 'utf8'))).toEqual(pairs('old'));
  setLookup(metadata, large, spec(pairs('new')));
  lookupFiles.removeStale();
  const fresh = lookupFiles.find('large')?.path ?? '';
  expect(JSON.parse(readFileSync(fresh, 'utf8'))).toEqual(pairs('new'));
  expect(existsSync(old)).toBe(true);
  letGo();
  expect(existsSync(old)).toBe(false);
  deleteLookup(metadata, large);
  lookupFiles.removeStale();
  expect(readdirSync(folder.lookups)).toEqual([]);
  expect(lookupFiles.find('large')).toBeUndefined();
});

test('a lookup that is deleted and set again is not answered from the file of the first one', async () => {
  const { metadata, lookupFiles } = await temporaryStorage();
  setLookup(metadata, large, spec(pairs('first')));
  lookupFiles.find('large');
  deleteLookup(metadata, large);
  setLookup(metadata, large, spec(pairs('second')));
  expect(JSON.parse(readFileSync(lookupFiles.find('large')?.path ?? '', 'utf8'))).toEqual(
    pairs('second'),
  );
});

test('small lookups and lookups that nodes would fetch have no file', async () => {
  const { metadata, lookupFiles, folder } = await temporaryStorage();
  setLookup(metadata, { tier: '__default', name: 'small' }, spec({ a: 'b' }));
  const fetched = { type: 'kafka', kafkaTopic: 'x'.repeat(100_000) };
  setLookup(
    metadata,
    { tier: '__default', name: 'fetched' },
    JSON.stringify({ lookupExtractorFactory: fetched }),
  );
  expect(['small', 'fetched', 'none'].map((name) => lookupFiles.find(name))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(readdirSync(folder.lookups)).toEqual([]);
});

test('half characters, which the JSON of a file cannot have, are replaced in it as they are in the contents', async () => {
  const { metadata, lookupFiles } = await temporaryStorage();
  const filler = pairs('x');
  const texts = {
    '\ud83d': '\ufffd',
    '\udc00': '\ufffd',
    '\ud83d\\udc00': '\ufffd\\udc00',
    '\\ud83d\udc00': '\\ud83d\ufffd',
    '\ud83d\ude00': '\ud83d\ude00',
  };
  for (const [text, shown] of Object.entries(texts)) {
    setLookup(metadata, large, spec({ ...filler, odd: text }));
    const { odd } = JSON.parse(readFileSync(lookupFiles.find('large')?.path ?? '', 'utf8'));
    expect(odd.replace(/\ufffd+/g, '\ufffd')).toBe(shown);
  }
});

test('lookups of a folder from before they had revisions have one after the upgrade', async () => {
  const path = join(await temporaryFolder(), 'metadata.sqlite');
  const before = new DatabaseSync(path);
  before.exec([...migrations.slice(0, 5), 'PRAGMA user_version = 5'].join(';\n'));
  before.exec(`INSERT INTO lookups VALUES ('__default', 'large', '${spec({ a: 'b' })}')`);
  before.close();
  const metadata = openMetadata(path);
  expect(findLookupState(metadata, large)).toEqual({
    revision: 1,
    sizeBytes: spec({ a: 'b' }).length,
  });
  metadata.close();
});
