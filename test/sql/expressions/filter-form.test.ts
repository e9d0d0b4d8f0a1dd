// Filters that mean something else than the same expression elsewhere, as a real 33.0.0 answers.
import { expect, test } from 'vitest';
import { answering, query } from '../statements-over-tables.ts';

test('a CAST to BOOLEAN is left out of a filter', async () => {
  const answer = await answering();
  const counted = (condition: string) => answer(`SELECT COUNT(*) FROM edits WHERE ${condition}`);
  expect(await counted("CAST(REPLACE(page, 'Berlin', 'True') AS BOOLEAN)")).toEqual([[2]]);
  expect(await counted("CAST(REPLACE(page, 'Berlin', '7') AS BOOLEAN)")).toEqual([[0]]);
  expect(await counted("NOT CAST(REPLACE(page, 'Berlin', '7') AS BOOLEAN)")).toEqual([[3]]);
  expect(await counted('CAST(added * 0.05e0 AS BOOLEAN)')).toEqual([[3]]);
});

// Each condition of the row with d = 2.5 and f = 0.1, d = 2.0 and f = 0.5, and nulls; the d that
// it finds.
const found: readonly (readonly [string, readonly (number | null)[]])[] = [
  ['CAST(d AS BIGINT) = 2', [2]],
  ['CAST(d AS BIGINT) <> 2', [2.5]],
  ['CAST(d AS BIGINT) > 2', [2.5]],
  ['CAST(d AS BIGINT) BETWEEN 1 AND 2', [2]],
  ['CAST(d AS BIGINT) IN (2, 3)', [2]],
  ['CAST(d AS BIGINT) IN (2.5, 7)', [2]],
  ['CAST(d AS BIGINT) + 0 = 2', [2]],
  ['CAST(d AS BIGINT) + 1 = 3', [2.5, 2]],
  ['CAST(d AS BIGINT) IS DISTINCT FROM 2', [2.5, null]],
  ['CAST(d AS BIGINT) IS NOT DISTINCT FROM 2', [2]],
  ["CAST(d AS VARCHAR) = '2.50'", [2.5]],
  ["CAST(d AS VARCHAR) IN ('2.50', 'x')", [2.5]],
  ["CAST(d AS VARCHAR) NOT IN ('2.50', 'x')", [2]],
  ["CAST(d AS VARCHAR) = 'x'", []],
  ["CAST(d AS VARCHAR) <> 'x'", [2.5, 2]],
  ['(CAST(d AS BIGINT) = 2) = TRUE', [2]],
  ['(CAST(d AS BIGINT) = 2) = FALSE', [2.5]],
  ['CASE WHEN CAST(d AS BIGINT) = 2 THEN 1 ELSE 0 END = 1', [2]],
  ['f = 0.1', [2.5]],
  ["f = '0.1'", [2.5]],
  ["f <> '0.1'", [2]],
  ["ABS(f) = '.1'", [2.5]],
  ["f IN ('0.1', 'x')", [2.5]],
  ["f IN (0.1, '0.5')", [2.5, 2]],
  ["f IS NOT DISTINCT FROM '0.1'", [2.5]],
  ["f IS DISTINCT FROM '0.1'", [2, null]],
  ['f * 1 = 0.1', [2.5]],
  ['CAST(f AS DOUBLE) = 0.1', [2.5]],
  ['f = SQRT(0.01)', [2.5]],
  ['f BETWEEN 0.1 AND 0.1', [2.5]],
  ['f IS NOT DISTINCT FROM 0.1', [2.5]],
  ['CASE WHEN f = 0.1 THEN TRUE ELSE FALSE END', [2.5]],
  ['ABS(f) = 0.1', []],
];

test.each(found)('a numeric column is compared without casts: %s', async (condition, expected) => {
  const answer = await answering();
  const rows = await answer(`SELECT d FROM readings WHERE ${condition}`);
  expect(rows).toEqual(expected.map((d) => [d]));
  const counted = await answer(`SELECT COUNT(*) FILTER (WHERE ${condition}) FROM readings`);
  expect(counted).toEqual([[expected.length]]);
});

