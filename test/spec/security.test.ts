// The specification on permissions and the endpoints that manage them (lines 185 to 188, 240, 409
// to 458), over HTTP.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startServer } from '../../src/server/server.ts';
import { startServed } from '../support/served.js';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/storage.ts';
import { addUser, admin, allow, ask, permit, withUsers } from '../support/users.ts';
import { endless, served } from './served.ts';

const own = served({ properties: withUsers });
const base = '/svc-ext/basic-security';
const authentication = `${base}/authentication/db/users`;
const authorization = `${base}/authorization/db/roles`;
const by = { by: admin };
const get = (path: string, who = admin) => own.get(path, { by: who });
const post = (path: string, body?: unknown, who = admin) => own.post(path, body, { by: who });
const statusOf = async (path: string, who: string) => (await get(path, who)).status;
const sqlBy = (who: string, query: string) => post('/svc/v2/sql', { query }, who);

beforeAll(async () => {
  for (const name of ['wiki', 'wiktionary', 'news']) await own.load(name, ['01', '02'], by);
});

describe('permissions', () => {
  test('[328, 665] the name of a resource is a regular expression', async () => {
    const ann = await addUser(own.service, 'ann', [allow('READ', 'DATASOURCE', 'wik.*')]);
    const status = async (name: string) =>
      (await sqlBy(ann, `SELECT COUNT(*) FROM ${name}`)).status;
    expect([await status('wiki'), await status('wiktionary'), await status('news')]).toEqual([
      200, 200, 403,
    ]);
  });

  test.each<[string, [string, string]]>(
    Object.entries({
      '[329] DATASOURCE': ['/svc/coordinator/v1/rules/wiki', 'wiki'],
      '[329, 666] STATE': ['/status', 'STATE'],
      '[329, 666] CONFIG': ['/svc/coordinator/v1/config', 'CONFIG'],
    }),
  )('%s is a type of resources', async (title, [path, name]) => {
    const type = title.split('] ')[1] ?? '';
    const who = await addUser(own.service, `reader-of-${type}`, [allow('READ', type, name)]);
    expect(await statusOf(path, who)).toBe(200);
    await permit(own.service, `reader-of-${type}`, []);
    expect(await statusOf(path, who)).toBe(403);
  });

  test('[330] an action is READ or WRITE', async () => {
    const bob = await addUser(own.service, 'bob', [allow('READ', 'DATASOURCE', 'wiki')]);
    const rules = '/svc/coordinator/v1/rules/wiki';
    expect([await statusOf(rules, bob), (await post(rules, [], bob)).status]).toEqual([200, 403]);
    await permit(own.service, 'bob', [allow('WRITE', 'DATASOURCE', 'wiki')]);
    expect([await statusOf(rules, bob), (await post(rules, [], bob)).status]).toEqual([403, 200]);
    const other = [{ resource: { name: 'wiki', type: 'DATASOURCE' }, action: 'OWN' }];
    expect(
      (await post(`${authorization}/roles/bob/permissions`, other)).status,
    ).toBeGreaterThanOrEqual(400);
  });

  test('[334, 664] users have them only through roles', async () => {
    const eve = await addUser(own.service, 'eve', [allow('READ', 'STATE', 'STATE')]);
    expect(await statusOf('/status', eve)).toBe(200);
    expect(
      (await post(`${authorization}/users/eve/permissions`, [allow('READ', 'STATE', 'STATE')]))
        .status,
    ).toBe(404);
    await own.remove(`${authorization}/users/eve/roles/eve`, by);
    expect(await statusOf('/status', eve)).toBe(403);
  });

  test('[667] whoever reads datasources only sees neither the state nor the configuration that the console shows beside them', async () => {
    const who = await addUser(own.service, 'viewer', [allow('READ', 'DATASOURCE', '.*')]);
    const asked = async () => [
      await statusOf('/svc/coordinator/v1/loadstatus', who),
      await statusOf('/svc/coordinator/v1/config', who),
    ];
    expect(await asked()).toEqual([403, 403]);
    await permit(own.service, 'viewer', [
      allow('READ', 'DATASOURCE', '.*'),
      allow('READ', 'STATE', '.*'),
      allow('READ', 'CONFIG', '.*'),
    ]);
    expect(await asked()).toEqual([200, 200]);
  });

  test('[668] whoever may nothing may ask what needs nothing', async () => {
    const nobody = await addUser(own.service, 'nobody', []);
    expect((await sqlBy(nobody, 'SELECT 1 + 1 AS n')).body).toEqual([{ n: 2 }]);
    expect((await sqlBy(nobody, 'SELECT COUNT(*) FROM wiki')).status).toBe(403);
  });
});

