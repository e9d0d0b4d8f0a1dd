// Composition root: wires storage, engine and roles into HTTP handlers.
import type { Role } from '../contract/endpoint.ts';
import type { OverlordDynamicConfig } from '../contract/workers.ts';
import { dialectOf } from '../model/dialect.ts';
import { lackedBy } from '../model/engine-version.ts';
import { plainMacros } from '../sql/runtime/macros.ts';
import type { AvaticaRoutes } from './broker/avatica/routes.ts';
import type { AvaticaParts } from './broker/avatica/service.ts';
import { avaticaSettingsIn } from './broker/avatica/settings.ts';
import { createCatalog } from './broker/catalog.ts';
import { brokerDatasourceRoutes } from './broker/datasource-routes.ts';
import { NativeQueries } from './broker/native-queries.ts';
import { nativeRoutes, sqlRoutes } from './broker/routes.ts';
import { routines } from './broker/routines.ts';
import { RunningQueries } from './broker/running-queries.ts';
import { servedData } from './broker/served-data.ts';
import { SqlQueries } from './broker/sql-queries.ts';
import { statementRoutes } from './broker/statement-routes.ts';
import { Statements } from './broker/statements.ts';
import { visibleTo } from './broker/visible-data.ts';
import { dataServersOf, propertiesOfServers, serversOf } from './cluster/cluster.ts';
import { historyMsIn } from './configuration/audit-history.ts';
import { AuditedConfig } from './configuration/audited-config.ts';
import { BrokerConfig } from './configuration/broker-config.ts';
import { RetentionRules } from './configuration/retention-rules.ts';
import { clusterRoutes } from './coordinator/cluster-routes.ts';
import { createCoordinator } from './coordinator/coordinator.ts';
import { datasourceRoutes } from './coordinator/datasource-routes.ts';
import { decommissionedSince } from './coordinator/decommissioning.ts';
import { LoadStatus } from './coordinator/load-status.ts';
import { lookupRoutes } from './coordinator/lookup-routes.ts';
import { metadataRoutes } from './coordinator/metadata-routes.ts';
import { ruleRoutes } from './coordinator/rule-routes.ts';
import { segmentRoutes } from './coordinator/segment-routes.ts';
import { Engine } from './engine/engine.ts';
import { accessRulesIn } from './handlers/access-rules.ts';
import { mustBeAllowed } from './handlers/permissions.ts';
import type { Caller, Handlers, Routes, SecurityHandlers } from './handlers/routes.ts';
import { type Guard, openDoor } from './http/guard.ts';
import { idleProperties } from './idle-properties.ts';
import { outsideOf } from './ingestion/outside.ts';
import type { SegmentSource } from './overlord/multi-stage/segment-source.ts';
import { createTaskQueue } from './overlord/overlord.ts';
import { taskRoutes } from './overlord/routes.ts';
import { sample } from './overlord/sampler.ts';
import { kafkaStreams } from './overlord/stream/kafka.ts';
import type { RunningStreamTasks } from './overlord/stream/stream.ts';
import { supervisorDefaults } from './overlord/supervisors/defaults.ts';
import { supervisorRoutes } from './overlord/supervisors/routes.ts';
import { ScheduledBatches } from './overlord/supervisors/scheduled-batches.ts';
import { dataSourcesOfSupervisor } from './overlord/supervisors/spec.ts';
import { listedSupervisor } from './overlord/supervisors/status.ts';
import { Supervisors } from './overlord/supervisors/supervisors.ts';
import { taskResources } from './overlord/task-resources.ts';
import { SqlTasks } from './overlord/types/sql-tasks.ts';
import { middleManagerRoutes, workerCategory, workerRoutes } from './overlord/worker-routes.ts';
import { Planner } from './planning/planner.ts';
import { CannotStart } from './process/cannot-start.ts';
import type { Clock } from './process/clock.ts';
import { logError } from './process/log.ts';
import { RealtimeRows } from './segments/realtime-rows.ts';
import { ServedSegments, storedSegments } from './segments/served-segments.ts';
import { Extensions } from './settings/extensions.ts';
import { programOf } from './settings/modules.ts';
import { mainPort, type Place, portOf } from './settings/port-numbers.ts';
import { Properties } from './settings/properties.ts';
import type { Settings, TestOverrides } from './settings.ts';
import { checkSqlRequest } from './statements/sql-request.ts';
import {
  brokerRoutes,
  historicalRoutes,
  leaderRoutes,
  routerRoutes,
  statusRoutes,
} from './status.ts';
import { findConfig } from './storage/config.ts';
import type { Storage } from './storage/storage.ts';
import { findTask } from './storage/tasks.ts';
import { keepTask } from './tasks/known-task.ts';
import { keptFromWorker } from './tasks/worker-selection.ts';

