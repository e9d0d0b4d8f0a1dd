// Copies lines of JSON arrays to rows of a table. Texts are cut and numbers get separators on the
// way. Values that cannot be copied are formatted by the writer of tables.
import { cellsOfBytes, joined, oddLetter } from '../terminal/letter-cells.ts';
import { copyGrouped, endOfNumber, endOfShortWhole, separatorsIn } from './copied-number.ts';
import { copyPlain, endOfText, type Memory, memoryOf, writeNull } from './copied-text.ts';
import type { TablePlace } from './table.ts';

export interface CopiedTable {
  readonly count: number; // of the values in a row
  readonly cutSign: string | undefined; // undefined: texts are never cut
  places(): readonly TablePlace[]; // in the order of the values
  /** Formats a line. The places may be wider afterwards. */
  formatRow(line: string): string;
  /** The padded text of a value in a place; undefined when its column must become wider first. */
  formatCell(place: number, at: number, json: string): string | undefined;
}

/**
 * Copies batches of whole lines that end with a newline, and returns the number of lines. The
 * result has the rows of a batch in buffers of some size. Two buffers take turns, because filling
 * new memory takes longer than the copying. The bytes are valid until they are written: a stream
 * that has not asked for a pause holds less than one buffer.
 */
export function lineCopier(table: CopiedTable): (batch: Buffer) => Generator<Uint8Array, number> {
  let layout = layoutOf(table);
  let out = memoryOf(Buffer.alloc(bufferBytes, space)); // only spaces follow the position
  let other = memoryOf(Buffer.alloc(bufferBytes));
  const to: Positions = { at: 0, used: 0 };
  return function* (batch) {
    const source = memoryOf(batch);
    let begin = to.used;
    let count = 0;
    for (let start = 0; start < batch.length; ) {
      const found = batch.indexOf(newline, start);
      const end = found === -1 ? batch.length : found;
      const most = layout.padding + mostBytesOf(end - start);
      if (to.used + most > out.bytes.length) {
        if (to.used > begin) yield out.bytes.subarray(begin, to.used);
        [out, other] = [other, out];
        if (most > out.bytes.length) out = memoryOf(Buffer.alloc(most));
        out.bytes.fill(space);
        to.used = 0;
        begin = 0;
      }
      const rowBegin = to.used;
      to.at = start;
      if (copyRow(source, end, layout, out, to)) endRow(out.bytes, rowBegin, to);
      else {
        out.bytes.fill(space, rowBegin, to.used);
        to.used = rowBegin;
        if (rowBegin > begin) yield out.bytes.subarray(begin, rowBegin);
        begin = rowBegin;
        yield Buffer.from(table.formatRow(batch.toString('utf8', start, end)));
        layout = layoutOf(table);
      }
      start = end + 1;
      count++;
    }
    if (to.used > begin) yield out.bytes.subarray(begin, to.used);
    return count;
  };
}

interface Positions {
  at: number; // in the batch
  used: number; // of the output
}

// A byte becomes at most three: a control character of two bytes is written with six letters.
const mostBytesOf = (lineBytes: number) => lineBytes * 3 + 4;

// Typed arrays: V8 compiles the functions that read them once.
interface Layout {
  readonly last: number; // the place of the last value in a row
  readonly at: Int32Array; // the place of the value in its row, by column
  readonly width: Int32Array;
  readonly isRight: Uint8Array;
  readonly isGrouped: Uint8Array;
  readonly padding: number; // of a row, at most
  readonly cutSign: Uint8Array;
  readonly formatCell: CopiedTable['formatCell'];
}

function layoutOf({ count, cutSign, places, formatCell }: CopiedTable): Layout {
  const columns = places();
  return {
    last: count - 1,
    at: Int32Array.from(columns, ({ at }) => at),
    width: Int32Array.from(columns, ({ width }) => width),
    isRight: Uint8Array.from(columns, ({ isRight }) => Number(isRight)),
    isGrouped: Uint8Array.from(columns, ({ isGrouped }) => Number(isGrouped)),
    padding: columns.reduce((sum, { width }) => sum + width + gap, 0),
    cutSign: Buffer.from(cutSign ?? ''),
    formatCell,
  };
}

