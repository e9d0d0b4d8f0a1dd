// Wall-clock times of a zone as DuckDB text. A fixed offset is added directly. A named zone becomes
// a table of its offset changes in the years of typical data; other years use DuckDB's own zones,
// which are a hundred times slower.
import { dayMs } from '../../model/calendar.ts';
import type { TimeZone } from '../../model/period.ts';
import { transitionsOf } from '../../model/zone-transitions.ts';
import type { TimeRange } from '../catalog.ts';
import { quote } from '../runtime/quoted.ts';
import { bindOnce } from './bind-once.ts';
import { zoneOf } from './time-text.ts';

/**
 * Milliseconds of the wall clock, counted as if in UTC, from the text of an instant. The range of
 * the instants, where known, makes the text shorter; instants outside it have the same result.
 */
export function localMs(instant: string, zoneName: string, range?: TimeRange): string {
  const zone = zoneOf(zoneName);
  if (zone.id === 'UTC') return instant;
  if (zone.fixedOffsetMs !== undefined) return `(${instant} + (${zone.fixedOffsetMs}))`;
  const known = knownRange(range);
  const offsets = within(changesOf(zone).ofInstants, known);
  return bindOnce([instant], ([ms = '']) =>
    byOffset(ms, '+', offsets, known, `druid_local(${ms}, ${quote(zone.id)})`),
  );
}

/** As `localMs`, as a DuckDB TIMESTAMP. */
export const localTimestamp = (instant: string, zoneName: string, range?: TimeRange): string =>
  `make_timestamp_ms(${localMs(instant, zoneName, range)})`;

/**
 * The instant of a wall-clock TIMESTAMP, in milliseconds. The range of the wall-clock times is a
 * hint, as in `localMs`.
 */
export const instantOf = (local: string, zoneName: string, range?: TimeRange): string =>
  instantOfMs(`epoch_ms(${local})`, zoneName, range);

// The instant of wall-clock milliseconds. An ambiguous time means its second occurrence; a skipped
// time uses the offset from before.
function instantOfMs(local: string, zoneName: string, range?: TimeRange): string {
  const zone = zoneOf(zoneName);
  if (zone.id === 'UTC') return local;
  if (zone.fixedOffsetMs !== undefined) return `(${local} - (${zone.fixedOffsetMs}))`;
  const known = knownRange(range);
  const offsets = within(changesOf(zone).ofLocals, known);
  return bindOnce([local], ([ms = '']) =>
    byOffset(ms, '-', offsets, known, `druid_instant(${ms}, ${quote(zone.id)})`),
  );
}

/** The instant at which the local day of an instant began. */
export const dayStartOf = (instant: string, zoneName: string, range?: TimeRange): string =>
  bucketStartOf(
    instant,
    zoneName,
    {
      textOf: (local) => `druid_floor(${local}, ${dayMs})`,
      next: (local) => Math.ceil(local / dayMs) * dayMs,
    },
    range,
  );

/** Buckets of the wall clock, in milliseconds. */
export interface LocalBuckets {
  /** The start of the bucket of a wall-clock time, as DuckDB text. */
  textOf(local: string): string;
  /** The first bucket start at or after a wall-clock time. */
  next(local: number): number;
}

/** The instant at which the bucket of an instant began. A bucket lasts at most a year. */
export function bucketStartOf(
  instant: string,
  zoneName: string,
  { textOf, next }: LocalBuckets,
  range?: TimeRange,
): string {
  const zone = zoneOf(zoneName);
  if (zone.id === 'UTC') return textOf(instant);
  if (zone.fixedOffsetMs !== undefined)
    return `(${textOf(localMs(instant, zoneName))} - (${zone.fixedOffsetMs}))`;
  const { ofInstants, ofLocals } = changesOf(zone);
  const known = knownRange(range);
  const offsets = within(ofInstants, known);
  // The offset at a bucket's start is derived from the time itself, without a second lookup.
  const starts = new Map(ofLocals.later.map(({ from, offset }) => [next(from), offset]));
  const ofStarts = within(
    {
      first: ofLocals.first,
      later: [...starts].map(([start, offset]) => ({ from: start - offset, offset })),
    },
    known,
  );
  return bindOnce([instant], ([ms = '']) => {
    const start = textOf(`${ms} + (${offsetText(ms, offsets)})`);
    const value = `${start} - (${offsetText(ms, ofStarts)})`;
    const otherwise = `druid_instant(${textOf(`druid_local(${ms}, ${quote(zone.id)})`)}, ${quote(zone.id)})`;
    return whereKnown(ms, known, value, otherwise);
  });
}

