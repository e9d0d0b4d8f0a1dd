// Detection of a service: its version and the name in its paths.

import { refusalIn } from '../../client/client.ts';
import type { Transport } from '../../client/message.ts';
import { parseJson } from '../../model/json.ts';

export interface Discovery {
  readonly version: string;
  readonly service: string | undefined; // undefined when nothing tells
  readonly how: string; // what told it
}

/**
 * Asks the service for its version, then tries the names it may have. Throws what the connection
 * throws, and ServiceError.
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
    how: told === undefined ? 'it does not say' : 'its properties begin with it',
  };
}

// A leader says 200, a follower 404 with the same body, and a stranger something else.
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
 * The name that the properties of a service begin with; undefined where they are not shown, or
 * nothing tells. Throws what the connection throws.
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

/** The fields of a JSON object; none of anything else. */
export function objectIn(body: string): Record<string, unknown> {
  try {
    const value = parseJson(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
