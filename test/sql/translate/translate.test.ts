import { expect, test } from 'vitest';
import {
  answering,
  dayMs,
  newYear,
  query,
  refusal,
  translated,
} from '../statements-over-tables.ts';

test('a query reads the columns it names, and says so in DuckDB', async () => {
  const { statement, scans } = translated(
    "SELECT page, UPPER(page) FROM edits WHERE author = 'anna'",
  );
  expect(scans).toEqual([{ table: 'edits', columns: ['page', 'author'] }]);
  expect(statement).toMatchObject({
    kind: 'select',
    duckdb: `SELECT "edits"."page" AS "page", druid_upper("edits"."page") AS "EXPR$1" FROM (SELECT "page", "author" FROM edits) AS "edits" WHERE ("edits"."author" = 'anna')`,
    columns: [
      { name: 'page', type: { name: 'VARCHAR' }, nativeType: 'STRING' },
      { name: 'EXPR$1', type: { name: 'VARCHAR' }, nativeType: 'STRING' },
    ],
    resources: [{ type: 'DATASOURCE', name: 'edits', action: 'READ' }],
  });
  const answer = await answering();
  expect(await answer("SELECT page, UPPER(page) FROM edits WHERE author = 'anna'")).toEqual([
    ['Berlin', 'BERLIN'],
    [null, null],
  ]);
});

test('what WHERE says about the time reaches the scan', () => {
  const { scans } = translated(
    "SELECT page FROM edits WHERE __time >= TIMESTAMP '2024-01-02' AND TIMESTAMP '2024-01-03' > __time AND added > 1",
  );
  expect(scans[0]?.intervals).toEqual([{ startMs: newYear + dayMs, endMs: newYear + 2n * dayMs }]);
  expect(
    translated("SELECT page FROM edits WHERE __time >= TIMESTAMP '2024-01-02' OR added > 1")
      .scans[0]?.intervals,
  ).toBeUndefined();
});

test('names that mean nothing are refused with their place', () => {
  expect(refusal('SELECT nothing FROM edits')).toBe(
    "Column 'nothing' not found in any table (line [1], column [8])",
  );
  expect(refusal('SELECT Page FROM edits')).toBe(
    "Column 'Page' not found in any table; did you mean 'page'? (line [1], column [8])",
  );
  expect(refusal('SELECT e.nothing FROM edits e')).toBe(
    "Column 'nothing' not found in table 'e' (line [1], column [10])",
  );
  expect(refusal('SELECT x.page FROM edits')).toBe("Table 'x' not found (line [1], column [8])");
  expect(refusal('SELECT 1 FROM nothing')).toBe(
    "Object 'nothing' not found (line [1], column [15])",
  );
  expect(refusal('SELECT 1 FROM INFORMATION_SCHEMA.NOTHING')).toBe(
    "Object 'NOTHING' not found within 'INFORMATION_SCHEMA' (line [1], column [15])",
  );
  expect(refusal('SELECT author FROM edits a, edits b')).toBe(
    "Column 'author' is ambiguous (line [1], column [8])",
  );
});

test('names of columns: EXPR$ and the position, repeated as written, made unique by a star', () => {
  const names = (text: string) => query(text).columns.map(({ name }) => name);
  expect(names('SELECT page, 1, page, added * 2 AS twice FROM edits')).toEqual([
    'page',
    'EXPR$1',
    'page',
    'twice',
  ]);
  expect(names('SELECT * FROM edits')).toEqual([
    '__time',
    'page',
    'author',
    'added',
    'tags',
    'links',
  ]);
  expect(names('SELECT p.*, 1 FROM people p')).toEqual(['__time', 'name', 'label', 'EXPR$3']);
  expect(names('SELECT * FROM people a, people b')).toEqual([
    '__time',
    'name',
    'label',
    '__time0',
    'name0',
    'label0',
  ]);
  expect(names('SELECT * FROM people a JOIN people b USING (name)')).toEqual([
    'name',
    '__time',
    'label',
    '__time0',
    'label0',
  ]);
});

test('user and its kin name columns where they stand without parentheses', async () => {
  const answer = await answering();
  expect(
    await answer(
      'SELECT user, MAX(session_user) FROM (SELECT page AS "user", 1 AS "session_user" FROM edits) GROUP BY user LIMIT 1',
    ),
  ).toEqual([[null, 1]]);
  expect(refusal('SELECT current_user FROM edits')).toBe(
    "Column 'current_user' not found in any table (line [1], column [8])",
  );
});

