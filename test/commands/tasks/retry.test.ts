import { expect, test } from 'vitest';
import { lines, runCli } from '../../support/cli.ts';
import { startService } from '../../support/service.ts';
import { finishedTask, runningTask } from '../../support/tasks.ts';

const failed = { status: 'FAILED', statusCode: 'FAILED', errorMsg: 'out of luck' } as const;

test('a failed task runs again under a new id', async () => {
  const payload = { type: 'noop', id: 'nightly', groupId: 'nightly', runTime: 1 };
  const nightly = finishedTask('nightly', { payload });
  const service = await startService({
    tasks: [{ ...nightly, status: { ...nightly.status, ...failed, type: 'noop' } }],
  });
  const { stdout, stderr, code } = await runCli(service, 'tasks retry nightly --wait');
  expect({ stderr, code }).toMatchObject({ code: 0, stderr: expect.stringContaining('succeeded') });
  const [id = ''] = lines(stdout);
  expect(id).not.toBe('nightly');
  expect((await runCli(service, `tasks get ${id} -o json`)).stdout).toMatch(/"runTime": ?1/);
});

test('the statement of an SQL task is sent again with its context', async () => {
  const service = await startService();
  const statement =
    "INSERT INTO numbers SELECT TIMESTAMP '2024-05-01' AS __time, 1 AS n PARTITIONED BY DAY";
  const { stdout } = await runCli(
    service,
    `ingest sql "${statement}" --context rowsPerSegment=7 --wait -q`,
  );
  const [first = ''] = lines(stdout);
  const again = await runCli(service, `tasks retry ${first} --yes --wait=queryable -q`);
  expect(again).toMatchObject({ code: 0, stderr: '' });
  const payload = JSON.parse(
    (await runCli(service, `tasks get ${lines(again.stdout)[0]} -o json`)).stdout,
  ) as { sqlQueryContext: object };
  expect(payload.sqlQueryContext).toMatchObject({ rowsPerSegment: 7 });
  expect(
    (await runCli(service, "sql 'SELECT SUM(n) FROM numbers' -o csv --no-header")).stdout,
  ).toBe('2\n');
});

test.each([
  ['a running task', runningTask('one'), 'has not ended'],
  [
    'a worker',
    finishedTask('one', {
      status: { ...finishedTask('one').status, type: 'query_worker', groupId: 'leader' },
    }),
    'is a worker of task [leader]',
  ],
  [
    'a task of a supervisor',
    finishedTask('one', { status: { ...finishedTask('one').status, type: 'index_kafka' } }),
    'its supervisor starts such tasks itself',
  ],
])('%s cannot run again, and the error says what to do', async (_, task, says) => {
  const { stdout, stderr, code } = await runCli(
    await startService({ tasks: [task] }),
    'tasks retry one --yes',
  );
  expect({ stdout, code }).toEqual({ stdout: '', code: 9 });
  expect(stderr).toContain(says);
  expect(stderr).toContain('hint: svcctl ');
});

test('a task that succeeded needs a confirmation', async () => {
  const payload = { type: 'noop', id: 'one', runTime: 1 };
  const service = await startService({ tasks: [finishedTask('one', { payload })] });
  expect(await runCli(service, 'tasks retry one')).toMatchObject({
    code: 9,
    stderr: expect.stringContaining('add --yes'),
  });
});
