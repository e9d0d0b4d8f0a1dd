// Statements whose meaning in Druid differs from standard SQL.
import { expect, test } from 'vitest';
import { answering, refusal } from './statements-over-tables.ts';

test.each([
  // Something is done with the rows of a union: its queries must be the same columns of tables.
  [
    'SELECT name, COUNT(*) FROM (SELECT name FROM people UNION ALL SELECT page FROM edits) GROUP BY 1',
    'column names queried for each table',
  ],
  [
    "SELECT COUNT(*) FROM (SELECT name FROM people WHERE name <> 'x' UNION ALL SELECT name FROM people)",
    'not simple table scans',
  ],
  [
    'SELECT COUNT(*) FROM (SELECT UPPER(name) FROM people UNION ALL SELECT name FROM people)',
    'not simple table scans',
  ],
  [
    'SELECT label, name FROM (SELECT name, label FROM people UNION ALL SELECT page, author FROM edits)',
    'column names queried',
  ],
  [
    'SELECT page FROM edits WHERE page IN (SELECT name FROM people UNION ALL SELECT page FROM edits)',
    'column names queried',
  ],
  [
    '(SELECT name FROM people LIMIT 1) UNION ALL SELECT page FROM edits LIMIT 3 OFFSET 1',
    'not simple table scans',
  ],
  [
    'SELECT name FROM people UNION ALL SELECT name FROM people ORDER BY name',
    'ordering a table by non-time column',
  ],
  // An outer join matches rows by equalities of its sides.
  [
    'SELECT e.page FROM edits e LEFT JOIN people p ON e.author > p.name',
    "join with 'GREATER_THAN' condition",
  ],
  [
    'SELECT e.page FROM edits e LEFT JOIN people p ON e.author = p.name OR e.page = p.name',
    "join with 'OR' condition",
  ],
  [
    "SELECT e.page FROM edits e FULL JOIN people p ON e.author = p.name AND p.label LIKE 'a%' WHERE e.added > 1",
    "with 'LIKE' condition",
  ],
  [
    "SELECT e.page FROM edits e RIGHT JOIN people p ON e.author = p.name AND e.page IN ('a', 'b')",
    "join with 'SEARCH' condition",
  ],
  [
    "SELECT e.page FROM edits e LEFT JOIN people p ON e.author = 'anna'",
    'unsupported operand types',
  ],
  // Rows that are written are not sorted.
  [
    "SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t (x, y) ORDER BY x DESC",
    'ordering a table by non-time column [[x]]',
  ],
  [
    "SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t (x, y) ORDER BY x LIMIT 1",
    'ordering a table by non-time column [[x]]',
  ],
  [
    "SELECT * FROM (VALUES (1, 'b'), (1, 'a')) AS t (x, y) ORDER BY x, y",
    'ordering a table by non-time column [[x, y]]',
  ],
  ['VALUES (2), (1) ORDER BY 1', 'ordering a table by non-time column [[EXPR$0]]'],
  [
    'SELECT * FROM (VALUES (1), (2)) AS t (x) ORDER BY x NULLS FIRST',
    'ordering a table by non-time column [[x]]',
  ],
  [
    'SELECT * FROM (SELECT x AS y FROM (VALUES (2), (1)) AS t (x)) ORDER BY y',
    'ordering a table by non-time column [[y]]',
  ],
  [
    'SELECT * FROM (SELECT x + 1 AS y FROM (VALUES (2), (1)) AS t (x)) ORDER BY y',
    'ordering a table by non-time column [[y]]',
  ],
  // Any number is an ordinal.
  ['SELECT page, COUNT(*) FROM edits GROUP BY 0.5, page', 'Ordinal out of range'],
  ['SELECT page, COUNT(*) FROM edits GROUP BY page ORDER BY -0.0', 'Ordinal out of range'],
  ['SELECT COUNT(*) FROM edits JOIN people', 'join requires a condition'],
  [
    'SELECT COUNT(*) FROM edits NATURAL JOIN people ON true',
    'Cannot specify NATURAL keyword with ON or USING clause',
  ],
  [
    'SELECT LATEST(n) FROM (SELECT page, COUNT(*) AS n FROM edits GROUP BY page)',
    'implicitly depend on the __time column',
  ],
])('%s is refused', (statement, words) => {
  expect(refusal(statement)).toContain(words);
});

