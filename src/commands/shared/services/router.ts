// Search for the Router: Coordinators and Brokers report it; otherwise the default ports are tried.
import { objectIn } from '../../../cli/command/discover.ts';
import { Unreachable } from '../../../client/errors.ts';
import type { Transport } from '../../../client/message.ts';
import { parseJson } from '../../../model/json.ts';
import type { ServicePlace } from './place.ts';
import type { RoleOfService } from './role.ts';

// The default ports; with TLS they are 200 higher.
const defaultPorts: Readonly<Record<RoleOfService, number>> = {
  Coordinator: 8081,
  Broker: 8082,
  Historical: 8083,
  Overlord: 8090,
  Router: 8888,
  MiddleManager: 8091,
};

/**
 * The address of the Router for a server with these roles; undefined when it is neither reported
 * nor found.
 */
export async function findRouter(
  place: ServicePlace,
  send: Transport,
  name: string,
  roles: readonly RoleOfService[],
): Promise<string | undefined> {
  const reported = roles.includes('Coordinator')
    ? await routerFromCoordinator(
        send,
        name,
        place.url.protocol === 'https:' ? 'tlsPort' : 'plaintextPort',
      )
    : roles.includes('Broker')
      ? await routerFromBroker(send, name)
      : undefined;
  const { url } = place;
  if (reported !== undefined) return `${url.protocol}//${reported}`;
  const shift = url.protocol === 'https:' ? 200 : 0;
  const routerPort = defaultPorts.Router + shift;
  const ownPort = Number(url.port || (shift > 0 ? 443 : 80));
  const ports = new Set([
    ...roles.map((role) => ownPort - defaultPorts[role] - shift + routerPort),
    routerPort,
  ]);
  for (const port of ports) {
    if (port <= 0 || port > 65_535 || port === ownPort) continue;
    const address = new URL(url);
    address.port = String(port);
    if (await isRouter(place, address, name)) return address.origin;
  }
  return;
}

// The real engine reports host and ports separately.
async function routerFromCoordinator(
  send: Transport,
  name: string,
  portKey: 'plaintextPort' | 'tlsPort',
): Promise<string | undefined> {
  const reply = await send({ method: 'GET', path: `/${name}/coordinator/v1/cluster`, headers: [] });
  const { router } = objectIn(await reply.text());
  if (!Array.isArray(router)) return;
  const host = hostIn(router[0], 'host');
  const port = Number(Reflect.get(Object(router[0]), portKey));
  return host === undefined || /:\d+$/.test(host) ? host : port > 0 ? `${host}:${port}` : undefined;
}

async function routerFromBroker(send: Transport, name: string): Promise<string | undefined> {
  const body = JSON.stringify({
    query: "SELECT server FROM sys.servers WHERE server_type = 'router' LIMIT 1",
  });
  const reply = await send({
    method: 'POST',
    path: `/${name}/v2/sql`,
    headers: [['content-type', 'application/json']],
    body,
  });
  const text = await reply.text();
  if (reply.status !== 200) return;
  const rows = parseJson(text);
  return Array.isArray(rows) ? hostIn(rows[0], 'server') : undefined;
}

function hostIn(row: unknown, key: string): string | undefined {
  const host = typeof row === 'object' && row !== null ? Reflect.get(row, key) : undefined;
  return typeof host === 'string' && host !== '' ? host : undefined;
}

async function isRouter({ connect }: ServicePlace, address: URL, name: string): Promise<boolean> {
  try {
    const send = await connect(address);
    const reply = await send({ method: 'GET', path: `/${name}/router/v1/brokers`, headers: [] });
    const body = objectIn(await reply.text());
    return reply.status === 200 && Object.values(body).some((hosts) => Array.isArray(hosts));
  } catch (error) {
    if (error instanceof Unreachable) return false;
    throw error;
  }
}
