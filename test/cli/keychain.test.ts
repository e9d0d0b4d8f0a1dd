// Passwords in the keychain of the system, and what is said where it is locked, silent or not
// there.
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lines, runCli, runShell } from '../support/cli.ts';
import { standIn } from '../support/stand-in.ts';

const isThere = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const hasKeychain = ['dbus-run-session', 'gnome-keyring-daemon', 'gdbus'].every(isThere);

async function aHome(profiles: object) {
  const folder = await mkdtemp(join(tmpdir(), 'svcctl-keychain-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'svcctl', 'config.json');
  await mkdir(join(folder, 'svcctl'), { mode: 0o700 });
  await mkdir(join(folder, 'run'), { mode: 0o700 });
  await writeFile(file, JSON.stringify({ current: 'a', profiles }), { mode: 0o600 });
  const env = {
    XDG_CONFIG_HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_RUNTIME_DIR: join(folder, 'run'),
    HOME: folder,
  };
  const profile = async () =>
    (JSON.parse(await readFile(file, 'utf8')) as { profiles: { a?: object } }).profiles.a;
  return { profile, place: { cwd: folder, env } };
}

test.runIf(process.platform === 'linux')(
  '16: a keychain that is not there is named, and nothing is called forgotten that is not',
  async () => {
    const kept = { url: 'http://127.0.0.1:1', service: 'svc', user: 'me', passwordIn: 'keychain' };
    const { profile, place } = await aHome({ a: kept });
    const service = { url: '' };
    expect(await runCli(service, 'whoami', place)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: The password of profile \[a\] cannot be read from the keychain: .*\nhint: unlock it, or give the password/,
      ),
    });
    expect(await runCli(service, 'logout', place)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is still in the keychain: '),
    });
    expect(await profile()).toEqual(kept);
    expect(await runCli(service, 'profiles remove a --yes', place)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^warning: its password is still in the keychain, as \[svcctl\/a\]: .*\nProfile \[a\] is removed/s,
      ),
    });
  },
);

test.runIf(hasKeychain)(
  '16: login keeps the password in the keychain, commands find it, a locked one is said, and logout forgets it',
  async () => {
    const { url } = await standIn((response, { path, headers }) => {
      const isKnown = headers.authorization === `Basic ${btoa('me:hush-hush')}`;
      if (!isKnown) response.writeHead(401).end();
      else response.end(path === '/status' ? '{"version":"1","modules":[],"memory":{}}' : '[]');
    });
    const { profile, place } = await aHome({ a: { url, service: 'svc', user: 'me' } });
    const session = async (script: string) => {
      const start = `printf key | gnome-keyring-daemon --unlock --components=secrets > /dev/null 2>&1; gdbus wait --session --timeout 60 org.freedesktop.secrets; ${script}`;
      await writeFile(
        join(place.cwd, 'session.sh'),
        `svcctl() { '${process.execPath}' '${join(process.cwd(), 'bin/svcctl.cjs')}' "$@"; }\n${start}`,
      );
      const { stdout, stderr } = await runShell(
        { url: '' },
        'dbus-run-session -- bash session.sh',
        place,
      );
      return {
        stdout: lines(stdout),
        stderr: lines(stderr).filter((line) => !/dbus|Gtk|^$/.test(line)),
      };
    };
    const lock = `gdbus call --session --dest org.freedesktop.secrets --object-path /org/freedesktop/secrets \\
    --method org.freedesktop.Secret.Service.Lock "['/org/freedesktop/secrets/collection/login']" > /dev/null`;
    const { stdout, stderr } = await session(`
    echo hush-hush | svcctl login --password-stdin
    svcctl api GET /status --query version -o json; echo $?
    ${lock}
    svcctl api GET /status --query version -o json; echo $?
    svcctl logout; echo $?`);
    expect(stdout).toEqual(['"1"', '0', '2', '1']);
    expect(stderr).toEqual([
      'Logged in as user [me] in profile [a]. The password is in the keychain.',
      'next: svcctl whoami',
      expect.stringContaining('cannot be read from the keychain'),
      expect.stringContaining('hint: unlock it'),
      expect.stringContaining('is still in the keychain'),
      'hint: unlock it, and log out again',
    ]);
    expect(await profile()).toEqual({ url, service: 'svc', user: 'me', passwordIn: 'keychain' });
    const next = await session(
      'svcctl api GET /status --query version -o json; svcctl logout; svcctl api GET /status; echo $?',
    );
    expect(next.stdout).toEqual(['"1"', '2']);
    expect(await profile()).toEqual({ url, service: 'svc', user: 'me' });
  },
);
