// Text of an input: decoded, whole or as its first lines.
import { formatBytes } from '../../cli/lists/columns.ts';
import { UsageError } from '../../cli/process/errors.ts';
import type { Input } from './inputs.ts';

const beginningBytes = 1024 * 1024;

export interface Beginning {
  readonly lines: readonly string[]; // the first whole lines, without line ends
  readonly isPlainUtf8: boolean; // the service reads the same: no byte order mark
  readonly strangeLine?: number; // the first one, from 1, that is not UTF-8
}

/** The first lines of an input. The default encoding is that of its byte order mark, or UTF-8. */
export async function beginningOf(input: Input, encoding?: string): Promise<Beginning> {
  const { bytes, isCut } = await readUpTo(input, beginningBytes);
  const found = encodingOf(bytes, encoding);
  const lines = decode(bytes, found).split(/\r?\n/);
  if (isCut && lines.length > 1) lines.pop(); // the last one may be incomplete
  const strange = isInvalid(bytes, found) ? lines.findIndex(hasReplacement) : -1;
  return {
    ...(strange !== -1 && { strangeLine: strange + 1 }),
    lines: lines.filter((line) => line.trim() !== ''),
    isPlainUtf8: found === 'utf-8' && markOf(bytes) === undefined,
  };
}

/** A whole line of an input, without its line end. */
export interface Line {
  readonly number: number; // from 1
  readonly text: string;
}

/**
 * The lines of an input, in batches. Throws UsageError for a line that is longer than a statement
 * may be. `count` receives the bytes that were read.
 */
export async function* linesOf(
  input: Input,
  encoding?: string,
  count?: (bytes: number) => void,
): AsyncIterable<readonly Line[]> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let begun = '';
  let number = 0;
  const split = (text: string, isEnd: boolean): readonly Line[] => {
    const texts = (begun + text).split('\n');
    begun = isEnd ? '' : (texts.pop() ?? '');
    if (isEnd && texts.at(-1) === '') texts.pop();
    if (begun.length > longestLine)
      throw new UsageError(
        `Line ${number + texts.length + 1} of [${input.path}] is longer than ${formatBytes(longestLine)}`,
        'let the service read the file: svcctl serve --allow-dir FOLDER, or use --source local',
      );
    return texts.map((one) => ({
      number: ++number,
      text: one.endsWith('\r') ? one.slice(0, -1) : one,
    }));
  };
  const checkEncoding = (chunk: Uint8Array, lines: readonly Line[]) => {
    if (!decoder || encoding !== undefined || !isInvalid(chunk, decoder.encoding)) return;
    const strange = lines.find(({ text }) => hasReplacement(text));
    if (strange) throw notUtf8(input.path, strange.number);
  };
  let last: Uint8Array = new Uint8Array();
  for await (const chunk of input.content(count)) {
    decoder ??= new TextDecoder(encodingOf(chunk, encoding));
    const lines = split(decoder.decode(chunk, { stream: true }), false);
    checkEncoding(chunk, lines);
    last = chunk;
    if (lines.length > 0) yield lines;
  }
  const rest = split(decoder?.decode() ?? '', true);
  checkEncoding(last, rest);
  yield rest;
}

/** The error for a text that is not UTF-8 although no encoding was given. */
export const notUtf8 = (path: string, line: number) =>
  new UsageError(
    `Line ${line} of [${path}] is not UTF-8`,
    'give its encoding, such as --encoding latin1 (Western Europe) or --encoding shift_jis',
  );

const replacement = '\ufffd'; // in the place of bytes that are no letter
const hasReplacement = (text: string) => text.includes(replacement);

// A text may hold the replacement itself.
const isInvalid = (bytes: Uint8Array, encoding: string) =>
  encoding === 'utf-8' &&
  !Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(replacement);

const longestLine = 2 * 1024 * 1024;

async function readUpTo(input: Input, mostBytes: number) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input.content()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > mostBytes) return { bytes: Buffer.concat(chunks), isCut: true };
  }
  return { bytes: Buffer.concat(chunks), isCut: false };
}

function encodingOf(bytes: Uint8Array, wanted: string | undefined): string {
  if (wanted === undefined) return markOf(bytes) ?? 'utf-8';
  try {
    return new TextDecoder(wanted).encoding;
  } catch {
    throw new UsageError(
      `Value [${wanted}] of --encoding is not a known encoding`,
      'common ones are utf-8, latin1, windows-1252, utf-16le and shift_jis',
    );
  }
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

// The decoder removes a byte order mark.
const decode = (bytes: Buffer, encoding: string) => new TextDecoder(encoding).decode(bytes);
