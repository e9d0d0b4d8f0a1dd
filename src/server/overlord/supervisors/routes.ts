// Endpoints of the Overlord for supervisors.
import { randomUUID } from 'node:crypto';
import type { CompactionStatus } from '../../../contract/compaction.ts';
import type { SupervisorSpec } from '../../../contract/supervisors.ts';
import type { Dialect } from '../../../model/dialect.ts';
import { formatInstant } from '../../../model/instant.ts';
import { SpecFields } from '../../checks/spec-fields.ts';
import type { AccessRules } from '../../handlers/access-rules.ts';
import { mustBeAllowed, mustBeAllowedTo } from '../../handlers/permissions.ts';
import { answer, type Caller, type Routes } from '../../handlers/routes.ts';
import type { Extensions } from '../../settings/extensions.ts';
import { refusalOf } from '../../statements/sql-refusals.ts';
import { checkSqlRequest } from '../../statements/sql-request.ts';
import type { AuditInfo } from '../../storage/audit.ts';
import type { StoredSupervisorSpec, StoredSupervisorVersion } from '../../storage/supervisors.ts';
import { offsetsIn } from '../stream/committed-offsets.ts';
import { notAPartitionOf } from '../stream/io-config.ts';
import type { RunningStreamTasks } from '../stream/stream.ts';
import { isPartitionOf } from '../stream/topics.ts';
import type { SqlTasks } from '../types/sql-tasks.ts';
import {
  badBackfillCount,
  doesNothing,
  historyCountNotPositive,
  noGroups,
  noHealthCheck,
  notAPartition,
  notEndOffsets,
  otherStream,
  wrongOffsetsType,
} from './refusals.ts';
import { batchQuery } from './scheduled-batch-spec.ts';
import type { ScheduledBatches } from './scheduled-batches.ts';
import { dataSourcesIn, parseSupervisorSpec } from './spec.ts';
import {
  stateOf,
  statsOf,
  statusOf,
  statusOfUnreadable,
  summaryOf,
  systemFieldsOf,
} from './status.ts';
import type { Supervisors } from './supervisors.ts';

export interface SupervisorRoutesParts {
  readonly supervisors: Supervisors;
  readonly streamTasks: RunningStreamTasks;
  readonly dialect: Dialect;
  readonly now: () => number; // milliseconds since 1970
  readonly access: AccessRules;
  readonly extensions: Extensions;
  // Work of supervisors without a stream
  readonly compactionStatus: (dataSource: string, suspended: boolean) => CompactionStatus;
  readonly scheduled: ScheduledBatches;
  readonly sqlTasks: SqlTasks;
}

/** Handlers for supervisors. */
export const supervisorRoutes = (parts: SupervisorRoutesParts): Routes<'supervisors'> => ({
  ...readingRoutes(parts),
  ...submissionRoutes(parts),
  ...runningRoutes(parts),
  ...offsetRoutes(parts),
});

type RoutesFor<Names extends keyof Routes<'supervisors'>> = Pick<Routes<'supervisors'>, Names>;

function getRunning(supervisors: Supervisors, id: string) {
  const { running } = supervisors.get(id);
  if (!running) throw doesNothing(id);
  return running;
}

function readingRoutes({
  supervisors,
  streamTasks,
  dialect,
  now,
  ...work
}: SupervisorRoutesParts): RoutesFor<
  'list' | 'get' | 'status' | 'health' | 'stats' | 'parseErrors' | 'history' | 'allHistory'
