// Size of the table that DuckDB may keep for the groups of whole numbers, one place for each number
// of the column's range. It is several times faster than hashing, but DuckDB reserves it without
// counting it as memory.

/** The extent of a statement that groups. */
export interface Grouping {
  readonly numRows: number; // of the segments that it reads
  readonly aggregates: number; // or a few more
  readonly tables: number; // tables that it reads: each may be grouped by itself
  readonly groupingSets: number;
}

/** A group table that a statement may have. */
export interface GroupTable {
  readonly bits: number | undefined; // its range as a power of two; undefined: DuckDB's own limit
  readonly bytes: number; // memory that DuckDB does not count
}

/** The largest group table of a statement that fits into `mostBytes`. */
export function groupTable(
  grouping: Grouping | undefined,
  mostBytes: number,
  threads: number,
): GroupTable {
  const bits = grouping && groupBits(grouping, mostBytes, threads);
  return { bits, bytes: bits && grouping ? bytesOfGroups(bits, grouping, threads) : 0 };
}

function groupBits(grouping: Grouping, mostBytes: number, threads: number): number | undefined {
  const groups = mostBytes / (threads * bytesOfGroup(grouping));
  // A table that is large beside its rows takes longer to prepare than the rows to hash
  const bits = Math.floor(Math.log2(Math.min(groups, grouping.numRows / 4)));
  return bits > usualBits ? Math.min(bits, mostBits) : undefined;
}

const bytesOfGroups = (bits: number, grouping: Grouping, threads: number): number =>
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
