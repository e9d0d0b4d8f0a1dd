// Sets of whole numbers as bits: a group has a bit for each number of a range, where DuckDB would
// hash each pair of a group and a number.
import type { BitRange, Environment, Typed } from './typed.ts';

/**
 * The range of a column's numbers, if at most `mostGroups` groups may have a bit for each of them:
 * where bits are not many beside the rows, and there is memory for them. It reserves the memory.
 */
export function bitRange(
  { statistics, tableRows = 0 }: Typed,
  mostGroups: number,
  { mostRows, keepValues }: Environment,
): BitRange | undefined {
  const [least, most] = statistics?.range ?? [];
  if (least === undefined || most === undefined || mostRows === undefined) return undefined;
  const width = 8 * Math.ceil((most - least + 1) / 8);
  const bits = width * mostGroups;
  if (bits < leastBits || bits > mostBitsOfRow * tableRows || width > mostWidth) return undefined;
  return keepValues?.(Math.ceil(bits / bitsOfValue))
    ? { least, most: least + width - 1 }
    : undefined;
}

/**
 * Whether DuckDB keeps the groups of a column's numbers in a table with a place for each number of
 * their range. DISTINCT in an aggregate hashes each number instead.
 */
export function hasGroupTable(
  { statistics, tableRows = 0 }: Typed,
  { mostRows }: Environment,
): boolean {
  const [least, most] = statistics?.range ?? [];
  if (least === undefined || most === undefined || mostRows === undefined) return false;
  return most - least < Math.min(mostPlaces, tableRows / rowsOfPlace);
}

/** The aggregate of the numbers of a range as a BLOB: one bit each, the least number first. */
export const bitsText = (
  long: string,
  { least, most }: BitRange,
  over: (aggregate: string) => string,
): string =>
  `coalesce(${over(`bitstring_agg(${long}, ${least}::BIGINT, ${most}::BIGINT)`)}::BLOB, ''::BLOB)`;

const leastBits = 2 ** 15; // so few pairs are hashed as fast
const mostBitsOfRow = 64;
const mostPlaces = 2 ** 22;
const rowsOfPlace = 8; // with fewer, preparing the table takes as long as hashing
const mostWidth = 2 ** 29; // DuckDB takes up to a billion
const bitsOfValue = 64; // of a kept value, whose memory is counted thrice: for two threads
