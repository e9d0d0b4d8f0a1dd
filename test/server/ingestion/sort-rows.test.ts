// Rows in memory and rows in bins become the same partitions, in the same order.
import { expect, test } from 'vitest';
import type { Session } from '../../../src/server/engine/session.ts';
import { binOf, distribute, viewBins } from '../../../src/server/ingestion/overflow.ts';
import { sortRows } from '../../../src/server/ingestion/sort-rows.ts';
import type { RowTable } from '../../../src/server/ingestion/write-segments.ts';
import { engineFor, temporaryFolder, temporaryStorage } from '../../support/storage.ts';

const columns = [
  { name: '__time', type: 'LONG', multiValue: false },
  { name: 'v', type: 'DOUBLE', multiValue: false },
];
const rows = { columns, dimensions: ['v'], metrics: [], discovered: [], omittable: [] };
const made = 'SELECT (i * 7919) % 100003 AS t, (i % 17) / 2.0 AS c0 FROM range(20000) AS r(i)';
const chunk = '(t // 40000) * 40000';

const division = {
  chunk,
  part: '0',
  order: ['t', 'c0'],
  boundaries: [],
  maxRows: 3000,
};

async function sortedBy(session: Session, table: RowTable) {
  const { partitions, sortedRowsOf } = await sortRows(session, table, division);
  const read = [];
  for (const partition of partitions) {
    const found = await session.rows(`SELECT t, c0 FROM ${await sortedRowsOf(partition)}`);
    read.push({ start: partition.chunkStart, found });
  }
  return read.sort((a, b) => a.start - b.start);
}

// Bytes of memory: a bin is sorted in a table, in a file, or in slices.
test.each([[40_000_000], [4_000_000], [100_000]])(
  'rows in bins, with [%i] bytes',
  async (memoryBytes) => {
    const folder = await temporaryFolder();
    const storage = await temporaryStorage();
    const engine = engineFor(storage, { allowedFolders: [folder] });
    await engine.session(async (session) => {
      await session.run(`CREATE TEMP TABLE plain_rows AS ${made}`);
      const room = { folder, memoryBytes, rowBytes: memoryBytes / 4, meanBytes: 0 };
      const wanted = {
        name: 'rows',
        query: made,
        ...binOf({ sql: chunk, granularity: undefined }, room, columns.length),
      };
      const bins = await distribute(session, room, wanted, columns.length);
      const queries = bins.map((bin) => `SELECT * FROM ${bin}`);
      const view = await viewBins(session, 'binned_rows', queries, columns, room);
      const binned = await sortedBy(session, { ...rows, ...view });
      await session.run('DROP TABLE IF EXISTS sorted_rows');
      expect(binned).toEqual(await sortedBy(session, { ...rows, table: 'plain_rows' }));
      expect(binned.length).toBe(8);
    });
  },
);
