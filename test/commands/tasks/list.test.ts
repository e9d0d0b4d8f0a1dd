import { expect, test } from 'vitest';
import { lines, runCli } from '../../support/cli.ts';
import { startService } from '../../support/service.ts';
import { finishedTask } from '../../support/tasks.ts';

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
