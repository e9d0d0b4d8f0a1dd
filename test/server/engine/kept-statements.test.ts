// Statements that stay prepared for the next request with the same text.
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tableIn, tableWriter } from '../../../src/server/engine/attached-tables.ts';
import { openDatabase } from '../../../src/server/engine/duckdb.ts';
import type { Engine } from '../../../src/server/engine/engine.ts';
import { KeptStatements } from '../../../src/server/engine/kept-statements.ts';
import { engineFor, temporaryFolder, temporaryStorage } from '../../support/storage.ts';

test('a statement that is asked again gives the same rows, whatever its filters learned before', async () => {
  const { engine, add } = await engineWithTables();
  await add(
    'edits',
    'n BIGINT, k BIGINT',
    'SELECT i::BIGINT AS n, (i * 7919 % 60013)::BIGINT AS k FROM range(60013) r(i)',
  );
  const edits = tableIn('edits');
  for (const sql of [
    `SELECT count(*) FROM ${edits}`,
    `SELECT n, k FROM ${edits} ORDER BY k DESC LIMIT 5`,
    `SELECT n, k FROM ${edits} WHERE k >= (SELECT min(k) FROM (SELECT k FROM ${edits} ORDER BY k DESC LIMIT 3)) ORDER BY k DESC LIMIT 3`,
    `SELECT one.n FROM ${edits} one JOIN (SELECT k FROM ${edits} WHERE k % 20000 = 7) other ON one.n = other.k ORDER BY 1`,
    `SELECT k % 10, count(*), sum(n)::BIGINT FROM ${edits} GROUP BY 1 ORDER BY 1`,
  ]) {
    const first = await rowsOf(engine, sql);
    expect(first.length).toBeGreaterThan(0);
    for (let again = 0; again < 4; again++) expect(await rowsOf(engine, sql)).toEqual(first);
    // Requests at the same time do not share a statement
    const many = await Promise.all(Array.from({ length: 5 }, () => rowsOf(engine, sql)));
    for (const rows of many) expect(rows).toEqual(first);
  }
});

test('a kept statement reads the tables as they are now', async () => {
  const { engine, add } = await engineWithTables();
  const sql = `SELECT sum(n)::BIGINT FROM ${tableIn('days')}`;
  await add('days', 'n BIGINT', 'SELECT 1::BIGINT AS n');
  for (let again = 0; again < 3; again++) expect(await rowsOf(engine, sql)).toEqual([[1]]);
  engine.tables.remove('days');
  await expect(rowsOf(engine, sql)).rejects.toThrow('days');
  await add('days', 'n BIGINT', 'SELECT 20::BIGINT AS n UNION ALL SELECT 3');
  for (let again = 0; again < 3; again++) expect(await rowsOf(engine, sql)).toEqual([[23]]);
});

test('few statements are kept: those that were asked before, were quick, and have short texts', async () => {
  const { duckdb, connect, close } = await openDatabase({
    allowedFolders: [],
    spillFolder: await temporaryFolder(),
    maxSpillBytes: 0,
    memoryLimitBytes: 1e9,
    threads: 1,
    macros: [],
    scalarFunctions: [],
  });
  onTestFinished(close);
  const kept = new KeptStatements(duckdb, 2);
  const finish = async (text: string, tookMs = 1) => {
    const connection = await connect();
    const statement = await duckdb.prepare(connection, text);
    kept.giveBack({ text, statement, connection, tookMs }, kept.revision);
  };
  await finish('SELECT 1');
  expect(kept.take('SELECT 1')).toBeUndefined();
  await finish('SELECT 1');
  await finish('SELECT 1');
  for (const text of ['SELECT 2', 'SELECT 2']) await finish(text);
  // Two are kept: the first with this text had to go
  expect(kept.take('SELECT 1')).toMatchObject({ text: 'SELECT 1' });
  expect(kept.take('SELECT 1')).toBeUndefined();
  expect(kept.take('SELECT 2')).toMatchObject({ text: 'SELECT 2' });
  for (const tookMs of [1, 1000]) await finish('SELECT 3', tookMs);
  expect(kept.take('SELECT 3')).toBeUndefined();
  const long = `SELECT '${'x'.repeat(20_000)}'`;
  for (const text of [long, long]) await finish(text);
  expect(kept.take(long)).toBeUndefined();
  for (const text of ['SELECT 4', 'SELECT 4']) await finish(text);
  kept.useTables(7);
  expect(kept.take('SELECT 4')).toBeUndefined();
});

async function engineWithTables() {
  const storage = await temporaryStorage();
  const folder = await temporaryFolder();
  const engine = engineFor(storage, { allowedFolders: [...storage.folder.forQueries, folder] });
  let written = 0;
  const add = async (name: string, columns: string, query: string) => {
    const file = join(folder, `${name}${written++}.duckdb`);
    const table = { name, file, content: file, query, computed: [] };
    await engine.session(async (session) => {
      const { statements, detach } = tableWriter(table, columns, 60_000);
      for (const sql of [...statements, detach]) await session.run(sql);
    });
    engine.tables.add(table);
  };
  return { engine, add };
}

async function rowsOf(engine: Engine, sql: string): Promise<unknown[][]> {
  const { chunks } = await engine.rows(sql);
  return chunks.flatMap(({ rowCount, columns }) =>
    Array.from({ length: rowCount }, (_, row) => columns.map((column) => column[row])),
  );
}