test('sketches of a subquery are merged, and not counted', async () => {
  const answer = await answering();
  for (const kind of ['HLL', 'THETA']) {
    const inner = `SELECT page, DS_${kind}(author) AS sketch FROM edits GROUP BY page`;
    expect(
      await answer(`SELECT APPROX_COUNT_DISTINCT_DS_${kind}(sketch), COUNT(*) FROM (${inner})`),
      kind,
    ).toEqual([[2, 3]]);
  }
});

test('a group is chosen by what its sketch says', async () => {
  const answer = await answering();
  expect(
    await answer(
      'SELECT page FROM edits GROUP BY page HAVING HLL_SKETCH_ESTIMATE(DS_HLL(author), true) > 1',
    ),
  ).toEqual([['Berlin']]);
  expect(
    await answer('SELECT COUNT(*) FROM edits HAVING THETA_SKETCH_ESTIMATE(DS_THETA(author)) > 2'),
  ).toEqual([]);
});

test('the functions of JDBC for parts of a time are EXTRACT', async () => {
  const answer = await answering();
  const units = 'YEAR QUARTER MONTH WEEK DAYOFMONTH DAYOFWEEK DAYOFYEAR HOUR MINUTE SECOND'.split(
    ' ',
  );
  const parts = units.map((unit) => `{fn ${unit}(TIMESTAMP '2015-03-29 01:02:03')}`);
  expect(await answer(`SELECT ${parts.join(', ')}, {fn LOCATE('a', 'Alpha', 2)}`)).toEqual([
    [2015, 1, 3, 13, 29, 7, 88, 1, 2, 3, 5],
  ]);
});

test('functions of JDBC are read by the names they have there', async () => {
  const answer = await answering();
  expect(
    await answer(
      "SELECT {fn UCASE('a')}, {fn lcase('B')}, {fn LENGTH('abc')}, {fn IFNULL(NULL, 'x')}, {fn NOW()} = CURRENT_TIMESTAMP",
    ),
  ).toEqual([['A', 'b', 3, 'x', true]]);
});

test('nothing divided by zero is nothing; a number divided by it ends the query', async () => {
  const answer = await answering();
  expect(
    await answer(
      "SELECT SUM(added) / COUNT(*), MOD(SUM(added), COUNT(*)) FROM edits WHERE page = 'nowhere'",
    ),
  ).toEqual([[null, null]]);
  await expect(answer('SELECT SUM(added) / (COUNT(*) - COUNT(*)) FROM edits')).rejects.toThrow(
    '/ by zero',
  );
});

test('groups come sorted by their keys, null first, though nobody asked', async () => {
  expect(query('SELECT page, COUNT(*) FROM edits GROUP BY page').duckdb).toBe(
    'SELECT "edits"."page" AS "page", count(*) AS "EXPR$1" FROM (SELECT "page" FROM edits) AS "edits" GROUP BY "edits"."page" ORDER BY 1 ASC NULLS FIRST',
  );
  const answer = await answering();
  expect(await answer('SELECT page, COUNT(*) FROM edits GROUP BY page')).toEqual([
    [null, 1],
    ['Berlin', 2],
    ['Bern', 1],
  ]);
  expect(await answer('SELECT page, COUNT(*) AS n FROM edits GROUP BY 1 HAVING n > 1')).toEqual([
    ['Berlin', 2],
  ]);
  expect(
    await answer('SELECT n FROM (SELECT page, COUNT(*) AS n FROM edits GROUP BY page) LIMIT 2'),
  ).toEqual([[1], [2]]);
  expect(
    await answer('SELECT page, SUM(added) AS s FROM edits GROUP BY page ORDER BY s DESC LIMIT 1'),
  ).toEqual([['Berlin', 10]]);
});

test('an expression over grouped expressions is computed above the groups', async () => {
  const answer = await answering();
  const text = "SELECT UPPER(page) || '!', MAX(added) + 1 FROM edits GROUP BY UPPER(page)";
  expect(query(text).duckdb).toContain('FROM (SELECT');
  expect(await answer(text)).toEqual([
    [null, 8],
    ['BERLIN!', 11],
    ['BERN!', 6],
  ]);
  expect(refusal('SELECT page, author FROM edits GROUP BY page')).toBe(
    "Expression 'author' is not being grouped (line [1], column [14])",
  );
  expect(refusal('SELECT COUNT(*) FROM edits WHERE COUNT(*) > 1')).toBe(
    'Aggregate expression is illegal in WHERE clause (line [1], column [34])',
  );
  expect(refusal('SELECT SUM(SUM(added)) FROM edits')).toContain(
    'Aggregate expressions cannot be nested',
  );
});

