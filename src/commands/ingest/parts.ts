// Rows of text files in parts that fit into a statement each. Broken rows are left out.
import type { Progress } from '../../cli/output/progress.ts';
import { csvLine } from '../../model/delimited.ts';
import type { BrokenRow, rowChecker } from './check-rows.ts';
import type { Guess } from './guess-columns.ts';
import type { Input } from './inputs.ts';
import { recordsOf, type TextRecord } from './records.ts';

export interface RowReading {
  readonly inputs: readonly Input[];
  readonly guess: Guess;
  readonly encoding: string | undefined;
  readonly check: ReturnType<typeof rowChecker>;
  // Delimited rows become JSON: the real engine reads CSV line by line, also within quotes
  readonly asJson?: boolean;
}

/** The rows of one statement. */
export interface Part {
  readonly data: string;
  readonly rows: number;
  readonly hasBreaks: boolean;
}

/** Results of a look at all rows. */
export interface Scan {
  readonly rows: number; // good ones
  readonly hasBreaks: boolean; // a row has a line break within a field
  readonly broken: readonly BrokenRow[]; // the first ones
  readonly brokenCount: number;
  readonly parts: number;
  readonly first: Part | undefined;
}

export const mostPartBytes = 4 * 1024 * 1024;
const mostDescribed = 1000;

/**
 * Reads all rows, up to one broken row more than allowed. Its memory is bounded: it keeps one part
 * and the first broken rows.
 */
export async function scanRows(
  reading: RowReading,
  mostBroken: number,
  progress: Progress,
): Promise<Scan> {
  const all = reading.inputs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const broken: BrokenRow[] = [];
  let [rows, bytes, parts, brokenCount] = [0, 0, 0, 0];
  let first: Part | undefined;
  let hasBreaks = false;
  const count = (read: number) => {
    bytes += read;
    progress.update({
      stage: 'checking the rows',
      rows,
      bytes,
      ...(all > 0 && { fraction: bytes / all }),
    });
  };
  const note = (row: BrokenRow) => {
    if (brokenCount++ < mostDescribed) broken.push(row);
    return brokenCount > mostBroken;
  };
  for await (const part of partsOf(reading, note, count)) {
    first ??= part;
    parts++;
    hasBreaks ||= part.hasBreaks;
    rows += part.rows;
  }
  return { rows, broken, brokenCount, parts, first, hasBreaks };
}

/**
 * The good rows in parts. `note` receives each broken row and returns whether to stop; `count`
 * receives the bytes that were read.
 */
export async function* partsOf(
  reading: RowReading,
  note: (row: BrokenRow) => boolean = () => false,
  count: (bytes: number) => void = () => {},
): AsyncIterable<Part> {
  const { inputs, guess, encoding, check } = reading;
  const lineOf = reading.asJson ? jsonWriter(guess) : lineWriter(guess);
  let texts: string[] = [];
  let bytes = 0;
  let hasBreaks = false;
  const close = (): Part => {
    const part = { data: texts.join(''), rows: texts.length, hasBreaks };
    texts = [];
    bytes = 0;
    return part;
  };
  for (const input of inputs) {
    for await (const records of recordsOf(input, guess, { encoding, count })) {
      for (const record of records) {
        const problem = check(record);
        if (problem) {
          const { path, isList = false } = input;
          if (note({ path, line: record.line, isItem: isList, ...problem })) return;
          continue;
        }
        const line = lineOf(record);
        const size = Buffer.byteLength(line);
        if (bytes > 0 && bytes + size > mostPartBytes) yield close();
        hasBreaks ||= record.text.includes('\n');
        texts.push(line);
        bytes += size;
      }
    }
  }
  if (texts.length > 0) yield close();
}

const jsonWriter =
  ({ columns }: Guess): ((record: TextRecord) => string) =>
  ({ fields }) =>
    `${JSON.stringify(Object.fromEntries(columns.map(({ name }, at) => [name, fields[at]])))}\n`;

// Other delimiters become commas.
function lineWriter({ format, delimiter }: Guess): (record: TextRecord) => string {
  const isKept = format === 'json' || delimiter === (format === 'tsv' ? '\t' : ',');
  return isKept ? ({ text }) => `${text}\n` : ({ fields }) => csvLine(fields);
}
