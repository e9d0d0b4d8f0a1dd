// Choice of a chart for a result, and its data, independent of how it is drawn.
import { UsageError } from '../process/errors.ts';
import { binsOf } from './bins.ts';
import type { ChartColumn } from './table.ts';

export const chartKinds = ['line', 'bar', 'histogram', 'heatmap'] as const;
export type ChartKind = (typeof chartKinds)[number];

export interface LineChart {
  readonly kind: 'line';
  readonly x: { readonly name: string; readonly isTime: boolean };
  readonly y: string;
  readonly series: readonly Series[];
  readonly omitted: number; // series beyond the limit
}

export interface Series {
  readonly name: string;
  readonly points: readonly Point[]; // in order of x
}

export type Point = readonly [x: number, y: number | undefined];

export interface BarChart {
  readonly kind: 'bar';
  readonly name: string; // of the labels
  readonly labels: readonly string[];
  readonly series: readonly {
    readonly name: string;
    readonly values: readonly (number | undefined)[];
    readonly texts: readonly string[];
  }[];
  readonly omitted: number; // rows beyond the limit
}

export interface Histogram {
  readonly kind: 'histogram';
  readonly name: string;
  readonly isTime: boolean;
  readonly bins: readonly {
    readonly from: number;
    readonly to: number;
    readonly count: number;
  }[];
  readonly isWhole: boolean; // each bin is one whole number
  readonly missing: number; // rows without a value
}

export interface Heatmap {
  readonly kind: 'heatmap';
  readonly name: string; // of the value
  readonly x: KeyAxis;
  readonly y: KeyAxis;
  readonly cells: readonly (readonly (number | undefined)[])[]; // by y, then x
}

export interface KeyAxis {
  readonly name: string;
  readonly keys: readonly string[];
  readonly times?: readonly number[]; // of the keys
  readonly omitted: number;
}

export type Chart = LineChart | BarChart | Histogram | Heatmap;

const mostSeries = 8;
const mostBars = 60;
const mostKeys = { x: 400, y: 60 };

/**
 * The chart of the given kind, or of the kind that fits the columns. Throws UsageError when the
 * columns cannot be drawn.
 */
export function chartOf(columns: readonly ChartColumn[], wanted: ChartKind | 'auto'): Chart {
  const kind = wanted === 'auto' ? fittingKind(columns) : wanted;
  switch (kind) {
    case 'line':
      return lineChart(columns);
    case 'bar':
      return barChart(columns);
    case 'histogram':
      return histogram(columns);
    case 'heatmap':
      return heatmap(columns);
  }
}

function fittingKind(columns: readonly ChartColumn[]): ChartKind {
  const count = (kind: ChartColumn['kind']) => columns.filter((one) => one.kind === kind).length;
  const [times, numbers, texts] = [count('time'), count('number'), count('text')];
  if (numbers === 0 && times === 1 && texts === 0) return 'histogram';
  if (numbers === 0)
    throw new UsageError(
      'The result has no column with numbers to draw',
      'add one, such as COUNT(*)',
    );
  if (times > 0) return 'line';
  if (texts > 1) return 'heatmap';
  if (texts === 1) return 'bar';
  return numbers === 1 ? 'histogram' : 'line';
}

function lineChart(columns: readonly ChartColumn[]): LineChart {
  const numbers = columns.filter(({ kind }) => kind === 'number');
  const time = columns.find(({ kind }) => kind === 'time');
  const x = time ?? (numbers.length > 1 ? numbers[0] : undefined);
  const ys = numbers.filter((column) => column !== x);
  const texts = columns.filter(({ kind }) => kind === 'text');
  if (ys.length === 0 || (x === undefined && texts.length > 0))
    throw new UsageError(
      'A line chart needs a column with times or numbers for its x axis, and one with numbers',
      'an example: SELECT TIME_FLOOR(__time, PT1H), COUNT(*) ... GROUP BY 1',
    );
  const found = new Map<string, Point[]>();
  const length = ys[0]?.values.length ?? 0;
  for (let row = 0; row < length; row++) {
    const at = x === undefined ? row : x.values[row];
    if (at === undefined) continue;
    const key = texts.map((column) => column.texts[row]).join(' ');
    for (const y of ys) {
      const name = key === '' ? y.name : ys.length === 1 ? key : `${key} ${y.name}`;
      const points = found.get(name) ?? [];
      points.push([at, y.values[row]]);
      found.set(name, points);
    }
  }
  const all = [...found].map(([name, points]) => ({
    name,
    points: points.sort(([a], [b]) => a - b),
  }));
  return {
    kind: 'line',
    x: { name: x?.name ?? 'row', isTime: time !== undefined },
    y: ys.map(({ name }) => name).join(', '),
    series: largest(all, mostSeries),
    omitted: Math.max(0, all.length - mostSeries),
  };
}