test('grouping sets come one after the other, and GROUPING tells them apart', async () => {
  const answer = await answering();
  expect(
    await answer(
      'SELECT page, author, COUNT(*), GROUPING(page, author) FROM edits GROUP BY ROLLUP (page, author)',
    ),
  ).toEqual([
    [null, 'anna', 1, 0],
    ['Berlin', 'anna', 1, 0],
    ['Berlin', 'ben', 1, 0],
    ['Bern', 'ben', 1, 0],
    [null, null, 1, 1],
    ['Berlin', null, 2, 1],
    ['Bern', null, 1, 1],
    [null, null, 4, 3],
  ]);
  expect(
    await answer('SELECT author, COUNT(*) FROM edits GROUP BY GROUPING SETS ((1), ())'),
  ).toEqual([
    ['anna', 2],
    ['ben', 2],
    [null, 4],
  ]);
  for (const sets of ['ROLLUP (author)', 'CUBE (author, page)', 'GROUPING SETS ((author), ())'])
    expect(
      await answer(`SELECT COUNT(*) FROM edits WHERE page = 'nowhere' GROUP BY ${sets}`),
      sets,
    ).toEqual([]);
  expect(await answer("SELECT COUNT(*) FROM edits WHERE page = 'nowhere' GROUP BY ()")).toEqual([
    [0],
  ]);
  expect(refusal('SELECT page, GROUPING(author) FROM edits GROUP BY page')).toContain(
    'Argument to GROUPING operator must be a grouped expression',
  );
});

test('a multi-value string is grouped by each of its values, and filtered by any of them', async () => {
  const answer = await answering();
  expect(await answer('SELECT tags, COUNT(*) FROM edits GROUP BY tags')).toEqual([
    [null, 1],
    ['capital', 1],
    ['city', 3],
    ['river', 1],
  ]);
  expect(await answer("SELECT DISTINCT tags FROM edits WHERE tags = 'river'")).toEqual([
    ['city'],
    ['river'],
  ]);
  expect(await answer("SELECT page FROM edits WHERE tags = 'city' AND tags = 'river'")).toEqual([]);
});

test('in a filter a text that is not a number differs from every number', async () => {
  const answer = await answering();
  expect(await answer('SELECT page FROM edits WHERE NOT page = 5 AND page <> 6')).toEqual([
    ['Berlin'],
    ['Bern'],
    ['Berlin'],
  ]);
  expect(
    await answer("SELECT COUNT(*) FROM (SELECT page || '' AS p FROM edits) WHERE p = 5"),
  ).toEqual([[0]]);
});

test('rows of a table are sorted by time alone, unless the engine is the multi-stage one', async () => {
  expect(refusal('SELECT page, added FROM edits ORDER BY added, page')).toBe(
    'Query could not be planned. A possible reason is [SQL query requires ordering a table by non-time column [[added, page]], which is not supported.]',
  );
  expect(query('SELECT page FROM edits ORDER BY added', { engine: 'msq-task' }).duckdb).toContain(
    'ORDER BY',
  );
  expect(refusal('SELECT page FROM edits GROUP BY page ORDER BY page NULLS LAST')).toContain(
    'ASCENDING ordering with NULLS LAST is not supported!',
  );
  const answer = await answering();
  expect(await answer('SELECT page FROM edits ORDER BY __time DESC LIMIT 2')).toEqual([
    [null],
    ['Berlin'],
  ]);
  expect(
    await answer(
      'SELECT * FROM (SELECT page, SUM(added) AS s FROM edits GROUP BY page) ORDER BY s',
    ),
  ).toEqual([
    ['Bern', 5],
    [null, 7],
    ['Berlin', 10],
  ]);
});

test('joins of all kinds, subqueries as values and as lists', async () => {
  const answer = await answering();
  const joined = (type: string) =>
    answer(`SELECT e.page, p.label FROM edits e ${type} JOIN people p ON e.author = p.name`);
  expect(await joined('INNER')).toHaveLength(2);
  expect(await joined('LEFT')).toHaveLength(4);
  expect(await joined('RIGHT')).toHaveLength(3);
  expect(await joined('FULL')).toHaveLength(5);
  expect(await answer('SELECT COUNT(*) FROM edits, people')).toEqual([[8]]);
  expect(
    await answer('SELECT COUNT(*) FROM edits WHERE author IN (SELECT name FROM people)'),
  ).toEqual([[2]]);
  expect(await answer('SELECT (SELECT MAX(added) FROM edits)')).toEqual([[10]]);
  expect(
    await answer(
      'SELECT name FROM people p WHERE (SELECT COUNT(*) FROM edits e WHERE e.author = p.name) = 0',
    ),
  ).toEqual([['carl']]);
  expect(refusal('SELECT 1 FROM people WHERE EXISTS (SELECT 1 FROM edits)')).toContain(
    'No match found for function signature EXISTS',
  );
});

