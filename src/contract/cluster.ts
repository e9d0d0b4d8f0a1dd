// Endpoints of servers, leaders and loaded segments.
import type { Dialect } from '../model/dialect.ts';
import { endpoint, json, state, streamedText } from './endpoint.ts';
import {
  anyObject,
  anything,
  either,
  flag,
  integer,
  listOf,
  long,
  mapOf,
  number,
  object,
  optional,
  orNull,
  sometimes,
  text,
  truth,
  type Value,
} from './schema.ts';
import { dataSegment, sizeAndCount } from './segments.ts';

export type Server = Value<typeof server>;
export type ClusterNode = Value<typeof node>;
export type DutyGroup = Value<typeof dutyGroup>;

const server = object({
  host: text,
  tier: text,
  type: text,
  priority: integer,
  currSize: long,
  maxSize: long,
  segments: sometimes(anything),
});

const node = object({
  host: sometimes(text),
  service: sometimes(text),
  plaintextPort: sometimes(integer),
  tlsPort: sometimes(integer),
});

const dutyGroup = object({
  name: text,
  period: text,
  dutyNames: listOf(text),
  lastRunStart: orNull(text),
  lastRunEnd: orNull(text),
  avgRuntimeMillis: integer,
  avgRunGapMillis: integer,
});

const full = optional(flag, 'With all details');
const simple = optional(flag, 'With sizes and counts');
const leader = {
  ...streamedText,
  contentType: ({ leaderContentType }: Dialect) => leaderContentType,
}; // never in quotes
const isLeader = json(object({ leader: truth }), { also: [404] });

export const cluster = {
  coordinatorLeader: endpoint({
    summary: 'The address of the leading Coordinator',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/leader',
    reply: leader,
    permission: state('READ'),
  }),
  isCoordinatorLeader: endpoint({
    summary: 'Is this Coordinator the leader?',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/isLeader',
    reply: isLeader,
    permission: 'open',
  }),
  overlordLeader: endpoint({
    summary: 'The address of the leading Overlord',
    role: 'overlord',
    method: 'GET',
    path: '/svc/indexer/v1/leader',
    reply: leader,
    permission: state('READ'),
  }),
  isOverlordLeader: endpoint({
    summary: 'Is this Overlord the leader?',
    role: 'overlord',
    method: 'GET',
    path: '/svc/indexer/v1/isLeader',
    reply: isLeader,
    permission: 'open',
  }),
  loadStatus: endpoint({
    summary: 'Loaded share of each datasource, in percent',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/loadstatus',
    query: {
      simple: optional(flag, 'Number of segments left to load'),
      full: optional(flag, 'Number of segments left to load, with replicas, by tier'),
      computeUsingClusterView: optional(
        flag,
        'With full: no more replicas than the cluster has room for',
      ),
    },
    reply: json(mapOf(either(number, mapOf(number)))),
    permission: state('READ'),
  }),
  loadQueue: endpoint({
    summary: 'The load and drop queues of the servers',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/loadqueue',
    query: { simple, full },
    reply: json(mapOf(anyObject)),
    permission: state('READ'),
  }),
  duties: endpoint({
    summary: 'The periodic duties of the Coordinator and their run times',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/duties',
    reply: json(object({ dutyGroups: listOf(dutyGroup) })),
    permission: state('READ'),
  }),
  intervals: endpoint({
    summary: 'All intervals that have data, newest first',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/intervals',
    reply: json(mapOf(mapOf(sizeAndCount))),
    permission: 'filtered',
  }),
  interval: endpoint({
    summary: 'The amount of data inside an interval',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/intervals/:interval',
    query: {
      simple: optional(flag, 'For each interval'),
      full: optional(flag, 'For each interval and datasource'),
    },
    reply: json(mapOf(either(long, sizeAndCount, mapOf(sizeAndCount)))),
    permission: 'filtered',
  }),
  servers: endpoint({
    summary: 'List the servers that have data',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/servers',
    query: { simple, full },
    reply: json(listOf(either(text, server))),
    permission: state('READ'),
  }),
  server: endpoint({
    summary: 'A server',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/servers/:server',
    query: { simple },
    reply: json(server),
    permission: state('READ'),
    refusals: { notFound: 'unquotedText' },
  }),
  serverSegments: endpoint({
    summary: 'The segments of a server',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/servers/:server/segments',
    query: { full },
    reply: json(listOf(either(text, dataSegment))),
    permission: state('READ'),
    refusals: { notFound: 'unquotedText' },
  }),
  serverSegment: endpoint({
    summary: 'A segment of a server',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/servers/:server/segments/:segmentId',
    reply: json(dataSegment),
    permission: state('READ'),
    refusals: { notFound: 'unquotedText' },
  }),
  tiers: endpoint({
    summary: 'List the tiers',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/tiers',
    query: { simple },
    reply: json(either(listOf(text), mapOf(object({ currSize: long, maxSize: long })))),
    permission: state('READ'),
  }),
  tier: endpoint({
    summary: 'The datasources of a tier',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/tiers/:tier',
    query: { simple },
    reply: json(either(listOf(text), mapOf(mapOf(sizeAndCount)))),
    permission: state('READ'),
  }),
  nodes: endpoint({
    summary: 'List the nodes of the cluster by role',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/cluster',
    query: { full: optional(truth, 'With all details') },
    reply: json(mapOf(listOf(node))),
    permission: state('READ'),
  }),
  nodesOf: endpoint({
    summary: 'List the nodes with a role',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/cluster/:nodeRole',
    query: { full: optional(truth, 'With all details') },
    reply: json(listOf(node)),
    permission: state('READ'),
  }),
};
