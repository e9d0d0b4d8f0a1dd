// Time intervals with an inclusive start and an exclusive end. Instants as in instant.ts.
import { formatInstant, InvalidTime, maxInstant, minInstant, parseInstant } from './instant.ts';
import { addPeriod, isPeriodText, parsePeriod } from './period.ts';

export interface Interval {
  readonly start: number;
  readonly end: number;
}

export const eternity: Interval = { start: minInstant, end: maxInstant };

/**
 * Parses `start/end`, `start/period` or `period/end`; throws InvalidTime with the message of the
 * real engine.
 */
export function parseInterval(text: string): Interval {
  const slash = text.indexOf('/');
  if (slash === -1) throw new InvalidTime(`Format requires a '/' separator: ${text}`);
  const [left, right] = [text.slice(0, slash), text.slice(slash + 1)];
  if (!left || !right) throw new InvalidTime(`Format invalid: ${text}`);
  if (isPeriodText(left) && isPeriodText(right))
    throw new InvalidTime(`Interval composed of two durations: ${text}`);
  const interval = isPeriodText(left)
    ? { start: addPeriod(parseInstant(right), parsePeriod(left), -1), end: parseInstant(right) }
    : {
        start: parseInstant(left),
        end: isPeriodText(right)
          ? addPeriod(parseInstant(left), parsePeriod(right))
          : parseInstant(right),
      };
  if (interval.end < interval.start)
    throw new InvalidTime('The end instant must be greater than the start instant');
  return interval;
}

/**
 * Parses an interval from a path. Its separator may be `_`, because a slash would end the path
 * segment: `2024-01-01_2024-02-01`.
 */
export const parsePathInterval = (text: string): Interval =>
  parseInterval(text.includes('/') ? text : text.replace('_', '/'));

/** The interval in Joda's format: `2024-01-01T00:00:00.000Z/2024-01-02T00:00:00.000Z`. */
export const formatInterval = ({ start, end }: Interval): string =>
  `${formatInstant(start)}/${formatInstant(end)}`;

/** Whether two intervals share an instant. Abutting ones do not. */
export const overlaps = (a: Interval, b: Interval): boolean => a.start < b.end && b.start < a.end;

/** Whether one of the condensed intervals shares an instant with this one, in logarithmic time. */
export function overlapsAny(intervals: readonly Interval[], interval: Interval): boolean {
  let [low, high] = [0, intervals.length]; // those before `low` end at or before its start
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((intervals[middle] as Interval).end <= interval.start) low = middle + 1;
    else high = middle;
  }
  const first = intervals[low];
  return first !== undefined && overlaps(first, interval);
}

/** Whether `inner` lies within `outer`, or equals it. */
export const contains = (outer: Interval, inner: Interval): boolean =>
  outer.start <= inner.start && inner.end <= outer.end;

/** Whether one interval starts where the other ends. */
export const abuts = (a: Interval, b: Interval): boolean => a.end === b.start || b.end === a.start;

/** Whether start and end are equal. */
export const sameInterval = (a: Interval, b: Interval): boolean =>
  a.start === b.start && a.end === b.end;

/** The common part of two intervals; undefined when they do not overlap. */
export const intersection = (a: Interval, b: Interval): Interval | undefined =>
  overlaps(a, b) ? { start: Math.max(a.start, b.start), end: Math.min(a.end, b.end) } : undefined;

/**
 * The same instants in the fewest intervals, ascending: overlapping and abutting ones are merged
 * (Druid: JodaUtils.condenseIntervals).
 */
export function condense(intervals: Iterable<Interval>): Interval[] {
  const result: Interval[] = [];
  for (const interval of [...intervals].sort(byStartThenEnd)) {
    const last = result.at(-1);
    if (last && interval.start <= last.end)
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, interval.end) };
    else result.push(interval);
  }
  return result;
}

/** The parts of an interval that the others do not cover, ascending. */
export function without(interval: Interval, others: Iterable<Interval>): Interval[] {
  const rest: Interval[] = [];
  let start = interval.start;
  for (const other of condense(others)) {
    if (other.end <= start) continue;
    if (other.start >= interval.end) break;
    if (other.start > start) rest.push({ start, end: other.start });
    start = Math.max(start, other.end);
  }
  if (start < interval.end) rest.push({ start, end: interval.end });
  return rest;
}

/** The order of intervals: by start, then by end. */
export const byStartThenEnd = (a: Interval, b: Interval): number =>
  a.start - b.start || a.end - b.end;
