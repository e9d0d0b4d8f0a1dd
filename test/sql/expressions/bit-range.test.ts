// Distinct whole numbers as bits, where statistics of columns tell their ranges.
import { expect, test } from 'vitest';
import type { ColumnStatistics } from '../../../src/sql/catalog.ts';
import { longsOfBits } from '../../../src/sql/runtime/visited-longs.ts';
import { answering, query, smallTables } from '../statements-over-tables.ts';

const text = (
  statement: string,
  statistics: Readonly<Record<string, ColumnStatistics>>,
  { rows = 1000, mostKeptValues = 1_000_000 } = {},
) =>
  query(statement, {
    catalog: catalogWith(statistics, rows),
    mostKeptValues,
    context: { useApproximateCountDistinct: false },
  });

function catalogWith(statistics: Readonly<Record<string, ColumnStatistics>>, rows: number) {
  const tables = smallTables([]);
  return {
    ...tables,
    findTable(schema: string | undefined, name: string) {
      const table = tables.findTable(schema, name);
      return (
        table && {
          ...table,
          columns: table.columns.map((column) => ({
            ...column,
            tableRows: rows,
            ...(statistics[column.name] && { statistics: statistics[column.name] }),
          })),
        }
      );
    },
  };
}

test('a distinct count has a bit for each number of the range', () => {
  const { duckdb, keptValues } = text('SELECT COUNT(DISTINCT added) FROM edits', {
    added: { range: [-5, 39_990] },
  });
  expect(duckdb).toContain('bitstring_agg("edits"."added", -5::BIGINT, 39994::BIGINT)');
  expect(keptValues).toBe(625); // 40,000 bits
});

test.each([
  ['the range is unknown', 'COUNT(DISTINCT added)', {}],
  [
    'there are more bits than rows bear',
    'COUNT(DISTINCT added)',
    { added: { range: [0, 64_000] } },
  ],
  [
    'an expression has other values',
    'COUNT(DISTINCT added * 2)',
    { added: { range: [0, 39_999] } },
  ],
  [
    'a window has a set per row',
    'APPROX_COUNT_DISTINCT_DS_THETA(added) OVER ()',
    { added: { range: [0, 39_999] } },
  ],
] as const)('values are hashed where %s', (_, call, statistics) => {
  expect(text(`SELECT ${call} FROM edits`, statistics).duckdb).not.toContain('bitstring_agg(');
});

test('the groups are bounded by the values of their keys', () => {
  const added = { range: [0, 3999] } as const;
  const grouped = (keys: string, page?: ColumnStatistics) =>
    text(`SELECT COUNT(DISTINCT added) FROM edits GROUP BY ${keys}`, {
      added,
      ...(page && { page }),
    }).duckdb.includes('bitstring_agg(');
  expect(grouped('page', { distinct: 10 })).toBe(true);
  expect(grouped('page', { distinct: 1000 })).toBe(false);
  expect(grouped('page')).toBe(false);
  expect(grouped('UPPER(page)', { distinct: 10 })).toBe(false);
  expect(grouped('ROLLUP (page)', { distinct: 10 })).toBe(false);
});

test('there is memory for the bits, or values are hashed', () => {
  const { duckdb } = text(
    'SELECT COUNT(DISTINCT added) FROM edits',
    { added: { range: [0, 39_999] } },
    { mostKeptValues: 624 },
  );
  expect(duckdb).not.toContain('bitstring_agg(');
});

test('the set bits are numbers', () => {
  const numbersOfBits = (bits: Uint8Array, least: bigint) => {
    const numbers: bigint[] = [];
    longsOfBits(
      bits,
      least,
    )((high, low) => numbers.push((BigInt(high) << 32n) | BigInt(low >>> 0)));
    return numbers;
  };
  expect([...numbersOfBits(Uint8Array.of(0x81, 0, 0x40), -4n)]).toEqual([-4n, 3n, 13n]);
  expect([...numbersOfBits(Uint8Array.of(0xc0), 2n ** 40n)]).toEqual([2n ** 40n, 2n ** 40n + 1n]);
  expect([...numbersOfBits(new Uint8Array(), 0n)]).toEqual([]);
});

const large = 2_000_000; // rows, of which statistics speak

test.each([
  ['COUNT(DISTINCT added) FROM edits', true],
  ["COUNT(DISTINCT added) FILTER (WHERE page = 'Bern') FROM edits", true],
  ['APPROX_COUNT_DISTINCT_DS_HLL(added), COUNT(*) FROM edits', true],
  ['COUNT(DISTINCT added) FROM edits GROUP BY page', false],
  ['COUNT(DISTINCT added) FROM edits GROUP BY GROUPING SETS (())', false],
  ['COUNT(DISTINCT added + 1) FROM edits', false],
  ['COUNT(DISTINCT added) FROM (SELECT added FROM edits)', false],
  ['APPROX_COUNT_DISTINCT_DS_HLL(added) OVER () FROM edits', false],
])('SELECT %s groups by the numbers: %s', (call, isSo) => {
  const { duckdb } = text(`SELECT ${call}`, { added: { range: [0, 39_999] } }, { rows: large });
  expect(duckdb.includes('AS v FROM')).toBe(isSo);
});

test('distinct numbers that are grouped count as those that are hashed', async () => {
  const answer = await answering();
  const calls = [
    'COUNT(DISTINCT added)',
    "COUNT(DISTINCT added) FILTER (WHERE page = 'Bern' OR page IS NULL)",
    'APPROX_COUNT_DISTINCT_DS_HLL(added)',
    'APPROX_COUNT_DISTINCT_DS_THETA(added)',
    'APPROX_COUNT_DISTINCT_BUILTIN(added)',
    'COUNT(*)',
    'COUNT(DISTINCT page)',
  ].join(', ');
  for (const rest of ['', "WHERE page <> 'Berlin'", 'WHERE added > 1000', 'HAVING COUNT(*) > 1'])
    for (const useApproximateCountDistinct of [false, true]) {
      const ask = (catalog: ReturnType<typeof catalogWith>) =>
        answer(`SELECT ${calls} FROM edits ${rest}`, {
          catalog,
          context: { useApproximateCountDistinct },
        });
      const hashed = await ask(catalogWith({}, large));
      expect(hashed).toHaveLength(1);
      expect(await ask(catalogWith({ added: { range: [-100, 39_999] } }, large))).toEqual(hashed);
    }
});
