// Statements as tools write them (Tableau, Metabase, Grafana, Superset, JDBC escapes), and casts of
// casts. A gap is written {name}, as in workload.js.

/** Fills of gaps that only these statements have. */
export const toolForms = {
  twice: [
    'CAST(CAST(s AS {ctype}) AS VARCHAR)',
    'CAST(CAST(d AS {ctype}) AS DOUBLE)',
    'CAST(CAST(m AS {ctype}) AS BIGINT)',
    'CAST(CAST(f AS {ctype}) AS VARCHAR)',
    'CAST(CAST(m AS {ctype}) AS VARCHAR)',
    'CAST(CAST(CAST(s AS BIGINT) AS {ctype}) AS VARCHAR)',
  ],
  ctype: ['BIGINT', 'DOUBLE', 'INTEGER', 'VARCHAR', 'DECIMAL(10, 2)'],
  escape: [
    '{fn UCASE(s)}',
    '{fn LCASE(s)}',
    '{fn LENGTH(s)}',
    "{fn CONCAT(s, 'x')}",
    '{fn SUBSTRING(s, 1, 2)}',
    "{fn IFNULL(s, 'none')}",
    '{fn ROUND(d, 1)}',
    '{fn MOD(m, 3)}',
    '{fn YEAR(__time)}',
    '{fn HOUR(__time)}',
    '{fn CONVERT(m, SQL_VARCHAR)}',
    '{fn CONVERT(s, SQL_BIGINT)}',
    'CONVERT(VARCHAR, m)',
    'CONVERT(BIGINT, s)',
    '{fn TIMESTAMPADD(SQL_TSI_DAY, 1, __time)}',
  ],
  quoted: ['"t"."channel"', '"t"."isRobot"', '"t"."namespace"', '"t"."countryName"'],
  qsum: [
    'SUM("t"."added")',
    'SUM(1)',
    'COUNT(DISTINCT "t"."isNew")',
    'AVG(CAST("t"."delta" AS DOUBLE))',
    'MAX("t"."deleted")',
  ],
  bucket: [
    'FLOOR(("t"."added" / 10.0)) * 10.0',
    'CAST(TRUNC(CAST(EXTRACT(QUARTER FROM "t"."__time") AS DOUBLE)) AS BIGINT)',
    'FLOOR(TIMESTAMP_TO_MILLIS("t"."__time") / 300000) * 300000',
    'MILLIS_TO_TIMESTAMP(TIMESTAMP_TO_MILLIS("t"."__time") / 3600000 * 3600000)',
    "TIME_SHIFT(TIME_FLOOR(TIME_SHIFT(CAST(\"t\".\"__time\" AS TIMESTAMP), 'P1D', 1), 'P1W'), 'P1D', 5)",
    'EXTRACT(YEAR FROM "t"."__time") * 100 + EXTRACT(MONTH FROM "t"."__time")',
    'CAST("t"."__time" AS DATE)',
  ],
  sysagg: ['COUNT(*)', 'SUM(num_rows)', 'MAX(num_rows)', 'COUNT(DISTINCT segment_id)'],
  several: [
    'MV_LENGTH(mv) > 1',
    'MV_LENGTH(mv) = 2',
    "mv LIKE 'a%'",
    "mv <> 'b'",
    "MV_CONTAINS(mv, 'b')",
    'm > 1',
    's IS NOT NULL',
  ],
  decided: ["mv = 'a'", 'mv IS NULL', "mv IN ('b')", "mv = 'b'"],
  mkey: ['k', 'UPPER(k)', "k || '!'", "k = 'b'", 'k, v > 1'],
};

/** Whole statements, and how often each is written. */
export const toolStatements = [
  ['SELECT {twice} AS a, {twice} AS b FROM fuzz_types', 2],
  ['SELECT {twice} AS k, COUNT(*) AS c FROM fuzz_types WHERE {tcond} GROUP BY 1', 2],
  [
    "SELECT COUNT(*) AS c, COUNT(DISTINCT {twice}) AS d FROM fuzz_types WHERE {twice} IS NOT NULL OR s = 'x'",
    1,
  ],
  ['SELECT {escape} AS a, {escape} AS b FROM fuzz_types', 2],
  ['SELECT {escape} AS k, COUNT(*) AS c FROM fuzz_types GROUP BY 1', 1],
  [
    'SELECT {quoted} AS "k", {qsum} AS "sum:x:ok" FROM "druid"."fuzz_edits" "t"{where} GROUP BY {same:quoted}',
    2,
  ],
  [
    'SELECT {bucket} AS "b", {quoted} AS "k", {qsum} AS "v" FROM "druid"."fuzz_edits" "t"{where} GROUP BY 1, 2',
    2,
  ],
  [
    'SELECT {qsum} AS "v", COUNT(1) AS "n" FROM "druid"."fuzz_edits" "t"{where} HAVING COUNT(1) > 0',
    1,
  ],
  [
    'SELECT "k", SUM("v") AS "s" FROM (SELECT {quoted} AS "k", "t"."added" AS "v" FROM "druid"."fuzz_edits" "t"{where}) "source" GROUP BY "k"',
    1,
  ],
  [
    'SELECT {mkey}, COUNT(*) AS c FROM (SELECT mv AS k, n AS v FROM fuzz_types WHERE {decided}) GROUP BY {same:mkey}',
    1,
  ],
  ['SELECT {mkey} FROM (SELECT mv AS k, n AS v FROM fuzz_types WHERE {decided} AND {several})', 1],
  [
    'SELECT UPPER(mv) AS k, COUNT(*) AS c FROM fuzz_types WHERE {decided} AND {several} GROUP BY 1',
    1,
  ],
  [
    "SELECT datasource, {sysagg} AS a FROM sys.segments WHERE datasource LIKE 'fuzz%' GROUP BY 1",
    1,
  ],
  [
    'SELECT SUM(CASE WHEN v > {k} THEN 1 ELSE 0 END) AS p, MAX(v) AS o FROM (SELECT {few} AS k, {numagg} AS v FROM fuzz_edits WHERE {cond} AND channel = {chan} AND channel = {chan} GROUP BY 1)',
    1,
  ],
  [
    'WITH RECURSIVE a AS (SELECT {few} AS k, {numagg} AS v FROM fuzz_edits{where} GROUP BY 1) SELECT MAX(v) AS m, COUNT(*) AS c FROM a',
    1,
  ],
  ['SELECT COUNT(*) OVER () AS c FROM fuzz_types WHERE {tcond}', 1],
];
