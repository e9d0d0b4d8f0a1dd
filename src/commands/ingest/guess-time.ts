// Guess of the time column and of the expression that converts it to a timestamp.
import { UsageError } from '../../cli/process/errors.ts';
import { quotedName, quotedText } from '../../model/sql-text.ts';
import type { GuessedColumn } from './guess-columns.ts';

export interface TimeColumn {
  readonly column: GuessedColumn;
  readonly sql: string;
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
  const isoColumns = columns.filter(({ samples }) => samples.length > 0 && samples.every(isIso));
  if (isoColumns.length === 1 && isoColumns[0]) return describeTime(path, isoColumns[0]);
  throw new UsageError(
    `No column of [${path}] is known to be its timestamp: there are ${namesOf(columns)}`,
    'give it: --time-column COLUMN',
  );
}

const formats: Readonly<Record<string, (name: string) => string>> = {
  iso: (name) => `TIME_PARSE(${name})`,
  millis: (name) => `MILLIS_TO_TIMESTAMP(CAST(${name} AS BIGINT))`,
  posix: (name) => `MILLIS_TO_TIMESTAMP(CAST(${name} AS BIGINT) * 1000)`,
};

function describeTime(path: string, column: GuessedColumn, format?: string): TimeColumn {
  const name = quotedName(column.name);
  if (format !== undefined) {
    const named = Object.hasOwn(formats, format) ? formats[format] : undefined;
    return { column, sql: named?.(name) ?? `TIME_PARSE(${name}, ${quotedText(format)})` };
  }
  const strange = column.samples.find((value) => !isIso(value));
  if (column.samples.length > 0 && strange === undefined)
    return { column, sql: `TIME_PARSE(${name})` };
  if (column.isDeclared) {
    const sql = column.type === 'BIGINT' ? `MILLIS_TO_TIMESTAMP(${name})` : `TIME_PARSE(${name})`;
    return { column, sql };
  }
  const numbers = column.samples.map(Number);
  if (column.type === 'BIGINT' && numbers.length > 0) {
    if (numbers.every((number) => number >= 1e11 && number < 1e14))
      return { column, sql: `MILLIS_TO_TIMESTAMP(${name})` };
    if (numbers.every((number) => number >= 1e8 && number < 1e11))
      return { column, sql: `MILLIS_TO_TIMESTAMP(${name} * 1000)` };
  }
  throw new UsageError(
    `Column [${column.name}] of [${path}] ${column.samples.length === 0 ? 'is empty' : `holds [${strange}]: no ISO time, nor seconds or milliseconds since 1970`}`,
    "name another with --time-column, or give its format: --time-format 'dd.MM.yyyy HH:mm'",
  );
}

const isIso = (value: unknown) =>
  typeof value === 'string' &&
  /^\d{4}-\d\d(-\d\d([T ]\d\d(:\d\d(:\d\d([.,]\d+)?)?)?(Z|[+-]\d\d:?\d\d)?)?)?$/.test(value);

const namesOf = (columns: readonly GuessedColumn[]) => columns.map(({ name }) => name).join(', ');