test('a union below another query is read as one data source, or as the answer where nothing is done with it', async () => {
  const answer = await answering();
  const twice = 'SELECT name, label FROM people UNION ALL SELECT name, label FROM people';
  expect(await answer(`SELECT name, COUNT(*) FROM (${twice}) GROUP BY 1`)).toEqual([
    ['anna', 2],
    ['carl', 2],
  ]);
  expect(
    await answer(
      'SELECT label FROM (SELECT name, label FROM people UNION ALL SELECT page, author FROM edits)',
    ),
  ).toHaveLength(6);
  // A query without rows is not a part of a union.
  const never = [
    '1 > 2',
    'added BETWEEN 9 AND 3',
    "'b' IN ('a', 'c')",
    "ARRAY['a'] > ARRAY['a', 'b']",
    'NOT (1 = 1)',
    'NULL',
  ];
  for (const condition of never) {
    const only = `SELECT UPPER(name) AS name FROM people UNION ALL SELECT page FROM edits WHERE ${condition}`;
    expect(await answer(`SELECT name, COUNT(*) FROM (${only}) GROUP BY 1`)).toHaveLength(2);
  }
});

test('an outer join that WHERE makes an inner one matches rows by any condition', async () => {
  const answer = await answering();
  const [inner, outer] = await Promise.all(
    ['INNER', 'LEFT'].map((type) =>
      answer(
        `SELECT e.page, p.name FROM edits e ${type} JOIN people p ON e.author <> p.name WHERE p.name > 'a' ORDER BY 1, 2`,
      ),
    ),
  );
  expect(outer).toEqual(inner);
  expect(outer).not.toEqual([]);
});

test('rows that are written in an order come in it', async () => {
  const answer = await answering();
  const rows = [
    [1, 'x'],
    [2, 'y'],
    [2, null],
  ];
  expect(
    await answer("SELECT * FROM (VALUES (1, 'x'), (2, 'y'), (2, NULL)) AS t (a, b) ORDER BY a, b"),
  ).toEqual(rows);
  expect(
    await answer(
      "WITH t (a, b) AS (VALUES (1, 'x'), (2, 'y'), (2, NULL)) SELECT * FROM t ORDER BY b",
    ),
  ).toEqual(rows);
  expect(await answer('SELECT a FROM (VALUES (3)) AS t (a) ORDER BY a DESC LIMIT 1')).toEqual([
    [3],
  ]);
  expect(
    await answer(
      'SELECT * FROM (SELECT b, a AS x FROM (VALUES (1, 5), (2, 4)) AS t (a, b)) ORDER BY x',
    ),
  ).toEqual([
    [5, 1],
    [4, 2],
  ]);
  expect(
    await answer('SELECT * FROM (SELECT a, 5 AS c FROM (VALUES (2), (1)) AS t (a)) ORDER BY c'),
  ).toEqual([
    [2, 5],
    [1, 5],
  ]);
  expect(
    await answer('SELECT * FROM (SELECT a FROM (VALUES (2), (1)) AS t (a) LIMIT 5) ORDER BY a'),
  ).toEqual([[1], [2]]);
});

test('rows that are none, and rows joined with a query in WHERE or SELECT, are sorted by any column, from within a query, too', async () => {
  const answer = await answering();
  for (const where of ['WHERE FALSE', 'WHERE 1 = 2', 'WHERE NULL', 'WHERE added > 3 AND FALSE']) {
    expect(await answer(`SELECT page FROM edits ${where} ORDER BY page`)).toEqual([]);
    expect(await answer(`SELECT * FROM (SELECT page FROM edits ${where}) ORDER BY page`)).toEqual(
      [],
    );
  }
  expect(await answer('SELECT page FROM edits ORDER BY page LIMIT 0')).toEqual([]);
  const among = 'SELECT page FROM edits WHERE author IN (SELECT author FROM edits)';
  expect(await answer(`SELECT * FROM (${among}) ORDER BY page`)).toEqual(
    await answer(`${among} ORDER BY page`),
  );
  const most = 'SELECT added, (SELECT MAX(added) FROM edits) AS most FROM edits';
  expect(
    (await answer(`SELECT * FROM (${most}) ORDER BY added DESC`)).map(([added]) => added),
  ).toEqual([10, 7, 5, null]);
});

