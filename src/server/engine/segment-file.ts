// Segment files: Parquet, written by a query.
import { stat } from 'node:fs/promises';
import type { Session } from './session.ts';
import { quote } from './sql-text.ts';

export interface WrittenFile {
  readonly file: string;
  readonly numRows: number;
  readonly sizeBytes: number;
}

export type Compression = 'zstd' | 'lz4_raw' | 'uncompressed';

export interface FileSettings {
  readonly rowsPerGroup?: number; // as many are in memory at once
  readonly compression?: Compression;
}

/**
 * Writes what a query returns as one file; the query's order is the rows' order. The folder must
 * exist.
 */
export async function writeSegmentFile(
  session: Session,
  query: string,
  file: string,
  settings: FileSettings = {},
): Promise<WrittenFile> {
  const { rowsPerGroup = usualRowsPerGroup, compression = 'zstd' } = settings;
  const groupSize = Math.min(Math.max(rowsPerGroup, 2048), usualRowsPerGroup);
  const numRows = await session.run(
    `COPY (${query}) TO ${quote(file)} (FORMAT parquet, COMPRESSION ${compression}, ROW_GROUP_SIZE ${groupSize}, PARQUET_VERSION v2)`,
  );
  const { size } = await stat(file);
  return { file, numRows, sizeBytes: size };
}

const usualRowsPerGroup = 122_880; // 60 vectors: what DuckDB's threads take at a time
