// Rows of a stream before they become segments: each batch is written to a file, converted as in
// batch ingestion. Many files are joined, and in the end all of them become rows of segments.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unifiedColumns } from '../../../model/column-types.ts';
import { type Granularity, parseGranularity } from '../../../model/granularity.ts';
import type { SegmentColumn } from '../../../model/segment.ts';
import { identifiersOf } from '../../../sql/expressions/column-names.ts';
import { duckdbTypeOf } from '../../engine/native-types.ts';
import { writeSegmentFile } from '../../engine/segment-file.ts';
import { segmentScan } from '../../engine/segment-scan.ts';
import type { Session } from '../../engine/session.ts';
import type { DataSchema } from '../../ingestion/data-schema.ts';
import { valueAt } from '../../ingestion/flatten-path.ts';
import { bucketStartSql, timeRange } from '../../ingestion/granularities.ts';
import type { JsonFormat } from '../../ingestion/input-format.ts';
import { loadRows } from '../../ingestion/load-rows.ts';
import type { RowStats, UnparseableEvent } from '../../ingestion/loading.ts';
import { combinerOf } from '../../ingestion/metrics.ts';
import { stageRawRows } from '../../ingestion/stage-raw-rows.ts';
import { columnSql } from '../../ingestion/stored-values.ts';
import type { RowTable } from '../../ingestion/write-segments.ts';
import { type RealtimeFile, visibleFile } from '../../segments/realtime-rows.ts';
import type { RecordLines } from './record-lines.ts';
import type { StreamFormat } from './stream-format.ts';

export interface LoadedFile extends RealtimeFile {
  readonly dimensions: readonly string[];
  readonly discovered: readonly string[];
}

export interface FileLoading {
  readonly session: Session;
  readonly rows: RecordLines;
  readonly format: StreamFormat;
  readonly schema: DataSchema;
  readonly folder: string;
  readonly name: string; // of the new file, unique in the folder
  readonly stats: RowStats;
  readonly events: UnparseableEvent[];
  readonly maxSavedParseExceptions: number;
  readonly now: () => number;
}

/**
 * Loads lines into a new file; undefined when no row is left. On a failure, no file is left on
 * disk.
 */
export async function loadFile(loading: FileLoading): Promise<LoadedFile | undefined> {
  const { folder, name } = loading;
  const lines = join(folder, `${name}.lines`);
  const file = join(folder, `${name}.parquet`);
  try {
    return await rowsWrittenFrom(lines, file, loading);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await rm(lines, { force: true });
  }
}

async function rowsWrittenFrom(
  path: string,
  file: string,
  { session, rows, format, schema, folder, name, ...loading }: FileLoading,
): Promise<LoadedFile | undefined> {
  const written = await writeLines(rows, format, { name, path });
  const loaded = await loadRows({
    session,
    files: written.files,
    stage: (wanted) =>
      stageRawRows(session, 'raw_rows', written.files, written.format, wanted, folder),
    schema,
    maxParseExceptions: Number.MAX_SAFE_INTEGER, // the task counts them over all files
    log: () => undefined,
    placeOf: (row) => {
      const record = rows.records[row];
      return record
        ? `Partition: ${record.partition}, Offset: ${record.offset}`
        : `Record: ${row + 1}`;
    },
    ...loading,
  });
  if (loaded.numRows === 0) return undefined;
  return {
    ...(await writeFileOf(session, loaded, schema, file)),
    dimensions: loaded.dimensions,
    discovered: loaded.discovered,
  };
}

/** Writes lines into a file; returns it with its resulting format. */
export async function writeLines(
  rows: RecordLines,
  format: StreamFormat,
  { name, path }: { readonly name: string; readonly path: string },
) {
  const content = contentOf(rows.lines);
  await writeFile(path, content);
  // A record is read as a whole: other text makes it unreadable (Druid: JsonReader).
  return {
    files: [{ name, path, sizeBytes: content.length }],
    format: { ...jsonFormat(format, rows), isWhole: true as const },
  };
}

/** Joins files into a new one; rolled-up rows are rolled up further. */
export async function joinFiles(
  session: Session,
  files: readonly RealtimeFile[],
  schema: DataSchema,
  path: string,
): Promise<RealtimeFile> {
  const rows = await rowsOf(session, files, schema, []);
  return writeFileOf(session, rows, schema, path);
}

