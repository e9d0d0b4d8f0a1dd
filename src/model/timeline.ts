// Visible segments: at every instant, those of the newest complete version (Druid:
// VersionedIntervalTimeline).
import { byStartThenEnd, type Interval, overlaps, sameInterval } from './interval.ts';
import { corePartitions, type Segment, type ShardSpec } from './segment.ts';

export interface TimelineSegment extends Segment {
  readonly shardSpec: ShardSpec;
}

/**
 * A time span in which the same segments are visible. It may be shorter than the segments' own
 * interval.
 */
export interface TimelineEntry<S> {
  readonly interval: Interval;
  readonly version: string;
  readonly segments: readonly S[]; // by partition number
}

/**
 * A visible segment with the parts of its interval in which it is visible; usually that is the
 * whole interval.
 */
export interface VisibleSegment<S> {
  readonly segment: S;
  readonly intervals: readonly Interval[];
}

/**
 * The timeline of one datasource's used segments, built in n log n. A newer version overshadows an
 * older one where they overlap, once all its core partitions exist. Until then it is ignored.
 */
export class Timeline<S extends TimelineSegment> {
  /** Ascending, without overlaps. */
  readonly entries: readonly TimelineEntry<S>[];
  #all: readonly VisibleSegment<S>[] | undefined;

  constructor(segments: Iterable<S>) {
    this.entries = entriesOf(chunksOf(segments).filter(isComplete));
  }

  /** The entries that overlap an interval, clipped to it; ascending. */
  lookup(interval: Interval): TimelineEntry<S>[] {
    const found: TimelineEntry<S>[] = [];
    for (let index = this.#firstEndingAfter(interval.start); index < this.entries.length; index++) {
      const entry = this.entries[index];
      if (!entry || !overlaps(entry.interval, interval)) break;
      const { start, end } = entry.interval;
      if (start >= interval.start && end <= interval.end) found.push(entry);
      else
        found.push({
          ...entry,
          interval: { start: Math.max(start, interval.start), end: Math.min(end, interval.end) },
        });
    }
    return found;
  }

  /**
   * The segments visible in any of the intervals (anywhere by default), each once, with its visible
   * parts.
   */
  visible(intervals?: readonly Interval[]): readonly VisibleSegment<S>[] {
    if (intervals) return this.#visibleIn(intervals.flatMap((interval) => this.lookup(interval)));
    this.#all ??= this.#visibleIn(this.entries);
    return this.#all;
  }

  #visibleIn(entries: readonly TimelineEntry<S>[]): VisibleSegment<S>[] {
    const found = new Map<S, Interval[]>();
    for (const entry of entries) {
      for (const segment of entry.segments) {
        const seen = found.get(segment);
        const last = seen?.at(-1);
        if (!seen) found.set(segment, [entry.interval]);
        else if (last?.end === entry.interval.start)
          seen[seen.length - 1] = { start: last.start, end: entry.interval.end };
        else seen.push(entry.interval);
      }
    }
    return [...found].map(([segment, seen]) => ({ segment, intervals: seen }));
  }

  /**
   * Whether newer versions overshadow a segment everywhere. The segment belongs to this datasource
   * and need not be in the timeline.
   */
  isOvershadowed({ interval, version }: Pick<Segment, 'interval' | 'version'>): boolean {
    let covered = interval.start;
    for (let index = this.#firstEndingAfter(interval.start); covered < interval.end; index++) {
      const entry = this.entries[index];
      if (!entry || entry.interval.start > covered || entry.version <= version) return false;
      covered = entry.interval.end;
    }
    return true;
  }

  #firstEndingAfter(instant: number): number {
    let [low, high] = [0, this.entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.entries[middle]?.interval.end ?? 0) <= instant) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

// The segments of one interval and version, which become visible or hidden together.
interface Chunk<S> {
  readonly interval: Interval;
  readonly version: string;
  readonly segments: S[];
}

// After sorting, the segments of a chunk are adjacent. Most lists are sorted already; the test
// takes one comparison per segment.
function chunksOf<S extends TimelineSegment>(segments: Iterable<S>): Chunk<S>[] {
  const chunks: Chunk<S>[] = [];
  for (const segment of [...segments].sort(inOrder)) {
    const { interval, version } = segment;
    const last = chunks.at(-1);
    if (last && last.version === version && sameInterval(last.interval, interval))
      last.segments.push(segment);
    else chunks.push({ interval, version, segments: [segment] });
  }
  return chunks;
}

