// Expanded rows for wide tables: one line per value, with a heading per row.

import { type Columns, formatCell } from '../../../cli/lists/columns.ts';
import { padEnd, widthOf } from '../../../cli/terminal/width.ts';
import { visibleLine } from '../../../model/visible-text.ts';

/**
 * The rows as text in blocks, each full value after its column name; headings fit the terminal's
 * width.
 */
export async function* expand<T>(
  blocks: AsyncIterable<readonly T[]>,
  columns: Columns<T>,
  terminalWidth: number,
): AsyncIterable<Uint8Array> {
  const nameWidth = Math.max(0, ...columns.map(({ name }) => widthOf(visibleLine(name))));
  let number = 0;
  for await (const block of blocks) {
    let text = '';
    for (const row of block) {
      number++;
      text += `${`-- row ${number} ${'-'.repeat(Math.max(2, nameWidth))}`.slice(0, terminalWidth)}\n`;
      for (const column of columns)
        text += `${padEnd(visibleLine(column.name), nameWidth)}  ${formatCell(column, column.value(row))}\n`;
    }
    yield Buffer.from(text);
  }
}
