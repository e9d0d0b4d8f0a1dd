// Reading of input in the SQL shell, and the position of errors.
import { expect, test } from 'vitest';
import { ServiceError } from '../../src/client/errors.ts';
import { placeInQuery } from '../../src/commands/shared/sql/place-in-query.ts';
import { completeSql } from '../../src/commands/sql/shell/complete.ts';
import { holdsSecret } from '../../src/commands/sql/shell/history.ts';
import { scan, withVariables } from '../../src/commands/sql/shell/scan.ts';

test.each([
  ['SELECT \';\', ";" -- ;\n /* ; */ ; rest', ['SELECT \';\', ";" -- ;\n /* ; */'], 'rest', ''],
  ["SELECT 'it''s", [], "SELECT 'it''s", "'"],
  ["SELECT 'it''s';", ["SELECT 'it''s'"], '', ''],
  ['SELECT "a', [], 'SELECT "a', '"'],
  ['SELECT (1', [], 'SELECT (1', '('],
  ['SELECT /*', [], 'SELECT /*', '*'],
  ['SELECT /**/', [], 'SELECT /**/', ''],
  ['SELECT 1 -- end', [], 'SELECT 1 -- end', '-'],
  [';;', [], '', ''],
  ['SELECT 1; -- end', ['SELECT 1'], '', ''],
  ['/* nothing */;', [], '', ''],
  ['SELECT 1;\n/* end */', ['SELECT 1'], '', ''],
  ['SELECT 1; /* end', ['SELECT 1'], '/* end', '*'],
])('%j is taken apart at the ; that end statements', (text, statements, rest, inside) => {
  const { steps, ...left } = scan(text);
  expect(steps.map((step) => step.text)).toEqual(statements);
  expect(left).toEqual({ rest, inside });
});

test('a command of the shell goes to the end of its line, and takes what stands before it', () => {
  expect(scan("SELECT '\\x' \\g 'a;b.csv'\nSELECT 2;")).toEqual({
    steps: [
      { kind: 'command', text: "\\g 'a;b.csv'", at: 0, before: "SELECT '\\x'" },
      { kind: 'statement', text: 'SELECT 2', at: 25 },
    ],
    rest: '',
    inside: '',
  });
});

const set = new Map<string, unknown>([
  ['day', '2024-05-01'],
  ['table', 'my table'],
  ['few', 3],
]);

test.each([
  [`SELECT :'day', :few FROM :"table"`, `SELECT '2024-05-01', 3 FROM "my table"`],
  [`SELECT ':few', ":few" /* :few */ -- :few`, `SELECT ':few', ":few" /* :few */ -- :few`],
  [
    "SELECT :many, JSON_OBJECT('a':b), x::few, :'many'",
    "SELECT :many, JSON_OBJECT('a':b), x::few, :'many'",
  ],
])('variables stand for their values: %s', (typed, said) => {
  expect(withVariables(typed, set)).toBe(said);
});

const at = (line: number, column: number, context = {}) =>
  new ServiceError({
    status: 400,
    message: 'm',
    bodyKind: 'druidException',
    line,
    column,
    context,
  });

test.each([
  ['SELECT foo', at(1, 8, { endLine: '1', endColumn: '10' }), 80, '1: SELECT foo\n          ^^^\n'],
  ['SELECT\n\tfoo', at(2, 2), 80, '2:  foo\n    ^\n'],
  ["SELECT '日本', foo", at(1, 14), 80, "1: SELECT '日本', foo\n                  ^\n"],
  ['SELECT', at(9, 1), 80, ''],
  ['SELECT', at(1, 99), 80, ''],
])('an error in %j is marked at its place', (query, error, width, shown) => {
  expect(placeInQuery(query, error, width)).toBe(shown);
});

test('a long line is cut around the place, so that the mark fits the terminal', () => {
  const query = `SELECT ${'a, '.repeat(100)}wrong FROM t`;
  const [line = '', mark = ''] = placeInQuery(query, at(1, 308), 40).split('\n');
  expect(line.length).toBeLessThanOrEqual(40);
  expect(line.slice(mark.indexOf('^'))).toMatch(/^wrong/);
});

const names = {
  tables: [
    { schema: 'druid', name: 'edits' },
    { schema: 'druid', name: 'my table' },
    { schema: 'sys', name: 'tasks' },
  ],
  columnsOf: new Map([
    ['edits', ['__time', 'page', 'order']],
    ['my table', ['city']],
    ['tasks', ['task_id']],
  ]),
  functions: ['COUNT', 'CONCAT'],
};

test.each([
  ['SELECT co', ' FROM edits', ['count(', 'concat('], 'co'],
  ['SELECT CO', ' FROM edits', ['COUNT(', 'CONCAT('], 'CO'],
  ['SELECT ', ' FROM edits', ['__time', 'page', '"order"', 'e'], ''],
  ['SELECT * FROM ', '', ['edits', '"my table"', 'sys'], ''],
  ['SELECT * FROM "my', '', ['"my table"'], '"my'],
  ['SELECT * FROM sys.', '', ['tasks'], ''],
  ['SELECT t.', ' FROM sys.tasks AS t', ['task_id'], ''],
  ["SELECT 'pa", '', [], ''],
  ['SELECT * FROM (SELECT city AS town FROM "my table") x WHERE x.', '', ['town', 'city'], ''],
  ['WITH few AS (SELECT 1) SELECT * FROM f', '', ['few'], 'f'],
  ['SELECT CAST(page AS big', ' FROM edits', ['bigint'], 'big'],
  ['SELECT 1; SELECT ci', ' FROM "my table"', ['city'], 'ci'],
])('at %j before %j can stand what fits', (before, behind, found, word) => {
  const aliased = behind === ' FROM edits' && word === '' ? ' FROM edits e' : behind;
  expect(completeSql(before, aliased, names)).toEqual([found, word]);
});

test.each([
  [`SELECT '{"httpAuthenticationPassword": "x"}'`, true],
  ["SET secretAccessKey = 'x'", true],
  ['SELECT password FROM users', false],
  ['SELECT COUNT(*) FROM t', false],
])('%j holds a secret: %s', (line, expected) => {
  expect(holdsSecret(line)).toBe(expected);
});
