// Lines of the live screen: summary, sparklines, tabs, the list or a panel, and keys.
import { sparkline } from '../../cli/chart/sparkline.ts';
import { formatTick } from '../../cli/chart/ticks.ts';
import { type Column, formatCell } from '../../cli/lists/columns.ts';
import { fitColumns } from '../../cli/output/fit-columns.ts';
import type { Painter } from '../../cli/output/painter.ts';
import type { Marks } from '../../cli/terminal/marks.ts';
import { cellsOf, cut, cutInside, padEnd, padStart } from '../../cli/terminal/width.ts';
import { visibleLine } from '../../model/visible-text.ts';
import type { Measured } from './meter.ts';
import type { TopSnapshot } from './snapshot.ts';
import { placeOfChosen, type TopState, visibleRows } from './state.ts';
import type { TopRow, View } from './view.ts';

export interface Look {
  readonly columns: number;
  readonly rows: number;
  readonly isUnicode: boolean;
  readonly marks: Marks;
  readonly painter: Painter;
  readonly chosen: (line: string) => string; // paints the chosen row
}

export interface Shown {
  readonly state: TopState;
  readonly views: readonly View[];
  readonly rows: readonly TopRow[];
  readonly reason?: string | undefined; // why there are none
  readonly snapshot: TopSnapshot;
  readonly measured: readonly Measured[]; // the newest is last
  readonly trouble?: string | undefined;
}

const above = 5; // summary, counts, sparklines, tabs, heading

/** The number of lines of a list or panel. */
export const roomIn = ({ rows }: Pick<Look, 'rows'>) => Math.max(1, rows - above - 1);

/** The lines of a screen: as many as it has, none wider than it. */
export function layout(shown: Shown, look: Look): readonly string[] {
  const { state } = shown;
  const room = roomIn(look);
  const body = state.panel ? panelLines(state.panel, room, look) : listLines(shown, room, look);
  const lines = [
    ...summary(shown, look),
    sparklines(shown.measured, look),
    tabs(shown, look),
    ...body,
  ];
  const filled = Array.from({ length: Math.max(0, look.rows - 1) }, (_, at) => lines[at] ?? '');
  return [...filled, footer(shown, look)].slice(-look.rows);
}

function summary({ snapshot, trouble }: Shown, { columns, marks, painter }: Look) {
  const { tasks, slots, service, time } = snapshot;
  const used = slots ? `, ${slots.used} of ${slots.all} slots` : '';
  const head = trouble ?? `${service}  ${time.slice(11, 19)} UTC`;
  const first = cut(visibleLine(head), columns, marks.cut);
  return [
    trouble === undefined ? first : painter.state(first, 'CRITICAL'),
    cut(
      `tasks: ${tasks.running} running, ${tasks.pending} pending, ${tasks.waiting} waiting${used}`,
      columns,
      marks.cut,
    ),
  ];
}

const measures = [
  ['slots', 'slots', (value: number) => formatTick(value, 1)],
  ['lag', 'lag', (value: number) => formatTick(value, 1)],
  ['queries', 'queries/s', (value: number) => formatTick(value, 0.1)],
  ['ingested', 'rows/s', (value: number) => formatTick(value, value < 100 ? 0.1 : 1)],
] as const;

function sparklines(measured: readonly Measured[], { columns, isUnicode, marks }: Look): string {
  const cells = Math.max(4, Math.min(24, Math.floor(columns / measures.length) - 17));
  const parts = measures.map(([name, label, show]) => {
    const values = measured.map((one) => one[name]);
    const last = values.at(-1);
    return `${label} ${sparkline(values, cells, isUnicode)} ${padEnd(last === undefined ? '-' : show(last), 5)}`;
  });
  return cut(parts.join('  ').trimEnd(), columns, marks.cut);
}

function tabs({ state, views, rows }: Shown, { columns, marks, painter }: Look): string {
  const view = views[state.view];
  const list = state.lists[state.view];
  const count =
    view && list
      ? `${visibleRows(rows, view, list).length}${list.filter === '' ? '' : ` of ${rows.length}`}${rows.length === view.most ? '+' : ''} rows${list.filter === '' ? '' : ` /${list.filter}`}`
      : '';
  const names = views.map(({ name }, at) => {
    const label = `${at + 1}:${name}`;
    return at === state.view ? `[${label}]` : ` ${label} `;
  });
  const line = cut(`${names.join(' ')}  ${visibleLine(count)}`.trimEnd(), columns, marks.cut);
  const current = names[state.view] ?? '';
  const place = line.indexOf(current);
  return place < 0
    ? line
    : `${line.slice(0, place)}${painter.strong(current)}${line.slice(place + current.length)}`;
}

