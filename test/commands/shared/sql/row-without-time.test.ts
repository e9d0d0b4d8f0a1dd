// The query for the row behind InsertTimeNull.
import { expect, test } from 'vitest';
import { queryOfRowWithoutTime } from '../../../../src/commands/shared/sql/row-without-time.ts';

const around = (query: string) => `SELECT * FROM (\n${query}\n) WHERE "__time" IS NULL LIMIT 1`;

test.each([
  [
    'INSERT INTO t SELECT TIME_PARSE(a) AS __time FROM x PARTITIONED BY DAY',
    'SELECT TIME_PARSE(a) AS __time FROM x',
  ],
  [
    `REPLACE INTO "select (" OVERWRITE WHERE __time >= TIMESTAMP '2024-01-01' -- SELECT
     with y AS (SELECT 1 AS "PARTITIONED") SELECT a AS __time, 'PARTITIONED' AS b FROM y
     PARTITIONED BY ALL CLUSTERED BY b`,
    `with y AS (SELECT 1 AS "PARTITIONED") SELECT a AS __time, 'PARTITIONED' AS b FROM y`,
  ],
  ['INSERT INTO t SELECT 1 AS n', 'SELECT 1 AS n'],
])('its query is found: %#', (statement, query) => {
  expect(queryOfRowWithoutTime(statement)).toBe(around(query));
});

test.each(['INSERT INTO t (a, b) SELECT 1, 2 PARTITIONED BY DAY', 'SELECT 1', 'INSERT INTO', ''])(
  'a list of columns and other statements have none: %s',
  (statement) => {
    expect(queryOfRowWithoutTime(statement)).toBeUndefined();
  },
);
