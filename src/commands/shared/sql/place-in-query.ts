// Display of an error's position below the query.

import { widthOf } from '../../../cli/terminal/width.ts';
import type { ServiceError } from '../../../client/errors.ts';

/**
 * The line of the query with a mark below the error; empty when the service reports no position, or
 * an invalid one. `firstLine` is the number of the query's first line.
 */
export function placeInQuery(
  query: string,
  { line, column, context }: ServiceError,
  terminalWidth: number,
  firstLine = 1,
): string {
  const text = query.split('\n')[(line ?? 0) - 1];
  if (
    text === undefined ||
    line === undefined ||
    column === undefined ||
    column < 1 ||
    column > text.length + 1
  )
    return '';
  const end = Number(context.endLine) === line ? Number(context.endColumn) : column;
  const label = `${line + firstLine - 1}: `;
  const room = Math.max(10, terminalWidth - label.length - 1);
  const shown = text.replace(/[\t\r]/g, ' ');
  // A long line is cut around the place
  const from = column - 1 < room - 5 ? 0 : column - 1 - Math.floor(room / 2);
  const before = shown.slice(from, column - 1);
  const wrong = shown.slice(column - 1, Math.max(column, end));
  const marked = Math.max(1, Math.min(widthOf(wrong), room - widthOf(before)));
  return `${label}${shown.slice(from, from + room)}\n${' '.repeat(label.length + widthOf(before))}${'^'.repeat(marked)}\n`;
}

/** The message without a long list of alternative tokens, which would fill the screen. */
export function sentenceOf(message: string): string {
  const [, before = '', listed = '', after = ''] = acceptable.exec(message) ?? [];
  if (listed.split(',').length > few) return before + after;
  const [sentence = '', heading = '', ...expected] = message.trim().split('\n');
  if (!heading.startsWith('Was expecting')) return message.trim();
  const wanted = new Set(
    expected.map((line) =>
      line
        .trim()
        .replace(/ \.\.\.$/, '')
        .replace(anyName, '<NAME>'),
    ),
  );
  return wanted.size > few ? sentence : `${sentence}\nexpected: ${[...wanted].join(' ')}`;
}

const acceptable = /^(.*), acceptable options: \[(.*)\](.*)$/s;
const anyName = /^<\w*IDENTIFIER>$/; // the grammar has one kind per quoting style
const few = 8;
