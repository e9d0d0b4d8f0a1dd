// Compaction: the visible rows of an interval, written anew in better segments (Druid: data-management/compaction).

import { unifiedColumns } from '../../../model/column-types.ts';
import { bucketOf, type Granularity, parseGranularity } from '../../../model/granularity.ts';
import { condensed, contains, formatInterval, type Interval, overlaps, parseInterval } from '../../../model/interval.ts';
import { duckdbTypeOf } from '../../engine/native-types.ts';
import { segmentScan } from '../../engine/segment-scan.ts';
import type { Session } from '../../engine/session.ts';
import { identifier } from '../../engine/sql-text.ts';
import { divisionOf, shardSpecOf } from '../../ingestion/divide-rows.ts';
import { bucketStartSql } from '../../ingestion/granularities.ts';
import { timeRange } from '../../ingestion/load-rows.ts';
import { parsePartitionsSpec } from '../../ingestion/partitions-spec.ts';
import { SpecFields } from '../../ingestion/spec-fields.ts';
import { groupedByChunk, type RowTable, sortRows, writeSegments } from '../../ingestion/write-segments.ts';
import type { StagedSegment } from '../../storage/segment-store.ts';
import type { SegmentRecord } from '../../storage/segments.ts';
import type { TaskPayload } from '../../storage/tasks.ts';
import { type IngestionProgress, ingestionReports, newProgress } from '../ingestion-report.ts';
import { idsOf, replacePlace } from '../segment-places.ts';
import type { RunningTask, TaskType } from '../task-type.ts';
import type { BatchParts } from './index-parallel.ts';

/** The type of compact tasks. */
export const compact = (parts: BatchParts): TaskType => ({
  priority: 25,
  slots: () => 1,
  prepare(given) {
    const fields = new SpecFields(given, '');
    const dataSource = fields.text('dataSource');
    const interval = inputInterval(fields, parts);
    granularityIn(fields);
    parsePartitionsSpec(fields.optionalObject('tuningConfig'));
    const { type: _, id: __, groupId: ___, resource: ____, context: _____, ...rest } = given;
    const inputSpec = {
      type: 'interval',
      ...fields.optionalObject('ioConfig')?.optionalObject('inputSpec')?.values,
      interval: formatInterval(interval),
    };
    const ioConfig = {
      type: 'compact',
      allowNonAlignedInterval: false,
      dropExisting: false,
      ...fields.optionalObject('ioConfig')?.values,
      inputSpec,
    };
    return { dataSource, payload: { ...rest, dataSource, ioConfig } };
  },
  locks: (payload) => [{ interval: lockedInterval(payload, parts), type: 'EXCLUSIVE' }],
  async run(task) {
    const progress = newProgress();
    task.reportWith(() => ingestionReports(task.id, progress, task.payload.context));
    const stagingFolder = await parts.segments.makeStagingFolder(task.id);
    try {
      const options = { signal: task.signal, lane: 'task' } as const;
      const staged = await parts.engine.session((session) => rewrite(session, task, progress, stagingFolder, parts), options);
      progress.state = 'COMPLETED';
      progress.segmentsPublished = staged.length;
      await parts.segments.publish(staged, (tx, records) => task.succeed(tx, idsOf(records)));
      task.log(`Published [${staged.length}] segments`);
    } catch (error) {
      progress.errorMsg = error instanceof Error ? error.message : String(error);
      throw error;
    } finally {
      await parts.segments.removeStagingFolder(task.id);
    }
  },
});

async function rewrite(
  session: Session,
  task: RunningTask,
  progress: IngestionProgress,
  folder: string,
  parts: BatchParts,
): Promise<StagedSegment[]> {
  const { segments } = parts;
  const { dataSource, payload } = task;
  const interval = intervalOf(payload);
  const timeline = segments.timeline(dataSource);
  const visible = timeline.visible([interval]).filter(({ segment }) => contains(interval, segment.interval));
  task.log(`Compacting [${visible.length}] segments of [${formatInterval(interval)}]`);
  if (visible.length === 0) return [];
  const records = visible.map(({ segment }) => segment);
  const columns = unifiedColumns(newestFirst(records).map((segment) => segment.columns));
  progress.state = 'DETERMINE_PARTITIONS';
  const stored = columns.map(
    (column, index) => `${identifier(column.name)}::${duckdbTypeOf(column)} AS ${index === 0 ? 't' : `c${index - 1}`}`,
  );
  await session.run(
    `CREATE TEMP TABLE compacted_rows AS SELECT ${stored.join(', ')} FROM ${segmentScan(visible, columns, (segment) => segments.fileOf(segment))}`,
  );
  const [[count] = []] = await session.rows('SELECT count(*) FROM compacted_rows');
  progress.stats.processed = Number(count);
  progress.stats.processedBytes = records.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const metrics = [...new Set(records.flatMap((segment) => segment.metrics))];
  const dimensions = columns.slice(1).flatMap(({ name }) => (metrics.includes(name) ? [] : name));
  const rows: RowTable = { table: 'compacted_rows', columns, dimensions, metrics, discovered: [] };
  const fields = new SpecFields(payload, '');
  const granularity = granularityIn(fields);
  const partitionsSpec = parsePartitionsSpec(fields.optionalObject('tuningConfig'));
  const places = condensedChunks(records);
  const chunk = granularity
    ? await bucketStartSql(session, granularity, 't', () => timeRange(session, rows.table), 'chunk_buckets')
    : chunkCase(places);
  const partitions = await sortRows(session, rows, divisionOf(partitionsSpec, chunk, columns, dimensions));
  const locks = await task.lock([{ interval: lockedInterval(payload, parts), type: 'EXCLUSIVE' }]);
  progress.state = 'BUILD_SEGMENTS';
  const allowed = fields.object('ioConfig').truth('allowNonAlignedInterval') ? lockedInterval(payload, parts) : interval;
  const siblingsOf = groupedByChunk(partitions);
  const chunkOf = (start: number) =>
    granularity ? bucketOf(granularity, start) : (places.find((place) => place.start === start) ?? interval);
  for (const start of siblingsOf.keys()) {
    if (contains(allowed, chunkOf(start))) continue;
    throw new Error(
      `Interval [${formatInterval(interval)}] to compact is not aligned with the segmentGranularity: it cuts [${formatInterval(chunkOf(start))}]`,
    );
  }
  return writeSegments(partitions, {
    session,
    rows,
    dataSource,
    folder,
    placeOf(partition) {
      const siblings = siblingsOf.get(partition.chunkStart) ?? [];
      return replacePlace(chunkOf(partition.chunkStart), siblings, partition, shardSpecOf(partitionsSpec, partition, siblings), locks);
    },
    onWritten: ({ numRows, sizeBytes, interval }) =>
      task.log(`Wrote a segment of [${formatInterval(interval)}]: [${numRows}] rows in [${sizeBytes}] bytes`),
    lastCompactionState: compactionState(fields),
  });
}

