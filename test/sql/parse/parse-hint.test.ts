import { expect, test } from 'vitest';
import { parseStatements } from '../../../src/sql/parse/parse.ts';
import { SqlError } from '../../../src/sql/sql-error.ts';

test.each([
  'SELECT /*+ x */ 1',
  'SELECT /*+x*/ 1',
  'SELECT /*+ x() */ 1',
  'SELECT /*+ x(a) */ DISTINCT 1',
  "SELECT /*+ x('a', -1) */ 1",
  "SELECT /*+ x(a='b'), y */ 1",
  "SELECT 1 FROM t /*+ x(a='b') */ AS f LIMIT 1",
  'SELECT 1 FROM druid.t /*+ x */ CROSS JOIN u /*+ y */ LIMIT 1',
  'EXPLAIN PLAN FOR SELECT /*+ x */ 1',
  "SELECT '/*+ x */'",
  'SELECT 1 -- /*+ x */',
  'SELECT /** x */ 1',
])('a hint is read: %s', (sql) => {
  expect(() => parseStatements(sql)).not.toThrow();
});

// A real cluster of version 33 refuses each of them.
test.each([
  '/*+ x */ SELECT 1',
  'SELECT 1 /*+ x */',
  'SELECT ALL /*+ x */ 1',
  'SELECT /*+ x */ /*+ y */ 1',
  'SELECT /*+ */ 1',
  'SELECT /*+ 3 */ 1',
  'SELECT /*+ x y */ 1',
  'SELECT /*+ x(a.b=3) */ 1',
  'SELECT /*+ x(a, c=1) */ 1',
  "SELECT /*+ x(a='b', c=1) */ 1",
  'SELECT /*+ x(true) */ 1',
  'SELECT /*+ SELECT */ 1',
  'SELECT 1 FROM t AS f /*+ x */',
  'SELECT 1 FROM (SELECT 1) /*+ x */',
  'SELECT COUNT(*) FROM (/*+ x */ SELECT 1)',
])('a misplaced or malformed hint is refused: %s', (sql) => {
  expect(() => parseStatements(sql)).toThrow(SqlError);
});