test('a small integer is written where it is null', async () => {
  const answer = await answering();
  expect(await answer('SELECT CAST(NULL AS SMALLINT), CAST(NULL AS TINYINT)')).toEqual([
    [null, null],
  ]);
  expect(await answer('SELECT CAST(added AS SMALLINT) FROM edits WHERE FALSE')).toEqual([]);
  expect(refusal('SELECT CAST(added AS SMALLINT) FROM edits')).toContain('to type [SMALLINT]');
});

test('a day of the year and of the week have long names, which are no names in quotes', async () => {
  const answer = await answering();
  const fields = 'EXTRACT(dayofyear FROM __time), EXTRACT(DAYOFWEEK FROM __time)';
  expect(await answer(`SELECT ${fields} FROM edits WHERE page = 'Bern'`)).toEqual([[1, 1]]);
  expect(refusal('SELECT EXTRACT("DAYOFYEAR" FROM __time) FROM edits')).toContain(
    "'DAYOFYEAR' is not a valid time frame",
  );
});

test('a union is of the type that comes first among FLOAT and DOUBLE, and a time takes numbers', async () => {
  const answer = await answering();
  expect(
    await answer(
      "SELECT __time FROM edits WHERE page = 'Bern' UNION ALL SELECT added FROM edits WHERE page = 'Bern'",
    ),
  ).toEqual([[1_704_067_200_000], [5]]);
  expect(
    await answer(
      "SELECT 1e0 FROM people WHERE name = 'carl' UNION ALL SELECT CAST(0.1 AS FLOAT) FROM people WHERE name = 'carl'",
    ),
  ).toEqual([[1], [0.1]]);
});

test('every number that is not negative is an ordinal, by its whole part', async () => {
  const answer = await answering();
  const grouped = 'SELECT author, COUNT(*) FROM edits GROUP BY';
  const byAuthor = [
    ['anna', 2],
    ['ben', 2],
  ];
  for (const ordinal of ['1', '1.9', '1e0', '4294967297', '1, -3'])
    expect(await answer(`${grouped} ${ordinal}`)).toEqual(byAuthor);
  expect(await answer('SELECT DISTINCT 1000, author FROM edits')).toEqual([
    [1000, 'anna'],
    [1000, 'ben'],
  ]);
});

test('a topN query leaves nulls where they are when its order is turned around', async () => {
  const answer = await answering();
  const pages = 'SELECT page FROM edits GROUP BY page';
  expect(await answer(`${pages} ORDER BY page DESC LIMIT 2`)).toEqual([[null], ['Bern']]);
  expect(await answer(`${pages} ORDER BY page DESC`)).toEqual([['Bern'], ['Berlin'], [null]]);
  const sums =
    "SELECT page, SUM(added) FILTER (WHERE page <> 'Bern') FROM edits GROUP BY page ORDER BY 2";
  expect((await answer(`${sums} LIMIT 3`)).map(([, sum]) => sum)).toEqual([10, null, null]);
  expect((await answer(`${sums}`)).map(([, sum]) => sum)).toEqual([null, null, 10]);
  expect(
    (await answer(`${sums} LIMIT 3`, { context: { useApproximateTopN: false } })).map(
      ([, sum]) => sum,
    ),
  ).toEqual([null, null, 10]);
});

test('a number of a multi-value string is that of its only value in groups and aggregates', async () => {
  const answer = await answering();
  expect(await answer('SELECT CHAR_LENGTH(tags), COUNT(*) FROM edits GROUP BY 1')).toEqual([
    [null, 3],
    [4, 1],
  ]);
  expect(await answer("SELECT tags LIKE 'c%', COUNT(*) FROM edits GROUP BY 1")).toEqual([
    [null, 3],
    [true, 1],
  ]);
  expect(await answer('SELECT tags IS NULL, COUNT(*) FROM edits GROUP BY 1')).toEqual([
    [false, 3],
    [true, 1],
  ]);
  expect(
    await answer('SELECT SUM(CHAR_LENGTH(tags)), COUNT(CHAR_LENGTH(tags)), COUNT(tags) FROM edits'),
  ).toEqual([[4, 1, 3]]);
  expect(
    await answer("SELECT SUM(CASE WHEN tags = 'city' THEN added ELSE 100 END) FROM edits"),
  ).toEqual([[105]]);
  expect(
    await answer("SELECT SUM(CASE WHEN tags = 'city' THEN added ELSE 0 END) FROM edits"),
  ).toEqual([[22]]);
});

