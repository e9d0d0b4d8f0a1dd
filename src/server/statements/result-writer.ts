// Rows of a SQL result as text, in the five formats of the interface (the specification, "Result
// formats and headers").
import type { ResultFormat } from '../../contract/sql.ts';
import { dayMs } from '../../model/calendar.ts';
import type { Dialect } from '../../model/dialect.ts';
import { formatFarInstant, formatInstant, instantOf } from '../../model/instant.ts';
import { doubleText, floatText, longFloatText, withJavaNumbers } from '../../model/java-text.ts';
import { formatJson } from '../../model/json.ts';
import { instantOfLocal, type TimeZone, utc } from '../../model/period.ts';
import type { OutputColumn } from '../../sql/statement.ts';
import { isJson, isTime, nativeTypeOf, type SqlType } from '../../sql/types.ts';
import type { EncodedTexts } from '../engine/encoded-texts.ts';
import { Utf8Text } from './utf8-text.ts';

export interface ResultOptions {
  readonly format: ResultFormat;
  readonly header: boolean;
  readonly typesHeader: boolean;
  readonly sqlTypesHeader: boolean;
  readonly timeZone: TimeZone; // of the times in it
  readonly stringifyArrays: boolean;
}

/** Some rows, column by column. */
export interface Batch {
  readonly rowCount: number;
  readonly columns: readonly ArrayLike<unknown>[];
  readonly texts?: readonly (EncodedTexts | undefined)[]; // in place of the values of a column
}

/**
 * Parts of a reply: `head`, then `rows` of each batch as pieces in UTF-8, then `tail`. A reply
 * without its tail was cut off.
 */
export interface ResultWriter {
  head(): string;
  rows(batch: Batch): Iterable<Uint8Array>;
  tail(): string;
}

/** Writes a result with these columns; the texts are those of Druid's writers, byte for byte. */
export function createResultWriter(
  columns: readonly OutputColumn[],
  options: ResultOptions,
): ResultWriter {
  const write = rowWriters[options.format](columns, options);
  const header = options.header ? headerRows(columns, options) : [];
  const { open, between, close, end } = frames[options.format];
  const separator = Buffer.from(between);
  const text = new Utf8Text();
  let started = header.length > 0;
  return {
    head: () => open + header.join(between),
    *rows(batch) {
      for (let row = 0; row < batch.rowCount; row++) {
        if (started) text.addEncoded(separator);
        started = true;
        write(text, batch, row);
        if (text.length >= pieceBytes) yield text.take();
      }
      if (text.length > 0) yield text.take();
    },
    tail: () => (started ? close : '') + end,
  };
}

/** The whole result in pieces, written while the batches are computed. */
export async function* resultPieces(
  writer: ResultWriter,
  batches: AsyncIterable<Batch> | Iterable<Batch>,
): AsyncGenerator<string | Uint8Array, void> {
  yield writer.head();
  for await (const batch of batches) yield* writer.rows(batch);
  yield writer.tail();
}

// Rows of long texts are sent before there are many of them.
const pieceBytes = 1024 ** 2;

/** The columns whose texts a format writes as they are, by index: these may come as bytes. */
export const encodedColumns = (
  columns: readonly OutputColumn[],
  format: ResultFormat,
): readonly number[] =>
  format === 'csv' ? [] : columns.flatMap(({ type }, index) => (isPlainText(type) ? index : []));

/** The content type header of a format; undefined where the default, JSON, applies. */
export const contentTypeOf = (
  format: ResultFormat,
  { sqlContentType }: Dialect,
): Readonly<Record<string, string>> =>
  sqlContentType === 'json' || format === 'object' || format === 'array'
    ? {}
    : { 'content-type': format === 'csv' ? 'text/csv' : 'text/plain' };

const frames: Record<ResultFormat, { open: string; between: string; close: string; end: string }> =
  {
    object: { open: '[', between: ',', close: '', end: ']\n' },
    array: { open: '[', between: ',', close: '', end: ']\n' },
    // An empty result is two newlines in the line formats, but one in CSV.
    objectLines: { open: '', between: '\n', close: '', end: '\n\n' },
    arrayLines: { open: '', between: '\n', close: '', end: '\n\n' },
    csv: { open: '', between: '\n', close: '\n', end: '\n' },
  };

