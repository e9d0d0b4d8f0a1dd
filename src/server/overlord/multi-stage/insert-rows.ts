// INSERT and REPLACE: checks the rows of a query, divides them into segments, and writes them as
// unpublished files.

import {
  bucketsIn,
  type Granularity,
  granularityJson,
  granularityName,
} from '../../../model/granularity.ts';
import { formatInstant } from '../../../model/instant.ts';
import {
  contains,
  eternity,
  formatInterval,
  type Interval,
  sameInterval,
} from '../../../model/interval.ts';
import type { SegmentColumn } from '../../../model/segment.ts';
import type { IngestStatement, OutputColumn, SelectStatement } from '../../../sql/statement.ts';
import { duckdbTypeOf } from '../../engine/native-types.ts';
import { OutOfMemory } from '../../engine/refusals.ts';
import type { Session } from '../../engine/session.ts';
import { shardSpecOf } from '../../ingestion/divide-rows.ts';
import { computedBucketSql } from '../../ingestion/granularities.ts';
import { reingestedAs } from '../../ingestion/ingested-as.ts';
import { binOf, distribute, type Overflow, viewBins } from '../../ingestion/overflow.ts';
import type { PartitionsSpec } from '../../ingestion/partitions-spec.ts';
import { sortRows } from '../../ingestion/sort-rows.ts';
import {
  groupByChunk,
  inOrderOfTime,
  type RowTable,
  type SegmentPartition,
  type SortedRows,
  writeSegments,
} from '../../ingestion/write-segments.ts';
import {
  cannotAllocate,
  invalidNullByte,
  nothingToInsert,
  restrictedColumn,
  rowTooLarge,
  timeIsNull,
  tooManyBuckets,
  tooManyClusteredByColumns,
  tooManyPartitions,
  tooManySegments,
  unsupportedColumn,
} from '../../statements/faults.ts';
import type { StagedSegment } from '../../storage/segment-store.ts';
import type { TaskLock } from '../../storage/task-locks.ts';
import { locksOn } from '../../tasks/batch-run.ts';
import { statementLockType } from '../../tasks/lock-types.ts';
import { appendPlace, joinChunk, replacePlace, tombstones } from '../../tasks/segment-places.ts';
import {
  addReading,
  checkColumnCount,
  makeRows,
  openInputs,
  type QueryRun,
  type StageReading,
  signatureOf,
  sourceOf,
} from './query-run.ts';
import { channel, type Stage, segmentProgress, sortedCounter } from './report.ts';
import type { QuerySettings } from './settings.ts';
import {
  checkBounds,
  chunkAt,
  divisionFor,
  empty,
  findOverwritten,
  granularityOf,
  rangeColumns,
} from './target.ts';

/**
 * Runs the query of a statement and writes its rows as segments; returns the segments to publish.
 * Throws QueryFailed.
 */
export async function insertRows(
  run: QueryRun,
  statement: IngestStatement,
): Promise<StagedSegment[]> {
  checkColumns(statement.query.columns);
  if (statement.clusteredBy.length > maxClusteredBy)
    throw tooManyClusteredByColumns(statement.clusteredBy.length, maxClusteredBy, 0);
  const stages = addStages(run, statement);
  const rows = await readRows(run, statement, stages);
  const sorted = await partitionRows(run, statement, rows, stages);
  const target = await lockTarget(run, statement, sorted.partitions);
  const staged = await writePartitions(run, statement, { rows, ...sorted, target, ...stages });
  run.report.segmentReport = segmentReport(statement, staged);
  return [...staged, ...tombstonesOf(run, target, staged)];
}

interface InsertStages {
  readonly opening: StageReading;
  readonly reading: Stage;
  readonly writing: Stage;
  readonly sorts: boolean;
}

function addStages(run: QueryRun, statement: IngestStatement): InsertStages {
  const { task, settings, report } = run;
  const sorts = statement.clusteredBy.length > 0 || statement.partitionedBy !== 'ALL';
  const opening = addReading(run, statement.query, {
    processor: { type: 'scan' },
    signature: signatureOf(statement.query.columns),
    shuffle: { type: sorts ? 'targetSize' : 'mix', targetSize: settings.rowsPerSegment },
    sorts,
  });
  const writing = report.addStage({
    input: [{ type: 'stage', stage: opening.number }],
    processor: { type: 'segmentGenerator', dataSchema: { dataSource: task.dataSource } },
    signature: [],
    maxWorkers: settings.maxWorkers,
  });
  return { opening, reading: opening.stage, writing, sorts };
}

