// Users, roles and permissions from a shell: the built program against a service that asks who is
// there.
import { expect, test } from 'vitest';
import { lines, runCli, runShell } from '../support/cli.ts';
import { ingest, startGuarded } from '../support/users.ts';

const as = (user: string, password: string) => ({
  env: { SVCCTL_USER: user, SVCCTL_PASSWORD: password },
});
const admin = as('admin', 'admin-password');

test('a reader is made, reads, is refused elsewhere, and is gone', async () => {
  const service = await startGuarded();
  await ingest(service, 'wiki', 'secrets');
  const run = (line: string, who = admin) => runShell(service, line, who);
  const made =
    await run(`svcctl roles create readers && svcctl permissions grant readers --type datasource --name 'wiki.*' --action READ &&
    echo for-ann | svcctl users create ann --role readers --new-password-stdin`);
  expect(made).toMatchObject({ code: 0, stdout: '' });
  expect(lines(made.stderr).filter((line) => !line.startsWith('next:'))).toEqual([
    'Role [readers] is created.',
    'Role [readers] allows READ of DATASOURCE [wiki.*].',
    'User [ann] is created.',
  ]);
  expect((await run('svcctl users list --roles -o csv --where name=ann')).stdout).toBe(
    'name,authenticated,authorized,roles\r\nann,true,true,readers\r\n',
  );
  const ann = as('ann', 'for-ann');
  expect(JSON.parse((await run('svcctl whoami -o json', ann)).stdout)).toEqual({
    user: 'ann',
    url: service.url,
    sees: { state: false, config: false, datasources: ['wiki'] },
  });
  expect((await run(`svcctl sql 'SELECT "word" FROM wiki' -o csv`, ann)).stdout).toContain('wiki');
  expect(await run(`svcctl sql 'SELECT "word" FROM secrets'`, ann)).toMatchObject({
    code: 4,
    stdout: '',
  });
  expect(await run('svcctl users list', ann)).toMatchObject({ code: 4, stdout: '' });
  const wrong = await run('svcctl status get', as('ann', 'wrong'));
  expect([wrong.code, wrong.stderr]).toEqual([
    4,
    expect.stringContaining('rejected this user and password'),
  ]);

  for (const shown of [
    '--dry-run',
    '--dry-run -o json',
    '--dry-run --print-curl --debug',
    '--print-curl --debug',
  ]) {
    const { stdout, stderr, code } = await run(
      `echo hush-hush | svcctl users password ann --new-password-stdin ${shown}`,
    );
    expect([code, stdout + stderr]).toEqual([0, expect.not.stringContaining('hush-hush')]);
    expect(stdout + stderr).toContain('<masked>');
  }
  await run('echo other | svcctl users password ann --new-password-stdin');
  expect([
    (await run('svcctl datasources list -o name', ann)).code,
    (await run('svcctl datasources list -o name', as('ann', 'other'))).stdout,
  ]).toEqual([4, 'wiki\n']);
  await run('svcctl users revoke ann readers');
  expect(await run('svcctl users revoke ann readers')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('does not have role [readers]'),
  });
  expect((await run('svcctl datasources list -o name', as('ann', 'other'))).stdout).toBe('');
  await run('svcctl users grant ann readers');
  expect(await run('svcctl users grant ann readers')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'User [ann] already has role [readers].\n',
  });
  expect(JSON.parse((await run('svcctl users get ann -o json')).stdout)).toMatchObject({
    password: true,
    roles: [
      {
        name: 'readers',
        permissions: [{ resource: { name: 'wiki.*', type: 'DATASOURCE' }, action: 'READ' }],
      },
    ],
  });
  expect((await run('svcctl users get ann -o csv')).stdout).toContain(
    'readers: READ DATASOURCE wiki.*',
  );
  expect((await run('svcctl roles get readers -o csv')).stdout).toContain('READ DATASOURCE wiki.*');
  expect(await run('svcctl users delete admin --yes')).toMatchObject({
    code: 9,
    stderr: expect.stringContaining('--confirm=admin'),
  });
  expect(await run('svcctl users delete ann < /dev/null')).toMatchObject({ code: 9 });
  expect(await run('svcctl users delete ann --yes')).toMatchObject({ code: 0 });
  expect((await run('svcctl datasources list', as('ann', 'other'))).code).toBe(4);
});

