// Constants instead of the columns that WHERE decides. Expected answers are those of a real 33.0.0.
import { expect, test } from 'vitest';
import {
  answering,
  dayMs,
  newYear,
  query,
  refusal,
  translated,
} from '../statements-over-tables.ts';

test.each([
  ["author = 'ben'", "page = 'Bern'", "page = 'Berlin'"],
  ["author = 'anna'", "page IN ('Bern', 'Bern')", "UPPER(page) = 'BERLIN'"],
  ["author = 'anna'", "NOT (page <> 'Bern')", "NOT (page = 'Bern')"],
  ["author = 'anna'", 'added = 10', 'added < 5 AND page IS NULL'],
  ["author = 'anna'", '10 = added', 'added BETWEEN 1 AND 5'],
  ["author = 'anna'", 'added IS NULL', 'added <> 0'],
  ["author = 'anna'", 'added = -1', 'added > 0'],
])('SUM of CASE is 0 where WHERE %s AND %s contradicts %s', (other, decides, condition) => {
  const { duckdb } = query(
    `SELECT SUM(CASE WHEN ${condition} THEN added ELSE 0 END) FROM edits WHERE ${other} AND ${decides}`,
  );
  expect(duckdb).not.toContain('FILTER');
});

test('a range decides no constant, and a sum of no rows stays null', async () => {
  const answer = await answering();
  expect(
    await answer(
      "SELECT SUM(CASE WHEN added < 5 THEN added ELSE 0 END) FROM edits WHERE added > 6 AND page = 'Berlin'",
    ),
  ).toEqual([[null]]);
  expect(
    await answer(
      "SELECT SUM(CASE WHEN page = 'Bern' THEN added ELSE 0 END) FROM edits WHERE page = 'Berlin'",
    ),
  ).toEqual([[0]]);
});

test('a filter that contradicts itself leaves no row to read', async () => {
  const answer = await answering();
  for (const condition of ['added = 10 AND added = 5', 'added IS NULL AND added > 5'])
    expect(
      await answer(`SELECT author, COUNT(*) FROM edits WHERE ${condition} GROUP BY 1`),
    ).toEqual([]);
});

test.each([
  "page > 'M' AND page IN ('A', 'B')",
  "page > 'M' AND (page = 'A' OR page BETWEEN 'B' AND 'C')",
  "page IN ('A', 'B') AND page IN ('C', 'D')",
  "page > 'M' AND NULLIF(page, 'A') IS NULL",
  "COALESCE(page, 'x') = 'x' AND page > 'M' AND page < 'N'",
  "CASE page WHEN 'A' THEN 1 WHEN 'B' THEN 2 END IN (1, 2) AND page > 'M'",
  'added IN (1, 2) AND added <> 1 AND added <> 2',
  '(added = 1 OR added IS NULL) AND added > 4',
])('SUM of CASE is null over rows that WHERE %s excludes', async (condition) => {
  const answer = await answering();
  expect(
    await answer(
      `SELECT SUM(CASE WHEN author = 'anna' THEN 1 ELSE 0 END) FROM edits WHERE ${condition}`,
    ),
  ).toEqual([[null]]);
});

test.each([
  "page > 'A' AND NULLIF(page, 'Bern') IS NULL",
  "page > 'A' AND COALESCE(page, 'x') = 'Bern'",
  "CASE WHEN page = 'Bern' THEN 1 ELSE 0 END = 1 AND page < 'C'",
  "(page = 'Bern' OR page IS NULL) AND page <> 'Berlin'",
  "added > '9' AND added IN (10, 100)",
  'added > 9007199254740992 AND added IN (9007199254740993, 1)',
])('rows that WHERE %s accepts are read', (condition) => {
  const { duckdb } = query(`SELECT COUNT(*) FROM edits WHERE ${condition}`);
  expect(duckdb).not.toContain('WHERE false');
});

test('rows beside a query are sorted where a key is the same in all of them', () => {
  const shares = (condition: string, order: string) =>
    `WITH x AS (SELECT page AS k, COUNT(*) AS v FROM edits WHERE ${condition} GROUP BY 1) SELECT k, v, v * 100.0 / (SELECT SUM(v) FROM x) FROM x ORDER BY ${order} LIMIT 3`;
  expect(refusal(shares("author = 'ben'", 'v DESC, k'))).toContain(
    'requires ordering a table by non-time column [[v, k]]',
  );
  expect(refusal(shares("page = 'Bern'", 'v DESC'))).toContain('[[v]]');
  expect(query(shares("page = 'Bern'", 'v DESC, k')).duckdb).toContain('ORDER BY');
  expect(query(shares('page IS NULL', 'k')).duckdb).toContain('ORDER BY');
});

