// Memory that DuckDB uses without counting it: tables of groups, and values kept for quantiles.
//
// DuckDB may keep the groups of whole numbers in a table with one place for each number of the
// column's range. It is several times faster than hashing.

/** The extent of a statement that groups. */
export interface Grouping {
  readonly numRows: number; // of the segments that it reads
  readonly aggregates: number; // or a few more
  readonly tables: number; // tables that it reads: each may be grouped by itself
  readonly groupingSets: number;
  readonly keptValues?: number; // values that its aggregates keep until the last row
}

/** Uncounted memory that a statement may use. */
export interface UncountedMemory {
  // The range of group tables as a power of two; undefined: DuckDB's own limit
  readonly tableBits: number | undefined;
  readonly bytes: number;
}

/** The uncounted memory of a statement, with the largest group table that fits into `mostBytes`. */
export function uncountedMemory(
  grouping: Grouping | undefined,
  mostBytes: number,
  threads: number,
): UncountedMemory {
  if (!grouping) return { tableBits: undefined, bytes: 0 };
  const keptBytes = bytesOfKeptValues(grouping);
  const tableBits = bitsOfTable(grouping, mostBytes - keptBytes, threads);
  const tableBytes = tableBits === undefined ? 0 : bytesOfTable(tableBits, grouping, threads);
  return { tableBits, bytes: tableBytes + keptBytes };
}

function bitsOfTable(grouping: Grouping, mostBytes: number, threads: number): number | undefined {
  const groups = mostBytes / (threads * bytesOfGroup(grouping));
  // A table that is large beside its rows takes longer to prepare than the rows to hash
  const bits = Math.floor(Math.log2(Math.min(groups, grouping.numRows / 4)));
  return bits > usualBits ? Math.min(bits, mostBits) : undefined;
}

const bytesOfTable = (bits: number, grouping: Grouping, threads: number): number =>
  2 ** bits * threads * bytesOfGroup(grouping);

/** The statement that allows tables of this range, for the statements of one connection. */
export const allowGroupTable = (bits: number): string =>
  `SET SESSION ${groupTableSetting} = ${bits}`;

/** Name of DuckDB's setting, which stays open when the others are locked. */
export const groupTableSetting = 'perfect_ht_threshold';

const bytesOfGroup = ({ aggregates, tables, groupingSets }: Grouping) =>
  (8 * Math.max(1, tables) + 16 * aggregates) * Math.max(1, groupingSets);

const usualBits = 12; // DuckDB's default
const mostBits = 22;

/** Memory of the values that a statement keeps. */
export const bytesOfKeptValues = (grouping: Grouping | undefined): number =>
  (grouping?.keptValues ?? 0) * bytesOfKeptValue;

/** The number of values that a statement may keep, for a service with this much memory. */
export const mostKeptValues = (memoryBytes: number): number =>
  Math.floor(memoryBytes / 8 / bytesOfKeptValue);

// A list of doubles while it grows: the old places and twice as many new ones
const bytesOfKeptValue = 24;
