// Wall-clock times of a zone as DuckDB text. DuckDB knows the zones that have a name; a fixed
// offset is added.
import { quoted } from './duckdb-text.ts';
import { zoneOf } from './time-text.ts';

/** Milliseconds of the wall clock, counted as if it were UTC's, from the text of an instant. */
export function localMs(instant: string, zoneName: string): string {
  const { id, fixedOffsetMs } = zoneOf(zoneName);
  if (id === 'UTC') return instant;
  return fixedOffsetMs === undefined
    ? `druid_local(${instant}, ${quoted(id)})`
    : `(${instant} + (${fixedOffsetMs}))`;
}

/** The same as a DuckDB TIMESTAMP. */
export function localTimestamp(instant: string, zoneName: string): string {
  const { id, fixedOffsetMs } = zoneOf(zoneName);
  if (id !== 'UTC' && fixedOffsetMs === undefined)
    return `timezone(${quoted(id)}, timezone('UTC', make_timestamp_ms(${instant})))`;
  return `make_timestamp_ms(${localMs(instant, zoneName)})`;
}

/** The instant of a wall-clock TIMESTAMP, in milliseconds. */
export function instantOf(local: string, zoneName: string): string {
  const { id, fixedOffsetMs } = zoneOf(zoneName);
  if (id === 'UTC') return `epoch_ms(${local})`;
  return fixedOffsetMs === undefined
    ? `druid_instant(${local}, ${quoted(id)})`
    : `(epoch_ms(${local}) - (${fixedOffsetMs}))`;
}

/** The instant at which the day of an instant began. */
export function dayStartOf(instant: string, zoneName: string): string {
  const { id, fixedOffsetMs } = zoneOf(zoneName);
  if (id !== 'UTC' && fixedOffsetMs === undefined)
    return `druid_floor_local(${instant}, 'day', ${quoted(id)})`;
  const start = `druid_floor(${localMs(instant, zoneName)}, 86400000)`;
  return fixedOffsetMs === undefined ? start : `(${start} - (${fixedOffsetMs}))`;
}

/** An instant moved by months of the zone's calendar. */
export function plusMonths(instant: string, months: string, zoneName: string): string {
  const { id, fixedOffsetMs } = zoneOf(zoneName);
  if (id !== 'UTC' && fixedOffsetMs === undefined)
    return `druid_add_months_local(${instant}, ${months}, ${quoted(id)})`;
  const moved = `druid_add_months(${localMs(instant, zoneName)}, ${months})`;
  return fixedOffsetMs === undefined ? moved : `(${moved} - (${fixedOffsetMs}))`;
}
