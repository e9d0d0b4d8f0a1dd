// Text files line by line: as a relation of the engine, and in JavaScript where only a few lines matter.
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as zlib from 'node:zlib';
import { quoted } from '../engine/sql-text.ts';
import type { InputFile } from './input-source.ts';

/** The lines of files that are not empty, as a relation with the columns `line` and, if wanted, `filename`. Skips lines at the head of each file. */
export function linesOf(files: readonly InputFile[], { skip = 0, filename = false } = {}): string {
  const paths = files.map(({ path }) => quoted(path)).join(', ');
  const options = [
    "columns = {'line': 'VARCHAR'}, delim = '', quote = '', escape = '', header = false, auto_detect = false, strict_mode = false",
    `nullstr = '\u0001\u0002\u0001', max_line_size = ${maxLineBytes}, skip = ${skip}, filename = ${filename}`,
  ];
  return `read_csv([${paths}], ${options.join(', ')})`;
}

const maxLineBytes = 32 * 1024 * 1024;

/** The first lines of a file, at most `count`. */
export async function firstLines(file: InputFile, count: number): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of linesIn(file)) {
    if (lines.length === count) break;
    lines.push(line);
  }
  return lines;
}

/** The line numbers, counted from 1, of the lines that are the given ones of those that are not empty (counted from 1, ascending). */
export async function lineNumbers(file: InputFile, skip: number, ordinals: readonly number[]): Promise<Map<number, number>> {
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

/** A copy of a file in which bytes that are no UTF-8 are replaced by U+FFFD, as Java reads them. */
export async function asUtf8(file: InputFile, path: string): Promise<InputFile> {
  await pipeline(contentOf(file), new TextDecoderStream() as never, createWriteStream(path, { mode: 0o600 }));
  return { ...file, path };
}

async function* linesIn(file: InputFile): AsyncGenerator<string> {
  const content = contentOf(file);
  try {
    yield* createInterface({ input: content, crlfDelay: Number.POSITIVE_INFINITY });
  } finally {
    content.destroy();
  }
}

function contentOf({ name, path }: InputFile): Readable {
  const stored = createReadStream(path);
  const content = path.endsWith('.gz') ? zlib.createGunzip() : path.endsWith('.zst') ? zstdOf(name) : undefined;
  if (!content) return stored;
  stored.on('error', (error) => content.destroy(error));
  content.on('close', () => stored.destroy());
  return stored.pipe(content);
}

// Node has it since version 22.15; DuckDB, which reads the rows, always.
function zstdOf(name: string): Duplex {
  const make = (zlib as { createZstdDecompress?: () => Duplex }).createZstdDecompress;
  if (make) return make();
  throw new Error(
    `Cannot read the first lines of file [${name}]: this version of Node has no zstd. Name its columns, or compress it with gzip`,
  );
}
