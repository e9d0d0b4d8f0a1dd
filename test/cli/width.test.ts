// COLUMNS sets the width, as in other programs, and times that are none are a hyphen.
import { expect, test } from 'vitest';
import { lines, runCli } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { finishedTask } from '../support/tasks.ts';

test('COLUMNS is obeyed by tables and by help', async () => {
  const service = await startService({ tasks: [finishedTask(`${'long-'.repeat(12)}name`)] });
  const env = { NO_COLOR: '1', COLUMNS: '60' };
  const { stdout } = await runCli(service, 'tasks list -q', { tty: true, cols: 120, env });
  for (const line of lines(stdout)) expect(line.length).toBeLessThanOrEqual(60);
  const helpAt = async (COLUMNS: string) =>
    lines((await runCli(service, 'tasks cancel --help --all', { env: { COLUMNS } })).stdout).length;
  expect(await helpAt('60')).toBeGreaterThan(await helpAt('120'));
});

test('the queue time of a task that never waited is a hyphen', async () => {
  const task = finishedTask('a');
  const status = { ...task.status, queueInsertionTime: '1970-01-01T00:00:00.000Z' };
  const service = await startService({ tasks: [{ ...task, status }] });
  const { stdout } = await runCli(service, 'tasks status a', { tty: true, env: { NO_COLOR: '1' } });
  expect(stdout).toMatch(/^queueInsertionTime +-$/m);
});

test('the times of a datasource without times are hyphens', async () => {
  const service = await startService();
  const statement = 'REPLACE INTO plain OVERWRITE ALL SELECT 1 AS n PARTITIONED BY ALL';
  expect(await runCli(service, `ingest sql "${statement}" --wait=queryable -q`)).toMatchObject({
    code: 0,
  });
  const { stdout } = await runCli(
    service,
    'datasources list --columns name,minTime,maxTime -o table --no-header',
  );
  expect(stdout).toMatch(/^plain +- +-$/m);
});