async function readRows(
  run: QueryRun,
  statement: IngestStatement,
  { opening, reading }: InsertStages,
): Promise<RowTable> {
  const { session, settings, workers } = run;
  const { query } = statement;
  const inputs = await openInputs(run, query, opening, true);
  const asked = queryRows(statement, settings);
  const rows = await makeRows(session, query, () =>
    inputs.read(() => storeRows(run, statement, asked, inputs.overflow)),
  );
  reading.start('POST_READING');
  const numRows = await checkRows(run, query, rows, asked);
  await inputs.close(numRows);
  reading.count('output', channel({ rows: numRows }));
  workers.log(0, `Query returned [${numRows}] rows`);
  return rows;
}

async function partitionRows(
  { session, settings }: QueryRun,
  statement: IngestStatement,
  rows: RowTable,
  { reading, sorts }: InsertStages,
): Promise<SortedRows> {
  const division = await divisionFor(session, statement, rows, settings);
  const sorted = await sortRows(session, rows, division);
  const { partitions } = sorted;
  if (partitions.length > settings.maxPartitions) throw tooManyPartitions(settings.maxPartitions);
  reading.partitionCount = partitions.length;
  reading.count('shuffle', channel({ rows: partitions.map(({ numRows }) => numRows) }));
  if (sorts) reading.count('sortProgress', sortedCounter());
  reading.end();
  return sorted;
}

// The locked place of the new segments.
interface Target {
  readonly granularity: Granularity;
  readonly chunkOf: (partition: SegmentPartition) => Interval;
  readonly siblingsOf: ReadonlyMap<number, readonly SegmentPartition[]>;
  readonly chunks: readonly Interval[];
  readonly overwritten: readonly Interval[] | undefined; // of REPLACE
  readonly locks: readonly TaskLock[];
}

async function lockTarget(
  run: QueryRun,
  statement: IngestStatement,
  partitions: readonly SegmentPartition[],
): Promise<Target> {
  const { task, session, settings, segments } = run;
  const granularity = granularityOf(statement);
  const siblingsOf = groupByChunk(partitions);
  checkChunks(siblingsOf, statement, settings);
  const chunks = [...siblingsOf.keys()].map((start) => chunkAt(granularity, start));
  const overwritten = findOverwritten(statement);
  if (overwritten) checkBounds(chunks, overwritten);
  const intervals =
    overwritten ?? chunks.map((chunk) => joinChunk(segments, task.dataSource, chunk));
  const lockType = statementLockType(statement.context, overwritten !== undefined);
  const locks = await session.aside(() => task.lock(locksOn(intervals, lockType)));
  if (!overwritten) for (const chunk of chunks) checkAllocation(run, chunk);
  return {
    granularity,
    chunkOf: ({ chunkStart }) => chunkAt(granularity, chunkStart),
    siblingsOf,
    chunks,
    overwritten,
    locks,
  };
}

interface ToWrite extends Pick<InsertStages, 'writing'>, SortedRows {
  readonly rows: RowTable;
  readonly target: Target;
}

async function writePartitions(
  run: QueryRun,
  statement: IngestStatement,
  { rows, partitions, sortedRowsOf, target, writing }: ToWrite,
): Promise<StagedSegment[]> {
  const { task, session, settings, workers, stagingFolder } = run;
  const wantedWorkers = Math.min(settings.maxWorkers, partitions.length);
  writing.start();
  writing.workerCount = Math.max(1, Math.min(workers.launch(wantedWorkers), partitions.length));
  writing.partitionCount = partitions.length;
  const spec = partitionsSpecOf(statement, rows, settings);
  const staged: StagedSegment[] = [];
  for (const [worker, own] of shares(partitions, writing.workerCount).entries()) {
    const toWrite = own.reduce((sum, { numRows }) => sum + numRows, 0);
    let written = 0;
    const countWritten = () =>
      writing.count(
        'segmentGenerationProgress',
        segmentProgress(toWrite, written, written),
        worker,
      );
    writing.count('input0', channel({ rows: own.map(({ numRows }) => numRows) }), worker);
    countWritten();
    const segmentsOfWorker = await writeSegments(own, {
      session,
      rows,
      sortedRowsOf,
      dataSource: task.dataSource,
      folder: stagingFolder,
      filePrefix: `segment-${worker}`,
      rowsPerGroup: settings.rowsInMemory,
      compression: settings.indexSpec.compression,
      ingestion: reingestedAs(granularityAndRollup(statement), statement.rollup?.aggregators ?? []),
      ...(settings.storeCompactionState &&
        target.overwritten && {
          lastCompactionState: compactionState(statement, spec, rows, settings),
        }),
      placeOf: (partition) => placeOf(run, partition, target, spec),
      onWritten: (segment) => {
        written += segment.numRows;
        countWritten();
        workers.log(
          worker,
          `Wrote a segment of [${formatInterval(segment.interval)}]: [${segment.numRows}] rows in [${segment.sizeBytes}] bytes`,
        );
      },
    });
    staged.push(...segmentsOfWorker);
  }
  writing.end();
  return inOrderOfTime(staged);
}

