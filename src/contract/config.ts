// Endpoints of the dynamic configuration of Coordinator and Brokers; the one of the Overlord is in
// workers.ts.
import { auditEntries, historyRefusals, invalidInHistory, period, signature } from './audit.ts';
import { config as configuration, empty, endpoint, json, state } from './endpoint.ts';
import {
  anyObject,
  anything,
  either,
  int32,
  integer,
  listOf,
  long,
  mapOf,
  number,
  object,
  orNull,
  sometimes,
  text,
  truth,
  type Value,
} from './schema.ts';

export type CoordinatorDynamicConfig = Value<typeof coordinatorConfig>;
export type CoordinatorConfigChange = Value<typeof coordinatorConfigChange>;

const fields = {
  millisToWaitBeforeDeleting: sometimes(long),
  mergeBytesLimit: sometimes(long),
  mergeSegmentsLimit: sometimes(int32),
  maxSegmentsToMove: sometimes(int32),
  percentOfSegmentsToConsiderPerMove: sometimes(number),
  useBatchedSegmentSampler: sometimes(truth),
  replicantLifetime: sometimes(int32),
  replicationThrottleLimit: sometimes(int32),
  balancerComputeThreads: sometimes(int32),
  emitBalancingStats: sometimes(truth),
  killTaskSlotRatio: sometimes(number),
  maxKillTaskSlots: sometimes(int32),
  maxSegmentsInNodeLoadingQueue: sometimes(int32),
  decommissioningMaxPercentOfMaxSegmentsToMove: sometimes(int32),
  pauseCoordination: sometimes(truth),
  replicateAfterLoadTimeout: sometimes(truth),
  maxNonPrimaryReplicantsToLoad: sometimes(int32),
  useRoundRobinSegmentAssignment: sometimes(truth),
  smartSegmentLoading: sometimes(truth),
  debugDimensions: sometimes(mapOf(text)),
  turboLoadingNodes: sometimes(listOf(text)),
  cloneServers: sometimes(mapOf(text)),
  historicalTierAliases: sometimes(anyObject),
};

const names = sometimes(listOf(text));
// A list, or one text with comma-separated names
const namesOrText = sometimes(either(listOf(text), text, number));

const coordinatorConfig = object({
  ...fields,
  killDataSourceWhitelist: names,
  killPendingSegmentsSkipList: names,
  decommissioningNodes: names,
});

const coordinatorConfigChange = object({
  ...fields,
  killDataSourceWhitelist: namesOrText,
  killPendingSegmentsSkipList: namesOrText,
  decommissioningNodes: namesOrText,
});

export const config = {
  get: endpoint({
    summary: 'The dynamic configuration of the Coordinator',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/config',
    reply: json(coordinatorConfig),
    permission: configuration('READ'),
  }),
  set: endpoint({
    summary: 'Change the dynamic configuration of the Coordinator; absent fields keep their values',
    idempotent: true,
    role: 'coordinator',
    method: 'POST',
    path: '/svc/coordinator/v1/config',
    headers: signature,
    body: coordinatorConfigChange,
    reply: empty,
    permission: configuration('WRITE'),
    refusals: { invalidInput: 'simpleMap' },
  }),
  history: endpoint({
    summary: 'The history of the dynamic configuration of the Coordinator',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/config/history',
    query: period,
    invalid: invalidInHistory,
    reply: json(auditEntries),
    refusals: historyRefusals,
    permission: configuration('READ'),
  }),
  syncedBrokers: endpoint({
    summary: 'The Brokers that have the current dynamic configuration',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/config/syncedBrokers',
    reply: json(
      object({
        syncedBrokers: listOf(
          object({ host: text, port: integer, lastSyncTimestampMillis: sometimes(long) }),
        ),
      }),
    ),
    permission: state('READ'),
  }),
  cloneStatus: endpoint({
    summary: 'The progress of cloned servers',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/config/cloneStatus',
    reply: json(anything),
    permission: state('READ'),
  }),
  getBroker: endpoint({
    summary: 'The dynamic configuration of the Brokers',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/broker/config',
    reply: json(anyObject),
    masks: true,
    permission: configuration('READ'),
  }),
  setBroker: endpoint({
    summary: 'Change the dynamic configuration of the Brokers',
    idempotent: true,
    role: 'coordinator',
    method: 'POST',
    path: '/svc/coordinator/v1/broker/config',
    headers: signature,
    body: orNull(anyObject),
    reply: empty,
    permission: configuration('WRITE'),
  }),
  brokerHistory: endpoint({
    summary: 'The history of the dynamic configuration of the Brokers',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/broker/config/history',
    query: period,
    invalid: invalidInHistory,
    reply: json(auditEntries),
    masks: true,
    refusals: historyRefusals,
    permission: configuration('READ'),
  }),
};