test.each([
  ['f >= 0.1 AND f <= 0.1', [2.5]],
  ['f >= 0.1 AND (d > 0 AND 0.1 >= f)', [2.5]],
  ['NOT (f < 0.1 OR f > 0.1)', [2.5]],
  ['f < 0.1 OR f > 0.1', [2]],
  ['f > 0.1 AND f IN (0.1, 0.5)', [2]],
  ['f <= 0.1 OR f = 0.1', []],
  ['f > 0 AND f <> 0.1', [2]],
  ['f > 0 AND d > 0 AND f <> 0.1 AND f <> 0.2', [2]],
  ['NOT (f > 0 AND f <> 0.5)', [2]],
])(
  'comparisons of a FLOAT with numbers are one set of numbers: %s',
  async (condition, expected) => {
    const answer = await answering();
    expect(await answer(`SELECT d FROM readings WHERE ${condition}`)).toEqual(
      expected.map((d) => [d]),
    );
  },
);

test('a filter above a derived table compares the column of a cast below', async () => {
  const answer = await answering();
  const where = (condition: string) =>
    answer(`SELECT x FROM (SELECT CAST(d AS BIGINT) AS x, f FROM readings) WHERE ${condition}`);
  expect(await where('x = 2')).toEqual([[2]]);
  expect(await where('x > 2')).toEqual([[2]]);
  expect(await where('x <> 2 AND f < 1')).toEqual([[2]]);
  expect(await where('x + 1 = 3')).toEqual([[2], [2]]);
  const limited = 'SELECT CAST(d AS BIGINT) AS x FROM readings LIMIT 10';
  expect(await answer(`SELECT x FROM (${limited}) WHERE x = 2`)).toEqual([[2], [2]]);
});

test('a text is compared with TRUE as before', async () => {
  const answer = await answering();
  expect(await answer('SELECT COUNT(*) FROM readings WHERE sensor = TRUE')).toEqual([[1]]);
});

test('HAVING compares keys and aggregates without casts', async () => {
  const answer = await answering();
  const groups = (having: string) =>
    answer(`SELECT SUM(d) AS s FROM readings GROUP BY sensor HAVING ${having}`);
  expect(await groups('CAST(SUM(d) AS BIGINT) = 2')).toEqual([[2]]);
  expect(await groups('MAX(f) = 0.1')).toEqual([[2.5]]);
  expect(await answer('SELECT f FROM readings GROUP BY f HAVING f = 0.1')).toHaveLength(1);
});

// A quadratic search for the end of its digits would take most of a minute.
test('a long text that is almost a number is no obstacle', async () => {
  const answer = await answering();
  const text = `${'1'.repeat(200_000)}x`;
  expect(await answer(`SELECT d FROM readings WHERE CAST(d AS VARCHAR) = '${text}'`)).toEqual([]);
});

test('a text that is not a number is in no list of numbers, also under a cast', async () => {
  const answer = await answering();
  const found = (condition: string) => answer(`SELECT sensor FROM readings WHERE ${condition}`);
  expect(await found('CAST(sensor AS BIGINT) NOT IN (1, 8)')).toEqual([['true'], ['7'], ['north']]);
  expect(await found('CAST(sensor AS BIGINT) IN (7, 8)')).toEqual([['7']]);
});

test('a text is not distinct from a number that it spells', async () => {
  const answer = await answering();
  const found = (condition: string) => answer(`SELECT sensor FROM readings WHERE ${condition}`);
  expect(await found('sensor IS NOT DISTINCT FROM 7')).toEqual([['7']]);
  expect(await found('sensor IS NOT DISTINCT FROM 1')).toEqual([]);
  expect(await found('sensor IS DISTINCT FROM 7')).toEqual([['true'], ['north']]);
  expect(await found('NOT (sensor IS DISTINCT FROM 7)')).toEqual([['7']]);
});

test('a negation inside of a negation cancels it, so that several values are compared once', () => {
  const filtered = (condition: string) => query(`SELECT page FROM edits WHERE ${condition}`).duckdb;
  expect(filtered("NOT (NOT (tags <= 'b'))")).toBe(filtered("tags <= 'b'"));
  expect(filtered("NOT (NOT (tags <= 'b') AND NOT (page = 'a'))")).toBe(
    filtered("tags <= 'b' OR page = 'a'"),
  );
});

