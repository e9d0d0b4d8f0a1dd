import { expect, test } from 'vitest';
import { answering, refusal, translated } from './statements-over-tables.ts';

// What Calcite's grammar has and the engine does not: a statement that passes here must pass there.
test.each([
  [
    'SELECT added % 2 FROM edits',
    "Percent remainder '%' is not allowed under the current SQL conformance level",
  ],
  [
    "SELECT (page = 'a') IS NOT UNKNOWN FROM edits",
    'No match found for function signature IS NOT UNKNOWN',
  ],
  [
    "SELECT page FROM edits WHERE page SIMILAR TO 'a%'",
    'No match found for function signature SIMILAR TO',
  ],
  [
    "SELECT OVERLAY(page PLACING 'x' FROM 1) FROM edits",
    'No match found for function signature OVERLAY',
  ],
  ['SELECT PI() FROM edits', 'No match found for function signature PI()'],
  ['SELECT SINH(added) FROM edits', 'No match found for function signature SINH'],
  ['SELECT "sinh"(added) FROM edits', 'No match found for function signature'],
  [
    'SELECT COUNT() FROM edits',
    "Invalid number of arguments to function 'COUNT'. Was expecting 1 arguments",
  ],
  [
    'SELECT LATEST(added) IGNORE NULLS FROM edits',
    'No match found for function signature IGNORE NULLS',
  ],
  [
    "SELECT DATE_TRUNC('week', CAST(__time AS DATE)) FROM edits",
    "Cannot apply 'DATE_TRUNC' to arguments of type 'DATE_TRUNC(<CHAR(4)>, <DATE>)'",
  ],
  [
    "SELECT DATE_TRUNC('fortnight', __time) FROM edits",
    'Operator[DATE_TRUNC] cannot truncate to[fortnight]',
  ],
  ['SELECT EXTRACT(FORTNIGHT FROM __time) FROM edits', "'FORTNIGHT' is not a valid time frame"],
  [
    'SELECT LAG(COUNT(*)) OVER (ORDER BY page ROWS 1 PRECEDING) FROM edits GROUP BY page',
    'ROW/RANGE not allowed with RANK, DENSE_RANK, ROW_NUMBER, PERCENTILE_CONT/DISC or LAG/LEAD functions',
  ],
  [
    "SELECT STRING_TO_ARRAY(page, ',')[1] FROM edits",
    "requires 'ITEM' operator that is not supported",
  ],
])('%s is refused', (statement, words) => {
  expect(refusal(statement)).toContain(words);
});

// The planner asks for a literal as it is written, and does not compute one.
test.each([
  "REGEXP_EXTRACT(page, LOWER('A'))",
  "REGEXP_LIKE(page, '^' || 'a')",
  "ICONTAINS_STRING(page, LOWER('A'))",
  "LOOKUP(page, 'names', UPPER('x'))",
  "DATE_TRUNC(LOWER('HOUR'), __time)",
  "TIME_IN_INTERVAL(__time, '2015-09-12' || '/P1D')",
  'APPROX_QUANTILE_DS(added, 0.25 + 0.25)',
  'LATEST(page, 10 + 5)',
])('%s is refused, because its setting is computed', (expression) => {
  const words = expression.startsWith('LATEST') ? 'LATEST' : /^\w+/.exec(expression)?.[0];
  expect(refusal(`SELECT ${expression} FROM edits`)).toMatch(
    new RegExp(`Argument to function '${words}.*' must be a literal`),
  );
});

test.each([
  "REGEXP_EXTRACT(page, CAST('a' AS VARCHAR), +0)",
  'APPROX_QUANTILE_DS(added, CAST(0.5 AS DOUBLE))',
  'APPROX_QUANTILE_FIXED_BUCKETS(added, 0.5, 5, -10, 100)',
  'ARRAY_AGG(page, CAST(1024 AS BIGINT))',
  "TIME_FLOOR(__time, 'PT' || '1H')",
])('%s is planned: a sign and a cast belong to a literal', (expression) => {
  expect(() => translated(`SELECT ${expression} FROM edits`)).not.toThrow();
});

