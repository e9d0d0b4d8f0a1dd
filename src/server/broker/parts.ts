// Parts that the composition root gives to the Broker.
import type { Dialect } from '../../model/dialect.ts';
import type { LackedByVersion } from '../../model/engine-version.ts';
import type { ListedProperty, ListedServer, ListedSupervisor } from '../cluster/listed.ts';
import type { Engine } from '../engine/engine.ts';
import type { AccessRules } from '../handlers/access-rules.ts';
import type { Guard } from '../http/guard.ts';
import type { Lacking } from '../planning/lacking.ts';
import type { Planner } from '../planning/planner.ts';
import type { SegmentCache } from '../segment-cache/segment-cache.ts';
import type { RealtimeRows } from '../segments/realtime-rows.ts';
import type { ServedSegments } from '../segments/served-segments.ts';
import type { Properties } from '../settings/properties.ts';
import type { StatementTasks } from '../statements/statement-tasks.ts';
import type { Storage } from '../storage/storage.ts';
import type { TaskQueue } from '../tasks/task-queue.ts';

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
