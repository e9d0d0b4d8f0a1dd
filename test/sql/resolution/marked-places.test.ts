// The part of a statement that a refusal marks, as in a real 33.0.0.
import { expect, test } from 'vitest';
import { query, refusal } from '../statements-over-tables.ts';

test.each([
  ['SELECT e.nothing FROM edits e', "Column 'nothing' not found in table 'e'", 10],
  ['SELECT druid.edits.nothing FROM edits', "not found in table 'druid.edits'", 20],
  ['SELECT 1, x.page FROM edits e', "Table 'x' not found", 11],
  ['SELECT x.* FROM edits e', "Unknown identifier 'x'", 8],
  ['SELECT EXTRACT(DAYS FROM __time) FROM edits', "'DAYS' is not a valid time frame", 16],
  ['SELECT TIMESTAMPADD(FOO, 1, __time) FROM edits', "'FOO' is not a valid time frame", 21],
  ['SELECT FLOOR(__time TO DAYS) FROM edits', "'DAYS' is not a valid time frame", 24],
  ['SELECT 1 FROM edits a LEFT JOIN edits b', 'join requires a condition', 28],
  ['SELECT 1 UNION ALL SELECT 1, 2', 'Column count mismatch in UNION ALL', 27],
  ['SELECT 1 UNION SELECT page, added FROM edits', 'Column count mismatch in UNION (', 23],
  ['SELECT (SELECT page, added FROM edits)', '$SCALAR_QUERY(<RECORDTYPE(VARCHAR PAGE,', 9],
])('%s: %s', (statement, words, column) => {
  expect(refusal(statement)).toContain(words);
  expect(refusal(statement)).toContain(`(line [1], column [${column}])`);
});

test('a star is the argument of COUNT alone', () => {
  expect(refusal('SELECT SUM(*) FROM edits')).toBe("Unknown field '*' (line [1], column [12])");
});

test('OFFSET follows LIMIT', () => {
  expect(refusal('SELECT page FROM edits OFFSET 1 LIMIT 1')).toBe(
    "'OFFSET start LIMIT count' is not allowed under the current SQL conformance level",
  );
});

test('where a part stands is not what it means', () => {
  const month = 'FLOOR(__time TO MONTH)';
  for (const statement of [
    `SELECT ${month}, LAG(SUM(added)) OVER (ORDER BY ${month}) FROM edits GROUP BY 1`,
    `SELECT EXTRACT(DAY FROM __time) + 1 FROM edits GROUP BY EXTRACT(DAY FROM __time)`,
    `SELECT e.page FROM edits e GROUP BY e.page HAVING e.page > 'a'`,
    'SELECT page, COUNT(DISTINCT author) FROM edits GROUP BY 1 ORDER BY COUNT(DISTINCT author)',
  ])
    expect(() => query(statement), statement).not.toThrow();
});
