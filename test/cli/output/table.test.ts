// Tables of long lists: the same text as small ones, in a fraction of their time.
import { expect, test } from 'vitest';
import { columnsOf } from '../../../src/cli/lists/columns.ts';
import { writeSmall } from '../../../src/cli/output/small-table.ts';
import { tableWriter } from '../../../src/cli/output/table.ts';
import { paintState } from '../../../src/cli/terminal/style.ts';

interface Row {
  readonly id: string;
  readonly state: string;
  readonly count: number | bigint | null;
  readonly port: number;
  readonly created: string;
}

const columns = columnsOf<Row>({
  id: (row) => row.id,
  state: { value: (row) => row.state, kind: 'state' },
  count: (row) => row.count,
  port: (row) => row.port,
  created: { value: (row) => row.created, kind: 'time' },
});

const rowOf = (at: number): Row => ({
  id: ['plain', '日本語', '🫠', 'two\nlines', ''][at % 5] ?? '',
  state: at % 3 === 0 ? 'FAILED' : 'RUNNING',
  count: at % 7 === 0 ? null : at * 1000,
  port: 18911,
  created: '2024-05-01T12:00:00.000Z',
});
const rows = (count: number) => Array.from({ length: count }, (_, at) => rowOf(at));
const now = Date.parse('2024-05-01T15:00:00Z');

test.each([
  [{}],
  [{ width: 40, cut: '~', now, groups: true }],
  [{ width: 30, cut: '~', paintState, mayGiveWay: true }],
])('a long block is written as its rows would be in small blocks: %j', (given) => {
  const look = { header: true, ...given };
  const { write: large } = tableWriter(columns, look);
  const { write: small } = tableWriter(columns, look);
  const all = rows(1000);
  // The first block decides the widths, so both begin with the same one.
  const first = all.slice(0, 150);
  const rest = all.slice(150);
  expect(large(first)).toBe(small(first));
  const inParts = Array.from({ length: 17 }, (_, at) => small(rest.slice(at * 50, at * 50 + 50)));
  expect(large(rest)).toBe(inParts.join(''));
});

test.each([
  [{}],
  [{ width: 40, cut: '~', now, groups: true }],
  [{ width: 30, cut: '~', paintState, mayGiveWay: true }],
])('cli-table3 lays out a small table as the writer of long lists does: %j', (given) => {
  const look = { header: true, ...given };
  const ascii = [0, 4, 5, 9, 10].map(rowOf);
  const laidOut = tableWriter(columns, look, writeSmall).write(ascii);
  expect(laidOut).toBe(tableWriter(columns, look).write(ascii));
  expect(laidOut.split('\n')).toHaveLength(7);
});

test('a block of a thousand rows is aligned from its heading on', () => {
  const text = tableWriter(columns, { header: true }).write(rows(1000));
  const [head = '', first = '', second = ''] = text.split('\n');
  expect(head).toBe('ID          STATE     COUNT   PORT  CREATED');
  expect(first).toBe('plain       FAILED        -  18911  2024-05-01T12:00:00.000Z');
  expect(second).toBe('日本語      RUNNING    1000  18911  2024-05-01T12:00:00.000Z');
  expect(text.split('\n')).toHaveLength(1002);
});

test('numbers have thousands separators where they are amounts; a time has its age beside it', () => {
  const look = { header: false, width: 100, now, groups: true, isExact: true };
  expect(
    tableWriter(columns, look)
      .write([rowOf(26)])
      .trim()
      .split(/ {2,}/),
  ).toEqual(['日本語', 'RUNNING', '26,000', '18911', '2024-05-01T12:00:00.000Z (3h ago)']);
});

test('a hundred thousand rows need a bounded time and no memory of earlier ones', () => {
  const { write } = tableWriter(columns, { header: true });
  const block = rows(1000);
  write(block);
  const start = process.cpuUsage();
  for (let at = 0; at < 100; at++) write(block);
  const { user } = process.cpuUsage(start);
  expect(user / 1e6).toBeLessThan(5); // cli-table3 takes ten seconds and more
});
