// Line formats, one entry each: the text before, between and after the rows of a list, and the form
// of a row.
import { formatJson } from '../../model/json.ts';
import type { Cell } from '../lists/columns.ts';

export interface RowLayout {
  readonly head?: (names: readonly string[]) => string;
  readonly row: (row: { value: unknown; cells: readonly Cell[] }) => string;
  readonly between?: string;
  readonly tail?: string;
  readonly empty?: string;
}

export const lineFormats: Readonly<Record<string, RowLayout>> = {
  csv: { head: csvLine, row: ({ cells }) => csvLine(cells) },
  json: { head: () => '[', row: ({ value }) => formatJson(value), between: ',\n ', tail: ']\n' },
  jsonl: { row: ({ value }) => `${formatJson(value)}\n` },
  name: { row: ({ cells }) => `${cells[0] ?? ''}\n` },
  none: { row: () => '' },
  tsv: { head: tsvLine, row: ({ cells }) => tsvLine(cells) },
};

export const jsonFormats: readonly string[] = ['json', 'jsonl', 'yaml'];

function csvLine(cells: readonly Cell[]): string {
  return lineOf(cells, csvCell, ',', '\r\n');
}

function tsvLine(cells: readonly Cell[]): string {
  return lineOf(cells, tsvCell, '\t', '\n');
}

// Allocating a list per row would be noticeable for a hundred thousand rows.
function lineOf(
  cells: readonly Cell[],
  shown: (cell: Cell) => Exclude<Cell, null | undefined>,
  between: string,
  end: string,
): string {
  let line = '';
  for (let at = 0; at < cells.length; at++)
    line += at === 0 ? shown(cells[at]) : between + shown(cells[at]);
  return line + end;
}

// RFC 4180.
const csvCell = (cell: Cell) =>
  typeof cell === 'string' && /[",\r\n]/.test(cell)
    ? `"${cell.replaceAll('"', '""')}"`
    : (cell ?? '');

const tsvCell = (cell: Cell) =>
  typeof cell === 'string' && /[\t\r\n\\]/.test(cell)
    ? cell.replace(/[\t\r\n\\]/g, (char) => tsvEscapes[char] ?? char)
    : (cell ?? '');

const tsvEscapes: Record<string, string> = { '\t': '\\t', '\r': '\\r', '\n': '\\n', '\\': '\\\\' };