> {
  return {
    list: ({ query: { full, state, system } }) =>
      supervisors.list().map((known) => {
        if (!full && !state && !system) return known.spec.id;
        if (!full && !system && dialect.supervisorState === 'fiveFields') return stateOf(known);
        const spec = full ? { spec: replyOf(known.spec.stored) } : {};
        return { ...summaryOf(known), ...spec, ...(system && systemFieldsOf(known)) };
      }),
    get: ({ params }) => replyOf(supervisors.get(params.supervisorId).spec.stored),
    async status({ params }) {
      const known = supervisors.get(params.supervisorId);
      const { spec } = known;
      const generationTime = formatInstant(now());
      switch (spec.type) {
        case 'unreadable':
          return statusOfUnreadable(known, spec.fault, now());
        case 'autocompact': {
          const payload = work.compactionStatus(spec.dataSource, spec.suspended);
          return { id: spec.id, generationTime, payload };
        }
        case 'scheduled_batch':
          return { id: spec.id, generationTime, payload: work.scheduled.snapshot(spec) };
        default: {
          const supervisor = getRunning(supervisors, params.supervisorId);
          await waitAtMost(supervisor.refreshLag(), patienceMs);
          return statusOf(supervisor, now());
        }
      }
    },
    health({ params: { supervisorId } }) {
      const { spec, running } = supervisors.get(supervisorId);
      if (spec.type === 'unreadable') return answer({ healthy: false }, { status: 503 });
      if (!running) throw noHealthCheck(supervisorId);
      const healthy = running.states.isHealthy;
      return answer({ healthy }, { status: healthy ? 200 : 503 });
    },
    stats: ({ params }) =>
      statsOf(getRunning(supervisors, params.supervisorId), streamTasks, now()),
    parseErrors: ({ params }) =>
      getRunning(supervisors, params.supervisorId).tasks.flatMap(
        ({ id }) => streamTasks.get(id)?.parseErrors() ?? [],
      ),
    history({ params, query: { count } }) {
      if (count !== undefined && count <= 0) throw historyCountNotPositive(count);
      return supervisors.history(params.supervisorId).slice(0, count).map(versionOf);
    },
    allHistory: () =>
      Object.fromEntries(
        [...supervisors.allHistory()].map(([id, versions]) => [id, versions.map(versionOf)]),
      ),
  };
}

function submissionRoutes({
  supervisors,
  access,
  extensions,
  scheduled,
  sqlTasks,
}: SupervisorRoutesParts): RoutesFor<'submit'> {
  return {
    async submit({ body: given, query, caller, signal }) {
      const body =
        given.type === 'scheduled_batch'
          ? await completeBatch(given, sqlTasks, caller, signal)
          : given;
      if (body.type === 'kafka')
        extensions.mustHave('kafka-indexing-service', 'A supervisor of type [kafka]');
      const { id, stored } = parseSupervisorSpec(body);
      // Also the datasources of the supervisor that it replaces
      for (const name of [...dataSourcesIn(stored, id), ...supervisors.dataSourcesOf(id)])
        mustBeAllowedTo(caller, 'WRITE', name);
      mustBeAllowed(caller, access.ofSpec(body));
      const submitted = supervisors.submit(
        body,
        query.skipRestartIfUnmodified === true,
        auditInfoOf(caller),
      );
      scheduled.look();
      return submitted;
    },
  };
}

function runningRoutes({
  supervisors,
  scheduled,
}: SupervisorRoutesParts): RoutesFor<
  'suspend' | 'resume' | 'handOff' | 'terminate' | 'suspendAll' | 'resumeAll' | 'terminateAll'
> {
  return {
    suspend: ({ params, caller }) =>
      replyOf(supervisors.setSuspended(params.supervisorId, true, auditInfoOf(caller))),
    resume({ params, caller }) {
      const resumed = replyOf(
        supervisors.setSuspended(params.supervisorId, false, auditInfoOf(caller)),
      );
      scheduled.look();
      return resumed;
    },
    handOff({ params, body }) {
      const supervisor = getRunning(supervisors, params.supervisorId);
      if (body.taskGroupIds.length === 0) throw noGroups();
      supervisor.handOff(body.taskGroupIds);
    },
    terminate({ params }) {
      supervisors.terminate(params.supervisorId);
      return { id: params.supervisorId };
    },
    suspendAll: ({ caller }) =>
      doAndReply(() => supervisors.setAllSuspended(true, auditInfoOf(caller), writable(caller))),
    resumeAll: ({ caller }) =>
      doAndReply(() => supervisors.setAllSuspended(false, auditInfoOf(caller), writable(caller))),
    terminateAll: ({ caller }) => doAndReply(() => supervisors.terminateAll(writable(caller))),
  };
}