describe('queries of others', () => {
  test('[376, 378, 670, 688] to cancel one needs READ on all that it reads, and is 403 otherwise', async () => {
    const half = await addUser(own.service, 'half', [allow('READ', 'DATASOURCE', 'wiki')]);
    const query = endless.replace('wiki AS w24', 'news AS w24');
    const asked = post('/svc/v2/sql', {
      query,
      context: { sqlQueryId: 'theirs', timeout: 60_000 },
    });
    const cancel = async (who: string) =>
      (await own.remove('/svc/v2/sql/theirs', { by: who })).status;
    await own.until(async () => (await cancel(half)) === 403); // until it runs it is 404
    await permit(own.service, 'half', [allow('READ', 'DATASOURCE', 'wiki|news')]);
    expect(await cancel(half)).toBe(202);
    await asked;
  });

  test('[391] only who has submitted a statement sees its results', async () => {
    const reader = await addUser(own.service, 'reader', [allow('READ', 'DATASOURCE', '.*')]);
    const { body } = await post('/svc/v2/sql/statements', {
      query: 'SELECT page FROM wiki',
      context: { executionMode: 'ASYNC' },
    });
    const at = `/svc/v2/sql/statements/${body.queryId}`;
    await own.until(async () => (await get(at)).body.state === 'SUCCESS');
    expect([
      await statusOf(`${at}/results`, admin),
      await statusOf(`${at}/results`, reader),
    ]).toEqual([200, 403]);
  });
});

describe('the endpoints of basic security', () => {
  const ok = async (path: string, body?: unknown) =>
    expect([path, (await post(path, body)).status]).toEqual([path, 200]);

  test('[43, 335, 611, 612, 629] a user is made, gets a password, and is known by both', async () => {
    await ok(`${authentication}/users/maria`);
    expect((await sqlBy('maria:secret', 'SELECT 1')).status).toBe(401);
    await ok(`${authentication}/users/maria/credentials`, { password: 'secret' });
    expect((await sqlBy('maria:secret', 'SELECT 1')).status).toBe(200);
    expect((await sqlBy('maria:other', 'SELECT 1')).status).toBe(401);
  });

  test('[613] and is made once more for the authorizer, where nobody can be twice', async () => {
    await ok(`${authorization}/users/maria`);
    expect((await post(`${authorization}/users/maria`)).status).toBe(400);
    expect((await sqlBy('maria:secret', 'SELECT 1')).status).toBe(200);
  });

  test('[44, 45, 614, 615, 616, 617] a role is made, listed, given to a user, and allows something', async () => {
    await ok(`${authorization}/roles/watchers`);
    expect((await get(`${authorization}/roles`)).body).toContain('watchers');
    await ok(`${authorization}/users/maria/roles/watchers`);
    expect(await statusOf('/status', 'maria:secret')).toBe(403);
    await ok(`${authorization}/roles/watchers/permissions`, [allow('READ', 'STATE', '.*')]);
    expect(await statusOf('/status', 'maria:secret')).toBe(200);
  });

  const staff = { name: 'staff', groupPattern: 'CN=staff,*', roles: ['watchers'] };

  test('[46, 331, 333, 618, 619, 620] a group mapping is made, listed, and shown with its name and its roles', async () => {
    await ok(`${authorization}/groupMappings/staff`, staff);
    expect((await get(`${authorization}/groupMappings`)).body).toContain('staff');
    expect((await get(`${authorization}/groupMappings/staff`)).body).toEqual(staff);
  });

  test('[621] and gets another role', async () => {
    await ok(`${authorization}/roles/keepers`);
    await ok(`${authorization}/groupMappings/staff/roles/keepers`);
    expect((await get(`${authorization}/groupMappings/staff`)).body.roles.sort()).toEqual([
      'keepers',
      'watchers',
    ]);
  });
});

