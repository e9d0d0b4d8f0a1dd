// Functions that stand for those of other databases: the engine has them.
import { afterAll, expect, test } from 'vitest';
import { functionInstead } from '../../../src/commands/shared/sql/other-dialects.ts';
import { startServer } from '../../../src/server/server.ts';
import { api } from '../../support/wire.ts';

const service = await startServer({ port: 0 });
afterAll(() => service.close());

const names =
  'NOW GETDATE SYSDATE CURDATE TODAY YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND DAYOFWEEK DAYOFYEAR DATE_PART DATEPART DATE DATE_BIN TIME_BUCKET DATE_FORMAT TO_CHAR STRFTIME FORMAT_DATETIME STR_TO_DATE TO_DATE TO_TIMESTAMP PARSE_DATETIME DATE_ADD DATE_SUB DATEADD DATEDIFF DATE_DIFF UNIX_TIMESTAMP FROM_UNIXTIME MEDIAN QUANTILE PERCENTILE PERCENTILE_APPROX APPROX_PERCENTILE UNIQ NDV COUNT_IF COUNTIF SUMIF GROUP_CONCAT FIRST LAST ARGMAX MAX_BY ARGMIN MIN_BY IF IIF DECODE ISNULL LEN INSTR CHARINDEX LOCATE SPLIT SPLIT_PART STARTS_WITH REGEXP REGEXP_MATCHES REGEXP_SUBSTR ARRAY_JOIN JSON_EXTRACT JSON_EXTRACT_SCALAR GET_JSON_OBJECT POW'.split(
    ' ',
  );

test.each(names)('%s is no function, and what stands for it is answered', async (name) => {
  const { post } = api(service);
  const refused = await post('/svc/v2/sql', { query: `SELECT ${name}(1, 2)` });
  const sentence = name === 'DAY' ? "the keyword 'DAY'" : `function signature ${name}(`; // reserved
  expect(JSON.stringify(refused.body)).toContain(sentence);
  const instead = functionInstead(name);
  const expression = instead?.slice(`instead of ${name}: `.length);
  const rows =
    "(SELECT TIMESTAMP '2024-05-01' AS __time, TIMESTAMP '2024-05-01' AS a, TIMESTAMP '2024-05-02' AS b, 1 AS x, TIMESTAMP '2024-05-02' AS \"time\")";
  const of = (x: string) =>
    `SELECT ${expression
      ?.replace(/\bcondition\b/, '1 = 1')
      .replace(/\btime\b/, '__time')
      .replace(/\bx\b/, x)} FROM ${rows}`;
  const answers = await Promise.all(
    ['x', "'{}'", "ARRAY['a']"].map((x) => post('/svc/v2/sql', { query: of(x) })),
  );
  expect(answers.map(({ status }) => status)).toContain(200);
});