function placeOf(
  { task, segments }: QueryRun,
  partition: SegmentPartition,
  { chunkOf, siblingsOf, overwritten, locks }: Target,
  spec: PartitionsSpec,
) {
  const chunk = chunkOf(partition);
  if (!overwritten) return appendPlace(segments, task.dataSource, chunk, locks);
  const siblings = siblingsOf.get(partition.chunkStart) ?? [];
  return replacePlace(chunk, siblings, partition, shardSpecOf(spec, partition, siblings), locks);
}

// The tombstones of overwritten intervals without new rows.
function tombstonesOf(
  { task, segments }: QueryRun,
  { granularity, chunks, overwritten, locks }: Target,
  staged: readonly StagedSegment[],
): readonly StagedSegment[] {
  if (!overwritten) return [];
  const { dataSource } = task;
  const withoutRows = empty(segments, dataSource, overwritten, chunks);
  const places = bucketsOf(granularity, withoutRows);
  return tombstones(segments, dataSource, places, staged, locks);
}

// One for each bucket, so that a later INSERT with the same granularity finds its place. An endless
// interval stays whole.
function bucketsOf(granularity: Granularity, intervals: readonly Interval[]): Iterable<Interval> {
  const found = new Map<number, Interval>();
  for (const interval of intervals) {
    const isEndless = interval.start <= eternity.start || interval.end >= eternity.end;
    for (const bucket of isEndless ? [interval] : bucketsIn(granularity, interval)) {
      found.set(bucket.start, bucket);
      if (found.size > maxBuckets) throw tooManyBuckets(maxBuckets);
    }
  }
  return found.values();
}

const maxClusteredBy = 1500;
const maxBuckets = 5000;

// ── Rows ─────────────────────────────────────────────────────────────────────────────────────────

function checkColumns(columns: readonly OutputColumn[]): void {
  checkColumnCount(columns);
  const restricted = columns.find(({ name }) => name === '__boost' || name === '__partition');
  if (restricted) throw restrictedColumn(restricted.name);
  const unknown = columns.find(({ nativeType }) => nativeType === null);
  if (unknown) throw unsupportedColumn(unknown.name, null);
}

interface QueryRows {
  readonly select: string; // with `t`, `c0`, `c1`, ...
  readonly rows: Omit<RowTable, 'table' | 'bins'>;
}

// The rows of the statement, with the time first and metrics last. Without a column __time, all
// rows have a time in 1970.
function queryRows({ query, rollup }: IngestStatement, settings: QuerySettings): QueryRows {
  const { duckdb, columns } = query;
  const time = columns.findIndex(({ name }) => name === '__time');
  const stored = columns
    .map((column, index) => ({ column: segmentColumn(column, settings), index }))
    .filter(({ index }) => index !== time);
  const metrics = new Set(rollup?.aggregators.map(({ name }) => name));
  const [dimensions, measured] = [
    stored.filter(({ column }) => !metrics.has(column.name)),
    stored.filter(({ column }) => metrics.has(column.name)),
  ];
  const others = [...dimensions, ...measured];
  const values = others.map(
    ({ column, index }, position) => `${storedSql(column, `q${index}`, settings)} AS c${position}`,
  );
  const names = columns.map((_, index) => `q${index}`).join(', ');
  const select = `SELECT ${[`${time === -1 ? '0::BIGINT' : `CAST(q${time} AS BIGINT)`} AS t`, ...values].join(', ')} FROM (${duckdb}) AS q(${names})`;
  const rows = {
    columns: [
      { name: '__time', type: 'LONG', multiValue: false },
      ...others.map(({ column }) => column),
    ],
    dimensions: dimensions.map(({ column }) => column.name),
    metrics: measured.map(({ column }) => column.name),
    discovered: [],
    omittable: [],
  };
  return { select, rows };
}

