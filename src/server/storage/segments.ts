// Table of segments. The timeline decides which of them a query sees (model/timeline.ts).
import { createHash } from 'node:crypto';
import type { Interval } from '../../model/interval.ts';
import {
  type Segment,
  type SegmentColumn,
  type SegmentIngestion,
  type ShardSpec,
  segmentId,
} from '../../model/segment.ts';
import { jsonText, jsonValue, type Transaction } from './metadata.ts';

export interface SegmentRecord extends Segment {
  readonly id: string;
  readonly used: boolean;
  readonly usedStatusLastUpdatedMs: number;
  readonly createdMs: number;
  readonly sizeBytes: number;
  readonly numRows: number;
  readonly path: string | undefined; // below the data folder; a tombstone has none
  // The same array for every segment with the same columns
  readonly columns: readonly SegmentColumn[];
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
  readonly shardSpec: ShardSpec;
  readonly lastCompactionState: Readonly<Record<string, unknown>> | undefined;
  readonly ingestion: SegmentIngestion | undefined; // unknown for segments of earlier versions
}

export type NewSegment = Omit<
  SegmentRecord,
  'id' | 'used' | 'usedStatusLastUpdatedMs' | 'createdMs'
>;

/**
 * Selection of segments. Intervals select segments fully inside them, unless `overlapping` is set.
 */
export interface StoredSegmentFilter {
  readonly dataSource?: string;
  readonly used?: boolean;
  readonly interval?: Interval;
  readonly overlapping?: boolean;
  readonly versions?: readonly string[];
  readonly ids?: readonly string[];
  readonly after?: Segment; // only segments after it in the list of its datasource
  readonly isReversed?: boolean; // reverses the order
  readonly max?: number;
}

/** Adds used segments. An existing segment is an error of the caller. */
export function insertSegments(
  tx: Transaction,
  segments: Iterable<NewSegment>,
  nowMs: number,
): SegmentRecord[] {
  const records = [...segments].map((segment) => ({
    ...segment,
    columns: sharedColumns(segment.columns),
    id: segmentId(segment),
    used: true,
    usedStatusLastUpdatedMs: nowMs,
    createdMs: nowMs,
  }));
  for (const { fingerprint, text } of new Set(records.map((record) => schemaOf(record.columns))))
    tx.run('INSERT INTO schemas VALUES (?, ?) ON CONFLICT DO NOTHING', fingerprint, text);
  for (const record of records) tx.insert('segments', segmentColumns, rowOf(record));
  return records;
}

/** Segments ordered by datasource, start, end, version and partition, or in reverse order. */
export function listSegments(tx: Transaction, filter: StoredSegmentFilter = {}): SegmentRecord[] {
  const [where, values] = condition(filter);
  const order = `ORDER BY ${orderColumns.map((column) => (filter.isReversed ? `${column} DESC` : column)).join(', ')}`;
  const limit = filter.max === undefined ? '' : `LIMIT ${filter.max}`;
  return tx
    .lists<SegmentRow>(segmentColumns, `segments ${where} ${order} ${limit}`, ...values)
    .map((row) => recordOf(tx, row));
}

/**
 * The segments of one datasource, read lazily a thousand at a time, so that neither other work nor
 * the memory suffers from their number.
 */
export function* eachSegment(
  tx: Transaction,
  {
    max = Number.MAX_SAFE_INTEGER,
    after,
    ...filter
  }: StoredSegmentFilter & { readonly dataSource: string },
): Generator<SegmentRecord, undefined> {
  let last: Segment | undefined = after;
  for (let left = max; left > 0; ) {
    const wanted = Math.min(left, 1000);
    const some = listSegments(tx, { ...filter, ...(last && { after: last }), max: wanted });
    yield* some;
    if (some.length < wanted) return;
    last = some.at(-1);
    left -= wanted;
  }
}

export function findSegment(tx: Transaction, id: string): SegmentRecord | undefined {
  const [row] = tx.lists<SegmentRow>(segmentColumns, 'segments WHERE id = ?', id);
  return row && recordOf(tx, row);
}

/**
 * Names of datasources with segments, sorted; only those with used segments unless `includeUnused`
 * is set.
 */
