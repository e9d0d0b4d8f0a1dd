// Bodies that say more than the service knows. Like the real engine (its JSON mapper passes over
// unknown properties) it takes what it knows and keeps nothing of the rest; what has to be known to
// act at all, a type, a format or an argument by its name, is refused.
import { expect, test } from 'vitest';
import { startService } from '../support/service.ts';
import { api } from '../support/wire.ts';

const extra = { nonsense: { deep: [1] } };
const task = { type: 'noop', id: 'one', runTime: 1, ...extra };
const replace = (source: object, format: object = { type: 'json' }) => ({
  query: `REPLACE INTO "t" OVERWRITE ALL SELECT TIME_PARSE("t") AS "__time", "v" FROM TABLE(EXTERN('${JSON.stringify(source)}', '${JSON.stringify(format)}'))
    EXTEND ("t" VARCHAR, "v" BIGINT) PARTITIONED BY DAY`,
});
const inline = { type: 'inline', data: '{"t": "2024-05-01", "v": 7}' };

test.each([
  ['SQL', '/svc/v2/sql', { query: 'SELECT 1 AS "a"', ...extra }, 200],
  ['the context of SQL', '/svc/v2/sql', { query: 'SELECT 1 AS "a"', context: extra }, 200],
  [
    'a parameter of SQL',
    '/svc/v2/sql',
    { query: 'SELECT ? AS "a"', parameters: [{ type: 'BIGINT', value: 1, ...extra }] },
    200,
  ],
  ['a task', '/svc/indexer/v1/task', task, 200],
  ['retention rules', '/svc/coordinator/v1/rules/t', [{ type: 'loadForever', ...extra }], 200],
  ['default rules', '/svc/coordinator/v1/rules/_default', [{ type: 'loadForever', ...extra }], 200],
])('a field of %s that nobody knows is passed over', async (_, path, body, status) => {
  const { post } = api(await startService());
  expect(await post(path, body)).toMatchObject({ status });
});

test('what was passed over is not kept', async () => {
  const { get, post, ended } = api(await startService());
  await post('/svc/coordinator/v1/rules/t', [{ type: 'loadForever', ...extra }]);
  expect((await get('/svc/coordinator/v1/rules/t')).text).not.toContain('nonsense');
  await post('/svc/indexer/v1/task', task);
  await ended('one');
  expect((await get('/svc/indexer/v1/task/one')).text).not.toContain('nonsense');
});

test('an input source and an input format may say more than is known', async () => {
  const { post, ended } = api(await startService());
  const { body } = await post(
    '/svc/v2/sql/task',
    replace({ ...inline, ...extra }, { type: 'json', ...extra }),
  );
  expect(await ended(body.taskId)).toMatchObject({ statusCode: 'SUCCESS' });
  expect((await post('/svc/v2/sql', { query: 'SELECT "v" FROM "t"' })).body).toEqual([{ v: 7 }]);
});

test.each([
  ['a type of task', '/svc/indexer/v1/task', { ...task, type: 'nonsense' }],
  ['a type of rule', '/svc/coordinator/v1/rules/t', [{ type: 'nonsense' }]],
  ['a result format', '/svc/v2/sql', { query: 'SELECT 1', resultFormat: 'nonsense' }],
  [
    'a type of parameter',
    '/svc/v2/sql',
    { query: 'SELECT ?', parameters: [{ type: 'NONSENSE', value: 1 }] },
  ],
  ['a type of input source', '/svc/v2/sql/task', replace({ ...inline, type: 'nonsense' })],
  ['a type of input format', '/svc/v2/sql/task', replace(inline, { type: 'nonsense' })],
  [
    'an argument of EXTERN',
    '/svc/v2/sql/task',
    {
      query: replace(inline).query.replace(
        /EXTERN\((.*?), ('\{"type":"json"\}')\)/,
        'EXTERN(inputSource => $1, inputFormat => $2, nonsense => 1)',
      ),
    },
  ],
])('%s that nobody knows is refused, by its name', async (_, path, body) => {
  const { post } = api(await startService());
  const reply = await post(path, body);
  expect(reply).toMatchObject({ status: 400, text: expect.stringMatching(/nonsense/i) });
});
