// Lines of CSV as the engine reads them (Druid: CsvReader, over opencsv's RFC4180Parser). Every
// line end ends a row, also between quotes. A quote that closes no field is text.
import type { InputFile } from './input-file.ts';
import { isReadable, piecesOf } from './text-files.ts';

/**
 * The values of a line; null for an empty one without quotes (Druid:
 * CSVReaderNullFieldIndicator.EMPTY_SEPARATORS).
 */
export function csvValues(line: string): (string | null)[] {
  if (!line.includes('"')) return line.split(',').map((value) => value || null);
  const values: (string | null)[] = [];
  for (let at = 0; at <= line.length; ) {
    const end = fieldEnd(line, at);
    values.push(valueIn(line.slice(at, end)));
    at = end + 1;
  }
  return values;
}

// A field with a quote at its start ends at the first, third or any further odd quote before a
// comma, or with the line.
function fieldEnd(line: string, start: number): number {
  const endOr = (at: number) => (at === -1 ? line.length : at);
  if (line[start] !== '"') return endOr(line.indexOf(',', start));
  let even = start;
  for (;;) {
    const odd = line.indexOf('"', even + 1);
    if (odd === -1 || line[odd + 1] === ',') return endOr(odd === -1 ? odd : odd + 1);
    even = line.indexOf('"', odd + 1);
    if (even === -1) return line.length;
  }
}

function valueIn(field: string): string | null {
  if (field === '') return null;
  const isQuoted = field.startsWith('"') && field.includes('"', 1);
  return (isQuoted ? field.slice(1, field.endsWith('"') ? -1 : undefined) : field).replaceAll(
    '""',
    '"',
  );
}

/**
 * The relation `lines` with one column for each field: what `csvValues` returns, in SQL; and their
 * number as `width`.
 */
export function csvValuesSql(lines: string, columns: readonly string[]): string {
  const values = columns.map((column, index) => `${valueSql(`s[${index + 1}]`)} AS ${column}`);
  return `(SELECT ${[...values, 'len(s) AS width'].join(', ')} FROM (SELECT ${fieldsSql} AS s FROM ${lines}))`;
}

const fieldPattern = `(?:"[^"]*(?:"(?:[^",][^"]*)?"[^"]*)*"|[^",][^,]*||(?s:".*)),`;

// Without its comma at the end
const fieldsSql = `CASE WHEN contains(line, '"') THEN list_transform(regexp_extract_all(concat(line, ','), '${fieldPattern}'), lambda field: left(field, -1)) ELSE string_split(line, ',') END`;

const valueSql = (field: string) =>
  `CASE WHEN contains(${field}, '"') THEN replace(CASE WHEN NOT starts_with(${field}, '"') OR NOT contains(substr(${field}, 2), '"') THEN ${field} WHEN ends_with(${field}, '"') THEN substr(left(${field}, -1), 2) ELSE substr(${field}, 2) END, '""', '"') ELSE nullif(${field}, '') END`;

/**
 * Whether each quote of a file opens or closes a field, or is one of two within it, each line ends
 * with one line end outside quotes, and none is empty: DuckDB's reader then returns the same
 * values.
 */
export async function isWellFormed(file: InputFile): Promise<boolean> {
  if (!isReadable(file)) return false;
  let state: number = states.lineStart;
  for await (const piece of piecesOf(file)) {
    state = isPlain(state, piece) ? afterPlain(piece[piece.length - 1]) : stateAfter(piece, state);
    if (state === states.misplaced) return false;
  }
  return state !== states.quoted;
}

// What the bytes before one end with
const states = {
  lineStart: 0,
  start: 1, // of a further field
  plain: 2, // text without quotes
  returned: 3, // a carriage return in it
  quoted: 4, // text within quotes
  closed: 5, // a quote within quotes
  closedAndReturned: 6, // a carriage return behind the closing quote
  misplaced: 7, // a quote or a line end that is out of place
};

const isPlain = (state: number, piece: Buffer): boolean =>
  (state === states.start || state === states.plain) &&
  !piece.includes(quote) &&
  !piece.includes('\n\n') &&
  // A search for one byte is faster.
  (!piece.includes(carriageReturn) || !(piece.includes('\r\r') || piece.includes('\n\r')));

function stateAfter(piece: Buffer, before: number): number {
  let state = before;
  for (let at = 0; at < piece.length; at++)
    state = transitions[(state << 8) | (piece[at] as number)] as number;
  return state;
}

const [quote, comma, lineFeed, carriageReturn] = [0x22, 0x2c, 0x0a, 0x0d];

function afterPlain(byte: number | undefined): number {
  if (byte === carriageReturn) return states.returned;
  if (byte === lineFeed) return states.lineStart;
  return byte === comma ? states.start : states.plain;
}

function nextState(state: number, byte: number): number {
  switch (state) {
    case states.lineStart:
      if (byte === lineFeed || byte === carriageReturn) return states.misplaced;
      return byte === quote ? states.quoted : afterPlain(byte);
    case states.start:
      return byte === quote ? states.quoted : afterPlain(byte);
    case states.plain:
      return byte === quote ? states.misplaced : afterPlain(byte);
    case states.returned:
      return byte === quote || byte === carriageReturn ? states.misplaced : afterPlain(byte);
    case states.quoted:
      if (byte === lineFeed || byte === carriageReturn) return states.misplaced;
      return byte === quote ? states.closed : states.quoted;
    case states.closed:
      if (byte === quote) return states.quoted;
      if (byte === carriageReturn) return states.closedAndReturned;
      if (byte === lineFeed) return states.lineStart;
      return byte === comma ? states.start : states.misplaced;
    case states.closedAndReturned:
      return byte === lineFeed ? states.lineStart : states.misplaced;
    default:
      return states.misplaced;
  }
}

// The next state for each state and byte, since a lookup is faster than the function
const transitions = Uint8Array.from({ length: Object.keys(states).length << 8 }, (_, index) =>
  nextState(index >> 8, index & 255),
);