export interface ServiceDependencies {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly place: Place; // the Router's, known for good once it is open
}

/** All that is behind the ports. */
export interface Inside {
  readonly handlers: Handlers;
  readonly guard: Guard;
  /** How long the Router waits for more of an answer; 0 is for ever. */
  readonly routerReadMs: number;
  /** What of the properties has no effect, a sentence for each. */
  readonly warnings: readonly string[];
  /** Resolves when queries can be run; what goes on by itself begins. */
  start(): Promise<void>;
  /** Resolves when the Coordinator looks after what is due. */
  dutiesStarted(): Promise<void>;
  /** Stops queries that are still answered. */
  stopQueries(): void;
  close(): Promise<void>;
}

/**
 * Opens the roles of a service on its storage. Throws CannotStart with the reason when it cannot.
 */
export async function composeService(
  settings: Settings,
  { storage, clock, place }: ServiceDependencies,
  given: TestOverrides,
): Promise<Inside> {
  const { service, host } = settings;
  const { now } = clock;
  const dialect = dialectOf(service);
  const properties = new Properties(service, settings.properties, settings.propertyLines);
  properties.text('server.hiddenProperties'); // asked for whenever properties are shown
  const extensions = new Extensions(service, properties);
  const routerReadMs = properties.periodMs('router.http.readTimeout', 'PT15M'); // Druid: "Router process"
  const outside = outsideOf(settings, properties, storage.folder.path, extensions);
  const maxServedBytes = properties.integer('server.maxSize', 50_000_000_000); // what the Historical says it can hold
  const defaultHistory = properties.text('query.segmentMetadata.defaultHistory') ?? 'P1W';
  const knowsSchemas = properties.truth('centralizedDatasourceSchema.enabled', false); // the Coordinator, of segments of streams
  const access = accessRulesIn(properties);
  const security = await securityOf(settings, storage, properties, extensions);
  const { guard } = security;
  const stored = { metadata: storage.metadata, dialect, now, historyMs: historyMsIn(properties) };
  const rules = new RetentionRules(stored);
  const workerHost = () => `${host}:${portOf('middleManager', mainPort(place))}`;
  const historical = () => `${host}:${portOf('historical', mainPort(place))}`;
  const served = new ServedSegments(storage, rules, now, () =>
    decommissionedSince(storage.metadata, historical()),
  );
  const maxQueries = properties.integer('query.scheduler.numThreads', 0); // Druid: "Query prioritization and laning"; usually as many as fit
  const { tempFolder } = outside.s3.exports;
  const engine = new Engine({
    allowedFolders: [
      storage.folder.path,
      ...settings.allowedFolders,
      ...(tempFolder === undefined ? [] : [tempFolder]),
    ],
    spillFolder: storage.folder.spill,
    macros: plainMacros,
    ...(settings.memoryBytes !== undefined && { memoryLimitBytes: settings.memoryBytes }),
    ...(maxQueries > 0 && { maxQueries }),
  });
  const engineReady = engine.ready(); // DuckDB loads while the rest is put together
  engineReady.catch(() => undefined); // whoever awaits it hears of it
  const lacking = extensions.lackingInQueries();
  const version = settings.engineVersion;
  const lacked = lackedBy(version);
  const program = programOf(service, version, extensions);
  const planner = new Planner({
    heapBytes: heapOfPlanning(engine.limits.memoryBytes),
    memory: engine.memory,
    lacking,
    version,
  });
  const startMs = now();
  const realtime = new RealtimeRows();
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
  const propertiesOf = (role: Role) =>
    new Properties(service, {
      ...settings.properties,
      [`${service}.service`]: `${service}/${role}`,
      [`${service}.host`]: host,
      [`${service}.msq.intermediate.storage.enable`]: String(settings.durableStorage),
      [`${service}.ingestion.localFolders`]: JSON.stringify(settings.allowedFolders),
      ...(role === 'router' && { [`${service}.router.managementProxy.enabled`]: 'true' }), // the web console looks for it
    }).shown();
  const known = {
    storage,
    supervisors: () => supervisors.list().map(listedSupervisor),
    routines: () => routines(lacking, lacked.functions),
    lacked,
    servers,
    serverProperties: () => propertiesOfServers(servers(), propertiesOf),
  };
  const data = servedData({ ...known, served, realtime });
  // SQL tasks read deep storage: what they read need not be loaded.
  const catalogWith = (scansRealtime: boolean) =>
    createCatalog(
      servedData({ ...known, served: storedSegments(storage), realtime, scansRealtime }),
    );
  const catalogs = { NONE: catalogWith(false), REALTIME: catalogWith(true) };
  const taskCatalog = (source: SegmentSource) => catalogs[source];
  const authorizesSystemTables = properties.truth(
    'sql.planner.authorizeSystemTablesDirectly',
    false,
  );
  const catalogFor = (caller: Caller) =>
    createCatalog(guard === openDoor ? data : visibleTo(data, caller, { authorizesSystemTables }));
  const brokerConfig = new BrokerConfig(() => findConfig(storage.metadata, 'broker.config'));
  const hold = () => {
    const holds = [storage.segments.hold(), storage.lookupFiles.hold()];
    return () => {
      for (const letGo of holds) letGo();
    };
  };
  const queries = new SqlQueries({
    service,
    dialect,
    engine,
    planner,
    now,
    defaultTimeoutMs: settings.defaultQueryTimeoutMs,
    config: brokerConfig,
    access,
    catalog: catalogFor,
    hold,
  });
  const nativeQueries = new NativeQueries({
    service,
    dialect,
    engine,
    planner,
    running: new RunningQueries(hold),
    now,
    defaultTimeoutMs: settings.defaultQueryTimeoutMs,
    config: brokerConfig,
    access,
    catalog: catalogFor,
  });
  const avaticaSettings = avaticaSettingsIn(service, properties);
  const jdbc =
    avaticaSettings &&
    jdbcOf({
      settings: avaticaSettings,
      queries,
      guard,
      serverAddress: () => addressOf('broker'),
      catalog: catalogFor,
    });
  const streamTasks: RunningStreamTasks = new Map();
  const queue = createTaskQueue({
    storage,
    engine,
    outside,
    dialect,
    capacity: settings.workerCapacity,
    host,
    place,
    planner,
    catalog: taskCatalog,
    keptFromWorker: (task) =>
      keptFromWorker(
        findConfig<OverlordDynamicConfig>(storage.metadata, 'worker.config') ?? {},
        task,
        {
          host: workerHost(),
          category: workerCategory,
          capacity: settings.workerCapacity,
        },
      ),
    realtime,
    streamTasks,
    rules,
    clock,
  });
  queue.start();
  const supervisors = new Supervisors({
    metadata: storage.metadata,
    queue,
    openStream: extensions.has('kafka-indexing-service')
      ? (given.openStream ?? kafkaStreams(outside))
      : withoutKafka(extensions),
    outside,
    streamTasks,
    ...supervisorDefaults(properties),
    now,
    every: clock.every,
  });
  supervisors.start();
  const sqlTasks = new SqlTasks({
    service,
    dialect,
    queue,
    now,
    planner,
    outside,
    access,
    catalog: taskCatalog,
  });
  const scheduled = new ScheduledBatches({
    metadata: storage.metadata,
    clock,
    list: supervisors.list,
    // Who submitted the supervisor was allowed to run its statement.
    async submit({ query, id }, signal) {
      const caller = { identity: id, ip: '', isAnonymous: false, may: () => true };
      return (await sqlTasks.start(checkSqlRequest({ ...query }), caller, { signal })).taskId;
    },
  });
  const statements = new Statements({
    dialect,
    tasks: sqlTasks,
    queue,
    results: storage.results,
    engine,
    durableStorage: settings.durableStorage,
    mayManage: ({ may }, action) => may('STATE', 'STATE', action),
  });
  for (const task of given.tasks ?? []) keepTask(storage, task, now);
  const addressOf = (role: Role) =>
    `${host}:${settings.rolePorts ? portOf(role, mainPort(place)) : mainPort(place)}`; // where the role can be reached
  const scheme = place.tls === -1 ? 'http' : 'https';
  const addresses = {
    coordinator: () => `${scheme}://${addressOf('coordinator')}`,
    overlord: () => `${scheme}://${addressOf('overlord')}`,
    broker: () => addressOf('broker'),
  };
  const coordinator = createCoordinator({
    storage,
    served,
    rules,
    stored,
    queue,
    properties,
    dialect,
    broker: addresses.broker,
    clock,
    dutyTickMs: settings.dutyTickMs,
  });
  const load = new LoadStatus(served, rules, now);
  const handlers: Handlers = {
    ...security.handlers,
    ...(jdbc && { avatica: jdbc.handlers }),
    compaction: coordinator.compactionRoutes,
    config: coordinator.configRoutes,
    datasources: datasourceRoutes({
      storage,
      served,
      load,
      dataServers: () => dataServersOf(servers()),
      dialect,
      now,
    }),
    metadata: metadataRoutes(storage, served, dialect, knowsSchemas ? realtime : undefined),
    native: nativeRoutes(nativeQueries, { served, servers }, dialect),
    lookups: lookupRoutes(storage, () => [addressOf('broker'), addressOf('historical')]),
    rules: ruleRoutes(rules),
    segments: segmentRoutes({ storage, queue, dialect, now }),
    sql: {
      ...sqlRoutes(queries),
      task: ({ body, ...surroundings }) => sqlTasks.submit(body, surroundings),
    },
    statements: statementRoutes(statements),
    broker: {
      ...brokerRoutes,
      ...brokerDatasourceRoutes({ served, servers, defaultHistory, now }),
    },
    cluster: {
      ...leaderRoutes(addresses),
      ...clusterRoutes({ service, storage, served, load, servers }),
      duties: () => ({ dutyGroups: coordinator.duties.list() }),
    },
    historical: historicalRoutes,
    router: routerRoutes(service, addresses),
    status: statusRoutes(program, propertiesOf),
    middleManager: middleManagerRoutes(queue, storage.metadata, workerHost),
    workers: workerRoutes(queue, storage.metadata, new AuditedConfig('worker.config', stored), {
      scheme,
      host: workerHost,
    }),
    supervisors: supervisorRoutes(supervisors, streamTasks, dialect, now, access, extensions, {
      compactionStatus: coordinator.compactionStatus,
      scheduled,
      sqlTasks,
    }),
    tasks: {
      ...taskRoutes(
        queue,
        storage.metadata,
        properties.truth('indexer.auditLog.enabled', false),
        now,
        async (task, signal) => {
          extensions.checkFormat(task);
          return [
            ...(await taskResources(
              task,
              { metadata: storage.metadata, planner, catalog: taskCatalog, now },
              signal,
            )),
            ...access.ofSpec(task),
          ];
        },
      ),
      sample({ body, signal, caller }) {
        extensions.checkFormat(body);
        mustBeAllowed(caller, access.ofSpec(body));
        if (body.type === 'kafka')
          extensions.mustHave('kafka-indexing-service', 'A sampler of type [kafka]');
        return sample(body, signal, {
          engine,
          segments: storage.segments,
          outside,
          now,
          openStream: kafkaStreams(outside),
        });
      },
    },
  };
  const closing = new AbortController();
  let readAhead = Promise.resolve();
  const startDuties = () => {
    if (!closing.signal.aborted) coordinator.duties.start();
  };
  return {
    handlers,
    guard,
    routerReadMs,
    warnings: idleProperties(service, properties, extensions),
    async start() {
      await engineReady;
      scheduled.start();
      // Which look at all segments
      readAhead = storage.segments.readAhead(closing.signal).catch(logError).then(startDuties);
    },
    dutiesStarted: () => readAhead,
    stopQueries: () => engine.stopQueries(),
    async close() {
      closing.abort();
      await jdbc?.close();
      await readAhead;
      coordinator.duties.close();
      scheduled.close();
      await supervisors.close();
      await queue.close();
      realtime.close();
      await planner.close();
      await engine.close();
    },
  };
}

