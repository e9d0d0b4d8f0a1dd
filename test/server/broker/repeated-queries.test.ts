// A dashboard asks the same statements again and again: each reply is of this moment.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { addUser, admin, allow, ask, ingest, startGuarded } from '../../support/users.ts';
import { api } from '../../support/wire.ts';

test('a repeated statement sees new rows, new columns, new rules and dropped segments', async () => {
  // A segment that a rule drops is unused from the next round of the coordinator on.
  const properties = { 'svc.coordinator.period': 'PT1H' };
  const { post, get, ended, until } = api(await startService({ properties }));
  await until(async () => {
    const { body } = await get('/svc/coordinator/v1/duties');
    return body.dutyGroups[0].lastRunStart !== null;
  });
  const count = 'SELECT COUNT(*) AS n, MAX(a) AS a FROM "w"';
  const counted = async () => {
    const replies = [];
    for (let time = 0; time < 3; time++)
      replies.push((await post('/svc/v2/sql', { query: count })).body);
    expect(replies).toEqual([replies[0], replies[0], replies[0]]);
    return replies[0];
  };
  const insert = async (values: string) => {
    const { body } = await post('/svc/v2/sql/task', {
      query: `INSERT INTO "w" SELECT TIME_PARSE(t) AS __time, a FROM (VALUES ${values}) AS t (t, a) PARTITIONED BY DAY`,
    });
    expect(await ended(body.taskId)).toMatchObject({ statusCode: 'SUCCESS' });
  };
  await insert("('2024-01-01', 1)");
  expect(await counted()).toEqual([{ n: 1, a: 1 }]);
  await insert("('2024-01-01', 2), ('2024-01-02', 3)");
  expect(await counted()).toEqual([{ n: 3, a: 3 }]);
  await insert("('2024-01-03', 4.5)");
  expect(await counted()).toEqual([{ n: 4, a: 4.5 }]);
  const drop = { type: 'dropByInterval', interval: '2024-01-03/2024-01-04' };
  await post('/svc/coordinator/v1/rules/w', [drop, { type: 'loadForever' }]);
  expect(await counted()).toEqual([{ n: 3, a: 3 }]);
  await post('/svc/coordinator/v1/rules/w', [{ type: 'loadForever' }]);
  expect(await counted()).toEqual([{ n: 4, a: 4.5 }]);
  const unused = { interval: '2024-01-02/2024-01-04' };
  await post('/svc/coordinator/v1/datasources/w/markUnused', unused);
  expect(await counted()).toEqual([{ n: 2, a: 2 }]);
});

test('a repeated statement is refused to those who may not read its data', async () => {
  const service = await startGuarded();
  await ingest(service, 'w');
  await addUser(service, 'reader', [allow('READ', 'DATASOURCE', 'w')]);
  await addUser(service, 'other', []);
  const body = { query: 'SELECT COUNT(*) FROM "w"' };
  const asked = async (who: string) => (await ask(service, who, 'POST /svc/v2/sql', body)).status;
  for (let time = 0; time < 3; time++) {
    expect(await asked(admin)).toBe(200);
    expect(await asked('reader:reader')).toBe(200);
    expect(await asked('other:other')).toBe(403);
  }
});