test('a grouped query within a grouped one keeps the names of both apart', async () => {
  const answer = await answering();
  const text = `SELECT UPPER(author) || '!', (SELECT COUNT(*) + 1 FROM people p WHERE p.name = author GROUP BY UPPER(p.name) HAVING UPPER(p.name) = UPPER(author)) FROM edits GROUP BY author, UPPER(author)`;
  expect(await answer(text)).toEqual([
    ['ANNA!', 2],
    ['BEN!', null],
  ]);
});

test('common tables, unions, values', async () => {
  const answer = await answering();
  expect(
    await answer(
      'WITH a (p, n) AS (SELECT page, COUNT(*) FROM edits GROUP BY page), b AS (SELECT * FROM a WHERE n > 1) SELECT p FROM b',
    ),
  ).toEqual([['Berlin']]);
  expect(
    await answer('SELECT name FROM people UNION ALL SELECT page FROM edits WHERE added = 5'),
  ).toEqual([['anna'], ['carl'], ['Bern']]);
  expect(await answer("SELECT s, n FROM (VALUES (1, 'a'), (2, NULL)) AS t (n, s)")).toEqual([
    ['a', 1],
    [null, 2],
  ]);
  expect(refusal('SELECT name FROM people UNION SELECT page FROM edits')).toContain(
    "SQL requires 'UNION' but only 'UNION ALL' is supported.",
  );
  expect(refusal('SELECT name, label FROM people UNION ALL SELECT page FROM edits')).toContain(
    'Column count mismatch in UNION ALL',
  );
  expect(refusal('SELECT name FROM people INTERSECT SELECT page FROM edits')).toContain(
    'No match found for function signature INTERSECT',
  );
});

test('UNNEST makes a row of each element', async () => {
  const answer = await answering();
  expect(await answer('SELECT page, link FROM edits, UNNEST(links) AS u (link)')).toEqual([
    ['Berlin', 1],
    ['Berlin', 2],
    ['Berlin', 3],
  ]);
  expect(await answer("SELECT * FROM UNNEST(ARRAY['a', NULL]) AS u (c)")).toEqual([['a'], [null]]);
  expect(
    await answer(
      'SELECT tag, COUNT(*) FROM edits CROSS JOIN UNNEST(MV_TO_ARRAY(tags)) AS u (tag) WHERE added > 5 GROUP BY tag',
    ),
  ).toEqual([
    ['capital', 1],
    ['city', 2],
    ['river', 1],
  ]);
  expect(refusal('SELECT 1 FROM edits, UNNEST(added) AS u (c)')).toContain(
    "Cannot apply 'UNNEST' to arguments of type 'UNNEST(<BIGINT>)'",
  );
});

test('PIVOT turns rows into columns, UNPIVOT columns into rows', async () => {
  const answer = await answering();
  const pivot =
    "SELECT * FROM (SELECT page, author, added FROM edits) PIVOT (SUM(added) AS s FOR author IN ('anna' AS a, 'ben' AS b))";
  expect(query(pivot).columns.map(({ name }) => name)).toEqual(['page', 'a_s', 'b_s']);
  expect(await answer(pivot)).toEqual([
    [null, 7, null],
    ['Berlin', 10, null],
    ['Bern', null, 5],
  ]);
  expect(
    await answer(
      'SELECT * FROM (SELECT name, label FROM people) UNPIVOT (text FOR which IN (name, label)) LIMIT 2',
    ),
  ).toEqual([
    ['name', 'anna'],
    ['label', 'Anna A.'],
  ]);
});

