// Segment files: Parquet, written by a query.
import { stat } from 'node:fs/promises';
import type { Session } from './session.ts';
import { quoted } from './sql-text.ts';

export interface WrittenFile {
  readonly file: string;
  readonly numRows: number;
  readonly sizeBytes: number;
}

/** Writes what a query returns as one file; the query's order is the rows' order. The folder must exist. */
export async function writeSegmentFile(session: Session, query: string, file: string): Promise<WrittenFile> {
  const numRows = await session.run(
    `COPY (${query}) TO ${quoted(file)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${rowsPerGroup}, PARQUET_VERSION v2)`,
  );
  const { size } = await stat(file);
  return { file, numRows, sizeBytes: size };
}

/** The smallest and the largest `__time` in a file, from its footer; undefined when it has no rows. */
export async function timeRangeOf(session: Session, file: string): Promise<{ readonly minMs: number; readonly maxMs: number } | undefined> {
  const [row] = await session.rows(
    `SELECT min(stats_min_value::BIGINT), max(stats_max_value::BIGINT) FROM parquet_metadata(${quoted(file)}) WHERE path_in_schema = '__time'`,
  );
  const [min, max] = row ?? [];
  return typeof min === 'number' && typeof max === 'number' ? { minMs: min, maxMs: max } : undefined;
}

/** The columns of a Parquet file as DuckDB sees them: name and type, in the file's order. */
export async function columnsOf(session: Session, file: string): Promise<{ readonly name: string; readonly type: string }[]> {
  const rows = await session.rows(`SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet(${quoted(file)}))`);
  return rows.map(([name, type]) => ({ name: String(name), type: String(type) }));
}

const rowsPerGroup = 122_880; // 60 vectors: what DuckDB's threads take at a time