test('a literal that its cast makes null is refused as a column, and no matter elsewhere', () => {
  for (const cast of ["CAST('abc' AS BIGINT)", "CAST('' AS DOUBLE)", "CAST(' 12 ' AS INTEGER)"]) {
    expect(refusal(`SELECT ${cast}`)).toContain('a cast of a literal cannot be null');
    expect(refusal(`SELECT x FROM (SELECT ${cast} AS x FROM edits)`)).toContain('Write a text of');
    expect(() => translated(`SELECT page FROM edits WHERE added > ${cast}`)).not.toThrow();
    expect(() => translated(`SELECT ${cast} + added, ${cast} IS NULL FROM edits`)).not.toThrow();
  }
  expect(() =>
    translated('SELECT CAST(NULL AS BIGINT), CAST(page AS BIGINT) FROM edits'),
  ).not.toThrow();
});

// Each as a real 33.0.0 words it.
test.each([
  [
    'SELECT page FROM edits ORDER BY COUNT(*)',
    'Aggregate expression is illegal in ORDER BY clause of non-aggregating SELECT (line [1], column [33])',
  ],
  [
    'SELECT DISTINCT page FROM edits ORDER BY 1, MAX(added) + 1',
    'Aggregate expression is illegal in ORDER BY clause of non-aggregating SELECT (line [1], column [45])',
  ],
  [
    'SELECT DISTINCT page FROM edits ORDER BY UPPER(author)',
    "Expression 'author' is not in the select clause (line [1], column [48])",
  ],
  [
    'SELECT DISTINCT page, COUNT(*) FROM edits GROUP BY page ORDER BY SUM(added)',
    "Expression 'SUM(`added`)' is not in the select clause (line [1], column [66])",
  ],
  [
    'SELECT page, GROUPING(page) FROM edits',
    'GROUPING operator may only occur in an aggregate query (line [1], column [14])',
  ],
  [
    'SELECT COUNT(*), GROUPING(page) FROM edits',
    'Argument to GROUPING operator must be a grouped expression (line [1], column [27])',
  ],
  [
    'SELECT SUM(DISTINCT added) OVER (PARTITION BY page) FROM edits',
    'DISTINCT is not supported for window functions (line [1], column [33])',
  ],
  [
    'SELECT COUNT(*) FROM edits WHERE links = 1',
    "Cannot apply '=' to arguments of type '<BIGINT ARRAY> = <INTEGER>'",
  ],
  [
    "SELECT COUNT(*) FROM edits WHERE links = 'a'",
    "Cannot apply '=' to arguments of type '<BIGINT ARRAY> = <CHAR(1)>'",
  ],
  [
    "SELECT COUNT(*) FROM edits WHERE links IN ('a', 'b')",
    'Values passed to IN operator must have compatible types (line [1], column [34])',
  ],
  [
    "SELECT COUNT(*) FROM edits WHERE links NOT LIKE 'a%'",
    "Cannot apply 'NOT LIKE' to arguments of type 'NOT LIKE(<BIGINT ARRAY>, <CHAR(2)>)'. Supported form(s): 'NOT LIKE(<STRING>, <STRING>, <STRING>)' (line [1], column [34])",
  ],
  [
    'SELECT MAX(PARSE_JSON(page)) FROM edits',
    "Cannot apply 'MAX' to arguments of type 'MAX(<COMPLEX<JSON>>)'. Supported form(s): 'MAX(<COMPARABLE_TYPE>)' (line [1], column [8])",
  ],
  [
    'SELECT CONCAT(page, PARSE_JSON(page)) FROM edits',
    'Parameters must be of the same type (line [1], column [8])',
  ],
  [
    "SELECT TIME_FLOOR(__time, 'PT1H', NULL, 5) FROM edits",
    "Supported form(s): 'TIME_FLOOR(<TIMESTAMP>, <CHARACTER>, [<TIMESTAMP>, [<CHARACTER>]])' (line [1], column [8])",
  ],
  ['SELECT COUNT(e.*) FROM edits e', "Unknown field '*' (line [1], column [16])"],
  [
    'SELECT CURRENT_TIMESTAMP()',
    'No match found for function signature CURRENT_TIMESTAMP() (line [1], column [8])',
  ],
  [
    'SELECT * FROM information_schema.TABLES',
    "Object 'information_schema' not found; did you mean 'INFORMATION_SCHEMA'? (line [1], column [15])",
  ],
  ['DESCRIBE TABLE edits', 'Unsupported SQL statement [DESCRIBE_TABLE]'],
  [
    'INSERT INTO copy SELECT page FROM edits',
    'INSERT operations are not supported by requested SQL engine [native], consider using MSQ.',
  ],
  [
    'SELECT COUNT(*) FROM (SELECT DS_HLL(page) AS h FROM edits) GROUP BY h',
    'SQL requires a group-by on a column with type [COMPLEX<HLLSketch>] that is unsupported.',
  ],
  [
    'SELECT UPPER(DISTINCT page) FROM edits',
    'DISTINCT/ALL not allowed with UPPER function (line [1], column [14])',
  ],
  [
    'SELECT ABS(ALL added) FROM edits',
    'DISTINCT/ALL not allowed with ABS function (line [1], column [12])',
  ],
  [
    'SELECT UPPER(page) FILTER (WHERE added > 1) FROM edits',
    'FILTER must be applied to aggregate function (line [1], column [8])',
  ],
  [
    'SELECT UPPER(page) WITHIN GROUP (ORDER BY page) FROM edits',
    'WITHIN GROUP not allowed with UPPER function (line [1], column [8])',
  ],
  ['SELECT UPPER(page ORDER BY page) FROM edits', 'ORDER BY unexpected'],
  [
    'SELECT MAX(added) WITHIN GROUP (ORDER BY added) FROM edits',
    "Aggregate expression 'MAX' must not contain a WITHIN GROUP clause (line [1], column [8])",
  ],
  [
    'SELECT LATEST(added) WITHIN GROUP (ORDER BY added) FROM edits',
    "Aggregate expression 'LATEST_BY' must not contain a WITHIN GROUP clause (line [1], column [8])",
  ],
  [
    'SELECT ARRAY_AGG(page) WITHIN GROUP (ORDER BY nope) FROM edits',
    "Column 'nope' not found in any table (line [1], column [47])",
  ],
  [
    'SELECT COUNT(*) FILTER (WHERE NULL) FROM edits',
    'FILTER clause must be a condition (line [1], column [31])',
  ],
  [
    'SELECT COUNT(DISTINCT page) OVER () FROM edits',
    'DISTINCT is not supported for window functions (line [1], column [34])',
  ],
  [
    'SELECT page FROM edits GROUP BY page HAVING RANK() OVER (ORDER BY page) + 1 > 1',
    'Window functions are not allowed in HAVING (line [1], column [45])',
  ],
  [
    'SELECT page FROM edits QUALIFY TRUE',
    "QUALIFY expression 'TRUE' must contain a window function (line [1], column [32])",
  ],
  [
    'SELECT page FROM edits GROUP BY page QUALIFY COUNT(*) > 1',
    'must contain a window function (line [1], column [46])',
  ],
  [
    'SELECT 1 FROM edits a CROSS JOIN edits b ON a.page = b.page',
    'following CROSS JOIN (line [1], column [42])',
  ],
  [
    'SELECT 1 FROM edits a CROSS JOIN edits b USING (page)',
    'following CROSS JOIN (line [1], column [42])',
  ],
  [
    'SELECT 1 FROM edits a NATURAL CROSS JOIN edits b',
    'following CROSS JOIN (line [1], column [31])',
  ],
  [
    'SELECT * FROM (SELECT page AS a, added AS a FROM edits)',
    "Column 'a' is ambiguous (line [1], column [8])",
  ],
  [
    'WITH x AS (SELECT page AS a, added AS a FROM edits) SELECT COUNT(*) FROM x',
    "Column has duplicate column name 'a' and no column list specified (line [1], column [12])",
  ],
  [
    "VALUES (1), ('a')",
    'Values passed to VALUES operator must have compatible types (line [1], column [1])',
  ],
  [
    "VALUES (DATE '2015-01-01'), (TIMESTAMP '2015-01-01 00:00:00')",
    'Values passed to VALUES operator must have compatible types',
  ],
  ['VALUES (COUNT(*))', "SQL query requires 'COUNT' operator that is not supported."],
  [
    'SELECT page FROM edits LIMIT 1 + 1',
    'Received an unexpected token [+] (line [1], column [32])',
  ],
  [
    'SELECT page FROM edits LIMIT 1 FETCH NEXT 1 ROW ONLY',
    'Received an unexpected token [FETCH] (line [1], column [32])',
  ],
  ['SELECT 1 WHERE TRUE', "Incorrect syntax near the keyword 'WHERE' at line 1, column 10."],
  ['SELECT 1 GROUP BY 1', "Incorrect syntax near the keyword 'GROUP' at line 1, column 10."],
  ['SELECT page AS "" FROM edits', 'line'],
  [
    "SELECT DATE '2015-01-01 00:00:00'",
    "Illegal DATE literal '2015-01-01 00:00:00': not in format 'yyyy-MM-dd' (line [1], column [8])",
  ],
  ["SELECT DATE '0000-01-01'", "Illegal DATE literal '0000-01-01': not in format 'yyyy-MM-dd'"],
  [
    "SELECT TIMESTAMPADD('DAY', 1, __time) FROM edits",
    "Received an unexpected token [\\'DAY\\'] (line [1], column [21])",
  ],
  [
    'SELECT TIMESTAMPADD(DAY, 1.5, __time) FROM edits',
    "Cannot apply 'TIMESTAMPADD' to arguments of type 'TIMESTAMPADD(<INTERVAL DAY>, <DECIMAL(2, 1)>, <TIMESTAMP(3)>)'. Supported form(s): 'TIMESTAMPADD(<ANY>, <INTEGER>, <DATETIME>)'",
  ],
  ['SELECT CAST(page AS VARCHAR(-1)) FROM edits', 'Received an unexpected token [-]'],
  ["SELECT CAST(page AS TYPE('STRING')) FROM edits", "Unknown identifier 'STRING'"],
  ['SELECT CAST(page AS VARBINARY) FROM edits', 'Unhandled Query Planning Failure'],
  [
    'SELECT CAST(added AS BINARY) FROM edits',
    'Cast function cannot convert value of type BIGINT to type BINARY',
  ],
  [
    "SELECT STRING_TO_ARRAY(page, ',')['a'] FROM edits",
    "Cannot apply 'ITEM' to arguments of type 'ITEM(<VARCHAR ARRAY>, <CHAR(1)>)'",
  ],
  [
    "SELECT JSON_VALUE(page FORMAT JSON, '$.x') FROM edits",
    'No match found for function signature FORMAT JSON (line [1], column [24])',
  ],
  [
    'SELECT page FROM edits TABLESAMPLE SYSTEM(200)',
    'TABLESAMPLE percentage must be between 0 and 100, inclusive (line [1], column [24])',
  ],
  ['SELECT page FROM edits TABLESAMPLE', 'Received an unexpected token [<EOF>]'],
  ['SELECT * FROM UNNEST(ARRAY[1, 2], ARRAY[3]) AS t (x, y)', 'Unhandled Query Planning Failure'],
  [
    'SELECT * FROM (SELECT added, page FROM edits) UNPIVOT (v FOR k IN (added, page))',
    "In UNPIVOT, cannot derive type for measure 'v' because source columns have different data types",
  ],
  [
    "SELECT * FROM (SELECT added, 1 AS more FROM edits) UNPIVOT (v FOR k IN (added AS 1, more AS 'd'))",
    "In UNPIVOT, cannot derive type for axis 'k' (line [1], column [67])",
  ],
  [
    'SELECT * FROM (SELECT added, 1 AS more FROM edits) UNPIVOT (v FOR k IN (added AS 1 + 1))',
    'A label in UNPIVOT must be a literal',
  ],
  [
    "SELECT * FROM (SELECT page, added FROM edits) PIVOT (SUM(added) + 1 AS s FOR page IN ('Bern'))",
    'Measure expression in PIVOT must use aggregate function',
  ],
  [
    "SELECT ANY_VALUE(page, 5, 'x') FROM edits",
    "Cannot apply 'ANY_VALUE' to arguments of type 'ANY_VALUE(<VARCHAR>, <INTEGER>, <CHAR(1)>)'",
  ],
])('%s is refused by the rule of a clause or a type', (statement, words) => {
  expect(refusal(statement)).toContain(words);
});

