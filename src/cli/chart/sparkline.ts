// Small lines of blocks: the last values of a measurement, or amounts along an axis.
import { rangeOf } from './bins.ts';

const blocks = { unicode: '▁▂▃▄▅▆▇█', ascii: '_.-=+*#@' };

/** The newest values, one cell each, on a scale from zero; missing ones are blank. */
export function sparkline(
  values: readonly (number | undefined)[],
  cells: number,
  isUnicode: boolean,
): string {
  const shown = values.slice(-cells);
  const [, most = 0] = rangeOf(shown);
  return shown
    .map((value) => (value === undefined ? ' ' : blockOf(most > 0 ? value / most : 0, isUnicode)))
    .join('')
    .padStart(cells);
}

/** The block for a share from 0 to 1; even nothing has the lowest one. */
export function blockOf(share: number, isUnicode: boolean): string {
  const letters = isUnicode ? blocks.unicode : blocks.ascii;
  const at = Math.ceil(share * letters.length) - 1;
  return letters[Math.max(0, Math.min(letters.length - 1, at))] ?? ' ';
}
