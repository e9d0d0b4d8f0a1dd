import { signature } from './audit.ts';
import { config, empty, endpoint, json } from './endpoint.ts';
import { anyObject, anything, listOf, mapOf, object, optional, sometimes, text, truth, type Value } from './schema.ts';

export type Lookup = Value<typeof lookup>;
export type LookupStatus = Value<typeof lookupStatus>;

const lookup = object({ version: sometimes(text), lookupExtractorFactory: anyObject });
const lookupStatus = object({ loaded: truth, pendingNodes: sometimes(listOf(anything)) });

const discover = optional(truth, 'Ask the nodes, not the configuration');
const detailed = optional(truth, 'With the lookups themselves');
const detailedStatus = optional(truth, 'With the nodes that are not ready yet');
const unknown = { notFound: 'simpleMap' } as const; // a tier, a lookup or a node
const unset = { notFound: 'empty' } as const; // before anything was ever configured

export const lookups = {
  tiers: endpoint({
    summary: 'List the tiers that have lookups',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/lookups/config',
    query: { discover },
    reply: json(listOf(text)),
    permission: config('READ'),
    refusals: unset,
  }),
  all: endpoint({
    summary: 'The lookups of all tiers',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/lookups/config/all',
    reply: json(mapOf(mapOf(lookup))),
    permission: config('READ'),
    refusals: unset,
  }),
  list: endpoint({
    summary: 'The lookups of a tier',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/lookups/config/:tier',
    query: { detailed },
    reply: json(anything),
    permission: config('READ'),
    refusals: unknown,
  }),
  get: endpoint({
    summary: 'A lookup',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/lookups/config/:tier/:lookup',
    reply: json(lookup),
    permission: config('READ'),
    refusals: unknown,
  }),
  setAll: endpoint({
    summary: 'Create or update lookups of several tiers',
    role: 'coordinator',
    method: 'POST',
    path: '/svc/coordinator/v1/lookups/config',
    largeBody: true,
    headers: signature,
    body: mapOf(mapOf(lookup)),
    reply: json(mapOf(mapOf(lookup)), { status: 202 }),
    permission: config('WRITE'),
    refusals: { invalidInput: 'simpleMap', runtimeFailure: 'simpleMap' }, // as for one; before anything was ever configured
  }),
  set: endpoint({
    summary: 'Create or update a lookup; its version must be greater than before',
    role: 'coordinator',
    method: 'POST',
    path: '/svc/coordinator/v1/lookups/config/:tier/:lookup',
    largeBody: true,
    headers: signature,
    body: lookup,
    reply: { ...empty, status: 202 },
    permission: config('WRITE'),
    refusals: { invalidInput: 'simpleMap', runtimeFailure: 'simpleMap' }, // a version that is too low, or no lookup; before anything was ever configured
  }),
  remove: endpoint({
    summary: 'Delete a lookup',
    role: 'coordinator',
    method: 'DELETE',
    path: '/svc/coordinator/v1/lookups/config/:tier/:lookup',
    headers: signature,
    reply: { ...empty, status: 202 },
    permission: config('WRITE'),
    refusals: unset,
  }),
  removeTier: endpoint({
    summary: 'Delete all lookups of a tier',
    role: 'coordinator',
    method: 'DELETE',
    path: '/svc/coordinator/v1/lookups/config/:tier',
    headers: signature,
    reply: { ...empty, status: 202 },
    permission: config('WRITE'),
    refusals: unset,
  }),
  status: endpoint({
    summary: 'Which lookups are loaded',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/lookups/status',
    query: { detailed: detailedStatus },
    reply: json(mapOf(mapOf(lookupStatus))),
    permission: config('READ'),
    refusals: unknown,
  }),
  tierStatus: endpoint({
    summary: 'Which lookups of a tier are loaded',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/lookups/status/:tier',
    query: { detailed: detailedStatus },
    reply: json(mapOf(lookupStatus)),
    permission: config('READ'),
    refusals: unknown,
  }),
  lookupStatus: endpoint({
    summary: 'Is a lookup loaded?',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/lookups/status/:tier/:lookup',
    query: { detailed: detailedStatus },
    reply: json(lookupStatus),
    permission: config('READ'),
    refusals: unknown,
  }),
  nodeStatus: endpoint({
    summary: 'The lookups of every node',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/lookups/nodeStatus',
    query: { discover },
    reply: json(mapOf(mapOf(anyObject))),
    permission: config('READ'),
    refusals: unknown,
  }),
  tierNodeStatus: endpoint({
    summary: 'The lookups of every node of a tier',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/lookups/nodeStatus/:tier',
    reply: json(mapOf(anyObject)),
    permission: config('READ'),
  }),
  oneNodeStatus: endpoint({
    summary: 'The lookups of a node',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/lookups/nodeStatus/:tier/:node',
    reply: json(anyObject),
    permission: config('READ'),
    refusals: unknown,
  }),
  contents: endpoint({
    summary: 'What a lookup maps to what',
    role: 'broker',
    method: 'GET',
    path: '/svc/v1/lookups/introspect/:lookup',
    reply: json(anyObject),
    permission: config('READ'),
    refusals: unset,
  }),
  keys: endpoint({
    summary: 'The keys of a lookup',
    role: 'broker',
    method: 'GET',
    path: '/svc/v1/lookups/introspect/:lookup/keys',
    reply: json(anything),
    permission: config('READ'),
    refusals: unset,
  }),
  values: endpoint({
    summary: 'The values of a lookup',
    role: 'broker',
    method: 'GET',
    path: '/svc/v1/lookups/introspect/:lookup/values',
    reply: json(anything),
    permission: config('READ'),
    refusals: unset,
  }),
  version: endpoint({
    summary: 'The version of a lookup',
    role: 'broker',
    method: 'GET',
    path: '/svc/v1/lookups/introspect/:lookup/version',
    reply: json(anything),
    permission: config('READ'),
    refusals: unset,
  }),
};
