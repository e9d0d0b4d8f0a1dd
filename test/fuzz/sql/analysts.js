// Statements of analysts that are neither a chart nor a step of a pipeline: frames without order,
// lateral queries, listed rows, texts as conditions, several values as JSON. A gap is written
// {name}, as in workload.js.

/** Fills of gaps that only these statements have. */
export const analystForms = {
  rows: [
    ' ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW',
    ' ROWS {k} PRECEDING',
    ' ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING',
    ' ROWS CURRENT ROW',
  ],
  tsum: ['SUM(m)', 'AVG(m)', 'MAX(n)', 'MIN(d)', 'COUNT(*)', 'COUNT(s)'],
  truth: [
    '{few} = TRUE',
    '{few} = FALSE',
    '{few} <> TRUE',
    'TRUE = {few}',
    '(UPPER({few}) = TRUE) IS TRUE',
  ],
  ttruth: ['s = TRUE', 's <> FALSE', 'UPPER(s) = TRUE', '(s = TRUE) IS NOT TRUE'],
  made: [
    "JSON_OBJECT('a': mv)",
    "JSON_OBJECT('a': mv, 'b': {tplain})",
    'TO_JSON_STRING(mv)',
    'TO_JSON_STRING(UPPER(mv))',
    "JSON_VALUE(j, '$.*')",
    "JSON_QUERY(j, '$.*')",
    'SUBSTRING(s, 1, m + 8)',
    'SUBSTRING(s, 2, ABS(m))',
    "STRING_FORMAT('%c', m)",
    "STRING_FORMAT('%d%%')",
    "STRING_FORMAT('%5d|%-8s|', m, s)",
    "s LIKE 'a%' ESCAPE NULL",
    '{ttruth}',
    'CASE WHEN {ttruth} THEN 1 ELSE 0 END',
  ],
  arrayset: [
    "words IN (ARRAY['a', 'b'], ARRAY['b'])",
    "words NOT IN (ARRAY['a', 'b'], ARRAY['b'])",
    'nums = ARRAY[7, 7] OR nums = ARRAY[1]',
    'nums = ARRAY[7, 7] OR m = {k}',
    'NOT (nums = ARRAY[7, 7] OR nums = ARRAY[42])',
    'reals IN (ARRAY[0.1], ARRAY[42.0])',
  ],
  valued: ["l.v = 'English'", "l.v <> 'English'", "l.k = '#en.wikipedia'", "l.v LIKE 'E%'"],
  wink: ['ROW_NUMBER()', 'RANK()', 'SUM(1)', 'COUNT(*)'],
  hours: ["'PT2H'", "'PT3H'", "'PT4H'", "'PT6H'", "'PT12H'", "'PT24H'", "'PT45M'", "'PT1H'"],
};

/** Whole statements, and how often each is written. */
export const analystStatements = [
  [
    'SELECT {few} AS k, {boolc} AS k2, {numagg} AS v, SUM({numagg}) OVER (PARTITION BY {same:few}{rows}) AS w FROM fuzz_edits{where} GROUP BY 1, 2',
    2,
  ],
  ['SELECT s, m, {tsum} OVER ({rows}) AS w FROM fuzz_types', 1],
  [
    'SELECT __time, m, {tsum} OVER (w{rows}) AS a, {tsum} OVER w AS b FROM fuzz_types WINDOW w AS (PARTITION BY m > 2 ORDER BY __time)',
    2,
  ],
  ['SELECT {made} AS a, {made} AS b FROM fuzz_types', 3],
  ['SELECT {made} AS a FROM fuzz_types WHERE {tcond} AND {ttruth}', 1],
  ['SELECT {truth} AS k, COUNT(*) AS c FROM fuzz_edits{where} GROUP BY 1', 2],
  [
    'SELECT COUNT(*) FILTER (WHERE {truth}) AS a, SUM(CASE WHEN {truth} THEN added ELSE 0 END) AS b FROM fuzz_edits WHERE {truth} OR {cond}',
    1,
  ],
  [
    'SELECT t.s, x.c FROM fuzz_types t {join} LATERAL (SELECT COUNT(*) AS c FROM fuzz_edits e WHERE e.page = t.s) x ON TRUE',
    1,
  ],
  [
    'SELECT t.s, x.c FROM fuzz_types t CROSS JOIN LATERAL (SELECT MAX(e.m) AS c, COUNT(*) AS n FROM fuzz_types e WHERE e.s = t.s) x',
    1,
  ],
  ['SELECT COUNT(*) AS c, {tagg} AS a FROM fuzz_types WHERE {arrayset}', 2],
  ['SELECT COUNT(*) FILTER (WHERE {arrayset}) AS c, MAX(m) AS a FROM fuzz_types', 1],
  ['SELECT x, {wink} OVER (ORDER BY x) AS w FROM (VALUES ({k}), (2), (11)) AS t (x)', 1],
  ['SELECT x, SUM(x) OVER () AS w FROM UNNEST(ARRAY[{k}, 2, 3]) AS t (x)', 1],
  ['SELECT {k} AS x, COUNT(*) OVER () AS w', 1],
  [
    'SELECT s, {wink} OVER (ORDER BY s, m) AS w FROM (SELECT s, m FROM fuzz_types UNION ALL SELECT s, m FROM fuzz_types)',
    1,
  ],
  [
    'SELECT COUNT(*) AS c, SUM(e.added) AS s FROM fuzz_edits e {join} lookup.fuzz_names l ON e.channel = l.k AND {valued}',
    1,
  ],
  ['SELECT TIME_FLOOR(__time, {hours}) AS t, {tagg} AS a FROM fuzz_types GROUP BY 1', 1],
  [
    'SELECT TIME_FLOOR(__time, {hours}) AS t, s, COUNT(*) AS a FROM fuzz_types WHERE {tcond} GROUP BY 1, 2',
    1,
  ],
  ['SELECT DISTINCT TIME_FLOOR(__time, {hours}, NULL, {zone}) AS t FROM fuzz_types', 1],
  [
    "SELECT {few} AS k, APPROX_COUNT_DISTINCT({few}) OVER () AS w FROM fuzz_edits WHERE {cond} AND page LIKE 'W%'",
    1,
  ],
];