// What the segments were made with, so that compaction by policy sees that they need none.
const compactionState = (fields: SpecFields): Readonly<Record<string, unknown>> => ({
  partitionsSpec: fields.optionalObject('tuningConfig')?.values.partitionsSpec ?? {
    type: 'dynamic',
    maxRowsPerSegment: 5_000_000,
    maxTotalRows: null,
  },
  ...(fields.has('dimensionsSpec') && { dimensionsSpec: fields.values.dimensionsSpec }),
  ...(fields.has('metricsSpec') && { metricsSpec: fields.values.metricsSpec }),
  ...(fields.has('transformSpec') && { transformSpec: fields.values.transformSpec }),
  ...(fields.has('granularitySpec') && { granularitySpec: fields.values.granularitySpec }),
});

const newestFirst = (records: readonly SegmentRecord[]) =>
  [...records].sort((a, b) => (a.version < b.version ? 1 : a.version > b.version ? -1 : b.interval.start - a.interval.start));

// Without a granularity the time chunks stay as they are; those that overlap become one.
const condensedChunks = (records: readonly SegmentRecord[]): Interval[] => {
  const chunks: Interval[] = [];
  for (const { interval } of [...records].sort((a, b) => a.interval.start - b.interval.start)) {
    const last = chunks.at(-1);
    if (last && overlaps(last, interval)) chunks[chunks.length - 1] = { start: last.start, end: Math.max(last.end, interval.end) };
    else chunks.push(interval);
  }
  return chunks;
};

const chunkCase = (chunks: readonly Interval[]) =>
  `CASE ${chunks.map(({ start, end }) => `WHEN t >= ${start} AND t < ${end} THEN ${start}::BIGINT`).join(' ')} END`;

const intervalOf = (payload: TaskPayload): Interval =>
  parseInterval(new SpecFields(payload, '').object('ioConfig').object('inputSpec').text('interval'));

// Whole time chunks, of the present segments and of the new granularity.
function lockedInterval(payload: TaskPayload, { segments }: BatchParts): Interval {
  const interval = intervalOf(payload);
  const granularity = granularityIn(new SpecFields(payload, ''));
  if (!granularity || granularity.type === 'all' || granularity.type === 'none') return interval;
  const inside = segments
    .timeline(String(payload.dataSource))
    .visible([interval])
    .map(({ segment }) => segment.interval);
  const [first = interval] = condensed(inside);
  const last = condensed(inside).at(-1) ?? interval;
  return {
    start: Math.min(interval.start, bucketOf(granularity, first.start).start),
    end: Math.max(interval.end, bucketOf(granularity, last.end - 1).end),
  };
}

function inputInterval(fields: SpecFields, { segments }: BatchParts): Interval {
  if (fields.has('interval')) return fields.interval('interval');
  if (fields.has('segments')) return spanOf(fields.texts('segments'), fields, segments);
  const input = fields.object('ioConfig').object('inputSpec');
  return input.type('CompactionInputSpec', ['interval', 'segments'], 'interval') === 'interval'
    ? input.interval('interval')
    : spanOf(input.texts('segments'), fields, segments);
}

function spanOf(ids: readonly string[], fields: SpecFields, segments: BatchParts['segments']): Interval {
  const known = segments
    .timeline(fields.text('dataSource'))
    .visible()
    .filter(({ segment }) => ids.includes(segment.id));
  if (known.length === 0) return fields.refuse('none of the segments is there');
  return {
    start: Math.min(...known.map(({ segment }) => segment.interval.start)),
    end: Math.max(...known.map(({ segment }) => segment.interval.end)),
  };
}

function granularityIn(fields: SpecFields): Granularity | undefined {
  const given = fields.optionalObject('granularitySpec')?.values.segmentGranularity ?? fields.values.segmentGranularity;
  if (given === undefined || given === null) return undefined;
  try {
    return parseGranularity(given);
  } catch (error) {
    return fields.refuse(`segmentGranularity cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
