// Charts as standalone SVG documents.
import { rangeOf } from './bins.ts';
import type { BarChart, Chart, Heatmap, Histogram, LineChart } from './chart.ts';
import { keyNames } from './heat.ts';
import { valueRange } from './line.ts';
import { formatInstant, formatNumber, numberTicks, timeTicks } from './ticks.ts';

const width = 960;
const colors = [
  '#1f77b4',
  '#d98a00',
  '#2a9d54',
  '#c8403a',
  '#8e5bb5',
  '#1ba6a6',
  '#8c6d4f',
  '#777',
];
const left = 180; // of the area within the axes
const right = width - 40;
const top = 20;

/** The document of a chart. */
export function svgOf(chart: Chart): string {
  switch (chart.kind) {
    case 'line':
      return lineSvg(chart);
    case 'bar':
      return barSvg(chart);
    case 'histogram':
      return histogramSvg(chart);
    case 'heatmap':
      return heatSvg(chart);
  }
}

const document = (height: number, title: string, parts: readonly string[]) =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');

const nothing = (title: string) =>
  document(80, title, [text(width / 2, 45, 'There are no values to draw.', 'middle')]);

function lineSvg({ series, x, y, omitted }: LineChart): string {
  const title = `${y} by ${x.name}`;
  const [fromX, toX] = rangeOf(series.flatMap(({ points }) => points.map(([at]) => at)));
  const [least, most] = rangeOf(series.flatMap(({ points }) => points.map(([, at]) => at)));
  if (fromX === undefined || toX === undefined || least === undefined || most === undefined)
    return nothing(title);
  const bottom = 420;
  const [from, to] = valueRange(least, most);
  const start = 80;
  const placeX = (at: number) =>
    toX === fromX ? (start + right) / 2 : start + ((at - fromX) / (toX - fromX)) * (right - start);
  const placeY = (at: number) => bottom - ((at - from) / (to - from)) * (bottom - top);
  const ticksX = x.isTime ? timeTicks(fromX, toX, 10) : numberTicks(fromX, toX, 10);
  return document(480, title, [
    ...numberTicks(from, to, 8).flatMap(({ at, label }) => [
      rule(start, placeY(at), right, placeY(at), '#ddd'),
      text(start - 8, placeY(at) + 4, label, 'end'),
    ]),
    ...ticksX.flatMap(({ at, label }) => [
      rule(placeX(at), bottom, placeX(at), bottom + 5, '#555'),
      text(placeX(at), bottom + 18, label, 'middle'),
    ]),
    rule(start, bottom, right, bottom, '#555'),
    ...series.flatMap(({ points }, at) =>
      runsOf(
        points.map(([px, py]) => (py === undefined ? undefined : [placeX(px), placeY(py)])),
      ).map((run) => pathOf(run, colorOf(at))),
    ),
    text(right, bottom + 36, `${x.name}: ${rangeInWords(fromX, toX, x.isTime)}`, 'end'),
    ...legendOf(
      [...series.map(({ name }) => name), ...(omitted > 0 ? [`and ${omitted} more`] : [])],
      bottom + 50,
      start,
    ),
  ]);
}

const rangeInWords = (from: number, to: number, isTime: boolean) =>
  isTime
    ? `${formatInstant(from)} to ${formatInstant(to)} UTC`
    : `${formatNumber(from)} to ${formatNumber(to)}`;

type Place = readonly [x: number, y: number];

// A missing value ends a run of points.
function runsOf(places: readonly (readonly number[] | undefined)[]): readonly Place[][] {
  const runs: Place[][] = [];
  let isOpen = false;
  for (const place of places) {
    if (place) {
      if (!isOpen) runs.push([]);
      runs.at(-1)?.push([place[0] ?? 0, place[1] ?? 0]);
    }
    isOpen = place !== undefined;
  }
  return runs;
}

function pathOf(run: readonly Place[], color: string): string {
  const [first] = run;
  if (first && run.length === 1)
    return `<circle cx="${round(first[0])}" cy="${round(first[1])}" r="3" fill="${color}"/>`;
  const points = run.map(([x, y]) => `${round(x)},${round(y)}`).join(' ');
  return `<polyline points="${points}" fill="none" stroke="${color}" stroke-width="1.5"/>`;
}