type Cell = (value: unknown) => string;
type CellWriter = (text: Utf8Text, value: unknown) => void;
type RowWriter = (text: Utf8Text, batch: Batch, row: number) => void;

// Each cell follows a text: the opening of the row, or a separator, with a key if rows have keys.
const cellsOf = (
  cells: readonly CellWriter[],
  before: readonly string[],
  close: string,
): RowWriter => {
  const openings = before.map((text) => Buffer.from(text));
  const ending = Buffer.from(close);
  return (text, { columns, texts }, row) => {
    for (let at = 0; at < cells.length; at++) {
      text.addEncoded(openings[at] as Buffer);
      const encoded = texts?.[at];
      if (encoded) text.addJsonOf(encoded, row);
      else (cells[at] as CellWriter)(text, columns[at]?.[row]);
    }
    text.addEncoded(ending);
  };
};

type RowWriterOf = (columns: readonly OutputColumn[], options: ResultOptions) => RowWriter;

const objectRow: RowWriterOf = (columns, options) =>
  cellsOf(
    columns.map((column) => jsonWriter(column, options)),
    columns.map(({ name }, at) => `${at === 0 ? '{' : ','}${JSON.stringify(name)}:`),
    '}',
  );

const arrayRow: RowWriterOf = (columns, options) =>
  cellsOf(
    columns.map((column) => jsonWriter(column, options)),
    columns.map((_, at) => (at === 0 ? '[' : ',')),
    ']',
  );

const csvRow: RowWriterOf = (columns, options) => {
  const cells = columns.map((column): CellWriter => {
    const cell = csvCell(column, options);
    return (text, value) => text.add(cell(value));
  });
  const line = cellsOf(
    cells,
    columns.map((_, at) => (at === 0 ? '' : ',')),
    '',
  );
  if (columns.length > 1) return line;
  // A lone empty cell is quoted: an empty line would look like the end.
  return (text, batch, row) => {
    const before = text.length;
    line(text, batch, row);
    if (text.length === before) text.add('""');
  };
};

const rowWriters: Record<ResultFormat, RowWriterOf> = {
  object: objectRow,
  objectLines: objectRow,
  array: arrayRow,
  arrayLines: arrayRow,
  csv: csvRow,
};

function headerRows(
  columns: readonly OutputColumn[],
  { format, typesHeader, sqlTypesHeader }: ResultOptions,
): string[] {
  const sqlType = ({ type }: OutputColumn) => type.name;
  if (format === 'object' || format === 'objectLines') {
    const described = columns.map((column) => {
      const types = {
        ...(typesHeader && { type: column.nativeType }),
        ...(sqlTypesHeader && { sqlType: sqlType(column) }),
      };
      return `${JSON.stringify(column.name)}:${typesHeader || sqlTypesHeader ? JSON.stringify(types) : 'null'}`;
    });
    return [`{${described.join(',')}}`];
  }
  const rows = [
    columns.map(({ name }) => name),
    ...(typesHeader ? [columns.map(({ nativeType }) => nativeType)] : []),
    ...(sqlTypesHeader ? [columns.map(sqlType)] : []),
  ];
  if (format === 'csv')
    return rows.map((row) => row.map((text) => csvQuoted(text ?? '')).join(',') || '""');
  return rows.map((row) => JSON.stringify(row));
}

// ── One value as JSON ────────────────────────────────────────────────────────────────────────────

// Most values are whole numbers and plain text, which need no string of their own.
function jsonWriter(column: OutputColumn, options: ResultOptions): CellWriter {
  const cell = jsonCell(column, options);
  const anyValue: CellWriter = (text, value) => text.add(cell(value));
  if (isWholeNumber(column.type))
    return (text, value) =>
      typeof value === 'number' ? text.addNumber(value) : anyValue(text, value);
  if (isPlainText(column.type))
    return (text, value) =>
      typeof value === 'string' ? text.addJson(value) : anyValue(text, value);
  return isTime(column.type) ? repeatedWriter(cell) : anyValue;
}

