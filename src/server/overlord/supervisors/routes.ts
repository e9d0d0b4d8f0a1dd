// The Overlord's endpoints for supervisors.
import type { CompactionStatus } from '../../../contract/compaction.ts';
import type { SupervisorSpec as SpecReply } from '../../../contract/supervisors.ts';
import type { Dialect } from '../../../model/dialect.ts';
import { formatInstant } from '../../../model/instant.ts';
import type { AccessRules } from '../../access-rules.ts';
import type { Extensions } from '../../extensions.ts';
import { mustBeAllowed, mustBeAllowedTo } from '../../permissions.ts';
import { answer, type Caller, type Routes } from '../../routes.ts';
import type { AuditInfo } from '../../storage/audit.ts';
import type { SupervisorSpec, SupervisorVersion } from '../../storage/supervisors.ts';
import { offsetsIn } from '../stream/committed-offsets.ts';
import type { RunningStreamTasks } from '../stream/stream.ts';
import { isPartitionOf } from '../stream/topics.ts';
import { notAPartitionOf } from './io-config.ts';
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
import { dataSourcesIn, parseSupervisorSpec } from './spec.ts';
import { stateOf, statsOf, statusOf, statusOfUnreadable, summaryOf, systemFieldsOf } from './status.ts';
import type { Supervisors } from './supervisors.ts';

/** Handlers for everything about supervisors. `now` in milliseconds. */
export function supervisorRoutes(
  supervisors: Supervisors,
  streamTasks: RunningStreamTasks,
  dialect: Dialect,
  now: () => number,
  access: AccessRules,
  extensions: Extensions,
  compactionStatus: (dataSource: string, suspended: boolean) => CompactionStatus,
): Routes<'supervisors'> {
  const running = (id: string) => {
    const { running } = supervisors.get(id);
    if (!running) throw doesNothing(id);
    return running;
  };
  return {
    list: ({ query: { full, state, system } }) =>
      supervisors.list().map((known) => {
        if (!full && !state && !system) return known.spec.id;
        if (!full && !system && dialect.supervisorState === 'fiveFields') return stateOf(known);
        const spec = full ? { spec: replyOf(known.spec.stored) } : {};
        return { ...summaryOf(known), ...spec, ...(system && systemFieldsOf(known)) };
      }),
    submit({ body, query, caller }) {
      if (body.type === 'kafka') extensions.mustHave('kafka-indexing-service', 'A supervisor of type [kafka]');
      const { id, stored } = parseSupervisorSpec(body);
      // Of the supervisor that it replaces, too.
      for (const name of [...dataSourcesIn(stored, id), ...supervisors.dataSourcesOf(id)]) mustBeAllowedTo(caller, 'WRITE', name);
      mustBeAllowed(caller, access.ofSpec(body));
      return supervisors.submit(body, query.skipRestartIfUnmodified === true, auditInfoOf(caller));
    },
    get: ({ params }) => replyOf(supervisors.get(params.supervisorId).spec.stored),
    async status({ params }) {
      const known = supervisors.get(params.supervisorId);
      if (known.spec.type === 'unreadable') return statusOfUnreadable(known, known.spec.fault, now());
      if (known.spec.type === 'autocompact') {
        const { id, dataSource, suspended } = known.spec;
        return { id, generationTime: formatInstant(now()), payload: compactionStatus(dataSource, suspended) };
      }
      const supervisor = running(params.supervisorId);
      await atMost(supervisor.refreshLag(), patienceMs);
      return statusOf(supervisor, now());
    },
    health({ params: { supervisorId } }) {
      const { spec, running } = supervisors.get(supervisorId);
      if (spec.type === 'unreadable') return answer({ healthy: false }, { status: 503 });
      if (!running) throw noHealthCheck(supervisorId);
      const healthy = running.states.isHealthy;
      return answer({ healthy }, { status: healthy ? 200 : 503 });
    },
    stats: ({ params }) => statsOf(running(params.supervisorId), streamTasks, now()),
    parseErrors: ({ params }) => running(params.supervisorId).tasks.flatMap(({ id }) => streamTasks.get(id)?.parseErrors() ?? []),
    history({ params, query: { count } }) {
      if (count !== undefined && count <= 0) throw historyCountNotPositive(count);
      return supervisors.history(params.supervisorId).slice(0, count).map(versionOf);
    },
    allHistory: () => Object.fromEntries([...supervisors.allHistory()].map(([id, versions]) => [id, versions.map(versionOf)])),
    suspend: ({ params, caller }) => replyOf(supervisors.setSuspended(params.supervisorId, true, auditInfoOf(caller))),
    resume: ({ params, caller }) => replyOf(supervisors.setSuspended(params.supervisorId, false, auditInfoOf(caller))),
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
        if (stream !== own.topic) throw otherStream(supervisorId, String(stream), own.topic, isCaught);
        const odd = Object.keys(partitionOffsetMap).find((partition) => !isPartitionOf(own, partition));
        if (odd !== undefined) throw notAPartition(notAPartitionOf(own, odd));
        supervisors.resetOffsets(supervisorId, offsetsIn(partitionOffsetMap));
      }
      return { id: supervisorId };
    },
    async resetToLatest({ params, query: { backfillTaskCount }, caller }) {
      if (backfillTaskCount !== undefined && backfillTaskCount <= 0) throw badBackfillCount(backfillTaskCount);
      return supervisors.resetToLatest(params.supervisorId, backfillTaskCount, auditInfoOf(caller));
    },
    handOff({ params, body }) {
      const supervisor = running(params.supervisorId);
      if (body.taskGroupIds.length === 0) throw noGroups();
      supervisor.handOff(body.taskGroupIds);
    },
    terminate({ params }) {
      supervisors.terminate(params.supervisorId);
      return { id: params.supervisorId };
    },
    suspendAll: ({ caller }) => done(() => supervisors.setAllSuspended(true, auditInfoOf(caller), writable(caller))),
    resumeAll: ({ caller }) => done(() => supervisors.setAllSuspended(false, auditInfoOf(caller), writable(caller))),
    terminateAll: ({ caller }) => done(() => supervisors.terminateAll(writable(caller))),
  };
}

function done(work: () => void) {
  work();
  return { status: 'success' };
}

// Numbers that are a little old are better than none: a broker that is away must not hold up the status.
const patienceMs = 1000;

async function atMost(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}

// `type` is what every specification has; the rest is passed on as it was kept.
const replyOf = (spec: SupervisorSpec): SpecReply => ({ ...spec, type: String(spec.type) });

const versionOf = ({ spec, version }: SupervisorVersion) => ({ spec: { ...spec }, version });

const writable =
  ({ may }: Caller) =>
  (dataSources: readonly string[]) =>
    dataSources.every((name) => may('DATASOURCE', name, 'WRITE'));

const auditInfoOf = ({ identity, ip }: Caller): AuditInfo => ({ author: '', comment: '', identity, ip });
