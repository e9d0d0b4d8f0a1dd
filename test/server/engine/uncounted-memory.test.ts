// Memory that DuckDB does not count: tables for groups of whole numbers, and kept values.
import { expect, test } from 'vitest';
import { type Grouping, uncountedMemory } from '../../../src/server/engine/uncounted-memory.ts';
import { engineFor, temporaryStorage } from '../../support/storage.ts';

const gigabyte = 1024 ** 3;
const one = { tables: 1, groupingSets: 0 };

test.each([
  [{ ...one, numRows: 6_000_000, aggregates: 1 }, gigabyte / 8, 20], // a quarter of the rows
  [{ ...one, numRows: 6_000_000, aggregates: 10 }, gigabyte / 8, 18],
  [{ ...one, numRows: 60_000_000, aggregates: 1 }, gigabyte, 22], // the largest of all
  [{ ...one, numRows: 10_000, aggregates: 1 }, gigabyte, undefined], // DuckDB's own setting
  [{ ...one, numRows: 0, aggregates: 0 }, gigabyte, undefined],
  [{ ...one, numRows: 60_000_000, aggregates: 5000 }, gigabyte / 8, undefined],
  [{ numRows: 6_000_000, aggregates: 1, tables: 8, groupingSets: 4 }, gigabyte / 8, 17],
  [{ ...one, numRows: 6_000_000, aggregates: 1, keptValues: 5_000_000 }, gigabyte / 8, 18],
])('groups of %o in %i bytes may have a range of %s bits', (grouping, bytes, bits) => {
  const uncounted = uncountedMemory(grouping, bytes, 2);
  expect(uncounted.tableBits).toBe(bits);
  expect(uncounted.bytes).toBeLessThanOrEqual(bytes);
});

test('values that aggregates keep are taken off the memory of a process', async () => {
  const engine = engineFor(await temporaryStorage(), { memoryLimitBytes: 2 ** 30 });
  const limit = async (keptValues: number) => {
    const sql = "SELECT replace(current_setting('memory_limit'), ' MiB', '')::DOUBLE";
    const grouping = { ...one, numRows: 1000, aggregates: 1, keptValues };
    const { chunks } = await engine.rows(sql, { grouping, isolated: keptValues === 0 });
    return Number(chunks[0]?.columns[0]?.[0]);
  };
  const whole = await limit(0);
  expect(whole - (await limit(10_000_000))).toBeCloseTo((10_000_000 * 24) / 2 ** 20, 0);
});

test('many groups of whole numbers are the same in the service and in a process', async () => {
  const engine = engineFor(await temporaryStorage(), { memoryLimitBytes: 1e9 });
  const sql = `SELECT k, sum(i) AS s, count(*) AS n
    FROM (SELECT (i * 7919) % 100003 - 50000 AS k, i FROM range(1000000) r(i))
    GROUP BY k ORDER BY s DESC, k LIMIT 50`;
  const rows = async (grouping?: Grouping, isolated = false) =>
    (await engine.rows(sql, { grouping, isolated })).chunks.map(({ columns }) => columns);
  const expected = await rows();
  expect(expected[0]?.[0]).toHaveLength(50);
  const grouping = { ...one, numRows: 1_000_000, aggregates: 2 };
  expect(await rows(grouping)).toEqual(expected);
  expect(await rows(grouping, true)).toEqual(expected);
  expect(await rows({ ...grouping, numRows: 60_000_000 })).toEqual(expected); // in a process
});

test('a query cannot change other settings', async () => {
  const engine = engineFor(await temporaryStorage(), {});
  await expect(engine.rows("SET memory_limit = '100GB'")).rejects.toThrow();
});