test('what looks wrong and means something to the engine is answered', async () => {
  const answer = await answering();
  expect(await answer('SELECT CASE WHEN added > 1 THEN NULL END FROM edits LIMIT 1')).toEqual([
    [null],
  ]);
  expect(
    await answer(
      "SELECT CAST('12' AS BIGINT FORMAT 'x'), 10., DATE ' 2015-01-01', TIMESTAMP '2015-01-01  00:00:00.'",
    ),
  ).toEqual([[12, 10, 1420070400000, 1420070400000]]);
  const [[all]] = (await answer('SELECT COUNT(*) FROM edits')) as [[number]];
  expect(await answer("SELECT COUNT(*) FROM edits TABLESAMPLE SUBSTITUTE('x')")).toEqual([[all]]);
  expect(
    await answer(
      "SELECT TIMESTAMPDIFF(CENTURY, TIMESTAMP '1815-01-01 00:00:00', TIMESTAMP '2015-03-29 01:00:00')",
    ),
  ).toEqual([[2]]);
  expect(
    await answer(
      "SELECT TIMESTAMPDIFF(DECADE, TIMESTAMP '1815-01-01 00:00:00', TIMESTAMP '2015-03-29 01:00:00')",
    ),
  ).toEqual([[200]]);
  const pages = 'SELECT page FROM edits';
  expect(await answer(`${pages} UNION ${pages}`)).toEqual(
    await answer(`SELECT DISTINCT page FROM edits`),
  );
  expect(refusal(`${pages} UNION SELECT author FROM edits`)).toContain(
    "only 'UNION ALL' is supported",
  );
  expect(refusal("SELECT _nope'abc'")).toBe("Unknown character set 'nope'");
  expect(await answer("SELECT COUNT(*) FROM edits WHERE page LIKE 'a' ESCAPE 1")).toEqual([[0]]);
  expect(await answer("SELECT COUNT(*) FROM edits GROUP BY DISTINCT 'a'")).toEqual([[all]]);
  expect(await answer("SELECT COALESCE(ARRAY['a'], ARRAY[1])")).toEqual([[['a']]]);
  expect(await answer(`SELECT JSON_VALUE(PARSE_JSON('{"x":{"y":1}}'), '$.x.y.')`)).toEqual([['1']]);
  expect(translated('DESCRIBE STATEMENT SELECT 1').statement.kind).toBe('explain');
});