export function listDataSources(tx: Transaction, { includeUnused = false } = {}): string[] {
  // What was changed is known by name, however many segments there are.
  const which = includeUnused ? '' : 'AND used = 1';
  return tx
    .all<{ datasource: string }>(
      `SELECT datasource FROM datasource_revisions AS known
       WHERE EXISTS (SELECT 1 FROM segments WHERE segments.datasource = known.datasource ${which}) ORDER BY datasource`,
    )
    .map((row) => row.datasource);
}

/** Marks segments used or unused; returns how many changed. */
export function markSegments(
  tx: Transaction,
  filter: Omit<StoredSegmentFilter, 'used' | 'max'>,
  used: boolean,
  nowMs: number,
): number {
  const [where, values] = condition({ ...filter, used: !used });
  return tx.run(
    `UPDATE segments SET used = ?, used_status_last_updated_ms = ? ${where}`,
    used ? 1 : 0,
    nowMs,
    ...values,
  );
}

/** Deletes rows. SegmentStore.delete removes their files afterwards. */
export function deleteSegmentRows(tx: Transaction, ids: Iterable<string>): number {
  let deleted = 0;
  for (const id of ids) deleted += tx.run('DELETE FROM segments WHERE id = ?', id);
  return deleted;
}

/**
 * The first partition number above all segments of a chunk, used or not: numbers are never reused.
 */
export function nextPartitionNum(
  tx: Transaction,
  { dataSource, interval, version }: Omit<Segment, 'partitionNum'>,
): number {
  const row = tx.get<{ next: number }>(
    'SELECT coalesce(max(partition_num) + 1, 0) AS next FROM segments WHERE datasource = ? AND start_ms = ? AND end_ms = ? AND version = ?',
    dataSource,
    interval.start,
    interval.end,
    version,
  );
  return row?.next ?? 0;
}

/** Increases with every change of the datasource's segments. */
export const revisionOf = (tx: Transaction, dataSource: string): number =>
  tx.get<{ revision: number }>(
    'SELECT revision FROM datasource_revisions WHERE datasource = ?',
    dataSource,
  )?.revision ?? 0;

const orderColumns = ['datasource', 'start_ms', 'end_ms', 'version', 'partition_num'];

const segmentColumns = [
  'id',
  'datasource',
  'start_ms',
  'end_ms',
  'version',
  'partition_num',
  'used',
  'used_status_last_updated_ms',
  'created_ms',
  'size_bytes',
  'num_rows',
  'path',
  'schema',
  'dimensions',
  'metrics',
  'shard_spec',
  'last_compaction_state',
  'ingestion',
];

type SegmentRow = readonly [
  id: string,
  dataSource: string,
  startMs: number,
  endMs: number,
  version: string,
  partitionNum: number,
  used: number,
  usedStatusLastUpdatedMs: number,
  createdMs: number,
  sizeBytes: number,
  numRows: number,
  path: string | null,
  schema: string,
  dimensions: string,
  metrics: string,
  shardSpec: string,
  lastCompactionState: string | null,
  ingestion: string | null,
];

const rowOf = (record: SegmentRecord): SegmentRow => [
  record.id,
  record.dataSource,
  record.interval.start,
  record.interval.end,
  record.version,
  record.partitionNum,
  record.used ? 1 : 0,
  record.usedStatusLastUpdatedMs,
  record.createdMs,
  record.sizeBytes,
  record.numRows,
  record.path ?? null,
  schemaOf(record.columns).fingerprint,
  JSON.stringify(record.dimensions),
  JSON.stringify(record.metrics),
  JSON.stringify(record.shardSpec),
  jsonText(record.lastCompactionState),
  jsonText(record.ingestion),
];