// Rows in order of time repeat their times. A repeated value is encoded once.
function repeatedWriter(cell: Cell): CellWriter {
  let last: unknown;
  let lastText = '';
  let encoded: Buffer | undefined;
  return (text, value) => {
    if (value !== last || lastText === '') {
      last = value;
      lastText = cell(value);
      encoded = undefined;
      text.add(lastText);
      return;
    }
    encoded ??= Buffer.from(lastText);
    text.addEncoded(encoded);
  };
}

const isWholeNumber = ({ name }: SqlType) => ['BIGINT', 'SMALLINT', 'TINYINT'].includes(name);
const isPlainText = ({ name, multiValue }: SqlType) => name === 'VARCHAR' && !multiValue;

/** The JSON form of a column's value; null is `null`. */
export const jsonCell = (
  column: OutputColumn,
  options: Pick<ResultOptions, 'stringifyArrays' | 'timeZone'>,
): Cell => {
  const cell = jsonValue(column, options);
  return (value) => (value === null || value === undefined ? 'null' : cell(value));
};

function jsonValue(
  { type, hasLongFloats }: OutputColumn,
  { timeZone, stringifyArrays }: Pick<ResultOptions, 'stringifyArrays' | 'timeZone'>,
): Cell {
  switch (type.name) {
    case 'TIMESTAMP':
    case 'DATE': {
      const format = timeText(timeZone, type);
      return (ms) => `"${format(ms)}"`;
    }
    case 'DOUBLE':
    case 'REAL':
    case 'DECIMAL':
      return (value) => numberText(value, doubleText);
    case 'FLOAT':
      if (type.holdsDoubles) return (value) => numberText(value, doubleText);
      // Computed with 64 bits, returned with 32
      return (value) => numberText(Math.fround(Number(value)), floatTextOf(hasLongFloats));
    case 'ARRAY': {
      const json = arrayJson(type);
      return stringifyArrays ? (value) => jsonText(json(value)) : json;
    }
    case 'OTHER':
      return (value) => jsonText(complexText(value));
    case 'INTEGER':
      return (value) => String(low32(value));
    case 'BIGINT':
    case 'SMALLINT':
    case 'TINYINT':
      return String;
    case 'BOOLEAN':
      return (value) => (truth(value) ? 'true' : 'false');
    default:
      return type.multiValue ? multiValueJson : (value) => jsonText(String(value));
  }
}

// A DATE is shown as the start of its day.
function timeText(zone: TimeZone, { name }: SqlType): Cell {
  const shown =
    name === 'DATE'
      ? (local: number) => Math.floor(local / dayMs) * dayMs
      : (local: number) => local;
  return (value) => {
    if (typeof value === 'bigint') return formatFarInstant(value, zone.offsetMs(Number(value)));
    const ms = instantOf(Number(value));
    if (zone === utc) return formatInstant(shown(ms));
    // The engine converts to a wall-clock time and then to an instant. For an hour that occurs
    // twice when the clock is set back, it uses the first.
    const local = shown(ms + zone.offsetMs(ms));
    const first = instantOfLocal(local, zone, Number.NEGATIVE_INFINITY);
    return formatInstant(first, local - first);
  };
}

const numberText = (value: unknown, text: (value: number) => string) => {
  const number = Number(value);
  return Number.isFinite(number) ? text(number) : `"${text(number)}"`;
};

/** Whether a BOOLEAN value is true, in any of the engine's representations. */
export const truth = (value: unknown) =>
  value === true ||
  (typeof value === 'number' && value !== 0) ||
  (typeof value === 'bigint' && value !== 0n);

// The engine computes with 64 bits, and returns the low 32 for an INTEGER (Java: Number.intValue).
/** A value of an INTEGER. */
export const low32 = (value: unknown) =>
  typeof value === 'bigint' ? Number(BigInt.asIntN(32, value)) : Number(value) | 0;