test('a filter reads texts as numbers: what is not a number is different from all of them', async () => {
  const answer = await answering();
  const numbers = '(SELECT page AS p FROM edits WHERE page IS NOT NULL) WHERE p';
  const [[all]] = (await answer(`SELECT COUNT(*) FROM ${numbers} IS NOT NULL`)) as [[number]];
  expect(await answer(`SELECT COUNT(*) FROM ${numbers} <> 7`)).toEqual([[all]]);
  expect(await answer(`SELECT COUNT(*) FROM ${numbers} NOT IN (7, 8)`)).toEqual([[all]]);
  expect(await answer(`SELECT COUNT(*) FROM ${numbers} = 1`)).toEqual([[0]]);
});

test('numbers of the engine: longs are rounded as doubles, times are compared as numbers, unknown zones are UTC', async () => {
  const answer = await answering();
  expect(
    await answer(
      'SELECT CEIL(9007199254740993), FLOOR(added + 9007199254740992 - added + 1) FROM edits LIMIT 1',
    ),
  ).toEqual([[9007199254740992n, 9007199254740992n]]);
  expect(
    await answer(
      'SELECT SAFE_DIVIDE(added - added, 0e0), SAFE_DIVIDE(added, 0e0), SAFE_DIVIDE(added - added, 0) FROM edits LIMIT 1',
    ),
  ).toEqual([[0, null, null]]);
  expect(
    await answer(
      "SELECT GREATEST(TIMESTAMP '1970-01-01 00:00:01', TIMESTAMP '1970-01-01 00:00:00')",
    ),
  ).toEqual([[1000]]);
  expect(
    await answer("SELECT TIME_EXTRACT(TIMESTAMP '1970-01-01 05:00:00', 'HOUR', 'Nowhere/City')"),
  ).toEqual([[5]]);
});