function recordOf(tx: Transaction, row: SegmentRow): SegmentRecord {
  const [
    id,
    dataSource,
    start,
    end,
    version,
    partitionNum,
    used,
    usedStatusLastUpdatedMs,
    createdMs,
    sizeBytes,
    numRows,
    path,
    schema,
    dimensions,
    metrics,
    shardSpec,
    lastCompactionState,
    ingestion,
  ] = row;
  return {
    id,
    dataSource: once(dataSource),
    interval: { start, end },
    version: once(version),
    partitionNum,
    used: used === 1,
    usedStatusLastUpdatedMs,
    createdMs,
    sizeBytes,
    numRows,
    path: path ?? undefined,
    columns: columnsOf(tx, schema),
    dimensions: share(dimensions),
    metrics: share(metrics),
    shardSpec: share(shardSpec),
    lastCompactionState: lastCompactionState === null ? undefined : share(lastCompactionState),
    ingestion: ingestion === null ? undefined : share(ingestion),
  };
}

// Names and versions of 100,000 segments are few distinct texts.
const once = (text: string): string => cacheValue(texts, text, () => text);
const texts = new Map<string, string>();

// Most segments of one datasource have the same texts: each is parsed once, and equal texts share
// one object.
const share = <Value>(text: string): Value =>
  cacheValue(read, text, () => jsonValue(text)) as Value;
const read = new Map<string, unknown>();

function cacheValue<Value>(known: Map<string, Value>, text: string, make: () => Value): Value {
  const found = known.get(text);
  if (found !== undefined) return found;
  const value = make();
  if (known.size >= 10_000) known.clear();
  known.set(text, value);
  return value;
}

// A fingerprint always means the same columns, so the cache never expires.
const columnsByFingerprint = new Map<string, readonly SegmentColumn[]>();
const schemas = new WeakMap<
  readonly SegmentColumn[],
  { readonly fingerprint: string; readonly text: string }
>();

function columnsOf(tx: Transaction, fingerprint: string): readonly SegmentColumn[] {
  const known = columnsByFingerprint.get(fingerprint);
  if (known) return known;
  const text =
    tx.get<{ columns: string }>('SELECT columns FROM schemas WHERE fingerprint = ?', fingerprint)
      ?.columns ?? '[]';
  const columns = jsonValue<readonly SegmentColumn[]>(text);
  columnsByFingerprint.set(fingerprint, columns);
  return columns;
}

function sharedColumns(columns: readonly SegmentColumn[]): readonly SegmentColumn[] {
  const { fingerprint } = schemaOf(columns);
  const known = columnsByFingerprint.get(fingerprint);
  if (!known) columnsByFingerprint.set(fingerprint, columns);
  return known ?? columns;
}

function schemaOf(columns: readonly SegmentColumn[]) {
  const known = schemas.get(columns);
  if (known) return known;
  const text = JSON.stringify(
    columns.map(({ name, type, multiValue, isSerialized }) => ({
      name,
      type,
      multiValue,
      isSerialized,
    })),
  );
  const schema = {
    fingerprint: createHash('sha256').update(text).digest('hex').slice(0, 32),
    text,
  };
  schemas.set(columns, schema);
  return schema;
}

function condition({
  dataSource,
  used,
  interval,
  overlapping,
  versions,
  ids,
  after,
  isReversed,
}: StoredSegmentFilter): [string, (string | number)[]] {
  const parts: string[] = [];
  const values: (string | number)[] = [];
  const add = (part: string, ...more: (string | number)[]) => {
    parts.push(part);
    values.push(...more);
  };
  if (dataSource !== undefined) add('datasource = ?', dataSource);
  // The plus makes SQLite use the index with the right order.
  if (used !== undefined) add('+used = ?', used ? 1 : 0);
  if (interval && overlapping) add('start_ms < ? AND end_ms > ?', interval.end, interval.start);
  if (interval && !overlapping) add('start_ms >= ? AND end_ms <= ?', interval.start, interval.end);
  if (versions) add('version IN (SELECT value FROM json_each(?))', JSON.stringify(versions));
  if (ids) add('id IN (SELECT value FROM json_each(?))', JSON.stringify(ids));
  if (after) {
    const { start, end } = after.interval;
    add(
      `(start_ms, end_ms, version, partition_num) ${isReversed ? '<' : '>'} (?, ?, ?, ?)`,
      start,
      end,
      after.version,
      after.partitionNum,
    );
  }
  return [parts.length ? `WHERE ${parts.join(' AND ')}` : '', values];
}
