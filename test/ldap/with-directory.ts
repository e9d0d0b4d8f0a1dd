// A service whose users are in a directory, and what they may do there.
import { ask } from '../support/users.ts';
import { baseDn, type Directory, reader } from './slapd.ts';

/**
 * Properties of a service that asks a directory, where `root` is an administrator by their group.
 * Names without a dot are of its validator.
 */
export function withDirectory(
  { url }: Pick<Directory, 'url'>,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const validator = {
    type: 'ldap',
    url,
    bindUser: reader.user,
    bindPassword: reader.password,
    baseDn,
    userSearch: '(&(uid=%s)(objectClass=inetOrgPerson))',
    userAttribute: 'uid',
  };
  const prefixed = Object.entries({ ...validator, ...more }).map(
    ([name, value]): [string, string] => [
      name.includes('.') ? name : `svc.auth.authenticator.directory.credentialsValidator.${name}`,
      value,
    ],
  );
  return {
    'svc.auth.authenticatorChain': '["directory"]',
    'svc.auth.authenticator.directory.type': 'basic',
    'svc.auth.authenticator.directory.authorizerName': 'roles',
    'svc.auth.authorizers': '["roles"]',
    'svc.auth.authorizer.roles.type': 'basic',
    'svc.auth.authorizer.roles.initialAdminGroupMapping': `cn=rulers,ou=groups,${baseDn}`,
    'svc.auth.authorizer.roles.roleProvider.type': 'ldap',
    ...Object.fromEntries(prefixed),
  };
}

type Url = { readonly url: string };

/** 200 for who may see the state, 403 for others who are known, 401 for nobody. */
export const status = async (service: Url, who: string | undefined): Promise<number> =>
  (await ask(service, who, 'GET /status')).status;

/** Maps groups to a role of the mapping's name, which allows this. */
export async function mapGroup(
  service: Url,
  name: string,
  groupPattern: string,
  permissions: readonly unknown[],
  by = 'root:root-password',
): Promise<void> {
  const db = '/svc-ext/basic-security/authorization/db/roles';
  const posts: [path: string, body?: unknown][] = [
    [`roles/${name}`],
    [`roles/${name}/permissions`, permissions],
    [`groupMappings/${name}`, { name, groupPattern, roles: [name] }],
  ];
  for (const [path, body] of posts) {
    const { status: code, text } = await ask(service, by, `POST ${db}/${path}`, body);
    if (code !== 200) throw new Error(`Refused with ${code}: ${text}`);
  }
}

/** What somebody may do to two datasources. */
export async function permitted(service: Url, who: string) {
  const may = async (send: string, body?: unknown) =>
    (await ask(service, who, send, body)).status === 200;
  return {
    readsWiki: await may('GET /svc/coordinator/v1/rules/wiki'),
    writesWiki: await may('POST /svc/coordinator/v1/rules/wiki', []),
    readsNews: await may('GET /svc/coordinator/v1/rules/news'),
  };
}
