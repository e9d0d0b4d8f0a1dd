// Line chart as text.
import { cellsOf, cut, padStart } from '../terminal/width.ts';
import { rangeOf } from './bins.ts';
import { canvasOf, type Dot } from './canvas.ts';
import type { LineChart, Series } from './chart.ts';
import { type ChartLook, frameOf, symbolOf } from './look.ts';
import { formatInstant, formatNumber, numberTicks, type Tick, timeTicks } from './ticks.ts';

/** The lines of a chart, none wider than the room. */
export function drawLines(chart: LineChart, look: ChartLook): readonly string[] {
  const { series, x } = chart;
  const rangeX = rangeOf(series.flatMap(({ points }) => points.map(([at]) => at)));
  const rangeY = rangeOf(series.flatMap(({ points }) => points.map(([, y]) => y)));
  const [fromX, toX] = rangeX;
  const [leastY, mostY] = rangeY;
  if (fromX === undefined || toX === undefined || leastY === undefined || mostY === undefined)
    return ['There are no values to draw.'];
  const { height } = look;
  const [fromY, toY] = valueRange(leastY, mostY);
  const ticksY = numberTicks(fromY, toY, Math.max(2, Math.floor(height / 3)));
  const gutter = Math.max(...ticksY.map(({ label }) => label.length), 1);
  const width = Math.max(4, look.width - gutter - 2);
  const canvas = canvasOf(width, height, look, series.length);
  const placeX = (at: number) =>
    toX === fromX ? (canvas.dotsX - 1) / 2 : ((at - fromX) / (toX - fromX)) * (canvas.dotsX - 1);
  const placeY = (at: number) => (1 - (at - fromY) / (toY - fromY)) * (canvas.dotsY - 1);
  for (const [at, one] of series.entries())
    drawSeries(one, (from, to) => canvas.line(from, to, at), placeX, placeY);

  const frame = frameOf(look);
  const perY = canvas.dotsY / height;
  const labels = new Map(
    ticksY.map(({ at, label }) => [Math.floor(Math.round(placeY(at)) / perY), label]),
  );
  const body = canvas.rows().map((row, at) => {
    const label = labels.get(at);
    const edge = label === undefined ? frame.vertical : frame.tickY;
    return `${padStart(label ?? '', gutter)} ${edge}${row.trimEnd()}`;
  });
  const perX = canvas.dotsX / width;
  const ticksX = x.isTime
    ? timeTicks(fromX, toX, Math.max(2, Math.floor(width / 12)))
    : numberTicks(fromX, toX, Math.max(2, Math.floor(width / 10)));
  const columnOf = (at: number) => Math.floor(placeX(at) / perX);
  return [
    ...body,
    ...axisLines(ticksX, columnOf, width).map((line, at) =>
      at === 0
        ? `${' '.repeat(gutter + 1)}${frame.corner}${rule(line, frame)}`
        : `${' '.repeat(gutter + 2)}${line}`.trimEnd(),
    ),
    ...legend(chart, look, gutter + 2),
    cut(
      `${' '.repeat(gutter + 2)}${x.name}: ${rangeInWords(fromX, toX, x.isTime)}`,
      look.width,
      look.isUnicode ? '…' : '~',
    ),
  ];
}

/** The range of a value axis: it includes zero, unless all values are far away from it. */
export function valueRange(least: number, most: number): readonly [number, number] {
  if (least === most) {
    if (least === 0) return [0, 1];
    return least > 0 ? [0, least] : [least, 0];
  }
  if (least > 0 && least < most * 0.7) return [0, most];
  if (most < 0 && most > least * 0.7) return [least, 0];
  return [least, most];
}

function drawSeries(
  { points }: Series,
  line: (from: Dot, to: Dot) => void,
  placeX: (x: number) => number,
  placeY: (y: number) => number,
) {
  let before: Dot | undefined;
  for (const [x, y] of points) {
    const dot: Dot | undefined =
      y === undefined ? undefined : [Math.round(placeX(x)), Math.round(placeY(y))];
    if (dot) line(before ?? dot, dot);
    before = dot; // a missing value leaves a gap
  }
}

/** The places of ticks, marked by `|`, and their labels below, where they fit. */
export function axisLines(
  ticks: readonly Tick[],
  columnOf: (at: number) => number,
  width: number,
): readonly [string, string] {
  const marks = Array.from({ length: width }, () => ' ');
  let labels = '';
  for (const { at, label } of ticks) {
    const column = columnOf(at);
    if (column < 0 || column >= width) continue;
    const start = Math.max(
      0,
      Math.min(width - label.length, column - Math.floor(label.length / 2)),
    );
    if (labels !== '' && start < labels.length + 2) continue;
    if (label.length > width) continue;
    marks[column] = '|';
    labels = labels.padEnd(start) + label;
  }
  return [marks.join(''), labels];
}

const rule = (marks: string, { horizontal, tickX }: ReturnType<typeof frameOf>) =>
  [...marks].map((mark) => (mark === '|' ? tickX : horizontal)).join('');

export function legend(
  { series, omitted }: { series: readonly { name: string }[]; omitted: number },
  look: ChartLook,
  indent: number,
): readonly string[] {
  const more = omitted > 0 ? [`and ${omitted} more, not drawn`] : [];
  const lines: { text: string; width: number }[] = [];
  const room = look.width - indent;
  const names = series.map(({ name }, at) => {
    const shown = cut(name === '' ? '(empty)' : name, Math.max(4, Math.min(30, room - 2)), '~');
    const symbol = symbolOf(at, look);
    const mark = series.length > 1 ? `${look.paint?.series(symbol, at) ?? symbol} ` : '';
    return { text: `${mark}${shown}`, width: cellsOf(shown) + (mark === '' ? 0 : 2) };
  });
  for (const item of [...names, ...more.map((text) => ({ text, width: text.length }))]) {
    const last = lines.at(-1);
    if (last && last.width + 2 + item.width <= room) {
      last.text += `  ${item.text}`;
      last.width += 2 + item.width;
    } else lines.push({ ...item });
  }
  return lines.map(({ text }) => `${' '.repeat(indent)}${text}`);
}

const rangeInWords = (from: number, to: number, isTime: boolean) => {
  const show = isTime ? formatInstant : formatNumber;
  const zone = isTime ? ' UTC' : '';
  return from === to ? `${show(from)}${zone}` : `${show(from)} to ${show(to)}${zone}`;
};
