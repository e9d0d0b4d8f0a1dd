import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lines, runCli } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { finishedTask } from '../support/tasks.ts';

const nowhere = { url: 'http://127.0.0.1:1' };

async function twoProfiles() {
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-across-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const place = { env: { XDG_CONFIG_HOME: folder, SVCCTL_URL: '' } };
  for (const name of ['eu', 'us']) {
    const { url } = await startService({ tasks: [finishedTask(`ingest-${name}`)] });
    expect(await runCli(nowhere, `profiles add ${name} --url ${url}`, place)).toMatchObject({
      code: 0,
    });
  }
  return (line: string) => runCli(nowhere, line, place);
}

test('a list of several profiles is one list, with a column that says whose each row is', async () => {
  const run = await twoProfiles();
  const list = await run('tasks list --profile eu,us --columns profile,id,status -o tsv');
  expect(lines(list.stdout)).toEqual([
    'profile\tid\tstatus',
    'eu\tingest-eu\tSUCCESS',
    'us\tingest-us\tSUCCESS',
  ]);
  expect(
    JSON.parse((await run(`tasks list --profile us,eu --where 'profile = eu' -o json`)).stdout),
  ).toMatchObject([{ profile: 'eu', id: 'ingest-eu' }]);
  expect(lines((await run('tasks list --profile eu,us -o name')).stdout)).toEqual([
    'ingest-eu',
    'ingest-us',
  ]);
  expect(lines((await run(`sql "SELECT 1 AS n" --profile us,eu -o tsv`)).stdout)).toEqual([
    'profile\tn',
    'us\t1',
    'eu\t1',
  ]);
});

test('a service that fails is said by its profile, and the others answer', async () => {
  const run = await twoProfiles();
  expect(await run('profiles add gone --url http://127.0.0.1:1 --no-test')).toMatchObject({
    code: 0,
  });
  const list = await run('tasks list --profile eu,gone,us -o name');
  expect(list).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('error: Profile [gone]: No service listens at'),
  });
  expect(lines(list.stdout)).toEqual(['ingest-eu', 'ingest-us']);
  expect(await run('tasks list --profile eu,nobody')).toMatchObject({ code: 2, stdout: '' });
  expect(await run('tasks list --profile eu,')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Value [] of --profile is empty'),
  });
});

test('what changes something is for one profile', async () => {
  const run = await twoProfiles();
  for (const line of [
    'tasks cancel ingest-eu --yes',
    'rules add wiki --type loadForever',
    'tasks get ingest-eu',
  ])
    expect(await run(`${line} --profile eu,us`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'Value [eu,us] of --profile names several profiles; only commands that list something accept several',
      ),
    });
});
