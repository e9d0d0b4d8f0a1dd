// Result files: the rows of a statement as Parquet, in order, readable in parts.
import { stat } from 'node:fs/promises';
import type { WrittenFile } from './segment-file.ts';
import type { Session } from './session.ts';
import { quote } from './sql-text.ts';

/**
 * Writes a query's result to one file with columns `c0`, `c1`, ... of these DuckDB types. The rows
 * keep the query's order, and memory does not grow with their number. The folder must exist.
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
  // The empty source prevents DuckDB from numbering the rows. Otherwise DuckDB collects all rows
  // from one part of a table before it writes any of them, and a join can make millions of rows
  // from one part.
  const rows = `SELECT ${values.join(', ')} FROM (${query}) AS q(${names.join(', ')}) UNION ALL SELECT ${nothing.join(', ')} FROM range(0)`;
  const numRows = await session.run(
    `COPY (${rows}) TO ${quote(file)} (FORMAT parquet, COMPRESSION lz4, ROW_GROUP_SIZE ${rowsPerGroup})`,
  );
  const { size } = await stat(file);
  return { file, numRows, sizeBytes: size };
}

/**
 * A query for the rows of a result file from position `start` up to, but not including, `end`;
 * without them, for all rows.
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
