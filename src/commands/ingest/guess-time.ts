// Guess of the time column and of the expression that converts it to a timestamp.
import { UsageError } from '../../cli/process/errors.ts';
import { InvalidTime, parseInstant } from '../../model/instant.ts';
import { quotedName, quotedText } from '../../model/sql-text.ts';
import type { GuessedColumn } from './guess-columns.ts';
import { patternTest } from './pattern-time.ts';
import { patternsFitting } from './usual-times.ts';

/** Returns the reason why a value cannot be stored; undefined for a good one. */
export type ValueCheck = (value: unknown) => string | undefined;

export interface TimeColumn {
  readonly column: GuessedColumn;
  readonly sql: string;
  /** Format of the timestamp specification of a native task; undefined when it has none. */
  readonly format: string | undefined;
  readonly guessedPattern?: string; // the only usual one that fits
  /** The reason why a value is not a time of this column; undefined for a good one. */
  readonly problemOf: ValueCheck;
}

const defaultNames = [
  '__time',
  'time',
  'timestamp',
  'ts',
  'date',
  'datetime',
  'event_time',
  'eventtime',
  'created_at',
  'createdat',
];

/**
 * The named column, or the first with a usual name, or the only one with time values. Throws a
 * usage error when there is none.
 */
export function timeColumnOf(
  path: string,
  columns: readonly GuessedColumn[],
  wanted?: string,
  format?: string,
): TimeColumn {
  if (wanted !== undefined) {
    const column = columns.find(({ name }) => name === wanted);
    if (!column)
      throw new UsageError(
        `[${path}] has no column [${wanted}]`,
        `its columns are ${namesOf(columns)}`,
      );
    return describeTime(path, column, format);
  }
  const usual = defaultNames.flatMap(
    (name) => columns.find((column) => column.name.toLowerCase() === name) ?? [],
  )[0];
  if (usual) return describeTime(path, usual, format);
  const found = columns.filter(
    (column) =>
      column.time !== undefined ||
      mostly(column, isIso) ||
      patternsFitting(column.samples).length > 0,
  );
  if (found.length === 1 && found[0]) return describeTime(path, found[0]);
  throw new UsageError(
    `No column of [${path}] is known to be its timestamp: there are ${namesOf(columns)}`,
    'give it: --time-column COLUMN',
  );
}

const formats: Readonly<Record<string, (column: GuessedColumn) => TimeColumn>> = {
  iso: (column) => isoTime(column),
  posix: (column) => numberTime(column, 'posix', (name) => `CAST(${name} AS BIGINT) * 1000`),
  millis: (column) => numberTime(column, 'millis', (name) => `CAST(${name} AS BIGINT)`),
  micro: (column) => numberTime(column, 'micro', (name) => `CAST(${name} AS BIGINT) / 1000`),
  nano: (column) => numberTime(column, 'nano', (name) => `CAST(${name} AS BIGINT) / 1000000`),
};

function describeTime(path: string, column: GuessedColumn, format?: string): TimeColumn {
  if (format !== undefined) {
    const named = Object.hasOwn(formats, format) ? formats[format] : undefined;
    return named?.(column) ?? patternTime(column, format);
  }
  if (column.time) return storedTime(column, column.time);
  if (mostly(column, isIso)) return isoTime(column);
  if (column.type === 'BIGINT') {
    const found = units.find(({ least }) =>
      mostly(column, (value) => Number(value) >= least && Number(value) < least * 1000),
    );
    if (found) return numberTime(column, found.format, found.sql);
  }
  if (column.isDeclared)
    return column.type === 'BIGINT'
      ? numberTime(column, 'millis', (name) => name)
      : isoTime(column);
  const [pattern, ...others] = patternsFitting(column.samples);
  if (pattern !== undefined && others.length === 0)
    return { ...patternTime(column, pattern), guessedPattern: pattern };
  const strange = column.samples.find((value) => !isIso(value));
  const shown = [pattern ?? 'dd.MM.yyyy HH:mm', ...others].map((each) => `'${each}'`).join(' or ');
  throw new UsageError(
    `Column [${column.name}] of [${path}] ${column.samples.length === 0 ? 'is empty' : `holds [${strange}]: no ISO time, nor seconds to nanoseconds since 1970`}`,
    `name another with --time-column, or give its format: --time-format ${shown}`,
  );
}

// Units since 1970, by the numbers of the years from 1973 to 5138.
const units = [
  { format: 'posix', least: 1e8, sql: (name: string) => `${name} * 1000` },
  { format: 'millis', least: 1e11, sql: (name: string) => name },
  { format: 'micro', least: 1e14, sql: (name: string) => `${name} / 1000` },
  { format: 'nano', least: 1e17, sql: (name: string) => `${name} / 1000000` },
] as const;

// A few broken times do not hide the format: the check of the rows describes them.
const mostly = ({ samples }: GuessedColumn, isTime: (value: unknown) => boolean) =>
  samples.filter(isTime).length > samples.length / 2;

const isoTime = (column: GuessedColumn): TimeColumn => ({
  column,
  sql: `TIME_PARSE(${textOf(column)})`,
  // Format `auto` also reads a space before the time, but digits alone as milliseconds.
  format: column.samples.some((value) => /^\d+$/.test(String(value))) ? 'iso' : 'auto',
  problemOf: problemUnless(isInstant),
});

function patternTime(column: GuessedColumn, pattern: string): TimeColumn {
  const matches = patternTest(pattern);
  return {
    column,
    sql: `TIME_PARSE(${textOf(column)}, ${quotedText(pattern)})`,
    format: pattern,
    problemOf: problemUnless(matches, ` of format [${pattern}]`),
  };
}

// Digits without separators are guessed as a number.
const textOf = ({ name, type }: GuessedColumn): string =>
  type === 'VARCHAR' ? quotedName(name) : `CAST(${quotedName(name)} AS VARCHAR)`;

const numberTime = (
  column: GuessedColumn,
  format: string | undefined,
  sql: (name: string) => string,
): TimeColumn => ({
  column,
  sql: `MILLIS_TO_TIMESTAMP(${sql(quotedName(column.name))})`,
  format,
  problemOf: problemUnless((text) => /^[+-]?\d+$/.test(text), ' as a number'),
});

// Nanoseconds are read as such by some services and as milliseconds by others. As milliseconds, the
// limit is the year 5138.
function storedTime(column: GuessedColumn, unit: 'millis' | 'nanos'): TimeColumn {
  if (unit === 'millis') return numberTime(column, 'millis', (name) => name);
  return numberTime(
    column,
    undefined,
    (name) => `CASE WHEN ABS(${name}) >= 100000000000000 THEN ${name} / 1000000 ELSE ${name} END`,
  );
}

const problemUnless =
  (isTime: (text: string) => boolean, kind = ''): ValueCheck =>
  (value) => {
    if (value === undefined || value === null || value === '') return 'is missing';
    return isTime(String(value)) ? undefined : `is not a time${kind}`;
  };

function isInstant(text: string): boolean {
  try {
    parseInstant(text.replace(/^(\S+) (?=\d)/, '$1T')); // SQL writes a space before the time
    return true;
  } catch (error) {
    if (error instanceof InvalidTime) return false;
    throw error;
  }
}

const isIso = (value: unknown) =>
  typeof value === 'string' &&
  /^\d{4}-\d\d(-\d\d([T ]\d\d(:\d\d(:\d\d([.,]\d+)?)?)?(Z|[+-]\d\d:?\d\d)?)?)?$/.test(value);

const namesOf = (columns: readonly GuessedColumn[]) => columns.map(({ name }) => name).join(', ');
