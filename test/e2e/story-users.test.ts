// Users and permissions, against a real cluster with users or against the built service, whose
// users are configured by properties.
import { expect, test } from 'vitest';
import { batchOf, cluster, named, patience, soon, tellStory, threeDays } from '../support/story.ts';
import { withUsers } from '../support/users.ts';

const properties = Object.fromEntries(
  Object.entries(withUsers).map(([name, value]) => [name.replace(/^svc\./, ''), value]),
);
// Only one of the real clusters that the script starts has security.
const { url, told, said, json, changed, file } = tellStory(properties);
const story = test.skipIf(cluster !== undefined && cluster.accounts === undefined);

const as = (user: string, password: string) => ({ SVCCTL_USER: user, SVCCTL_PASSWORD: password });
const admin = as('admin', cluster?.accounts?.admin ?? 'admin-password');
// The Router has no users: the Coordinator behind it has.
const manager = () => ({ ...admin, SVCCTL_URL: `${url()}/proxy/coordinator` });
const [trips, secrets, ann, readers, staff] = [
  named('trips'),
  named('secrets'),
  named('ann'),
  named('readers'),
  named('staff'),
];
const annNow = as(ann, 'for-ann');

story(
  'commands without a user or with a wrong password exit with 4, those of the administrator work',
  patience,
  async () => {
    for (const [who, env] of Object.entries({
      nobody: {},
      stranger: as('eve', 'x'),
      wrong: as('admin', 'wrong'),
    }))
      for (const line of ['status get', 'tasks list', `sql 'SELECT 1'`])
        expect({ who, line, ...(await told(line, env)) }).toMatchObject({
          who,
          line,
          code: 4,
          stdout: '',
        });
    expect((await told('status get', as('admin', 'wrong'))).stderr).toContain(
      'rejected this user and password',
    );
    expect(await json('whoami', admin)).toMatchObject({
      user: 'admin',
      sees: { state: true, config: true },
    });
    expect(await json('whoami', manager())).toMatchObject({ user: 'admin', roles: ['admin'] });
    expect(await told('users list', admin)).toMatchObject(
      cluster ? { code: 1, stderr: expect.stringContaining('/proxy/coordinator') } : { code: 0 },
    );
  },
);

story('two datasources are filled', patience, async () => {
  for (const name of [trips, secrets]) await file(`${name}.json`, batchOf(name, threeDays));
  await Promise.all(
    [trips, secrets].map((name) => said(`tasks submit ${name}.json --wait --quiet`, admin)),
  );
  for (const name of [trips, secrets])
    await expect
      .poll(() => counted(name, admin), soon)
      .toMatchObject({ stdout: expect.stringMatching(/^3\r?\n$/) });
});

story('a user gets a role, and the role a permission', patience, async () => {
  await file('password', 'for-ann\n');
  expect(await changed(`roles create ${readers}`, manager())).toBe(`Role [${readers}] is created.`);
  expect(
    await changed(
      `permissions grant ${readers} --type datasource --name '${trips}' --action READ`,
      manager(),
    ),
  ).toBe(`Role [${readers}] allows READ of DATASOURCE [${trips}].`);
  expect(
    await changed(`users create ${ann} --new-password-file password --role ${readers}`, manager()),
  ).toBe(`User [${ann}] is created.`);
  expect(await told(`users create ${ann} --without-password`, manager())).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(ann),
  });
  expect(await said(`users list --roles --where name=${ann} --no-header`, manager())).toBe(
    `${ann}\ttrue\ttrue\t${readers}\n`,
  );
  expect(await said('roles list -o name', manager())).toMatch(
    new RegExp(`^admin\n(.*\n)*${readers}\n`),
  );
  expect(await said(`permissions list ${readers} --no-header`, manager())).toBe(
    `DATASOURCE\t${trips}\tREAD\n`,
  );
  expect(await json(`roles get ${readers}`, manager())).toMatchObject({
    name: readers,
    users: [ann],
  });
  expect(await json(`users get ${ann}`, manager())).toMatchObject({
    name: ann,
    password: true,
    roles: [{ name: readers }],
  });
  expect(await said('users refresh --columns kind,loaded --no-header', manager())).toBe(
    'authenticator\ttrue\nauthorizer\ttrue\n',
  );
});

