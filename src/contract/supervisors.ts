import { empty, endpoint, json, ofSupervisor } from './endpoint.ts';
import {
  anyObject,
  anything,
  count,
  either,
  flag,
  integer,
  listOf,
  long,
  mapOf,
  object,
  oneOf,
  optional,
  orNull,
  sometimes,
  text,
  truth,
  type Value,
} from './schema.ts';

export type Supervisor = Value<typeof supervisor>;
export type SupervisorSpec = Value<typeof supervisorSpec>;
export type SupervisorState = Value<typeof supervisorState>;
export type SupervisorStatus = Value<typeof supervisorStatus>;
export type SupervisorVersion = Value<typeof supervisorVersion>;
export type SupervisorOffsets = Value<typeof offsets>;

const supervisorState = oneOf(
  'UNHEALTHY_SUPERVISOR',
  'UNHEALTHY_TASKS',
  'PENDING',
  'RUNNING',
  'IDLE',
  'SUSPENDED',
  'STOPPING',
  'COMPLETED',
);

const supervisorSpec = object({
  type: text,
  id: sometimes(text),
  spec: sometimes(
    object({
      dataSchema: sometimes(anyObject),
      ioConfig: sometimes(anyObject),
      tuningConfig: sometimes(anyObject),
    }),
  ),
  context: sometimes(anyObject),
  suspended: sometimes(truth),
});

const supervisor = object({
  id: text,
  state: text, // extensions add states
  detailedState: text,
  healthy: truth,
  suspended: sometimes(truth),
  dataSource: sometimes(text),
  spec: sometimes(supervisorSpec),
});

const offsetMap = mapOf(either(long, text)); // numbers with Kafka, text with Kinesis

const supervisedTask = object({
  id: text,
  type: sometimes(text),
  startTime: sometimes(text),
  remainingSeconds: sometimes(integer),
  startingOffsets: sometimes(offsetMap),
  currentOffsets: sometimes(offsetMap),
  lag: sometimes(offsetMap),
});

const supervisorStatus = object({
  id: text,
  generationTime: text,
  payload: object({
    dataSource: sometimes(text),
    stream: sometimes(text),
    partitions: sometimes(integer),
    replicas: sometimes(integer),
    durationSeconds: sometimes(integer),
    // An object by id for scheduled supervisors
    activeTasks: sometimes(either(listOf(supervisedTask), anyObject)),
    publishingTasks: sometimes(listOf(supervisedTask)),
    latestOffsets: sometimes(offsetMap),
    minimumLag: sometimes(offsetMap),
    aggregateLag: sometimes(long),
    offsetsLastUpdated: sometimes(text),
    suspended: sometimes(truth),
    healthy: sometimes(truth),
    state: sometimes(text),
    detailedState: sometimes(text),
    recentErrors: sometimes(listOf(anyObject)),
  }),
});

const supervisorVersion = object({ spec: orNull(anyObject), version: text });

const offsets = object({
  type: text,
  partitions: object({
    type: text,
    stream: optional(text, 'The topic or stream'),
    partitionOffsetMap: optional(mapOf(long), 'New offsets of Kafka partitions'),
    partitionSequenceNumberMap: optional(mapOf(text), 'New sequence numbers of Kinesis shards'),
  }),
});

const refusals = { forbidden: 'accessCheck', notFound: 'plainText' } as const;
const orNotNow = { ...refusals, invalidInput: 'simpleMap' } as const; // it is so already, or cannot be for another reason
const id = json(object({ id: text }));
const done = json(object({ status: text }));

