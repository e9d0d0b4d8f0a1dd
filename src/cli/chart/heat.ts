// Heat map as text: one cell per pair of keys, shaded by the value.
import { cellsOf, cut, padStart } from '../terminal/width.ts';
import { rangeOf } from './bins.ts';
import type { Heatmap, KeyAxis } from './chart.ts';
import type { ChartLook } from './look.ts';
import { formatInstant, formatNumber } from './ticks.ts';

const shades = { unicode: '░▒▓█', ascii: '.:-=+*#%@' };

/** The lines of a heat map, none wider than the room. */
export function drawHeat(chart: Heatmap, look: ChartLook): readonly string[] {
  const { x, y, cells, name } = chart;
  const [least, most] = rangeOf(cells.flat());
  if (least === undefined || most === undefined) return ['There are no values to draw.'];
  const sign = look.isUnicode ? '…' : '~';
  const namesX = keyNames(x);
  const namesY = keyNames(y);
  const gutter = Math.min(
    Math.max(...namesY.map(cellsOf), 1),
    Math.max(8, Math.floor(look.width / 3)),
  );
  const room = Math.max(2, look.width - gutter - 1);
  const cellWidth = Math.max(1, Math.min(8, Math.floor(room / x.keys.length)));
  const fitting = Math.min(x.keys.length, Math.floor(room / cellWidth));
  const share = (value: number) => (most === least ? 1 : (value - least) / (most - least));
  const letters = look.isUnicode ? shades.unicode : shades.ascii;
  const shade = (at: number) =>
    letters[Math.min(letters.length - 1, Math.floor(at * letters.length))] ?? ' ';
  const cell = (value: number | undefined) => {
    if (value === undefined) return ' '.repeat(cellWidth);
    const at = share(value);
    return look.paint && look.isUnicode
      ? look.paint.heat('█'.repeat(cellWidth), at)
      : shade(at).repeat(cellWidth);
  };
  const scale = [0, 0.25, 0.5, 0.75, 1].map((at) =>
    look.paint && look.isUnicode ? look.paint.heat('██', at) : shade(at).repeat(2),
  );
  const omitted = x.omitted + x.keys.length - fitting;
  return [
    ...cells.map((row, at) =>
      `${padStart(cut(namesY[at] ?? '', gutter, sign), gutter)} ${row.slice(0, fitting).map(cell).join('')}`.trimEnd(),
    ),
    `${' '.repeat(gutter + 1)}${labelsBelow(namesX.slice(0, fitting), cellWidth, room, sign)}`.trimEnd(),
    `${' '.repeat(gutter + 1)}${formatNumber(least)} ${scale.join('')} ${formatNumber(most)}  ${cut(name, 30, sign)}`,
    ...(omitted > 0 ? [`${omitted} more columns are not drawn`] : []),
    ...(y.omitted > 0 ? [`${y.omitted} more lines are not drawn`] : []),
  ];
}

/** Names for reading; times are shortened to their differing parts. */
export function keyNames({ keys, times }: Pick<KeyAxis, 'keys' | 'times'>): readonly string[] {
  if (!times) return keys.map((key) => (key === '' ? '(empty)' : key));
  const texts = times.map(formatInstant);
  const day = texts[0]?.slice(0, 10);
  return texts.map((text, at) =>
    at > 0 && text.length > 10 && text.startsWith(`${texts[at - 1]?.slice(0, 10) ?? day} `)
      ? text.slice(11)
      : text,
  );
}

// Labels begin at their cells; one that would touch the label before it is left out.
function labelsBelow(
  names: readonly string[],
  cellWidth: number,
  room: number,
  sign: string,
): string {
  let line = '';
  let used = 0;
  for (const [at, name] of names.entries()) {
    const start = at * cellWidth;
    if (used > 0 && start < used + 1) continue;
    const most = Math.max(cellWidth - 1, Math.min(12, room - start));
    if (most < 2 && cellsOf(name) > most) continue;
    const label = cut(name, most, sign);
    line += ' '.repeat(start - used) + label;
    used = start + cellsOf(label);
  }
  return line;
}
