// Wall-clock times of a zone as DuckDB text. A zone that is nothing but an offset is added. The
// clock of a named zone is known by its changes in the years that data is of: DuckDB's own zones
// take a hundred times as long, and are asked for other years only.
import { dayMs } from '../../model/calendar.ts';
import type { TimeZone } from '../../model/period.ts';
import { transitionsOf } from '../../model/zone-transitions.ts';
import { quote } from '../runtime/quoted.ts';
import { bindOnce } from './bind-once.ts';
import { zoneOf } from './time-text.ts';

/** Milliseconds of the wall clock, counted as if it were UTC's, from the text of an instant. */
export function localMs(instant: string, zoneName: string): string {
  const zone = zoneOf(zoneName);
  if (zone.id === 'UTC') return instant;
  if (zone.fixedOffsetMs !== undefined) return `(${instant} + (${zone.fixedOffsetMs}))`;
  return bindOnce([instant], ([ms = '']) =>
    byOffset(ms, '+', changesOf(zone).ofInstants, `druid_local(${ms}, ${quote(zone.id)})`),
  );
}

/** The same as a DuckDB TIMESTAMP. */
export const localTimestamp = (instant: string, zoneName: string): string =>
  `make_timestamp_ms(${localMs(instant, zoneName)})`;

/** The instant of a wall-clock TIMESTAMP, in milliseconds. */
export const instantOf = (local: string, zoneName: string): string =>
  instantOfMs(`epoch_ms(${local})`, zoneName);

// The instant of milliseconds of the wall clock. A time that comes twice is the second one, a time
// that is skipped is counted on from before.
function instantOfMs(local: string, zoneName: string): string {
  const zone = zoneOf(zoneName);
  if (zone.id === 'UTC') return local;
  if (zone.fixedOffsetMs !== undefined) return `(${local} - (${zone.fixedOffsetMs}))`;
  return bindOnce([local], ([ms = '']) =>
    byOffset(ms, '-', changesOf(zone).ofLocals, `druid_instant(${ms}, ${quote(zone.id)})`),
  );
}

/** The instant at which the day of an instant began. */
export const dayStartOf = (instant: string, zoneName: string): string =>
  bucketStartOf(instant, zoneName, {
    textOf: (local) => `druid_floor(${local}, ${dayMs})`,
    next: (local) => Math.ceil(local / dayMs) * dayMs,
  });

/** Buckets of the wall clock, in milliseconds. */
export interface LocalBuckets {
  /** The start of the bucket of a wall-clock time, as text. */
  textOf(local: string): string;
  /** The first start that is not before a wall-clock time. */
  next(local: number): number;
}

/** The instant at which the bucket of an instant began. Buckets last a year at the most. */
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
  // A bucket starts in the clock that is known at the time: the start is not looked up again.
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

// The offsets of a zone, each with the first time at which it holds.
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

// A tree of comparisons, as deep as a binary search.
function offsetText(ms: string, first: number, later: Offsets['later']): string {
  const middle = later[later.length >> 1];
  if (middle === undefined) return String(first);
  const [before, after] = [later.slice(0, later.length >> 1), later.slice((later.length >> 1) + 1)];
  return `CASE WHEN ${ms} < ${middle.from} THEN ${offsetText(ms, first, before)} ELSE ${offsetText(ms, middle.offset, after)} END`;
}