function panelLines(
  { title, lines, top }: NonNullable<TopState['panel']>,
  room: number,
  { columns, marks, painter }: Look,
): readonly string[] {
  const last = Math.min(lines.length, top + room);
  const place = lines.length > room ? `  ${top + 1} to ${last} of ${lines.length}` : '';
  return [
    painter.strong(cut(`${visibleLine(title)}${place}`, columns, marks.cut)),
    ...lines.slice(top, last).map((line) => cut(visibleLine(line), columns, marks.cut)),
  ];
}

function listLines(
  { state, views, rows, reason }: Shown,
  room: number,
  look: Look,
): readonly string[] {
  const { columns: width, marks, painter } = look;
  const view = views[state.view];
  const list = state.lists[state.view];
  if (!view || !list) return [];
  const all = visibleRows(rows, view, list);
  if (all.length === 0)
    return [
      '',
      cut(
        rows.length > 0 ? 'No row matches the filter.' : (reason ?? `There are no ${view.name}.`),
        width,
        marks.cut,
      ),
    ];
  const at = placeOfChosen(all, list);
  const offset = Math.max(0, Math.min(at - Math.floor(room / 2), all.length - room));
  const shown = all.slice(offset, offset + room);
  const texts = shown.map((row) =>
    view.columns.map((column) => formatCell(column, column.value(row))),
  );
  const heads = view.columns.map((column, place) => headOf(column, place, list.sort, look));
  const isRight = view.columns.map((column) =>
    shown.every((row) => isNumeric(column, column.value(row))),
  );
  const widths = fitColumns(
    view.columns.map((column, place) => ({
      full: Math.max(
        cellsOf(heads[place] ?? ''),
        ...texts.map((cells) => cellsOf(cells[place] ?? '')),
      ),
      heading: cellsOf(heads[place] ?? ''),
      isWhole: isRight[place] === true || column.kind === 'state',
      stays: place === 0 ? 'first' : column.kind === 'state' ? 'long' : 'short',
    })),
    Math.max(4, width - 2),
    true,
  );
  const line = (cells: readonly string[], paint: (text: string, place: number) => string) =>
    cells
      .flatMap((cell, place) => {
        const limit = widths[place] ?? 0;
        if (limit === 0) return [];
        const fitting = (place === 0 ? cutInside : cut)(cell, limit, marks.cut);
        return paint(isRight[place] ? padStart(fitting, limit) : padEnd(fitting, limit), place);
      })
      .join('  ')
      .trimEnd();
  return [
    painter.strong(cut(`  ${line(heads, (text) => text)}`, width, marks.cut)),
    ...texts.map((cells, row) => {
      if (offset + row === at) {
        const plain = `${marks.pointer} ${line(cells, (text) => text)}`;
        return look.chosen(padEnd(cut(plain, width, marks.cut), width));
      }
      return `  ${line(cells, (text, place) => (view.columns[place]?.kind === 'state' ? painter.state(text) : text))}`;
    }),
  ];
}

function headOf(
  { name }: Column<TopRow>,
  place: number,
  sort: { readonly column: number; readonly isDown: boolean } | undefined,
  { isUnicode }: Look,
): string {
  const head = name.replace(/([a-z])([A-Z])/g, '$1 $2').toUpperCase();
  if (sort?.column !== place) return head;
  return `${head} ${sort.isDown ? (isUnicode ? '↓' : 'v') : isUnicode ? '↑' : '^'}`;
}

const isNumeric = ({ kind }: Column<TopRow>, cell: unknown) =>
  kind !== 'state' && (cell === null || typeof cell === 'number' || typeof cell === 'bigint');

function footer({ state }: Shown, { columns, marks, painter }: Look): string {
  const { question, prompt, message, panel } = state;
  if (question) {
    const asked = cut(visibleLine(`${question.question} y/N`), columns, marks.cut);
    return painter.state(asked, 'WARNING');
  }
  if (prompt)
    return cut(
      visibleLine(`${prompt.kind === 'filter' ? '/' : ':'}${prompt.text}_`),
      columns,
      marks.cut,
    );
  if (message !== undefined) return cut(visibleLine(message), columns, marks.cut);
  const keys = panel
    ? 'arrows, PgUp, PgDn scroll  Esc back'
    : 'Enter why  l log  r report  c cancel  s sort  / filter  : command  ? help';
  return cut(keys, columns, marks.cut);
}
