// Final step of an ingestion in bins: as in roll-up.ts, bin by bin.
import { join } from 'node:path';
import type { SegmentColumn } from '../../model/segment.ts';
import { writeSegmentFile } from '../engine/segment-file.ts';
import type { Session } from '../engine/session.ts';
import { type BinKey, type Overflow, parquetRelation, rowsPerGroup, viewBins } from './overflow.ts';
import { type RolledMetric, type RollUp, rolledSql, storedTimeSql } from './roll-up.ts';
import { computedChunkSql, type TimeChunks } from './time-chunks.ts';

/**
 * The key that distributes rows with the column `t` into bins: rows that roll up into one, and rows
 * of one time chunk, are in the same bin.
 */
export const binKey = (chunks: TimeChunks): BinKey => ({
  sql: computedChunkSql(chunks, 't'),
  granularity: chunks.granularity,
});

/** Columns of rows in bins: `t`, dimensions `c0`, ..., inputs of metrics `m0`, ... */
export interface BinColumns {
  readonly columns: readonly SegmentColumn[]; // time, dimensions and metrics as they are stored
  readonly numDimensions: number;
  readonly metrics: readonly RolledMetric[];
}

/**
 * Truncates the times to the queryGranularity, and merges equal rows if rollup is enabled. Returns
 * views with `t`, `c0`, `c1`, ...: dimensions, then metrics.
 */
export async function rollUpBins(
  session: Session,
  bins: readonly string[],
  { columns, numDimensions, metrics }: BinColumns,
  room: Overflow & { readonly chunks: TimeChunks },
  { queryGranularity, rollup }: RollUp,
): ReturnType<typeof viewBins> {
  const times = bins.map((bin) => `SELECT t FROM ${bin}`).join(' UNION ALL ');
  const relation = bins.length === 0 ? '(SELECT 0 AS t WHERE false)' : `(${times})`;
  const bucket = await storedTimeSql(session, queryGranularity, room.chunks, relation);
  const shape = { numDimensions, metrics, rollup };
  const queries = bins.map((bin) => rolledSql(bin, bucket, shape));
  if (!rollup) return viewBins(session, 'loaded_rows', queries, columns, room);
  const merged: string[] = [];
  for (const [index, query] of queries.entries()) {
    const file = join(room.folder, `merged-${index}.parquet`);
    await writeSegmentFile(session, query, file, {
      compression: 'lz4_raw',
      mostRowsPerGroup: rowsPerGroup(columns.length, room),
    });
    merged.push(`SELECT * FROM ${parquetRelation([file])}`);
  }
  return viewBins(session, 'loaded_rows', merged, columns, room);
}
