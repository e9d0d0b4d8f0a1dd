import { endpoint, json, state, streamedText } from './endpoint.ts';
import { integer, listOf, mapOf, object, optional, text, truth } from './schema.ts';

export const middleManager = {
  enabled: endpoint({
    summary: 'Does this worker accept tasks?',
    role: 'middleManager',
    method: 'GET',
    path: '/svc/worker/v1/enabled',
    reply: json(mapOf(truth)),
    permission: state('READ'),
  }),
  enable: endpoint({
    summary: 'Accept tasks again',
    idempotent: true,
    role: 'middleManager',
    method: 'POST',
    path: '/svc/worker/v1/enable',
    reply: json(mapOf(text)),
    permission: state('WRITE'),
  }),
  disable: endpoint({
    summary: 'Accept no more tasks, and finish the running ones',
    idempotent: true,
    role: 'middleManager',
    method: 'POST',
    path: '/svc/worker/v1/disable',
    reply: json(mapOf(text)),
    permission: state('WRITE'),
  }),
  tasks: endpoint({
    summary: 'The ids of the running tasks of this worker',
    role: 'middleManager',
    method: 'GET',
    path: '/svc/worker/v1/tasks',
    reply: json(listOf(text)),
    permission: state('READ'),
  }),
  log: endpoint({
    summary: 'The log of a task on this worker',
    role: 'middleManager',
    method: 'GET',
    path: '/svc/worker/v1/task/:taskId/log',
    query: {
      offset: optional(integer, 'Offset to start at; a negative one keeps that much of the end'),
    },
    reply: streamedText,
    permission: state('READ'),
    refusals: { notFound: 'plainText' },
  }),
  shutdown: endpoint({
    summary: 'Stop a task on this worker',
    role: 'middleManager',
    method: 'POST',
    path: '/svc/worker/v1/task/:taskId/shutdown',
    reply: json(object({ task: text })),
    permission: state('WRITE'),
  }),
};
