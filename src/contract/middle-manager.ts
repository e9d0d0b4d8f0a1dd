import { endpoint, json, state, streamedText } from './endpoint.ts';
import { integer, listOf, mapOf, object, optional, text, truth } from './schema.ts';

export const middleManager = {
  enabled: endpoint({
    summary: 'Does this worker take tasks?',
    role: 'middleManager',
    method: 'GET',
    path: '/svc/worker/v1/enabled',
    reply: json(mapOf(truth)),
    permission: state('READ'),
  }),
  enable: endpoint({
    summary: 'Take tasks again',
    idempotent: true,
    role: 'middleManager',
    method: 'POST',
    path: '/svc/worker/v1/enable',
    reply: json(mapOf(text)),
    permission: state('WRITE'),
  }),
  disable: endpoint({
    summary: 'Take no more tasks, and finish those that run',
    idempotent: true,
    role: 'middleManager',
    method: 'POST',
    path: '/svc/worker/v1/disable',
    reply: json(mapOf(text)),
    permission: state('WRITE'),
  }),
  tasks: endpoint({
    summary: 'The ids of the tasks that run on this worker',
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
    query: { offset: optional(integer, 'Skip this much of the beginning; negative: only the end') },
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