test.each([
  "CASE WHEN tags = 'city' THEN 'x' ELSE 'y' END = 'y'",
  "'y' = CASE tags WHEN 'city' THEN 'x' ELSE 'y' END",
  "CASE WHEN tags = 'city' THEN 'x' ELSE 'y' END IN ('y', 'z')",
  "CASE WHEN tags = 'city' THEN 'x' ELSE 'y' END <> 'x'",
])('a CASE of texts that is compared tests its rows and not each value: %s', async (condition) => {
  const answer = await answering();
  expect(await answer(`SELECT page, added FROM edits WHERE ${condition}`)).toEqual([
    ['Berlin', null],
  ]);
});

test('a FLOAT matches a DOUBLE in 32 bits where a join or IN converts one of them', async () => {
  const answer = await answering();
  const matched = async (join: string) =>
    (await answer(`SELECT r.d FROM readings r ${join}`)).flat();
  const rows = '(SELECT 0.1e0 AS f FROM readings WHERE d = 2) t';
  const groups = '(SELECT 0.1e0 + d - d AS f FROM readings WHERE d = 2 GROUP BY 1) t';
  expect(await matched(`WHERE r.f IN (SELECT 0.1e0 FROM readings)`)).toEqual([2.5]);
  // What a FLOAT cannot hold is infinite.
  expect(await matched('WHERE r.f IN (SELECT d * 1e300 FROM readings)')).toEqual([]);
  expect(await matched('JOIN readings s ON r.f = s.d * 1e300')).toEqual([]);
  // The second key is converted to the type of the first.
  expect(await matched(`JOIN ${rows} ON r.f = t.f`)).toEqual([2.5]);
  expect(await matched(`JOIN ${rows} ON t.f = r.f`)).toEqual([]);
  expect(await matched(`JOIN ${rows} USING (f)`)).toEqual([]);
  // An inner join chooses rows by the groups; an outer one finds groups by keys of their type.
  expect(await matched(`JOIN ${groups} ON t.f = r.f`)).toEqual([2.5]);
  expect(await matched(`JOIN ${groups} USING (f)`)).toEqual([2.5]);
  expect(await matched(`LEFT JOIN ${groups} ON r.f = t.f WHERE t.f > 0`)).toEqual([]);
});

// The double nearest to 9007199254740993 ends in 2.
test('the bounds of longs are rounded to doubles', async () => {
  const answer = await answering();
  const long = 'added + 9007199254740983';
  const addedWhere = (condition: string) => answer(`SELECT added FROM edits WHERE ${condition}`);
  expect(await addedWhere(`${long} <= 9007199254740993`)).toEqual([[5], [7]]);
  expect(await addedWhere(`${long} > 9007199254740993`)).toEqual([[10]]);
  expect(await addedWhere(`${long} BETWEEN 0 AND 9007199254740993`)).toEqual([[5], [7]]);
  expect(await addedWhere(`-(${long}) >= -9007199254740993`)).toEqual([[5], [7]]);
  expect(await addedWhere(`${long} = 9007199254740993`)).toEqual([[10]]);
  expect(await addedWhere(`${long} <= 9223372036854775807`)).toHaveLength(3);
  const least = `SELECT COUNT(*) FILTER (WHERE ${long} <= 9007199254740993) FROM edits`;
  expect(await answer(least)).toEqual([[2]]);
  const groups = `SELECT page FROM edits GROUP BY page HAVING SUM(${long}) <= 9007199254740993`;
  expect(await answer(groups)).toEqual([[null], ['Bern']]);
  const [, ...shown] = await answer(
    `SELECT ${long} <= 9007199254740993 FROM edits ORDER BY __time`,
  );
  expect(shown).toContainEqual([true]);
});

test('SCALAR_IN_ARRAY finds rows without values by a null of its array', async () => {
  const answer = await answering();
  const found = (condition: string) => answer(`SELECT added FROM edits WHERE ${condition}`);
  expect(await found("SCALAR_IN_ARRAY(tags, ARRAY['river', NULL])")).toEqual([[null], [7]]);
  expect(await found("SCALAR_IN_ARRAY(tags, ARRAY['river', 'x'])")).toEqual([[7]]);
});
