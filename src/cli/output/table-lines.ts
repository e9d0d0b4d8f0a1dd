// Rows of a table from lines of JSON arrays, copied byte by byte: for a million rows, parsing and
// formatting of each value would take several times as long as the transfer.

import { parseRows } from '../../client/line-formats.ts';
import { type LineReader, rowsOfLines } from '../../client/line-reader.ts';
import type { Columns } from '../lists/columns.ts';
import { firstTogether } from './first-together.ts';
import { lineCopier } from './line-copier.ts';
import { type TableLook, tableWriter } from './table.ts';

type Row = readonly unknown[];

/**
 * The table of a result. The first rows of `lines` decide the widths. `onRows` receives the number
 * of rows of each batch. The bytes are valid until they are written.
 */
export async function* tableOfLines(
  columns: Columns<Row>,
  look: TableLook,
  lines: LineReader,
  onRows: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  const table = tableWriter(columns, look);
  let isWritten = false;
  for await (const rows of firstTogether(parsedRows(lines))) {
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
  for (let batch = await lines.next(); batch !== undefined; batch = await lines.next())
    onRows(yield* copy(batch));
}

const enoughRows = 100; // some screenfuls

async function* parsedRows(lines: LineReader) {
  for (let count = 0; count < enoughRows; ) {
    const some = await lines.next(enoughRows - count);
    if (some === undefined) return;
    const rows = rowsOfLines(some);
    count += rows.length;
    yield rows;
  }
}
