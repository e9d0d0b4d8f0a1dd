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
 * A column of bars with lengths from 0 to 1; no column where the list is for programs. A row
 * without a share has no bar.
 */
export function barColumn<T>(
  name: string,
  shareOf: (row: T) => number | undefined,
  { io, out }: Place,
): readonly Column<T>[] {
  const { stdout, env } = io;
  if (!isTable({ io, out })) return [];
  const cells = (stdout.columns || 80) < 100 ? 6 : 16;
  const marks = marksFor(env);
  return [
    {
      name,
      value: (row) => shareOf(row),
      show: (share) => (typeof share === 'number' ? barOf(share, cells, marks) : ''),
    },
  ];
}

/** Whether a list is printed as a table on a terminal. */
export const isTable = ({ io: { stdout }, out: { format } }: Place): boolean =>
  Boolean(stdout.isTTY) && (format === undefined || format === 'table' || format === 'wide');

/** The share of an amount in the greatest of several; undefined for no amount. */
export function shareOfGreatest<T>(
  rows: readonly T[],
  amountOf: (row: T) => number | bigint | undefined,
): (row: T) => number | undefined {
  const greatest = rows.reduce((most, row) => Math.max(most, Number(amountOf(row) ?? 0)), 0);
  return (row) => {
    const amount = amountOf(row);
    return amount === undefined || greatest === 0 ? undefined : Number(amount) / greatest;
  };
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
