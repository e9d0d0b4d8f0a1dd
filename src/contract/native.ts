import { type Endpoint, empty, endpoint, json, rows, state } from './endpoint.ts';
import { parserClasses } from './parser-classes.ts';
import {
  anything,
  count,
  either,
  flag,
  integer,
  listOf,
  long,
  object,
  optional,
  orNull,
  sometimes,
  text,
  type Value,
} from './schema.ts';

export type NativeQuery = Value<typeof nativeQuery>;
export type LocatedSegment = Value<typeof locatedSegment>;

const nativeQuery = object({
  queryType: text,
  dataSource: either(text, object({})),
  context: optional(orNull(object({})), 'Context parameters, such as queryId and timeout'),
  intervals: optional(anything, 'The time range of the query'),
});

export const locatedSegment = object({
  interval: text,
  version: text,
  partitionNumber: integer,
  size: long,
  locations: listOf(
    object({
      name: text,
      host: orNull(text),
      hostAndTlsPort: sometimes(text),
      maxSize: long,
      storageSize: sometimes(long),
      type: text,
      tier: text,
      priority: integer,
    }),
  ),
});

const pretty = optional(flag, 'Indent the reply');

export const native = {
  query: endpoint({
    summary: 'Run a native query',
    idempotent: true,
    role: 'broker',
    method: 'POST',
    path: '/svc/v2/',
    largeBody: true,
    ownDeadline: true,
    query: { pretty },
    body: nativeQuery,
    reply: rows,
    permission: 'content',
    refusals: {
      invalidInput: 'queryException',
      forbidden: 'accessCheck',
      canceled: 'druidException',
      capacityExceeded: 'druidException',
      runtimeFailure: 'queryException',
      timeout: 'druidException',
      unsupported: 'druidException',
    },
    origin: 'ofAll',
    parserClass,
  }),
  cancel: endpoint({
    summary: 'Cancel a native query',
    role: 'broker',
    method: 'DELETE',
    path: '/svc/v2/:queryId',
    reply: { ...empty, status: 202 },
    permission: 'content',
    refusals: { forbidden: 'accessCheck' },
  }),
  candidates: endpoint({
    summary: 'The segments that a native query would read, and their servers',
    idempotent: true,
    role: 'broker',
    method: 'POST',
    path: '/svc/v2/candidates',
    largeBody: true,
    query: { pretty, numCandidates: optional(count, 'Maximum number of servers per segment') },
    body: nativeQuery,
    reply: json(listOf(locatedSegment)),
    permission: state('WRITE'),
    refusals: { invalidInput: 'queryException' },
    origin: 'ofAll',
    parserClass,
  }),
};

// A body is of a type of query, and a datasource may be its name.
function parserClass({
  field,
  value,
}: Parameters<NonNullable<Endpoint['parserClass']>>[0]): string {
  const isAbsent = value === undefined || value === null;
  const isOfType =
    field === 'queryType' || (field === 'body' && !isAbsent && !Array.isArray(value));
  if (isOfType) return parserClasses.typeId;
  return field === 'dataSource' && isAbsent ? parserClasses.construction : parserClasses.mismatch;
}
