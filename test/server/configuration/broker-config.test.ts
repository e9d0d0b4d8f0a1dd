// The dynamic configuration of the Brokers has its effect on the next query, SQL and native.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

async function started() {
  const { post } = api(await startService());
  const run = async (context: object = {}) => {
    const sql = await post('/svc/v2/sql', {
      query: 'SELECT ARRAY[1, 2] AS "a"',
      context,
      resultFormat: 'array',
    });
    const native = await post('/svc/v2', {
      queryType: 'scan',
      dataSource: { type: 'inline', columnNames: ['a'], columnTypes: ['LONG'], rows: [[1]] },
      intervals: '0/2',
      columns: ['a'],
      context,
    });
    return { sql, native };
  };
  return {
    post,
    run,
    configure: (config: object) => post('/svc/coordinator/v1/broker/config', config),
  };
}

test('a query has the configured context, where it says nothing itself', async () => {
  const { run, configure } = await started();
  expect((await run()).sql.body).toEqual([['[1,2]']]);
  expect(
    (await configure({ queryContext: { sqlStringifyArrays: false, timeout: -1 } })).status,
  ).toBe(200);
  const changed = await run({ timeout: 1000 });
  expect(changed.sql.body).toEqual([[[1, 2]]]);
  expect(changed.native.status).toBe(200);
  expect((await run()).native).toMatchObject({
    status: 400,
    body: { errorMessage: expect.stringContaining('[timeout]') },
  });
});

test('a query that a rule blocks is refused, and told by which rule', async () => {
  const { run, configure } = await started();
  await configure({
    queryBlocklist: [
      { ruleName: 'no-slow', contextMatches: { team: 'slow' }, queryTypes: ['scan', 'timeseries'] },
    ],
  });
  expect((await run()).native.status).toBe(200);
  const { sql, native } = await run({ team: 'slow', queryId: 'n1', sqlQueryId: 's1' });
  expect(native).toMatchObject({
    status: 403,
    text: expect.stringContaining('Query[n1] blocked by rule[no-slow]'),
  });
  expect(sql).toMatchObject({
    status: 403,
    text: expect.stringContaining('Query[s1] blocked by rule[no-slow]'),
  });
});

test.each([
  ['timeBoundary', 'timeBoundaries'],
  ['timeBoundaries', 'timeBoundary'],
])(
  'a rule that blocks queries of type [%s] blocks those of type [%s], which is the same',
  async (queryType, other) => {
    const { post, configure } = await started();
    await configure({ queryBlocklist: [{ ruleName: 'no-bounds', queryTypes: [queryType] }] });
    const asked = (type: string) => post('/svc/v2', { queryType: type, dataSource: 'unknown' });
    expect(await asked(queryType)).toMatchObject({ status: 403 });
    expect(await asked(other)).toMatchObject({
      status: 403,
      text: expect.stringContaining('blocked by rule[no-bounds]'),
    });
  },
);

test('a rule that would block all queries, or has no name, is not taken', async () => {
  const { configure } = await started();
  expect((await configure({ queryBlocklist: [{ ruleName: 'all' }] })).status).toBe(400);
  expect((await configure({ queryBlocklist: [{ queryTypes: ['scan'] }] })).status).toBe(400);
});