function barSvg({ labels, series, name, omitted }: BarChart): string {
  const title = `${series.map((one) => one.name).join(', ')}${name === '' ? '' : ` by ${name}`}`;
  if (labels.length === 0) return nothing(title);
  const all = series.flatMap(({ values }) => values.filter((value) => value !== undefined));
  const [least, most] = [Math.min(0, ...all), Math.max(0, ...all)];
  const end = right - 80; // room for the values
  const place = (value: number) =>
    most === least ? left : left + ((value - least) / (most - least)) * (end - left);
  const thickness = 16;
  const step = thickness * series.length + 6;
  const bottom = top + labels.length * step;
  const bars = labels.flatMap((label, row) => [
    text(left - 8, top + row * step + (thickness * series.length) / 2 + 4, shortened(label), 'end'),
    ...series.flatMap(({ values, texts }, at) => {
      const value = values[row];
      const y = top + row * step + at * thickness;
      const [from, to] = [place(Math.min(0, value ?? 0)), place(Math.max(0, value ?? 0))];
      return [
        `<rect x="${round(from)}" y="${y}" width="${round(to - from)}" height="${thickness - 2}" fill="${colorOf(at)}"/>`,
        text(
          to + 6,
          y + 11,
          value === undefined ? (texts[row] ?? '') : formatNumber(value),
          'start',
        ),
      ];
    }),
  ]);
  return document(bottom + 50, title, [
    ...bars,
    rule(place(0), top - 4, place(0), bottom, '#555'),
    ...legendOf(
      [...series.map((one) => one.name), ...(omitted > 0 ? [`${omitted} more rows`] : [])],
      bottom + 24,
      left,
    ),
  ]);
}

function histogramSvg({ bins, isTime, isWhole, name }: Histogram): string {
  const show = isTime ? formatInstant : formatNumber;
  const counts = bins.map(({ count }) => count);
  return barSvg({
    kind: 'bar',
    name,
    labels: bins.map(({ from, to }) =>
      isWhole || isTime ? show(from) : `${show(from)} – ${show(to)}`,
    ),
    series: [{ name: 'rows', values: counts, texts: counts.map(String) }],
    omitted: 0,
  });
}

function heatSvg({ x, y, cells, name }: Heatmap): string {
  const title = `${name} by ${y.name} and ${x.name}`;
  const [least, most] = rangeOf(cells.flat());
  if (least === undefined || most === undefined) return nothing(title);
  const height = 18;
  const size = (right - left) / x.keys.length;
  const bottom = top + y.keys.length * height;
  const share = (value: number) => (most === least ? 1 : (value - least) / (most - least));
  const every = Math.ceil(70 / size);
  return document(bottom + 60, title, [
    ...keyNames(y).map((label, at) =>
      text(left - 8, top + at * height + 13, shortened(label), 'end'),
    ),
    ...cells.flatMap((row, atY) =>
      row.flatMap((value, atX) =>
        value === undefined
          ? []
          : `<rect x="${round(left + atX * size)}" y="${top + atY * height}" width="${round(size)}" height="${height}" fill="${heatColor(share(value))}"><title>${escapeXml(formatNumber(value))}</title></rect>`,
      ),
    ),
    ...keyNames(x).flatMap((label, at) =>
      at % every === 0 ? text(left + at * size, bottom + 16, shortened(label, 12), 'start') : [],
    ),
    text(left, bottom + 42, `${formatNumber(least)} to ${formatNumber(most)}  ${name}`, 'start'),
  ]);
}

// From a pale to a dark blue.
function heatColor(share: number): string {
  const mix = (pale: number, dark: number) => Math.round(pale + (dark - pale) * share);
  return `rgb(${mix(226, 8)},${mix(236, 48)},${mix(247, 107)})`;
}

function legendOf(names: readonly string[], y: number, start: number): readonly string[] {
  let x = start;
  return names.flatMap((name, at) => {
    const label = shortened(name);
    const place = x;
    x += 30 + label.length * 7;
    return place > right
      ? []
      : [
          `<rect x="${place}" y="${y - 9}" width="10" height="10" fill="${colorOf(at)}"/>`,
          text(place + 15, y, label, 'start'),
        ];
  });
}

const colorOf = (at: number) => colors[at % colors.length] ?? '#000';

const rule = (x1: number, y1: number, x2: number, y2: number, color: string) =>
  `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${color}"/>`;

const text = (x: number, y: number, content: string, anchor: 'end' | 'middle' | 'start') =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${escapeXml(content)}</text>`;

const round = (value: number) => Number(value.toFixed(1));

const shortened = (label: string, most = 24) => {
  const letters = [...label];
  return letters.length <= most ? label : `${letters.slice(0, most - 1).join('')}…`;
};

// XML 1.0 has no control characters and no unpaired surrogates, not even escaped.
const escapeXml = (content: string) =>
  content
    .toWellFormed()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
