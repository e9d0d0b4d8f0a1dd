// Text of an input: decoded, whole or as its first lines.
import { UsageError } from '../../cli/process/errors.ts';
import type { Input } from './inputs.ts';

const beginningBytes = 1024 * 1024;

export interface Beginning {
  readonly lines: readonly string[]; // the first whole lines, without line ends
  readonly isPlainUtf8: boolean; // the service reads the same: no byte order mark
}

/** The first lines of an input. The default encoding is that of its byte order mark, or UTF-8. */
export async function beginningOf(input: Input, encoding?: string): Promise<Beginning> {
  const { bytes, isCut } = await readUpTo(input, beginningBytes);
  const found = encodingOf(bytes, encoding);
  const lines = decode(bytes, found).split(/\r?\n/);
  if (isCut && lines.length > 1) lines.pop(); // the last one may be incomplete
  return {
    lines: lines.filter((line) => line.trim() !== ''),
    isPlainUtf8: found === 'utf-8' && markOf(bytes) === undefined,
  };
}

/** The text of an input; undefined when it has more bytes than `mostBytes`. */
export async function textOf(
  input: Input,
  mostBytes: number,
  encoding?: string,
): Promise<string | undefined> {
  const { bytes, isCut } = await readUpTo(input, mostBytes);
  return isCut ? undefined : decode(bytes, encodingOf(bytes, encoding));
}

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

function encodingOf(bytes: Buffer, wanted: string | undefined): string {
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
