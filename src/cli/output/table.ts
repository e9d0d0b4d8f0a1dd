// Tables for people, written in blocks so that a long list appears as it arrives. cli-table3 would paint heads red and borders grey and
// knows no terminal: how a table looks, and how wide it is, is ours.
import Table from 'cli-table3';
import { type Cell, type Columns, shownCell } from '../lists/columns.ts';
import { paintState } from './style.ts';
import { cut, padStart, widthOf } from './width.ts';

export interface Look {
  readonly color: boolean;
  readonly header: boolean;
  readonly width?: number; // of the terminal; nothing is cut without one
  readonly cut?: string; // the sign for what is cut
  readonly now?: number; // for times as people say them
}

/** Says one block of rows after the other. The first block decides the widths; later ones only widen what would not fit. */
export function tableWriter<T>(columns: Columns<T>, { color, header, width, cut: sign, now }: Look): (rows: readonly T[]) => string {
  let widths: number[] | undefined;
  let isNumeric: readonly boolean[] = [];

  return (rows) => {
    const values = rows.map((row) => columns.map((column) => column.value(row)));
    const shown = values.map((cells) => columns.map((column, at) => shownCell(column, cells[at], now)));
    const first = widths === undefined;
    if (first) isNumeric = columns.map(({ kind }, at) => alignsRight(kind, values, at));
    const heads = columns.map(({ name }) => heading(name));
    const needed = heads.map((head, at) =>
      Math.max(first && header ? widthOf(head) : 0, widths?.[at] ?? 0, ...shown.map((cells) => widthOf(cells[at] ?? ''))),
    );
    widths = width === undefined ? needed : (widths ?? fitted(needed, width));
    const limits = widths;
    const table = new Table({ chars, style, colWidths: limits, wordWrap: false });
    const line = (cells: readonly string[], finish = (cell: string, _at: number) => cell) =>
      cells.map((cell, at) => {
        const limit = limits[at] ?? 0;
        const kept = cut(cell, limit, sign);
        return finish(isNumeric[at] ? padStart(kept, limit) : kept, at);
      });
    if (first && header) table.push(line(heads));
    for (const cells of shown) table.push(line(cells, (cell, at) => (color && columns[at]?.kind === 'state' ? paintState(cell) : cell)));
    return table.length > 0 ? `${table.toString().replace(/ +$/gm, '')}\n` : '';
  };
}

function alignsRight(kind: string | undefined, values: readonly (readonly Cell[])[], at: number): boolean {
  const given = values.map((cells) => cells[at]).filter((cell) => cell !== null && cell !== undefined);
  return (
    kind !== 'time' && kind !== 'state' && given.length > 0 && given.every((cell) => typeof cell === 'number' || typeof cell === 'bigint')
  );
}

// Takes from the widest column until the line fits; the first one names the row and gives last.
function fitted(needed: readonly number[], width: number): number[] {
  const widths = [...needed];
  const gaps = 2 * (widths.length - 1);
  let least = narrowest;
  for (let over = sum(widths) + gaps - width; over > 0; ) {
    const widest = Math.max(...widths.slice(1), 0);
    const at = widest > least ? widths.indexOf(widest, 1) : 0;
    if ((widths[at] ?? 0) > least) {
      widths[at] = (widths[at] ?? 0) - 1;
      over--;
    } else if (least > 1) least--;
    else break;
  }
  return widths;
}

const narrowest = 6;
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

export const heading = (name: string) =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toUpperCase();

const style = { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 };
const borders = 'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid';
const chars = { ...Object.fromEntries(borders.split(' ').map((border) => [border, ''])), middle: '  ' };
