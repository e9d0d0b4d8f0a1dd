import { expect, test } from 'vitest';
import type { Expression, Position } from '../../../src/sql/ast.ts';
import { parseExpressionText, parseStatements } from '../../../src/sql/parse/parse.ts';
import { SqlError } from '../../../src/sql/sql-error.ts';
import { accepted } from '../statements.ts';

test.each(accepted)('reads %s', (sql) => {
  expect(() => parseStatements(sql)).not.toThrow();
});

// Parentheses show the grouping, so that precedence can be read.
test.each([
  ['a OR b AND c', '(a OR (b AND c))'],
  ['NOT a = b AND c', '((NOT (a = b)) AND c)'],
  ['NOT a IS NULL', '(NOT (a IS NULL))'],
  ['a = b IS NULL', '((a = b) IS NULL)'],
  ['a = b = c', '((a = b) = c)'],
  ['a = b IN (1)', '(a = (b IN (1)))'],
  ['a + b < c * d', '((a + b) < (c * d))'],
  ['a - b - c', '((a - b) - c)'],
  ['a * b / c', '((a * b) / c)'],
  ['a + b || c', '(a + (b || c))'],
  ['a || b || c || d', '((a || b) || (c || d))'],
  ['-a * b', '((- a) * b)'],
  ['- - 1', '(- (- 1))'],
  ['a BETWEEN 1 AND 2 AND b', '((a BETWEEN 1 AND 2) AND b)'],
  ['a NOT BETWEEN b + 1 AND c OR d', '((a NOT BETWEEN (b + 1) AND c) OR d)'],
  ['a + 1 IS NOT DISTINCT FROM b + 2', '((a + 1) IS NOT DISTINCT FROM (b + 2))'],
  ['a IS DISTINCT FROM b = c', '((a IS DISTINCT FROM b) = c)'],
  ["a NOT LIKE 'x' || 'y' ESCAPE '!'", "(a NOT LIKE ('x' || 'y') ESCAPE '!')"],
  ['a = NOT b', '(a = (NOT b))'],
  ['a[1][2] + 1', '(a[1][2] + 1)'],
])('groups %s as %s', (sql, grouped) => {
  expect(show(parseExpressionText(sql))).toBe(grouped);
});

function show(expression: Expression): string {
  switch (expression.kind) {
    case 'identifier':
      return expression.names.join('.');
    case 'literal':
      return expression.type === 'string' ? `'${expression.text}'` : expression.text;
    case 'unary':
      return `(${expression.operator} ${show(expression.operand)})`;
    case 'binary':
      return `(${show(expression.left)} ${expression.operator} ${show(expression.right)})`;
    case 'between':
      return `(${show(expression.operand)} ${expression.negated ? 'NOT ' : ''}BETWEEN ${show(expression.low)} AND ${show(expression.high)})`;
    case 'in':
      return `(${show(expression.operand)} IN (${'length' in expression.among ? expression.among.map(show).join(', ') : 'query'}))`;
    case 'is':
      return `(${show(expression.operand)} IS ${expression.what})`;
    case 'like': {
      const escaped = expression.escape === undefined ? '' : ` ESCAPE ${show(expression.escape)}`;
      return `(${show(expression.operand)} ${expression.negated ? 'NOT ' : ''}LIKE ${show(expression.pattern)}${escaped})`;
    }
    case 'item':
      return `${show(expression.operand)}[${show(expression.index)}]`;
    default:
      throw new Error(`[${expression.kind}] is not shown here`);
  }
}

