import { expect, onTestFinished, test } from 'vitest';
import { Engine } from '../../src/server/engine/engine.ts';
import { sqlFunctions } from '../../src/server/engine/sql-functions.ts';
import { macros } from '../../src/sql/macros.ts';
import { withRepeatedValues } from '../../src/sql/repeated-values.ts';
import { temporaryFolder } from '../support/storage.ts';

const table = `(SELECT unnest(['{"a":1}', '{"a":"x"}', '{"a":[2]}', '{"a":null}', '{}', NULL])::JSON AS j) AS "t"`;
const read = `druid_json_value(json_extract("t"."j", '$."a"'))`;
const condition = `(${read} IS NULL OR (${read} <> 'x' AND ${read} LIKE '%' AND ${read} >= '1'))`;

test('a value that a condition reads four times is read once, and the same rows are found', async () => {
  const engine = new Engine({
    allowedFolders: [],
    spillFolder: await temporaryFolder(),
    threads: 1,
    macros,
    scalarFunctions: sqlFunctions,
  });
  onTestFinished(() => engine.close());
  const count = async ({ from, where }: { from: string; where: string }) =>
    (await engine.rows(`SELECT count(*) FROM ${from} WHERE ${where}`)).chunks[0]?.columns[0]?.[0];
  const once = withRepeatedValues(table, condition);
  expect(`${once.from} ${once.where}`.split('druid_json_value')).toHaveLength(2);
  expect(await count(once)).toBe(await count({ from: table, where: condition }));
  expect(await count(once)).toBe(5);
});

test.each([
  ['values that are read rarely', table, `${read} = '1'`],
  ['relations without a name', 'range(3)', condition],
  ['values of another relation', `(SELECT 1) AS "u"`, condition],
  ['texts that look like such a value', table, `'${condition.replaceAll("'", "''")}' <> ''`],
])('%s stay as they are', (_, from, where) => {
  expect(withRepeatedValues(from, where)).toEqual({ from, where });
});
