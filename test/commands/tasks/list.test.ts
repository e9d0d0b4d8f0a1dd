import { expect, test } from 'vitest';
import { lines, runCli } from '../../support/cli.ts';
import { startService } from '../../support/service.ts';
import { finishedTask, runningTask } from '../../support/tasks.ts';

const workerOf = (groupId: string, id: string) =>
  finishedTask(id, { status: { ...finishedTask(id).status, type: 'query_worker', groupId } });

test('--tree lists workers below their controllers, indented on a terminal', async () => {
  const service = await startService({
    tasks: [
      workerOf('b', 'worker-of-b'),
      finishedTask('a'),
      finishedTask('b'),
      workerOf('z', 'lost'),
    ],
  });
  const { stdout } = await runCli(service, 'tasks list --tree --columns id', {
    tty: true,
    env: { NO_COLOR: '1' },
  });
  const ids = stdout.split('\n').slice(1);
  expect(ids.indexOf('  worker-of-b')).toBe(ids.indexOf('b') + 1);
  expect(ids).toEqual(expect.arrayContaining(['a', 'b', 'lost']));
  const piped = await runCli(service, 'tasks list --tree -o name');
  expect(lines(piped.stdout)).toContain('worker-of-b');
});

test('--failed lists only tasks that have failed', async () => {
  const bad = finishedTask('bad');
  const service = await startService({
    tasks: [
      finishedTask('good'),
      { ...bad, status: { ...bad.status, status: 'FAILED', statusCode: 'FAILED' } },
    ],
  });
  expect((await runCli(service, 'tasks list --failed -o name')).stdout).toBe('bad\n');
  expect(await runCli(service, 'tasks list --failed --state running')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('exclude each other'),
  });
});

test('ps lists tasks that have not ended first; on a terminal a note says that none is left', async () => {
  const ended = await startService({ tasks: [finishedTask('a'), finishedTask('b')] });
  const terminal = { tty: true, env: { NO_COLOR: '1' } };
  expect((await runCli(ended, 'ps', terminal)).stdout).toMatch(
    /^No task is running, pending or waiting\. These tasks have ended:\n *ID /,
  );
  expect((await runCli(ended, 'ps')).stderr).toBe('');
  expect((await runCli(ended, 'ps --failed', terminal)).stdout).not.toContain('No task is');
  const service = await startService({ tasks: [finishedTask('a'), runningTask('begun')] });
  const { stdout, stderr } = await runCli(service, 'ps --columns id', terminal);
  expect(lines(stdout)).toEqual(['ID', 'begun', 'a']);
  expect(stderr).toBe('');
});