test('buckets of time without rows are not asked of SQL in vain', () => {
  const byDay = "SELECT TIME_FLOOR(__time, 'P1D'), COUNT(*) FROM edits GROUP BY 1";
  expect(refusal(byDay, { context: { skipEmptyBuckets: false } })).toContain(
    '[skipEmptyBuckets: false]',
  );
  for (const statement of [
    'SELECT COUNT(*) FROM edits',
    'SELECT page, COUNT(*) FROM edits GROUP BY 1',
    'SELECT page FROM edits',
  ]) {
    expect(
      () => translated(statement, { context: { skipEmptyBuckets: false } }),
      statement,
    ).not.toThrow();
  }
  expect(() => translated(byDay, { context: { skipEmptyBuckets: true } })).not.toThrow();
});

// A real 33.0.0 sorts such rows before it computes anything of them, and has no query that computes
// afterwards.
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

// Calcite has aggregates of the same names, which know no DISTINCT.
test.each([
  'SELECT author FROM edits GROUP BY 1 HAVING ARRAY_AGG(DISTINCT page) IS NOT NULL',
  'SELECT author FROM edits GROUP BY 1 HAVING COUNT(*) > 1 AND NOT (ARRAY_AGG(DISTINCT page) IS NULL)',
  "SELECT author FROM edits GROUP BY 1 HAVING STRING_AGG(DISTINCT page, ',') IS NULL",
  'SELECT author FROM edits GROUP BY 1 ORDER BY ARRAY_AGG(DISTINCT page) IS NULL',
  'SELECT author, ARRAY_AGG(DISTINCT page) AS a FROM edits GROUP BY 1 HAVING a IS NOT NULL',
])('%s is refused', (statement) => {
  expect(refusal(statement)).toContain(
    'with DISTINCT is not supported when useApproximateCountDistinct is enabled. Run with disabling it.',
  );
  const context = { useApproximateCountDistinct: false };
  expect(translated(statement, { context }).statement.kind).toBe('select');
});

