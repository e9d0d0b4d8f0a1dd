// Composition root: wires storage, engine and roles into HTTP handlers.
import type { Role } from '../contract/endpoint.ts';
import { dialectOf } from '../model/dialect.ts';
import { lacksOf } from '../model/engine-version.ts';
import { plainMacros } from '../sql/runtime/macros.ts';
import { createBroker } from './broker/broker.ts';
import { propertiesOfServers, serversOf } from './cluster/cluster.ts';
import { composeSecurity } from './compose-security.ts';
import { historyMsIn } from './configuration/audit-history.ts';
import { RetentionRules } from './configuration/retention-rules.ts';
import { createCoordinator } from './coordinator/coordinator.ts';
import { decommissionedSince } from './coordinator/decommissioning.ts';
import { Engine } from './engine/engine.ts';
import type { ExternalParts } from './external-parts.ts';
import { accessRulesIn } from './handlers/access-rules.ts';
import type { Handlers } from './handlers/routes.ts';
import type { Guard } from './http/guard.ts';
import { idleProperties } from './idle-properties.ts';
import { type Outside, outsideOf } from './ingestion/outside.ts';
import { createOverlord } from './overlord/overlord.ts';
import { Planner } from './planning/planner.ts';
import type { Clock } from './process/clock.ts';
import { logError } from './process/log.ts';
import { type CacheLocation, cacheLocationsIn } from './segment-cache/locations.ts';
import { SegmentCache } from './segment-cache/segment-cache.ts';
import { RealtimeRows } from './segments/realtime-rows.ts';
import { ServedSegments } from './segments/served-segments.ts';
import { Extensions } from './settings/extensions.ts';
import { programOf } from './settings/modules.ts';
import { mainPort, portOf, type RouterPorts } from './settings/port-numbers.ts';
import { Properties } from './settings/properties.ts';
import type { ServiceSettings } from './settings.ts';
import {
  brokerRoutes,
  historicalRoutes,
  leaderRoutes,
  routerRoutes,
  statusRoutes,
} from './status.ts';
import type { Storage } from './storage/storage.ts';

export interface ServiceDependencies {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly place: RouterPorts; // of the Router, final once its ports are open
}

/** The service without its ports. */
export interface ComposedService {
  readonly handlers: Handlers;
  readonly guard: Guard;
  /** The Router's timeout for more of an answer; 0 means none. */
  readonly routerReadMs: number;
  /** Sentences about properties without effect. */
  readonly warnings: readonly string[];
  /** Resolves when queries can run; background work starts. */
  start(): Promise<void>;
  /** Resolves when the Coordinator's duties have started. */
  dutiesStarted(): Promise<void>;
  /** Stops running queries. */
  stopQueries(): void;
  close(): Promise<void>;
}

/**
 * Composes the roles of a service on its storage. Throws CannotStart with the reason on failure.
 */
export async function composeService(
  settings: ServiceSettings,
  dependencies: ServiceDependencies,
  parts: ExternalParts,
): Promise<ComposedService> {
  const shared = await createShared(settings, dependencies);
  const roles = createRoles(settings, shared, parts);
  roles.overlord.start();
  parts.onRolesStarted?.(shared.storage, shared.now);
  const { service, security, properties, extensions } = shared;
  return {
    handlers: handlersOf(shared, roles),
    guard: security.guard,
    routerReadMs: properties.periodMs('router.http.readTimeout', 'PT15M'), // Druid: "Router process"
    warnings: idleProperties(service, properties, extensions),
    ...lifecycleOf(shared, roles),
  };
}

type Shared = Awaited<ReturnType<typeof createShared>>;
type Roles = ReturnType<typeof createRoles>;

// The parts that all roles share.
async function createShared(
  settings: ServiceSettings,
  { storage, clock, place }: ServiceDependencies,
) {
  const { service, host, engineVersion } = settings;
  const { metadata } = storage;
  const { now } = clock;
  const dialect = dialectOf(service);
  const properties = new Properties(service, settings.properties, settings.propertyLines);
  properties.text('server.hiddenProperties'); // marked as read: it is read whenever properties are shown
  const extensions = new Extensions(service, properties);
  const outside = outsideOf(settings, properties, storage.folder.path, extensions);
  const security = await composeSecurity(settings, storage, properties, extensions);
  const access = accessRulesIn(properties);
  const stored = { metadata, dialect, now, historyMs: historyMsIn(properties) };
  const rules = new RetentionRules(stored);
  const addresses = addressesOf(settings, place);
  const served = new ServedSegments(storage, rules, now, () =>
    decommissionedSince(metadata, addresses.historical()),
  );
  const locations = cacheLocationsIn(properties, storage.folder.segmentCache);
  const engine = engineOf(settings, storage, properties, outside, locations);
  const segmentCache = new SegmentCache({
    storage,
    served,
    engine,
    locations,
  });
  const engineReady = engine.ready(); // DuckDB loads while the rest is composed
  engineReady.catch(() => undefined); // callers that await it get the error
  const lacking = extensions.lackingInQueries();
  const planner = new Planner({
    heapBytes: heapOfPlanning(engine.limits.memoryBytes),
    memory: engine.memory,
    lacking,
    version: engineVersion,
  });
  const program = programOf(service, engineVersion, extensions);
  const startMs = now();
  const maxServedBytes = properties.integer('server.maxSize', 50_000_000_000); // the reported capacity of the Historical
  const servers = () =>
    serversOf({
      version: program.version,
      host,
      place,
      startMs,
      servedBytes: () => served.sizeBytes(),
      broadcastBytes: () => served.broadcastBytes(),
      maxServedBytes,
    });
  return {
    service,
    host,
    place,
    dialect,
    storage,
    engine,
    engineReady,
    planner,
    outside,
    properties,
    extensions,
    security,
    access,
    rules,
    stored,
    served,
    segmentCache,
    realtime: new RealtimeRows(),
    servers,
    addresses,
    program,
    lacking,
    clock,
    now,
  };
}

