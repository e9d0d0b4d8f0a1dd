// Endpoints that mark segments as used or unused, and delete unused ones. The Overlord has the same
// under its own paths.
import { datasource, empty, endpoint, json } from './endpoint.ts';
import {
  anyObject,
  integer,
  listOf,
  long,
  mapOf,
  object,
  optional,
  sometimes,
  text,
  truth,
  type Value,
} from './schema.ts';

export type DataSegment = Value<typeof dataSegment>;
export type SegmentUpdate = Value<typeof segmentUpdate>;
export type SegmentFilter = Value<typeof segmentFilter>;

export const dataSegment = object({
  dataSource: text,
  interval: text,
  version: text,
  loadSpec: sometimes(anyObject),
  dimensions: sometimes(text), // comma-separated names
  metrics: sometimes(text),
  shardSpec: sometimes(anyObject),
  lastCompactionState: sometimes(anyObject),
  binaryVersion: sometimes(integer),
  size: long,
  totalRows: sometimes(integer),
  identifier: sometimes(text),
  overshadowed: sometimes(truth),
  realtime: sometimes(truth),
  numRows: sometimes(long),
  replicationFactor: sometimes(integer),
});

/** A server's description of itself. */
export const serverMetadata = object({
  name: sometimes(text),
  host: sometimes(text),
  hostAndTlsPort: sometimes(text),
  maxSize: sometimes(long),
  type: sometimes(text),
  tier: sometimes(text),
  priority: sometimes(integer),
});

export const sizeAndCount = object({ size: long, count: integer });
export const servedSegment = object({ metadata: dataSegment, servers: listOf(text) });
export const servedSegments = mapOf(servedSegment);

const segmentUpdate = object({
  numChangedSegments: integer,
  segmentStateChanged: sometimes(truth),
});
const segmentStateChanged = object({
  segmentStateChanged: truth,
  numChangedSegments: sometimes(integer),
});

const segmentFilter = object({
  interval: sometimes(text),
  segmentIds: sometimes(listOf(text)),
  versions: sometimes(listOf(text)),
});

const refusals = { invalidInput: 'unquotedText' } as const;
const oneChanged = json(segmentStateChanged);
const changed = json(segmentUpdate, { absent: 204 });
const filter = {
  largeBody: true,
  body: segmentFilter,
  reply: changed,
  permission: datasource('WRITE'),
  missing: ['invalidInput', 'unquotedText'],
  refusals,
} as const;

export const segments = {
  markUsed: endpoint({
    summary: 'Mark a segment as used',
    role: 'coordinator',
    method: 'POST',
    path: '/svc/coordinator/v1/datasources/:dataSource/segments/:segmentId',
    aliases: ['/svc/indexer/v1/datasources/:dataSource/segments/:segmentId'],
    reply: oneChanged,
    permission: datasource('WRITE'),
    refusals,
  }),
  markUnused: endpoint({
    summary: 'Mark a segment as unused',
    role: 'coordinator',
    method: 'DELETE',
    path: '/svc/coordinator/v1/datasources/:dataSource/segments/:segmentId',
    aliases: ['/svc/indexer/v1/datasources/:dataSource/segments/:segmentId'],
    reply: oneChanged,
    permission: datasource('WRITE'),
    refusals,
  }),
  markSomeUsed: endpoint({
    summary: 'Mark the segments of an interval, or the listed ones, as used',
    role: 'coordinator',
    method: 'POST',
    path: '/svc/coordinator/v1/datasources/:dataSource/markUsed',
    aliases: ['/svc/indexer/v1/datasources/:dataSource/markUsed'],
    ...filter,
    refusals: { ...refusals, runtimeFailure: 'errorAndMessage' }, // for segments that do not exist
  }),
  markSomeUnused: endpoint({
    summary: 'Mark the segments of an interval, or the listed ones, as unused',
    role: 'coordinator',
    method: 'POST',
    path: '/svc/coordinator/v1/datasources/:dataSource/markUnused',
    aliases: ['/svc/indexer/v1/datasources/:dataSource/markUnused'],
    ...filter,
  }),
  markAllUsed: endpoint({
    summary: 'Mark all segments of a datasource as used',
    role: 'coordinator',
    method: 'POST',
    path: '/svc/coordinator/v1/datasources/:dataSource',
    aliases: ['/svc/indexer/v1/datasources/:dataSource'],
    reply: changed,
    permission: datasource('WRITE'),
  }),
  markAllUnused: endpoint({
    summary: 'Mark all segments of a datasource as unused',
    role: 'coordinator',
    method: 'DELETE',
    path: '/svc/coordinator/v1/datasources/:dataSource',
    aliases: ['/svc/indexer/v1/datasources/:dataSource'],
    query: {
      kill: optional(
        truth,
        'Deprecated: delete the unused segments of the interval permanently instead',
      ),
      interval: optional(text, 'Deprecated: the ISO interval of kill'),
    },
    reply: json(segmentUpdate, { absent: 200 }), // empty with kill
    permission: datasource('WRITE'),
    refusals: { runtimeFailure: 'errorAndMessage' }, // kill without an interval
  }),
  kill: endpoint({
    summary: 'Delete unused segments of an interval permanently',
    role: 'coordinator',
    method: 'DELETE',
    path: '/svc/coordinator/v1/datasources/:dataSource/intervals/:interval',
    reply: { ...empty, typed: true },
    permission: datasource('WRITE'),
    refusals: { invalidInput: 'simpleMap', runtimeFailure: 'html' }, // an interval that is none, as the dialect says it
  }),
};
