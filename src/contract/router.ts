import { endpoint, json, state } from './endpoint.ts';
import { listOf, mapOf, object, text, truth } from './schema.ts';

export const router = {
  brokers: endpoint({
    summary: 'The Brokers for queries',
    role: 'router',
    method: 'GET',
    path: '/svc/router/v1/brokers',
    reply: json(mapOf(listOf(text))),
    permission: state('READ'),
  }),
  proxyEnabled: endpoint({
    summary: 'Does the Router forward calls to the Coordinator and the Overlord?',
    role: 'router',
    method: 'GET',
    path: '/proxy/enabled',
    reply: json(object({ enabled: truth })),
    permission: 'authenticated',
  }),
};
