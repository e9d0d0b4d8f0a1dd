import { auditInfo, invalidInHistory, period, signature } from './audit.ts';
import { config, datasource, endpoint, json, state } from './endpoint.ts';
import {
  anyObject,
  int32,
  integer,
  listOf,
  long,
  number,
  object,
  oneOf,
  optional,
  orNull,
  sometimes,
  text,
  truth,
  type Value,
} from './schema.ts';

export type CompactionConfig = Value<typeof compactionConfig>;
export type CompactionSettings = Value<typeof compactionSettings>;
export type CompactionStatus = Value<typeof compactionStatus>;
export type CompactionChange = Value<typeof compactionChange>;
export type ClusterCompactionConfig = Value<typeof clusterConfig>;
export type CompactionSimulation = Value<typeof simulation>;

const compactionConfig = object({
  dataSource: text,
  type: sometimes(text),
  taskPriority: sometimes(int32),
  inputSegmentSizeBytes: sometimes(long),
  maxRowsPerSegment: sometimes(int32),
  // ISO period before the newest data that is not compacted
  skipOffsetFromLatest: sometimes(text),
  skipIntervals: sometimes(listOf(text)),
  tuningConfig: sometimes(object({ partitionsSpec: sometimes(anyObject) })),
  granularitySpec: sometimes(anyObject),
  dimensionsSpec: sometimes(anyObject),
  metricsSpec: sometimes(listOf(anyObject)),
  transformSpec: sometimes(anyObject),
  baseTable: sometimes(anyObject),
  projections: sometimes(listOf(anyObject)),
  ioConfig: sometimes(anyObject),
  engine: sometimes(text),
  taskContext: sometimes(anyObject),
});

const clusterFields = {
  compactionTaskSlotRatio: sometimes(number),
  maxCompactionTaskSlots: sometimes(int32),
  useAutoScaleSlots: sometimes(truth),
  compactionPolicy: sometimes(object({ type: text })),
  useSupervisors: sometimes(truth),
  engine: sometimes(text),
  storeCompactionStatePerSegment: sometimes(truth),
};

const clusterConfig = object(clusterFields);

const compactionSettings = object({
  compactionConfigs: listOf(compactionConfig),
  ...clusterFields,
});

const compactionStatus = object({
  dataSource: text,
  scheduleStatus: oneOf('NOT_ENABLED', 'AWAITING_FIRST_RUN', 'RUNNING'),
  message: sometimes(text),
  bytesAwaitingCompaction: long,
  bytesCompacted: long,
  bytesSkipped: long,
  segmentCountAwaitingCompaction: integer,
  segmentCountCompacted: integer,
  segmentCountSkipped: integer,
  intervalCountAwaitingCompaction: integer,
  intervalCountCompacted: integer,
  intervalCountSkipped: integer,
});

const compactionChange = object({
  globalConfig: orNull(clusterConfig),
  compactionConfig: orNull(compactionConfig),
  auditInfo,
  auditTime: text,
});

const simulation = object({ compactionStates: anyObject });

const unreadable = { invalidInput: 'druidException' } as const;
const unknown = { notFound: 'druidException' } as const;
const historyRefusals = {
  invalidInput: 'druidException',
  notFound: 'empty',
  runtimeFailure: 'druidException',
} as const; // a count, depending on the dialect

// The specification: an empty body; the real engine replies {"success":true}.
const written = json(object({ success: truth }), { absent: 200 });
const latestStatus = json(object({ latestStatus: listOf(compactionStatus) }));

