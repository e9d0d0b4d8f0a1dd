// Result files: the rows of a statement as Parquet, in their order, read again a part at a time.
import { stat } from 'node:fs/promises';
import type { WrittenFile } from './segment-file.ts';
import type { Session } from './session.ts';
import { quote } from './sql-text.ts';

/**
 * Writes what a query returns as one file of columns `c0`, `c1`, ... with these DuckDB types; the
 * query's order is the rows' order, and memory does not grow with their number. The folder must
 * exist.
 */
export async function writeResultFile(
  session: Session,
  query: string,
  types: readonly string[],
  file: string,
): Promise<WrittenFile> {
  const names = types.map((_, index) => `c${index}`);
  const values = types.map((type, index) => `CAST(c${index} AS ${type}) AS c${index}`);
  const nothing = types.map((type) => `CAST(NULL AS ${type})`);
  // An empty source that cannot number its rows: without one DuckDB collects all that comes from
  // the same part of a table before it writes any of it, and a join can make millions of rows of
  // one part.
  const rows = `SELECT ${values.join(', ')} FROM (${query}) AS q(${names.join(', ')}) UNION ALL SELECT ${nothing.join(', ')} FROM range(0)`;
  const numRows = await session.run(
    `COPY (${rows}) TO ${quote(file)} (FORMAT parquet, COMPRESSION lz4, ROW_GROUP_SIZE ${rowsPerGroup})`,
  );
  const { size } = await stat(file);
  return { file, numRows, sizeBytes: size };
}

/**
 * A query for the rows of a result file from position `start` up to before `end`; for all of them
 * without.
 */
export const resultFileQuery = (
  file: string,
  numColumns: number,
  { start, end }: { start?: number; end?: number } = {},
): string => {
  const columns = Array.from({ length: numColumns }, (_, index) => `c${index}`).join(', ');
  if (start === undefined || end === undefined)
    return `SELECT ${columns} FROM read_parquet(${quote(file)})`;
  const source = `read_parquet(${quote(file)}, file_row_number = true)`;
  return `SELECT ${columns} FROM ${source} WHERE file_row_number >= ${start} AND file_row_number < ${end}`;
};

const rowsPerGroup = 61_440; // 30 vectors
