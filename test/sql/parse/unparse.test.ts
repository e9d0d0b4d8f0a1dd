import { expect, test } from 'vitest';
import { parseExpressionText } from '../../../src/sql/parse/parse.ts';
import { unparse } from '../../../src/sql/parse/unparse.ts';

test.each([
  ['a + (b * c)', '`a` + `b` * `c`'],
  ['(a + b) * c', '(`a` + `b`) * `c`'],
  ['a - (b - c)', '`a` - (`b` - `c`)'],
  ['(a AND (b AND c)) OR NOT d', '`a` AND `b` AND `c` OR NOT `d`'],
  ['not (a or b)', 'NOT (`a` OR `b`)'],
  ['-1', '-1'],
  ['- -a', '- - `a`'],
  ["druid.t.\"x y\" = 'it''s'", "`druid`.`t`.`x y` = 'it''s'"],
  ['a between 1 and 2', '`a` BETWEEN ASYMMETRIC 1 AND 2'],
  ["a not like 'x' escape '!'", "`a` NOT LIKE 'x' ESCAPE '!'"],
  ['a in (1, 2) is not null', '`a` IN (1, 2) IS NOT NULL'],
  ['a in (select 1)', '`a` IN (SELECT ...)'],
  ["case a when 1 then 'x' end", "CASE WHEN `a` = 1 THEN 'x' ELSE NULL END"],
  ['cast(a as decimal(10, 2))', 'CAST(`a` AS DECIMAL(10, 2))'],
  ['floor(__time to day)', 'FLOOR(`__time` TO DAY)'],
  ["time_floor(__time, 'P1D')", "TIME_FLOOR(`__time`, 'P1D')"],
  ['extract(day from a)', 'EXTRACT(DAY FROM `a`)'],
  ["trim(leading 'x' from a)", "TRIM(LEADING 'x' FROM `a`)"],
  ['count(distinct a) filter (where b)', 'COUNT(DISTINCT `a`) FILTER (WHERE `b`)'],
  ['count(*)', 'COUNT(*)'],
  ['array[1, 2][1]', 'ARRAY[1, 2][1]'],
  ["interval '1' day", "INTERVAL '1' DAY"],
  ["timestamp '2000-01-01 00:00:00'", "TIMESTAMP '2000-01-01 00:00:00'"],
  [
    'sum(a) over (partition by b order by c desc rows between 1 preceding and current row)',
    'SUM(`a`) OVER (PARTITION BY `b` ORDER BY `c` DESC ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)',
  ],
  ['f(a => 1)', 'F(`a` => 1)'],
  ['current_timestamp', 'CURRENT_TIMESTAMP'],
])('%s is written %s', (sql, text) => {
  expect(unparse(parseExpressionText(sql))).toBe(text);
});