// Supervisors of an earlier start, with another list of extensions.
const withoutKafka = (extensions: Extensions) => async () => {
  extensions.mustHave('kafka-indexing-service', 'This supervisor');
  throw new Error('The extension is listed');
};

// Of each planning process: a list of a million values needs a half of the most.
const heapOfPlanning = (memoryBytes: number) =>
  Math.min(1024 ** 3, Math.max(256 * 1024 ** 2, memoryBytes / 4));

// The code of JDBC is loaded when the first driver asks.
function jdbcOf(parts: AvaticaParts): {
  readonly handlers: Routes<'avatica'>;
  close(): Promise<void>;
} {
  let loading: Promise<AvaticaRoutes> | undefined;
  const loaded = () => {
    loading ??= import('./broker/avatica/routes.ts').then(({ avaticaRoutes }) =>
      avaticaRoutes(parts),
    );
    return loading;
  };
  return {
    handlers: {
      json: async (request) => (await loaded()).json(request),
      protobuf: async (request) => (await loaded()).protobuf(request),
    },
    close: async () => (await loading)?.close(),
  };
}

// The code of security is loaded where it is asked for, because every start would pay for it.
async function securityOf(
  { service, host, withoutUsers }: Settings,
  { metadata }: Storage,
  properties: Properties,
  extensions: Extensions,
) {
  const isWanted = ['auth.authenticatorChain', 'auth.authorizers', 'escalator.type'].some(
    (name) => properties.text(name) !== undefined,
  );
  if (isWanted) checkSecurityExtension(properties, extensions);
  const security: { readonly guard: Guard; readonly handlers: Partial<SecurityHandlers> } = isWanted
    ? await (await import('./security/security.ts')).createSecurity({
        service,
        metadata,
        properties,
        dataSourceOfTask: (taskId) => findTask(metadata, taskId)?.dataSource,
        dataSourcesOfSupervisor: (supervisorId) => dataSourcesOfSupervisor(metadata, supervisorId),
      })
    : { guard: openDoor, handlers: {} };
  if (!security.guard.requiresCredentials && !withoutUsers && !isLoopback(host))
    throw openToAll(host, service);
  return security;
}

function checkSecurityExtension(properties: Properties, extensions: Extensions): void {
  const types = [
    ...properties
      .texts('auth.authenticatorChain', [])
      .map((name) => `auth.authenticator.${name}.type`),
    ...properties.texts('auth.authorizers', []).map((name) => `auth.authorizer.${name}.type`),
    'escalator.type',
  ];
  for (const name of types)
    if (properties.text(name) === 'basic') extensions.neededBy(name, 'basic', 'basic-security');
}

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

const openToAll = (host: string, service: string) =>
  new CannotStart(
    `Without users, everybody who reaches address [${host}] may do everything. Say who may come in with property [${service}.auth.authenticatorChain], or allow it with --without-users`,
  );
