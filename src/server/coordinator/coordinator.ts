// Composition of the Coordinator: configurations, compaction, duties, and routes.
import type { CompactionStatus } from '../../contract/compaction.ts';
import type { Dialect } from '../../model/dialect.ts';
import { dataServersOf } from '../cluster/cluster.ts';
import type { ListedServer } from '../cluster/listed.ts';
import type { HistoryParts } from '../configuration/audit-history.ts';
import type { RetentionRules } from '../configuration/retention-rules.ts';
import type { Handlers, Routes } from '../handlers/routes.ts';
import type { Clock } from '../process/clock.ts';
import type { RealtimeRows } from '../segments/realtime-rows.ts';
import type { ServedSegments } from '../segments/served-segments.ts';
import type { Properties } from '../settings/properties.ts';
import type { Storage } from '../storage/storage.ts';
import type { TaskQueue } from '../tasks/task-queue.ts';
import { clusterRoutes } from './cluster-routes.ts';
import { Compaction } from './compaction.ts';
import { CompactionConfigs } from './compaction-configs.ts';
import { compactionRoutes } from './compaction-routes.ts';
import { configRoutes } from './config-routes.ts';
import { CoordinatorConfig } from './coordinator-config.ts';
import { datasourceRoutes } from './datasource-routes.ts';
import { Duties, type Duty } from './duties.ts';
import { killAuditLog, killUnusedSegments } from './kill-duties.ts';
import { LoadStatus } from './load-status.ts';
import { lookupRoutes } from './lookup-routes.ts';
import { metadataRoutes } from './metadata-routes.ts';
import { markOvershadowed, runRules } from './retention-duties.ts';
import { ruleRoutes } from './rule-routes.ts';
import { segmentRoutes } from './segment-routes.ts';

export interface CoordinatorParts {
  readonly storage: Storage;
  readonly served: ServedSegments;
  readonly rules: RetentionRules;
  readonly stored: HistoryParts; // of its configurations
  readonly queue: TaskQueue;
  readonly properties: Properties;
  readonly dialect: Dialect;
  readonly broker: () => string; // host and port of the one Broker
  readonly clock: Clock;
  readonly dutyTickMs: number; // how often due duties are checked
  readonly service: string;
  readonly servers: () => readonly ListedServer[];
  readonly lookupNodes: () => readonly string[]; // host and port of the nodes that load lookups
  readonly streamed: RealtimeRows | undefined; // whose columns it knows as well
}

type CoordinatorRoutes = Pick<
  Handlers,
  'compaction' | 'config' | 'datasources' | 'metadata' | 'lookups' | 'rules' | 'segments'
> & { readonly cluster: ReturnType<typeof clusterRoutes> & Pick<Routes<'cluster'>, 'duties'> };

export interface Coordinator {
  readonly routes: CoordinatorRoutes;
  /** The compaction status of a supervisor's datasource. */
  compactionStatus(dataSource: string, suspended: boolean): CompactionStatus;
  /** Starts the duties. */
  start(): void;
  close(): void;
}

/**
 * The Coordinator of a service; its duties are not yet started. Throws CannotStart for invalid
 * properties.
 */
export function createCoordinator(parts: CoordinatorParts): Coordinator {
  const { storage, served, rules, stored, queue, properties, dialect, clock, servers } = parts;
  const { metadata, segments } = storage;
  const { now } = clock;
  const config = new CoordinatorConfig(stored);
  const configs = new CompactionConfigs(stored);
  const compaction = new Compaction({ configs, segments, metadata, queue, now });
  const compactSegments: Duty = {
    name: 'org.apache.druid.server.coordinator.duty.CompactSegments',
    run: () => void compaction.run(),
  };
  const overshadowed = markOvershadowed(storage, served, now(), () =>
    Number(config.get().millisToWaitBeforeDeleting),
  );
  const groups = [
    {
      name: 'HistoricalManagementDuties',
      periodMs: properties.periodMs('coordinator.period', 'PT5S'),
      duties: [runRules(storage, rules), overshadowed],
    },
    {
      name: 'IndexingServiceDuties',
      periodMs: properties.periodMs('coordinator.period.indexingPeriod', 'PT60S'),
      duties: present([
        compactSegments,
        killUnusedSegments(properties, { metadata, queue, config }),
      ]),
    },
    {
      name: 'MetadataStoreManagementDuties',
      periodMs: properties.periodMs('coordinator.period.metadataStoreManagementPeriod', 'PT1H'),
      duties: present([killAuditLog(properties, metadata)]),
    },
  ];
  const duties = new Duties({
    groups,
    isPaused: () => config.get().pauseCoordination,
    clock,
    tickMs: parts.dutyTickMs,
  });
  const load = new LoadStatus(served, rules, now);
  const dataServers = () => dataServersOf(servers());
  return {
    routes: {
      compaction: compactionRoutes(configs, compaction, dialect),
      config: configRoutes(config, stored, parts.broker),
      datasources: datasourceRoutes({ storage, served, load, dataServers, dialect, now }),
      metadata: metadataRoutes(storage, served, dialect, parts.streamed, now),
      lookups: lookupRoutes(storage, parts.lookupNodes),
      rules: ruleRoutes(rules),
      segments: segmentRoutes({ storage, queue, dialect, now }),
      cluster: {
        ...clusterRoutes({ service: parts.service, storage, served, load, servers }),
        duties: () => ({ dutyGroups: duties.list() }),
      },
    },
    compactionStatus: (dataSource, suspended) => compaction.supervisedStatus(dataSource, suspended),
    start: () => duties.start(),
    close: () => duties.close(),
  };
}

const present = (duties: readonly (Duty | undefined)[]): Duty[] =>
  duties.flatMap((duty) => duty ?? []);
