// Tables for people, written in blocks so that a long list appears while it arrives. Written here
// because cli-table3 forces red headings and grey borders and ignores the terminal's width.

import Table from 'cli-table3';
import { visibleLine } from '../../model/visible-text.ts';
import { type Cell, type Column, type Columns, formatCell } from '../lists/columns.ts';
import { paintState } from '../terminal/style.ts';
import { cut, padStart, widthOf } from '../terminal/width.ts';
import { type ColumnFit, fitColumns } from './fit-columns.ts';

export interface TableLook {
  readonly color: boolean;
  readonly header: boolean;
  readonly width?: number; // of the terminal; nothing is cut without one
  readonly cut?: string; // the sign for a cut
  readonly now?: number; // the reference for relative times
  readonly mayGiveWay?: boolean; // columns without room are left out
  readonly left?: (names: readonly string[]) => void; // receives the omitted columns
}

/**
 * Formats one block of rows per call. The first block sets the column widths; later blocks widen
 * them only for values that would not fit.
 */
export function tableWriter<T>(
  columns: Columns<T>,
  look: TableLook,
): (rows: readonly T[]) => string {
  const { color, header, width, cut: sign, now, mayGiveWay = false, left } = look;
  let kept = columns;
  let widths: readonly number[] | undefined;
  let isNumeric: readonly boolean[] = [];

  return (rows) => {
    const values = rows.map((row) => kept.map((column) => column.value(row)));
    let shown = values.map((cells) => kept.map((column, at) => formatCell(column, cells[at], now)));
    const first = widths === undefined;
    if (first) isNumeric = align(kept, values);
    const heads = kept.map(headOf);
    const needed = heads.map((head, at) =>
      Math.max(
        first && header ? widthOf(head) : 0,
        widths?.[at] ?? 0,
        ...shown.map((cells) => widthOf(cells[at] ?? '')),
      ),
    );
    if (width === undefined) widths = needed;
    else if (first) {
      const all = fitColumns(
        kept.map((column, at) => wishOf(column, at, needed[at] ?? 0, isNumeric[at] ?? false)),
        width,
        mayGiveWay,
      );
      const stay = <C>(cells: readonly C[]) => cells.filter((_, at) => (all[at] ?? 0) > 0);
      left?.(kept.filter((_, at) => all[at] === 0).map(({ name }) => name));
      kept = stay(kept);
      isNumeric = stay(isNumeric);
      shown = shown.map(stay);
      widths = stay(all);
    }
    const limits = widths ?? needed;
    const table = new Table({ chars, style, colWidths: [...limits], wordWrap: false });
    const line = (cells: readonly string[], finish = (cell: string, _at: number) => cell) =>
      cells.map((cell, at) => {
        const limit = limits[at] ?? 0;
        const whole = cut(cell, limit, sign);
        return finish(isNumeric[at] ? padStart(whole, limit) : whole, at);
      });
    if (first && header) table.push(line(kept.map(headOf)));
    for (const cells of shown)
      table.push(
        line(cells, (cell, at) => (color && kept[at]?.kind === 'state' ? paintState(cell) : cell)),
      );
    return table.length > 0 ? `${table.toString().replace(/ +$/gm, '')}\n` : '';
  };
}

const wishOf = <T>(column: Column<T>, at: number, full: number, isNumeric: boolean): ColumnFit => ({
  full,
  heading: widthOf(headOf(column)),
  isWhole: isNumeric || (column.kind !== undefined && column.kind !== 'text'),
  stays: at === 0 ? 'first' : column.kind === 'state' && !column.wide ? 'long' : 'short',
});

// An empty column is aligned like the one before it.
function align<T>(columns: Columns<T>, values: readonly (readonly Cell[])[]): readonly boolean[] {
  const right: boolean[] = [];
  for (const [at, { kind }] of columns.entries())
    right.push(alignsRight(kind, values, at) ?? right.at(-1) ?? false);
  return right;
}

function alignsRight(
  kind: string | undefined,
  values: readonly (readonly Cell[])[],
  at: number,
): boolean | undefined {
  const given = values
    .map((cells) => cells[at])
    .filter((cell) => cell !== null && cell !== undefined);
  if (kind === 'time' || kind === 'state') return false;
  if (given.length === 0)
    return kind === undefined && values.length > 0
      ? undefined
      : kind === 'bytes' || kind === 'duration';
  return given.every((cell) => typeof cell === 'number' || typeof cell === 'bigint');
}

const headOf = <T>({ name, isVerbatim }: Column<T>) =>
  visibleLine(isVerbatim ? name : heading(name));

export const heading = (name: string) =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .trim()
    .toUpperCase();

const style = { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 };
const borders =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid';
const chars = {
  ...Object.fromEntries(borders.split(' ').map((border) => [border, ''])),
  middle: '  ',
};
