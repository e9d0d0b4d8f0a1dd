// Rows of a table from lines of JSON arrays, copied byte by byte: for a million rows, parsing and
// formatting of each value would take several times as long as the transfer. Texts are cut and
// numbers get separators on the way. A line with any other value goes through the writer of tables.

import { parseRows } from '../../client/line-formats.ts';
import { visibleLine } from '../../model/visible-text.ts';
import type { Columns } from '../lists/columns.ts';
import { widthOf } from '../terminal/width.ts';
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
  let places = table.places();
  const formatOdd = (line: string) => {
    const text = table.write(parseRows(line) as readonly Row[]);
    places = table.places();
    return text;
  };
  const shape = { count: columns.length, sign: look.width === undefined ? undefined : look.cut };
  const copy = lineCopier(() => places, shape, formatOdd);
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

interface Shape {
  readonly count: number; // of the values in a row
  readonly sign: string | undefined; // for a cut; undefined: texts are never cut
}

/**
 * Formats batches of whole lines in the current `places`. A line that cannot be copied is formatted
 * by `formatOdd`, which may widen the places.
 */
export function lineCopier(
  places: () => readonly TablePlace[],
  { count, sign }: Shape,
  formatOdd: (line: string) => string,
): (batch: Buffer) => Buffer {
  const cutSign = sign === undefined ? undefined : Buffer.from(sign);
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
      reserve((end - at) * 2 + current.reduce((sum, { width }) => sum + width + gap, 1));
      const copied = copyRow(batch, at, end, { places: current, count, cutSign }, out, used);
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

interface Layout {
  readonly places: readonly TablePlace[]; // in the order of the values
  readonly count: number; // of the values in a row
  readonly cutSign: Buffer | undefined;
}

// Writes the row of a line; returns the position behind it in `out`, or `odd`.
function copyRow(
  bytes: Buffer,
  start: number,
  end: number,
  { places, count, cutSign }: Layout,
  out: Buffer,
  begin: number,
): number {
  let at = start + 1;
  let used = begin;
  let shown = 0;
  if (bytes[start] !== open || bytes[end - 1] !== close) return odd;
  for (let value = 0; value < count; value++) {
    const place = places[shown];
    const isShown = place !== undefined && place.at === value;
    let source = bytes;
    let from = at;
    let to: number;
    let room: number;
    let groups = 0; // separators of a number
    const sign = bytes[at] as number;
    const isText = sign === quote;
    if (isText) {
      from = ++at;
      room = 0;
      for (let code = bytes[at] as number; code !== quote; code = bytes[++at] as number) {
        if (code >= space && code < del && code !== backslash) room++;
        else {
          const letter = letterAt(bytes, at);
          if (letter === oddLetter) return odd;
          at += letter.size - 1;
          room += letter.cells;
        }
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
        if (isShown && place.isGrouped) groups = separatorsIn(bytes, from, to);
      }
      room = to - from + groups;
    }
    if (bytes[at++] !== (value === count - 1 ? close : comma)) return odd;
    if (!isShown) continue;
    const { width, isRight } = place;
    const isCut = room > width;
    if (isCut && (cutSign === undefined || !isText || isRight)) return odd;
    if (shown > 0) {
      out[used++] = space;
      out[used++] = space;
    }
    shown++;
    let pad = width - room;
    if (isCut) {
      const [cutAt, left] = endOfCells(source, from, width - 1);
      [to, pad] = [cutAt, left];
    }
    if (isRight) for (let left = pad; left > 0; left--) out[used++] = space;
    if (groups > 0) used = copyGrouped(source, from, to, out, used);
    else {
      for (let next = from; next < to; next++) {
        if (isText && source[next] === backslash) next++;
        out[used++] = source[next] as number;
      }
      if (isCut && cutSign) used += cutSign.copy(out, used);
    }
    if (!isRight && shown < places.length)
      for (let left = pad; left > 0; left--) out[used++] = space;
  }
  if (at !== end || shown !== places.length) return odd;
  while (used > begin && out[used - 1] === space) used--;
  out[used++] = newline;
  return used;
}

// The end of the whole part of a number.
function endOfWhole(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && bytes[at] !== point) at++;
  return at;
}

// Numbers of fewer than five digits have none: a year stays as it is.
function separatorsIn(bytes: Buffer, from: number, to: number): number {
  const first = bytes[from] === minus ? from + 1 : from;
  const digits = endOfWhole(bytes, first, to) - first;
  return digits < 5 ? 0 : Math.floor((digits - 1) / 3);
}

function copyGrouped(source: Buffer, from: number, to: number, out: Buffer, begin: number): number {
  const first = source[from] === minus ? from + 1 : from;
  const end = endOfWhole(source, first, to);
  let used = begin;
  for (let at = from; at < to; at++) {
    if (at > first && at < end && (end - at) % 3 === 0) out[used++] = comma;
    out[used++] = source[at] as number;
  }
  return used;
}

// The end of the letters of a text that fit into `cells`, and the cells that are left.
function endOfCells(source: Buffer, from: number, cells: number): readonly [number, number] {
  let [at, left] = [from, cells];
  while (left > 0) {
    const { size, cells } = letterAt(source, at);
    if (cells > left) break;
    at += size;
    left -= cells;
  }
  return [at, left];
}

/** A letter in the bytes of a JSON text, and its cells in a terminal. */
interface Letter {
  readonly size: number;
  readonly cells: number;
}

const plainLetter: Letter = { size: 1, cells: 1 };
const escapedLetter: Letter = { size: 2, cells: 1 };
const oddLetter: Letter = { size: 0, cells: 0 };

function letterAt(bytes: Buffer, at: number): Letter {
  const [lead = 0, next = 0, last = 0] = [bytes[at], bytes[at + 1], bytes[at + 2]];
  if (lead === backslash) return next === quote || next === backslash ? escapedLetter : oddLetter;
  if (lead >= space && lead < del) return plainLetter;
  if ((next & 0xc0) !== 0x80) return oddLetter;
  if ((lead & 0xe0) === 0xc0) return letterOf(((lead & 0x1f) << 6) | (next & 0x3f), 2);
  if ((lead & 0xf0) !== 0xe0 || (last & 0xc0) !== 0x80) return oddLetter;
  return letterOf(((lead & 0x0f) << 12) | ((next & 0x3f) << 6) | (last & 0x3f), 3);
}

// Letters of two and three bytes of UTF-8 by their code.
const knownLetters: Letter[] = [];

function letterOf(code: number, size: number): Letter {
  knownLetters[code] ??= measuredLetter(String.fromCharCode(code), size);
  return knownLetters[code];
}

function measuredLetter(letter: string, size: number): Letter {
  const standsAlone = isLetter.test(letter) && !mayJoin.test(letter);
  return standsAlone && visibleLine(letter) === letter
    ? { size, cells: widthOf(letter) }
    : oddLetter;
}

const isLetter = /^[\p{L}\p{Nd}\p{P}\p{S}\p{Zs}]$/u; // no mark
// Signs that may become emoji, and parts of syllables
const mayJoin = /[\p{Extended_Pictographic}\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/u;

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