export const supervisors = {
  list: endpoint({
    summary: 'List supervisors: ids, or details',
    role: 'overlord',
    method: 'GET',
    path: '/svc/indexer/v1/supervisor',
    query: {
      full: optional(flag, 'With state and specification'),
      state: optional(truth, 'With state'),
      system: optional(flag, 'With state and the specification as text'),
    },
    reply: json(listOf(either(text, supervisor))),
    masks: true,
    permission: 'filtered',
  }),
  submit: endpoint({
    summary: 'Create a supervisor, or replace it',
    role: 'overlord',
    method: 'POST',
    path: '/svc/indexer/v1/supervisor',
    query: {
      skipRestartIfUnmodified: optional(
        truth,
        'Do not restart a supervisor whose specification is the same',
      ),
    },
    body: supervisorSpec,
    reply: json(object({ id: text, modified: sometimes(truth), restarted: sometimes(truth) })),
    permission: 'content',
    refusals: { invalidInput: 'simpleMap', forbidden: 'accessCheck' },
  }),
  get: endpoint({
    summary: 'The specification of a supervisor',
    role: 'overlord',
    method: 'GET',
    path: '/svc/indexer/v1/supervisor/:supervisorId',
    reply: json(supervisorSpec),
    masks: true,
    permission: ofSupervisor('READ'),
    refusals,
  }),
  status: endpoint({
    summary: 'The status of a supervisor: tasks, offsets and lag',
    role: 'overlord',
    method: 'GET',
    path: '/svc/indexer/v1/supervisor/:supervisorId/status',
    reply: json(supervisorStatus),
    masks: true,
    permission: ofSupervisor('READ'),
    refusals,
  }),
  health: endpoint({
    summary: 'Is a supervisor healthy?',
    role: 'overlord',
    method: 'GET',
    path: '/svc/indexer/v1/supervisor/:supervisorId/health',
    reply: json(object({ healthy: truth }), { also: [503] }),
    permission: ofSupervisor('READ'),
    refusals,
  }),
  stats: endpoint({
    summary: 'The row counts of the tasks of a supervisor',
    role: 'overlord',
    method: 'GET',
    path: '/svc/indexer/v1/supervisor/:supervisorId/stats',
    reply: json(mapOf(mapOf(anyObject))),
    permission: ofSupervisor('READ'),
    refusals,
  }),
  parseErrors: endpoint({
    summary: 'The rows that the tasks of a supervisor could not parse',
    role: 'overlord',
    method: 'GET',
    path: '/svc/indexer/v1/supervisor/:supervisorId/parseErrors',
    reply: json(listOf(anything)),
    permission: ofSupervisor('READ'),
    refusals,
  }),
  history: endpoint({
    summary: 'The history of the specification of a supervisor, newest first',
    role: 'overlord',
    method: 'GET',
    path: '/svc/indexer/v1/supervisor/:supervisorId/history',
    query: { count: optional(count, 'Only this number of latest versions') },
    reply: json(listOf(supervisorVersion)),
    masks: true,
    permission: ofSupervisor('READ'),
    refusals: { invalidInput: 'simpleMap', notFound: 'simpleMap' },
  }),
  allHistory: endpoint({
    summary: 'The history of the specifications of all supervisors, newest first',
    role: 'overlord',
    method: 'GET',
    path: '/svc/indexer/v1/supervisor/history',
    reply: json(mapOf(listOf(supervisorVersion))),
    masks: true,
    permission: 'filtered',
  }),
  suspend: endpoint({
    summary: 'Suspend a supervisor',
    role: 'overlord',
    method: 'POST',
    path: '/svc/indexer/v1/supervisor/:supervisorId/suspend',
    reply: json(supervisorSpec),
    masks: true,
    permission: ofSupervisor('WRITE'),
    refusals: orNotNow,
  }),
  resume: endpoint({
    summary: 'Resume a supervisor',
    role: 'overlord',
    method: 'POST',
    path: '/svc/indexer/v1/supervisor/:supervisorId/resume',
    reply: json(supervisorSpec),
    masks: true,
    permission: ofSupervisor('WRITE'),
    refusals: orNotNow,
  }),
  reset: endpoint({
    summary: 'Reset all offsets: data may be lost or read twice',
    role: 'overlord',
    method: 'POST',
    path: '/svc/indexer/v1/supervisor/:supervisorId/reset',
    reply: id,
    permission: ofSupervisor('WRITE'),
    refusals,
  }),
  resetOffsets: endpoint({
    summary: 'Set the offsets of some partitions',
    role: 'overlord',
    method: 'POST',
    path: '/svc/indexer/v1/supervisor/:supervisorId/resetOffsets',
    body: orNull(offsets), // null resets all
    reply: id,
    permission: ofSupervisor('WRITE'),
    refusals: { ...refusals, invalidInput: 'druidException', runtimeFailure: 'html' }, // another stream, as the dialect says it
  }),
  resetToLatest: endpoint({
    summary: 'Continue with the newest data, and let other tasks read the gap',
    role: 'overlord',
    method: 'POST',
    path: '/svc/indexer/v1/supervisor/:supervisorId/resetToLatestAndBackfill',
    query: { backfillTaskCount: optional(count, 'Number of tasks that read the gap') },
    reply: json(anyObject),
    permission: ofSupervisor('WRITE'),
    refusals: orNotNow,
  }),
  handOff: endpoint({
    summary: 'Make task groups publish their segments early',
    role: 'overlord',
    method: 'POST',
    path: '/svc/indexer/v1/supervisor/:supervisorId/taskGroups/handoff',
    body: object({ taskGroupIds: listOf(integer) }),
    reply: { ...empty, status: 202 },
    permission: ofSupervisor('WRITE'),
    refusals: orNotNow,
  }),
  terminate: endpoint({
    summary: 'Terminate a supervisor; its tasks publish their rows',
    role: 'overlord',
    method: 'POST',
    path: '/svc/indexer/v1/supervisor/:supervisorId/terminate',
    aliases: ['/svc/indexer/v1/supervisor/:supervisorId/shutdown'],
    reply: id,
    permission: ofSupervisor('WRITE'),
    refusals,
  }),
  suspendAll: endpoint({
    summary: 'Suspend all supervisors',
    role: 'overlord',
    method: 'POST',
    path: '/svc/indexer/v1/supervisor/suspendAll',
    reply: done,
    permission: 'filtered',
  }),
  resumeAll: endpoint({
    summary: 'Resume all supervisors',
    role: 'overlord',
    method: 'POST',
    path: '/svc/indexer/v1/supervisor/resumeAll',
    reply: done,
    permission: 'filtered',
  }),
  terminateAll: endpoint({
    summary: 'Terminate all supervisors',
    role: 'overlord',
    method: 'POST',
    path: '/svc/indexer/v1/supervisor/terminateAll',
    reply: done,
    permission: 'filtered',
  }),
};
