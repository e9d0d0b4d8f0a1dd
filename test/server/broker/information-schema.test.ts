// Order of the tables of INFORMATION_SCHEMA, as a real 33.0.0 answers without ORDER BY.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

test('schemas are listed by name in any case, and tables by schema and name', async () => {
  const { post } = api(await startService({ service: 'druid' }));
  const sql = async (query: string): Promise<readonly unknown[]> =>
    (await post('/druid/v2/sql', { query, resultFormat: 'array' })).body.flat();
  expect(await sql('SELECT SCHEMA_NAME FROM INFORMATION_SCHEMA.SCHEMATA')).toEqual([
    'druid',
    'INFORMATION_SCHEMA',
    'lookup',
    'sys',
    'view',
  ]);
  const tables = 'FROM INFORMATION_SCHEMA.TABLES';
  expect(await sql(`SELECT TABLE_NAME ${tables}`)).toEqual(
    expect.arrayContaining(['COLUMNS', 'segments']),
  );
  expect(
    await sql(`SELECT TABLE_NAME ${tables} WHERE TABLE_SCHEMA = 'INFORMATION_SCHEMA'`),
  ).toEqual(['COLUMNS', 'ROUTINES', 'SCHEMATA', 'TABLES']);
  expect((await sql(`SELECT TABLE_NAME ${tables} WHERE TABLE_SCHEMA = 'sys'`)).slice(0, 3)).toEqual(
    ['segments', 'server_properties', 'server_segments'],
  );
});

test('ROUTINES has the operators of the planner, and signatures as it prints them', async () => {
  const { post } = api(await startService({ service: 'druid' }));
  const query =
    "SELECT ROUTINE_NAME, IS_AGGREGATOR, SIGNATURES FROM INFORMATION_SCHEMA.ROUTINES WHERE ROUTINE_NAME IN ('CASE', 'SINGLE_VALUE', 'textcat', 'CEILING', 'LAG')";
  const { body } = await post('/druid/v2/sql', { query, resultFormat: 'array' });
  expect(body).toEqual(
    expect.arrayContaining([
      ['CASE', 'NO', null],
      ['SINGLE_VALUE', 'YES', "'SINGLE_VALUE(<ANY>)'"],
      ['textcat', 'NO', "'textcat(<CHARACTER>, <CHARACTER>)'"],
      ['LAG', 'YES', "'LAG(<ANY>)'\n'LAG(<ANY>, <NUMERIC>)'\n'LAG(<ANY>, <NUMERIC>, <ANY>)'"],
    ]),
  );
  expect(body).toHaveLength(4);
});
