// Rows in memory and rows in bins become partitions of the same rows, in the same order.
import { expect, test } from 'vitest';
import type { Session } from '../../../src/server/engine/session.ts';
import { binOf, distribute, viewBins } from '../../../src/server/ingestion/overflow.ts';
import { rangeParts } from '../../../src/server/ingestion/range-parts.ts';
import { sortRows } from '../../../src/server/ingestion/sort-rows.ts';
import type { Division, RowTable } from '../../../src/server/ingestion/write-segments.ts';
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

async function sortedBy(session: Session, table: RowTable, divided: Division = division) {
  const { partitions, sortedRowsOf } = await sortRows(session, table, divided);
  const read = [];
  for (const partition of partitions) {
    const found = await session.rows(`SELECT t, c0 FROM ${await sortedRowsOf(partition)}`);
    read.push({ start: partition.chunkStart, found });
  }
  return read.sort((a, b) => a.start - b.start);
}

const rowsByChunk = (partitions: Awaited<ReturnType<typeof sortedBy>>) =>
  [...new Set(partitions.map(({ start }) => start))].map((chunkStart) =>
    partitions.filter(({ start }) => start === chunkStart).flatMap(({ found }) => found),
  );

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
      const plain = await sortedBy(session, { ...rows, table: 'plain_rows' });
      expect(rowsByChunk(binned)).toEqual(rowsByChunk(plain));
      expect(binned.length).toBe(8);
      expect(Math.max(...binned.map(({ found }) => found.length))).toBeLessThanOrEqual(3000);
    });
  },
);

// Of 20,000 rows in 3 chunks, each tenth has no first key.
const keyed = `SELECT i * 6 AS t, CASE WHEN i % 10 = 0 THEN NULL ELSE (i % 23)::VARCHAR END AS c0, (i % 4)::VARCHAR AS c1 FROM range(20000) AS r(i)`;
const keyedColumns = [
  { name: '__time', type: 'LONG', multiValue: false },
  { name: 'country', type: 'STRING', multiValue: false },
  { name: 'city', type: 'STRING', multiValue: false },
];

test.each([
  [['c0'], 1500],
  [['c0', 'c1'], 1500],
  [['c0', 'c1'], 20],
])(
  'ranges of %j with [%i] rows hold all rows with equal values, nulls first, in memory and in bins',
  async (keys, targetRows) => {
    const folder = await temporaryFolder();
    const storage = await temporaryStorage();
    const engine = engineFor(storage, { allowedFolders: [folder] });
    await engine.session(async (session) => {
      await session.run(`CREATE TEMP TABLE plain_rows AS ${keyed}`);
      const common = { ...rows, columns: keyedColumns, dimensions: ['country', 'city'] };
      const plain = { ...common, table: 'plain_rows' };
      const ranges = { chunk, keys, targetRows };
      const order = ['t', 'c0', 'c1'];
      const whole = { chunk, order, maxRows: Number.POSITIVE_INFINITY };
      const inMemory = { ...whole, ...(await rangeParts(session, ranges, plain)) };
      const { partitions, sortedRowsOf } = await sortRows(session, plain, inMemory);
      const ofRank = `(rank() OVER (PARTITION BY ${chunk} ORDER BY ${keys.join(', ')}) - 1) // ${targetRows}`;
      const expected = await session.rows(
        `SELECT chunk, count(*) FROM (SELECT ${chunk} AS chunk, ${ofRank} AS part FROM (${keyed})) GROUP BY chunk, part ORDER BY chunk, part`,
      );
      expect(partitions.map(({ chunkStart, numRows }) => [chunkStart, numRows])).toEqual(expected);
      expect(partitions.length).toBeGreaterThan(12);
      const [first] = partitions;
      if (!first) throw new Error('There is no partition');
      expect(first.start[0]).toBe(null);
      const sorted = [];
      for (const partition of partitions)
        sorted.push(await session.rows(`SELECT t, c0 FROM ${await sortedRowsOf(partition)}`));
      await session.run(
        `DROP TABLE range_starts; DROP TABLE sorted_rows; CREATE TEMP TABLE plain_rows AS ${keyed}`,
      );
      const room = { folder, memoryBytes: 400_000, rowBytes: 300_000, meanBytes: 0 };
      const wanted = {
        name: 'rows',
        query: keyed,
        ...binOf({ sql: chunk, granularity: undefined }, room, 3),
      };
      const bins = await distribute(session, room, wanted, 3);
      const queries = bins.map((bin) => `SELECT * FROM ${bin}`);
      const view = await viewBins(session, 'binned_rows', queries, keyedColumns, room);
      const binned = { ...common, ...view };
      const inBins = { ...whole, ...(await rangeParts(session, ranges, binned)) };
      expect((await sortedBy(session, binned, inBins)).map(({ found }) => found)).toEqual(sorted);
    });
  },
);
