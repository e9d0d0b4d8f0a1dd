// Times of rows: conversion of a field by a timestamp specification (Druid:
// ingestion/ingestion-spec, timestampSpec).
import { InvalidTime, maxInstant, minInstant, parseInstant } from '../../model/instant.ts';
import { utc } from '../../model/period.ts';
import { timeZoneOf } from '../../model/time-zone.ts';
import { parseTime } from '../../sql/runtime/joda-pattern.ts';
import type { SpecFields } from '../checks/spec-fields.ts';
import { quote } from '../engine/sql-text.ts';
import type { RawField, RawRows } from './raw-rows.ts';

export interface TimestampSpec {
  readonly column: string;
  readonly format: string;
  readonly missingValue: number | undefined; // milliseconds since 1970
}

/** Reads a timestampSpec and fills in defaults; throws a Refusal. */
export function parseTimestampSpec(fields: SpecFields | undefined): TimestampSpec {
  const format = fields?.optionalText('format') ?? 'auto';
  if (format.length > longestFormat)
    fields?.refuse(
      `A format has at most [${longestFormat}] characters, but got [${format.length}]`,
    );
  if (!numeric.has(format.toLowerCase()) && !isTextFormat(format) && !strptimeOf(format))
    fields?.refuse(`Format [${format}] cannot be read`);
  return {
    column: fields?.optionalText('column') ?? 'timestamp',
    format,
    missingValue: missingValueIn(fields),
  };
}

// Each text that DuckDB cannot read is compared with the whole format.
const longestFormat = 500;

function missingValueIn(fields: SpecFields | undefined): number | undefined {
  const text = fields?.optionalText('missingValue');
  if (!text) return undefined;
  try {
    return /^-?\d+$/.test(text) && text.length > 4 ? Number(text) : parseInstant(text);
  } catch (error) {
    if (error instanceof InvalidTime)
      return fields?.refuse(`missingValue [${text}] is not a time: ${error.message}`);
    throw error;
  }
}

/**
 * DuckDB's expression for the milliseconds of a field; null for values that this fast path cannot
 * read and `slowTime` may. `field` is undefined for a missing field.
 */
export function timeSql(
  { format, missingValue }: TimestampSpec,
  field: RawField | undefined,
): string {
  const missing = missingValue === undefined ? 'NULL::BIGINT' : `${missingValue}::BIGINT`;
  if (!field) return missing;
  const text = timeText(field);
  const ofText = textTimeSql(format, text);
  const value =
    field.kind === 'text' || isPattern(format)
      ? ofText
      : `CASE WHEN json_type(${field.sql}) IN ('BIGINT', 'UBIGINT', 'DOUBLE') THEN ${numberTimeSql(format, text)} ELSE ${ofText} END`;
  return `CASE WHEN ${field.sql} IS NULL THEN ${missing} ELSE ${value} END`;
}

/**
 * DuckDB's expression for the milliseconds from a transform of the time; null if they are not a
 * number.
 */
export const millisSqlOf = (field: RawField | undefined): string =>
  field ? numberTimeSql('millis', timeText(field)) : 'NULL::BIGINT';

/** As `timeSql`, of a raw row: also a time that DuckDB does not read, where the rows have those. */
export const rowTimeSql = (
  spec: TimestampSpec,
  { rowTime, fields }: Pick<RawRows, 'fields' | 'rowTime'>,
): string => {
  const fast = timeSql(spec, fields.get(spec.column));
  return rowTime === undefined ? fast : `coalesce(${fast}, ${rowTime})`;
};

/** The text of a field's value, for `slowTime`. */
export const timeText = (field: RawField): string =>
  field.kind === 'text' ? field.sql : `(${field.sql} ->> '$')`;

/**
 * The milliseconds of a text that the fast path could not read; undefined for an invalid one. All
 * forms of ISO 8601 and of a pattern are supported, as in Joda.
 */
export function slowTime(format: string, given: string): number | undefined {
  if (numeric.has(format.toLowerCase())) return undefined;
  const text = withoutQuotes(given);
  if (isPattern(format)) return parseTime(text, format, utc) ?? undefined;
  const isIso = format.toLowerCase() === 'iso';
  // No year has 10 digits
  if (/^\d+$/.test(text) && (!isIso || text.length > 9)) return storable(Number(text));
  if (isIso) return instantIn(text);
  // A time without a date is not one
  if (/^t/i.test(text)) return undefined;
  // The name of a time zone is passed over: version 33 reads the time as UTC
  const [, time = text, zoneName] = /^(.{3,}) (\S+)$/.exec(text) ?? [];
  return instantIn(
    (zoneName !== undefined && isZone(zoneName) ? time : text).replace(/^(\S+) (?=\d)/, '$1T'),
  );
}

const isTextFormat = (format: string) => ['auto', 'iso'].includes(format.toLowerCase());

const isPattern = (format: string) => !isTextFormat(format) && !numeric.has(format.toLowerCase());

const numeric: ReadonlyMap<string, (number: string) => string> = new Map([
  ['posix', secondsSql],
  ['millis', (number) => number],
  ['micro', (number) => `(${number} // 1000)`],
  ['nano', (number) => `(${number} // 1000000)`],
  ['ruby', secondsSql],
]);

