// The served view: datasources, their intervals and segments (Druid: DataSourcesResource).
import type { DatasourceSummary } from '../../contract/datasources.ts';
import { formatInstant } from '../../model/instant.ts';
import {
  byStartThenEnd,
  formatInterval,
  type Interval,
  sameInterval,
} from '../../model/interval.ts';
import { defaultTier } from '../../model/retention-rule.ts';
import { JsonPieces } from '../handlers/json-pieces.ts';
import type { SegmentRecord } from '../storage/segments.ts';

const sizeOf = (segments: readonly SegmentRecord[]): number =>
  segments.reduce((size, { sizeBytes }) => size + sizeBytes, 0);

export const sizeAndCount = (segments: readonly SegmentRecord[]) => ({
  size: sizeOf(segments),
  count: segments.length,
});

/** Tiers, counts, sizes and the time range of a datasource's served segments. */
export function summaryOf(segments: readonly SegmentRecord[]): DatasourceSummary {
  const size = sizeOf(segments);
  const counted = { size, replicatedSize: size };
  return {
    tiers: { [defaultTier]: { segmentCount: segments.length, ...counted } },
    segments: {
      count: segments.length,
      ...counted,
      ...(segments.length > 0 && {
        minTime: formatInstant(
          segments.reduce(
            (least, { interval }) => Math.min(least, interval.start),
            Number.POSITIVE_INFINITY,
          ),
        ),
        maxTime: formatInstant(
          segments.reduce(
            (most, { interval }) => Math.max(most, interval.end),
            Number.NEGATIVE_INFINITY,
          ),
        ),
      }),
    },
  };
}

/** Segments by interval, the newest first. */
export function byInterval(
  segments: readonly SegmentRecord[],
): { interval: Interval; segments: SegmentRecord[] }[] {
  const groups: { interval: Interval; segments: SegmentRecord[] }[] = [];
  // Most lists are already sorted, so the sort takes one pass.
  for (const segment of [...segments].sort((a, b) => byStartThenEnd(a.interval, b.interval))) {
    const last = groups.at(-1);
    if (last && sameInterval(last.interval, segment.interval)) last.segments.push(segment);
    else groups.push({ interval: segment.interval, segments: [segment] });
  }
  return groups.reverse();
}

/**
 * The JSON of a value for the segments of each interval, newest first, as an answer that is
 * generated while it is sent.
 */
export const intervalMap = (
  segments: readonly SegmentRecord[],
  value: (segments: readonly SegmentRecord[]) => string | JsonPieces,
): JsonPieces =>
  JsonPieces.object(byInterval(segments), (group) => [
    formatInterval(group.interval),
    value(group.segments),
  ]);
