// Column of bars next to the numbers of a list, for people at a terminal only.

import type { Column } from '../lists/columns.ts';
import type { Io } from '../process/io.ts';
import { barOf, marksFor } from '../terminal/marks.ts';
import type { Output } from './output.ts';

interface Place {
  readonly io: Pick<Io, 'env' | 'stdout'>;
  readonly out: Pick<Output, 'format'>;
}

/**
 * A column of shares from 0 to 1 as bars with percentages; no column where the list is for
 * programs. A share of `greatest` fills the bar. A row without a share has no bar.
 */
export function barColumn<T>(
  name: string,
  shareOf: (row: T) => number | undefined,
  { io, out }: Place,
  greatest = 1,
): readonly Column<T>[] {
  const { stdout, env } = io;
  if (!isTable({ io, out })) return [];
  const width = stdout.columns || 80;
  const cells = width < 70 ? 0 : width < 100 ? 6 : 16; // numbers before bars
  const marks = marksFor(env);
  return [
    {
      name,
      value: (row) => shareOf(row),
      show: (share) =>
        typeof share === 'number'
          ? `${barOf(share / greatest, cells, marks)} ${percent(share)}`.trimStart()
          : '',
    },
  ];
}

/** Whether a list is printed as a table on a terminal. */
export const isTable = ({ io: { stdout }, out: { format } }: Place): boolean =>
  Boolean(stdout.isTTY) && (format === undefined || format === 'table' || format === 'wide');

// Only the whole is 100 %, and only nothing is 0 %.
function percent(share: number): string {
  const rounded = Math.round(share * 100);
  const shown =
    share > 0 && rounded === 0 ? '<1' : share < 1 && rounded === 100 ? '>99' : String(rounded);
  return `${shown.padStart(3)} %`;
}

/** A column of the shares of amounts in their sum; the greatest one fills its bar. */
export function shareColumn<T>(
  rows: readonly T[],
  amountOf: (row: T) => number | bigint | undefined,
  place: Place,
): readonly Column<T>[] {
  const amounts = rows.map((row) => Number(amountOf(row) ?? 0));
  const sum = amounts.reduce((all, amount) => all + amount, 0);
  const greatest = amounts.reduce((most, amount) => Math.max(most, amount), 0);
  const shareOf = (row: T) => {
    const amount = amountOf(row);
    return amount === undefined || sum === 0 ? undefined : Number(amount) / sum;
  };
  return barColumn('share', shareOf, place, greatest / sum);
}

/** The columns with others behind the one of the given name. */
export function columnsAfter<T>(
  columns: readonly Column<T>[],
  name: string,
  more: readonly Column<T>[],
): readonly Column<T>[] {
  const at = columns.findIndex((column) => column.name === name) + 1;
  return [...columns.slice(0, at), ...more, ...columns.slice(at)];
}