test('a CASE over conditions that exclude each other is that of ELSE, also for several values', async () => {
  const answer = await answering();
  const never = "tags = 'city' AND page = 'Bern' AND page = 'Rom'";
  expect(
    await answer(
      `SELECT tags IS NULL, SUM(CASE WHEN ${never} THEN 1 ELSE 0 END) FROM edits GROUP BY 1`,
    ),
  ).toEqual([
    [false, 0],
    [true, 0],
  ]);
});

test('a sum of ones and zeros is a count, unless its condition is known beforehand', async () => {
  const answer = await answering();
  const none = "FROM edits WHERE author = 'nobody'";
  expect(await answer(`SELECT SUM(CASE WHEN page = 'x' THEN 1 ELSE 0 END) ${none}`)).toEqual([[0]]);
  expect(
    await answer(
      "SELECT SUM(CASE WHEN page = 'x' THEN 1 ELSE 0 END) FILTER (WHERE author = 'nobody') FROM edits",
    ),
  ).toEqual([[0]]);
  expect(await answer("SELECT SUM(CASE WHEN 'a' = 'x' THEN added ELSE 0 END) FROM edits")).toEqual([
    [0],
  ]);
  expect(await answer("SELECT SUM(CASE WHEN page = 'x' THEN added ELSE 0 END) FROM edits")).toEqual(
    [[null]],
  );
});

test('NOT IN over a multi-value string fails at a row with several values, and only there', async () => {
  const answer = await answering();
  const others = "tags NOT IN (SELECT name FROM people WHERE name = 'anna')";
  expect(
    await answer(`SELECT COUNT(*) FROM edits WHERE ${others} AND MV_LENGTH(tags) = 1`),
  ).toEqual([[1]]);
  await expect(answer(`SELECT COUNT(*) FROM edits WHERE ${others}`)).rejects.toThrow(
    'Joining against a multi-value dimension is not supported.',
  );
  expect(
    await answer(
      'SELECT COUNT(*) FROM edits WHERE tags NOT IN (SELECT name FROM people WHERE 1 = 2)',
    ),
  ).toEqual([[4]]);
});

test('a multi-value string joins by its only value, and fails at a row with several', async () => {
  const answer = await answering();
  const join = (rows: string) =>
    `SELECT x.page, y.k FROM (SELECT page, tags FROM edits ${rows}) x LEFT JOIN (VALUES ('city'), ('x')) y (k) ON x.tags = y.k`;
  expect(await answer(join('WHERE MV_LENGTH(tags) = 1'))).toEqual([['Bern', 'city']]);
  await expect(answer(join(''))).rejects.toThrow(
    'Joining against a multi-value dimension is not supported.',
  );
  expect(
    await answer(
      "SELECT x.k, y.page FROM (VALUES ('river'), ('city')) x (k) LEFT JOIN edits y ON x.k = y.tags ORDER BY 1",
    ),
  ).toEqual([
    ['city', 'Bern'],
    ['river', null],
  ]);
});

test('an inner join on several values filters, where nothing else is read of keys that differ', async () => {
  const answer = await answering();
  const join = (keys: string, read = 'e.page') =>
    answer(`SELECT ${read} FROM edits e INNER JOIN (VALUES ${keys}) y (k, v) ON e.tags = y.k`);
  expect(await join("('river', 1), ('city', 2)", 'COUNT(*)')).toEqual([[3]]);
  expect(await join("('nowhere', 1), ('nowhere', 2)")).toEqual([]);
  expect(await join("('nowhere', 1)", 'y.v')).toEqual([]);
  const several = 'Joining against a multi-value dimension is not supported.';
  await expect(join("('river', 1), ('city', 2)", 'y.v')).rejects.toThrow(several);
  await expect(join("('river', 1), ('river', 2)")).rejects.toThrow(several);
  await expect(
    answer(
      "SELECT e.page FROM edits e INNER JOIN (VALUES ('city', 'x'), ('capital', 'Berlin')) y (k, v) ON e.tags = y.k AND e.page = y.v",
    ),
  ).rejects.toThrow(several);
  await expect(
    answer("SELECT 1 FROM edits e INNER JOIN (VALUES ('x'), ('y')) y (k) ON UPPER(e.tags) = y.k"),
  ).rejects.toThrow(several);
  expect(
    await answer(
      "SELECT tags FROM edits INNER JOIN (VALUES ('river'), ('x')) y (tags) USING (tags)",
    ),
  ).toHaveLength(1);
});