test('labels of UNPIVOT keep the type of their literals', async () => {
  const answer = await answering();
  const labelled = (labels: readonly string[]) =>
    `SELECT DISTINCT k FROM (SELECT added, added + 1 AS more FROM edits) UNPIVOT (v FOR k IN (added AS ${labels[0]}, more AS ${labels[1]})) ORDER BY k`;
  for (const [labels, type, values] of [
    [['1', '-2'], 'INTEGER', [[-2], [1]]],
    [['1.5', '2'], 'DECIMAL', [[1.5], [2]]],
    [['TRUE', 'FALSE'], 'BOOLEAN', [[false], [true]]],
    [["'a'", "'d'"], 'CHAR', [['a'], ['d']]],
    [["'a'", "'more'"], 'VARCHAR', [['a'], ['more']]],
  ] as const) {
    const statement = labelled(labels);
    expect(query(statement).columns.map((column) => column.type.name)).toEqual([type]);
    expect(await answer(statement)).toEqual(values);
  }
});

test('parameters have the types of the request; SET goes into the context', async () => {
  const answer = await answering();
  expect(
    await answer('SELECT page FROM edits WHERE added = ? LIMIT ?', {
      parameters: [
        { type: 'BIGINT', value: 5 },
        { type: 'INTEGER', value: 1 },
      ],
    }),
  ).toEqual([['Bern']]);
  expect(refusal('SELECT page FROM edits WHERE added = ?')).toBe(
    'Illegal use of dynamic parameter (line [1], column [38])',
  );
  expect(refusal('SELECT ?', { parameters: [null] })).toBe(
    'No value bound for parameter (position [1])',
  );
  expect(query("SET a = 1; SET b = 'x'; SELECT 1", { context: { a: 0, c: true } }).context).toEqual(
    { a: 1, b: 'x', c: true },
  );
  expect(await answer('SELECT page FROM edits', { context: { sqlOuterLimit: 2 } })).toEqual([
    ['Berlin'],
    ['Bern'],
  ]);
  expect(await answer('SELECT page FROM edits', { context: { sqlOuterLimit: 0 } })).toEqual([]);
  expect(refusal('SELECT 1', { context: { sqlOuterLimit: -2 } })).toBe(
    'limit == null || limit >= 0',
  );
});

test('a DATE parameter stands where its neighbour has a type, and nowhere else', async () => {
  const answer = await answering();
  const dates = (...values: unknown[]) => ({
    parameters: values.map((value) => ({ type: 'DATE', value })),
  });
  const count = (condition: string) => `SELECT COUNT(*) FROM edits WHERE ${condition}`;
  const literal = await answer(count(`__time >= DATE '2024-01-02'`));
  expect(literal).not.toEqual(await answer(count('TRUE')));
  expect(await answer(count('__time >= ?'), dates('2024-01-02'))).toEqual(literal);
  expect(await answer(count('? <= __time'), dates(19_724))).toEqual(literal); // days since 1970
  expect(await answer(count('__time BETWEEN ? AND ?'), dates('2024-01-02', '2030-01-01'))).toEqual(
    literal,
  );
  expect(await answer(count('NOT __time < CAST(? AS TIMESTAMP)'), dates('2024-01-02'))).toEqual(
    literal,
  );
  expect(await answer(count('__time IN (?, ?)'), dates('2024-01-02', null))).toEqual(
    await answer(count(`__time IN (DATE '2024-01-02')`)),
  );
  const zone = { context: { sqlTimeZone: 'America/Lima' } };
  expect(await answer(count('__time >= ?'), { ...dates('2024-01-02'), ...zone })).toEqual(
    await answer(count(`__time >= DATE '2024-01-02'`), zone),
  );
  expect(await answer('SELECT ?', dates(null))).toEqual([[null]]);
  const illegal = (column: number) =>
    `Illegal use of dynamic parameter (line [1], column [${column}])`;
  expect(refusal('SELECT ?', dates('2024-01-02'))).toBe(illegal(8));
  expect(refusal('SELECT 1 FROM edits WHERE ? = ?', dates('2024-01-02', '2024-01-03'))).toBe(
    illegal(27),
  );
  expect(refusal(`SELECT TIME_FLOOR(?, 'P1D')`, dates('2024-01-02'))).toBe(illegal(19));
  expect(refusal(count('__time >= ?'), dates('2024-01-02T00:00:00'))).toBe('Cannot handle query');
});

