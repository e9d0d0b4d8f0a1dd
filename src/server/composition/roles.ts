// Roles of a service. They refer to one another by functions that run later.
import type { Role } from '../../contract/endpoint.ts';
import { lacksOf } from '../../model/engine-version.ts';
import { createBroker } from '../broker/broker.ts';
import { propertiesOfServers } from '../cluster/cluster.ts';
import { createCoordinator } from '../coordinator/coordinator.ts';
import { createOverlord } from '../overlord/overlord.ts';
import type { ExternalParts } from './external-parts.ts';
import { propertiesOfRole } from './role-properties.ts';
import type { ServiceSettings } from './settings.ts';
import type { SharedParts } from './shared-parts.ts';

export type Roles = ReturnType<typeof createRoles>;

/** The roles are not started yet. Throws CannotStart for an invalid property. */
export function createRoles(
  settings: ServiceSettings,
  shared: SharedParts,
  { openStream }: ExternalParts,
) {
  const { addresses, properties, security, servers } = shared;
  const overlord = createOverlord({
    ...shared,
    capacity: settings.workerCapacity,
    openStream,
    catalog: (source) => broker.taskCatalog(source),
    compactionStatus: (dataSource, suspended) =>
      coordinator.compactionStatus(dataSource, suspended),
  });
  const { queue, statementTasks } = overlord;
  const knowsSchemas = properties.truth('centralizedDatasourceSchema.enabled', false); // whether the Coordinator has schemas of stream segments
  const coordinator = createCoordinator({
    ...shared,
    queue,
    broker: addresses.broker,
    lookupNodes: addresses.lookupNodes,
    streamed: knowsSchemas ? shared.realtime : undefined,
    dutyTickMs: settings.dutyTickMs,
  });
  const shownProperties = (role: Role) => propertiesOfRole(settings, role);
  const broker = createBroker({
    ...shared,
    guard: security.guard,
    lacked: lacksOf(settings.engineVersion),
    queue,
    statementTasks,
    serverProperties: () => propertiesOfServers(servers(), shownProperties),
    supervisors: () => overlord.supervisors(),
    address: addresses.broker,
    defaultTimeoutMs: settings.defaultQueryTimeoutMs,
    durableStorage: settings.durableStorage,
  });
  return { overlord, coordinator, broker };
}
