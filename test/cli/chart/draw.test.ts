// Charts as pictures: columns of a result in, lines of text out.
import { expect, test } from 'vitest';
import { type ChartKind, chartOf } from '../../../src/cli/chart/chart.ts';
import { drawChart } from '../../../src/cli/chart/draw.ts';
import type { ChartLook } from '../../../src/cli/chart/look.ts';
import { chartColumns } from '../../../src/cli/chart/table.ts';
import { widthOf } from '../../../src/cli/terminal/width.ts';

type Typed = Readonly<Record<string, string>>; // name and SQL type of each column

const look = { width: 40, height: 5, isUnicode: true };

const picture = (
  types: Typed,
  rows: readonly (readonly unknown[])[],
  { kind = 'auto', ...rest }: Partial<ChartLook> & { kind?: ChartKind | 'auto' } = {},
) => {
  const columns = chartColumns(Object.keys(types), Object.values(types), rows);
  return drawChart(chartOf(columns, kind), { ...look, ...rest });
};

const hourly = (count: number, value: (hour: number) => unknown) =>
  Array.from({ length: count }, (_, hour) => [
    new Date(Date.UTC(2024, 4, 1, hour)).toISOString(),
    value(hour),
  ]);

test('times and a number are a line; a missing value leaves a gap', () => {
  const rows = hourly(24, (hour) => (hour === 12 || hour === 13 ? null : (hour % 12) * 10));
  expect(`\n${picture({ t: 'TIMESTAMP', n: 'BIGINT' }, rows).join('\n')}\n`).toMatchInlineSnapshot(`
    "
    100 ┤             ⢀⡠⠔⠊              ⢀⡠⠔⠊
        │          ⢀⠤⠊⠁              ⢀⠤⠊⠁
        │      ⢀⡠⠔⠊⠁             ⢀⡠⠔⠊⠁
        │   ⢀⡠⠒⠁              ⢀⡠⠒⠁
      0 ┤⡠⠔⠊⠁                 ⠁
        └┬─────────────────┬────────────────
         05-01           12:00
         n
         t: 2024-05-01 to 2024-05-01 23:00 …
    "
  `);
});

test('without colours, each text is a line of its own symbol', () => {
  const rows = hourly(12, () => 0).flatMap(([t], hour) => [
    [t, 'up', hour],
    [t, 'down', 11 - hour],
  ]);
  const types = { t: 'TIMESTAMP', which: 'VARCHAR', n: 'BIGINT' };
  expect(`\n${picture(types, rows).join('\n')}\n`).toMatchInlineSnapshot(`
    "
    10 ┤◆◆◆◆◆                          ●●●●●
       │     ◆◆◆◆◆◆◆◆◆◆      ●●●●●●●●●●
       │               ◆◆◆◆◆◆
       │     ●●●●●●●●●●      ◆◆◆◆◆◆◆◆◆◆
     0 ┤●●●●●                          ◆◆◆◆◆
       └┬──────────────────┬────────────────
        05-01            06:00
        ● up  ◆ down
        t: 2024-05-01 to 2024-05-01 11:00 U…
    "
  `);
  expect(`\n${picture(types, rows, { isUnicode: false }).join('\n')}\n`).toMatchInlineSnapshot(`
    "
    10 +ooooo                          *****
       |     oooooooooo      **********
       |               oooooo
       |     **********      oooooooooo
     0 +*****                          ooooo
       ++------------------+----------------
        05-01            06:00
        * up  o down
        t: 2024-05-01 to 2024-05-01 11:00 U~
    "
  `);
});

test('a text and a number are bars to both sides of zero, and whole numbers stay exact', () => {
  const rows = [
    ['Oslo', 12],
    ['日本', -6],
    ['Lima', 0],
    [null, null],
    ['a name that is far too long for its place', 3],
  ];
  expect(
    `\n${picture({ city: 'VARCHAR', n: 'BIGINT' }, rows).join('\n')}\n`,
  ).toMatchInlineSnapshot(`
    "
    Oslo                 ██████████████   12
    日本          ███████                 -6
    Lima                                   0
    NULL                                NULL
    a name that …        ███▌              3
                  n
    "
  `);
  const exact = picture({ city: 'VARCHAR', n: 'BIGINT' }, [['a', 9007199254740993n]]);
  expect(exact[0]).toMatch(/^a █+ 9007199254740993$/);
});

