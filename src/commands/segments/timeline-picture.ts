// Pictures of segments over time: a bar per interval, or a line of time per datasource.
import { rangeOf } from '../../cli/chart/bins.ts';
import { axisLines } from '../../cli/chart/line.ts';
import type { ChartLook } from '../../cli/chart/look.ts';
import { blockOf } from '../../cli/chart/sparkline.ts';
import { formatNumber, timeTicks } from '../../cli/chart/ticks.ts';
import { formatBytes } from '../../cli/lists/columns.ts';
import { cellsOf, cut, padEnd, padStart } from '../../cli/terminal/width.ts';
import { InvalidTime, maxInstant, minInstant } from '../../model/instant.ts';
import { parseInterval } from '../../model/interval.ts';
import { visibleLine } from '../../model/visible-text.ts';
import { formatPeriodCell } from '../shared/datasources/shown-times.ts';
import { sumOf, type TimelineRow } from './timeline-rows.ts';

// Each part of a bar has a letter and the colour of a series.
const parts = {
  compacted: { unicode: '█', ascii: '#', color: 2 },
  plain: { unicode: '▓', ascii: '=', color: 0 },
  overshadowed: { unicode: '▒', ascii: '-', color: 1 },
  unused: { unicode: '░', ascii: '.', color: 7 },
} as const;
type Part = keyof typeof parts;
const troubleColor = 3;

const wordsOf: Readonly<Record<Part, string>> = {
  compacted: 'compacted',
  plain: 'not compacted',
  overshadowed: 'overshadowed',
  unused: 'unused',
};

/** One line per interval, or per longer period where there are more than `most`. */
export function drawDatasource(
  rows: readonly TimelineRow[],
  look: ChartLook,
  most: number,
): readonly string[] {
  const { datasource } = rows[0] ?? { datasource: '' };
  const total = sumOf(rows, datasource, '');
  const { lines, period } = groupRows(rows, most);
  const cells = lines.map(({ label, row }) => ({
    label,
    row,
    size: formatBytes(row.size),
    segments: formatNumber(row.segments),
    rows: formatNumber(row.rows),
    versions: String(row.versions),
    trouble: troubleOf(row),
  }));
  const heads = {
    label: period.toUpperCase(),
    size: 'SIZE',
    segments: 'SEGMENTS',
    rows: 'ROWS',
    versions: 'VERSIONS',
  };
  const widthOf = (name: keyof typeof heads) =>
    Math.max(heads[name].length, ...cells.map((cell) => cellsOf(cell[name])));
  const widths = {
    label: Math.min(widthOf('label'), Math.max(10, Math.floor(look.width / 3))),
    size: widthOf('size'),
    segments: widthOf('segments'),
    rows: widthOf('rows'),
    versions: widthOf('versions'),
  };
  const numbers = widths.size + widths.segments + widths.rows + widths.versions + 8;
  const words = Math.max(0, ...cells.map(({ trouble }) => trouble.length));
  const bar = Math.max(6, Math.min(40, look.width - widths.label - numbers - words - 4));
  const greatest = Math.max(1, ...lines.map(({ row }) => wholeSizeOf(row)));
  const used = new Set<Part>();
  const body = cells.map(({ label, row, trouble, ...cell }) => {
    const { text, found } = partsBar(row, greatest, bar, look);
    for (const part of found) used.add(part);
    const state = trouble === '' ? '' : `  ${paintTrouble(trouble, row, look)}`;
    return `${padEnd(cut(label, widths.label, signOf(look)), widths.label)}  ${text}  ${padStart(cell.size, widths.size)}  ${padStart(cell.segments, widths.segments)}  ${padStart(cell.rows, widths.rows)}  ${padStart(cell.versions, widths.versions)}${state}`.trimEnd();
  });
  const head = `${padEnd(heads.label, widths.label)}  ${' '.repeat(bar)}  ${padStart(heads.size, widths.size)}  ${padStart(heads.segments, widths.segments)}  ${padStart(heads.rows, widths.rows)}  ${padStart(heads.versions, widths.versions)}`;
  return fitted(
    [
      `${visibleLine(datasource)}: ${countOf(rows.length, 'interval')}, ${countOf(total.segments, 'segment')}, ${formatBytes(total.size)}, ${countOf(total.rows, 'row')}`,
      head,
      ...body,
      legendOf(used, look),
    ],
    look,
  );
}