test('every node says where it was written', () => {
  const wrong: string[] = [];
  for (const sql of accepted) {
    const lines = sql.split('\n');
    for (const { at, kind } of nodesOf(parseStatements(sql))) {
      const inside =
        at.line >= 1 &&
        at.column >= 1 &&
        at.endLine <= lines.length &&
        at.endColumn <= (lines[at.endLine - 1]?.length ?? 0);
      const written =
        at.line === at.endLine
          ? (lines[at.line - 1] ?? '').slice(at.column - 1, at.endColumn)
          : 'several lines';
      if (!inside || written === '' || written !== written.trim()) {
        wrong.push(`${kind} [${written}] in ${sql}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

function* nodesOf(value: unknown): Generator<{ at: Position; kind: string }> {
  if (typeof value !== 'object' || value === null) {
    return;
  }
  if (isNode(value)) {
    yield { at: value.at, kind: 'kind' in value ? String(value.kind) : 'node' };
  }
  for (const part of Object.values(value)) {
    yield* nodesOf(part);
  }
}

const isNode = (value: object): value is { at: Position } => !Array.isArray(value) && 'at' in value;

test('a position is where the engine counts it: parentheses belong to what they hold, lines end with any line end', () => {
  const sql = 'SELECT\r\n  (a + "b c"),\n\tMAX( x )FILTER(WHERE y)';
  const { statement } = parseStatements(sql);
  const items =
    statement.kind === 'query' && statement.body.kind === 'select' ? statement.body.items : [];
  expect(items.map(({ expression }) => expression.at)).toEqual([
    { line: 2, column: 3, endLine: 2, endColumn: 13 },
    { line: 3, column: 2, endLine: 3, endColumn: 24 },
  ]);
  const [sum] = items;
  expect(sum?.expression.kind === 'binary' && sum.expression.right.at).toEqual({
    line: 2,
    column: 8,
    endLine: 2,
    endColumn: 12,
  });
});

test.each([
  ['SELECT 1)', 'Received an unexpected token [)] (line [1], column [9]), acceptable options: ['],
  ['SELECT', 'Received an unexpected token [<EOF>] (line [1], column [6]), acceptable options: ['],
  [
    'SELECT k FROM t GROUP BY k LIMIT -1',
    'Received an unexpected token [LIMIT -] (line [1], column [28]), acceptable options: [',
  ],
  [
    'SELECT (0x1F) AS v',
    'Received an unexpected token [x1F] (line [1], column [10]), acceptable options: [',
  ],
  [
    'SELECT k IN () FROM t',
    'Received an unexpected token [)] (line [1], column [14]), acceptable options: [',
  ],
  [
    'SELECT 1,\n2,\nFROM x',
    'Received an unexpected token [, FROM] (line [2], column [2]), acceptable options: [<EOF>, "ORDER", "LIMIT", "OFFSET", "FETCH", ";", "," "*", "," "+", ',
  ],
  [
    'SELECT k AS a, FROM t',
    'Received an unexpected token [, FROM] (line [1], column [14]), acceptable options: [',
  ],
  [
    'SELECT * FROM (SELECT k,)',
    'Received an unexpected token [, )] (line [1], column [24]), acceptable options: ["ORDER", "LIMIT", "OFFSET", "FETCH", ")", "," "*", ',
  ],
  [
    'SELECT k,',
    'Received an unexpected token [, <EOF>] (line [1], column [9]), acceptable options: [',
  ],
  [
    'SELECT TIMESTAMP FROM t',
    "Incorrect syntax near the keyword 'TIMESTAMP' at line 1, column 8.\nWas expecting one of:\n",
  ],
  [
    'SELECT timestamp FROM t',
    'Received an unexpected token [timestamp FROM] (line [1], column [8])',
  ],
  ['SELECT language FROM t', 'Received an unexpected token [language FROM] (line [1], column [8])'],
  ['SELECT k, date FROM t', 'Received an unexpected token [date FROM] (line [1], column [11])'],
  ['SELECT MAX(end) FROM t', 'Received an unexpected token [end] (line [1], column [12])'],
  ['SELECT k AS value FROM t', "Incorrect syntax near the keyword 'AS' at line 1, column 10.\n"],
  ['SELECT k as value FROM t', 'Received an unexpected token [as value] (line [1], column [10])'],
  ["SELECT k AS 'x' FROM t", 'Expecting alias, found character literal'],
  ['SELECT k FROM t AS order', "Incorrect syntax near the keyword 'AS' at line 1, column 17.\n"],
  ['SELECT k FROM t WHERE', "Incorrect syntax near the keyword 'WHERE' at line 1, column 17.\n"],
  ['SELECT k FROM t GROUP k', "Incorrect syntax near the keyword 'GROUP' at line 1, column 17.\n"],
  ['SELECT k FROM t LIMIT x', "Incorrect syntax near the keyword 'LIMIT' at line 1, column 17.\n"],
  ['SELECT k FROM SELECT 1', "Incorrect syntax near the keyword 'FROM' at line 1, column 10.\n"],
  ['SELECT k FROM t WHERE k =', 'Received an unexpected token [= <EOF>] (line [1], column [25])'],
  ['SELECT k FROM t WHERE k IS 5', 'Received an unexpected token [IS 5] (line [1], column [25])'],
  [
    'SELECT k FROM t WHERE k AND',
    "Incorrect syntax near the keyword 'AND' at line 1, column 25.\n",
  ],
  [
    'SELECT k FROM t WHERE k NOT LIKE',
    'Received an unexpected token [<EOF>] (line [1], column [32])',
  ],
  ['SELECT UPPER(k, *) FROM t', 'Received an unexpected token [, *] (line [1], column [15])'],
  ['SELECT k FROM t WHERE k BETWEEN 1, 2', 'BETWEEN operator has no terminating AND'],
  ['SELECT k FROM (t)', 'Expected query or join'],
  ['SELECT 1 MINUS SELECT 2', 'MINUS is not allowed under the current SQL conformance level'],
  [
    "SELECT k ILIKE 'a' FROM t",
    'No match found for function signature ILIKE (line [1], column [8])',
  ],
  ['SELECT k FROM t UNION ALL u', 'Non-query expression encountered in illegal context'],
  [
    'SELECT k FROM t GROUP BY CUBE k',
    "Incorrect syntax near the keyword 'CUBE' at line 1, column 26.\n",
  ],
  [
    'SELECT value FROM t',
    'Token [value] (line [1], column [8]) is a reserved keyword. To use it as an identifier, quote it as ["value"]',
  ],
  [
    'SELECT SUM(a) OVER 1 FROM t',
    "Incorrect syntax near the keyword 'OVER' at line 1, column 15.\nWas expecting one of:\n",
  ],
  [
    'CREATE TABLE a (b INTEGER)',
    "Incorrect syntax near the keyword 'CREATE' at line 1, column 1.\nWas expecting one of:\n",
  ],
  ['SELEC 1', 'Non-query expression encountered in illegal context'],
  ['SELECT `k` FROM t', 'Lexical error at line 1, column 8.  Encountered: "`" (96), after : ""'],
  ['SELECT 1 /* never closed', 'Lexical error at line 1, column 10.'],
  ["SELECT 'never closed", "Received an unexpected token [\\' <EOF>] (line [1], column [8])"],
  ["SELECT 'a' 'b'", 'No match found for function signature $LiteralChain (line [1], column [8])'],
  ['SELECT ARRAY[]', 'Require at least 1 argument (line [1], column [8])'],
  ['SELECT a LIMIT 1, 2', "'LIMIT start, count' is not allowed"],
  ['SET a = 1', 'Statement list is missing a non-SET statement to execute'],
  [
    'SELECT 1; SELECT 2',
    'Only SET statements can appear before the final statement in a statement list, but found non-SET statement[SELECT 1]',
  ],
  [
    'SET a = ARRAY[1]; SELECT 1',
    "Incorrect syntax near the keyword 'ARRAY' at line 1, column 9.\n",
  ],
  ['DELETE FROM t', 'Unsupported SQL statement [DELETE]'],
  ['UPDATE t SET a = 1', 'Unsupported SQL statement [UPDATE]'],
  ['DESCRIBE t', 'Unsupported SQL statement [DESCRIBE_TABLE]'],
  [
    'INSERT INTO t OVERWRITE ALL SELECT 1 PARTITIONED BY ALL',
    'An OVERWRITE clause is not allowed with INSERT statements.',
  ],
  ['INSERT INTO t SELECT 1 CLUSTERED BY a', 'CLUSTERED BY found before PARTITIONED BY'],
])('refuses %s', (sql, message) => {
  expect(refusal(sql).message.startsWith(message), refusal(sql).message).toBe(true);
  expect(refusal(sql)).toMatchObject({
    category: 'INVALID_INPUT',
    code: 'invalidInput',
    persona: 'USER',
  });
});

function refusal(sql: string): SqlError {
  try {
    parseStatements(sql);
  } catch (error) {
    if (error instanceof SqlError) {
      return error;
    }
    throw error;
  }
  throw new Error(`Not refused: ${sql}`);
}

test('after a comma that no item follows, an item with a name cannot go on, and one without can', () => {
  expect(refusal('SELECT k AS a, FROM t').message).toMatch(
    /"," "ROW", "," "\(", "FROM", "UNION", "INTERSECT", "EXCEPT", "MINUS"\]$/,
  );
  expect(refusal('SELECT k, FROM t').message).toMatch(
    /"," "ROW", "," "\(", "FROM", "AS", <IDENTIFIER>, .*"\[", "UNION", /,
  );
});

test('a refused token is in the context of the refusal, with its place and what would do', () => {
  const { context } = refusal('SELECT a\nFROM t WHERE b = = c');
  expect(context).toMatchObject({
    sourceType: 'sql',
    line: '2',
    column: '16',
    endLine: '2',
    endColumn: '16',
    token: '= =',
  });
  expect(context.expected).toMatch(/"=" "\+", "=" "-", "=" "NOT", .*\]$/);
});

test.each([
  ['parentheses', (count: number) => `SELECT ${'('.repeat(count)}1${')'.repeat(count)}`],
  [
    'subqueries',
    (count: number) => `${'SELECT * FROM ('.repeat(count)}SELECT 1${')'.repeat(count)}`,
  ],
  ['NOT', (count: number) => `SELECT ${'NOT '.repeat(count)}TRUE`],
  ['signs', (count: number) => `SELECT ${'- '.repeat(count)}1`],
  ['LIKE', (count: number) => `SELECT a${' LIKE b'.repeat(count)}`],
  ['sums', (count: number) => `SELECT 1${' + 1'.repeat(count)}`],
  ['joins', (count: number) => `SELECT 1 FROM a${' JOIN b'.repeat(count)}`],
  ['set operations', (count: number) => `SELECT 1${' UNION ALL SELECT 1'.repeat(count)}`],
])('too many levels of %s are refused with a place', (_what, nested) => {
  expect(refusal(nested(10_000)).message).toMatch(
    /^Limit \[\w+\] exceeded: \[\d+\] of at most \[\d+\] .* \(line \[1\], column \[\d+\]\)\. See svcctl help limits$/,
  );
  expect(() => parseStatements(nested(100))).not.toThrow();
});

test('a long chain of conditions is not deep', () => {
  const chain = Array.from({ length: 50_000 }, (_, index) => `a = ${index}`).join(' OR ');
  expect(depthOf(parseExpressionText(chain))).toBeLessThan(20);
});

const depthOf = (expression: Expression): number =>
  expression.kind === 'binary'
    ? 1 + Math.max(depthOf(expression.left), depthOf(expression.right))
    : 1;
