// A service with users, and callers by their names and passwords.
import { startService } from './service.ts';

export const withUsers = {
  'svc.auth.authenticatorChain': '["users"]',
  'svc.auth.authenticator.users.type': 'basic',
  'svc.auth.authenticator.users.initialAdminPassword': 'admin-password',
  'svc.auth.authenticator.users.credentialIterations': '100', // enough for tests
  'svc.auth.authenticator.users.authorizerName': 'roles',
  'svc.auth.authorizers': '["roles"]',
  'svc.auth.authorizer.roles.type': 'basic',
};

/**
 * Users are known, and those who say nothing may do everything all the same, under the
 * administrator's name.
 */
export const withGuests = {
  ...withUsers,
  'svc.auth.authenticatorChain': '["users", "anonymous"]',
  'svc.auth.authenticator.anonymous.type': 'anonymous',
  'svc.auth.authenticator.anonymous.identity': 'admin',
  'svc.auth.authenticator.anonymous.authorizerName': 'allowAll',
  'svc.auth.authorizers': '["roles", "allowAll"]',
};

export const startGuarded = (settings: Parameters<typeof startService>[0] = {}) =>
  startService({ ...settings, properties: { ...withUsers, ...settings.properties } });

export interface Heard {
  readonly status: number;
  readonly type: string | null;
  readonly challenge: string | null;
  readonly text: string;
}

/**
 * Sends one request; `who` is `name:password`, or undefined for nobody. A body that is not a text
 * is sent as JSON.
 */
export async function ask(
  { url }: { url: string },
  who: string | undefined,
  send: string,
  body?: unknown,
): Promise<Heard> {
  const [method = 'GET', path = '/'] = send.split(' ');
  const headers = {
    ...(who !== undefined && { authorization: `Basic ${Buffer.from(who).toString('base64')}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const reply = await fetch(url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  return {
    status: reply.status,
    type: reply.headers.get('content-type'),
    challenge: reply.headers.get('www-authenticate'),
    text,
  };
}

export const admin = 'admin:admin-password';
const base = '/svc-ext/basic-security';
const types = [
  'DATASOURCE',
  'VIEW',
  'CONFIG',
  'STATE',
  'SYSTEM_TABLE',
  'QUERY_CONTEXT',
  'EXTERNAL',
];

export const everything = (action: 'READ' | 'WRITE') =>
  types.map((type) => allow(action, type, '.*'));
export const allow = (action: 'READ' | 'WRITE', type: string, name: string) => ({
  resource: { name, type },
  action,
});

/**
 * A user whose password is the name, with a role of the same name that allows this. Returns how the
 * user introduces themselves.
 */
export async function addUser(
  service: { url: string },
  name: string,
  permissions: readonly unknown[],
  by: string | undefined = admin,
): Promise<string> {
  const posts: [path: string, body?: unknown][] = [
    [`authentication/db/users/users/${name}`],
    [`authentication/db/users/users/${name}/credentials`, { password: name }],
    [`authorization/db/roles/users/${name}`],
    [`authorization/db/roles/roles/${name}`],
    [`authorization/db/roles/users/${name}/roles/${name}`],
  ];
  for (const [path, body] of posts) await made(ask(service, by, `POST ${base}/${path}`, body));
  await permit(service, name, permissions, by);
  return `${name}:${name}`;
}

/** Replaces what the role of a user allows. */
export const permit = (
  service: { url: string },
  name: string,
  permissions: readonly unknown[],
  by: string | undefined = admin,
) =>
  made(
    ask(service, by, `POST ${base}/authorization/db/roles/roles/${name}/permissions`, permissions),
  );

async function made(asked: Promise<Heard>): Promise<void> {
  const { status, text } = await asked;
  if (status !== 200) throw new Error(`Refused with ${status}: ${text}`);
}

/** Brings datasources in, of one row each. */
export async function ingest(service: { url: string }, ...names: string[]): Promise<void> {
  for (const name of names) {
    const query = `REPLACE INTO "${name}" OVERWRITE ALL SELECT TIMESTAMP '2024-05-01' AS __time, '${name}' AS "word" PARTITIONED BY DAY`;
    await made(ask(service, admin, 'POST /svc/v2/sql/task', { query }));
  }
  for (const end = Date.now() + 30_000; ; await new Promise((wake) => setTimeout(wake, 50))) {
    const { text } = await ask(service, admin, 'GET /svc/coordinator/v1/datasources');
    if (names.every((name) => text.includes(name))) return;
    if (Date.now() > end) throw new Error(`The datasources were not served in time: ${text}`);
  }
}
