// Composition of the Broker: SQL, native queries, JDBC, statements, and their catalog.

import type { Dialect } from '../../model/dialect.ts';
import type { LackedByVersion } from '../../model/engine-version.ts';
import type { Catalog } from '../../sql/catalog.ts';
import type { ListedProperty, ListedServer, ListedSupervisor } from '../cluster/listed.ts';
import { BrokerConfig } from '../configuration/broker-config.ts';
import type { Engine } from '../engine/engine.ts';
import type { AccessRules } from '../handlers/access-rules.ts';
import type { Caller, Handlers, Routes } from '../handlers/routes.ts';
import { type Guard, openDoor } from '../http/guard.ts';
import type { Lacking } from '../planning/lacking.ts';
import type { Planner } from '../planning/planner.ts';
import type { SegmentCache } from '../segment-cache/segment-cache.ts';
import type { RealtimeRows } from '../segments/realtime-rows.ts';
import { type ServedSegments, storedSegments } from '../segments/served-segments.ts';
import type { Properties } from '../settings/properties.ts';
import type { StatementTasks } from '../statements/statement-tasks.ts';
import { findConfig } from '../storage/config.ts';
import type { Storage } from '../storage/storage.ts';
import type { TaskQueue } from '../tasks/task-queue.ts';
import type { AvaticaRoutes } from './avatica/routes.ts';
import type { AvaticaParts } from './avatica/service.ts';
import { avaticaSettingsIn } from './avatica/settings.ts';
import { createCatalog } from './catalog.ts';
import { brokerDatasourceRoutes } from './datasource-routes.ts';
import { NativeQueries } from './native-queries.ts';
import { nativeRoutes, sqlRoutes } from './routes.ts';
import { routines } from './routines.ts';
import { RunningQueries } from './running-queries.ts';
import { servedData } from './served-data.ts';
import { SqlQueries } from './sql-queries.ts';
import { statementRoutes } from './statement-routes.ts';
import { Statements } from './statements.ts';
import { visibleTo } from './visible-data.ts';

export interface BrokerParts {
  readonly service: string;
  readonly dialect: Dialect;
  readonly storage: Storage;
  readonly engine: Engine;
  readonly planner: Planner;
  readonly properties: Properties;
  readonly access: AccessRules;
  readonly guard: Guard;
  readonly served: ServedSegments;
  readonly segmentCache: SegmentCache;
  readonly realtime: RealtimeRows;
  readonly lacked: LackedByVersion;
  readonly lacking: readonly Lacking[]; // disabled extensions
  readonly queue: TaskQueue;
  readonly statementTasks: StatementTasks;
  readonly servers: () => readonly ListedServer[];
  readonly serverProperties: () => readonly ListedProperty[];
  readonly supervisors: () => readonly ListedSupervisor[];
  readonly address: () => string; // host and port of the Broker
  readonly defaultTimeoutMs: number; // of queries; 0 means none
  readonly durableStorage: boolean; // for the results of statements
  readonly now: () => number;
}

type BrokerRoutes = Pick<Handlers, 'avatica' | 'native' | 'statements'> & {
  readonly sql: Omit<Routes<'sql'>, 'task'>;
  readonly datasources: ReturnType<typeof brokerDatasourceRoutes>;
};

export interface Broker {
  readonly routes: BrokerRoutes;
  /**
   * The catalog of SQL tasks: segments in deep storage, loaded or not; for REALTIME, also the rows
   * of streams.
   */
  taskCatalog(source: 'NONE' | 'REALTIME'): Catalog;
  close(): Promise<void>;
}

/** The Broker of a service. Throws CannotStart for invalid properties. */
export function createBroker(parts: BrokerParts): Broker {
  const { service, storage, guard, served, realtime, lacking, lacked, servers, now } = parts;
  const { properties, dialect, segmentCache } = parts;
  const known = {
    storage,
    realtime,
    lacked,
    servers,
    serverProperties: parts.serverProperties,
    supervisors: parts.supervisors,
    routines: () => routines(lacking, lacked.functions),
  };
  const data = servedData({ ...known, served, placeOf: segmentCache.placeOf });
  const dataInFiles = servedData({ ...known, served });
  const storedCatalog = (scansRealtime: boolean) =>
    createCatalog(servedData({ ...known, served: storedSegments(storage), scansRealtime }));
  const taskCatalogs = { NONE: storedCatalog(false), REALTIME: storedCatalog(true) };
  const authorizesSystemTables = properties.truth(
    'sql.planner.authorizeSystemTablesDirectly',
    false,
  );
  const catalog = (caller: Caller, context: Readonly<Record<string, unknown>> = {}) => {
    const source = String(context.useSegmentCache) === 'false' ? dataInFiles : data;
    return createCatalog(
      guard === openDoor ? source : visibleTo(source, caller, { authorizesSystemTables }),
    );
  };
  const hold = () => {
    const holds = [storage.segments.hold(), storage.lookupFiles.hold(), segmentCache.hold()];
    return () => {
      for (const letGo of holds) letGo();
    };
  };
  const config = new BrokerConfig(() => findConfig(storage.metadata, 'broker.config'));
  const queries = new SqlQueries({ ...parts, config, catalog, hold });
  const nativeQueries = new NativeQueries({
    ...parts,
    config,
    catalog,
    running: new RunningQueries(hold),
  });
  const settings = avaticaSettingsIn(service, properties);
  const jdbc =
    settings && jdbcOf({ settings, queries, guard, serverAddress: parts.address, catalog });
  const statements = new Statements({
    ...parts,
    tasks: parts.statementTasks,
    results: storage.results,
    mayManage: ({ may }, action) => may('STATE', 'STATE', action),
  });
  const defaultHistory = properties.text('query.segmentMetadata.defaultHistory') ?? 'P1W';
  return {
    routes: {
      ...(jdbc && { avatica: jdbc.handlers }),
      native: nativeRoutes(nativeQueries, { served, servers }, dialect),
      sql: sqlRoutes(queries),
      statements: statementRoutes(statements),
      datasources: brokerDatasourceRoutes({ served, servers, defaultHistory, now }),
    },
    taskCatalog: (source) => taskCatalogs[source],
    close: async () => jdbc?.close(),
  };
}

// The code of JDBC is loaded on the first request of a driver.
function jdbcOf(parts: AvaticaParts): {
  readonly handlers: Routes<'avatica'>;
  close(): Promise<void>;
} {
  let loading: Promise<AvaticaRoutes> | undefined;
  const listLoaded = () => {
    loading ??= import('./avatica/routes.ts').then(({ avaticaRoutes }) => avaticaRoutes(parts));
    return loading;
  };
  return {
    handlers: {
      json: async (request) => (await listLoaded()).json(request),
      protobuf: async (request) => (await listLoaded()).protobuf(request),
    },
    close: async () => (await loading)?.close(),
  };
}