story('the user sees the datasource of her role and nothing else', patience, async () => {
  await expect
    .poll(() => counted(trips, annNow), soon)
    .toMatchObject({ code: 0, stdout: expect.stringMatching(/^3\r?\n$/) });
  expect(await counted(secrets, annNow)).toMatchObject({ code: 4, stdout: '' });
  expect(await said('datasources list -o name', annNow)).toBe(`${trips}\n`);
  expect(await said('segments list --columns datasource --no-header', annNow)).toBe(
    `${trips}\n`.repeat(3),
  );
  expect(await said('tasks list --columns datasource --no-header', annNow)).not.toContain(secrets);
  expect(await json('whoami', annNow)).toMatchObject({
    user: ann,
    sees: { state: false, config: false, datasources: [trips] },
  });
  await file('rules.json', [{ type: 'dropForever' }]);
  for (const line of [
    `datasources get ${secrets}`,
    `segments mark-unused ${trips} --all --yes`,
    `tasks submit ${trips}.json`,
    `rules set ${trips} --file rules.json --yes`,
    'config coordinator get',
    'servers list',
  ])
    expect({ line, ...(await told(line, annNow)) }).toMatchObject({ line, code: 4, stdout: '' });
  expect(await told('users list', { ...manager(), ...annNow })).toMatchObject({
    code: 4,
    stdout: '',
  });
});

story('permissions of a role are replaced, granted and revoked', patience, async () => {
  await file('permissions.json', [
    { resource: { name: `${trips}|${secrets}`, type: 'DATASOURCE' }, action: 'READ' },
    { resource: { name: '.*', type: 'STATE' }, action: 'READ' },
  ]);
  expect(await changed(`permissions set ${readers} --file permissions.json`, manager())).toBe(
    `Role [${readers}] has 2 permissions.`,
  );
  await expect.poll(() => counted(secrets, annNow), soon).toMatchObject({ code: 0 });
  await expect.poll(() => told('servers list', annNow), soon).toMatchObject({ code: 0 });
  await said(`permissions revoke ${readers} --type STATE --name '.*' --action READ`, manager());
  await expect.poll(() => told('servers list', annNow), soon).toMatchObject({ code: 4 });
  expect(
    await told(`permissions revoke ${readers} --type STATE --name '.*' --action READ`, manager()),
  ).toMatchObject({ code: 3 });
  expect(
    await told(`permissions grant ${readers} --type STATE --name '(' --action READ`, manager()),
  ).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('does not compile'),
  });
  await said(`users revoke ${ann} ${readers}`, manager());
  await expect.poll(() => counted(trips, annNow), soon).toMatchObject({ code: 4 });
  expect(await said('datasources list -o name', annNow)).toBe('');
  await said(`users grant ${ann} ${readers}`, manager());
  await expect.poll(() => counted(trips, annNow), soon).toMatchObject({ code: 0 });
});

story(
  'users and roles become files, which are planned and applied, and that is taken back',
  patience,
  async () => {
    const auditors = named('auditors');
    const areas = '--only roles,users,group-mappings';
    expect(await told(`export -d cluster ${areas}`, manager())).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining('Left out'),
    });
    expect(await told(`diff -f cluster ${areas} --no-header`, manager())).toMatchObject({
      code: 0,
      stdout: '',
    });
    await file(
      `cluster/roles/${auditors}.yaml`,
      'permissions: [{type: STATE, name: .*, action: READ}]\n',
    );
    await file(`cluster/users/${ann}.yaml`, `roles: [${readers}, ${auditors}]\n`);
    expect(await told(`diff -f cluster ${areas}`, manager())).toMatchObject({ code: 1 });
    expect(
      await said(
        `plan -f cluster ${areas} --out plan.json --columns area,name,change --no-header`,
        manager(),
      ),
    ).toBe(`roles\t${auditors}\tadded\nusers\t${ann}\tchanged\n`);
    await said('apply plan.json --yes', manager());
    expect(await json(`users get ${ann}`, manager())).toMatchObject({
      roles: expect.toSatisfy((roles: unknown[]) => roles.length === 2),
    });
    await expect.poll(() => told('servers list', annNow), soon).toMatchObject({ code: 0 });
    await said('undo --yes', manager());
    expect(await json(`users get ${ann}`, manager())).toMatchObject({ roles: [{ name: readers }] });
    expect(await said('roles list -o name', manager())).not.toContain(auditors);
  },
);