test('a permission of a type that does not exist is refused before anything is sent; those of extensions are called so', async () => {
  const service = await startGuarded();
  const run = (line: string) => runShell(service, line, admin);
  await run('svcctl roles create readers');
  const grant = 'svcctl permissions grant readers --name x --action READ';
  expect(await run(`${grant} --type NOPE`)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /Value \[NOPE\] of --type is not allowed: .* DATASOURCE, VIEW, CONFIG, STATE, SYSTEM_TABLE, QUERY_CONTEXT, EXTERNAL\n/,
    ),
  });
  expect(await run(grant)).toMatchObject({ code: 2, stderr: expect.stringContaining('--type') });
  const misspelled = `echo '[{"resource":{"name":"x","type":"DATASORCE"},"action":"READ"}]' | svcctl permissions set readers -f -`;
  expect(await run(misspelled)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('hint: did you mean DATASOURCE?'),
  });
  expect((await run('svcctl permissions list readers -o json')).stdout).toBe('[]\n');

  expect(
    (
      await run(
        `${grant} --extension-type THING && svcctl permissions list readers -o csv --no-header`,
      )
    ).stdout,
  ).toBe('THING,x,READ\r\n');
  expect(
    (
      await run(
        `svcctl permissions list readers -o json | svcctl permissions set readers -f - --extension-type THING`,
      )
    ).code,
  ).toBe(0);
  expect((await run(`${grant.replace('grant', 'revoke')} --extension-type THING`)).code).toBe(0);
});

test('a list of users says nothing of roles unless it asked for them', async () => {
  const service = await startGuarded();
  const run = (line: string) => runShell(service, line, admin);
  expect(lines((await run('svcctl users list -o csv')).stdout)).toEqual([
    'name,authenticated,authorized\r',
    'admin,true,true\r',
    expect.any(String),
  ]);
  for (const flags of ['--roles', '-o wide', '--where roles~admin', '--columns name,roles'])
    expect({ flags, ...(await run(`svcctl users list -o csv ${flags}`)) }).toMatchObject({
      stdout: expect.stringMatching(/roles\s.*\badmin\s/is),
    });
});

test('a user, a role or a mapping that is not there has the exit code of that, and a hint', async () => {
  const service = await startGuarded();
  for (const line of [
    'users get nobody',
    'users delete nobody --yes',
    'users grant admin nothing',
    'roles get nothing',
    'roles delete nothing --yes',
    'permissions list nothing',
    'group-mappings get nothing',
    'group-mappings delete nothing --yes',
  ]) {
    const { stdout, stderr, code } = await runCli(service, line, admin);
    expect({ line, stdout, stderr, code }).toEqual({
      line,
      stdout: '',
      stderr: expect.stringContaining('hint: svcctl users list, '),
      code: 3,
    });
  }
});

test('what a role allows is seen, replaced from a file, and taken back', async () => {
  const service = await startGuarded();
  const run = (line: string) => runShell(service, line, admin);
  await run('svcctl roles create writers');
  const file = `echo '[{"resource":{"name":".*","type":"DATASOURCE"},"action":"WRITE"},{"resource":{"name":"STATE","type":"STATE"},"action":"READ"}]'`;
  expect((await run(`${file} | svcctl permissions set writers -f -`)).stderr).toContain(
    'Role [writers] has 2 permissions.',
  );
  expect(
    (await run('svcctl permissions grant writers --type STATE --name STATE --action READ')).stderr,
  ).toContain('allows this already');
  await run('svcctl permissions revoke writers --type STATE --name STATE --action READ');
  expect((await run('svcctl permissions list writers -o csv')).stdout).toBe(
    'type,name,action\r\nDATASOURCE,.*,WRITE\r\n',
  );
  expect(
    (await run('svcctl permissions revoke writers --type STATE --name STATE --action READ')).code,
  ).toBe(3);
  const bad = await run(`svcctl permissions grant writers --type STATE --name '(' --action READ`);
  expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('regex[(] does not compile')]);
  const dry = await run(`echo '[]' | svcctl permissions set writers -f - --dry-run`);
  expect(dry.stdout).toContain(
    '/svc-ext/basic-security/authorization/db/roles/roles/writers/permissions',
  );
  expect((await run(`echo '[]' | svcctl permissions set writers -f -`)).code).toBe(9);

  await run(`svcctl group-mappings create staff --pattern 'CN=staff,DC=example' --role writers`);
  expect((await run('svcctl group-mappings list -o csv')).stdout).toContain(
    'staff,"CN=staff,DC=example",writers',
  );
  await run(
    'svcctl group-mappings grant staff admin && svcctl group-mappings revoke staff writers',
  );
  expect(JSON.parse((await run('svcctl group-mappings get staff -o json')).stdout)).toMatchObject({
    roles: ['admin'],
  });
  expect((await run('svcctl group-mappings delete staff --yes')).code).toBe(0);
  expect(JSON.parse((await run('svcctl roles get writers -o json')).stdout)).toMatchObject({
    users: [],
    groups: [],
  });
  expect((await run('svcctl roles delete writers --yes')).code).toBe(0);
  expect((await run('svcctl roles list -o name')).stdout).toBe('admin\nsvc_system\n');
  expect((await run('svcctl users refresh -o csv')).stdout).toBe(
    'name,kind,loaded\r\nusers,authenticator,true\r\nroles,authorizer,true\r\n',
  );
});