// Null for seconds whose milliseconds are not a 64-bit number
function secondsSql(seconds: string): string {
  const most = 9_223_372_036_854_775n;
  return `CASE WHEN ${seconds} BETWEEN -${most} AND ${most} THEN CAST(trunc(${seconds} * 1000) AS BIGINT) END`;
}

// A number is milliseconds unless the format specifies another unit.
function numberTimeSql(format: string, text: string): string {
  const lower = format.toLowerCase();
  const scale = numeric.get(lower);
  if (lower === 'ruby') return secondsSql(`TRY_CAST(rtrim(${text}, 'dDfF') AS DOUBLE)`);
  const isWhole = `regexp_full_match(${text}, '[+-]?\\d{1,19}(\\.\\d*)?')`;
  // A cast to a decimal takes 500 times as long as one to a whole number.
  const whole = `CASE WHEN ${isWhole} THEN TRY_CAST(split_part(${text}, '.', 1) AS BIGINT) ELSE TRY_CAST(trunc(TRY_CAST(${text} AS DECIMAL(38, 9))) AS BIGINT) END`;
  // In ISO 8601, fewer digits are a year, and a fraction is an error.
  if (lower === 'iso')
    return `CASE WHEN regexp_full_match(${text}, '\\d{10,18}') THEN TRY_CAST(${text} AS BIGINT) END`;
  return scale ? scale(whole) : whole;
}

function textTimeSql(format: string, text: string): string {
  const trimmed = `trim(${text}, ' "')`;
  const lower = format.toLowerCase();
  if (numeric.has(lower)) {
    const digits =
      lower === 'ruby' ? '[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?[dDfF]?' : '[+-]?\\d+';
    return `CASE WHEN regexp_full_match(${trimmed}, '${digits}') THEN ${numberTimeSql(format, trimmed)} END`;
  }
  const pattern = isTextFormat(format) ? undefined : strptimeOf(format);
  if (pattern) return `epoch_ms(TRY_STRPTIME(${trimmed}, ${quote(pattern)})::TIMESTAMP)`;
  const isAuto = lower === 'auto';
  const clock = '(?:[01]\\d|2[0-3]):\\d{2}:\\d{2}(?:\\.\\d{1,9})?'; // DuckDB reads 24:00:00, too
  const local = `\\d{4}-\\d{2}-\\d{2}(?:${isAuto ? '[T ]' : 'T'}${clock}Z?)?`;
  const offset = `\\d{4}-\\d{2}-\\d{2}${isAuto ? '[T ]' : 'T'}${clock}[+-]\\d{2}:?\\d{2}`;
  // A cast without a time zone ignores offsets, and needs a third of the time.
  const forms: [pattern: string, millis: string][] = [
    [local, `epoch_ms(TRY_CAST(${text} AS TIMESTAMP))`],
    [offset, `epoch_ms(TRY_CAST(${text} AS TIMESTAMPTZ))`],
  ];
  if (isAuto)
    forms.push(
      ['\\d{1,18}', `TRY_CAST(${text} AS BIGINT)`],
      [`${local} UTC`, `epoch_ms(TRY_CAST(left(${text}, -4) AS TIMESTAMP))`],
    );
  const whens = forms.map(
    ([pattern, millis]) => `WHEN regexp_full_match(${text}, '${pattern}') THEN ${millis}`,
  );
  return `CASE ${whens.join(' ')} END`;
}

// Joda's pattern as a pattern of strptime; undefined if strptime cannot express it.
function strptimeOf(pattern: string): string | undefined {
  let result = '';
  const part = /([A-Za-z])\1*|'((?:[^']|'')*)'|[^A-Za-z']+/g;
  for (const [all, letter, literal] of pattern.matchAll(part)) {
    if (literal !== undefined)
      result += literal === '' ? "'" : literal.replaceAll("''", "'").replaceAll('%', '%%');
    else if (letter === undefined) result += all.replaceAll('%', '%%');
    else {
      const said = strptime[letter]?.(all.length);
      if (said === undefined) return undefined;
      result += said;
    }
  }
  return result;
}

const strptime: Readonly<Record<string, (length: number) => string>> = {
  y: (length) => (length === 2 ? '%y' : '%Y'),
  Y: (length) => (length === 2 ? '%y' : '%Y'),
  x: () => '%G',
  M: (length) => (length >= 4 ? '%B' : length === 3 ? '%b' : '%m'),
  d: () => '%d',
  D: () => '%j',
  E: (length) => (length >= 4 ? '%A' : '%a'),
  a: () => '%p',
  H: () => '%H',
  k: () => '%H',
  h: () => '%I',
  K: () => '%I',
  m: () => '%M',
  s: () => '%S',
  S: (length) => (length <= 3 ? '%g' : length <= 6 ? '%f' : '%n'),
  Z: () => '%z',
  z: () => '%Z',
};

const withoutQuotes = (text: string) =>
  text
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();

function instantIn(text: string): number | undefined {
  try {
    return storable(parseInstant(text));
  } catch (error) {
    if (error instanceof InvalidTime) return undefined;
    throw error;
  }
}

// The two ends of time stand for all instants beyond them.
const storable = (ms: number): number | undefined =>
  ms > minInstant && ms < maxInstant ? ms : undefined;

function isZone(name: string): boolean {
  if (name === 'UTC') return true;
  try {
    return /^[A-Z]/.test(name) && timeZoneOf(name) !== undefined;
  } catch {
    return false;
  }
}
