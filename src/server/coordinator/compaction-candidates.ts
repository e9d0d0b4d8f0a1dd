// Candidates for compaction: time chunks of a datasource, with reasons for the skipped ones (Druid:
// DataSourceCompactibleSegmentIterator, CompactionStatus).
import type { CompactionConfig } from '../../contract/compaction.ts';
import {
  bucketOf,
  bucketStart,
  type Granularity,
  isBucket,
  parseGranularity,
  shownGranularity,
} from '../../model/granularity.ts';
import { eternity, type Interval, overlaps, parseInterval } from '../../model/interval.ts';
import { formatJson } from '../../model/json.ts';
import { addPeriod, parsePeriod } from '../../model/period.ts';
import { isTombstone } from '../../model/segment.ts';
import { isObject, type SpecValues } from '../checks/spec-fields.ts';
import { comparablePartitions, wantedPartitions } from '../configuration/compaction-config.ts';
import type { SegmentRecord } from '../storage/segments.ts';

export interface Candidate {
  readonly dataSource: string;
  // Whole time chunks, of both the current segments and the configured granularity
  readonly interval: Interval;
  readonly segments: readonly SegmentRecord[];
  readonly uncompacted: readonly SegmentRecord[]; // the segments that await compaction
  readonly state: 'awaiting' | 'compacted' | 'skipped';
  readonly reason: string; // why it awaits compaction or is skipped; empty when it is compacted
}

/**
 * The time chunks of a datasource, ascending, each with its compaction state. `segments` are the
 * visible ones, `locked` the intervals locked by tasks other than compaction, `compacting` the
 * intervals of running compactions.
 */
export function candidatesOf(
  config: CompactionConfig,
  segments: readonly SegmentRecord[],
  {
    locked,
    compacting,
  }: { readonly locked: readonly Interval[]; readonly compacting: readonly Interval[] },
): Candidate[] {
  const granularity = granularityOf(config);
  const real = segments.filter(({ shardSpec }) => !isTombstone(shardSpec));
  const skipped = [
    ...findSkipped(config, real, granularity),
    ...locked.map((interval) => ({ interval, reason: 'locked by a task' })),
  ];
  const limit = config.inputSegmentSizeBytes ?? Number.POSITIVE_INFINITY;
  const judge = (
    interval: Interval,
    chunk: readonly SegmentRecord[],
  ): Pick<Candidate, 'state' | 'reason'> & Partial<Pick<Candidate, 'uncompacted'>> => {
    if (compacting.some((other) => overlaps(other, interval)))
      return { state: 'compacted', reason: '' };
    if (
      chunk.some(({ interval: { start, end } }) => start === eternity.start || end === eternity.end)
    )
      return { state: 'skipped', reason: 'Segments have partial-eternity intervals' };
    const skip = skipped.find((other) => overlaps(other.interval, interval));
    if (skip) return { state: 'skipped', reason: skip.reason };
    const lacks = chunk.flatMap((segment) => {
      const lack = lackOf(config, segment, granularity);
      return lack === undefined ? [] : [{ segment, lack }];
    });
    const [first] = lacks;
    if (!first) return { state: 'compacted', reason: '' };
    const size = chunk.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    if (size > limit)
      return {
        state: 'skipped',
        reason: `Total segment size [${size}] is larger than allowed inputSegmentSizeBytes [${limit}]`,
      };
    return {
      state: 'awaiting',
      reason: first.lack,
      uncompacted: lacks.map(({ segment }) => segment),
    };
  };
  return chunksOf(real, granularity).map(({ interval, segments: chunk }) => ({
    dataSource: config.dataSource,
    interval,
    segments: chunk,
    uncompacted: [],
    ...judge(interval, chunk),
  }));
}

interface Chunk {
  readonly interval: Interval;
  readonly segments: SegmentRecord[];
}

// Segments whose time chunks overlap after widening to the configured granularity can only be
// compacted together.
function chunksOf(
  segments: readonly SegmentRecord[],
  granularity: Granularity | undefined,
): Chunk[] {
  const chunks: Chunk[] = [];
  const widened = segments.map((segment) => ({
    segment,
    interval: widenTo(granularity, segment.interval),
  }));
  for (const { segment, interval } of widened.sort(
    (a, b) => a.interval.start - b.interval.start || a.interval.end - b.interval.end,
  )) {
    const last = chunks.at(-1);
    if (last && overlaps(last.interval, interval)) {
      last.segments.push(segment);
      chunks[chunks.length - 1] = {
        ...last,
        interval: { start: last.interval.start, end: Math.max(last.interval.end, interval.end) },
      };
    } else chunks.push({ interval, segments: [segment] });
  }
  return chunks;
}

