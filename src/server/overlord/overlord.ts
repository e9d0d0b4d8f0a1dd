// Composition of the Overlord: tasks, supervisors, SQL tasks, and its one worker.
import type { CompactionStatus } from '../../contract/compaction.ts';
import type { OverlordDynamicConfig } from '../../contract/workers.ts';
import type { Dialect } from '../../model/dialect.ts';
import type { Catalog } from '../../sql/catalog.ts';
import type { ListedSupervisor } from '../cluster/listed.ts';
import type { HistoryParts } from '../configuration/audit-history.ts';
import { AuditedConfig } from '../configuration/audited-config.ts';
import type { RetentionRules } from '../configuration/retention-rules.ts';
import type { Engine } from '../engine/engine.ts';
import type { AccessRules } from '../handlers/access-rules.ts';
import type { Handlers, Routes } from '../handlers/routes.ts';
import type { Outside } from '../ingestion/outside.ts';
import type { Planner } from '../planning/planner.ts';
import type { Clock } from '../process/clock.ts';
import type { RealtimeRows } from '../segments/realtime-rows.ts';
import type { Extensions } from '../settings/extensions.ts';
import { mainPort, portOf, type RouterPorts } from '../settings/port-numbers.ts';
import type { Properties } from '../settings/properties.ts';
import { checkSqlRequest } from '../statements/sql-request.ts';
import type { StatementTasks } from '../statements/statement-tasks.ts';
import { findConfig } from '../storage/config.ts';
import type { Storage } from '../storage/storage.ts';
import type { TaskQueue } from '../tasks/task-queue.ts';
import { findWorkerRefusal } from '../tasks/worker-selection.ts';
import { allTaskRoutes } from './all-task-routes.ts';
import type { SegmentSource } from './multi-stage/segment-source.ts';
import type { OpenStream, RunningStreamTasks } from './stream/stream.ts';
import { createSupervisors } from './supervisors/create-supervisors.ts';
import { supervisorRoutes } from './supervisors/routes.ts';
import { ScheduledBatches } from './supervisors/scheduled-batches.ts';
import { listedSupervisor } from './supervisors/status.ts';
import { createTaskQueue } from './task-types.ts';
import { SqlTasks } from './types/sql-tasks.ts';
import { middleManagerRoutes, workerCategory, workerRoutes } from './worker-routes.ts';

export interface OverlordParts {
  readonly service: string;
  readonly dialect: Dialect;
  readonly storage: Storage;
  readonly engine: Engine;
  readonly planner: Planner;
  readonly outside: Outside;
  readonly properties: Properties;
  readonly extensions: Extensions;
  readonly access: AccessRules;
  readonly rules: RetentionRules;
  readonly stored: HistoryParts; // of its configuration
  readonly realtime: RealtimeRows; // rows of stream tasks
  readonly capacity: number; // task slots
  readonly host: string;
  readonly place: RouterPorts; // of the Router; determines the worker's ports
  readonly clock: Clock;
  readonly openStream: OpenStream | undefined; // for supervisors, in place of Kafka
  readonly catalog: (source: SegmentSource) => Catalog; // for SQL tasks
  readonly compactionStatus: (dataSource: string, suspended: boolean) => CompactionStatus;
}

type OverlordRoutes = Pick<Handlers, 'middleManager' | 'workers' | 'supervisors' | 'tasks'> & {
  readonly sqlTask: Routes<'sql'>['task'];
};

export interface Overlord {
  readonly routes: OverlordRoutes;
  readonly queue: TaskQueue;
  readonly statementTasks: StatementTasks;
  supervisors(): ListedSupervisor[];
  /** Resumes tasks and supervisors. */
  start(): void;
  /** Starts submitting scheduled batches. */
  startSchedules(): void;
  close(): Promise<void>;
}

/** The Overlord of a service; it is not started yet. */
export function createOverlord(parts: OverlordParts): Overlord {
  const { extensions, access, dialect, host, place, clock, capacity } = parts;
  const { metadata } = parts.storage;
  const { now } = clock;
  const workerHost = () => `${host}:${portOf('middleManager', mainPort(place))}`;
  const streamTasks: RunningStreamTasks = new Map();
  const queue = createTaskQueue({
    ...parts,
    streamTasks,
    keptFromWorker: (task) =>
      findWorkerRefusal(findConfig<OverlordDynamicConfig>(metadata, 'worker.config') ?? {}, task, {
        host: workerHost(),
        category: workerCategory,
        capacity,
      }),
  });
  const supervisors = createSupervisors(parts, queue, streamTasks);
  const sqlTasks = new SqlTasks({ ...parts, queue, now });
  const scheduled = new ScheduledBatches({
    metadata,
    clock,
    list: supervisors.list,
    // The submitter of the supervisor had permission for its statement.
    async submit({ query, id }, signal) {
      const caller = { identity: id, ip: '', isAnonymous: false, may: () => true };
      return (await sqlTasks.start(checkSqlRequest({ ...query }), caller, { signal })).taskId;
    },
  });
  const routes: OverlordRoutes = {
    sqlTask: ({ body, ...context }) => sqlTasks.submit(body, context),
    middleManager: middleManagerRoutes(queue, metadata, workerHost),
    workers: workerRoutes(queue, metadata, new AuditedConfig('worker.config', parts.stored), {
      scheme: place.tls === -1 ? 'http' : 'https',
      host: workerHost,
    }),
    supervisors: supervisorRoutes({
      supervisors,
      streamTasks,
      dialect,
      now,
      access,
      extensions,
      compactionStatus: parts.compactionStatus,
      scheduled,
      sqlTasks,
    }),
    tasks: allTaskRoutes(parts, queue),
  };
  return {
    routes,
    queue,
    statementTasks: sqlTasks,
    supervisors: () => supervisors.list().map(listedSupervisor),
    start() {
      queue.start();
      supervisors.start();
    },
    startSchedules: () => scheduled.start(),
    async close() {
      scheduled.close();
      await supervisors.close();
      await queue.close();
    },
  };
}
