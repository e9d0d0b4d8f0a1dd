// Servers of the cluster: one for each role, all of them this process.
import { availableParallelism, totalmem } from 'node:os';
import type { Role } from '../../contract/endpoint.ts';
import { formatJson } from '../../model/json.ts';
import { defaultTier } from '../../model/retention-rule.ts';
import { mainPort, portOf, type RouterPorts } from '../settings/port-numbers.ts';
import type { ListedProperty, ListedServer } from './listed.ts';

export interface ClusterSettings {
  readonly version: string; // of all servers
  readonly host: string;
  readonly place: RouterPorts;
  readonly startMs: number;
  readonly servedBytes: () => number; // of the segments on the Historical
  readonly broadcastBytes: () => number; // of the segments that the Broker also has
  readonly maxServedBytes: number;
  readonly storageBytes: number; // that the segment cache may take
}

/** Metadata of a server with segments (Druid: DruidServerMetadata). */
export type DataServer = {
  readonly name: string; // host and port
  readonly host: string | null; // with the port in plain text
  readonly hostAndTlsPort: string | null;
  readonly maxSize: number;
  readonly storageSize: number;
  readonly type: string;
  readonly tier: string;
  readonly priority: number;
};

/** The servers that have segments. */
export const dataServersOf = (servers: readonly ListedServer[]): DataServer[] =>
  servers
    .filter(({ type }) => type === 'historical')
    .map(({ server, host, port, tlsPort, type, tier, maxSizeBytes, storageBytes }) => ({
      name: server,
      host: port === -1 ? null : `${host}:${port}`,
      hostAndTlsPort: tlsPort === -1 ? null : `${host}:${tlsPort}`,
      maxSize: maxSizeBytes,
      storageSize: storageBytes,
      type,
      tier: tier ?? defaultTier,
      priority: 0,
    }));

/**
 * Writes the JSON of servers without the fields that a version lacks; the text is kept for the next
 * call, because a list of segments repeats it.
 */
export function dataServersText(
  servers: readonly DataServer[],
): (lacked: ReadonlySet<string>) => string {
  const texts = new Map<ReadonlySet<string>, string>();
  return (lacked) => {
    const known = texts.get(lacked);
    if (known !== undefined) return known;
    const fieldsOf = (server: DataServer) =>
      Object.fromEntries(Object.entries(server).filter(([name]) => !lacked.has(name)));
    const text = formatJson(servers.map(fieldsOf));
    texts.set(lacked, text);
    return text;
  };
}

const types = [
  'coordinator',
  'overlord',
  'broker',
  'historical',
  'middle_manager',
  'router',
] as const;

export function serversOf({
  version,
  host,
  place,
  startMs,
  servedBytes,
  broadcastBytes,
  maxServedBytes,
  storageBytes,
}: ClusterSettings): ListedServer[] {
  const sizeOf = (type: (typeof types)[number]) =>
    type === 'historical' ? servedBytes() : type === 'broker' ? broadcastBytes() : 0;
  return types.map((type) => {
    const port = portOf(roleOf(type), place.plain);
    const tlsPort = portOf(roleOf(type), place.tls);
    const sizeBytes = sizeOf(type);
    const isHistorical = type === 'historical';
    return {
      server: `${host}:${portOf(roleOf(type), mainPort(place))}`,
      host,
      port,
      tlsPort,
      type,
      tier: isHistorical ? defaultTier : null,
      sizeBytes,
      // A Broker has a cache only for broadcast segments
      maxSizeBytes: isHistorical || sizeBytes > 0 ? maxServedBytes : 0,
      storageBytes: isHistorical ? storageBytes : 0,
      isLeader: type === 'coordinator' || type === 'overlord' ? true : null,
      startMs,
      version,
      processors: availableParallelism(),
      memoryBytes: totalmem(),
    };
  });
}

/** The properties of each server. */
export const propertiesOfServers = (
  servers: readonly ListedServer[],
  propertiesOf: (role: Role) => Readonly<Record<string, string>>,
): ListedProperty[] =>
  servers.flatMap(({ server, type }) => {
    const role = roleOf(type);
    const properties = propertiesOf(role);
    const serviceName =
      Object.entries(properties).find(([name]) => /^\w+\.service$/.test(name))?.[1] ?? role;
    return Object.entries(properties).map(([property, value]) => ({
      server,
      serviceName,
      role,
      property,
      value,
    }));
  });

const roles: readonly Role[] = [
  'broker',
  'coordinator',
  'historical',
  'middleManager',
  'overlord',
  'router',
];

const roleOf = (type: string): Role =>
  roles.find((role) => role.toLowerCase() === type.replace('_', '')) ?? 'router';
