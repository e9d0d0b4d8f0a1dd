// The served view: datasources, their intervals and segments (Druid: DataSourcesResource).
import type { DatasourceSummary } from '../../contract/datasources.ts';
import { formatInstant } from '../../model/instant.ts';
import { byStartThenEnd, formatInterval, type Interval } from '../../model/interval.ts';
import { defaultTier } from '../../model/retention-rule.ts';
import type { SegmentRecord } from '../storage/segments.ts';

export const sizeOf = (segments: readonly SegmentRecord[]): number => segments.reduce((size, { sizeBytes }) => size + sizeBytes, 0);

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
        minTime: formatInstant(segments.reduce((least, { interval }) => Math.min(least, interval.start), Number.POSITIVE_INFINITY)),
        maxTime: formatInstant(segments.reduce((most, { interval }) => Math.max(most, interval.end), Number.NEGATIVE_INFINITY)),
      }),
    },
  };
}

/** Segments by interval, the newest first. */
export function byInterval(segments: readonly SegmentRecord[]): { interval: Interval; segments: SegmentRecord[] }[] {
  const groups = new Map<string, { interval: Interval; segments: SegmentRecord[] }>();
  for (const segment of segments) {
    const key = formatInterval(segment.interval);
    const group = groups.get(key);
    if (group) group.segments.push(segment);
    else groups.set(key, { interval: segment.interval, segments: [segment] });
  }
  return [...groups.values()].sort((a, b) => byStartThenEnd(b.interval, a.interval));
}
