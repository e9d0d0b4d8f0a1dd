// Properties of a directory that cannot be obeyed stop the start.
import { expect, test } from 'vitest';
import { startServer } from '../../../src/server/server.ts';
import { withDirectory } from '../../ldap/with-directory.ts';
import { certificate } from '../../support/certificates.ts';

const roles = 'svc.auth.authorizer.roles.roleProvider.groupFilters';

test.each<[Record<string, string>, string]>([
  [
    { url: 'directory:389' },
    'is not the address of one directory, ldap://HOST:PORT or ldaps://HOST:PORT',
  ],
  [{ url: 'ldap://user:secret@directory' }, 'is not the address of one directory'],
  [{ url: 'ldap://a ldap://b' }, 'is not the address of one directory'],
  [{ url: 'ldap://directory/dc=x' }, 'is not the address of one directory'],
  [{ baseDn: 'example.org' }, 'is [example.org], which is not a distinguished name'],
  [{ userSearch: '(uid=ann)' }, 'which has no %s'],
  [{ userSearch: '(&(uid=%s)' }, 'which is not a search filter'],
  [{ userSearch: 'uid' }, 'which has no %s'],
  [{ bindPassword: '' }, 'credentialsValidator.bindPassword] is missing or empty'],
  [
    { bindPassword: '{"type":"environment","variable":"NOT_SET_ANYWHERE"}' },
    'variable [NOT_SET_ANYWHERE], which is not set',
  ],
  [{ bindUser: '' }, 'credentialsValidator.bindUser] is missing or empty'],
  [{ credentialCacheSize: '-1' }, 'is [-1], which is not between 0 and 1000000'],
  [{ credentialVerifyDuration: 'PT10M' }, 'is [PT10M], which is not a number'],
  [
    { groupFilters: '["*"]' },
    "has [*], which is none of a group's distinguished name, *,DN and RDN,*",
  ],
  [{ [roles]: 'cn=x' }, 'which is not a JSON list of texts'],
  [{ [roles]: '["cn"]' }, 'has [cn]'],
  [
    { url: 'ldaps://directory', 'svc.auth.basic.ssl.trustStorePath': '/nowhere.pem' },
    'file [/nowhere.pem] cannot be read',
  ],
  [
    {
      url: 'ldaps://directory',
      'svc.auth.basic.ssl.trustStorePath': certificate('server.key.pem'),
    },
    'is a PEM file',
  ],
])('%j', async (more, sentence) => {
  await expect(
    startServer({ port: 0, properties: withDirectory({ url: 'ldap://127.0.0.1:9' }, more) }),
  ).rejects.toThrow(sentence);
});

test('the message of a wrong address does not show the password in it', async () => {
  const failure = await startServer({
    port: 0,
    properties: withDirectory({ url: 'ldap://user:secret@directory' }),
  }).catch(String);
  expect(failure).not.toContain('secret');
});