/** The rows of all files as one table, ready to be divided into segments. */
export async function rowsOf(
  session: Session,
  files: readonly RealtimeFile[],
  { dataSource, metrics: aggregators, granularitySpec }: DataSchema,
  discovered: readonly string[],
): Promise<RowTable> {
  const columns = unifiedColumns(files.map((file) => file.columns).reverse());
  const metrics = aggregators.map(({ name }) => name);
  const dimensions = columns.slice(1).flatMap(({ name }) => (metrics.includes(name) ? [] : name));
  const scan = segmentScan(
    files.map((file) => visibleFile({ dataSource, dimensions, metrics }, file)),
    columns,
    { fileOf: ({ path }) => path },
  );
  const own = identifiersOf(columns);
  const values = columns.map((column, index) => {
    const value = `${own(column.name)}::${duckdbTypeOf(column)}`;
    const aggregator = granularitySpec.rollup
      ? aggregators.find(({ name }) => name === column.name)
      : undefined;
    return `${aggregator ? combinerOf(aggregator)(value, '0') : value} AS ${index === 0 ? 't' : `c${index - 1}`}`;
  });
  const grouping = granularitySpec.rollup
    ? ` GROUP BY ${['"__time"', ...dimensions.map(own)].join(', ')}`
    : '';
  await session.run(
    `CREATE TEMP TABLE stream_rows AS SELECT ${values.join(', ')} FROM ${scan}${grouping}`,
  );
  return { table: 'stream_rows', columns, dimensions, metrics, discovered, omittable: [] };
}

/** An expression for the start of the time chunk of a row in a table with the column `t`. */
export const chunkStartSql = (
  session: Session,
  schema: DataSchema,
  table: string,
): Promise<string> =>
  bucketStartSql(
    session,
    segmentGranularity(schema),
    't',
    () => timeRange(session, table),
    'chunk_buckets',
  );

/** The segment granularity of a stream's datasource. */
export const segmentGranularity = ({ granularitySpec }: DataSchema): Granularity =>
  granularitySpec.segmentGranularity ?? day;
const day = parseGranularity('DAY');

async function writeFileOf(
  session: Session,
  rows: Pick<RowTable, 'table' | 'columns'>,
  schema: DataSchema,
  path: string,
): Promise<RealtimeFile> {
  const chunk = await chunkStartSql(session, schema, rows.table);
  const counts = await session.rows(
    `SELECT ${chunk}, count(*), min(t), max(t) FROM ${rows.table} GROUP BY 1`,
  );
  const values = rows.columns.map(
    ({ name }) => `${columnSql(rows.columns, name)} AS ${identifiersOf(rows.columns)(name)}`,
  );
  const { file, numRows, sizeBytes } = await writeSegmentFile(
    session,
    `SELECT ${values.join(', ')} FROM ${rows.table}`,
    path,
  );
  return {
    file,
    numRows,
    sizeBytes,
    columns: sharedColumns(rows.columns),
    interval: {
      start: Math.min(...counts.map(([, , min]) => Number(min))),
      end: Math.max(...counts.map(([, , , max]) => Number(max))) + 1,
    },
    rowsOf: new Map(counts.map(([start, count]) => [Number(start), Number(count)])),
  };
}

// Files with the same columns share one list of them, so that one text can read them.
const known = new Map<string, readonly SegmentColumn[]>();
function sharedColumns(columns: readonly SegmentColumn[]): readonly SegmentColumn[] {
  const key = JSON.stringify(columns);
  const shared = known.get(key) ?? columns;
  if (known.size >= 1000) known.clear();
  known.set(key, shared);
  return shared;
}

// Delimited values are JSON at this point, and Kafka's metadata of a record are ordinary fields.
function jsonFormat({ value, metadata }: StreamFormat, { headers }: RecordLines): JsonFormat {
  if (value.type !== 'json')
    return { type: 'json', useFieldDiscovery: true, keepNullColumns: true, fields: [] };
  if (!metadata || value.useFieldDiscovery) return value;
  const names = [
    metadata.timestampColumn,
    metadata.topicColumn,
    ...(metadata.keyFormat ? [metadata.keyColumn] : []),
    ...headers,
  ];
  return {
    ...value,
    fields: [...value.fields, ...names.map((name) => ({ name, path: valueAt(name) }))],
  };
}

function contentOf(lines: readonly (string | Buffer)[]): Buffer {
  const size = lines.reduce(
    (sum, line) => sum + 1 + (typeof line === 'string' ? Buffer.byteLength(line) : line.length),
    0,
  );
  const content = Buffer.allocUnsafe(size);
  let at = 0;
  for (const line of lines) {
    at += typeof line === 'string' ? content.write(line, at) : line.copy(content, at);
    content[at++] = 0x0a;
  }
  return content;
}
