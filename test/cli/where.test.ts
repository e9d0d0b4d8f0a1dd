import { expect, test } from 'vitest';
import { columnsOf } from '../../src/cli/lists/columns.ts';
import { conditionOf } from '../../src/cli/lists/where.ts';

interface Row {
  id: string;
  rows?: number | bigint | null;
  status: string;
  duration: number;
  created: string;
  size: number;
  isLeader: boolean;
}

const columns = columnsOf<Row>({
  id: ({ id }) => id,
  rows: ({ rows }) => rows,
  status: { value: ({ status }) => status, kind: 'state' },
  duration: { value: ({ duration }) => duration, kind: 'duration' },
  created: { value: ({ created }) => created, kind: 'time' },
  size: { value: ({ size }) => size, kind: 'bytes' },
  isLeader: ({ isLeader }) => isLeader,
});

const now = Date.parse('2024-05-01T12:00:00Z');
const row = (id: string, rest: Partial<Row> = {}): Row => ({
  id,
  rows: 10,
  status: 'RUNNING',
  duration: 60_000,
  created: '2024-05-01T11:00:00Z',
  size: 2048,
  isLeader: false,
  ...rest,
});
const rows = [
  row('plain'),
  row('long', { duration: 3_600_000, rows: 9_007_199_254_740_993n }),
  row('old failure', { status: 'FAILED', created: '2023-01-01T00:00:00Z', rows: null }),
  row('leader', { isLeader: true, size: 3_000_000, rows: 2 }),
];

test.each([
  ['id = long', ['long']],
  ['id = "old failure"', ['old failure']],
  ['id != plain', ['long', 'old failure', 'leader']],
  ['status = failed', ['old failure']],
  ['duration > 5m', ['long']],
  ['duration = 60s', ['plain', 'old failure', 'leader']],
  ['duration >= 60000 and duration < 1h30m', ['plain', 'long', 'old failure', 'leader']],
  ['size > 2KiB', ['leader']],
  ['size <= 2.5kB', ['plain', 'long', 'old failure']],
  ['created < 30d', ['old failure']],
  ['created >= 2024-01-01', ['plain', 'long', 'leader']],
  ['rows = 9007199254740993', ['long']],
  ['rows = 9007199254740992', []],
  ['rows > 5', ['plain', 'long']],
  ['rows < 5', ['leader']],
  ['rows = null', ['old failure']],
  ['rows != null and rows > 5 or id = leader', ['plain', 'long', 'leader']],
  ['not (rows > 5 or id = leader)', ['old failure']],
  ['id ~ "^l"', ['long', 'leader']],
  ['id !~ "^l"', ['plain', 'old failure']],
  ['id in (plain, leader)', ['plain', 'leader']],
  ['isLeader', ['leader']],
  ['not isLeader and isLeader = false', ['plain', 'long', 'old failure']],
  ['ISLEADER = TRUE', ['leader']],
])('%s', async (expression, expected) => {
  expect(rows.filter(await conditionOf(expression, columns, now)).map(({ id }) => id)).toEqual(
    expected,
  );
});

test.each([
  ['', 'the expression is empty at position 1'],
  ['nme = 1', 'no column [nme]'],
  ['id =', 'expected a value, found the end at position 5'],
  ['id = a b', 'expected "and", "or" or the end, found "b" at position 8'],
  ['(id = a', 'expected ")", found the end at position 8'],
  ['id ~ "("', 'missing closing )'],
  ['id ~ "(?=a)"', 'invalid or unsupported Perl syntax'],
  ['id = "open', 'this string does not end, at position 6'],
  ['id ! a', '[!] is unexpected, at position 4'],
  ['created > soon', '[soon] is not a time for [created]'],
  ['= 3', 'expected a column, found "=" at position 1'],
])('%s is refused, and the place is shown', async (expression, problem) => {
  await expect(conditionOf(expression, columns, now)).rejects.toThrow(problem);
});

test('a regular expression does not hang on a cell that the server has made for it', async () => {
  const hostile = { id: `${'a'.repeat(10_000)}!` };
  const condition = await conditionOf('id ~ "^(a+)+$"', [
    { name: 'id', value: ({ id }: typeof hostile) => id },
  ]);
  expect(condition(hostile)).toBe(false);
});