test('ARRAY_AGG is never null to the planner, and is not computed to be compared with null', async () => {
  const answer = await answering();
  expect(
    await answer("SELECT ARRAY_AGG(page, 1) IS NULL, COUNT(*) FROM edits WHERE author = 'nobody'"),
  ).toEqual([[false, 0]]);
  expect(await answer("SELECT ARRAY_AGG(page) IS NULL FROM edits WHERE author = 'nobody'")).toEqual(
    [[false]],
  );
  expect(
    await answer('SELECT author FROM edits GROUP BY 1 HAVING ARRAY_AGG(page, 1) IS NOT NULL'),
  ).toEqual([['anna'], ['ben']]);
  expect(
    await answer("SELECT COALESCE(ARRAY_AGG(page), ARRAY['x']) FROM edits WHERE author = 'nobody'"),
  ).toEqual([[null]]);
});

test('arrays are not counted by a sketch', () => {
  expect(refusal('SELECT COUNT(DISTINCT links) FROM edits')).toBe(
    'Cardinality aggregator does not support[ARRAY<LONG>] inputs',
  );
});

test.each([
  ["SELECT ARRAY[page, 'a'] AS k FROM edits GROUP BY 1 ORDER BY 1", "Expression 'page'"],
  ["SELECT ARRAY[page, 'a'] AS k FROM edits GROUP BY ARRAY[page, 'a'] ORDER BY k", "'page'"],
  ['SELECT ARRAY[added + 1, 1] AS k FROM edits GROUP BY 1 ORDER BY 1', "Expression 'added'"],
  ['SELECT ARRAY[added, 1] AS k, COUNT(*) FROM edits GROUP BY 1 ORDER BY 2, 1', "'added'"],
])('%s is refused', (statement, words) => {
  expect(refusal(statement)).toContain(words);
  expect(refusal(statement)).toContain('is not being grouped');
});