// Returns false for a line that cannot be copied.
function copyRow(source: Memory, end: number, layout: Layout, out: Memory, to: Positions): boolean {
  const { bytes } = source;
  const { last, at: places } = layout;
  let shown = 0;
  if (bytes[to.at] !== open || bytes[end - 1] !== close) return false;
  for (let value = 0; value <= last; value++) {
    to.at++;
    if (places[shown] !== value) to.at = endOfValue(source, to.at);
    else {
      if (shown > 0) to.used += gap;
      if (
        !copyValue(source, layout, shown, out, to) &&
        !formatValue(source, layout, shown, out.bytes, to)
      )
        return false;
      shown++;
    }
    if (bytes[to.at] !== (value === last ? close : comma)) return false;
  }
  return to.at === end - 1 && shown === places.length;
}

// Returns false, with nothing written, for a value that cannot be copied.
function copyValue(
  source: Memory,
  layout: Layout,
  shown: number,
  out: Memory,
  to: Positions,
): boolean {
  const first = source.bytes[to.at];
  if (first === quote) return copyText(source, layout, shown, out, to);
  if (first === letterN) return copyNull(layout, shown, out, to);
  return (
    copyDigits(source.bytes, layout, shown, out.bytes, to) ||
    copyNumber(source.bytes, layout, shown, out.bytes, to)
  );
}

function endRow(out: Buffer, begin: number, to: Positions): void {
  while (to.used > begin && out[to.used - 1] === space) to.used--;
  out[to.used++] = newline;
}

function copyText(
  source: Memory,
  layout: Layout,
  shown: number,
  out: Memory,
  to: Positions,
): boolean {
  const width = layout.width[shown] as number;
  const begin = to.used;
  const plain = copyPlain(source, to.at + 1, width, out, begin);
  if (source.bytes[to.at + 1 + plain] !== quote)
    return copyLetters(source, layout, shown, out, to, plain);
  to.at += plain + 2;
  if (layout.isRight[shown] === 1) moveRight(out.bytes, begin, begin + plain, width - plain);
  to.used += width;
  return true;
}

// The same for all letters, and for a text that is cut. The `plain` first letters are copied.
function copyLetters(
  source: Memory,
  layout: Layout,
  shown: number,
  out: Memory,
  to: Positions,
  plain: number,
): boolean {
  const { bytes } = source;
  const written = out.bytes;
  const width = layout.width[shown] as number;
  const isRight = layout.isRight[shown] === 1;
  const begin = to.used;
  let at = to.at + 1 + plain;
  let used = begin + plain;
  let room = plain;
  let cutRoom = plain < width ? plain : width - 1;
  let cutAt = begin + cutRoom; // the end of a cut that leaves a cell for its sign
  let hasMarks = false;
  for (let code = bytes[at] as number; code !== quote; code = bytes[++at] as number) {
    const run = code < del ? copyPlain(source, at, width - room - 1, out, used) : 0;
    if (run > 0) {
      at += run - 1;
      used += run;
      room += run;
      cutAt = used;
      cutRoom = room;
      continue;
    }
    let cells = 1;
    let size = 1;
    if (code > del) {
      cells = cellsOfBytes(bytes, at);
      size = code < threeBytes ? 2 : 3;
      if (cells >= joined) {
        hasMarks = true;
        cells -= joined;
      }
    } else if (code === backslash) {
      code = bytes[++at] as number;
      if (code !== quote && code !== backslash) cells = oddLetter;
    } else if (code < space || code === del) cells = oddLetter;
    const isCut = room + cells > width;
    if (cells === oddLetter || (isCut && (isRight || hasMarks || layout.cutSign.length === 0))) {
      written.fill(space, begin, used);
      return false;
    }
    if (isCut) {
      written.fill(space, cutAt, used);
      written.set(layout.cutSign, cutAt);
      to.at = endOfText(source, at);
      to.used = cutAt + layout.cutSign.length + width - cutRoom - 1;
      return true;
    }
    written[used++] = code;
    for (; size > 1; size--) written[used++] = bytes[++at] as number;
    room += cells;
    if (room < width) {
      cutAt = used;
      cutRoom = room;
    }
  }
  if (isRight) moveRight(written, begin, used, width - room);
  to.at = at + 1;
  to.used = used + width - room;
  return true;
}

