// Marks of segments as used or unused.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SegmentUpdate } from '../../contract/segments.ts';
import { type Interval, overlaps } from '../../model/interval.ts';
import { Timeline } from '../../model/timeline.ts';
import {
  eachSegment,
  listSegments,
  revisionOf,
  type SegmentRecord,
  type StoredSegmentFilter,
} from '../storage/segments.ts';
import type { Storage } from '../storage/storage.ts';

export type IntervalSelection = Pick<StoredSegmentFilter, 'interval' | 'versions'>;

type Marked = SegmentUpdate & { readonly segmentStateChanged: boolean };

export class SegmentMarks {
  readonly #storage: Storage;
  readonly #now: () => number;

  constructor(storage: Storage, now: () => number) {
    this.#storage = storage;
    this.#now = now;
  }

  mark(segments: readonly SegmentRecord[], used: boolean, inside?: IntervalSelection): Marked {
    const numChangedSegments = this.#storage.segments.mark(segments, used, this.#now(), inside);
    return { numChangedSegments, segmentStateChanged: numChangedSegments > 0 };
  }

  /**
   * Marks segments as used, except overshadowed ones. Those stay unused, whether the newer segments
   * are used already or become used by the same request (Druid:
   * SqlSegmentsMetadataManager.markAsUsedNonOvershadowedSegments).
   */
  markNotReplaced(
    dataSource: string,
    unused: readonly SegmentRecord[],
    inside?: IntervalSelection,
  ): Marked {
    const span = spanOf(unused);
    const beside = span
      ? this.#storage.segments
          .listUsed(dataSource)
          .filter(({ interval }) => overlaps(interval, span))
      : [];
    const newest = new Timeline([...beside, ...unused]);
    const wanted = unused.filter((segment) => !newest.isOvershadowed(segment));
    return this.mark(wanted, true, wanted.length === unused.length ? inside : undefined);
  }

  /**
   * Marks the unused segments of an interval. Other work gets turns while many segments are read.
   * Its changes are read again at the end, in the same turn as the marks.
   */
  async markUsedInside(dataSource: string, inside: IntervalSelection): Promise<Marked> {
    const { metadata } = this.#storage;
    const which = { dataSource, used: false, ...inside };
    const before = revisionOf(metadata, dataSource);
    const found: SegmentRecord[] = [];
    for (const segment of eachSegment(metadata, which))
      if (found.push(segment) % 5000 === 0) await nextTurn();
    const isCurrent = revisionOf(metadata, dataSource) === before;
    return this.markNotReplaced(
      dataSource,
      isCurrent ? found : listSegments(metadata, which),
      inside,
    );
  }
}

function spanOf(segments: readonly SegmentRecord[]): Interval | undefined {
  if (segments.length === 0) return undefined;
  let [start, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { interval } of segments) {
    start = Math.min(start, interval.start);
    end = Math.max(end, interval.end);
  }
  return { start, end };
}