test('whether a column lacks values is unknown in a filter where it has none, and no where it is selected', async () => {
  const answer = await answering();
  const count = (condition: string) => answer(`SELECT COUNT(*) FROM edits WHERE ${condition}`);
  expect(await count("NOT MV_CONTAINS(tags, 'river')")).toEqual([[2]]);
  expect(await count("NOT MV_CONTAINS(tags, ARRAY['river', 'city'])")).toEqual([[2]]);
  expect(await count("NOT MV_OVERLAP(tags, ARRAY['river', 'capital'])")).toEqual([[1]]);
  expect(await count("MV_CONTAINS(tags, 'river') IS NOT TRUE")).toEqual([[3]]);
  expect(await count("MV_CONTAINS(tags, ARRAY['river', 'city'])")).toEqual([[1]]);
  expect(
    await answer("SELECT COUNT(*) FILTER (WHERE NOT MV_CONTAINS(tags, 'river')) FROM edits"),
  ).toEqual([[2]]);
  expect(
    await answer("SELECT NOT MV_CONTAINS(tags, 'river') FROM edits WHERE added IS NULL"),
  ).toEqual([[true]]);
  expect(
    await answer("SELECT NOT MV_CONTAINS(tags, 'river') FROM edits WHERE tags IS NULL"),
  ).toEqual([[null]]);
});

test('the negative zero is below the other one, and equals it in groups alone', async () => {
  const answer = await answering();
  const zeros =
    "(SELECT page, CASE WHEN author = 'anna' THEN -1 ELSE 1 END * 0e0 AS zero FROM edits WHERE page = 'Berlin')";
  const pages = (condition: string) => answer(`SELECT page FROM ${zeros} WHERE ${condition}`);
  expect(await pages('zero < 0')).toHaveLength(1);
  expect(await pages('0 <= zero')).toHaveLength(1);
  expect(await pages('zero BETWEEN 0 AND 1')).toHaveLength(1);
  expect(await pages('zero <= 0')).toHaveLength(2);
  expect(await pages('zero = 0')).toHaveLength(1);
  expect(await pages('NOT (zero <> 0.0)')).toHaveLength(1);
  expect(await pages('zero IN (0, 7)')).toHaveLength(1);
  expect(await answer(`SELECT COUNT(*) FROM ${zeros} WHERE zero = 0`)).toEqual([[2]]);
  expect(await answer(`SELECT COUNT(*) FROM ${zeros} WHERE zero >= 0`)).toEqual([[1]]);
});

test('a filter of an aggregate reads texts as numbers, as WHERE does, and a text that is grouped as a number is not a truth value', async () => {
  const answer = await answering();
  const flags = "(SELECT CASE WHEN author = 'anna' THEN 'true' ELSE page END AS flag FROM edits)";
  expect(
    await answer(
      `SELECT COUNT(*) FILTER (WHERE flag = 1), COUNT(*) FILTER (WHERE flag IN (-1, 1)) FROM ${flags}`,
    ),
  ).toEqual([[0, 0]]);
  // A computed text is cast as in a row; a stored one is grouped by the number that it spells.
  expect(await answer(`SELECT CAST(flag AS BIGINT), COUNT(*) FROM ${flags} GROUP BY 1`)).toEqual([
    [null, 2],
    [1, 2],
  ]);
  const sensors = 'SELECT CAST(sensor AS DOUBLE), COUNT(*) FROM readings GROUP BY 1';
  expect(await answer(sensors)).toEqual([
    [null, 2],
    [7, 1],
  ]);
  // What is not a number is below all of them.
  expect(
    await answer(
      `SELECT COUNT(*) FILTER (WHERE flag > 0), COUNT(*) FILTER (WHERE 7 >= flag) FROM ${flags}`,
    ),
  ).toEqual([[0, 4]]);
  expect(await answer(`SELECT COUNT(*) FROM ${flags} WHERE (flag > 0) IS FALSE`)).toEqual([[4]]);
});

