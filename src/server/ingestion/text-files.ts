// Lines of text files: as a relation of the engine, and in JavaScript if only a few lines are
// needed.
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import * as zlib from 'node:zlib';
import { maxLineBytes } from '../engine/refusals.ts';
import { quote } from '../engine/sql-text.ts';
import type { InputFile } from './input-file.ts';

/**
 * The lines of files, as a relation with the columns `line` and, if requested, `filename`; empty
 * lines only with `empty`, for files whose lines have equal ends. Skips lines at the head of each
 * file. A carriage return ends a line too.
 */
export function linesOf(
  files: readonly InputFile[],
  { skip = 0, filename = false, empty = false } = {},
): string {
  const paths = files.map(({ path }) => quote(path)).join(', ');
  // Without a delimiter, DuckDB takes the byte 0 for one.
  const options = [
    "columns = {'line': 'VARCHAR'}, quote = '', escape = '', header = false, auto_detect = false, strict_mode = false",
    "delim = '\u0002\u0001\u0002\u0001'",
    empty ? "nullstr = '', force_not_null = ['line']" : "nullstr = '\u0003\u0004\u0003'",
    `${sizesOf(files)}, filename = ${filename}`,
  ];
  if (empty) return `read_csv([${paths}], ${options.join(', ')}, skip = ${skip})`;
  if (skip === 0) return `read_csv([${paths}], ${options.join(', ')}, new_line = '\\n')`;
  // With \n as line end, DuckDB would skip half as many lines that end with \r\n. Without it, a
  // line after \r\r\n begins with \n.
  const lines = `read_csv([${paths}], ${options.join(', ')}, skip = ${skip})`;
  return `(SELECT * REPLACE (ltrim(line, chr(10)) AS line) FROM ${lines} WHERE ltrim(line, chr(10)) <> '')`;
}

/** The sizes of a line and of the buffers for DuckDB's `read_csv`. */
export function sizesOf(files: readonly InputFile[]): string {
  const lineBytes = longestLineIn(files);
  return `max_line_size = ${lineBytes}, buffer_size = ${lineBytes}`;
}

/**
 * Refuses a file whose last line is too long: DuckDB's reader would skip it without a word. A
 * compressed file is unpacked for it, and refused as soon as its first line is too long.
 */
export async function refuseLongLine(file: InputFile): Promise<void> {
  const isPacked = isCompressed(file);
  if (isPacked ? !isReadable(file) : file.sizeBytes <= maxLineBytes) return;
  const start = isPacked ? 0 : Math.max(0, file.sizeBytes - maxLineBytes - pieceBytes);
  const content = contentOf(file, { start, highWaterMark: pieceBytes });
  let length = 0; // of the last line that is not empty
  let hasEnded = false;
  let isFirst = true;
  try {
    for await (const piece of content as AsyncIterable<Buffer>) {
      let end = piece.length;
      while (end > 0 && isLineEnd(piece[end - 1])) end--;
      if (end > 0) {
        const text = piece.subarray(0, end);
        const from = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
        length = from > 0 || hasEnded ? end - from : length + end;
        isFirst &&= from === 0 && !hasEnded;
        hasEnded = false;
      }
      hasEnded ||= end < piece.length;
      if (isFirst && length > maxLineBytes) break;
    }
  } catch (error) {
    throw unreadable(file, error);
  } finally {
    content.destroy();
  }
  if (length > maxLineBytes) throw lineTooLong(file);
}

const isLineEnd = (byte: number | undefined): boolean => byte === 10 || byte === 13;

const lineTooLong = ({ name }: InputFile) =>
  new Error(`A line of file [${name}] is longer than [${maxLineBytes}] bytes`);

const pieceBytes = 64 * 1024;

const isCompressed = ({ path }: InputFile): boolean => /\.(gz|zst)$/.test(path);

