// Functions and casts as JDBC writes them. Expected answers are those of a real 33.0.0.
import { expect, test } from 'vitest';
import { answering, refusal } from '../statements-over-tables.ts';

test('CONVERT is a cast, with the type first or in the braces of JDBC', async () => {
  const answer = await answering();
  expect(
    await answer(
      "SELECT CONVERT(VARCHAR, added), CONVERT(DOUBLE, '1.5', 3), {fn CONVERT(added, SQL_VARCHAR)}, {fn CONVERT('7', BIGINT)} FROM edits WHERE page = 'Bern'",
    ),
  ).toEqual([['5', 1.5, '5', 7]]);
  expect(refusal("SELECT CONVERT('a' USING utf8)")).toContain("'TRANSLATE' operator");
  expect(refusal('SELECT {fn CONVERT(1, SQL_NOTHING)}')).toContain('"SQL_CHAR", "CHAR"');
});

test.each(['SUM(added)', 'LOWER(page)', 'TIME_FLOOR(__time, 1)'])(
  'JDBC has no function {fn %s}',
  (call) => {
    const name = call.slice(0, call.indexOf('('));
    expect(refusal(`SELECT {fn ${call}} FROM edits`)).toBe(
      `Function '{fn ${name}}' is not defined (line [1], column [8])`,
    );
  },
);

test('WITH RECURSIVE is planned unless a query reads its own rows', async () => {
  const answer = await answering();
  expect(
    await answer('WITH RECURSIVE x AS (SELECT page FROM edits) SELECT COUNT(*) FROM x'),
  ).toEqual([[4]]);
  expect(
    refusal('WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT n FROM x'),
  ).toContain('Unhandled Query Planning Failure');
});
