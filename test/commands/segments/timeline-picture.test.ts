// Pictures of segments over time: counted rows in, lines of text out.
import { expect, test } from 'vitest';
import {
  drawDatasource,
  drawDatasources,
} from '../../../src/commands/segments/timeline-picture.ts';
import type { TimelineRow } from '../../../src/commands/segments/timeline-rows.ts';

const look = { width: 80, height: 10, isUnicode: true };

const row = (interval: string, rest: Partial<TimelineRow> = {}): TimelineRow => ({
  datasource: 'edits',
  interval,
  segments: 1,
  size: 1024,
  rows: 10,
  versions: 1,
  compacted: 0,
  notLoaded: 0,
  overshadowed: 0,
  unused: 0,
  realtime: 0,
  compactedSize: 0,
  overshadowedSize: 0,
  unusedSize: 0,
  ...rest,
});

const day = (number: number) =>
  `2024-05-0${number}T00:00:00.000Z/2024-05-0${number + 1}T00:00:00.000Z`;

test('each state of a segment has its part of the bar and its words', () => {
  const rows = [
    row(day(1), { compacted: 1, compactedSize: 1024 }),
    row(day(2), { size: 3072, versions: 2, overshadowed: 1, overshadowedSize: 1024 }),
    row(day(3), { segments: 0, size: 0, rows: 0, unused: 2, unusedSize: 2048 }),
    row(day(4), { notLoaded: 1 }),
  ];
  expect(`\n${drawDatasource(rows, look, 20).join('\n')}\n`).toMatchInlineSnapshot(`
    "
    edits: 4 intervals, 3 segments, 5.0 KiB, 30 rows
    INTERVAL                          SIZE  SEGMENTS  ROWS  VERSIONS
    2024-05-01  ████               1.0 KiB         1    10         1
    2024-05-02  ▓▓▓▓▓▓▓▓▓▓▓▓▓▒▒▒▒  3.0 KiB         1    10         2  1 overshadowed
    2024-05-03  ░░░░░░░░░              0 B         0     0         1  2 unused
    2024-05-04  ▓▓▓▓               1.0 KiB         1    10         1  1 not loaded
    █ compacted  ▓ not compacted  ▒ overshadowed  ░ unused
    "
  `);
  expect(
    `\n${drawDatasource(rows, { ...look, isUnicode: false }, 20).join('\n')}\n`,
  ).toMatchInlineSnapshot(`
    "
    edits: 4 intervals, 3 segments, 5.0 KiB, 30 rows
    INTERVAL                          SIZE  SEGMENTS  ROWS  VERSIONS
    2024-05-01  ####               1.0 KiB         1    10         1
    2024-05-02  =============----  3.0 KiB         1    10         2  1 overshadowed
    2024-05-03  .........              0 B         0     0         1  2 unused
    2024-05-04  ====               1.0 KiB         1    10         1  1 not loaded
    # compacted  = not compacted  - overshadowed  . unused
    "
  `);
});

test('many intervals become days, months or years, until they fit', () => {
  const hours = Array.from({ length: 24 * 400 }, (_, at) => {
    const time = (hour: number) => new Date(Date.UTC(2023, 0, 1, hour)).toISOString();
    return row(`${time(at)}/${time(at + 1)}`);
  });
  expect(`\n${drawDatasource(hours, look, 20).join('\n')}\n`).toMatchInlineSnapshot(`
    "
    edits: 9,600 intervals, 9,600 segments, 9.4 MiB, 96,000 rows
    MONTH                                          SIZE  SEGMENTS   ROWS  VERSIONS
    2023-01  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓  744.0 KiB       744  7,440         1
    2023-02  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓     672.0 KiB       672  6,720         1
    2023-03  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓  744.0 KiB       744  7,440         1
    2023-04  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓   720.0 KiB       720  7,200         1
    2023-05  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓  744.0 KiB       744  7,440         1
    2023-06  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓   720.0 KiB       720  7,200         1
    2023-07  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓  744.0 KiB       744  7,440         1
    2023-08  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓  744.0 KiB       744  7,440         1
    2023-09  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓   720.0 KiB       720  7,200         1
    2023-10  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓  744.0 KiB       744  7,440         1
    2023-11  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓   720.0 KiB       720  7,200         1
    2023-12  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓  744.0 KiB       744  7,440         1
    2024-01  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓  744.0 KiB       744  7,440         1
    2024-02  ▓▓▓▓                              96.0 KiB        96    960         1
    ▓ not compacted
    "
  `);
});

test('all datasources share an axis of time', () => {
  const rows = [
    row(day(1), { size: 100 }),
    row(day(2), { size: 900 }),
    row(day(3), { size: 500, notLoaded: 1 }),
    row(day(8), { datasource: '日本語'.repeat(20) }),
    row('-146136543-09-08T08:23:32.096Z/146140482-04-24T15:36:27.903Z', { datasource: 'whole' }),
  ];
  expect(`\n${drawDatasources(rows, look).join('\n')}\n`).toMatchInlineSnapshot(`
    "
    DATASOURCE                                          SIZE  SEGMENTS
    edits                 ▁▁▁▆▆▆█▃▃▃                 1.5 KiB         3  1 not loaded
    日本語日本語日本語…                        ████  1.0 KiB         1
    whole                 █████████████████████████  1.0 KiB         1
                           05-02              05-09
    "
  `);
});