function moveRight(out: Buffer, begin: number, end: number, by: number): void {
  if (by === 0) return;
  out.copyWithin(begin + by, begin, end);
  out.fill(space, begin, begin + by);
}

function copyNull(layout: Layout, shown: number, out: Memory, to: Positions): boolean {
  const width = layout.width[shown] as number;
  if (width < nullBytes) return false;
  writeNull(out, layout.isRight[shown] === 1 ? to.used + width - nullBytes : to.used);
  to.used += width;
  to.at += nullBytes;
  return true;
}

// Most numbers are short and whole.
function copyDigits(
  bytes: Buffer,
  layout: Layout,
  shown: number,
  out: Buffer,
  to: Positions,
): boolean {
  const width = layout.width[shown] as number;
  const end = endOfShortWhole(bytes, to.at);
  const pad = width - (end - to.at);
  if (end === -1 || pad < 0) return false;
  let used = layout.isRight[shown] === 1 ? to.used + pad : to.used;
  for (let at = to.at; at < end; at++) out[used++] = bytes[at] as number;
  to.used += width;
  to.at = end;
  return true;
}

function copyNumber(
  bytes: Buffer,
  layout: Layout,
  shown: number,
  out: Buffer,
  to: Positions,
): boolean {
  const width = layout.width[shown] as number;
  const next = endOfWord(bytes, to.at);
  const first = bytes[to.at];
  const isWord = first === letterT || first === letterF;
  const end = isWord ? next : endOfNumber(bytes, to.at, next);
  if (end === -1) return false;
  const groups = isWord || layout.isGrouped[shown] === 0 ? 0 : separatorsIn(bytes, to.at, end);
  const pad = width - (end - to.at) - groups;
  if (pad < 0) return false;
  let used = layout.isRight[shown] === 1 ? to.used + pad : to.used;
  if (groups > 0) copyGrouped(bytes, to.at, end, out, used);
  else for (let at = to.at; at < end; at++) out[used++] = bytes[at] as number;
  to.used += width;
  to.at = next;
  return true;
}

// Returns false when the column must become wider.
function formatValue(
  source: Memory,
  { at: places, formatCell }: Layout,
  shown: number,
  out: Buffer,
  to: Positions,
): boolean {
  const end = endOfValue(source, to.at);
  const text = formatCell(
    shown,
    places[shown] as number,
    source.bytes.toString('utf8', to.at, end),
  );
  if (text === undefined) return false;
  to.used += out.write(text, to.used);
  to.at = end;
  return true;
}

const bufferBytes = 2 ** 17;
const gap = 2;
const threeBytes = 0xe0; // the least first byte of a letter of three bytes
const [newline, space, quote, comma, open, close] = [10, 32, 34, 44, 91, 93];
const [openObject, closeObject, backslash, del] = [123, 125, 92, 127];
const [letterN, letterT, letterF] = [110, 116, 102];
const nullBytes = 4;

// The position behind a number, `true`, `false` or `null`.
function endOfWord(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let code = bytes[at]; at < bytes.length; code = bytes[++at])
    if (code === comma || code === close || code === closeObject || code === newline) break;
  return at;
}

function endOfValue(source: Memory, from: number): number {
  const { bytes } = source;
  let at = from;
  let depth = 0;
  while (at < bytes.length) {
    const code = bytes[at];
    const isEnd = depth > 0 && (code === close || code === closeObject);
    if (code === quote) at = endOfText(source, at + 1);
    else if (code === open || code === openObject || isEnd) at++;
    else at = depth === 0 ? endOfWord(bytes, at) : at + 1;
    if (code === open || code === openObject) depth++;
    else if (isEnd) depth--;
    if (depth === 0) break;
  }
  return at;
}
