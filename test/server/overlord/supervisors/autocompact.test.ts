import { expect, test } from 'vitest';
import { compaction } from '../../../../src/contract/compaction.ts';
import { supervisors } from '../../../../src/contract/supervisors.ts';
import { callsTo } from '../../../support/calls.ts';
import { startService } from '../../../support/service.ts';
import { addUser, allow, ask, startGuarded } from '../../../support/users.ts';
import { api } from '../../../support/wire.ts';

const id = 'autocompact__edits';

async function started() {
  const service = await startService({ dutyTickMs: 3_600_000 });
  const { get, post, ended, until } = api(service);
  const call = callsTo(service);
  for (const number of [1, 2, 3]) {
    const { body } = await post('/svc/indexer/v1/task', {
      type: 'index_parallel',
      spec: {
        dataSchema: {
          dataSource: 'edits',
          timestampSpec: { column: 't' },
          granularitySpec: { segmentGranularity: 'DAY', rollup: false },
        },
        ioConfig: {
          type: 'index_parallel',
          inputSource: { type: 'inline', data: JSON.stringify({ t: '2022-03-01', k: number }) },
          inputFormat: { type: 'json' },
          appendToExisting: true,
        },
      },
    });
    await ended(body.task);
  }
  /** Runs the duty, waits for its tasks, and returns how many there have been. */
  const compactions = async () => {
    await call(compaction.run);
    const tasks = async () => (await get('/svc/indexer/v1/tasks?type=compact')).body;
    await until(async () =>
      (await tasks()).every(({ statusCode }: { statusCode: string }) => statusCode !== 'RUNNING'),
    );
    return (await tasks()).length;
  };
  return { call, post, compactions };
}

test('a supervisor compacts its datasource, rests while it is suspended, and leaves its history', async () => {
  const { call, compactions } = await started();
  expect(
    await call(supervisors.submit, {
      body: {
        type: 'autocompact',
        spec: { dataSource: 'edits', skipOffsetFromLatest: 'PT0S' },
        suspended: true,
      } as never,
    }),
  ).toMatchObject({ id });
  expect(await call(supervisors.status, { params: { supervisorId: id } })).toMatchObject({
    id,
    payload: { dataSource: 'edits', scheduleStatus: 'NOT_ENABLED' },
  });
  expect(await compactions()).toBe(0);
  expect(await call(supervisors.list, { query: { state: true } })).toMatchObject([
    { id, state: 'SUSPENDED', healthy: true, suspended: true },
  ]);

  expect(await call(supervisors.resume, { params: { supervisorId: id } })).toMatchObject({
    type: 'autocompact',
    suspended: false,
  });
  expect(await call(supervisors.status, { params: { supervisorId: id } })).toMatchObject({
    payload: { scheduleStatus: 'RUNNING', segmentCountAwaitingCompaction: 3 },
  });
  expect(await compactions()).toBe(1);
  expect(await call(supervisors.status, { params: { supervisorId: id } })).toMatchObject({
    payload: { segmentCountAwaitingCompaction: 0 },
  });

  await call(supervisors.terminate, { params: { supervisorId: id } });
  const history = await call(supervisors.history, { params: { supervisorId: id } });
  expect(history.map(({ spec }) => [spec?.type, spec?.suspended])).toEqual([
    ['noop', false],
    ['autocompact', false],
    ['autocompact', true],
  ]);
  expect(await compactions()).toBe(1);
});

test('a specification is complete when it is shown, and a wrong one is refused by its field', async () => {
  const { call, post } = await started();
  await call(supervisors.submit, {
    body: {
      type: 'autocompact',
      spec: { dataSource: 'edits', skipOffsetFromLatest: 'PT0S' },
    } as never,
  });
  expect(await call(supervisors.get, { params: { supervisorId: id } })).toMatchObject({
    type: 'autocompact',
    spec: {
      type: 'inline',
      dataSource: 'edits',
      taskPriority: 25,
      inputSegmentSizeBytes: 100_000_000_000_000,
    },
    suspended: false,
  });
  const refused = async (spec: object, rest: object = {}) => {
    const { status, text } = await post('/svc/indexer/v1/supervisor', {
      type: 'autocompact',
      spec,
      ...rest,
    });
    expect(status).toBe(400);
    return text;
  };
  expect(await refused({})).toContain('spec.dataSource');
  expect(await refused({ dataSource: 'edits', skipOffsetFromLatest: 'soon' })).toContain('soon');
  expect(await refused({ dataSource: 'edits', taskPriority: 'high' })).toContain(
    'spec.taskPriority',
  );
  expect(await refused({ dataSource: 'edits' }, { id: 'other' })).toContain('[autocompact__edits]');
});

test('a supervisor of compaction takes permission to write its datasource', async () => {
  const service = await startGuarded();
  const ann = await addUser(service, 'ann', [allow('WRITE', 'DATASOURCE', 'own')]);
  const submit = (dataSource: string) =>
    ask(service, ann, 'POST /svc/indexer/v1/supervisor', {
      type: 'autocompact',
      spec: { dataSource },
    });
  expect((await submit('edits')).status).toBe(403);
  expect((await submit('own')).status).toBe(200);
});
