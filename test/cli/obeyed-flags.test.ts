// Shared flags with commands that do not support all of them.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCli, runShell } from '../support/cli.ts';

const nowhere = { url: '' };

test('help shows a shared flag only where it means something, and elsewhere it is refused with the reason', async () => {
  const help = (words: string) => runCli(nowhere, `${words} --help --all`);
  const served = (await help('serve')).stdout;
  for (const shown of ['--service', '--user', '--password-file', '--error-format'])
    expect(served).toContain(shown);
  for (const hidden of [
    '--output',
    '--columns',
    '--timeout',
    '--profile',
    '--print-curl',
    '--insecure',
  ])
    expect(served).not.toContain(hidden);
  expect((await help('completion')).stdout).not.toMatch(/--output|--url|--profile/);
  expect((await help('profiles list')).stdout).toMatch(/--output.*--sort/s);
  expect((await help('profiles list')).stdout).not.toMatch(/--url|--timeout/);
  expect((await help('users list')).stdout).toMatch(/--output.*--url/s);

  for (const [line, said] of [
    ['man -o json', "unknown option '-o'\nhint: -o does not apply to this command: omit it"],
    [
      '-o json man',
      "unknown option '--output'\nhint: --output does not apply to this command: omit it",
    ],
    [
      'serve --port 0 --timeout 5',
      "unknown option '--timeout'\nhint: --timeout does not apply to this command: omit it",
    ],
    [
      'users get ann --sort name',
      "unknown option '--sort'\nhint: --sort is for commands that list something",
    ],
    [
      'users get ann --dry-run',
      "unknown option '--dry-run'\nhint: --dry-run is for commands that change something",
    ],
  ])
    expect({ line, ...(await runCli(nowhere, String(line))) }).toEqual({
      line,
      stdout: '',
      stderr: `error: ${said}\n`,
      code: 2,
    });
  expect((await runCli(nowhere, '__complete -- serve --time')).stdout).toBe('');
  expect((await runCli(nowhere, '__complete -- users list --time')).stdout).toBe('--timeout\n');
});

test('an environment meant for other commands disturbs none: no format for a manual, no profile for what needs none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svcctl-obeyed-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'svcctl'), { mode: 0o700 });
  await writeFile(join(folder, 'svcctl', 'config.json'), '{ broken');
  const place = {
    cwd: folder,
    env: {
      XDG_CONFIG_HOME: folder,
      SVCCTL_OUTPUT: 'json',
      SVCCTL_TIMEOUT: '5',
      SVCCTL_PROFILE: 'gone',
    },
  };
  expect(await runCli(nowhere, 'man whoami', place)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^svcctl whoami\n/),
  });
  expect(await runCli(nowhere, 'serve --port 0 --ephemeral -- echo served', place)).toMatchObject({
    code: 0,
    stdout: 'served\n',
  });
  expect(await runCli(nowhere, 'whoami', place)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is broken: line 1'),
  });

  await rm(join(folder, 'svcctl', 'config.json'));
  expect(await runCli(nowhere, 'profiles prompt', place)).toMatchObject({
    code: 0,
    stdout: '(gone?)\n',
  });
  expect(await runCli(nowhere, 'profiles list', place)).toMatchObject({ code: 0, stdout: '[]\n' });
  expect(await runCli(nowhere, 'whoami', place)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('[gone], named by SVCCTL_PROFILE'),
  });
  expect(await runCli(nowhere, 'logout', place)).toMatchObject({ code: 2 });
  const add = 'profiles add gone --url http://127.0.0.1:1 --no-test'; // as the error before has advised
  expect(await runCli(nowhere, add, place)).toMatchObject({ code: 0 });
  expect(await runCli(nowhere, 'profiles prompt', place)).toMatchObject({ stdout: '(gone)\n' });
});

test('no letter that the prompt of a shell obeys is printed for it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svcctl-prompt-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(
    join(folder, '.svcctl.json'),
    JSON.stringify({ profile: 'größe-1 $(id) `id` \\[\x1b]0;x\x07 %F{red}!\nx\u202e' }),
  );
  const place = { cwd: folder, env: { XDG_CONFIG_HOME: folder } };
  expect(await runCli(nowhere, 'profiles prompt', place)).toMatchObject({
    code: 0,
    stdout: '(größe-1 ??id? ?id? ????0?x? ?F?red???x??)\n',
  });
  await writeFile(join(folder, '.svcctl.json'), '{"profile":"constructor"}');
  expect(await runCli(nowhere, 'profiles prompt', place)).toMatchObject({
    code: 0,
    stdout: '(constructor?)\n',
  });
});

test('a file behind -o is not a format: the hint says how to write one', async () => {
  const place = { cwd: tmpdir() };
  for (const [line, hint] of [
    ['plan --files . -o plan.json', '--out plan.json writes it'],
    ['users list -o users.csv', 'to write to a file: > users.csv'],
  ])
    expect(await runCli(nowhere, String(line), place)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`hint: ${hint}\n`),
    });
  expect((await runCli(nowhere, 'profiles list -o JSON', place)).stdout).toBe('[]\n'); // capitals are forgiven
});

test('where words to people cannot be written, the exit code still says it', async () => {
  const { stdout } = await runShell(
    nowhere,
    'for line in nosuch "users list --nope"; do svcctl $line 2> /dev/full; echo $?; done; svcctl nosuch <&- >&- 2>&-; echo $?',
  );
  expect(stdout).toBe('2\n2\n2\n');
});

test('a value that several may be of is refused with all that there are, and a password on the line with the ways to give one', async () => {
  expect(await runCli(nowhere, 'audit --area nope')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'Value [nope] of --area is not allowed: choices are rules, config, compaction, supervisors\n',
    ),
  });
  expect((await runCli(nowhere, 'users password ann --password x')).stderr).toContain(
    'for another user, use --new-password-stdin',
  );
});

test('capitals of a value that can only be one are forgiven', async () => {
  const { stdout, code } = await runCli(nowhere, 'completion BASH -q');
  expect([code, stdout]).toEqual([0, expect.stringContaining('_svcctl()')]);
});