/** One line of time per datasource, all on the same axis. */
export function drawDatasources(rows: readonly TimelineRow[], look: ChartLook): readonly string[] {
  const byName = new Map<string, TimelineRow[]>();
  for (const row of rows) byName.set(row.datasource, [...(byName.get(row.datasource) ?? []), row]);
  const lines = [...byName].map(([name, own]) => ({
    name: visibleLine(name),
    own,
    total: sumOf(own, name, ''),
  }));
  const spans = rows.map(spanOf).filter((span) => span !== undefined);
  const [from] = rangeOf(spans.map(({ start }) => start));
  const [, to] = rangeOf(spans.map(({ end }) => end));
  const names = Math.min(
    Math.max(10, ...lines.map(({ name }) => cellsOf(name))),
    Math.max(10, Math.floor(look.width / 4)),
  );
  const sizes = Math.max(4, ...lines.map(({ total }) => formatBytes(total.size).length));
  const counts = Math.max(8, ...lines.map(({ total }) => formatNumber(total.segments).length));
  const words = Math.max(0, ...lines.map(({ total }) => troubleOf(total).length));
  const room = Math.max(8, look.width - names - sizes - counts - words - 8);
  const strip = (own: readonly TimelineRow[]) =>
    from === undefined || to === undefined ? '' : stripOf(own, from, to, room, look);
  const axis =
    from === undefined || to === undefined
      ? []
      : [
          axisLines(
            timeTicks(from, to, Math.max(2, Math.floor(room / 10))),
            (at) => Math.floor(((at - from) / Math.max(1, to - from)) * (room - 1)),
            room,
          )[1],
        ];
  return fitted(
    [
      `${padEnd('DATASOURCE', names)}  ${' '.repeat(room)}  ${padStart('SIZE', sizes)}  ${padStart('SEGMENTS', counts)}`,
      ...lines.map(({ name, own, total }) => {
        const trouble = troubleOf(total);
        const state = trouble === '' ? '' : `  ${paintTrouble(trouble, total, look)}`;
        return `${padEnd(cut(name, names, signOf(look)), names)}  ${strip(own) || ' '.repeat(room)}  ${padStart(formatBytes(total.size), sizes)}  ${padStart(formatNumber(total.segments), counts)}${state}`;
      }),
      ...axis.map((labels) => `${' '.repeat(names + 2)}${labels}`),
    ],
    look,
  );
}

const signOf = ({ isUnicode }: ChartLook) => (isUnicode ? '…' : '~');

const fitted = (lines: readonly string[], look: ChartLook) =>
  lines
    .filter((line) => line !== '')
    .map((line) => (line.includes('\x1b') ? line : cut(line.trimEnd(), look.width, signOf(look))));