// Node reads zstd since version 22.15; DuckDB, which reads the rows, always does.
const makeZstd = (zlib as { createZstdDecompress?: () => Duplex }).createZstdDecompress;
/** Whether JavaScript can read the content of a file. */
export const isReadable = ({ path }: InputFile): boolean =>
  !path.endsWith('.zst') || makeZstd !== undefined;

// By default, DuckDB reads pieces of 16 maximum-length lines, half a gigabyte for each. A line is
// at most as long as its file, in which an invalid UTF-8 byte may become three bytes.
function longestLineIn(files: readonly InputFile[]): number {
  if (files.some(isCompressed)) return maxLineBytes;
  const largest = files.reduce(
    (most, { sizeBytes, longestLine = 3 * sizeBytes }) => Math.max(most, longestLine),
    0,
  );
  return Math.max(minPieceBytes, Math.min(maxLineBytes, largest));
}

const minPieceBytes = 1024 * 1024;

/**
 * Files with the length of their longest line, as far as it is longer than the smallest buffer.
 * Without it, buffers have room for the longest line allowed. Compressed files are not read.
 */
export async function withLongestLines(files: readonly InputFile[]): Promise<InputFile[]> {
  const measured: InputFile[] = [];
  for (const file of files)
    measured.push(isCompressed(file) ? file : { ...file, longestLine: await longestIn(file) });
  return measured;
}

async function longestIn(file: InputFile): Promise<number> {
  const content = await open(file.path);
  const buffer = Buffer.alloc(minPieceBytes);
  let longest = 0;
  let begun = 0; // bytes of the line at the end of the last piece
  try {
    for (;;) {
      const { bytesRead } = await content.read(buffer, 0, buffer.length);
      const piece = buffer.subarray(0, bytesRead);
      const end = piece.indexOf(10);
      longest = Math.max(longest, begun + (end === -1 ? bytesRead : end));
      if (bytesRead === 0) return longest + lineEnd;
      begun = end === -1 ? begun + bytesRead : bytesRead - piece.lastIndexOf(10) - 1;
    }
  } finally {
    await content.close();
  }
}

const lineEnd = 2; // bytes

/** The mean length in bytes of the lines at the head of a file without compression. */
export async function meanLineBytes(path: string): Promise<number> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes);
    let lines = 1;
    for (let at = buffer.indexOf(10); at >= 0 && at < bytesRead; at = buffer.indexOf(10, at + 1))
      lines++;
    return bytesRead / lines;
  } finally {
    await file.close();
  }
}

const headBytes = 4 * 1024 * 1024;

/** Whether a text occurs in a file. A compressed file is not read: the text may occur in it. */
export async function mayHold(file: InputFile, text: string): Promise<boolean> {
  if (isCompressed(file)) return true;
  const wanted = Buffer.from(text);
  const buffer = Buffer.alloc(minPieceBytes + wanted.length);
  const content = await open(file.path);
  try {
    let kept = 0; // bytes at the end of the last piece, where the text may begin
    for (;;) {
      const { bytesRead } = await content.read(buffer, kept, minPieceBytes);
      if (bytesRead === 0) return false;
      const held = buffer.subarray(0, kept + bytesRead);
      if (held.includes(wanted)) return true;
      kept = Math.min(held.length, wanted.length - 1);
      buffer.copyWithin(0, held.length - kept, held.length);
    }
  } finally {
    await content.close();
  }
}

/**
 * Whether all lines of files, or the first `maxLines` of each, have the same kind of end:
 * otherwise, DuckDB finds empty lines within ends of two characters. Compressed files are not read.
 */
export async function haveEqualLineEnds(
  files: readonly InputFile[],
  maxLines = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  for (const file of files) {
    if (isCompressed(file)) return false;
    // A search for one byte is faster.
    if (maxLines === Number.POSITIVE_INFINITY && !(await mayHold(file, '\r'))) continue;
    if (!(await hasEqualLineEnds(file, maxLines))) return false;
  }
  return true;
}