test('a FLOAT column that WHERE decides counts as the number of the condition', async () => {
  const answer = await answering();
  expect(await answer('SELECT f * 2, CAST(f AS DOUBLE) FROM readings WHERE f = 0.1')).toEqual([
    [0.2, 0.1],
  ]);
  expect(await answer('SELECT SUM(f * 2) FROM readings WHERE f IN (0.1)')).toEqual([[0.2]]);
});

test.each([
  "NOT (__time < TIMESTAMP '2024-01-02') AND __time < TIMESTAMP '2024-01-01 12:00:00'",
  "__time > '2024-01-03' AND __time < '2024-01-02'",
  "NOT (__time < '2024-01-02') AND TIME_IN_INTERVAL(__time, '2024-01-01/PT4H')",
])('times that exclude each other leave no row: %s', (condition) => {
  const { duckdb } = query(`SELECT page, COUNT(*) FROM edits WHERE ${condition} GROUP BY 1`);
  expect(duckdb).toContain('WHERE false');
});

test.each([
  ["__time >= '2024-01-02' AND __time < '2024-01-03'", newYear + dayMs, newYear + 2n * dayMs],
  ["TIME_IN_INTERVAL(__time, '2024-01-02/P1D')", newYear + dayMs, newYear + 2n * dayMs],
  ["NOT (__time < '2024-01-02')", newYear + dayMs, undefined],
])('a scan reads only the times of the condition %s', (condition, startMs, endMs) => {
  const { scans } = translated(`SELECT COUNT(*) FROM edits WHERE ${condition}`);
  const range = { startMs, ...(endMs !== undefined && { endMs }) };
  expect(scans[0]?.intervals).toEqual([range]);
});

test('a text as a BOOLEAN key is grouped by its number', async () => {
  const answer = await answering();
  const rows = await answer(
    'SELECT CAST(sensor AS BOOLEAN) AS k, COUNT(*) FROM readings GROUP BY 1',
  );
  expect(rows).toEqual([
    [null, 2],
    [true, 1],
  ]);
});

test('a sum of ones and zeros is null where the planner knows that there are no rows', async () => {
  const answer = await answering();
  const sums = (condition: string) =>
    answer(
      `SELECT SUM(CASE WHEN page = 'x' THEN 1 ELSE 0 END), COUNT(*) FROM edits WHERE ${condition}`,
    );
  expect(await sums('added > 5 AND added < 3')).toEqual([[null, 0]]);
  expect(await sums('added BETWEEN 1000 AND 500')).toEqual([[null, 0]]);
  expect(await sums('added = 1000')).toEqual([[0, 0]]);
});

test('aggregates read the constant instead of a column of several values that WHERE decides', async () => {
  const answer = await answering();
  const decided = (items: string) => answer(`SELECT ${items} FROM edits WHERE tags = 'city'`);
  expect(await decided("COUNT(DISTINCT tags), STRING_AGG(tags, ','), LATEST(tags)")).toEqual([
    [1, 'city,city,city', 'city'],
  ]);
  expect(await answer('SELECT COUNT(DISTINCT tags) FROM edits WHERE tags IS NULL')).toEqual([[0]]);
  expect(
    await answer("SELECT tags, COUNT(DISTINCT tags) FROM edits WHERE tags = 'city' GROUP BY tags"),
  ).toEqual([
    ['capital', 1],
    ['city', 1],
    ['river', 1],
  ]);
});

test('a query that only filters a table decides the columns of the query above', async () => {
  const answer = await answering();
  const below = (condition: string) =>
    `(SELECT tags AS k, links AS v FROM edits WHERE ${condition})`;
  expect(await answer(`SELECT k, COUNT(v) + 1 FROM ${below("tags = 'city'")} GROUP BY 1`)).toEqual([
    ['city', 2],
    ['city', 3],
    ['city', 1],
  ]);
  expect(await answer(`SELECT v, k FROM ${below("tags = 'river'")}`)).toEqual([[null, 'river']]);
  expect(await answer(`SELECT k = 'x', v FROM ${below("tags = 'river'")}`)).toEqual([
    [false, null],
  ]);
  expect(
    await answer(`SELECT k FROM ${below("tags = 'city'")} WHERE k = 'river' GROUP BY 1`),
  ).toEqual([]);
  expect(
    await answer(
      `WITH x AS ${below("tags = 'river' AND page IS NULL")} SELECT x.k, COUNT(*) FROM x GROUP BY 1`,
    ),
  ).toEqual([['river', 1]]);
});

