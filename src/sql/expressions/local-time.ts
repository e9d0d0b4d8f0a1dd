// Wall-clock times of a zone as DuckDB text. A fixed offset is added directly. A named zone becomes
// a table of its offset changes in the years of typical data; other years use DuckDB's own zones,
// which are a hundred times slower.
import { dayMs } from '../../model/calendar.ts';
import type { TimeZone } from '../../model/period.ts';
import { transitionsOf } from '../../model/zone-transitions.ts';
import { quote } from '../runtime/quoted.ts';
import { bindOnce } from './bind-once.ts';
import { zoneOf } from './time-text.ts';

/** Milliseconds of the wall clock, counted as if in UTC, from the text of an instant. */
export function localMs(instant: string, zoneName: string): string {
  const zone = zoneOf(zoneName);
  if (zone.id === 'UTC') return instant;
  if (zone.fixedOffsetMs !== undefined) return `(${instant} + (${zone.fixedOffsetMs}))`;
  return bindOnce([instant], ([ms = '']) =>
    byOffset(ms, '+', changesOf(zone).ofInstants, `druid_local(${ms}, ${quote(zone.id)})`),
  );
}

/** As `localMs`, as a DuckDB TIMESTAMP. */
export const localTimestamp = (instant: string, zoneName: string): string =>
  `make_timestamp_ms(${localMs(instant, zoneName)})`;

/** The instant of a wall-clock TIMESTAMP, in milliseconds. */
export const instantOf = (local: string, zoneName: string): string =>
  instantOfMs(`epoch_ms(${local})`, zoneName);

// The instant of wall-clock milliseconds. An ambiguous time means its second occurrence; a skipped
// time uses the offset from before.
function instantOfMs(local: string, zoneName: string): string {
  const zone = zoneOf(zoneName);
  if (zone.id === 'UTC') return local;
  if (zone.fixedOffsetMs !== undefined) return `(${local} - (${zone.fixedOffsetMs}))`;
  return bindOnce([local], ([ms = '']) =>
    byOffset(ms, '-', changesOf(zone).ofLocals, `druid_instant(${ms}, ${quote(zone.id)})`),
  );
}

/** The instant at which the local day of an instant began. */
export const dayStartOf = (instant: string, zoneName: string): string =>
  bucketStartOf(instant, zoneName, {
    textOf: (local) => `druid_floor(${local}, ${dayMs})`,
    next: (local) => Math.ceil(local / dayMs) * dayMs,
  });

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
): string {
  const zone = zoneOf(zoneName);
  if (zone.id === 'UTC') return textOf(instant);
  if (zone.fixedOffsetMs !== undefined)
    return `(${textOf(localMs(instant, zoneName))} - (${zone.fixedOffsetMs}))`;
  const { ofInstants, ofLocals } = changesOf(zone);
  // The offset at a bucket's start is derived from the time itself, without a second lookup.
  const starts = new Map(ofLocals.later.map(({ from, offset }) => [next(from), offset]));
  const ofStarts = {
    first: ofLocals.first,
    later: [...starts].map(([start, offset]) => ({ from: start - offset, offset })),
  };
  return bindOnce([instant], ([ms = '']) => {
    const start = textOf(`${ms} + (${offsetText(ms, ofInstants.first, ofInstants.later)})`);
    const known = `${start} - (${offsetText(ms, ofStarts.first, ofStarts.later)})`;
    const otherwise = `druid_instant(${textOf(`druid_local(${ms}, ${quote(zone.id)})`)}, ${quote(zone.id)})`;
    return whereKnown(ms, known, otherwise);
  });
}

/** An instant moved by months of the zone's calendar. */
export const plusMonths = (instant: string, months: string, zoneName: string): string =>
  instantOfMs(`druid_add_months(${localMs(instant, zoneName)}, ${months})`, zoneName);

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
  const transitions = transitionsOf(zone, start, firstUnknown + dayMs);
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

const byOffset = (ms: string, sign: '+' | '-', { first, later }: Offsets, otherwise: string) =>
  whereKnown(ms, `${ms} ${sign} (${offsetText(ms, first, later)})`, otherwise);

const whereKnown = (ms: string, known: string, otherwise: string) =>
  `CASE WHEN ${ms} BETWEEN ${firstKnown} AND ${firstUnknown - 1} THEN ${known} ELSE ${otherwise} END`;

// A tree of comparisons with the depth of a binary search.
function offsetText(ms: string, first: number, later: Offsets['later']): string {
  const middle = later[later.length >> 1];
  if (middle === undefined) return String(first);
  const [before, after] = [later.slice(0, later.length >> 1), later.slice((later.length >> 1) + 1)];
  return `CASE WHEN ${ms} < ${middle.from} THEN ${offsetText(ms, first, before)} ELSE ${offsetText(ms, middle.offset, after)} END`;
}
