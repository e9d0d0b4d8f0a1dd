// Horizontal bars as text: bar charts and histograms.
import { cellsOf, cut, padEnd, padStart } from '../terminal/width.ts';
import type { BarChart, Histogram } from './chart.ts';
import { legend } from './line.ts';
import type { ChartLook } from './look.ts';
import { formatInstant, formatNumber } from './ticks.ts';

/** The lines of a bar chart, none wider than the room. */
export function drawBars(
  chart: BarChart,
  look: ChartLook,
  mostLabel = Math.max(8, Math.floor(look.width / 3)),
): readonly string[] {
  const { labels, series, omitted } = chart;
  if (labels.length === 0) return ['There are no values to draw.'];
  const sign = look.isUnicode ? '…' : '~';
  const labelRoom = Math.min(Math.max(...labels.map(cellsOf), 1), mostLabel);
  const texts = series.map(({ values, texts }) =>
    texts.map((text, row) => shownValue(values[row], text)),
  );
  const textRoom = Math.min(24, Math.max(...texts.flat().map(cellsOf), 1));
  const room = Math.max(4, look.width - labelRoom - textRoom - 2);
  const all = series.flatMap(({ values }) => values.filter((value) => value !== undefined));
  const [least, most] = [Math.min(0, ...all), Math.max(0, ...all)];
  const lines = labels.flatMap((label, row) =>
    series.map(({ values }, at) => {
      const bar = signedBar(values[row], least, most, room, look.isUnicode);
      const painted = look.paint ? paintBar(bar, look.paint, at) : bar;
      const text = cut(texts[at]?.[row] ?? '', textRoom, sign);
      const head = at === 0 ? label : '';
      return `${padEnd(cut(head, labelRoom, sign), labelRoom)} ${painted}${' '.repeat(Math.max(0, room - cellsOf(bar)))} ${padStart(text, textRoom)}`;
    }),
  );
  return [
    ...lines,
    ...(series.length > 1 || omitted === 0
      ? legend({ series, omitted: 0 }, look, labelRoom + 1)
      : []),
    ...(omitted > 0 ? [`${omitted} more rows are not drawn`] : []),
  ];
}

const shownValue = (value: number | undefined, text: string) =>
  value !== undefined && Number.isSafeInteger(value) ? formatNumber(value) : valueText(value, text);

// Whole numbers beyond the precision of a double keep their digits.
const valueText = (value: number | undefined, text: string) =>
  value === undefined || /^-?\d+$/.test(text) ? text : formatNumber(value);

// The spaces before a bar stay unpainted.
const paintBar = (bar: string, paint: NonNullable<ChartLook['paint']>, at: number) =>
  bar.replace(/\S+/, (body) => paint.series(body, at));

/** A bar from zero to the value, on an axis of `cells` cells from `least` to `most`. */
export function signedBar(
  value: number | undefined,
  least: number,
  most: number,
  cells: number,
  isUnicode: boolean,
): string {
  if (value === undefined || most === least) return '';
  const zero = Math.round(((0 - least) / (most - least)) * cells);
  if (value >= 0) {
    const room = cells - zero;
    return `${' '.repeat(zero)}${barOfLength(most === 0 ? 0 : (value / most) * room, room, isUnicode)}`;
  }
  const whole = Math.min(zero, Math.max(1, Math.round((value / least) * zero)));
  return `${' '.repeat(zero - whole)}${(isUnicode ? '█' : '#').repeat(whole)}`;
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

// A value above zero is always visible.
function barOfLength(length: number, most: number, isUnicode: boolean): string {
  if (length <= 0) return '';
  if (!isUnicode) return '#'.repeat(Math.min(most, Math.max(1, Math.round(length))));
  const parts = Math.min(most * 8, Math.max(1, Math.round(length * 8)));
  return '█'.repeat(Math.floor(parts / 8)) + (eighths[parts % 8] ?? '');
}

/** The lines of a histogram, none wider than the room. */
export function drawHistogram(chart: Histogram, look: ChartLook): readonly string[] {
  const { bins, isTime, isWhole, name, missing } = chart;
  const show = isTime ? formatInstant : formatNumber;
  const dash = look.isUnicode ? '–' : '-';
  const labels = bins.map(({ from, to }) =>
    isWhole || isTime ? show(from) : `${show(from)} ${dash} ${show(to)}`,
  );
  const widest = Math.max(...labels.map(cellsOf), 1);
  const counts = bins.map(({ count }) => count);
  const bars = drawBars(
    {
      kind: 'bar',
      name,
      labels: labels.map((label) => padStart(label, widest)),
      series: [{ name: `rows by ${name}`, values: counts, texts: counts.map(String) }],
      omitted: 0,
    },
    look,
    Math.floor(look.width / 2),
  );
  if (missing === 0) return bars;
  return [...bars, `${formatNumber(missing)} ${missing === 1 ? 'row has' : 'rows have'} no value`];
}
