// Users of a directory come in with its passwords, and may do what the mappings of their groups
// allow.
import { beforeAll, describe, expect, test } from 'vitest';
import { startService } from '../support/service.ts';
import { allow, ask } from '../support/users.ts';
import {
  baseDn,
  type Directory,
  directoryIsMissing,
  groupEntry,
  startDirectory,
  userEntry,
} from './slapd.ts';
import { mapGroup, permitted, status, withDirectory } from './with-directory.ts';

const comma = String.raw`cn=Müller\, Söhne,ou=groups`;

describe.skipIf(directoryIsMissing() !== undefined)('a directory', () => {
  let directory: Directory;
  beforeAll(async () => {
    const ends: (() => Promise<void>)[] = [];
    const entries = [
      userEntry('zoë'),
      userEntry('star*(x)'),
      userEntry('twin', 'mail: twins@example.org'),
      userEntry('twin2', 'mail: twins@example.org'),
      `dn: uid=bare,ou=people,${baseDn}\nobjectClass: inetOrgPerson\ncn: bare\nsn: bare\nuid: bare\n`, // without a password
      groupEntry(comma, 'uid=eve,ou=people'),
      `dn: ou=elsewhere,${baseDn}\nobjectClass: referral\nobjectClass: extensibleObject\nou: elsewhere\nref: ldap://127.0.0.1:9/ou=elsewhere,${baseDn}\n`,
    ];
    directory = await startDirectory({ ldif: entries.join('\n') }, (end) => ends.push(end));
    return async () => {
      for (const end of ends) await end();
    };
  });

  test('the password of the directory counts, and no other', async () => {
    const service = await startService({ properties: withDirectory(directory) });
    const who = [
      'ann:ann-password',
      'ann:wrong',
      'nobody:x',
      'root:root-password',
      'bare:x',
      'bare:',
      undefined,
    ];
    const heard = [];
    for (const one of who) heard.push((await ask(service, one, 'GET /status')).status);
    expect(heard).toEqual([403, 401, 401, 200, 401, 401, 401]);
  });

  test('an empty password is never sent to the directory, which would say yes', async () => {
    const service = await startService({ properties: withDirectory(directory) });
    // slapd is told here to take a name without a password, and a password without a name, for
    // nobody: with success.
    for (const who of ['root:', ':root-password', ':', 'root:\0', 'root:\0root-password'])
      expect([who, (await ask(service, who, 'GET /status')).status]).toEqual([who, 401]);
  });

  test('roles come by group mappings: of one name, of all below a name, and of names that begin alike', async () => {
    const service = await startService({ properties: withDirectory(directory) });
    await mapGroup(service, 'readers', `CN=Readers , ou=groups,${baseDn}`, [
      allow('READ', 'DATASOURCE', 'wiki'),
    ]);
    await mapGroup(service, 'north', `*,ou=north,ou=groups,${baseDn}`, [
      allow('WRITE', 'DATASOURCE', 'wiki'),
    ]);
    await mapGroup(service, 'houses', String.raw`cn=müller\2c söhne,*`, [
      allow('READ', 'DATASOURCE', 'news'),
    ]);
    expect(await permitted(service, 'ann:ann-password')).toEqual({
      readsWiki: true,
      writesWiki: false,
      readsNews: false,
    });
    expect(await permitted(service, 'bob:bob-password')).toEqual({
      readsWiki: true,
      writesWiki: true,
      readsNews: false,
    }); // in two groups
    expect(await permitted(service, 'eve:eve-password')).toEqual({
      readsWiki: false,
      writesWiki: false,
      readsNews: true,
    });
  });

  test('roles of the user of the same name count, too; filters leave groups out', async () => {
    const filters = {
      'svc.auth.authorizer.roles.roleProvider.groupFilters': `["*,ou=north,ou=groups,${baseDn}"]`,
    };
    const service = await startService({
      properties: {
        ...withDirectory(directory, filters),
        'svc.auth.authorizer.roles.initialAdminUser': 'eve',
      },
    });
    const admin = 'eve:eve-password';
    expect(await status(service, admin)).toBe(200);
    await mapGroup(
      service,
      'readers',
      `cn=readers,ou=groups,${baseDn}`,
      [allow('READ', 'DATASOURCE', 'wiki')],
      admin,
    );
    await mapGroup(
      service,
      'north',
      `*,ou=north,ou=groups,${baseDn}`,
      [allow('WRITE', 'DATASOURCE', 'wiki')],
      admin,
    );
    expect(await permitted(service, 'bob:bob-password')).toEqual({
      readsWiki: false,
      writesWiki: true,
      readsNews: false,
    });
  });

  test('a mapping that is changed counts at once, also for who is in already', async () => {
    const service = await startService({ properties: withDirectory(directory) });
    const none = { readsWiki: false, writesWiki: false, readsNews: false };
    expect(await permitted(service, 'ann:ann-password')).toEqual(none);
    await mapGroup(service, 'readers', `cn=readers,ou=groups,${baseDn}`, [
      allow('READ', 'DATASOURCE', 'wiki'),
    ]);
    expect(await permitted(service, 'ann:ann-password')).toEqual({ ...none, readsWiki: true });
    await ask(
      service,
      'root:root-password',
      'DELETE /svc-ext/basic-security/authorization/db/roles/groupMappings/readers',
    );
    expect(await permitted(service, 'ann:ann-password')).toEqual(none);
  });

  test('a pattern that is not a name of groups is refused', async () => {
    const service = await startService({ properties: withDirectory(directory) });
    for (const groupPattern of ['*', 'readers', 'cn=*,', '*,', 'cn=a\\'])
      expect(
        await ask(
          service,
          'root:root-password',
          'POST /svc-ext/basic-security/authorization/db/roles/groupMappings/x',
          {
            name: 'x',
            groupPattern,
            roles: [],
          },
        ),
      ).toMatchObject({
        status: 400,
        text: JSON.stringify({
          error: `Invalid value for field [groupPattern]: [${groupPattern}] is none of a group's distinguished name, *,DN and RDN,*`,
        }),
      });
  });

  test('a name means nothing but itself in the search', async () => {
    const service = await startService({ properties: withDirectory(directory) });
    const heard = [];
    for (const who of [
      '*:ann-password',
      'an*:ann-password',
      'ann)(uid=*:ann-password',
      'a\\6en:ann-password',
      'ann\0:ann-password',
      'star*(x):star*(x)-password',
      'zoë:zoë-password',
    ])
      heard.push(await status(service, who));
    expect(heard).toEqual([401, 401, 401, 401, 401, 403, 403]);
  });

  test('a search that finds two users admits none of them', async () => {
    const service = await startService({
      properties: withDirectory(directory, { userSearch: '(|(uid=%s)(mail=%s))' }),
    });
    expect([
      await status(service, 'twins@example.org:twin-password'),
      await status(service, 'twins@example.org:twin2-password'),
    ]).toEqual([401, 401]);
    expect([
      await status(service, 'twin:twin-password'),
      await status(service, 'ann@example.org:ann-password'),
      await status(service, 'bob:bob-password'),
    ]).toEqual([403, 403, 403]);
  });

  test('a user without the attribute that names users comes in all the same', async () => {
    const service = await startService({
      properties: withDirectory(directory, { userAttribute: 'mail' }),
    });
    expect(await status(service, 'bob:bob-password')).toBe(403);
  });

  test('the users of the store are asked next where the directory may be passed over, but a wrong password is wrong', async () => {
    const properties = {
      ...withDirectory(directory),
      'svc.auth.authenticatorChain': '["directory", "users"]',
      'svc.auth.authenticator.directory.skipOnFailure': 'true',
      'svc.auth.authenticator.users.type': 'basic',
      'svc.auth.authenticator.users.initialAdminPassword': 'admin-password',
      'svc.auth.authenticator.users.authorizerName': 'roles',
    };
    const service = await startService({ properties });
    const heard = [];
    for (const who of [
      'admin:admin-password',
      'admin:wrong',
      'ann:ann-password',
      'ann:wrong',
      'nobody:x',
    ])
      heard.push(await status(service, who));
    expect(heard).toEqual([200, 401, 403, 401, 401]);
    const db = '/svc-ext/basic-security/authentication/db';
    expect(await ask(service, 'admin:admin-password', `POST ${db}/users/users/ann`)).toMatchObject({
      status: 200,
    });
    await ask(service, 'admin:admin-password', `POST ${db}/users/users/ann/credentials`, {
      password: 'other',
    });
    expect(await status(service, 'ann:other')).toBe(401); // the directory knows ann, and not by this password
    expect(await ask(service, 'admin:admin-password', `GET ${db}/directory/users`)).toMatchObject({
      status: 200,
      text: '[]',
    });
    const text =
      '{"error":"Authenticator [directory] reads its users from a directory; create, change and delete them there"}';
    expect(
      await ask(service, 'admin:admin-password', `POST ${db}/directory/users/new`),
    ).toMatchObject({ status: 400, text });
    expect(
      await ask(service, 'admin:admin-password', `POST ${db}/directory/users/ann/credentials`, {
        password: 'x',
      }),
    ).toMatchObject({
      status: 400,
      text,
    });
  });

  test('the store may be asked first', async () => {
    const properties = {
      ...withDirectory(directory),
      'svc.auth.authenticatorChain': '["users", "directory"]',
      'svc.auth.authenticator.users.type': 'basic',
      'svc.auth.authenticator.users.skipOnFailure': 'true',
      'svc.auth.authenticator.users.initialAdminPassword': 'admin-password',
      'svc.auth.authenticator.users.authorizerName': 'roles',
    };
    const service = await startService({ properties });
    const heard = [];
    for (const who of [
      'admin:admin-password',
      'admin:wrong',
      'ann:ann-password',
      'ann:wrong',
      'nobody:x',
    ])
      heard.push(await status(service, who));
    expect(heard).toEqual([200, 401, 403, 401, 401]);
  });

  test('wrong passwords make their address wait, as those of the store do', async () => {
    const service = await startService({ properties: withDirectory(directory) });
    expect(await status(service, 'ann:ann-password')).toBe(403);
    const heard = [];
    for (let at = 0; at < 13; at++) heard.push(await status(service, `bob:wrong-${at}`));
    expect(heard).toEqual([...Array(11).fill(401), 429, 429]);
    expect([
      await status(service, 'ann:ann-password'),
      await status(service, 'bob:bob-password'),
    ]).toEqual([403, 429]); // who is in stays in
  });

  test('ten thousand users are found as fast as three', async () => {
    directory.change(
      Array.from({ length: 10_000 }, (_, at) =>
        userEntry(`user${at}`).replace('\n', '\nchangetype: add\n'),
      ).join('\n'),
    );
    const service = await startService({ properties: withDirectory(directory) });
    const beginMs = performance.now();
    for (let at = 0; at < 10_000; at += 500)
      expect(await status(service, `user${at}:user${at}-password`)).toBe(403);
    expect(performance.now() - beginMs).toBeLessThan(5000);
  }, 120_000);
});