/** The range with a year before and after it: of the buckets around its times. */
export const withYearAround = ({ startMs, endMs }: TimeRange): TimeRange => ({
  ...(startMs !== undefined && { startMs: startMs - BigInt(longestBucketMs) }),
  ...(endMs !== undefined && { endMs: endMs + BigInt(longestBucketMs) }),
});

/** An instant moved by months of the zone's calendar. */
export const plusMonths = (instant: string, months: string, zoneName: string): string =>
  instantOfMs(`druid_add_months(${localMs(instant, zoneName)}, ${months})`, zoneName);

/**
 * An instant moved by days of the zone's calendar. `otherwise` is the text for instants outside the
 * known years, and for moves across a clock change.
 */
export function plusDays(
  instant: string,
  days: number,
  zoneName: string,
  otherwise: (instant: string) => string,
  range?: TimeRange,
): string {
  const zone = zoneOf(zoneName);
  const moveMs = days * dayMs;
  if (zone.fixedOffsetMs !== undefined) return `(${instant} + (${moveMs}))`;
  if (Math.abs(moveMs) > longestBucketMs) return bindOnce([instant], ([ms = '']) => otherwise(ms));
  const { start, end } = knownRange(range);
  const from = within(changesOf(zone).ofInstants, { start, end });
  const to = within(changesOf(zone).ofInstants, { start: start + moveMs, end: end + moveMs });
  return bindOnce([instant], ([ms = '']) => {
    const isSameOffset = `(${offsetText(ms, from)}) = (${offsetText(`${ms} + (${moveMs})`, to)})`;
    return `CASE WHEN ${ms} BETWEEN ${start} AND ${end - 1} AND ${isSameOffset} THEN ${ms} + (${moveMs}) ELSE ${otherwise(ms)} END`;
  });
}

// The offsets of a zone, each with its first instant.
interface Offsets {
  readonly first: number;
  readonly later: readonly { readonly from: number; readonly offset: number }[];
}

interface Changes {
  readonly ofInstants: Offsets;
  readonly ofLocals: Offsets;
}

const longestBucketMs = 367 * dayMs;
const [firstKnown, firstUnknown] = [Date.UTC(2010), Date.UTC(2035)];

function changesOf(zone: TimeZone): Changes {
  const known = changes.get(zone.id);
  if (known) return known;
  const start = firstKnown - longestBucketMs;
  const transitions = transitionsOf(zone, start, firstUnknown + longestBucketMs);
  const first = zone.offsetMs(start);
  const found: Changes = {
    ofInstants: { first, later: transitions.map(({ at, after }) => ({ from: at, offset: after })) },
    ofLocals: {
      first,
      later: transitions.map(({ at, after }) => ({ from: at + after, offset: after })),
    },
  };
  if (changes.size < mostZones) changes.set(zone.id, found);
  return found;
}

const changes = new Map<string, Changes>();
const mostZones = 100;

// The years of the tables, or a part of them.
interface KnownRange {
  readonly start: number;
  readonly end: number; // excluded
}

const allKnown: KnownRange = { start: firstKnown, end: firstUnknown };

function knownRange({ startMs, endMs }: TimeRange = {}): KnownRange {
  const start = Math.max(firstKnown, startMs === undefined ? firstKnown : Number(startMs));
  const end = Math.min(firstUnknown, endMs === undefined ? firstUnknown : Number(endMs));
  return start < end ? { start, end } : allKnown;
}

// The offsets that the instants of a range can have.
function within({ first, later }: Offsets, { start, end }: KnownRange): Offsets {
  const before = later.findLast(({ from }) => from <= start);
  return {
    first: before?.offset ?? first,
    later: later.filter(({ from }) => from > start && from < end),
  };
}

const byOffset = (
  ms: string,
  sign: '+' | '-',
  offsets: Offsets,
  known: KnownRange,
  otherwise: string,
) => whereKnown(ms, known, `${ms} ${sign} (${offsetText(ms, offsets)})`, otherwise);

const whereKnown = (ms: string, { start, end }: KnownRange, value: string, otherwise: string) =>
  `CASE WHEN ${ms} BETWEEN ${start} AND ${end - 1} THEN ${value} ELSE ${otherwise} END`;

// A tree of comparisons with the depth of a binary search.
function offsetText(ms: string, { first, later }: Offsets): string {
  const middle = later[later.length >> 1];
  if (middle === undefined) return String(first);
  const before = { first, later: later.slice(0, later.length >> 1) };
  const after = { first: middle.offset, later: later.slice((later.length >> 1) + 1) };
  return `CASE WHEN ${ms} < ${middle.from} THEN ${offsetText(ms, before)} ELSE ${offsetText(ms, after)} END`;
}