// The largest series in their original order.
function largest(all: readonly Series[], most: number): readonly Series[] {
  if (all.length <= most) return all;
  const weight = ({ points }: Series) => points.reduce((sum, [, y = 0]) => sum + Math.abs(y), 0);
  const kept = new Set(
    all
      .map((series) => [series, weight(series)] as const)
      .sort(([, a], [, b]) => b - a)
      .slice(0, most)
      .map(([series]) => series),
  );
  return all.filter((series) => kept.has(series));
}

function barChart(columns: readonly ChartColumn[]): BarChart {
  const numbers = columns.filter(({ kind }) => kind === 'number');
  const keys = columns.filter(({ kind }) => kind !== 'number');
  const labels = keys.length > 0 || numbers.length < 2 ? keys : numbers.slice(0, 1);
  const values = numbers.filter((column) => !labels.includes(column)).slice(0, mostSeries);
  const [first] = values;
  if (!first) throw new UsageError('A bar chart needs a column with numbers');
  const count = Math.min(first.values.length, mostBars);
  return {
    kind: 'bar',
    name: labels.map(({ name }) => name).join(' '),
    labels: Array.from({ length: count }, (_, row) =>
      labels.length === 0
        ? String(row + 1)
        : labels.map((column) => shortTime(column, row)).join(' '),
    ),
    series: values.map((column) => ({
      name: column.name,
      values: column.values.slice(0, count),
      texts: column.texts.slice(0, count),
    })),
    omitted: first.values.length - count,
  };
}

const shortTime = ({ kind, texts }: ChartColumn, row: number): string => {
  const text = texts[row] ?? '';
  return kind === 'time' ? text.replace(/(?:T00:00|(T\d\d:\d\d)):00\.000Z$/, '$1') : text;
};

function histogram(columns: readonly ChartColumn[]): Histogram {
  const column =
    columns.find(({ kind }) => kind === 'number') ?? columns.find(({ kind }) => kind === 'time');
  if (!column) throw new UsageError('A histogram needs a column with numbers or times');
  const values = column.values.filter((value) => value !== undefined);
  return {
    kind: 'histogram',
    name: column.name,
    isTime: column.kind === 'time',
    ...binsOf(values, column.kind === 'time'),
    missing: column.values.length - values.length,
  };
}

function heatmap(columns: readonly ChartColumn[]): Heatmap {
  const others = columns.filter(({ kind }) => kind !== 'number');
  const numbers = columns.filter(({ kind }) => kind === 'number');
  const keys = [...others, ...numbers.slice(0, Math.max(0, 2 - others.length))].slice(0, 2);
  const value = numbers.find((column) => !keys.includes(column));
  const [one, other] = keys;
  if (!one || !other)
    throw new UsageError(
      'A heat map needs two columns of keys, and a number',
      'an example: SELECT channel, isRobot, COUNT(*) ... GROUP BY 1, 2',
    );
  // Times run from left to right.
  const [y, x] = one.kind === 'time' ? [other, one] : [one, other];
  const [across, down] = [axisOf(x, mostKeys.x), axisOf(y, mostKeys.y)];
  const cells = down.keys.map(() => across.keys.map((): number | undefined => undefined));
  const [placesX, placesY] = [placesOf(across), placesOf(down)];
  for (let row = 0; row < x.texts.length; row++) {
    const [atX, atY] = [placesX.get(x.texts[row] ?? ''), placesY.get(y.texts[row] ?? '')];
    const line = atY === undefined ? undefined : cells[atY];
    if (line === undefined || atX === undefined) continue;
    const more = value === undefined ? 1 : value.values[row];
    if (more !== undefined) line[atX] = (line[atX] ?? 0) + more;
  }
  return { kind: 'heatmap', name: value?.name ?? 'rows', x: across, y: down, cells };
}

// Numbers and times in order, texts in the order of the rows.
function axisOf({ name, kind, texts, values }: ChartColumn, most: number): KeyAxis {
  const found = new Map<string, number | undefined>();
  for (const [row, text] of texts.entries()) if (!found.has(text)) found.set(text, values[row]);
  const all = [...found];
  if (kind !== 'text') all.sort(([, a], [, b]) => (a ?? Infinity) - (b ?? Infinity));
  const kept = all.slice(0, most);
  return {
    name,
    keys: kept.map(([text]) => text),
    ...(kind === 'time' && { times: kept.map(([, value]) => value ?? Number.NaN) }),
    omitted: all.length - kept.length,
  };
}

const placesOf = ({ keys }: KeyAxis) => new Map(keys.map((key, at) => [key, at]));
