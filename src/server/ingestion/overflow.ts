// Rows that are too many for memory: distributed by time chunk while they are read, into bins of
// Parquet files in a staging folder. Each bin is sorted on its own.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bucketOf, type Granularity } from '../../model/granularity.ts';
import { leastMemoryBytes } from '../../model/memory.ts';
import type { SegmentColumn } from '../../model/segment.ts';
import { divisionVariables } from '../../sql/queries/divided-groups.ts';
import { memoryLimit } from '../engine/duckdb.ts';
import { duckdbTypeOf } from '../engine/native-types.ts';
import type { Session } from '../engine/session.ts';
import { quote } from '../engine/sql-text.ts';
import type { InputFile } from './input-file.ts';
import { meanLineBytes } from './text-files.ts';

/** Room for the rows of one ingestion. */
export interface Overflow {
  readonly folder: string; // a staging folder
  readonly memoryBytes: number; // of the service
  readonly rowBytes: number; // expected size of all rows in memory
  readonly meanBytes: number; // of a row; 0 if not known
}

/** The expected size of rows in memory. */
export type RowSizes = Pick<Overflow, 'rowBytes' | 'meanBytes'>;

/**
 * The room for rows of an expected size in memory; undefined if memory is enough for them. `folder`
 * is a staging folder.
 */
export function overflowFor(
  { rowBytes, meanBytes }: RowSizes,
  memoryBytes: number,
  folder: string,
): Overflow | undefined {
  const isSmall = rowBytes <= Math.min(binBytesFor(memoryBytes), mostBytesInMemory);
  return isSmall ? undefined : { folder, memoryBytes, rowBytes, meanBytes };
}

const binBytesFor = (memoryBytes: number) => memoryBytes / 8;

const mostBytesInMemory = 256 * 1024 ** 2;

/**
 * The number of bins for rows. The rows of each bin are buffered until they are a row group of its
 * file, and the descriptions of a file's row groups stay in memory until the file is complete. With
 * many bins, row groups are small, and their number grows with that of the bins.
 */
export function binsFor(
  { memoryBytes, rowBytes }: Overflow,
  numColumns: number,
  wanted = Math.ceil(rowBytes / binBytesFor(memoryBytes)),
): number {
  const bufferBytes = memoryBytes * shareOfBuffers;
  const groupsPerBin = (rowBytes * growthInBuffers) / bufferBytes;
  const describable = (memoryBytes / 8 / bytesPerDescription / numColumns) | 0;
  const vectors = Math.floor(bufferBytes / 4 / (numColumns * bytesOfVectors));
  return Math.max(1, Math.min(wanted, mostBins, Math.floor(describable / groupsPerBin), vectors));
}

const mostBins = 16;
const bytesOfVectors = 2 * 2048 * 16; // of a column, for the rows that a bin collects and writes
const shareOfBuffers = 1 / 4; // of the memory, for the row groups of all bins
const growthInBuffers = 3; // from the expected size to the estimate by the number of columns
const bytesPerDescription = 2048; // of a column in a row group

/** The expected sizes of the rows of files: a row is as long as those at a file's head. */
export async function sizesOfFiles(files: readonly InputFile[]): Promise<RowSizes> {
  const rowBytes = files.reduce((sum, { path, sizeBytes }) => sum + sizeBytes * growthOf(path), 0);
  const largest = files.reduce<InputFile | undefined>(
    (most, file) => (most && most.sizeBytes >= file.sizeBytes ? most : file),
    undefined,
  );
  const hasLines = largest !== undefined && growthOf(largest.path) === 1;
  return { rowBytes, meanBytes: hasLines ? await meanLineBytes(largest.path).catch(() => 0) : 0 };
}

/** The expected sizes of the rows of segments. */
export function sizesOfSegments(
  segments: readonly { readonly sizeBytes: number; readonly numRows: number }[],
): RowSizes {
  const rowBytes = segments.reduce((sum, { sizeBytes }) => sum + sizeBytes * growthOfParquet, 0);
  const numRows = segments.reduce((sum, segment) => sum + segment.numRows, 0);
  return { rowBytes, meanBytes: numRows === 0 ? 0 : rowBytes / numRows };
}