async function storeRows(
  { session, workers }: QueryRun,
  statement: IngestStatement,
  { select, rows }: QueryRows,
  overflow: Overflow | undefined,
): Promise<RowTable> {
  if (!overflow) {
    await session.run(`CREATE TEMP TABLE query_rows AS ${select}`);
    return { ...rows, table: 'query_rows' };
  }
  const { columns } = rows;
  const granularity = granularityOf(statement);
  const key = { sql: computedBucketSql(granularity, 't'), granularity };
  const asked = { name: 'rows', query: select, ...binOf(key, overflow, columns.length) };
  const inParts = (numParts: number): Promise<readonly string[]> =>
    distribute(session, overflow, { ...asked, numParts }, columns.length).catch((error) => {
      const more = numParts * 4;
      if (!statement.query.isDivisible || more > mostParts || !isOutOfMemory(error)) throw error;
      workers.log(0, `The groups are too many for memory: computing them in [${more}] parts`);
      return inParts(more);
    });
  const bins = await inParts(1);
  const queries = bins.map((bin) => `SELECT * FROM ${bin}`);
  return { ...rows, ...(await viewBins(session, 'query_rows', queries, columns, overflow)) };
}

const mostParts = 64; // each reads all rows

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof OutOfMemory && error.lacking === 'memory';

function storedSql(column: SegmentColumn, sql: string, { removeNullBytes }: QuerySettings): string {
  const value = `CAST(${sql} AS ${duckdbTypeOf(column)})`;
  if (!removeNullBytes) return value;
  if (isTexts(column)) return `list_transform(${value}, lambda item: replace(item, chr(0), ''))`;
  return isText(column) ? `replace(${value}, chr(0), '')` : value;
}

// Complex values that are stored as texts.
const textualComplex = new Set(['COMPLEX<json>', 'COMPLEX<HLLSketch>', 'COMPLEX<thetaSketch>']);

const isTexts = ({ type, multiValue }: SegmentColumn) => multiValue || type === 'ARRAY<STRING>';
const isText = ({ type, multiValue }: SegmentColumn) => type === 'STRING' && !multiValue;

const segmentColumn = (
  { name, type, nativeType }: OutputColumn,
  { arrayIngestMode }: QuerySettings,
): SegmentColumn =>
  nativeType === 'ARRAY<STRING>' && arrayIngestMode === 'MVD'
    ? { name, type: 'STRING', multiValue: true }
    : { name, type: nativeType ?? 'STRING', multiValue: type.multiValue ?? false };

// Counts the rows, and refuses rows that no segment can store.
async function checkRows(
  { session, settings, task }: QueryRun,
  query: SelectStatement,
  rows: RowTable,
  { select }: QueryRows,
): Promise<number> {
  const own = rows.columns.slice(1).map((column, index) => ({ column, sql: `c${index}` }));
  const texts = own
    .filter(({ column }) => isText(column) || isTexts(column))
    .map(({ column, sql }) => ({ column, sql, text: `${sql}::VARCHAR` }));
  const withNull = settings.removeNullBytes ? [] : texts;
  const counts = withNull.map(({ text }) => `count(*) FILTER (contains(${text}, chr(0)))`);
  const sized = own
    .filter(({ column }) => isText(column) || isTexts(column) || textualComplex.has(column.type))
    .map(({ sql }) => sql);
  // In one statement, because rows in bins are read from disk
  const asked = ['count(*)', 'count(*) FILTER (t IS NULL)', largestRowSql(sized), ...counts];
  const [[count, untimed, largest, ...bad] = []] = await session.rows(
    `SELECT ${asked.join(', ')} FROM ${rows.table}`,
  );
  if (Number(untimed) > 0) throw timeIsNull();
  if (Number(count) === 0 && settings.failOnEmptyInsert) throw nothingToInsert(task.dataSource);
  const found = withNull.find((_, index) => Number(bad[index]) > 0);
  // Rows in bins have lost their order
  const numbered = rows.bins
    ? `(SELECT *, row_number() OVER () - 1 AS rowid FROM (${select}))`
    : rows.table;
  if (found)
    throw await nullByteIn(session, numbered, found.column.name, found.text, sourceOf(query));
  if (Number(largest) > settings.maxFrameBytes) throw rowTooLarge(settings.maxFrameBytes);
  return Number(count);
}

// The size of the largest row in bytes, by its texts.
const largestRowSql = (texts: readonly string[]): string =>
  `coalesce(max(${texts.map((text) => `coalesce(strlen(${text}::VARCHAR), 0)`).join(' + ') || '0'}), 0)`;

async function nullByteIn(
  session: Session,
  table: string,
  column: string,
  text: string,
  source: string,
) {
  const [[row, value] = []] = await session.rows(
    `SELECT rowid, ${text} FROM ${table} WHERE contains(${text}, chr(0)) ORDER BY rowid LIMIT 1`,
  );
  const shown = String(value);
  return invalidNullByte({
    source,
    rowNumber: Number(row) + 1,
    column,
    value: shown,
    position: shown.indexOf('\0') + 1,
  });
}