test('HAVING on keys of several values keeps rows of which one value meets it, and all their values are groups', async () => {
  const answer = await answering();
  const where = await answer("SELECT tags, COUNT(*) FROM edits WHERE tags = 'city' GROUP BY 1");
  expect(where.length).toBeGreaterThan(1);
  expect(await answer("SELECT tags, COUNT(*) FROM edits GROUP BY 1 HAVING tags = 'city'")).toEqual(
    where,
  );
  expect(
    await answer(
      "SELECT tags AS t, COUNT(*) FROM edits GROUP BY 1 HAVING UPPER(t) = 'CITY' AND COUNT(*) > 0",
    ),
  ).toEqual(where);
  // A set without the key, or an aggregate beside it, leaves the condition above the groups.
  expect(
    await answer("SELECT tags, COUNT(*) FROM edits GROUP BY ROLLUP (tags) HAVING tags = 'city'"),
  ).toHaveLength(1);
  const either = await answer(
    "SELECT tags, COUNT(*) FROM edits GROUP BY 1 HAVING tags = 'city' OR COUNT(*) > 9",
  );
  expect(either.map(([tag]) => tag)).toEqual(['city']);
});

test('a row of an empty array is left out by LEFT JOIN UNNEST, too', async () => {
  const answer = await answering();
  const rows =
    "(SELECT page, CASE WHEN page = 'Bern' THEN ARRAY['a', 'b'] END AS items FROM edits)";
  expect(
    await answer(`SELECT u FROM ${rows} AS t LEFT JOIN UNNEST(t.items) AS x (u) ON TRUE`),
  ).toEqual(await answer(`SELECT u FROM ${rows} AS t CROSS JOIN UNNEST(t.items) AS x (u)`));
});

test('a condition on a key of several values filters the rows of a query in FROM, which then makes groups of all values', async () => {
  const answer = await answering();
  const groups = '(SELECT tags AS k, COUNT(*) AS c FROM edits GROUP BY 1) AS g';
  const moved = [
    ['capital', 1],
    ['city', 1],
  ];
  expect(await answer(`SELECT k, c FROM ${groups} WHERE k = 'capital'`)).toEqual(moved);
  expect(await answer(`SELECT * FROM ${groups} WHERE UPPER(g.k) LIKE 'CAP%' AND c > 0`)).toEqual(
    moved,
  );
  // Above other columns than all of them, the planner writes the value that the condition names.
  expect(await answer(`SELECT k, c + 1 FROM ${groups} WHERE k = 'capital'`)).toEqual([
    ['capital', 2],
    ['capital', 2],
  ]);
  expect(
    await answer(
      "SELECT k FROM (SELECT DISTINCT tags AS k FROM edits) WHERE k IS NOT DISTINCT FROM 'river'",
    ),
  ).toEqual([['city'], ['river']]);
  expect(
    await answer(
      'SELECT k, c FROM (SELECT tags AS k, COUNT(*) AS c FROM edits GROUP BY 1) WHERE k IS NOT DISTINCT FROM NULL',
    ),
  ).toEqual([[null, 1]]);
  // The query keeps its conditions above where it has its own, where it cuts off rows, and for
  // HAVING likewise.
  const [filtered, cut] = ['WHERE added > 0', 'LIMIT 10'];
  expect(
    await answer(
      `SELECT k FROM (SELECT DISTINCT tags AS k FROM edits ${filtered}) WHERE k = 'capital'`,
    ),
  ).toEqual([['capital']]);
  expect(
    await answer(`SELECT k FROM (SELECT DISTINCT tags AS k FROM edits ${cut}) WHERE k = 'capital'`),
  ).toEqual([['capital']]);
  expect(
    await answer(`SELECT tags, COUNT(*) FROM edits ${filtered} GROUP BY 1 HAVING tags = 'capital'`),
  ).toEqual([['capital', 1]]);
});