test('where a password may come from, and where the service has no users', async () => {
  const service = await startGuarded();
  expect(await runCli(service, 'users create bob --no-input', admin)).toMatchObject({
    code: 2,
    stdout: '',
  });
  const typed = await runCli(service, 'users create bob', {
    ...admin,
    tty: true,
    types: [['New password of bob:', 'typed-in\r']],
  });
  expect([typed.code, typed.stdout.includes('typed-in')]).toEqual([0, false]);
  expect(
    JSON.parse((await runCli(service, 'whoami -o json', as('bob', 'typed-in'))).stdout),
  ).toMatchObject({ user: 'bob' });
  expect((await runCli(service, 'users create eve --without-password', admin)).code).toBe(0);
  expect((await runCli(service, 'whoami', as('eve', ''))).code).not.toBe(0);
  const { startService } = await import('../support/service.ts');
  const open = await startService();
  const nobody = await runCli(open, 'users list');
  expect([nobody.code, nobody.stderr]).toEqual([
    3,
    expect.stringContaining(
      'a service has users only with basic security, and its Coordinator manages them',
    ),
  ]);
  expect(JSON.parse((await runCli(open, 'whoami -o json')).stdout)).toMatchObject({
    user: null,
    sees: { state: true, config: true },
  });
});

test('a user of a directory gets roles here, and no password; roles of groups are said to be missing', async () => {
  const service = await startGuarded();
  const run = (line: string, who = admin) => runShell(service, line, who);
  await run('svcctl roles create readers');
  expect((await run('svcctl whoami')).stderr).toBe('');
  expect(await run('svcctl users create ann --roles-only --role readers')).toEqual({
    stdout: '',
    stderr:
      'User [ann] is created for roles only, without a password.\nnext: svcctl users get ann\n',
    code: 0,
  });
  expect((await run('svcctl users list --roles -o csv --where name=ann')).stdout).toBe(
    'name,authenticated,authorized,roles\r\nann,false,true,readers\r\n',
  );
  for (const [flag, name] of [
    ['--without-password', '--without-password'],
    ['--new-password-file x', '--new-password-file'],
    ['--authenticator users', '--authenticator'],
  ])
    expect([flag, await run(`svcctl users create bob --roles-only ${flag}`)]).toEqual([
      flag,
      {
        stdout: '',
        stderr: expect.stringContaining(`error: ${name} and --roles-only cannot be combined`),
        code: 2,
      },
    ]);
  expect((await run('svcctl users get bob')).code).toBe(3);
  await run(`svcctl group-mappings create staff --pattern 'CN=staff,*' --role readers`);
  const { stdout, stderr } = await run('svcctl whoami -o json');
  expect(JSON.parse(stdout)).toMatchObject({ user: 'admin', roles: ['admin'] });
  expect(stderr).toContain(
    'Roles from directory groups are not shown, because the service does not report the groups of a user.',
  );
  expect((await run('svcctl users delete ann --yes')).code).toBe(0);
});

test('what nodes keep of users and roles is printed byte for byte', async () => {
  const service = await startGuarded();
  const first = (what: string) =>
    runShell(service, `svcctl users cache ${what} | head -c 3`, admin);
  for (const what of ['passwords', 'roles', 'groups'])
    expect((await first(what)).stdout).toBe(':)\n'); // how Smile begins
});