const growthOfParquet = 8;
const growthOf = (path: string) =>
  /\.(gz|zst|bz2|xz|sz|Z|zip|avro)$/.test(path) ? 5 : /\.parquet$/.test(path) ? growthOfParquet : 1;

/** The time chunk of a row. */
export interface BinKey {
  readonly sql: string | undefined; // of its start; undefined if the engine cannot compute it
  readonly granularity: Granularity | undefined; // of the chunks, if they have one
}

/** The bin of rows by their time chunk: rows with the same key are in the same bin. */
export function binOf(
  { sql, granularity }: BinKey,
  room: Overflow,
  numColumns: number,
): Pick<Distribution, 'bin' | 'numBins'> {
  if (sql === undefined) return { bin: '0', numBins: 1 };
  const numBins = binsFor(room, numColumns);
  return { bin: `(${binNumberSql(sql, granularity)} % ${numBins})::INTEGER`, numBins };
}

// Chunks that follow each other are in different bins, although not all have the same length.
function binNumberSql(key: string, granularity: Granularity | undefined): string {
  if (granularity?.type !== 'period' && granularity?.type !== 'duration') return `hash(${key})`;
  const { start, end } = bucketOf(granularity, 0);
  return `coalesce(abs((${key} + ${Math.floor((end - start) / 2)}) // ${end - start}), 0)`;
}

/** Rows to distribute. */
export interface Distribution {
  readonly name: string; // earlier bins of this name are removed
  readonly query: string;
  readonly bin: string; // SQL of its columns
  readonly numBins: number; // possible values of `bin`
  // The query computes its groups in as many parts, one after the other
  readonly numParts?: number;
}

/**
 * Writes the rows of a query into bins; returns a relation for each bin with rows, in the order of
 * their numbers.
 */
export async function distribute(
  session: Session,
  room: Overflow,
  { name, query, bin, numBins, numParts = 1 }: Distribution,
  numColumns: number,
): Promise<readonly string[]> {
  const { folder, memoryBytes } = room;
  const target = join(folder, name);
  const rowBytes = rowBytesOf(numColumns, room);
  // DuckDB copies a long row several times on its way
  const isLong = areLong(numColumns, room);
  const bufferBytes = isLong ? memoryForRows(memoryBytes) / 4 : memoryBytes;
  const atOnce = rowsIn(bufferBytes / 16, rowBytes, 131_072);
  const groupBytes = (bufferBytes * shareOfBuffers) / Math.max(2, numBins);
  // The rows of a group are the most that later statements take at a time
  const mostBytes = memoryBytes / 256 + numColumns * 8192;
  const perGroup = rowsIn(isLong ? Math.min(groupBytes, mostBytes) : groupBytes, rowBytes, 61_440);
  await rm(target, { recursive: true, force: true });
  await session.run(`SET partitioned_write_flush_threshold = ${atOnce}`);
  await limitForColumns(session, room, numColumns);
  const copy = `COPY (SELECT *, ${bin} AS bin FROM (${query})) TO ${quote(target)} (FORMAT parquet, PARTITION_BY (bin), ${numParts > 1 ? 'APPEND, ' : ''}COMPRESSION lz4_raw, ROW_GROUP_SIZE ${perGroup}, PARQUET_VERSION v2)`;
  if (numParts === 1) await session.run(copy);
  else for (let part = 0; part < numParts; part++) await runForPart(session, copy, part, numParts);
  const numbers = await readdir(target).then(
    (folders) => folders.map((entry) => Number(entry.replace('bin=', ''))),
    () => [], // there were no rows
  );
  return Promise.all(
    numbers
      .sort((a, b) => a - b)
      .map(async (number) => {
        const own = join(target, `bin=${number}`);
        return parquetRelation((await readdir(own)).sort().map((file) => join(own, file)));
      }),
  );
}

async function runForPart(session: Session, statement: string, part: number, numParts: number) {
  const { parts: ofParts, part: ofPart } = divisionVariables;
  await session.run(
    `SET VARIABLE ${ofParts} = ${numParts}::UBIGINT; SET VARIABLE ${ofPart} = ${part}::UBIGINT`,
  );
  try {
    await session.run(statement);
  } finally {
    await session.run(`RESET VARIABLE ${ofParts}; RESET VARIABLE ${ofPart}`);
  }
}

