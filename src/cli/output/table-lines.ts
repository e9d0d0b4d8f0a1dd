// Rows of a table from lines of JSON arrays, copied byte by byte: for a million rows, parsing and
// formatting of each value would take several times as long as the transfer. A line with a value
// that is not copied as it is goes through the writer of tables.

import { parseRows } from '../../client/line-formats.ts';
import type { Columns } from '../lists/columns.ts';
import { firstTogether } from './first-together.ts';
import { type TableLook, type TablePlace, tableWriter } from './table.ts';

type Row = readonly unknown[];

/**
 * The table of a result. `first` are its first rows, which decide the widths together with those
 * that arrive soon after them; each batch of `more` holds whole lines and ends with a newline.
 */
export async function* tableOfLines(
  columns: Columns<Row>,
  look: TableLook,
  first: readonly Row[],
  more: AsyncIterator<Buffer>,
): AsyncGenerator<Uint8Array> {
  const table = tableWriter(columns, look);
  let isWritten = false;
  for await (const rows of firstTogether(parsedRows(first, more))) {
    yield Buffer.from(table.write(rows));
    isWritten = true;
  }
  if (!isWritten) yield Buffer.from(table.write([]));
  const copy = lineCopier(table.places, (line) => table.write(parseRows(line) as readonly Row[]));
  for (let next = await more.next(); !next.done; next = await more.next()) yield copy(next.value);
}

const enoughRows = 1000;

// The first thousand rows or more.
async function* parsedRows(first: readonly Row[], more: AsyncIterator<Buffer>) {
  let count = first.length;
  if (count > 0) yield first;
  while (count < enoughRows) {
    const next = await more.next();
    if (next.done) return;
    const rows = parseRows(next.value.toString('utf8', 0, next.value.length - 1)) as readonly Row[];
    count += rows.length;
    yield rows;
  }
}

/**
 * Formats batches of whole lines in the current `places`. A line that cannot be copied is formatted
 * by `formatOdd`, which may widen the places.
 */
export function lineCopier(
  places: () => readonly TablePlace[],
  formatOdd: (line: string) => string,
): (batch: Buffer) => Buffer {
  return (batch) => {
    let out = Buffer.allocUnsafe(batch.length * 2);
    let used = 0;
    const reserve = (size: number) => {
      if (used + size > out.length) out = Buffer.concat([out.subarray(0, used)], (used + size) * 2);
    };
    for (let at = 0; at < batch.length; ) {
      const found = batch.indexOf(newline, at);
      const end = found === -1 ? batch.length : found;
      const current = places();
      reserve(end - at + current.reduce((sum, { width }) => sum + width + gap, 1));
      const copied = copyRow(batch, at, end, current, out, used);
      if (copied === odd) {
        const text = Buffer.from(formatOdd(batch.toString('utf8', at, end)));
        reserve(text.length);
        used += text.copy(out, used);
      } else used = copied;
      at = end + 1;
    }
    return out.subarray(0, used);
  };
}

const odd = -1; // a line that cannot be copied
const gap = 2;
const [newline, space, quote, comma, point, minus, zero, nine] = [10, 32, 34, 44, 46, 45, 48, 57];
const [open, close, backslash, del] = [91, 93, 92, 127];
const [letterN, letterT, letterF] = [110, 116, 102];
const nullText = Buffer.from('NULL');

// Writes the row of a line; returns the position behind it in `out`, or `odd`.
function copyRow(
  bytes: Buffer,
  start: number,
  end: number,
  places: readonly TablePlace[],
  out: Buffer,
  begin: number,
): number {
  let at = start + 1;
  let used = begin;
  if (bytes[start] !== open || bytes[end - 1] !== close) return odd;
  for (let column = 0; column < places.length; column++) {
    const { width, isRight } = places[column] as TablePlace;
    let source = bytes;
    let from = at;
    let to: number;
    let room: number;
    const sign = bytes[at] as number;
    if (sign === quote) {
      from = ++at;
      room = 0;
      for (let code = bytes[at] as number; code !== quote; code = bytes[++at] as number) {
        if (code < space || code >= del || code === backslash) {
          if (!isNarrowPair(code, bytes[at + 1] as number)) return odd;
          at++;
        }
        room++;
      }
      to = at++;
    } else {
      while (at < end - 1 && bytes[at] !== comma) at++;
      to = at;
      if (sign === letterN) {
        source = nullText;
        from = 0;
        to = nullText.length;
      } else if (sign !== letterT && sign !== letterF) {
        to = endOfNumber(bytes, from, to);
        if (to === odd) return odd;
      }
      room = to - from;
    }
    const isLast = column === places.length - 1;
    if (room > width || bytes[at++] !== (isLast ? close : comma)) return odd;
    if (column > 0) {
      out[used++] = space;
      out[used++] = space;
    }
    const pad = width - room;
    if (isRight) for (let left = pad; left > 0; left--) out[used++] = space;
    for (let next = from; next < to; next++) out[used++] = source[next] as number;
    if (!isRight && !isLast) for (let left = pad; left > 0; left--) out[used++] = space;
  }
  if (at !== end) return odd;
  while (used > begin && out[used - 1] === space) used--;
  out[used++] = newline;
  return used;
}

// Two bytes of UTF-8 for one letter of one cell: Latin, Greek, Cyrillic.
const isNarrowPair = (lead: number, next: number) =>
  ((lead >= 0xc3 && lead <= 0xc9) || (lead >= 0xce && lead <= 0xd1)) && (next & 0xc0) === 0x80;

/**
 * The end of a number that JavaScript prints with the same digits: a whole double loses its `.0`.
 * `odd` for other numbers and values.
 */
function endOfNumber(bytes: Buffer, from: number, to: number): number {
  const first = bytes[from] === minus ? from + 1 : from;
  let pointAt = to;
  for (let at = first; at < to; at++) {
    const code = bytes[at] as number;
    if (code === point && pointAt === to) pointAt = at;
    else if (code < zero || code > nine) return odd;
  }
  const isWhole = pointAt === to || (pointAt === to - 2 && bytes[to - 1] === zero);
  if (isWhole && bytes[first] === zero) return first === from ? first + 1 : odd;
  if (pointAt === to) return to > first ? to : odd;
  if (to - first > mostDigits + 1) return odd;
  if (isWhole) return pointAt;
  const isTiny = bytes[first] === zero && pointAt + 3 < to && bytes[pointAt + 3] === zero;
  return bytes[to - 1] === zero || isTiny ? odd : to;
}

const mostDigits = 15; // a double holds so many
