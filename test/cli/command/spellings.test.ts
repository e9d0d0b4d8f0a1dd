// One value, several spellings: a file as an argument or as --file, and former names of options.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCli } from '../../support/cli.ts';
import { startService } from '../../support/service.ts';

const cwd = mkdtempSync(join(tmpdir(), 'svcctl-spellings-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
writeFileSync(join(cwd, 'task.json'), '{"type":"noop","runTime":1}');
writeFileSync(join(cwd, 'rules.json'), '[{"type":"loadForever"}]');

test.each([
  'tasks submit task.json',
  'tasks submit --file task.json',
  'tasks submit -f task.json',
  'rules set wikipedia --file rules.json',
  'rules set wikipedia rules.json',
])('svcctl %s', async (line) => {
  const { stdout, code } = await runCli(await startService(), `${line} --dry-run -o json`, { cwd });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([{ method: 'POST' }]);
});

test.each([
  'tasks submit task.json --file task.json',
  'rules set wikipedia rules.json --file rules.json',
  'diff --dir a --files b',
])('svcctl %s is refused, because a value is given twice', async (line) => {
  const { stderr, code } = await runCli(await startService(), line, { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain('given twice');
});

test.each([
  'diff --dir saved',
  'diff -d saved',
  'diff --files saved',
  'diff -f saved',
  'diff saved',
])('svcctl %s reads the folder that export has written', async (line) => {
  const service = await startService();
  expect(await runCli(service, 'export --dir saved', { cwd })).toMatchObject({ code: 0 });
  expect(await runCli(service, line, { cwd })).toMatchObject({ code: 0 });
});

test('help and completion show one spelling', async () => {
  const service = await startService();
  expect((await runCli(service, 'diff --help')).stdout).not.toContain('--files');
  expect((await runCli(service, '__complete -- diff --f')).stdout).not.toContain('--files');
});

test('--key and --value name the columns of a lookup, and beside --cert --key is the private key', async () => {
  const service = await startService();
  writeFileSync(join(cwd, 'names.csv'), 'id,code,name\n1,fr,France\n2,de,Germany\n');
  const set = 'lookups set countries --csv names.csv';
  expect(await runCli(service, `${set} --key code --value name`, { cwd })).toMatchObject({
    code: 0,
  });
  expect(
    JSON.parse((await runCli(service, 'lookups contents countries -o json')).stdout),
  ).toMatchObject([
    { key: 'fr', value: 'France' },
    { key: 'de', value: 'Germany' },
  ]);
  expect(await runCli(service, `${set} --key code --key-column id`, { cwd })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('given twice: as --key-column and as --key'),
  });
  for (const tls of [
    `${set} --key missing.pem --cert names.csv`,
    'lookups set countries --file names.csv --key missing.pem',
  ])
    expect(await runCli(service, tls, { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('[missing.pem] of --key is not a file'),
    });
});

test('an unknown flag is answered with the longer ones that begin with it', async () => {
  const service = await startService();
  expect(await runCli(service, 'ingest files x.csv --into x --time t', { cwd })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('hint: did you mean --time-column or --time-format?'),
  });
});