test('a sum of ones and zeros over aggregates of no groups is 0, over their keys null', async () => {
  const answer = await answering();
  const sum = (condition: string, columns: string) =>
    answer(
      `SELECT SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END) FROM (SELECT ${columns} FROM edits WHERE added > 5 AND added < 3 GROUP BY 1)`,
    );
  expect(await sum('v > 1', 'author, COUNT(*) AS v')).toEqual([[0]]);
  expect(await sum("author > 'a'", 'author, COUNT(*) AS v')).toEqual([[null]]);
  expect(
    await answer(
      'SELECT SUM(CASE WHEN e.added > 1 THEN 1 ELSE 0 END) FROM edits e JOIN (SELECT name FROM people WHERE 1 = 0) p ON e.author = p.name',
    ),
  ).toEqual([[0]]);
});

test('a text that WHERE decides is compared with TRUE as a constant', async () => {
  const answer = await answering();
  const truth = (condition: string) =>
    answer(
      `SELECT ${condition} AS k, COUNT(*) FROM readings WHERE sensor = 'true' AND d > 0 GROUP BY 1`,
    );
  expect(await truth('sensor = TRUE')).toEqual([[true, 1]]);
  expect(await truth('FALSE = sensor')).toEqual([[false, 1]]);
});

test('the implicit time of EARLIEST keeps a key from being passed on as it is stored', async () => {
  const answer = await answering();
  expect(
    await answer("SELECT tags, EARLIEST(links) FROM edits WHERE tags = 'river' GROUP BY 1"),
  ).toEqual([['river', null]]);
});

test('a function of a list of ARRAY_AGG is never null, and its list is not made', async () => {
  const { duckdb } = query(
    "SELECT page FROM edits GROUP BY page HAVING ARRAY_TO_STRING(ARRAY_AGG(author), ',') IS NOT NULL AND ARRAY_LENGTH(ARRAY_AGG(author)) IS NOT NULL",
  );
  expect(duckdb).not.toContain('list(');
});

test('a column is not replaced if WHERE computes a condition from it that is no equality', async () => {
  const answer = await answering();
  const keys = (condition: string) =>
    answer(
      `SELECT UPPER(tags), COUNT(*) FROM edits WHERE tags = 'river' AND ${condition} GROUP BY 1`,
    );
  for (const condition of ['MV_LENGTH(tags) > 1', "tags LIKE 'r%'"])
    expect(await keys(condition)).toEqual([
      ['CITY', 1],
      ['RIVER', 1],
    ]);
  for (const condition of ['MV_LENGTH(tags) = 2', "tags <> 'x'"])
    expect(await keys(condition)).toEqual([['RIVER', 1]]);
});

test('a function takes the null that WHERE decides for its column', async () => {
  const answer = await answering();
  for (const condition of ["LEFT(page, 3) = '#en'", "(LEFT(page, 3) = '#en') IS TRUE"])
    expect(
      await answer(
        `SELECT SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END) FROM edits WHERE page IS NULL`,
      ),
    ).toEqual([[0]]);
});

test.each([
  ["page = 'Oslo'", "page = 'Oslo'"],
  ["page = 'Oslo'", "page IN ('Oslo', 'Bern')"],
  ["page = 'Oslo'", "page <> 'Bern'"],
  ["page = 'Oslo'", 'page IS NOT NULL'],
  ["page = 'Oslo' AND added = 5", 'added BETWEEN 3 AND 7'],
])('SUM of CASE over no rows is null where WHERE %s makes %s true', async (where, condition) => {
  const answer = await answering();
  const sum = (then: string) =>
    answer(`SELECT SUM(CASE WHEN ${condition} THEN ${then} ELSE 0 END) FROM edits WHERE ${where}`);
  expect(await sum('1')).toEqual([[null]]);
  expect(await sum('added')).toEqual([[null]]);
});

test('a branch that WHERE chooses keeps the type of its CASE', async () => {
  const { columns } = query(
    "SELECT SUM(CASE WHEN page = 'Oslo' THEN 1 ELSE 2.5 END) FROM edits WHERE page = 'Oslo'",
  );
  expect(columns[0]?.type.name).toBe('DOUBLE');
});
