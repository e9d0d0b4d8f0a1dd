// The built program as a service with a directory, and from a shell: what docs/users.md shows.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { certificate } from '../support/certificates.ts';
import { runShell } from '../support/cli.ts';
import { startServed } from '../support/served.js';
import { baseDn, directoryIsMissing, reader, startDirectory } from './slapd.ts';
import { withDirectory } from './with-directory.ts';

const as = (user: string, password = `${user}-password`) => ({
  env: { SVCCTL_USER: user, SVCCTL_PASSWORD: password },
});

async function serve(
  properties: Readonly<Record<string, string>>,
  env: Record<string, string> = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-ldap-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const config = join(folder, 'runtime.properties');
  writeFileSync(
    config,
    Object.entries(properties)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  const service = await startServed(['--ephemeral', '--config', config], env);
  onTestFinished(async () => {
    await service.stop();
  });
  return service;
}

describe.skipIf(directoryIsMissing() !== undefined)('svcctl with a directory', () => {
  test('groups of the directory get roles, their users come in, and commands tell what is where', async () => {
    const directory = await startDirectory();
    const more = {
      bindPassword: '{"type":"environment","variable":"READER_PASSWORD"}',
      'svc.auth.basic.ssl.trustStorePath': certificate('authority.pem'),
    };
    const service = await serve(withDirectory({ url: directory.secureUrl }, more), {
      READER_PASSWORD: reader.password,
    });
    const run = (line: string, who = as('root')) => runShell(service, line, who);
    expect(
      await run(`svcctl roles create readers && svcctl permissions grant readers --type datasource --name 'wiki.*' --action READ &&
        svcctl permissions grant readers --type state --name '.*' --action READ &&
        svcctl group-mappings create staff --pattern 'CN=readers,*' --role readers &&
        svcctl group-mappings create north --pattern '*,OU=north,OU=groups,${baseDn}'`),
    ).toMatchObject({ code: 0, stdout: '' });
    expect((await run('svcctl group-mappings list -o csv')).stdout).toContain(
      'staff,"CN=readers,*",readers',
    );
    expect((await run('svcctl roles list -o name')).stdout.split('\n')).toContain('readers');
    expect(JSON.parse((await run('svcctl whoami -o json', as('ann'))).stdout)).toEqual({
      user: 'ann',
      url: service.url,
      sees: { state: true, config: false, datasources: [] },
    });
    expect(JSON.parse((await run('svcctl whoami -o json')).stdout)).toMatchObject({
      sees: { state: true, config: true },
    });
    const users = (await run('svcctl users list -o csv')).stdout;
    expect(users).toContain('admin,false,true');
    expect(users).not.toContain('ann'); // who is in the directory is not in the store

    const made = await run(`echo x | svcctl users create joe --new-password-stdin`);
    expect([made.code, made.stderr]).toEqual([
      1,
      expect.stringContaining('Authenticator [directory] reads its users from a directory'),
    ]);
    expect(
      await run(
        'svcctl api POST /svc-ext/basic-security/authorization/db/roles/users/bob && svcctl users grant bob admin',
      ),
    ).toMatchObject({ code: 0 });
    expect((await run('svcctl cluster properties', as('bob'))).code).toBe(0); // roles of the user of the same name
    const mapped = await run(`svcctl group-mappings create all --pattern 'CN=.*'`);
    expect(mapped.code).toBe(0); // a name like any other, of a group that is called so
    const wrong = await run(`svcctl group-mappings create all2 --pattern 'CN=staff,.*'`);
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringContaining("none of a group's distinguished name, *,DN and RDN,*"),
    ]);

    await run('svcctl group-mappings revoke staff readers');
    expect((await run('svcctl status get', as('ann'))).code).toBe(4);
    await run('svcctl group-mappings grant staff readers');
    expect((await run('svcctl status get', as('ann'))).code).toBe(0);
    await run('svcctl group-mappings delete staff --yes');
    expect((await run('svcctl status get', as('ann'))).code).toBe(4);
    const refused = await run('svcctl status get', as('ann', 'wrong'));
    expect([refused.code, refused.stderr]).toEqual([
      4,
      expect.stringContaining('rejected this user and password'),
    ]);
    await directory.stop();
    const away = await run('svcctl status get', as('eve'));
    expect([away.code, away.stderr]).toEqual([
      expect.any(Number),
      expect.stringContaining('The LDAP directory cannot be reached now'),
    ]);
    expect(away.code).not.toBe(4); // nobody knows whether the password is wrong
  }, 120_000); // a command waits for a directory that may come back

  test('the properties in docs/users.md are enough', async () => {
    const directory = await startDirectory();
    const [, text = ''] =
      /^```properties\n(.*?)^```$/ms.exec(readFileSync('docs/users.md', 'utf8')) ?? [];
    const places = {
      'ldaps://ldap.example.org:636': directory.secureUrl,
      '/etc/ssl/directory-authority.pem': certificate('authority.pem'),
    };
    const lines = Object.entries(places)
      .reduce((all, [from, to]) => all.replace(from, to), text)
      .trimEnd()
      .split('\n');
    const service = await serve(
      Object.fromEntries(
        lines.map((line): [string, string] => [
          line.slice(0, line.indexOf('=')),
          line.slice(line.indexOf('=') + 1),
        ]),
      ),
      { READER_PASSWORD: reader.password },
    );
    const run = (line: string, who: string) => runShell(service, line, as(who));
    expect(
      await run(
        "svcctl roles create readers && svcctl group-mappings create north --pattern '*,ou=north,ou=groups,dc=example,dc=org' --role readers",
        'root',
      ),
    ).toMatchObject({ code: 0 });
    expect(
      (
        await run(
          'svcctl permissions grant readers --type STATE --name STATE --action READ',
          'root',
        )
      ).code,
    ).toBe(0);
    expect([
      (await run('svcctl status get', 'bob')).code,
      (await run('svcctl status get', 'ann')).code,
    ]).toEqual([0, 4]);
  });

  test.each([
    ['the right password', 'svc_system-password', false],
    ['a wrong password', 'wrong', true],
  ])('the escalator with %s', async (_, password, isTold) => {
    const directory = await startDirectory();
    const service = await serve({
      ...withDirectory(directory),
      'svc.escalator.type': 'basic',
      'svc.escalator.internalClientUsername': 'svc_system',
      'svc.escalator.internalClientPassword': password,
      'svc.escalator.authorizerName': 'roles',
    });
    expect((await runShell(service, 'svcctl whoami', as('root'))).code).toBe(0); // asked after it
    const { said } = await service.stop();
    expect(
      said.includes(
        'is not the password of user [svc_system] of property escalator.internalClientUsername',
      ),
    ).toBe(isTold);
    expect(said).not.toContain('    at ');
  });
});