// Jackson writes characters beyond the basic plane as two escapes.
const jsonText = (text: string) =>
  isPlain.test(text)
    ? `"${text}"`
    : JSON.stringify(text).replace(
        /[\ud800-\udfff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase()}`,
      );

// Most names and times match this.
const isPlain = /^[ !#-[\]-~]*$/;

// One value is plain; several are a text that holds a JSON list.
function multiValueJson(value: unknown): string {
  if (!Array.isArray(value)) return JSON.stringify(String(value));
  if (value.length === 1)
    return value[0] === null || value[0] === undefined ? 'null' : jsonText(String(value[0]));
  return jsonText(JSON.stringify(value));
}

// An array and its values as JSON. DuckDB returns small integers as numbers, so only the type tells
// `1` from `1.0`. A boolean in an array is the engine's 1 or 0.
function arrayJson({ element, ...type }: SqlType): Cell {
  const scalar = itemJson(type);
  const item: Cell = element ? arrayJson(element) : (value) => json(value);
  const json: Cell = (value) =>
    Array.isArray(value) ? `[${value.map(item).join(',')}]` : scalar(value);
  return json;
}

function itemJson(type: SqlType): Cell {
  const isWhole = type.name !== 'ARRAY' && nativeTypeOf(type) === 'LONG';
  const isNested = isJson(type);
  return (value) => {
    switch (typeof value) {
      case 'string':
        return isNested ? withJavaNumbers(value) : isPlain.test(value) ? `"${value}"` : nest(value);
      case 'boolean':
        return value ? '1' : '0';
      case 'number':
        return isWhole ? String(value) : nest(value);
      default:
        return nest(value);
    }
  };
}

function nest(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(nest).join(',')}]`;
  if (typeof value === 'number') return numberText(value, doubleText);
  return formatJson(value ?? null);
}

// Nested data is JSON text already; a sketch is a JSON string with its bytes in base64.
/** A value of a complex type as JSON. */
export const complexText = (value: unknown): string =>
  value instanceof Uint8Array
    ? JSON.stringify(Buffer.from(value).toString('base64'))
    : typeof value === 'string'
      ? withJavaNumbers(value)
      : nest(value);

// ── One value as CSV ─────────────────────────────────────────────────────────────────────────────

const floatTextOf = (isLong: true | undefined) => (isLong ? longFloatText : floatText);

const csvCell = (column: OutputColumn, options: ResultOptions): Cell => {
  const cell = csvValue(column, options);
  return (value) => (value === null || value === undefined ? '' : cell(value));
};

function csvValue(column: OutputColumn, options: ResultOptions): Cell {
  const { type, hasLongFloats } = column;
  switch (type.name) {
    case 'DOUBLE':
    case 'REAL':
    case 'DECIMAL':
      return (value) => doubleText(Number(value));
    case 'FLOAT':
      return type.holdsDoubles
        ? (value) => doubleText(Number(value))
        : (value) => floatTextOf(hasLongFloats)(Math.fround(Number(value)));
    case 'TIMESTAMP':
    case 'DATE':
      return timeText(options.timeZone, type);
    case 'ARRAY': {
      const json = arrayJson(type);
      return (value) => csvQuoted(options.stringifyArrays ? json(value) : javaList(value, type));
    }
    case 'OTHER':
      return (value) => csvQuoted(complexText(value));
    case 'INTEGER':
      return (value) => String(low32(value));
    case 'BOOLEAN':
      return (value) => (truth(value) ? 'true' : 'false');
    default:
      return (value) => csvQuoted(Array.isArray(value) ? multiValueText(value) : String(value));
  }
}

/** A value of a multi-value column as text: one value is plain, several are a JSON list. */
export const multiValueText = (values: readonly unknown[]) =>
  values.length === 1 ? String(values[0] ?? '') : JSON.stringify(values);

function javaList(value: unknown, { element, ...type }: SqlType): string {
  if (Array.isArray(value))
    return `[${value.map((item) => javaList(item, element ?? type)).join(', ')}]`;
  return typeof value === 'number' && nativeTypeOf(type) !== 'LONG'
    ? doubleText(value)
    : String(value);
}

const csvQuoted = (text: string) =>
  /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
