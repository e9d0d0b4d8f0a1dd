// Endpoints of datasources, intervals and segments that Historicals serve.
import { datasource, endpoint, json } from './endpoint.ts';
import {
  anyObject,
  either,
  flag,
  integer,
  intervalText,
  listOf,
  long,
  mapOf,
  number,
  object,
  optional,
  sometimes,
  text,
  truth,
  type Value,
} from './schema.ts';
import {
  dataSegment,
  servedSegment,
  servedSegments,
  serverMetadata,
  sizeAndCount,
} from './segments.ts';

export type ServedDatasource = Value<typeof servedDatasource>;
export type DatasourceSummary = Value<typeof summary>;

const summary = object({
  tiers: mapOf(object({ segmentCount: integer, size: long, replicatedSize: sometimes(long) })),
  segments: object({
    count: integer,
    size: long,
    replicatedSize: sometimes(long),
    minTime: sometimes(text),
    maxTime: sometimes(text),
  }),
});

export const servedDatasource = object({
  name: text,
  properties: anyObject,
  segments: sometimes(listOf(dataSegment)),
});

const full = optional(flag, 'With all details');
const simple = optional(flag, 'With sizes and counts');
// The first form is the one without flags, the others belong to the flags above.
const intervals = either(listOf(text), mapOf(either(sizeAndCount, servedSegments)));

const view = { role: 'coordinator', method: 'GET', permission: datasource('READ') } as const;

export const datasources = {
  list: endpoint({
    ...view,
    summary: 'List datasources',
    path: '/svc/coordinator/v1/datasources',
    query: { simple, full },
    reply: json(listOf(either(text, servedDatasource))),
    permission: 'filtered',
  }),
  get: endpoint({
    ...view,
    summary: 'A datasource: its tiers, segments and times',
    path: '/svc/coordinator/v1/datasources/:dataSource',
    query: { full },
    reply: json(either(summary, servedDatasource), { absent: 204 }),
  }),
  intervals: endpoint({
    ...view,
    summary: 'The intervals of a datasource, newest first',
    path: '/svc/coordinator/v1/datasources/:dataSource/intervals',
    query: { simple, full },
    reply: json(intervals, { absent: 204 }),
  }),
  interval: endpoint({
    ...view,
    summary: 'The segments of a datasource inside an interval',
    path: '/svc/coordinator/v1/datasources/:dataSource/intervals/:interval',
    query: { simple, full },
    reply: json(intervals, { absent: 204 }),
  }),
  serverView: endpoint({
    ...view,
    summary: 'The segments of a datasource inside an interval, and their servers',
    path: '/svc/coordinator/v1/datasources/:dataSource/intervals/:interval/serverview',
    query: { partial: optional(truth, 'Also time chunks with missing segments') },
    reply: json(listOf(object({ segment: dataSegment, servers: listOf(serverMetadata) })), {
      absent: 204,
    }),
  }),
  segments: endpoint({
    ...view,
    summary: 'The segments of a datasource',
    path: '/svc/coordinator/v1/datasources/:dataSource/segments',
    query: { full },
    reply: json(listOf(either(text, dataSegment)), { absent: 204 }),
  }),
  segment: endpoint({
    ...view,
    summary: 'A segment and its servers',
    path: '/svc/coordinator/v1/datasources/:dataSource/segments/:segmentId',
    reply: json(servedSegment, { absent: 204 }),
  }),
  tiers: endpoint({
    ...view,
    summary: 'The tiers of a datasource',
    path: '/svc/coordinator/v1/datasources/:dataSource/tiers',
    reply: json(listOf(text), { absent: 204 }),
  }),
  loadStatus: endpoint({
    ...view,
    summary: 'Loaded share of a datasource, in percent',
    path: '/svc/coordinator/v1/datasources/:dataSource/loadstatus',
    query: {
      forceMetadataRefresh: optional(truth, 'Read the metadata store first; required'), // the handler words the refusal
      interval: optional(intervalText, 'In this ISO interval; the last two weeks otherwise'),
      simple: optional(flag, 'Number of segments left to load'),
      full: optional(flag, 'Number of segments left to load, with replicas, by tier'),
      computeUsingClusterView: optional(
        flag,
        'With full: no more replicas than the cluster has room for',
      ),
    },
    reply: json(mapOf(either(number, mapOf(number))), { absent: 204 }),
    refusals: { invalidInput: 'unquotedText' },
  }),
  handoffComplete: endpoint({
    ...view,
    summary: 'Has a Historical loaded a segment?',
    path: '/svc/coordinator/v1/datasources/:dataSource/handoffComplete',
    query: {
      interval: optional(intervalText, 'ISO interval of the segment'),
      partitionNumber: optional(integer, 'Partition number of the segment'),
      version: optional(text, 'Version of the segment'),
    },
    reply: json(truth),
  }),
};
