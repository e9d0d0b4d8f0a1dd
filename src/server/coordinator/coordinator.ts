// The Coordinator put together: its configurations, compaction, and the duties that follow from
// them.
import type { CompactionStatus } from '../../contract/compaction.ts';
import type { Dialect } from '../../model/dialect.ts';
import type { HistoryParts } from '../configuration/audit-history.ts';
import type { RetentionRules } from '../configuration/retention-rules.ts';
import type { Routes } from '../handlers/routes.ts';
import type { Clock } from '../process/clock.ts';
import type { ServedSegments } from '../segments/served-segments.ts';
import type { Properties } from '../settings/properties.ts';
import type { Storage } from '../storage/storage.ts';
import type { TaskQueue } from '../tasks/task-queue.ts';
import { Compaction } from './compaction.ts';
import { CompactionConfigs } from './compaction-configs.ts';
import { compactionRoutes } from './compaction-routes.ts';
import { configRoutes } from './config-routes.ts';
import { CoordinatorConfig } from './coordinator-config.ts';
import { Duties, type Duty } from './duties.ts';
import { killAuditLog, killUnusedSegments } from './kill-duties.ts';
import { markOvershadowed, runRules } from './retention-duties.ts';

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
  readonly dutyTickMs: number; // how often the duties look at it
}

export interface Coordinator {
  readonly duties: Duties;
  readonly compactionRoutes: Routes<'compaction'>;
  readonly configRoutes: Routes<'config'>;
  /** What a supervisor of a datasource says of its compaction. */
  compactionStatus(dataSource: string, suspended: boolean): CompactionStatus;
}

/**
 * The Coordinator of a service, its duties not yet started. Throws CannotStart for properties that
 * cannot be read.
 */
export function createCoordinator({
  storage,
  served,
  rules,
  stored,
  queue,
  properties,
  dialect,
  broker,
  clock,
  dutyTickMs,
}: CoordinatorParts): Coordinator {
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
  return {
    duties: new Duties({
      groups,
      isPaused: () => config.get().pauseCoordination,
      clock,
      tickMs: dutyTickMs,
    }),
    compactionRoutes: compactionRoutes(configs, compaction, dialect),
    configRoutes: configRoutes(config, stored, broker),
    compactionStatus: (dataSource, suspended) => compaction.supervisedStatus(dataSource, suspended),
  };
}

const present = (duties: readonly (Duty | undefined)[]): Duty[] =>
  duties.flatMap((duty) => duty ?? []);
