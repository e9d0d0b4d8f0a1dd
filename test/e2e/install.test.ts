// Installation as in the README: one line installs the program and its manual.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

test('npm install -g . puts svcctl on the PATH, with its manual, and npm uninstall takes both away', () => {
  const prefix = mkdtempSync(join(tmpdir(), 'svcctl-prefix-'));
  onTestFinished(() => rmSync(prefix, { recursive: true }));
  // The program is built already; nothing is fetched, because the folder itself becomes the
  // package.
  const npm = (...args: readonly string[]) =>
    execFileSync(
      'npm',
      [
        ...args,
        '--global',
        '--prefix',
        prefix,
        '--offline',
        '--ignore-scripts',
        '--no-audit',
        '--no-fund',
      ],
      {
        stdio: 'pipe',
      },
    );
  npm('install', '.');
  const env = { PATH: `${join(prefix, 'bin')}${delimiter}${process.env.PATH}`, HOME: prefix };
  const svcctl = (...args: readonly string[]) =>
    execFileSync('svcctl', args, { cwd: prefix, env, encoding: 'utf8' });
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(svcctl('--version')).toBe(`${version}\n`);
  expect(svcctl('completion', 'bash')).toContain('complete -o default -F _svcctl svcctl');
  const manual = join(prefix, 'share/man/man1');
  expect(readdirSync(manual).toSorted()).toEqual(readdirSync('man').toSorted());
  expect(readFileSync(join(manual, 'svcctl-tasks-list.1'), 'utf8')).toContain('list tasks');
  expect(
    readdirSync(realpathSync(join(prefix, 'lib/node_modules/svcctl/completions'))).toSorted(),
  ).toEqual(['_svcctl', 'svcctl.bash', 'svcctl.fish', 'svcctl.ps1']);
  npm('uninstall', 'svcctl');
  expect([readdirSync(join(prefix, 'bin')), readdirSync(manual)]).toEqual([[], []]);
});
