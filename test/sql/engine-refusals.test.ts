import { expect, test } from 'vitest';
import { answering, refusal, translated } from './statements-over-tables.ts';

// What Calcite's grammar has and the engine does not: a statement that passes here must pass there.
test.each([
  ['SELECT added % 2 FROM edits', "Percent remainder '%' is not allowed under the current SQL conformance level"],
  ["SELECT (page = 'a') IS NOT UNKNOWN FROM edits", 'No match found for function signature IS NOT UNKNOWN'],
  ["SELECT page FROM edits WHERE page SIMILAR TO 'a%'", 'No match found for function signature SIMILAR TO'],
  ["SELECT OVERLAY(page PLACING 'x' FROM 1) FROM edits", 'No match found for function signature OVERLAY'],
  ['SELECT PI() FROM edits', 'No match found for function signature PI()'],
  ['SELECT SINH(added) FROM edits', 'No match found for function signature SINH'],
  ['SELECT "sinh"(added) FROM edits', 'No match found for function signature'],
  ['SELECT COUNT() FROM edits', "Invalid number of arguments to function 'COUNT'. Was expecting 1 arguments"],
  ['SELECT LATEST(added) IGNORE NULLS FROM edits', 'No match found for function signature IGNORE NULLS'],
  ["SELECT DATE_TRUNC('fortnight', __time) FROM edits", 'Operator[DATE_TRUNC] cannot truncate to[fortnight]'],
  ['SELECT EXTRACT(FORTNIGHT FROM __time) FROM edits', "'FORTNIGHT' is not a valid time frame"],
  [
    'SELECT LAG(COUNT(*)) OVER (ORDER BY page ROWS 1 PRECEDING) FROM edits GROUP BY page',
    'ROW/RANGE not allowed with RANK, DENSE_RANK, ROW_NUMBER, PERCENTILE_CONT/DISC or LAG/LEAD functions',
  ],
  ["SELECT STRING_TO_ARRAY(page, ',')[1] FROM edits", "requires 'ITEM' operator that is not supported"],
])('%s is refused', (statement, words) => {
  expect(refusal(statement)).toContain(words);
});

test('a filter reads texts as numbers: what is no number is different from all of them', async () => {
  const answer = await answering();
  const numbers = '(SELECT page AS p FROM edits WHERE page IS NOT NULL) WHERE p';
  const [[all]] = (await answer(`SELECT COUNT(*) FROM ${numbers} IS NOT NULL`)) as [[number]];
  expect(await answer(`SELECT COUNT(*) FROM ${numbers} <> 7`)).toEqual([[all]]);
  expect(await answer(`SELECT COUNT(*) FROM ${numbers} NOT IN (7, 8)`)).toEqual([[all]]);
  expect(await answer(`SELECT COUNT(*) FROM ${numbers} = 1`)).toEqual([[0]]);
});

test('numbers of the engine: longs are rounded as doubles, times are compared as numbers, unknown zones are UTC', async () => {
  const answer = await answering();
  expect(await answer('SELECT CEIL(9007199254740993), FLOOR(added + 9007199254740992 - added + 1) FROM edits LIMIT 1')).toEqual([
    [9007199254740992n, 9007199254740992n],
  ]);
  expect(
    await answer('SELECT SAFE_DIVIDE(added - added, 0e0), SAFE_DIVIDE(added, 0e0), SAFE_DIVIDE(added - added, 0) FROM edits LIMIT 1'),
  ).toEqual([[0, null, null]]);
  expect(await answer("SELECT GREATEST(TIMESTAMP '1970-01-01 00:00:01', TIMESTAMP '1970-01-01 00:00:00')")).toEqual([[1000]]);
  expect(await answer("SELECT TIME_EXTRACT(TIMESTAMP '1970-01-01 05:00:00', 'HOUR', 'Nowhere/City')")).toEqual([[5]]);
});

test('buckets of time without rows are not asked of SQL in vain', () => {
  const byDay = "SELECT TIME_FLOOR(__time, 'P1D'), COUNT(*) FROM edits GROUP BY 1";
  expect(refusal(byDay, { context: { skipEmptyBuckets: false } })).toContain('[skipEmptyBuckets: false]');
  for (const statement of ['SELECT COUNT(*) FROM edits', 'SELECT page, COUNT(*) FROM edits GROUP BY 1', 'SELECT page FROM edits']) {
    expect(() => translated(statement, { context: { skipEmptyBuckets: false } }), statement).not.toThrow();
  }
  expect(() => translated(byDay, { context: { skipEmptyBuckets: true } })).not.toThrow();
});

// A real 33.0.0 sorts such rows before it computes anything of them, and has no query that computes afterwards.
test('rows of joins and of cut queries are sorted by their columns only where SELECT computes nothing', () => {
  const people = 'FROM edits AS e JOIN people AS p ON e.author = p.name';
  const share = 'added * 100.0 / (SELECT SUM(added) FROM edits)';
  const words = 'SQL query requires ordering a table by non-time column';
  for (const statement of [
    `SELECT UPPER(e.page), p.label ${people} ORDER BY p.label`,
    `SELECT page, added, ${share} FROM (SELECT page, SUM(added) AS added FROM edits GROUP BY 1) ORDER BY added DESC`,
    'SELECT page, added + 1 FROM (SELECT page, SUM(added) AS added FROM edits GROUP BY 1 LIMIT 2) ORDER BY page',
    'SELECT page, SUM(added), SUM(added) / (SELECT COUNT(*) FROM edits) FROM edits GROUP BY 1 ORDER BY 2',
    'SELECT page, added FROM edits ORDER BY added',
  ]) {
    expect(refusal(statement), statement).toContain(words);
  }
  for (const statement of [
    `SELECT e.page, p.label ${people} ORDER BY p.label`,
    `SELECT UPPER(e.page) AS page, p.label ${people} ORDER BY 1`,
    'SELECT page, added + 1 FROM (SELECT page, SUM(added) AS added FROM edits GROUP BY 1) ORDER BY page',
    'SELECT page, SUM(added) / (SELECT COUNT(*) FROM edits) AS share FROM edits GROUP BY 1 ORDER BY share',
    'SELECT page, added FROM edits WHERE author IN (SELECT name FROM people) ORDER BY added',
    'SELECT page, added FROM edits WHERE added > (SELECT AVG(added) FROM edits) ORDER BY added',
  ]) {
    expect(() => translated(statement), statement).not.toThrow();
  }
});
