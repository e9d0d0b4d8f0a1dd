// Endpoints of the metadata store: segments and datasources, loaded or not.
import { servedDatasource } from './datasources.ts';
import { datasource, endpoint, json } from './endpoint.ts';
import {
  either,
  flag,
  integer,
  intervalText,
  listOf,
  object,
  oneOf,
  optional,
  orNull,
  sometimes,
  text,
  truth,
  type Value,
} from './schema.ts';
import { dataSegment } from './segments.ts';

export type UnusedSegment = Value<typeof unusedSegment>;
export type DatasourceSchema = Value<typeof datasourceSchema>;

const unusedSegment = object({
  dataSegment,
  createdDate: sometimes(text),
  usedStatusLastUpdatedDate: sometimes(text),
});
const datasourceSchema = object({
  dataSource: text,
  rowSignature: listOf(object({ name: text, type: orNull(text) })),
});

const full = optional(flag, 'With all details');
const segmentList = json(listOf(either(text, dataSegment)));

export const metadata = {
  datasources: endpoint({
    summary: 'List the datasources that have used segments',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/metadata/datasources',
    query: {
      full,
      includeUnused: optional(flag, 'Also datasources with only unused segments'),
      includeDisabled: optional(flag, 'The older name of includeUnused'),
    },
    reply: json(listOf(either(text, servedDatasource))),
    permission: 'filtered',
  }),
  datasource: endpoint({
    summary: 'A datasource, with its segments',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/metadata/datasources/:dataSource',
    reply: json(servedDatasource),
    permission: datasource('READ'),
    refusals: { notFound: 'unquotedText' },
  }),
  segmentsOf: endpoint({
    summary: 'The used segments of a datasource',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/metadata/datasources/:dataSource/segments',
    query: { full },
    largeBody: true,
    body: orNull(listOf(text)), // ISO intervals to filter by overlap
    reply: segmentList,
    permission: datasource('READ'),
    refusals: { notFound: 'unquotedText' },
  }),
  segmentsIn: endpoint({
    summary: 'The used segments of a datasource that overlap one of the intervals',
    idempotent: true,
    role: 'coordinator',
    method: 'POST',
    path: '/svc/coordinator/v1/metadata/datasources/:dataSource/segments',
    query: { full },
    largeBody: true,
    body: listOf(text),
    reply: segmentList,
    permission: datasource('WRITE'),
  }),
  segment: endpoint({
    summary: 'A segment',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/metadata/datasources/:dataSource/segments/:segmentId',
    query: { includeUnused: optional(truth, 'Also an unused segment') },
    reply: json(dataSegment),
    permission: datasource('READ'),
    refusals: { notFound: 'unquotedText' },
  }),
  unusedSegments: endpoint({
    summary: 'The unused segments of a datasource',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/metadata/datasources/:dataSource/unusedSegments',
    query: {
      interval: optional(intervalText, 'Only segments inside this ISO interval'),
      limit: optional(integer, 'Maximum number of segments'),
      lastSegmentId: optional(text, 'Only segments after this id'),
      sortOrder: optional(oneOf('ASC', 'DESC', 'asc', 'desc'), 'Order of ids and times'),
    },
    reply: json(listOf(unusedSegment)),
    permission: datasource('READ'),
    refusals: { invalidInput: 'druidException' },
    words: {
      sortOrder: (value) =>
        `Unexpected value[${String(value)}] for SortOrder. Possible values are: [ASC, DESC]`,
    },
  }),
  segments: endpoint({
    summary: 'The used segments of all datasources',
    role: 'coordinator',
    method: 'GET',
    path: '/svc/coordinator/v1/metadata/segments',
    query: {
      datasources: optional(listOf(text), 'Only segments of this datasource; may be repeated'),
      includeOvershadowedStatus: optional(flag, 'Also overshadowed segments, marked as such'),
      includeRealtimeSegments: optional(flag, 'Also realtime segments that are not published yet'),
    },
    reply: json(listOf(dataSegment)),
    permission: 'filtered',
    refusals: { invalidInput: 'empty' },
  }),
  schemas: endpoint({
    summary: 'The columns of some datasources',
    idempotent: true,
    role: 'coordinator',
    method: 'POST',
    path: '/svc/coordinator/v1/metadata/dataSourceInformation',
    largeBody: true,
    body: orNull(listOf(text)),
    reply: json(listOf(datasourceSchema)),
    permission: 'filtered',
    refusals: { notFound: 'unquotedText' },
  }),
  bootstrapSegments: endpoint({
    summary: 'The segments that every server loads first',
    idempotent: true,
    role: 'coordinator',
    method: 'POST',
    path: '/svc/coordinator/v1/metadata/bootstrapSegments',
    reply: json(listOf(dataSegment)),
    permission: 'filtered',
  }),
};