test('EXPLAIN tells the plan, what is read and what kind of statement it is', () => {
  const { statement } = translated(
    'EXPLAIN PLAN FOR SELECT page, COUNT(*) FROM edits GROUP BY page',
  );
  expect(statement).toMatchObject({
    kind: 'explain',
    resourcesText: '[{"name":"edits","type":"DATASOURCE"}]',
    attributes: '{"statementType":"SELECT"}',
  });
  const plan: unknown = statement.kind === 'explain' ? JSON.parse(statement.plan) : undefined;
  expect(plan).toMatchObject([
    {
      query: {
        queryType: 'groupBy',
        dataSource: { type: 'table', name: 'edits' },
        dimensions: [{ dimension: 'page' }],
      },
      signature: [
        { name: 'd0', type: 'STRING' },
        { name: 'a0', type: 'LONG' },
      ],
      columnMappings: [
        { queryColumn: 'd0', outputColumn: 'page' },
        { queryColumn: 'a0', outputColumn: 'EXPR$1' },
      ],
    },
  ]);
  expect(JSON.stringify(plan)).not.toContain('SELECT');
});

test('IN and ANY over a query compare what types can be compared, and each value of a multi-value string', async () => {
  const answer = await answering();
  const counted = async (condition: string) =>
    (await answer(`SELECT COUNT(*) FROM edits WHERE ${condition}`))[0]?.[0];
  const all = await counted('TRUE');
  expect(await counted('added IN (SELECT CAST(added AS VARCHAR) FROM edits)')).toBe(
    await counted('added IS NOT NULL'),
  );
  expect(await counted('CAST(added AS VARCHAR) IN (SELECT added FROM edits)')).toBe(
    await counted('added IS NOT NULL'),
  );
  expect(await counted('(added > 0) IN (SELECT added > 9 FROM edits)')).toBe(3);
  expect(
    refusal('SELECT page FROM edits WHERE added > 0 IN (SELECT added * 1.5 FROM edits)'),
  ).toContain("Cannot apply '>' to arguments of type '<BIGINT> > <BOOLEAN>'");
  expect(
    await counted("'city' IN (SELECT tags FROM edits WHERE MV_CONTAINS(tags, 'capital'))"),
  ).toBe(all);
  expect(await counted('tags IN (SELECT tags FROM edits)')).toBeGreaterThan(0);
  expect(await counted("(tags = 'city') IN (SELECT page = 'Bern' FROM edits)")).toBe(
    await counted('tags IS NOT NULL'),
  );
  expect(await counted('added = ANY (SELECT CAST(added AS VARCHAR) FROM edits)')).toBe(
    await counted('added IS NOT NULL'),
  );
  expect(refusal('SELECT 1 FROM edits WHERE added IN (SELECT links FROM edits)')).toContain(
    'Values passed to IN operator must have compatible types',
  );
});

test('sums read the only value of a multi-value string; several are nothing', async () => {
  const answer = await answering();
  expect(
    await answer(
      "SELECT SUM(STRING_TO_MV(CAST(added AS VARCHAR), ',')), AVG(STRING_TO_MV(CONCAT(CAST(added AS VARCHAR), ',7'), ',')), STDDEV(tags) FROM edits WHERE page = 'Bern'",
    ),
  ).toEqual([[5, null, null]]);
});

test('a window that is ordered by what is the same for all rows is not ordered', async () => {
  const answer = await answering();
  expect(await answer('SELECT SUM(added) OVER (ORDER BY NULL) FROM edits')).toEqual(
    await answer('SELECT SUM(added) OVER () FROM edits'),
  );
});

test('a value differs from a multi-value string that holds it nowhere', async () => {
  const answer = await answering();
  const counted = async (condition: string) =>
    (await answer(`SELECT COUNT(*) FROM edits WHERE ${condition}`))[0]?.[0];
  expect(await counted("tags <> 'capital'")).toBe(2);
  expect(await counted("tags IS DISTINCT FROM 'capital'")).toBe(3); // a row without values, too
  expect(await counted("NOT (tags <> 'capital')")).toBe(1);
});

test('each value of a multi-value string is collected, or replaced where it is missing', async () => {
  const answer = await answering();
  expect(await answer("SELECT ARRAY_AGG(tags) FROM edits WHERE page = 'Berlin'")).toEqual([
    [['city', 'capital', null]],
  ]);
  expect(await answer("SELECT STRING_AGG(tags, 0) FROM edits WHERE page = 'Berlin'")).toEqual([
    ['city0capital'],
  ]);
  expect(await answer("SELECT COALESCE(NULLIF(tags, 'city'), 'none') FROM edits")).toEqual([
    [['none', 'capital']],
    [['none']],
    [['none']],
    [['river', 'none']],
  ]);
  expect(await answer('SELECT MAX(LENGTH(tags)), SUM(LENGTH(tags)) FROM edits')).toEqual([[4, 4]]);
});