// ── Segments ─────────────────────────────────────────────────────────────────────────────────────

function checkChunks(
  siblingsOf: ReadonlyMap<number, readonly SegmentPartition[]>,
  statement: IngestStatement,
  settings: QuerySettings,
): void {
  if (siblingsOf.size > maxBuckets) throw tooManyBuckets(maxBuckets);
  const { maxNumSegments } = settings;
  if (maxNumSegments === undefined) return;
  const granularity = granularityOf(statement);
  for (const [start, siblings] of siblingsOf) {
    if (siblings.length <= maxNumSegments) continue;
    const json = granularityName(granularity) ?? granularityJson(granularity);
    throw tooManySegments(formatInstant(start), siblings.length, maxNumSegments, {
      name: granularityName(granularity) ?? statement.partitionedBy,
      json,
    });
  }
}

// A segment that joins existing ones must have the same time chunk.
function checkAllocation({ segments, task }: QueryRun, chunk: Interval): void {
  const clash = segments
    .timeline(task.dataSource)
    .visible([chunk])
    .find(({ segment }) => !sameInterval(segment.interval, chunk))?.segment.interval;
  if (clash)
    throw cannotAllocate(
      task.dataSource,
      formatInterval(chunk),
      contains(clash, chunk) ? formatInterval(clash) : undefined,
    );
}

// Adjacent partitions go to one worker.
function shares(partitions: readonly SegmentPartition[], workers: number): SegmentPartition[][] {
  const size = Math.ceil(partitions.length / workers);
  return Array.from({ length: workers }, (_, worker) =>
    partitions.slice(worker * size, (worker + 1) * size),
  );
}

function partitionsSpecOf(
  statement: IngestStatement,
  rows: RowTable,
  { rowsPerSegment }: QuerySettings,
): PartitionsSpec {
  const partitionDimensions = rangeColumns(statement, rows.columns);
  return partitionDimensions.length > 0
    ? { type: 'range', partitionDimensions, targetRowsPerSegment: rowsPerSegment }
    : { type: 'dynamic', maxRowsPerSegment: rowsPerSegment };
}

const granularityAndRollup = ({ rollup }: IngestStatement) => ({
  queryGranularity: rollup?.queryGranularity ?? ({ type: 'none' } as const),
  rollup: rollup !== undefined,
});

function compactionState(
  statement: IngestStatement,
  spec: PartitionsSpec,
  rows: RowTable,
  { indexSpec }: QuerySettings,
): Readonly<Record<string, unknown>> {
  const { partitionedBy } = statement;
  const { queryGranularity, rollup } = granularityAndRollup(statement);
  return {
    partitionsSpec: spec,
    dimensionsSpec: {
      dimensions: rows.columns
        .filter(({ name }) => rows.dimensions.includes(name))
        .map(({ name, type, multiValue }) =>
          type === 'STRING' && !multiValue
            ? { type: 'string', name }
            : {
                type: type.startsWith('COMPLEX')
                  ? 'json'
                  : type.startsWith('ARRAY')
                    ? 'auto'
                    : type.toLowerCase(),
                name,
              },
        ),
      dimensionExclusions: [],
    },
    metricsSpec: statement.rollup?.aggregators ?? [],
    indexSpec: indexSpec.given,
    granularitySpec: {
      segmentGranularity:
        partitionedBy === 'ALL'
          ? 'ALL'
          : { type: 'period', period: partitionedBy, timeZone: 'UTC', origin: null },
      queryGranularity: granularityName(queryGranularity) ?? granularityJson(queryGranularity),
      rollup,
    },
  };
}

function segmentReport(
  { kind, clusteredBy }: IngestStatement,
  staged: readonly StagedSegment[],
): Readonly<Record<string, unknown>> {
  if (staged.some(({ shardSpec }) => shardSpec.type === 'range'))
    return {
      shardSpec: 'DimensionRangeShardSpec',
      details: 'Using RangeShardSpec to generate segments.',
    };
  const reason =
    kind === 'insert'
      ? 'the query is inserting rows'
      : clusteredBy.length === 0
        ? 'the query has no CLUSTERED BY'
        : 'a column of CLUSTERED BY is not a string, or has several values in a row';
  return {
    shardSpec: 'NumberedShardSpec',
    details: `Using NumberedShardSpec to generate segments since ${reason}.`,
  };
}
