import { datasource, empty, endpoint, json, state } from './endpoint.ts';
import { locatedSegment } from './native.ts';
import {
  count,
  either,
  flag,
  listOf,
  mapOf,
  object,
  optional,
  text,
  truth,
  type Value,
} from './schema.ts';

export type DatasourceColumns = Value<typeof columns>;

const columns = object({ dimensions: listOf(text), metrics: listOf(text) });
const interval = optional(text, 'In this ISO interval');

export const broker = {
  datasources: endpoint({
    summary: 'List the datasources that can be queried',
    role: 'broker',
    method: 'GET',
    path: '/svc/v2/datasources',
    reply: json(listOf(text)),
    permission: 'filtered',
  }),
  datasource: endpoint({
    summary: 'The dimensions and metrics of a datasource',
    role: 'broker',
    method: 'GET',
    path: '/svc/v2/datasources/:dataSource',
    query: { interval, full: optional(flag, 'For each interval') },
    reply: json(either(columns, mapOf(columns))),
    permission: datasource('READ'),
  }),
  dimensions: endpoint({
    summary: 'The dimensions of a datasource',
    instead: 'SELECT COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS',
    role: 'broker',
    method: 'GET',
    path: '/svc/v2/datasources/:dataSource/dimensions',
    query: { interval },
    reply: json(listOf(text)),
    permission: datasource('READ'),
  }),
  metrics: endpoint({
    summary: 'The metrics of a datasource',
    instead: 'SELECT COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS',
    role: 'broker',
    method: 'GET',
    path: '/svc/v2/datasources/:dataSource/metrics',
    query: { interval },
    reply: json(listOf(text)),
    permission: datasource('READ'),
  }),
  candidates: endpoint({
    summary: 'The segments of a datasource and their servers',
    role: 'broker',
    method: 'GET',
    path: '/svc/v2/datasources/:dataSource/candidates',
    query: {
      intervals: optional(text, 'ISO intervals, separated by commas'),
      numCandidates: optional(count, 'Maximum number of servers per segment'),
    },
    reply: json(listOf(locatedSegment)),
    permission: datasource('READ'),
    refusals: { runtimeFailure: 'html' }, // without intervals
  }),
  loadStatus: endpoint({
    summary: 'Does the Broker know all servers and segments?',
    role: 'broker',
    method: 'GET',
    path: '/svc/broker/v1/loadstatus',
    reply: json(object({ inventoryInitialized: truth })),
    permission: state('READ'),
  }),
  readiness: endpoint({
    summary: 'Is the Broker ready for queries?',
    role: 'broker',
    method: 'GET',
    path: '/svc/broker/v1/readiness',
    reply: { ...empty, also: [503] },
    permission: 'open',
  }),
};