story(
  'profiles are tried with a password, and who may see little is shown little',
  patience,
  async () => {
    expect(
      (await json('profiles test', admin)).map(({ state }: { state: string }) => state),
    ).not.toContain('critical');
    expect(await told('profiles test', as('admin', 'wrong'))).toMatchObject({ code: 4 });
    expect(await told('top', annNow)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^tasks: 0 running/m),
    });
    expect(await told('cluster doctor', annNow)).toMatchObject({
      code: expect.toBeOneOf([0, 4, 10]),
      stderr: expect.not.stringMatching(/\n {4}at /),
    });
    expect(await told(`why segment no-such`, annNow)).toMatchObject({
      code: expect.toBeOneOf([3, 4]),
      stdout: '',
    });
    expect(await told('export -d hers', annNow)).toMatchObject({
      code: expect.toBeOneOf([0, 4]),
      stderr: expect.not.stringMatching(/\n {4}at /),
    });
  },
);

story('a new password counts, the old one no more', patience, async () => {
  await file('password', 'other\n');
  expect(await changed(`users password ${ann} --new-password-file password`, manager())).toBe(
    `User [${ann}] has a new password.`,
  );
  await expect.poll(() => counted(trips, as(ann, 'other')), soon).toMatchObject({ code: 0 });
  await expect.poll(() => counted(trips, annNow), soon).toMatchObject({ code: 4 });
});

story('groups of a directory get roles, too', patience, async () => {
  await said(
    `group-mappings create ${staff} --pattern 'CN=staff,DC=example' --role ${readers}`,
    manager(),
  );
  expect(await said(`group-mappings list --where name=${staff} --no-header`, manager())).toBe(
    `${staff}\tCN=staff,DC=example\t${readers}\n`,
  );
  await said(`group-mappings grant ${staff} admin`, manager());
  expect(await json(`roles get ${readers}`, manager())).toMatchObject({ groups: [staff] });
  await said(`group-mappings revoke ${staff} ${readers}`, manager());
  expect(await json(`group-mappings get ${staff}`, manager())).toMatchObject({
    groupPattern: 'CN=staff,DC=example',
    roles: ['admin'],
  });
  expect(await told(`group-mappings delete ${staff}`, manager())).toMatchObject({ code: 9 });
  expect(await told(`group-mappings delete ${staff} --yes`, manager())).toMatchObject({ code: 0 });
  expect(await said('group-mappings list -o name', manager())).not.toContain(staff);
});

story('role and user are deleted', patience, async () => {
  expect(await told(`roles delete ${readers}`, manager())).toMatchObject({ code: 9 });
  expect(await changed(`roles delete ${readers} --yes`, manager())).toBe(
    `Role [${readers}] is deleted.`,
  );
  await expect.poll(() => counted(trips, as(ann, 'other')), soon).toMatchObject({ code: 4 });
  expect(await told(`users delete ${ann}`, manager())).toMatchObject({ code: 9 });
  expect(await changed(`users delete ${ann} --yes`, manager())).toBe(`User [${ann}] is deleted.`);
  expect(await told(`users delete ${ann} --yes`, manager())).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(ann),
  });
  await expect
    .poll(() => told('datasources list', as(ann, 'other')), soon)
    .toMatchObject({ code: 4 });
  expect(await said('users list -o name', manager())).not.toContain(ann);
});

const counted = (name: string, who: Record<string, string>) =>
  told(`sql 'SELECT COUNT(*) FROM ${name}' -o csv --no-header`, who);
