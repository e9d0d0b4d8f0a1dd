// The histogram of buckets of the same width between two limits, as the engine's fixedBucketsHistogram counts.

/** What becomes of values outside of the limits. */
export const outlierModes = ['ignore', 'overflow', 'clip'] as const;

type OutlierMode = (typeof outlierModes)[number];

interface FixedBuckets {
  readonly count: number;
  readonly low: number; // the first bucket's least value
  readonly high: number; // above all values of the last bucket
  readonly mode: OutlierMode;
}

/**
 * The value that so large a part of all counted values does not exceed, with the precision of a float: its place within the bucket it falls into.
 * It is 0 where nothing was counted. Only buckets that hold values take memory.
 */
export function fixedBucketsQuantile(values: Iterable<number>, buckets: FixedBuckets, rank: number): number {
  const { low, high, count } = buckets;
  const width = (high - low) / count;
  const counts = countsOf(values, buckets, width);
  const held = [...counts.keys()].sort((one, other) => one - other);
  const total = held.reduce((sum, bucket) => sum + (counts.get(bucket) ?? 0), 0);
  const percent = Math.fround(rank) * 100;
  if (total === 0) return 0;
  if (percent === 0 && held[0] !== 0) return Number.NaN; // the first bucket reaches a rank of zero, though it is empty
  let before = 0;
  for (const bucket of held) {
    const upTo = before + (counts.get(bucket) ?? 0);
    const [lowPercent, highPercent] = [(100 * before) / total, (100 * upTo) / total];
    if (highPercent >= percent) {
      const [start, end] = [bucket * width + low, (bucket + 1) * width + low];
      return Math.fround(((percent - lowPercent) / (highPercent - lowPercent)) * (end - start) + start);
    }
    before = upTo;
  }
  return 0;
}

function countsOf(values: Iterable<number>, { count, low, high, mode }: FixedBuckets, width: number): Map<number, number> {
  const counts = new Map<number, number>();
  for (const value of values) {
    const isOutside = value < low || value >= high;
    if (isOutside && mode !== 'clip') continue;
    const bucket =
      value >= high ? count - 1 : value < low || Number.isNaN(value) ? 0 : Math.min(Math.trunc((value - low) / width), count - 1);
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  return counts;
}