test.each([
  ['GROUPING SETS ((1), (2))', undefined],
  ['GROUPING SETS ((1, 2), (1), (2))', undefined],
  ['GROUPING SETS ((1, 2), ())', "Expression 'page' is not being grouped"],
  ['GROUPING SETS ((page, 2), ())', "Expression 'author' is not being grouped"],
  ['ROLLUP ((1, 2))', "Expression 'page' is not being grouped"],
  ['(1, 2)', "Expression 'page' is not being grouped"],
  ['(page, author)', undefined],
  ['1, (2)', undefined],
  ['ROLLUP (1, 5)', 'Ordinal out of range'],
])('a number is an ordinal where it stands by itself: GROUP BY %s', (sets, words) => {
  const statement = `SELECT page, author, COUNT(*) FROM edits GROUP BY ${sets}`;
  if (words === undefined) expect(() => query(statement)).not.toThrow();
  else expect(refusal(statement)).toContain(words);
});

test('a sum with THEN 0 is 0 where all rows meet the condition', async () => {
  const answer = await answering();
  const sum = "SUM(CASE WHEN page = 'Bern' THEN 0 ELSE added END)";
  expect(await answer(`SELECT page, ${sum} FROM edits GROUP BY page`)).toEqual([
    [null, 7],
    ['Berlin', 10],
    ['Bern', 0],
  ]);
  const ofTags =
    "SUM(CASE WHEN tags = 'city' THEN 0 END), SUM(CASE WHEN tags = 'city' THEN NULL ELSE 0 END)";
  expect(await answer(`SELECT page, ${ofTags} FROM edits GROUP BY page`)).toEqual([
    [null, 0, null],
    ['Berlin', 0, 0],
    ['Bern', 0, null],
  ]);
});

test('a CASE inside of an aggregate is its filter, so that a sum of nothing is null', async () => {
  const answer = await answering();
  expect(
    await answer(
      `SELECT author, SUM(CASE WHEN page = 'Bern' THEN added ELSE 0 END), SUM(CASE WHEN page = 'Bern' THEN 1 ELSE 0 END),
        SUM(CASE WHEN page = 'Bern' THEN 0 ELSE added END), ARRAY_AGG(CASE page WHEN 'Bern' THEN added END)
      FROM edits GROUP BY author`,
    ),
  ).toEqual([
    ['anna', null, 0, 17, null],
    ['ben', 5, 1, 0, [5]],
  ]);
  const counts =
    "SUM(CASE WHEN page = 'Bern' THEN 1 WHEN added > 5 THEN 1 ELSE 0 END), SUM(CASE WHEN page = 'Bern' THEN 2 ELSE 0 END)";
  expect(await answer(`SELECT ${counts} FROM edits WHERE author = 'nobody'`)).toEqual([[0, null]]);
  expect(await answer(`SELECT ${counts} FROM edits WHERE __time IS NULL`)).toEqual([[null, null]]);
  const computed =
    "SUM(CASE WHEN page = 'x' THEN 2 - 1 ELSE 0 END), SUM(CASE WHEN page = 'x' THEN CHAR_LENGTH('') ELSE 0 END), SUM(CASE WHEN page = 'x' THEN added ELSE 1 - 1 END)";
  expect(await answer(`SELECT ${computed} FROM edits`)).toEqual([[0, 0, null]]);
});

test.each([
  "page = 'Bern' AND page = 'Berlin'",
  'added > 5 AND added < 3',
  "page IS NULL AND page <> 'Bern'",
  "page LIKE 'B%' AND page NOT LIKE 'B%'",
  "(added = 1 AND added = 2) OR (page = 'a' AND page = 'b')",
])('a sum by a condition that excludes itself is 0: %s', async (condition) => {
  const answer = await answering();
  const sum = `SUM(CASE WHEN ${condition} THEN added ELSE 0 END)`;
  expect(await answer(`SELECT ${sum} FROM edits`)).toEqual([[0]]);
});

test('what LATEST and ANY_VALUE make a text of is never null to the planner', async () => {
  const answer = await answering();
  expect(
    await answer(
      'SELECT ANY_VALUE(links) IS NULL, LATEST(links), LATEST(added) IS NULL FROM edits WHERE links IS NULL',
    ),
  ).toEqual([[false, null, false]]);
  expect(
    await answer("SELECT EARLIEST(__time), ANY_VALUE(added > 5) FROM edits WHERE page = 'Bern'"),
  ).toEqual([['1704067200000', '0']]);
});

