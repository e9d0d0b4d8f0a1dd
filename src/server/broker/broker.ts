// Composition of the Broker: SQL, native queries, JDBC, statements, and their catalogs.
import { BrokerConfig } from '../configuration/broker-config.ts';
import type { Handlers, Routes } from '../handlers/routes.ts';
import type { SegmentCache } from '../segment-cache/segment-cache.ts';
import { findConfig } from '../storage/config.ts';
import type { Storage } from '../storage/storage.ts';
import { lazyAvaticaRoutes } from './avatica/lazy-routes.ts';
import { avaticaSettingsIn } from './avatica/settings.ts';
import { type Catalogs, createCatalogs } from './catalogs.ts';
import { brokerDatasourceRoutes } from './datasource-routes.ts';
import { NativeQueries } from './native-queries.ts';
import type { BrokerParts } from './parts.ts';
import { QueryList } from './query-list.ts';
import { nativeRoutes, sqlRoutes } from './routes.ts';
import { RunningQueries } from './running-queries.ts';
import { SqlQueries } from './sql-queries.ts';
import { statementRoutes } from './statement-routes.ts';
import { Statements } from './statements.ts';

type BrokerRoutes = Pick<Handlers, 'avatica' | 'native' | 'statements'> & {
  readonly sql: Omit<Routes<'sql'>, 'task'>;
  readonly datasources: ReturnType<typeof brokerDatasourceRoutes>;
};

export interface Broker {
  readonly routes: BrokerRoutes;
  readonly taskCatalog: Catalogs['ofTasks'];
  close(): Promise<void>;
}

/** The Broker of a service. Throws CannotStart for invalid properties. */
export function createBroker(parts: BrokerParts): Broker {
  const { service, storage, guard, served, servers, properties, now } = parts;
  const { ofCaller: catalog, ofTasks } = createCatalogs(parts);
  const config = new BrokerConfig(() => findConfig(storage.metadata, 'broker.config'));
  const hold = () => holdReadableData(storage, parts.segmentCache);
  const list = new QueryList(now);
  const queries = new SqlQueries({ ...parts, config, catalog, hold, list });
  const running = new RunningQueries(hold);
  const nativeQueries = new NativeQueries({ ...parts, config, catalog, running, list });
  const settings = avaticaSettingsIn(service, properties);
  const jdbc =
    settings &&
    lazyAvaticaRoutes({ settings, queries, guard, serverAddress: parts.address, catalog });
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
      native: nativeRoutes(nativeQueries, { served, servers }, parts.dialect),
      sql: sqlRoutes(queries),
      statements: statementRoutes(statements),
      datasources: brokerDatasourceRoutes({ served, servers, defaultHistory, now }),
    },
    taskCatalog: ofTasks,
    close: async () => jdbc?.close(),
  };
}

// Segments, their tables and lookups stay readable until the returned function is called.
function holdReadableData(
  { segments, lookupFiles }: Storage,
  segmentCache: SegmentCache,
): () => void {
  const releases = [segments.hold(), lookupFiles.hold(), segmentCache.hold()];
  return () => {
    for (const release of releases) release();
  };
}