/** An estimate of the size of a row in memory, in bytes. */
export const rowBytesOf = (numColumns: number, { meanBytes }: RowSizes): number =>
  Math.max(Math.max(8, numColumns) * 24, meanBytes);

/**
 * The most rows of a row group. While it is written, DuckDB has several copies of it in memory for
 * each thread.
 */
export const rowsPerGroup = (numColumns: number, room: Overflow): number =>
  rowsIn(
    room.memoryBytes / (areLong(numColumns, room) ? 192 : 48),
    lineBytesOf(numColumns, room),
    mostRows,
  );

const mostRows = 122_880;

/** Whether rows are so long that the few that DuckDB takes at a time need much memory. */
export const areLong = (numColumns: number, room: Overflow): boolean =>
  lineBytesOf(numColumns, room) * rowsAtOnce > room.memoryBytes / 400;

const rowsAtOnce = 2048;

/**
 * Leaves one thread to a session whose rows are so long that those of a second thread would not fit
 * into memory.
 */
export async function limitThreads(session: Session, room: Overflow): Promise<void> {
  if (room.meanBytes * rowsAtOnce > room.memoryBytes / 64) await session.run('SET threads = 1');
}

// Of many columns, DuckDB has much in memory that it does not count, and the steps of their
// expressions in each thread.
async function limitForColumns(
  session: Session,
  { memoryBytes }: Overflow,
  numColumns: number,
): Promise<void> {
  const uncounted = numColumns * uncountedPerColumn;
  if (uncounted < memoryBytes / 64) return;
  const bytes = Math.max(leastMemoryBytes / 4, memoryForRows(memoryBytes) - uncounted);
  await session.run(memoryLimit(bytes));
  if (numColumns * stepsPerColumn > memoryBytes / 4) await session.run('SET threads = 1');
}

const uncountedPerColumn = 64 * 1024; // two vectors
const stepsPerColumn = 512 * 1024; // in a thread

const lineBytesOf = (numColumns: number, { meanBytes }: RowSizes): number =>
  meanBytes || numColumns * 24;

const rowsIn = (bytes: number, rowBytes: number, most: number) =>
  Math.max(leastRows, Math.min(most, Math.floor(bytes / rowBytes)));

const leastRows = 4;

/** The rows of Parquet files of a staging folder. */
export const parquetRelation = (files: readonly string[]): string =>
  `read_parquet([${files.map(quote).join(', ')}], hive_partitioning = false)`;

/** Rows in bins: no time chunk is in two of them. */
export interface Bins {
  readonly relations: readonly string[]; // a view of each bin
  readonly room: Overflow;
}

/**
 * Defines views of bins, from a query for each, with the columns `t`, `c0`, `c1`, ... for
 * `columns`.
 */
export async function viewBins(
  session: Session,
  table: string,
  queries: readonly string[],
  columns: readonly SegmentColumn[],
  room: Overflow,
): Promise<{ readonly table: string; readonly bins: Bins }> {
  const names = columns.map((_, index) => (index === 0 ? 't' : `c${index - 1}`));
  const bins = queries.map((_, index) => `${table}_${index}`);
  for (const [index, query] of queries.entries())
    await session.run(
      `CREATE TEMP VIEW ${bins[index]} AS SELECT ${names.join(', ')} FROM (${query})`,
    );
  const nothing = columns.map(
    (column, index) => `NULL::${duckdbTypeOf(column)} AS ${names[index]}`,
  );
  await session.run(
    `CREATE TEMP VIEW ${table} AS ${bins.map((bin) => `SELECT * FROM ${bin}`).join(' UNION ALL ') || `SELECT ${nothing.join(', ')} WHERE false`}`,
  );
  return { table, bins: { relations: bins, room } };
}

/**
 * The memory in bytes that DuckDB may use while it writes segments, of that of the service. It does
 * not count the buffers of the files that it reads and writes.
 */
export const memoryForRows = (memoryBytes: number): number =>
  Math.min(memoryBytes / 2, Math.max(memoryBytes / 4, memoryBytes - uncountedBytes));

const uncountedBytes = 320_000_000;
