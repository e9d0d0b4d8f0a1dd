// Division of a time chunk's rows into ranges of values, as in Druid's range partitioning.
import type { Session } from '../engine/session.ts';
import type { Division, RowTable } from './write-segments.ts';

export interface Ranges {
  readonly chunk: string; // expression for the start of a row's time chunk
  readonly keys: readonly string[]; // expressions of type text, which may use the columns of rows
  readonly targetRows: number; // of a range; rows with equal values stay together
}

/**
 * The ranges of each chunk as a part of a division. Their starts are found first, in a table of
 * their own: a window over all columns of the rows would need much more memory. Only where a chunk
 * has many ranges does a window find them: each row is compared with all starts of its chunk.
 */
export async function rangeParts(
  session: Session,
  { chunk, keys, targetRows }: Ranges,
  { table, bins }: RowTable,
): Promise<Pick<Division, 'part' | 'boundaries'>> {
  const key = sortableTexts(keys);
  await session.run(
    `CREATE TEMP TABLE range_starts (chunk BIGINT, starts ${keys.length === 1 ? 'VARCHAR' : 'VARCHAR[]'}[])`,
  );
  for (const rows of bins?.relations ?? [table]) {
    const counted = `SELECT chunk, key, count(*) AS n FROM (SELECT ${chunk} AS chunk, ${key} AS key FROM ${rows}) GROUP BY chunk, key`;
    const placed = `SELECT chunk, key, (sum(n) OVER (PARTITION BY chunk ORDER BY key ROWS UNBOUNDED PRECEDING) - n)::BIGINT AS before FROM (${counted})`;
    const starts = `SELECT chunk, min(key) AS start FROM (${placed}) GROUP BY chunk, before // ${targetRows}`;
    await session.run(
      `INSERT INTO range_starts SELECT chunk, list(start ORDER BY start) FROM (${starts}) GROUP BY chunk`,
    );
  }
  const [[most] = []] = await session.rows('SELECT max(len(starts)) FROM range_starts');
  if (Number(most) > mostCompared) {
    const rank = `rank() OVER (PARTITION BY chunk ORDER BY ${key})`;
    return { part: `((${rank} - 1) // ${targetRows})`, boundaries: keys };
  }
  const own = '(SELECT starts FROM range_starts WHERE range_starts.chunk = divided.chunk)';
  return {
    part: `(len(list_filter(${own}, lambda start: start <= ${key})) - 1)`,
    boundaries: keys,
  };
}

const mostCompared = 64;

/** A value that sorts as texts do one after the other; null is less than each text. */
export function sortableTexts(texts: readonly string[]): string {
  const parts = texts.map((text) => `coalesce('+' || ${text}, '')`);
  return parts.length === 1 ? (parts[0] ?? '') : `[${parts.join(', ')}]`;
}