/** The order of a datasource's segments: by start, end, version and partition. */
export const inOrder = (a: Segment, b: Segment): number =>
  byStartThenEnd(a.interval, b.interval) ||
  (a.version < b.version ? -1 : Number(a.version > b.version)) ||
  a.partitionNum - b.partitionNum;

function isComplete<S extends TimelineSegment>({ segments }: Chunk<S>): boolean {
  let needed = 0;
  for (const { shardSpec } of segments) needed = Math.max(needed, corePartitions(shardSpec));
  let next = 0; // the numbers are ascending
  for (const { partitionNum } of segments) if (partitionNum === next) next++;
  return next >= needed;
}

// Most chunks overlap no other and become entries unchanged; only overlapping ones need a sweep.
function entriesOf<S extends TimelineSegment>(chunks: Chunk<S>[]): TimelineEntry<S>[] {
  const entries: TimelineEntry<S>[] = [];
  let together: Chunk<S>[] = [];
  let end = Number.NEGATIVE_INFINITY; // of the overlapping group
  const settle = () => {
    if (together.length < 2) entries.push(...together);
    else for (const entry of sweepChunks(together)) entries.push(entry);
  };
  for (const chunk of chunks) {
    const { interval } = chunk;
    if (interval.start >= interval.end) continue;
    if (interval.start >= end) {
      settle();
      together = [];
    }
    together.push(chunk);
    end = Math.max(end, interval.end);
  }
  settle();
  return entries;
}

/**
 * Sweeps over all starts and ends in order, with the open chunks in a heap, the newest version on
 * top.
 */
function sweepChunks<S extends TimelineSegment>(starting: readonly Chunk<S>[]): TimelineEntry<S>[] {
  const moments = momentsOf(starting);
  const open = new NewestFirst<S>();
  const pieces: { chunk: Chunk<S>; start: number; end: number }[] = [];
  let next = 0;
  for (let index = 0; index < moments.length; index++) {
    const start = moments[index] ?? 0;
    for (
      let chunk = starting[next];
      chunk && chunk.interval.start <= start;
      chunk = starting[++next]
    )
      open.add(chunk);
    const chunk = open.newestAt(start);
    const end = moments[index + 1];
    if (!chunk || end === undefined || end === start) continue;
    const last = pieces.at(-1);
    if (last?.chunk === chunk && last.end === start) last.end = end;
    else pieces.push({ chunk, start, end });
  }
  return pieces.map(({ chunk: { interval, version, segments }, start, end }) => ({
    interval: start === interval.start && end === interval.end ? interval : { start, end },
    version,
    segments,
  }));
}

// All starts and ends, ascending; typed arrays are sorted ten times as fast as lists.
function momentsOf<S>(chunks: readonly Chunk<S>[]): Float64Array {
  const moments = new Float64Array(2 * chunks.length);
  let next = 0;
  for (const { interval } of chunks) {
    moments[next++] = interval.start;
    moments[next++] = interval.end;
  }
  return moments.sort();
}

// A binary heap by version; finished chunks stay until they reach the top. Equal versions never
// overlap, because one lock covered their writes. If they do, the later start wins.
class NewestFirst<S> {
  readonly #heap: Chunk<S>[] = [];

  add(chunk: Chunk<S>): void {
    const heap = this.#heap;
    let place = heap.push(chunk) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (!isNewer(heap[place], heap[above])) break;
      this.#swap(place, above);
      place = above;
    }
  }

  newestAt(instant: number): Chunk<S> | undefined {
    while (this.#heap[0] && this.#heap[0].interval.end <= instant) this.#removeTop();
    return this.#heap[0];
  }

  #removeTop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    heap[0] = last;
    for (let place = 0; ; ) {
      const [left, right] = [2 * place + 1, 2 * place + 2];
      let newest = place;
      if (isNewer(heap[left], heap[newest])) newest = left;
      if (isNewer(heap[right], heap[newest])) newest = right;
      if (newest === place) return;
      this.#swap(place, newest);
      place = newest;
    }
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (!a || !b) return;
    this.#heap[one] = b;
    this.#heap[other] = a;
  }
}

function isNewer<S>(a: Chunk<S> | undefined, b: Chunk<S> | undefined): boolean {
  if (!a || !b) return false;
  return a.version > b.version || (a.version === b.version && a.interval.start > b.interval.start);
}
