import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cronSchedule } from '../../../../src/server/overlord/supervisors/cron-schedule.ts';
import { startServer } from '../../../../src/server/server.ts';
import { startService } from '../../../support/service.ts';
import { addUser, allow, ask, startGuarded } from '../../../support/users.ts';
import { api } from '../../../support/wire.ts';

const query = `REPLACE INTO copies OVERWRITE ALL SELECT TIMESTAMP '2020-01-01' AS __time, 'x' AS k PARTITIONED BY ALL`;
const batch = (rest: object = {}) => ({
  type: 'scheduled_batch',
  id: 'hourly',
  schedulerConfig: { type: 'unix', schedule: '0 * * * *' },
  spec: { query },
  ...rest,
});
const path = '/svc/indexer/v1/supervisor';

test('Cron expressions are read as Unix and as Quartz write them, in UTC.', () => {
  const after = (...given: Parameters<typeof cronSchedule>) =>
    new Date(
      cronSchedule(...given).nextAfter(Date.parse('2024-05-01T12:00:00Z')) ?? Number.NaN,
    ).toISOString(); // a Wednesday
  expect(after('unix', '*/15 * * * *')).toBe('2024-05-01T12:15:00.000Z');
  expect(after('unix', '@daily')).toBe('2024-05-02T00:00:00.000Z');
  expect(after('unix', '0 6 * * 1')).toBe('2024-05-06T06:00:00.000Z');
  expect(after('quartz', '30 0 * * * ?')).toBe('2024-05-01T12:00:30.000Z');
  expect(after('quartz', '0 0 6 ? * 2')).toBe('2024-05-06T06:00:00.000Z'); // day 2 is Monday
  expect(() => cronSchedule('unix', '0 0 * * * *')).toThrow('it has [6] fields instead of [5]');
  expect(() => cronSchedule('quartz', '0 0 * * *')).toThrow(
    'it has [5] fields instead of [6 or 7]',
  );
});

test('A statement runs when its schedule says so, not while it is suspended, and missed runs are not made up for.', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'scheduled-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  let nowMs = Date.parse('2024-05-01T12:30:00Z');
  const settings = { dataDir, now: () => nowMs, port: 0 };
  const first = await startServer(settings);
  const one = api(first);
  const runs = async ({ get }: typeof one) =>
    (await get('/svc/indexer/v1/tasks?type=query_controller')).body.length;
  expect((await one.post(path, batch())).body).toMatchObject({ id: 'hourly' });
  expect((await one.get(`${path}/hourly/status`)).body.payload).toMatchObject({
    supervisorId: 'hourly',
    status: 'SCHEDULER_RUNNING',
    lastTaskSubmittedTime: null,
    nextTaskSubmissionTime: '2024-05-01T13:00:00.000Z',
  });
  nowMs = Date.parse('2024-05-01T13:00:01Z');
  await one.until(async () => (await runs(one)) === 1);
  await one.until(
    async () =>
      Object.keys((await one.get(`${path}/hourly/status`)).body.payload.completedTasks).length ===
      1,
  );
  expect((await one.post('/svc/v2/sql', { query: 'SELECT k FROM copies' })).body).toEqual([
    { k: 'x' },
  ]);
  await first.close();

  nowMs = Date.parse('2024-05-01T17:30:00Z'); // four runs were missed
  const two = api(await startService(settings));
  expect((await two.get(`${path}/hourly/status`)).body.payload.nextTaskSubmissionTime).toBe(
    '2024-05-01T18:00:00.000Z',
  );
  expect(await runs(two)).toBe(1);
  expect((await two.post(`${path}/hourly/suspend`, undefined)).body).toMatchObject({
    type: 'scheduled_batch',
    suspended: true,
  });
  nowMs = Date.parse('2024-05-01T18:10:00Z');
  expect((await two.post(`${path}/hourly/resume`, undefined)).body).toMatchObject({
    suspended: false,
  });
  expect((await two.get(`${path}/hourly/status`)).body.payload.nextTaskSubmissionTime).toBe(
    '2024-05-01T19:00:00.000Z',
  );
  expect(await runs(two)).toBe(1);
  await two.post(`${path}/hourly/terminate`, undefined);
  expect((await two.get(`${path}/hourly/history`)).body).toHaveLength(4);
});

test('What cannot be scheduled is refused by name.', async () => {
  const { post } = api(await startService());
  const refused = async (rest: object) => {
    const { status, text } = await post(path, batch(rest));
    return [status, text];
  };
  expect(await refused({ schedulerConfig: { type: 'unix', schedule: 'nonsense' } })).toEqual([
    400,
    expect.stringContaining('schedule [nonsense]'),
  ]);
  expect(await refused({ schedulerConfig: { type: 'weekly', schedule: '' } })).toEqual([
    400,
    expect.stringContaining('[weekly]'),
  ]);
  expect(await refused({ spec: { query: 'SELECT 1' } })).toEqual([
    400,
    expect.stringContaining('INSERT or REPLACE'),
  ]);
  expect(await refused({ spec: {} })).toEqual([400, expect.stringContaining('spec.query')]);
  expect(await refused({ spec: { query: 'REPLACE INTO' } })).toEqual([400, expect.anything()]);
  expect(await refused({ spec: { query, parameters: [] } })).toEqual([
    400,
    expect.stringContaining('parameters'),
  ]);
});

test('Who schedules a statement needs the permissions of the statement.', async () => {
  const service = await startGuarded();
  const ann = await addUser(service, 'ann', [allow('WRITE', 'DATASOURCE', 'own')]);
  expect((await ask(service, ann, `POST ${path}`, batch())).status).toBe(403);
  expect(
    (
      await ask(
        service,
        ann,
        `POST ${path}`,
        batch({ spec: { query: query.replace('copies', 'own') } }),
      )
    ).status,
  ).toBe(200);
});