async function hasEqualLineEnds(file: InputFile, maxLines: number): Promise<boolean> {
  let isReturned = false;
  let areReturned: boolean | undefined; // the line ends so far
  let lines = 0;
  for await (const piece of piecesOf(file)) {
    for (let at = 0; at < piece.length; at++) {
      if (piece[at] === 10) {
        if (isReturned !== (areReturned ?? isReturned)) return false;
        areReturned = isReturned;
        if (++lines === maxLines) return true;
      } else if (isReturned) return false;
      isReturned = piece[at] === 13;
    }
  }
  return !isReturned;
}

/** The first lines of a file, at most `count`. */
export async function firstLines(file: InputFile, count: number): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of linesIn(file)) {
    if (lines.length === count) break;
    lines.push(line);
  }
  return lines;
}

/** The line numbers (from 1) of the given non-empty lines, which are counted from 1, ascending. */
export async function lineNumbers(
  file: InputFile,
  skip: number,
  ordinals: readonly number[],
): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  const wanted = new Set(ordinals);
  let [number, ordinal] = [0, 0];
  for await (const line of linesIn(file)) {
    number++;
    if (number <= skip || line === '') continue;
    ordinal++;
    if (wanted.has(ordinal)) found.set(ordinal, number);
    if (found.size === wanted.size) break;
  }
  return found;
}

/** A copy of a file in which U+FFFD replaces invalid UTF-8 bytes, as in Java. */
export async function asUtf8(file: InputFile, path: string): Promise<InputFile> {
  await pipeline(
    contentOf(file),
    new TextDecoderStream() as never,
    createWriteStream(path, { mode: 0o600 }),
  );
  const { longestLine } = file;
  return { ...file, path, ...(longestLine !== undefined && { longestLine: 3 * longestLine }) };
}

/** The content of a file, without its compression, piece by piece. */
export async function* piecesOf(file: InputFile): AsyncGenerator<Buffer> {
  const content = contentOf(file);
  try {
    yield* content as AsyncIterable<Buffer>;
  } catch (error) {
    throw unreadable(file, error);
  } finally {
    content.destroy();
  }
}

async function* linesIn(file: InputFile): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = []; // of the incomplete last line
  let length = 0;
  let endsInReturn = false;
  for await (const piece of piecesOf(file)) {
    const text = decoder.write(piece);
    const [first = '', ...others] = (
      endsInReturn && text.startsWith('\n') ? text.slice(1) : text
    ).split(/\r\n|\r|\n/);
    if (text !== '') endsInReturn = text.endsWith('\r');
    pieces.push(first);
    length += first.length;
    if (length > maxLineBytes) throw lineTooLong(file);
    const last = others.pop();
    if (last === undefined) continue;
    yield pieces.join('');
    yield* others;
    [pieces, length] = [[last], last.length];
  }
  const last = pieces.join('') + decoder.end();
  if (last !== '') yield last;
}

const unreadable = ({ name }: InputFile, error: unknown) =>
  error instanceof Error && 'errno' in error
    ? new Error(`Cannot read file [${name}]: ${error.message}`)
    : error;

function contentOf(
  { name, path }: InputFile,
  options: Parameters<typeof createReadStream>[1] = {},
): Readable {
  const stored = createReadStream(path, options);
  const content = path.endsWith('.gz')
    ? zlib.createGunzip()
    : path.endsWith('.zst')
      ? zstdOf(name)
      : undefined;
  if (!content) return stored;
  stored.on('error', (error) => content.destroy(error));
  content.on('close', () => stored.destroy());
  return stored.pipe(content);
}

function zstdOf(name: string): Duplex {
  if (makeZstd) return makeZstd();
  throw new Error(
    `Cannot read the first lines of file [${name}]: this version of Node has no zstd. Name its columns, or compress it with gzip`,
  );
}
