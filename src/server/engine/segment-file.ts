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

const rowsPerGroup = 122_880; // 60 vectors: what DuckDB's threads take at a time
