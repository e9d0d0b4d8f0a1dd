// Layout of one `top` screen.
import { formatBytes, formatDuration } from '../../cli/lists/columns.ts';
import type { Painter } from '../../cli/output/painter.ts';
import { barOf, type Marks } from '../../cli/terminal/marks.ts';
import { cut, padEnd, padStart, widthOf } from '../../cli/terminal/width.ts';
import { visibleLine } from '../../model/visible-text.ts';
import type { TopSnapshot } from './snapshot.ts';

export interface FrameLook {
  readonly width: number;
  readonly height?: number; // unlimited when undefined
  readonly marks: Marks;
  readonly painter: Painter;
}

/**
 * The lines of a frame, none wider than the screen. When there are too many, the longest parts are
 * shortened.
 */
export function frameOf(
  snapshot: TopSnapshot,
  { width, height, marks, painter }: FrameLook,
  trouble?: string,
): readonly string[] {
  const { tasks, slots, active, supervisors, loadQueue, servers, queries } = snapshot;
  const used = slots ? `, ${slots.used} of ${slots.all} slots` : '';
  const head = [
    trouble ?? `${snapshot.service}  ${snapshot.time.slice(11, 19)} UTC`,
    `tasks: ${tasks.running} running, ${tasks.pending} pending, ${tasks.waiting} waiting${used}`,
  ].map((line) => cut(visibleLine(line), width, marks.cut));
  const parts = [
    part('TASKS', active, ({ id, type, state, ageMs }) => [id, formatDuration(ageMs), state, type]),
    part('SUPERVISORS', supervisors, ({ id, state, lag }) => [
      id,
      lag === undefined ? '-' : `${lag} behind`,
      state,
    ]),
    part(
      'LOAD QUEUE',
      loadQueue.filter(({ toLoad, toDrop }) => toLoad + toDrop > 0),
      ({ server, toLoad, toLoadSize, toDrop }) => [
        server,
        `${toLoad} to load`,
        formatBytes(toLoadSize),
        `${toDrop} to drop`,
      ],
    ),
    part('SERVERS', servers, ({ host, tier, used, capacity }) => {
      const share = capacity > 0 ? used / capacity : 0;
      return [
        host,
        `${Math.floor(share * 100)} %`,
        barOf(share, 10, marks),
        `${formatBytes(used)} of ${formatBytes(capacity)}`,
        tier,
      ];
    }),
    part('QUERIES', queries, ({ id, engine, sql }) => [
      sql.replace(/\s+/g, ' ').trim(),
      id,
      engine,
    ]),
  ].filter(({ rows }) => rows.length > 0);
  const room = height === undefined ? undefined : Math.max(1, height - head.length);
  const kept =
    room === undefined
      ? parts.map(({ rows }) => rows.length)
      : shares(
          parts.map(({ rows }) => rows.length),
          room,
        );
  const body = parts.flatMap(({ name, rows }, at) => {
    const some = rows.slice(0, kept[at]);
    if (some.length === 0) return [];
    const heading = some.length < rows.length ? `${name} (${some.length} of ${rows.length})` : name;
    return [
      '',
      painter.strong(cut(heading, width, marks.cut)),
      ...align(some, width, marks.cut, painter),
    ];
  });
  return height === undefined ? [...head, ...body] : [...head, ...body].slice(0, height);
}

const part = <T>(name: string, items: readonly T[], row: (item: T) => readonly string[]) => ({
  name,
  rows: items.map((item) => row(item).map(visibleLine)),
});

const around = 2; // an empty line and the heading

// Parts get one line each in turn until none is left.
function shares(wanted: readonly number[], room: number): readonly number[] {
  const given = wanted.map(() => 0);
  let left = room;
  for (let isMore = true; isMore && left > 0; ) {
    isMore = false;
    for (const [at, want] of wanted.entries()) {
      const now = given[at] ?? 0;
      const costs = now === 0 ? around + 1 : 1;
      if (now >= want || left < costs) continue;
      given[at] = now + 1;
      left -= costs;
      isMore = true;
    }
  }
  return given;
}

// The first column takes the remaining width; if it is too small, the last columns are left out.
function align(
  rows: readonly (readonly string[])[],
  width: number,
  sign: string,
  painter: Painter,
): readonly string[] {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => widthOf(row[at] ?? ''))),
  );
  const enough = Math.min(widths[0] ?? 0, Math.max(8, Math.floor(width / 3)));
  let count = widths.length;
  while (count > 1 && enough + rest(widths, count) > width) count--;
  const first = Math.min(widths[0] ?? 0, width - rest(widths, count));
  return rows.map((row) =>
    row
      .slice(0, count)
      .map((cell, at) =>
        at === 0
          ? padEnd(cut(cell, first, sign), first)
          : at === 1
            ? padStart(cell, widths[at] ?? 0)
            : painter.state(padEnd(cell, widths[at] ?? 0)),
      )
      .join('  ')
      .trimEnd(),
  );
}

const rest = (widths: readonly number[], count: number) =>
  widths.slice(1, count).reduce((sum, each) => sum + each + 2, 0);
