// The width of texts in terminal cells, and texts cut or padded to a width.
import { cellsOfUnit, joined, measuredWidth, oddLetter } from './letter-cells.ts';
import { withoutControls } from './terminal.ts';

/** The width of a text in cells; svcctl's own control sequences have none. */
export function widthOf(text: string): number {
  let width = 0;
  for (let at = 0; at < text.length; at++) {
    const cells = cellsOfUnit(text.charCodeAt(at));
    if (cells === oddLetter) return measuredWidth(withoutControls(text));
    width += cells % joined;
  }
  return width;
}

/** The text if it fits, otherwise its beginning and a sign of one cell for the rest. */
export function cut(text: string, width: number, sign = '…'): string {
  return cellsOf(text) <= width ? text : `${beginningOf(text, width - 1, 0)}${sign}`;
}

/**
 * The text if it fits, otherwise its beginning, a sign of one cell, and its end, which tells ids
 * with the same beginning apart. A text in other scripts keeps its beginning only.
 */
export function cutInside(text: string, width: number, sign = '…'): string {
  const end = Math.floor((width - 1) / 2);
  if (!isAscii(text) || text.length <= width || end < 1) return cut(text, width, sign);
  return `${text.slice(0, width - 1 - end)}${sign}${text.slice(-end)}`;
}

/** The same as `widthOf`, with a fast path for ASCII. */
export const cellsOf = (text: string): number => (isAscii(text) ? text.length : widthOf(text));

const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text);

/** The longest beginning of a text that fits, with at least `least` letters. */
export function beginningOf(text: string, width: number, least = 1): string {
  const most = Math.max(width, least);
  const start = text.slice(0, most + 1); // a mark after the last letter belongs to it
  if (isAscii(start)) return start.slice(0, most);
  let used = 0;
  let letters = 0;
  for (const { segment, index } of new Intl.Segmenter().segment(text)) {
    used += widthOf(segment);
    if (used > width && letters >= least) return text.slice(0, index);
    letters++;
  }
  return text;
}

export const padStart = (text: string, width: number) =>
  ' '.repeat(Math.max(0, width - widthOf(text))) + text;

export const padEnd = (text: string, width: number) =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)));