test('a text of the query that looks like generated SQL changes nothing of the query', async () => {
  const answer = await answering();
  expect(await answer("SELECT page FROM edits WHERE (author = 'IS DISTINCT') IS TRUE")).toEqual([]);
  expect(
    await answer("SELECT COUNT(*) FROM edits WHERE (author = 'IS NOT DISTINCT') IS NOT TRUE"),
  ).toEqual([[4]]);
  const upwards = "CONCAT(author, 'ASC NULLS FIRST')";
  expect(
    await answer(
      `SELECT ${upwards} FROM edits GROUP BY ${upwards}, page ORDER BY ${upwards} DESC, page`,
    ),
  ).toHaveLength(4);
  expect(
    await answer("SELECT 'x ORDER BY y' FROM people UNION ALL SELECT 'WITH' FROM people"),
  ).toHaveLength(4);
  expect(
    await answer(
      `SELECT author, 'ends with ."author"' || '."author"' AS author FROM edits LIMIT 1`,
    ),
  ).toHaveLength(1);
});

test('sums and products wrap at 64 bits, over columns, groups and queries', async () => {
  const answer = await answering();
  expect(await answer('SELECT added * 9223372036854775807 + 1 FROM edits WHERE added = 5')).toEqual(
    [[9223372036854775804n]],
  );
  expect(await answer('SELECT SUM(added) * 9223372036854775807 FROM edits')).toEqual([[-22]]);
  expect(await answer('SELECT "x" + 1 FROM (SELECT 1 AS "x") GROUP BY "x" ORDER BY 1')).toEqual([
    [2],
  ]);
  expect(
    await answer(
      'SELECT ABS(SUM(added)), ABS(added / 5) FROM edits WHERE added = 5 GROUP BY added',
    ),
  ).toEqual([[5, 1]]);
  expect(
    await answer(
      'SELECT SUM(added + 1) OVER (PARTITION BY page) FROM edits GROUP BY page, added ORDER BY page, added',
    ),
  ).toHaveLength(4);
});

test('a statement knows the files that it reads, and those of each side of its joins', () => {
  const files = (table: string) => [`/segments/${table}.parquet`];
  expect(query("SELECT * FROM edits WHERE page = 'a.parquet'").files).toEqual(files('edits'));
  const { joins, files: all } = query(
    `SELECT COUNT(*) FROM edits AS a JOIN (SELECT * FROM people WHERE name = '/b.parquet') AS b ON a.author = b.name
     JOIN edits AS c ON c.page = a.page`,
    { engine: 'msq-task' },
  );
  expect([...all].sort()).toEqual([...files('edits'), ...files('people')]);
  const [inner, outer] = joins;
  expect(inner).toMatchObject({
    left: { files: files('edits') },
    right: { files: files('people') },
  });
  expect(outer?.left.join).toBe(inner);
  expect(outer?.left.files).toEqual([...files('edits'), ...files('people')]);
});

test('known values stand for the query behind IN', () => {
  const text = 'SELECT COUNT(*) FROM edits WHERE author IN (SELECT name FROM people)';
  const [{ among } = {}] = query(text).inlined;
  if (!among) throw new TypeError('Nothing stands behind IN');
  const known = query(text, { knownValues: [{ among, values: ['anna', 'carl'] }] });
  expect(known.duckdb).toContain(`list_contains(['anna', 'carl'], "edits"."author")`);
  expect(known.duckdb).not.toContain('people');
  expect(query(text.replace(' IN ', ' NOT IN ')).inlined.map((rows) => rows.among)).toEqual([
    undefined,
    undefined,
  ]);
});

test('rows are grouped by a text as a long where it spells one, and 1.5 does not', async () => {
  const answer = await answering();
  const texts = "(SELECT REPLACE(page, 'Bern', '1.5') AS t FROM edits)";
  const casts = (source: string, key: string) =>
    answer(`SELECT CAST(${key} AS BIGINT), COUNT(*) FROM ${source} GROUP BY 1`);
  expect(await casts('readings', 'sensor')).toEqual([
    [null, 2],
    [7, 1],
  ]);
  expect(await casts("(VALUES ('1.5'), ('2')) AS v (t)", 't')).toEqual([
    [1, 1],
    [2, 1],
  ]);
  expect(await casts(texts, 't')).toEqual([
    [null, 3],
    [1, 1],
  ]);
});

test('versions before 37 print large FLOATs with more digits', () => {
  const column = (version: 33 | 39) => query('SELECT f FROM readings', { version }).columns[0];
  expect(column(33)).toMatchObject({ hasLongFloats: true });
  expect(column(39)).not.toHaveProperty('hasLongFloats');
});
