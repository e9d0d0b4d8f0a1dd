// SQL over the control plane: lists of two services, joined here.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lines, runCli } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { standIn } from '../support/stand-in.ts';
import { finishedTask } from '../support/tasks.ts';

const nowhere = { url: 'http://127.0.0.1:1' };

async function aHome() {
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-control-plane-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return (line: string) =>
    runCli(nowhere, line, { env: { XDG_CONFIG_HOME: folder, SVCCTL_URL: '' } });
}

async function twoProfiles() {
  const run = await aHome();
  for (const name of ['eu', 'us']) {
    const { url } = await startService({
      tasks: [finishedTask('ingest-both'), finishedTask(`ingest-${name}`)],
    });
    expect(await run(`profiles add ${name} --url ${url}`)).toMatchObject({ code: 0 });
  }
  return (statement: string, flags = '--profiles eu,us -o tsv') =>
    run(`sql --control-plane "${statement}" ${flags}`);
}

test('lists of several services are tables, joined and counted', async () => {
  const ask = await twoProfiles();
  expect(
    lines((await ask('SELECT profile, id, status FROM tasks ORDER BY id, profile')).stdout),
  ).toEqual([
    'profile\tid\tstatus',
    'eu\tingest-both\tSUCCESS',
    'us\tingest-both\tSUCCESS',
    'eu\tingest-eu\tSUCCESS',
    'us\tingest-us\tSUCCESS',
  ]);
  const both =
    'SELECT a.id, a.profile AS here, b.profile AS there FROM tasks a JOIN tasks b ON a.id = b.id AND a.profile < b.profile';
  expect(JSON.parse((await ask(both, '--profiles us,eu -o json')).stdout)).toEqual([
    { id: 'ingest-both', here: 'eu', there: 'us' },
  ]);
  const days =
    "SELECT DISTINCT date(created) AS day, typeof(duration) AS kind FROM tasks WHERE created > '2024'";
  expect(lines((await ask(days)).stdout)).toEqual(['day\tkind', '2024-05-01\tinteger']);
  expect(
    lines(
      (
        await ask('SELECT role, leads FROM leaders WHERE leads', '--profiles eu -o csv')
      ).stdout.replaceAll('\r', ''),
    ),
  ).toEqual(['role,leads', 'coordinator,true', 'overlord,true']);
});

test('rows are chosen and shown as those of any list, and without --profiles the service in use is asked', async () => {
  const ask = await twoProfiles();
  const chosen = await ask(
    'SELECT * FROM tasks',
    `--profiles eu,us --where 'id ~ us' --columns profile,id -o tsv`,
  );
  expect(lines(chosen.stdout)).toEqual(['profile\tid', 'us\tingest-us']);
  expect(
    (await ask('SELECT COUNT(*) AS n FROM tasks WHERE id = ?', '--param VARCHAR:ingest-eu -o csv'))
      .stdout,
  ).toBe('n\r\n1\r\n');
  expect((await ask('SELECT id FROM tasks WHERE 1 = 0', '-o json')).stdout).toBe('[]\n');
});

test('heads are the names of the query, and nothing is not an empty text, as in every result of SQL', async () => {
  const ask = await twoProfiles();
  const statement =
    "SELECT id AS taskId, COUNT(*), NULL AS my_note, '' AS empty FROM tasks WHERE id = 'ingest-eu' GROUP BY id";
  expect(lines((await ask(statement, '--profiles eu -o table')).stdout)).toEqual([
    'taskId     COUNT(*)  my_note  empty',
    'ingest-eu         1     NULL',
  ]);
});

test('only the lists that the statement names are asked for', async () => {
  const service = await standIn((response) => response.end('[]'));
  const run = await aHome();
  await run(`profiles add it --url ${service.url} --no-test`);
  expect(
    await run('sql --control-plane "SELECT tasks FROM workers -- not from tasks"'),
  ).toMatchObject({ code: 0 });
  expect(service.requests.map(({ path }) => path)).toEqual(['/svc/indexer/v1/workers']);
});

test('what cannot be asked is refused before anything is sent', async () => {
  const run = await aHome();
  const refused = async (statement: string, flags = '') => {
    const { code, stdout, stderr } = await run(`sql --control-plane "${statement}" ${flags}`);
    expect({ statement, code, stdout }).toEqual({ statement, code: 2, stdout: '' });
    return stderr;
  };
  expect(await refused('SELECT * FROM taks')).toMatch(
    /^error: Table \[taks\] does not exist: there are audit, compaction, .*workers\nhint: did you mean tasks\?/,
  );
  expect(await refused('SELECT nope FROM tasks')).toContain('no such column: nope');
  expect(await refused('DELETE FROM tasks')).toContain('only reads: use SELECT');
  expect(await refused('SELECT 1; SELECT 2')).toContain('more than one statement');
  expect(await refused('SELECT 1', '--profiles eu,nobody')).toContain(
    'Profile [eu], named by --profiles, does not exist',
  );
  for (const name of ['eu', 'us'])
    await run(`profiles add ${name} --url http://127.0.0.1:1 --no-test`);
  expect(await refused('SELECT 1', '--profile eu,us')).toBe(
    'error: Value [eu,us] of --profile names several profiles; use --control-plane to query them together\nhint: name them with --profiles eu,us\n',
  );
  expect(await refused('SELECT 1', '--profile eu --profiles us')).toContain(
    '--profile and --profiles cannot be combined',
  );
  expect(await run('sql "SELECT 1" --profiles eu')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--profiles needs --control-plane'),
  });
});

test('a service that does not answer is not a join without it', async () => {
  const ask = await twoProfiles();
  const run = await aHome();
  await run('profiles add gone --url http://127.0.0.1:1 --no-test');
  const { code, stdout, stderr } = await run(
    'sql --control-plane "SELECT * FROM tasks" --profiles gone',
  );
  expect({ code, stdout, stderr }).toMatchObject({
    code: 6,
    stdout: '',
    stderr: expect.stringContaining('Profile [gone], table [tasks]: No service listens at'),
  });
  expect((await ask('SELECT 1 AS n')).stdout).toBe('n\n1\n');
});