function offsetRoutes({
  supervisors,
  dialect,
}: SupervisorRoutesParts): RoutesFor<'reset' | 'resetOffsets' | 'resetToLatest'> {
  return {
    reset({ params }) {
      supervisors.reset(params.supervisorId);
      return { id: params.supervisorId };
    },
    resetOffsets({ params: { supervisorId }, body }) {
      const { spec } = supervisors.get(supervisorId);
      if (!body) supervisors.reset(supervisorId);
      else {
        if (body.type !== 'kafka') throw wrongOffsetsType(body.type);
        const { type, stream, partitionOffsetMap = {} } = body.partitions;
        const isCaught = dialect.wrongOffsets === 'invalidInput';
        if (type !== 'end') throw notEndOffsets(type, isCaught);
        const own = spec.type === 'kafka' ? spec.io.address : { topic: '' };
        if (stream !== own.topic)
          throw otherStream(supervisorId, String(stream), own.topic, isCaught);
        const odd = Object.keys(partitionOffsetMap).find(
          (partition) => !isPartitionOf(own, partition),
        );
        if (odd !== undefined) throw notAPartition(notAPartitionOf(own, odd));
        supervisors.resetOffsets(supervisorId, offsetsIn(partitionOffsetMap));
      }
      return { id: supervisorId };
    },
    async resetToLatest({ params, query: { backfillTaskCount }, caller }) {
      if (backfillTaskCount !== undefined && backfillTaskCount <= 0)
        throw badBackfillCount(backfillTaskCount);
      return supervisors.resetToLatest(params.supervisorId, backfillTaskCount, auditInfoOf(caller));
    },
  };
}

// The datasource is the target of the statement; the real engine requests it from a Broker.
async function completeBatch(
  given: SupervisorSpec,
  sqlTasks: SqlTasks,
  caller: Caller,
  signal: AbortSignal,
): Promise<SupervisorSpec> {
  const fields = new SpecFields(given, '');
  const statement = await sqlTasks
    .plan(checkSqlRequest({ ...batchQuery(fields) }), caller, { signal })
    .catch((error: unknown) => {
      throw refusalOf(error, undefined);
    });
  if (
    (statement.kind !== 'insert' && statement.kind !== 'replace') ||
    statement.target.kind === 'export'
  )
    return fields.refuse('spec.query must be an INSERT or REPLACE statement into a datasource');
  const dataSource = statement.target.name;
  return {
    ...given,
    dataSource,
    id: fields.optionalText('id') ?? `scheduled_batch__${dataSource}__${randomUUID()}`,
  };
}

function doAndReply(work: () => void) {
  work();
  return { status: 'success' };
}

// Slightly old numbers are better than none: an unavailable broker must not delay the status.
const patienceMs = 1000;

async function waitAtMost(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}

// Every specification has a `type`; the rest is returned as stored.
const replyOf = (spec: StoredSupervisorSpec): SupervisorSpec => ({
  ...spec,
  type: String(spec.type),
});

const versionOf = ({ spec, version }: StoredSupervisorVersion) => ({ spec: { ...spec }, version });

const writable =
  ({ may }: Caller) =>
  (dataSources: readonly string[]) =>
    dataSources.every((name) => may('DATASOURCE', name, 'WRITE'));

const auditInfoOf = ({ identity, ip }: Caller): AuditInfo => ({
  author: '',
  comment: '',
  identity,
  ip,
});
