// Detection of a service: its version and the name in its paths.

import { refusalIn } from '../../client/client.ts';
import type { Transport } from '../../client/message.ts';
import { parseJson } from '../../model/json.ts';

export interface Discovery {
  readonly version: string;
  readonly service: string | undefined; // undefined when it cannot be detected
  readonly how: string; // how it was detected
}

/**
 * Requests the version, then tries the possible names of the service. Throws connection errors and
 * ServiceError.
 */
export async function discover(send: Transport, names: readonly string[]): Promise<Discovery> {
  const status = await send({ method: 'GET', path: '/status', headers: [] });
  if (status.status !== 200) throw await refusalIn(status);
  const { version = 'unknown' } = objectIn(await status.text()) as { version?: string };
  for (const name of new Set(names)) {
    if (await answersTo(send, name))
      return { version, service: name, how: `it answers below /${name}` };
  }
  const told = await nameInProperties(send);
  return {
    version,
    service: told,
    how: told === undefined ? 'it does not report its name' : 'its properties begin with it',
  };
}

// A leader replies 200, a follower 404 with the same body, other servers something else.
async function answersTo(send: Transport, name: string): Promise<boolean> {
  const reply = await send({
    method: 'GET',
    path: `/${encodeURIComponent(name)}/coordinator/v1/isLeader`,
    headers: [],
  });
  if (reply.status === 401) throw await refusalIn(reply);
  const body = await reply.text();
  return typeof objectIn(body).leader === 'boolean';
}

/**
 * The prefix of the properties of a service; undefined when they are not accessible or show no
 * prefix. Throws connection errors.
 */
export async function nameInProperties(send: Transport): Promise<string | undefined> {
  const reply = await send({ method: 'GET', path: '/status/properties', headers: [] });
  const body = await reply.text();
  if (reply.status !== 200) return;
  for (const key of Object.keys(objectIn(body))) {
    const [, name] =
      /^([a-z][\w-]*)\.(?:service|host|plaintextPort|zk\.service\.host|server\.\w+|extensions\.\w+)$/.exec(
        key,
      ) ?? [];
    if (name !== undefined && !['java', 'sun', 'user', 'os'].includes(name)) return name;
  }
  return;
}

/** The fields of a JSON object; an empty object for any other value. */
export function objectIn(body: string): Record<string, unknown> {
  try {
    const value = parseJson(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