describe('properties', () => {
  const status = async (properties: Record<string, string>, ...who: (string | undefined)[]) => {
    const service = await startService({ properties });
    return Promise.all(who.map(async (one) => (await ask(service, one, 'GET /status')).status));
  };
  const users = 'svc.auth.authenticator.users';
  const others = {
    ...withUsers,
    'svc.auth.authenticatorChain': '["users", "others"]',
    'svc.auth.authenticator.others.type': 'basic',
    'svc.auth.authenticator.others.initialAdminPassword': 'other-password',
    'svc.auth.authenticator.others.credentialIterations': '100',
    'svc.auth.authenticator.others.authorizerName': 'roles',
  };

  test('[40, 624] authenticators say who somebody is, authorizers what they may', async () => {
    expect(await status(withUsers, admin, 'admin:wrong', undefined)).toEqual([200, 401, 401]);
  });

  test('[630, 636] the chain asks one after the other, and goes on past those with skipOnFailure', async () => {
    expect(await status(others, admin, 'admin:other-password')).toEqual([200, 401]);
    const { [`${users}.initialAdminPassword`]: _, ...named } = {
      ...others,
      [`${users}.skipOnFailure`]: 'true',
    }; // the first knows nobody
    expect(await status(named, 'admin:other-password')).toEqual([200]);
    expect(
      await status({ ...named, [`${users}.skipOnFailure`]: 'false' }, 'admin:other-password'),
    ).toEqual([401]);
  });

  test('[631, 634, 638] type basic, users of the metadata store, and enableCacheNotifications are taken', async () => {
    const named = {
      [`${users}.credentialsValidator.type`]: 'metadata',
      [`${users}.enableCacheNotifications`]: 'true',
    };
    expect(await status({ ...withUsers, ...named }, admin)).toEqual([200]);
    await expect(
      startServer({ port: 0, properties: { ...withUsers, [`${users}.type`]: 'unheard-of' } }),
    ).rejects.toThrow('unheard-of');
  });

  test('[632] initialAdminPassword is that of the user admin', async () => {
    expect(
      await status(
        { ...withUsers, [`${users}.initialAdminPassword`]: 'mine' },
        'admin:mine',
        admin,
      ),
    ).toEqual([200, 401]);
  });

  test('[633] initialInternalClientPassword is that of the user svc_system', async () => {
    expect(
      await status(
        { ...withUsers, [`${users}.initialInternalClientPassword`]: 'inner' },
        'svc_system:inner',
        'svc_system:x',
      ),
    ).toEqual([200, 401]);
  });

  test('[637, 643, 644] authorizerName is one of the authorizers, whose type is basic', async () => {
    const start = (more: object) => startServer({ port: 0, properties: { ...withUsers, ...more } });
    await expect(start({ [`${users}.authorizerName`]: 'unheard-of' })).rejects.toThrow(
      'unheard-of',
    );
    await expect(start({ 'svc.auth.authorizers': '["unheard-of"]' })).rejects.toThrow(
      '[roles] is not in property [svc.auth.authorizers]',
    );
    await expect(start({ 'svc.auth.authorizer.roles.type': 'unheard-of' })).rejects.toThrow(
      'unheard-of',
    );
    expect(await status(withUsers, admin)).toEqual([200]);
  });

  test('[626] Kerberos, whose properties the specification does not show, is refused by name', async () => {
    const start = (type: string) =>
      startServer({ port: 0, properties: { ...withUsers, [`${users}.type`]: type } });
    await expect(start('kerberos')).rejects.toThrow(
      'Property [svc.auth.authenticator.users.type] is [kerberos], which is not one of [basic, anonymous, allowAll]',
    );
  });

  const escalator = {
    'svc.escalator.type': 'basic',
    'svc.escalator.internalClientUsername': 'svc_system',
    'svc.escalator.internalClientPassword': 'inner',
    'svc.escalator.authorizerName': 'roles',
    [`${users}.initialInternalClientPassword`]: 'inner',
  };

  test('[640, 641] the log says when internalClientUsername and internalClientPassword are nobody’s', async () => {
    let log = '';
    const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
      log += String(chunk);
      return true;
    });
    onTestFinished(() => stderr.mockRestore());
    const complaint = (user: string) =>
      `is not the password of user [${user}] of property escalator.internalClientUsername: no authenticator in the chain accepts both`;
    const start = (more: object) =>
      startService({ properties: { ...withUsers, ...escalator, ...more } });
    const right = await start({});
    expect((await ask(right, 'svc_system:inner', 'GET /status')).status).toBe(200); // asked after the escalator
    await start({ 'svc.escalator.internalClientPassword': 'wrong' });
    await expect.poll(() => log).toContain(complaint('svc_system'));
    await start({ 'svc.escalator.internalClientUsername': 'nobody' });
    await expect.poll(() => log).toContain(complaint('nobody'));
    expect(log.split('is not the password of')).toHaveLength(3);
  });

  test('[639, 642] escalator.type basic needs to be told the internal client and its authorizer', async () => {
    expect(await status({ ...withUsers, ...escalator }, admin)).toEqual([200]);
    for (const missing of ['internalClientUsername', 'authorizerName']) {
      const properties = Object.fromEntries(
        Object.entries({ ...withUsers, ...escalator }).filter(
          ([name]) => !name.endsWith(`escalator.${missing}`),
        ),
      );
      await expect(startServer({ port: 0, properties })).rejects.toThrow(
        `svc.escalator.${missing}`,
      );
    }
  });

  test('[645] initialAdminUser and initialAdminRole', async () => {
    const authorizer = 'svc.auth.authorizer.roles';
    const properties = {
      ...withUsers,
      [`${authorizer}.initialAdminUser`]: 'root',
      [`${authorizer}.initialAdminRole`]: 'rulers',
    };
    const service = await startService({ properties });
    const { text } = await ask(service, admin, `GET ${authorization}/users/root`);
    expect(JSON.parse(text)).toEqual({ name: 'root', roles: ['rulers'] });
  });
});

test('[703] the endpoints of security have a path of their own, without a version', async () => {
  expect(await statusOf(`${authorization}/roles`, admin)).toBe(200);
  expect(
    await statusOf('/svc/coordinator/v1/basic-security/authorization/db/roles/roles', admin),
  ).toBe(404);
});

test('[627] properties stand in a file common.runtime.properties', async () => {
  const file = join(await temporaryFolder(), 'common.runtime.properties');
  await writeFile(
    file,
    Object.entries(withUsers).map(([name, value]) => `${name}=${value}\n`),
  );
  const { url, stop } = await startServed(['--ephemeral', '--config', file]);
  onTestFinished(async () => void (await stop()));
  expect([
    (await ask({ url }, undefined, 'GET /status')).status,
    (await ask({ url }, admin, 'GET /status')).status,
  ]).toEqual([401, 200]);
});