function widenTo(granularity: Granularity | undefined, interval: Interval): Interval {
  if (
    !granularity ||
    granularity.type === 'none' ||
    interval.start === eternity.start ||
    interval.end === eternity.end
  )
    return interval;
  return {
    start: bucketStart(granularity, interval.start),
    end: bucketOf(granularity, interval.end - 1).end,
  };
}

// The newest data are skipped: they may still grow. The newest time is that of the segments, not of
// the clock.
function findSkipped(
  config: CompactionConfig,
  segments: readonly SegmentRecord[],
  granularity: Granularity | undefined,
) {
  const latest = segments.reduce(
    (end, { interval }) => Math.max(end, interval.end),
    Number.NEGATIVE_INFINITY,
  );
  const start =
    segments.length === 0
      ? latest
      : addPeriod(latest, parsePeriod(config.skipOffsetFromLatest ?? 'P1D'), -1);
  const offset = `within [${config.skipOffsetFromLatest ?? 'P1D'}] of the newest data`;
  return [
    ...(start < latest
      ? [{ interval: widenTo(granularity, { start, end: latest }), reason: offset }]
      : []),
    ...(config.skipIntervals ?? []).map((text) => ({
      interval: parseInterval(text),
      reason: `in the skipped interval [${text}]`,
    })),
  ];
}

// The difference between a segment and the configuration; fields that the configuration omits are
// not compared.
function lackOf(
  config: CompactionConfig,
  segment: SegmentRecord,
  granularity: Granularity | undefined,
): string | undefined {
  const { lastCompactionState: state } = segment;
  if (!state) return 'not compacted yet';
  const has: SpecValues = isObject(state.granularitySpec) ? state.granularitySpec : {};
  const wants: SpecValues = config.granularitySpec ?? {};
  if (differ(comparablePartitions(state.partitionsSpec), wantedPartitions(config)))
    return "'partitionsSpec' mismatch";
  if (granularity && !isBucket(granularity, segment.interval))
    return "'segmentGranularity' mismatch";
  if (
    wants.queryGranularity &&
    differ(nameOf(has.queryGranularity), nameOf(wants.queryGranularity))
  )
    return "'queryGranularity' mismatch";
  if (typeof wants.rollup === 'boolean' && wants.rollup !== (has.rollup ?? false))
    return "'rollup' mismatch";
  const dimensions = dimensionsIn(config.dimensionsSpec);
  if (dimensions.length > 0 && differ(dimensionsIn(state.dimensionsSpec), dimensions))
    return "'dimensionsSpec' mismatch";
  if (config.metricsSpec?.length && differ(state.metricsSpec, config.metricsSpec))
    return "'metricsSpec' mismatch";
  if (
    config.transformSpec?.filter &&
    differ(filterIn(state.transformSpec), config.transformSpec.filter)
  )
    return "'transformSpec' mismatch";
  return undefined;
}

/** The configured segment granularity; undefined when time chunks stay unchanged. */
export const granularityOf = ({ granularitySpec }: CompactionConfig): Granularity | undefined =>
  granularitySpec?.segmentGranularity
    ? parseGranularity(granularitySpec.segmentGranularity)
    : undefined;

/** Whether time chunks of segments are divided into smaller ones. */
export const cutsChunks = (
  { segments }: Candidate,
  granularity: Granularity | undefined,
): boolean =>
  granularity !== undefined &&
  granularity.type !== 'all' &&
  segments.some(({ interval }) => bucketOf(granularity, interval.start).end < interval.end);

const nameOf = (granularity: unknown) => (granularity ? shownGranularity(granularity) : undefined);

const filterIn = (spec: unknown) => (isObject(spec) ? spec.filter : undefined);

const dimensionsIn = (spec: unknown): unknown[] => {
  const listed = isObject(spec) && Array.isArray(spec.dimensions) ? spec.dimensions : [];
  return listed.map((one: unknown) =>
    isObject(one) ? { name: one.name, type: one.type ?? 'string' } : { name: one, type: 'string' },
  );
};

const differ = (a: unknown, b: unknown) => sortedTextOf(a) !== sortedTextOf(b);

// The order of keys is irrelevant, and so are keys without a value.
const sortedTextOf = (value: unknown): string => formatJson(sortKeys(value) ?? null);
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null && item !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, item]) => [name, sortKeys(item)]),
  );
}
