// Adapter for cli-table3, which lays out small tables: it forces red headings and grey borders,
// ignores the terminal's width, and needs a hundred times as long for a row as the writer for long
// lists. It measures only ASCII correctly.
import Table from 'cli-table3';
import type { SmallTable } from './table.ts';

/** Lays out the lines of a table, of which there may be none. */
export const writeSmall: SmallTable = (widths, lines) => {
  if (widths.length === 0 || lines.length === 0) return '';
  const table = new Table({ chars, style, colWidths: [...widths], wordWrap: false });
  for (const line of lines) table.push([...line]);
  return `${table.toString().replace(/ +$/gm, '')}\n`;
};

const style = { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 };
const borders =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid';
const chars = {
  ...Object.fromEntries(borders.split(' ').map((border) => [border, ''])),
  middle: '  ',
};