export const compaction = {
  list: endpoint({
    summary: 'The compaction configurations of all datasources, and their common settings',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/config/compaction',
    reply: json(compactionSettings),
    masks: true,
    permission: config('READ'),
  }),
  get: endpoint({
    summary: 'The compaction configuration of a datasource',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/config/compaction/:dataSource',
    reply: json(compactionConfig),
    masks: true,
    permission: config('READ'),
    refusals: unknown,
  }),
  set: endpoint({
    summary: 'Create or change the automatic compaction of a datasource',
    idempotent: true,
    role: 'coordinator',
    method: 'POST',
    path: '/svc/coordinator/v1/config/compaction',
    headers: signature,
    body: compactionConfig,
    reply: written,
    permission: config('WRITE'),
    refusals: unreadable,
  }),
  remove: endpoint({
    summary: 'Stop the automatic compaction of a datasource',
    role: 'coordinator',
    method: 'DELETE',
    path: '/svc/coordinator/v1/config/compaction/:dataSource',
    headers: signature,
    reply: written,
    permission: config('WRITE'),
    refusals: unknown,
  }),
  setTaskSlots: endpoint({
    summary: 'Set the number of task slots for compaction',
    idempotent: true,
    role: 'coordinator',
    method: 'POST',
    path: '/svc/coordinator/v1/config/compaction/taskslots',
    headers: signature,
    query: {
      ratio: optional(number, 'Maximum share of all task slots'),
      max: optional(integer, 'Maximum number of task slots'),
      useAutoScaleSlots: optional(truth, 'Also count the slots that autoscaling could add'),
    },
    reply: written,
    permission: config('WRITE'),
    refusals: { notFound: 'simpleMap' }, // a number that is too small or too large
  }),
  history: endpoint({
    summary: 'The history of the compaction configuration of a datasource',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/config/compaction/:dataSource/history',
    query: period,
    invalid: invalidInHistory,
    reply: json(listOf(compactionChange)),
    masks: true,
    permission: config('READ'),
    refusals: historyRefusals,
  }),
  progress: endpoint({
    summary: 'Number of bytes of a datasource that await compaction',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/compaction/progress',
    query: { dataSource: optional(text, 'The datasource; required') }, // the handler words the refusal
    reply: json(object({ remainingSegmentSize: long })),
    permission: state('READ'),
    refusals: { ...unreadable, ...unknown },
  }),
  status: endpoint({
    summary: 'The status of compaction',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/compaction/status',
    query: { dataSource: optional(text, 'Only this datasource') },
    reply: latestStatus,
    permission: state('READ'),
    refusals: unknown,
  }),
  run: endpoint({
    summary: 'Start a search for segments to compact',
    role: 'coordinator',
    method: 'POST',
    path: '/svc/coordinator/v1/compaction/compact',
    reply: json(anyObject, { absent: 200 }),
    permission: config('WRITE'),
  }),
  simulate: endpoint({
    summary: 'Simulate compaction with other settings',
    idempotent: true,
    role: 'coordinator',
    method: 'POST',
    path: '/svc/coordinator/v1/compaction/simulate',
    body: orNull(clusterConfig),
    reply: json(simulation),
    permission: config('WRITE'),
  }),
  isSupervised: endpoint({
    summary: 'Do supervisors on the Overlord schedule compaction?',
    role: 'overlord',
    method: 'GET',
    path: '/svc/indexer/v1/compaction/isSupervisorEnabled',
    reply: json(truth),
    permission: config('READ'),
  }),
  getCluster: endpoint({
    summary: 'The cluster-wide compaction settings',
    role: 'overlord',
    method: 'GET',
    path: '/svc/indexer/v1/compaction/config/cluster',
    reply: json(clusterConfig),
    permission: config('READ'),
  }),
  setCluster: endpoint({
    summary: 'Change the cluster-wide compaction settings',
    idempotent: true,
    role: 'overlord',
    method: 'POST',
    path: '/svc/indexer/v1/compaction/config/cluster',
    headers: signature,
    body: clusterConfig,
    reply: written,
    permission: config('WRITE'),
  }),
  supervisedStatus: endpoint({
    summary: 'The status of compaction, from the Overlord',
    role: 'overlord',
    method: 'GET',
    path: '/svc/indexer/v1/compaction/status/datasources',
    reply: latestStatus,
    permission: 'filtered',
  }),
  supervisedStatusOf: endpoint({
    summary: 'The status of the compaction of a datasource, from the Overlord',
    role: 'overlord',
    method: 'GET',
    path: '/svc/indexer/v1/compaction/status/datasources/:dataSource',
    reply: json(compactionStatus),
    permission: datasource('READ'),
    refusals: unknown,
  }),
  listSupervised: endpoint({
    summary: 'The compaction configurations of all datasources, from the Overlord',
    role: 'overlord',
    method: 'GET',
    path: '/svc/indexer/v1/compaction/config/datasources',
    reply: json(object({ compactionConfigs: listOf(compactionConfig) })),
    masks: true,
    permission: 'filtered',
  }),
  getSupervised: endpoint({
    summary: 'The compaction configuration of a datasource, from the Overlord',
    role: 'overlord',
    method: 'GET',
    path: '/svc/indexer/v1/compaction/config/datasources/:dataSource',
    reply: json(compactionConfig),
    masks: true,
    permission: datasource('READ'),
    refusals: unknown,
  }),
  setSupervised: endpoint({
    summary: 'Create or change the automatic compaction of a datasource on the Overlord',
    idempotent: true,
    role: 'overlord',
    method: 'POST',
    path: '/svc/indexer/v1/compaction/config/datasources/:dataSource',
    headers: signature,
    body: compactionConfig,
    reply: written,
    permission: datasource('WRITE'),
    refusals: unreadable,
  }),
  removeSupervised: endpoint({
    summary: 'Stop the automatic compaction of a datasource on the Overlord',
    role: 'overlord',
    method: 'DELETE',
    path: '/svc/indexer/v1/compaction/config/datasources/:dataSource',
    headers: signature,
    reply: written,
    permission: datasource('WRITE'),
    refusals: unknown,
  }),
  supervisedHistory: endpoint({
    summary: 'The history of the compaction configuration of a datasource, from the Overlord',
    role: 'overlord',
    method: 'GET',
    path: '/svc/indexer/v1/compaction/config/datasources/:dataSource/history',
    query: period,
    invalid: invalidInHistory,
    reply: json(object({ entries: listOf(compactionChange) })),
    masks: true,
    permission: datasource('READ'),
    refusals: historyRefusals,
  }),
  simulateSupervised: endpoint({
    summary: 'Simulate compaction on the Overlord with other settings',
    idempotent: true,
    role: 'overlord',
    method: 'POST',
    path: '/svc/indexer/v1/compaction/simulate',
    body: orNull(clusterConfig),
    reply: json(simulation),
    permission: config('WRITE'),
  }),
};