const countOf = (count: number, noun: string) =>
  `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;

const wholeSizeOf = ({ size, overshadowedSize, unusedSize }: TimelineRow) =>
  size + overshadowedSize + unusedSize;

function troubleOf({ notLoaded, overshadowed, unused }: TimelineRow): string {
  return [
    ...(notLoaded > 0 ? [`${formatNumber(notLoaded)} not loaded`] : []),
    ...(overshadowed > 0 ? [`${formatNumber(overshadowed)} overshadowed`] : []),
    ...(unused > 0 ? [`${formatNumber(unused)} unused`] : []),
  ].join(', ');
}

const paintTrouble = (text: string, { notLoaded }: TimelineRow, { paint }: ChartLook) =>
  paint ? paint.series(text, notLoaded > 0 ? troubleColor : parts.unused.color) : text;

// A bar of the sizes of a row; a part that is not empty has at least one cell.
function partsBar(row: TimelineRow, greatest: number, cells: number, look: ChartLook) {
  const sizes: Readonly<Record<Part, number>> = {
    compacted: row.compactedSize,
    plain: row.size - row.compactedSize,
    overshadowed: row.overshadowedSize,
    unused: row.unusedSize,
  };
  let text = '';
  let left = cells;
  const found: Part[] = [];
  for (const part of Object.keys(parts) as Part[]) {
    if (sizes[part] <= 0 || left === 0) continue;
    const count = Math.min(left, Math.max(1, Math.round((sizes[part] / greatest) * cells)));
    const { color } = parts[part];
    const letters = (look.isUnicode ? parts[part].unicode : parts[part].ascii).repeat(count);
    text += look.paint ? look.paint.series(letters, color) : letters;
    left -= count;
    found.push(part);
  }
  return { text: text + ' '.repeat(left), found };
}

const legendOf = (used: ReadonlySet<Part>, look: ChartLook) =>
  (Object.keys(parts) as Part[])
    .filter((part) => used.has(part))
    .map((part) => {
      const letter = look.isUnicode ? parts[part].unicode : parts[part].ascii;
      return `${look.paint?.series(letter, parts[part].color) ?? letter} ${wordsOf[part]}`;
    })
    .join('  ');

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The span of a row's interval; undefined for all of time, which no axis can show. */
function spanOf({ interval }: TimelineRow): Span | undefined {
  try {
    const { start, end } = parseInterval(interval);
    return start === minInstant || end === maxInstant ? undefined : { start, end };
  } catch (error) {
    if (error instanceof InvalidTime) return undefined;
    throw error;
  }
}

const periods = [
  ['hour', 13],
  ['day', 10],
  ['month', 7],
  ['year', 4],
  ['century', 2],
] as const;

function groupRows(rows: readonly TimelineRow[], most: number) {
  if (rows.length <= most)
    return {
      lines: rows.map((row) => ({ label: formatPeriodCell(row.interval), row })),
      period: 'interval',
    };
  for (const [period, length] of periods) {
    const groups = new Map<string, TimelineRow[]>();
    for (const row of rows) {
      const key = spanOf(row) ? row.interval.slice(0, length) : 'all of time';
      groups.set(key, [...(groups.get(key) ?? []), row]);
    }
    if (groups.size > most && period !== 'century') continue;
    const lines = [...groups].map(([label, own]) => ({
      label: period === 'hour' ? `${label}:00` : period === 'century' ? `${label}xx` : label,
      row: sumOf(own, own[0]?.datasource ?? '', label),
    }));
    return { lines, period };
  }
  return { lines: [], period: 'interval' };
}

function stripOf(
  rows: readonly TimelineRow[],
  from: number,
  to: number,
  cells: number,
  look: ChartLook,
): string {
  const sizes = Array.from({ length: cells }, () => 0);
  const isTrouble = Array.from({ length: cells }, () => false);
  const compacted = Array.from({ length: cells }, () => 0);
  const place = (at: number) => ((at - from) / Math.max(1, to - from)) * cells;
  for (const row of rows) {
    const { start, end } = spanOf(row) ?? { start: from, end: to };
    const first = Math.max(0, Math.min(cells - 1, Math.floor(place(start))));
    const last = Math.max(first, Math.min(cells - 1, Math.ceil(place(end)) - 1));
    for (let at = first; at <= last; at++) {
      sizes[at] = (sizes[at] ?? 0) + Math.max(1, row.size) / (last - first + 1);
      compacted[at] = (compacted[at] ?? 0) + row.compactedSize / (last - first + 1);
      if (row.notLoaded > 0) isTrouble[at] = true;
    }
  }
  const greatest = Math.max(...sizes, 1);
  return sizes
    .map((size, at) => {
      if (size === 0) return ' ';
      const block = blockOf(size / greatest, look.isUnicode);
      const isCompacted = (compacted[at] ?? 0) * 2 > size;
      const color = isTrouble[at] ? troubleColor : parts[isCompacted ? 'compacted' : 'plain'].color;
      return look.paint ? look.paint.series(block, color) : block;
    })
    .join('');
}