// The roles refer to one another by functions that run later.
function createRoles(settings: ServiceSettings, shared: Shared, { openStream }: ExternalParts) {
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
    lookupNodes: () => [addresses.broker(), addresses.addressOf('historical')],
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
  return { overlord, coordinator, broker, shownProperties };
}

function handlersOf(
  { service, security, addresses, program }: Shared,
  { overlord, coordinator, broker, shownProperties }: Roles,
): Handlers {
  const { sqlTask, ...overlordRoutes } = overlord.routes;
  const { sql, datasources: brokerDatasources, ...brokerOwn } = broker.routes;
  return {
    ...security.handlers,
    ...coordinator.routes,
    ...overlordRoutes,
    ...brokerOwn,
    sql: { ...sql, task: sqlTask },
    broker: { ...brokerRoutes, ...brokerDatasources },
    cluster: { ...leaderRoutes(addresses), ...coordinator.routes.cluster },
    historical: historicalRoutes,
    router: routerRoutes(service, addresses),
    status: statusRoutes(program, shownProperties),
  };
}

function lifecycleOf(
  { storage, engine, engineReady, planner, realtime, segmentCache }: Shared,
  { overlord, coordinator, broker }: Roles,
): Pick<ComposedService, 'start' | 'dutiesStarted' | 'stopQueries' | 'close'> {
  const closing = new AbortController();
  let readAhead = Promise.resolve();
  return {
    async start() {
      await engineReady;
      overlord.startSchedules();
      // Duties read all segments, so they start after the read-ahead.
      readAhead = storage.segments
        .readAhead(closing.signal)
        .catch(logError)
        .then(() => {
          if (closing.signal.aborted) return;
          coordinator.start();
          segmentCache.start();
        });
    },
    dutiesStarted: () => readAhead,
    stopQueries: () => engine.stopQueries(),
    async close() {
      closing.abort();
      await broker.close();
      await readAhead;
      coordinator.close();
      await overlord.close();
      realtime.close();
      await planner.close();
      await segmentCache.close();
      await engine.close();
    },
  };
}

function engineOf(
  { allowedFolders, memoryBytes }: ServiceSettings,
  { folder }: Storage,
  properties: Properties,
  { s3 }: Outside,
  locations: readonly CacheLocation[],
): Engine {
  const { tempFolder } = s3.exports;
  const maxQueries = properties.integer('query.scheduler.numThreads', 0); // Druid: "Query prioritization and laning"; 0 means as many as fit
  return new Engine({
    allowedFolders: [
      folder.path,
      ...allowedFolders,
      ...(tempFolder === undefined ? [] : [tempFolder]),
      ...locations.map((location) => location.folder),
    ],
    spillFolder: folder.spill,
    macros: plainMacros,
    ...(memoryBytes !== undefined && { memoryLimitBytes: memoryBytes }),
    ...(maxQueries > 0 && { maxQueries }),
  });
}

// For each planning process: a list of a million values needs half of the maximum.
const heapOfPlanning = (memoryBytes: number) =>
  Math.min(1024 ** 3, Math.max(256 * 1024 ** 2, memoryBytes / 4));

/** Addresses of the roles; ports are known once they are open. */
function addressesOf({ host, rolePorts }: ServiceSettings, place: RouterPorts) {
  const scheme = place.tls === -1 ? 'http' : 'https';
  const addressOf = (role: Role) =>
    `${host}:${rolePorts ? portOf(role, mainPort(place)) : mainPort(place)}`;
  return {
    addressOf,
    historical: () => `${host}:${portOf('historical', mainPort(place))}`,
    coordinator: () => `${scheme}://${addressOf('coordinator')}`,
    overlord: () => `${scheme}://${addressOf('overlord')}`,
    broker: () => addressOf('broker'),
  };
}

function propertiesOfRole(settings: ServiceSettings, role: Role) {
  const { service, host } = settings;
  return new Properties(service, {
    ...settings.properties,
    [`${service}.service`]: `${service}/${role}`,
    [`${service}.host`]: host,
    [`${service}.msq.intermediate.storage.enable`]: String(settings.durableStorage),
    [`${service}.ingestion.localFolders`]: JSON.stringify(settings.allowedFolders),
    ...(role === 'router' && { [`${service}.router.managementProxy.enabled`]: 'true' }), // the web console checks it
  }).listShown();
}
