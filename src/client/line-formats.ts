// Rows of a result as they arrive: each network chunk becomes one batch of whole rows. Line formats
// end with an empty line, so that a reader can detect a truncated reply (the specification, on the
// result formats of SQL).
import { parseJson } from '../model/json.ts';
import { CutOff, UnexpectedReply } from './errors.ts';
import { wordsOf } from './failure-body.ts';
import { mostBytes } from './message.ts';

export type LineFormat = 'arrayLines' | 'csv' | 'objectLines';

/**
 * Rows in batches: objects, arrays, or arrays of texts for csv. Throws CutOff when the final empty
 * line is missing, and UnexpectedReply for a row that is malformed or too long for memory.
 */
export async function* rowsOf(
  chunks: AsyncIterable<Uint8Array>,
  format: LineFormat,
): AsyncIterable<readonly unknown[]> {
  for await (const lines of linesOf(chunks, format))
    yield format === 'csv' ? recordsIn(lines) : parseRows(lines);
}

/**
 * The rows as text: each batch holds whole rows, separated by newlines, without a final one. Throws
 * CutOff.
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  format: LineFormat,
): AsyncIterable<string> {
  for await (const bytes of wholeLinesOf(chunks, format))
    yield bytes.toString('utf8', 0, bytes.length - 1);
}

/**
 * The rows as bytes, for passing on: each batch ends with a newline; the final empty line is left
 * out. Throws CutOff.
 */
export async function* wholeLinesOf(
  chunks: AsyncIterable<Uint8Array>,
  format: LineFormat,
): AsyncIterable<Buffer> {
  const endOfRows = format === 'csv' ? endOfRecords() : endOfLines;
  let begun: Buffer[] = []; // an incomplete row; joined once, because rows may be long
  let begunBytes = 0;
  let isWhole = false;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const end = endOfRows(bytes);
    if (end > 0) {
      const head = bytes.subarray(0, end);
      const batch = begun.length > 0 ? Buffer.concat([...begun, head]) : head;
      const rows = withoutEmptyLines(batch);
      isWhole = rows.length < batch.length;
      if (rows.length > 0) yield rows;
      begun = [];
      begunBytes = 0;
    }
    if (end < bytes.length) begun.push(bytes.subarray(end));
    begunBytes += bytes.length - end;
    if (begunBytes > mostBytes)
      throw new UnexpectedReply(`A row of the result is longer than ${mostBytes / 2 ** 20} MiB`);
  }
  if (!isWhole || begun.length > 0) throw new CutOff();
}

const newline = 10;
const quote = 34;

// The number of bytes up to the last row end of a chunk.
const endOfLines = (bytes: Buffer) => bytes.lastIndexOf(newline) + 1;

// In CSV a newline may be inside quotes that an earlier chunk opened. The number of quotes shows
// whether the chunk ends inside quotes. From its end, the last newline outside is usually near.
function endOfRecords() {
  let isQuoted = false;
  return (bytes: Buffer) => {
    let quotes = 0;
    for (let at = 0; at < bytes.length; at++) if (bytes[at] === quote) quotes++;
    if (quotes % 2 === 1) isQuoted = !isQuoted;
    let isWithin = isQuoted;
    for (let at = bytes.length - 1; at >= 0; at--) {
      if (bytes[at] === quote) isWithin = !isWithin;
      else if (bytes[at] === newline && !isWithin) return at + 1;
    }
    return 0;
  };
}

function withoutEmptyLines(batch: Buffer): Buffer {
  let end = batch.length - 1;
  while (end > 0 && batch[end - 1] === newline) end--;
  return batch.subarray(0, end === 0 ? 0 : end + 1);
}

/**
 * The rows of whole lines of JSON, without a final newline. Throws UnexpectedReply for a malformed
 * one.
 */
export function parseRows(lines: string): readonly unknown[] {
  try {
    const rows = parseJson(`[${lines.replaceAll('\n', ',')}]`);
    if (Array.isArray(rows)) return rows;
  } catch (cause) {
    throw new UnexpectedReply(
      `A row of the result is not JSON, among those beginning with [${wordsOf(lines)}]`,
      { cause },
    );
  }
  return [];
}

// The records of a CSV text with complete records only (RFC 4180, with the service's newlines).
function recordsIn(csv: string): readonly (readonly string[])[] {
  if (!csv.includes('"')) return csv.split('\n').map((line) => line.split(','));
  const records: string[][] = [];
  for (let at = 0; at <= csv.length; ) {
    const record: string[] = [];
    for (let end = ','; end === ','; at++) {
      const field = csv[at] === '"' ? quotedFieldAt(csv, at) : plainFieldAt(csv, at);
      record.push(field.value);
      at = field.end;
      end = csv[at] ?? '\n';
      if (end !== ',' && end !== '\n')
        throw new UnexpectedReply(
          `A row of the result is not CSV, near [${wordsOf(csv.slice(at))}]`,
        );
    }
    records.push(record);
  }
  return records;
}

function plainFieldAt(csv: string, start: number) {
  let end = start;
  while (end < csv.length && csv[end] !== ',' && csv[end] !== '\n') end++;
  return { value: csv.slice(start, end), end };
}

function quotedFieldAt(csv: string, start: number) {
  let end = csv.indexOf('"', start + 1);
  while (end !== -1 && csv[end + 1] === '"') end = csv.indexOf('"', end + 2);
  const last = end === -1 ? csv.length : end;
  return { value: csv.slice(start + 1, last).replaceAll('""', '"'), end: last + 1 };
}
