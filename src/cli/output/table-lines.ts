// Rows of a table from lines of JSON arrays, copied byte by byte: for a million rows, parsing and
// formatting of each value would take several times as long as the transfer.

import { parseRows } from '../../client/line-formats.ts';
import type { Columns } from '../lists/columns.ts';
import { firstTogether } from './first-together.ts';
import { lineCopier } from './line-copier.ts';
import { type TableLook, tableWriter } from './table.ts';

type Row = readonly unknown[];

/**
 * The table of a result. `first` are its first rows, which decide the widths together with those
 * that arrive soon after them; each batch of `more` holds whole lines and ends with a newline.
 * `onRows` receives the number of rows of each batch. The bytes are valid until they are written.
 */
export async function* tableOfLines(
  columns: Columns<Row>,
  look: TableLook,
  first: readonly Row[],
  more: AsyncIterator<Buffer>,
  onRows: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  const table = tableWriter(columns, look);
  let isWritten = false;
  for await (const rows of firstTogether(parsedRows(first, more))) {
    onRows(rows.length);
    yield Buffer.from(table.write(rows));
    isWritten = true;
  }
  if (!isWritten) yield Buffer.from(table.write([]));
  const copy = lineCopier({
    count: columns.length,
    cutSign: look.width === undefined ? undefined : look.cut,
    places: table.places,
    formatRow: (line) => table.write(parseRows(line) as readonly Row[]),
    formatCell: (place, at, json) => {
      const row: unknown[] = [];
      row[at] = parseRows(json)[0];
      return table.cell(place, row);
    },
  });
  for (let next = await more.next(); !next.done; next = await more.next())
    onRows(yield* copy(next.value));
}

const enoughRows = 250;

// The first thousand rows or more.
async function* parsedRows(first: readonly Row[], more: AsyncIterator<Buffer>) {
  let count = first.length;
  if (count > 0) yield first;
  while (count < enoughRows) {
    const next = await more.next();
    if (next.done) return;
    const rows = parseRows(next.value.toString('utf8', 0, next.value.length - 1)) as readonly Row[];
    count += rows.length;
    yield rows;
  }
}
