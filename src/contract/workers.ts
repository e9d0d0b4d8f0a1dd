import { auditEntries, historyRefusals, invalidInHistory, period, signature } from './audit.ts';
import { config, empty, endpoint, json, state } from './endpoint.ts';
import {
  anyObject,
  anything,
  integer,
  listOf,
  mapOf,
  object,
  orNull,
  sometimes,
  text,
  truth,
  type Value,
} from './schema.ts';

export type Worker = Value<typeof worker>;
export type OverlordDynamicConfig = Value<typeof overlordDynamicConfig>;

const worker = object({
  worker: object({
    scheme: text,
    host: text,
    ip: text,
    capacity: integer,
    version: text,
    category: text,
    disabled: sometimes(truth),
  }),
  currCapacityUsed: integer,
  currParallelIndexCapacityUsed: integer,
  availabilityGroups: listOf(text),
  runningTasks: listOf(text),
  lastCompletedTaskTime: text,
  blacklistedUntil: sometimes(text), // null, or left out, while the worker takes tasks
});

const overlordDynamicConfig = object({
  type: sometimes(text),
  selectStrategy: sometimes(
    object({
      type: text,
      workerCategorySpec: sometimes(
        object({ categoryMap: sometimes(mapOf(anyObject)), strong: sometimes(truth) }),
      ),
      affinityConfig: sometimes(
        object({ affinity: mapOf(listOf(text)), strong: sometimes(truth) }),
      ),
      taskLimits: sometimes(anyObject),
    }),
  ),
  autoScaler: sometimes(anyObject),
});

export const workers = {
  list: endpoint({
    summary: 'List the workers and their tasks',
    role: 'overlord',
    method: 'GET',
    path: '/svc/indexer/v1/workers',
    reply: json(listOf(worker)),
    permission: state('READ'),
  }),
  enable: endpoint({
    summary: 'Resume assigning tasks to a worker',
    idempotent: true,
    role: 'overlord',
    method: 'POST',
    path: '/svc/indexer/v1/worker/:host/enable',
    reply: json(mapOf(text)),
    permission: state('WRITE'),
    refusals: { runtimeFailure: 'simpleMap' }, // for a worker that does not exist
  }),
  disable: endpoint({
    summary: 'Stop assigning tasks to a worker',
    idempotent: true,
    role: 'overlord',
    method: 'POST',
    path: '/svc/indexer/v1/worker/:host/disable',
    reply: json(mapOf(text)),
    permission: state('WRITE'),
    refusals: { runtimeFailure: 'simpleMap' }, // for a worker that does not exist
  }),
  getConfig: endpoint({
    summary: 'The dynamic configuration of the Overlord',
    role: 'overlord',
    method: 'GET',
    path: '/svc/indexer/v1/worker',
    reply: json(overlordDynamicConfig, { absent: 200 }),
    masks: true,
    permission: config('READ'),
  }),
  setConfig: endpoint({
    summary: 'Change the dynamic configuration of the Overlord',
    idempotent: true,
    role: 'overlord',
    method: 'POST',
    path: '/svc/indexer/v1/worker',
    headers: signature,
    body: orNull(overlordDynamicConfig),
    missing: ['runtimeFailure', 'html'], // the real engine does not catch it
    refusals: { invalidInput: 'simpleMap', runtimeFailure: 'html' },
    reply: empty,
    permission: config('WRITE'),
  }),
  configHistory: endpoint({
    summary: 'The history of the dynamic configuration of the Overlord',
    role: 'overlord',
    method: 'GET',
    path: '/svc/indexer/v1/worker/history',
    query: period,
    invalid: invalidInHistory,
    reply: json(auditEntries),
    masks: true,
    refusals: historyRefusals,
    permission: config('READ'),
  }),
  scaling: endpoint({
    summary: 'The autoscaling events of workers',
    role: 'overlord',
    method: 'GET',
    path: '/svc/indexer/v1/scaling',
    reply: json(anything, { absent: 200 }),
    permission: state('READ'),
  }),
};