test.each([
  'SELECT ARRAY[page, author] AS k FROM edits GROUP BY 1 ORDER BY 1',
  'SELECT ARRAY[page, NULL] AS k FROM edits GROUP BY 1 ORDER BY 1',
  "SELECT page, ARRAY[page, 'a'] AS k FROM edits GROUP BY 1, 2 ORDER BY 2",
  "SELECT ARRAY[page, 'a'] AS k, COUNT(*) FROM edits GROUP BY 1 ORDER BY 2",
])('%s is answered', (statement) => {
  expect(translated(statement).statement.kind).toBe('select');
});

test('rows beside a written array are joined, and may be sorted; those of an array are unnested', () => {
  const sorted = (list: string) =>
    `SELECT page, u.x FROM edits CROSS JOIN UNNEST(${list}) AS u (x) ORDER BY u.x`;
  expect(translated(sorted('ARRAY[2, 1]')).statement.kind).toBe('select');
  expect(refusal(sorted('links'))).toContain('non-time column [[x]]');
  expect(
    refusal(
      'SELECT page, u.x FROM (SELECT page, ARRAY_AGG(added) AS w FROM edits GROUP BY 1) AS t, UNNEST(w) AS u (x) ORDER BY u.x',
    ),
  ).toContain('non-time column [[x]]');
});

test('NATURAL and USING compare no arrays', () => {
  expect(refusal('SELECT e.page FROM edits e JOIN edits f USING (links)')).toBe(
    'Joining against ARRAY columns is not supported.',
  );
});

test('rows are compared item by item, also in a filter', async () => {
  const answer = await answering();
  const count = async (condition: string) =>
    (await answer(`SELECT COUNT(*) FROM edits WHERE ${condition}`))[0]?.[0];
  const ofAnna = await count("author = 'anna' AND added >= 0");
  expect(ofAnna).toBeGreaterThan(0);
  expect(await count("(author, added >= 0) = ('anna', TRUE)")).toBe(ofAnna);
  expect(await count("ROW(author, 1) = ROW('anna', 1)")).toBe(await count("author = 'anna'"));
  expect(await count("(author, 1) <> ('anna', 1)")).toBe(await count("author <> 'anna'"));
  expect(await count("NOT ((author, 1) = ('anna', 1))")).toBe(await count("author <> 'anna'"));
});