test('two numbers are two bars each, with a legend', () => {
  const rows = [
    ['a', 1, 2.5],
    ['b', 4, 0.25],
  ];
  const types = { city: 'VARCHAR', first: 'BIGINT', second: 'DOUBLE' };
  expect(`\n${picture(types, rows).join('\n')}\n`).toMatchInlineSnapshot(`
    "
    a ████████▎                            1
      ████████████████████▋              2.5
    b █████████████████████████████████    4
      ██▏                               0.25
      ● first  ◆ second
    "
  `);
});

test('one number is a histogram; NaN and null are counted apart', () => {
  const rows = [...Array.from({ length: 100 }, (_, at) => [at * at]), ['NaN'], [null]];
  expect(`\n${picture({ n: 'DOUBLE' }, rows).join('\n')}\n`).toMatchInlineSnapshot(`
    "
         0 – 2,000 ██████████████████████ 45
     2,000 – 4,000 █████████▎             19
     4,000 – 6,000 ██████▉                14
     6,000 – 8,000 █████▉                 12
    8,000 – 10,000 ████▉                  10
                   rows by n
    2 rows have no value
    "
  `);
  expect(picture({ n: 'BIGINT' }, [[1], [2], [2]])).toEqual([
    '1 ██████████████████                   1',
    '2 ████████████████████████████████████ 2',
    '  rows by n',
  ]);
});

test('two keys and a number are a heat map', () => {
  const rows = [
    ['en', 'Main', 1],
    ['en', 'Talk', 8],
    ['vi', 'Main', 4],
  ];
  const types = { channel: 'VARCHAR', space: 'VARCHAR', n: 'BIGINT' };
  expect(`\n${picture(types, rows).join('\n')}\n`).toMatchInlineSnapshot(`
    "
    en ░░░░░░░░████████
    vi ▒▒▒▒▒▒▒▒
       Main    Talk
       1 ░░▒▒▓▓████ 8  n
    "
  `);
  expect(
    `\n${picture(types, rows, { isUnicode: false, kind: 'heatmap' }).join('\n')}\n`,
  ).toMatchInlineSnapshot(`
    "
    en ........@@@@@@@@
    vi ========
       Main    Talk
       1 ..--++##@@ 8  n
    "
  `);
});

test('one row, equal values and no value at all are pictures, too', () => {
  expect(picture({ t: 'TIMESTAMP', n: 'BIGINT' }, [['2024-05-01T00:00:00Z', 5]])).toContain(
    '   t: 2024-05-01 UTC',
  );
  expect(picture({ n: 'BIGINT' }, [[7], [7]])).toEqual([
    '7 ████████████████████████████████████ 2',
    '  rows by n',
  ]);
  expect(picture({ t: 'TIMESTAMP', n: 'DOUBLE' }, [['2024-05-01T00:00:00Z', 'NaN']])).toEqual([
    'There are no values to draw.',
  ]);
  expect(picture({ a: 'VARCHAR', n: 'BIGINT' }, [])).toEqual(['There are no values to draw.']);
});

test('no line is wider than the room, whatever the values are', () => {
  const names = ['en', '日本語の名前', '', 'x'.repeat(100), '\x1b[2J'];
  const value = (at: number) => [at, -at, at / 7, null, 'NaN', 1e300, -1e-9][at % 7];
  const rows = Array.from({ length: 10_000 }, (_, at) => [
    new Date(at * 97_000_000).toISOString(),
    names[at % names.length],
    `key ${at % 50}`,
    value(at),
  ]);
  const types = { t: 'TIMESTAMP', a: 'VARCHAR', b: 'VARCHAR', n: 'DOUBLE' };
  for (const width of [20, 40, 80, 200])
    for (const isUnicode of [true, false])
      for (const kind of ['line', 'bar', 'histogram', 'heatmap'] as const)
        for (const line of picture(types, rows, { width, height: 12, isUnicode, kind })) {
          expect(widthOf(line), `${kind} ${width}: ${line}`).toBeLessThanOrEqual(width);
          expect(line).not.toContain('\x1b');
          if (!isUnicode) expect(line.replaceAll(/[日本語の名前]/g, '')).toMatch(/^\p{ASCII}*$/u);
        }
});

test('a result that cannot be drawn is refused with the next step', () => {
  expect(() => picture({ a: 'VARCHAR' }, [['x']])).toThrow(
    'The result has no column with numbers to draw',
  );
  expect(() => picture({ a: 'VARCHAR', n: 'BIGINT' }, [['x', 1]], { kind: 'line' })).toThrow(
    'A line chart needs a column with times or numbers for its x axis',
  );
});
