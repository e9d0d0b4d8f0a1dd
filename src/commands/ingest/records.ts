// Records of text inputs as a stream: a line of JSON or TSV, or the lines of a CSV record.
import { fieldsIn, isQuoteOpen } from './delimited.ts';
import type { Guess } from './guess-columns.ts';
import { type Line, linesOf } from './input-text.ts';
import type { Input } from './inputs.ts';

export interface TextRecord {
  readonly line: number; // of its beginning
  readonly text: string; // without the line end
  readonly fields: readonly string[]; // of CSV and TSV
  readonly isOpen?: true; // a quoted field does not end
}

interface HowToRead {
  readonly encoding?: string | undefined;
  readonly count?: (bytes: number) => void; // receives the bytes that were read
}

/** The records of an input in batches, without empty lines and the header. */
export async function* recordsOf(
  input: Input,
  guess: Guess,
  { encoding, count }: HowToRead = {},
): AsyncIterable<readonly TextRecord[]> {
  const split = splitterOf(guess);
  let isHeader = guess.hasHeader;
  for await (const lines of linesOf(input, encoding, count)) {
    const records = split(lines);
    if (isHeader && records.length > 0) {
      isHeader = false;
      yield records.slice(1);
    } else yield records;
  }
  const last = split();
  if (last.length > 0) yield last;
}

type Split = (lines?: readonly Line[]) => readonly TextRecord[]; // no lines: the end

function splitterOf({ format, delimiter }: Guess): Split {
  if (format === 'json') return plain(noFields);
  if (format === 'tsv' && delimiter === '\t') return plain((text) => text.split('\t'));
  return quoted(delimiter);
}

const noFields = () => [];

const plain =
  (fieldsOf: (text: string) => readonly string[]): Split =>
  (lines = []) =>
    lines.flatMap(({ number, text }) =>
      text.trim() === '' ? [] : [{ line: number, text, fields: fieldsOf(text) }],
    );

// A record that a quote keeps open ends at the latest with the longest line.
const longestRecord = 1024 * 1024;

function quoted(delimiter: string): Split {
  let open: { line: number; texts: string[]; length: number } | undefined;
  const close = (isOpen: boolean): TextRecord[] => {
    if (!open) return [];
    const text = open.texts.join('\n');
    const record = { line: open.line, text, fields: fieldsIn(text, delimiter) };
    open = undefined;
    return [isOpen ? { ...record, isOpen } : record];
  };
  return (lines) => {
    if (!lines) return close(true);
    return lines.flatMap(({ number, text }) => {
      if (!open && text.trim() === '') return [];
      const isOpen = isQuoteOpen(text, delimiter, open !== undefined);
      if (!open && !isOpen) return [{ line: number, text, fields: fieldsIn(text, delimiter) }];
      open ??= { line: number, texts: [], length: 0 };
      open.texts.push(text);
      open.length += text.length + 1;
      if (!isOpen) return close(false);
      return open.length > longestRecord ? close(true) : [];
    });
  };
}
