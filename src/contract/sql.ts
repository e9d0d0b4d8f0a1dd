import type { Dialect } from '../model/dialect.ts';
import { type Endpoint, empty, endpoint, json, rows } from './endpoint.ts';
import { parserClasses } from './parser-classes.ts';
import {
  anyObject,
  anything,
  either,
  flag,
  listOf,
  long,
  number,
  object,
  oneOf,
  optional,
  orNull,
  sometimes,
  text,
  truth,
  type Value,
} from './schema.ts';

export type SqlRequest = Value<typeof sqlRequest>;
export type SqlQueryInfo = Value<typeof queryInfo>;
export type SqlTaskReply = Value<typeof sqlTaskReply>;
export type ResultFormat = (typeof resultFormats)[number];

export const resultFormats = ['object', 'array', 'objectLines', 'arrayLines', 'csv'] as const;

/**
 * Allowed types of parameters: the names of Avatica's SqlType in capitals. The translation decides
 * which of them can be bound.
 */
export const sqlTypes: readonly string[] =
  'ANY ARRAY BIGINT BINARY BIT BLOB BOOLEAN CHAR CLOB DATE DECIMAL DOUBLE FLOAT INTEGER INTERVAL_DAY_TIME INTERVAL_YEAR_MONTH LONGVARBINARY LONGVARCHAR MAP MULTISET NCHAR NULL NUMERIC NVARCHAR OTHER REAL ROW SMALLINT STRUCT TIME TIMESTAMP TIMESTAMP_WITH_TIMEZONE TIME_WITH_TIMEZONE TINYINT VARBINARY VARCHAR'.split(
    ' ',
  );

// Jackson accepts these as booleans, too.
const likeTruth = either(
  truth,
  oneOf('true', 'True', 'TRUE', 'false', 'False', 'FALSE', ''),
  number,
);

export const sqlRequest = object({
  query: text,
  resultFormat: optional(
    orNull(text),
    'object, array, objectLines, arrayLines or csv, in any case',
  ),
  header: optional(orNull(likeTruth), 'Column names as the first row'),
  typesHeader: optional(orNull(likeTruth), 'Native types after the header; needs header'),
  sqlTypesHeader: optional(orNull(likeTruth), 'SQL types after the header; needs header'),
  context: optional(orNull(anyObject), 'Context parameters, such as sqlQueryId and sqlTimeZone'),
  parameters: optional(
    orNull(listOf(orNull(object({ type: text, value: sometimes(anything) })))),
    'Values for the ? of the statement',
  ),
});

const sqlTaskReply = object({ taskId: text, state: text });

const queryInfo = object({
  engine: sometimes(text),
  sqlQueryId: sometimes(text),
  sql: sometimes(text),
  queryId: sometimes(text), // of a native query, which has no SQL
  query: sometimes(text), // its JSON
  identity: sometimes(text), // only with permission to read the service's state
  startTime: sometimes(text),
  state: sometimes(text),
  durationMs: sometimes(long), // of a finished query
});

// Errors of the planner are DruidExceptions; malformed requests get the legacy form.
const refusals = {
  invalidInput: 'druidException',
  forbidden: 'accessCheck',
  canceled: 'druidException',
  capacityExceeded: 'druidException',
  runtimeFailure: 'druidException',
  timeout: 'druidException',
  uncategorized: 'druidException',
  unsupported: 'druidException',
  unsupportedMediaType: 'queryException',
} as const;

const noTruth = (value: unknown) =>
  `Cannot deserialize value of type \`boolean\` from [${String(value)}]: only "true" or "false" recognized\n at [Source: request body]`;

const malformed = () => ['invalidInput', 'queryException'] as const;

const parserClass: NonNullable<Endpoint['parserClass']> = ({ field, value }) => {
  if (field === 'query' && (value === undefined || value === null))
    return parserClasses.construction;
  const isFormat = typeof value === 'string' && field !== 'body';
  return isFormat ? parserClasses.format : parserClasses.mismatch;
};

export const sql = {
  query: endpoint({
    summary: 'Run a query',
    idempotent: true,
    role: 'broker',
    method: 'POST',
    path: '/svc/v2/sql',
    largeBody: true,
    ownDeadline: true,
    body: sqlRequest,
    textBody: 'query',
    reply: rows,
    permission: 'content',
    invalid: malformed,
    words: {
      body: (value) => (value === null ? 'Empty query' : 'The request must be a JSON object'),
      header: noTruth,
      typesHeader: noTruth,
      sqlTypesHeader: noTruth,
    },
    refusals,
    origin: 'ofAll',
    parserClass,
  }),
  cancel: endpoint({
    summary: 'Cancel the running queries with this id',
    role: 'broker',
    method: 'DELETE',
    path: '/svc/v2/sql/:sqlQueryId',
    reply: { ...empty, status: 202 },
    permission: 'content',
    refusals: { forbidden: 'empty', notFound: 'empty' },
  }),
  task: endpoint({
    summary: 'Ingest data: run INSERT or REPLACE as a task',
    role: 'broker',
    method: 'POST',
    path: '/svc/v2/sql/task',
    extension: 'druid-multi-stage-query',
    largeBody: true,
    body: sqlRequest,
    textBody: 'query',
    reply: json(either(sqlTaskReply, listOf(anything)), {
      status: ({ sqlTaskStatus }: Dialect) => sqlTaskStatus,
      also: [200],
    }), // rows: an EXPLAIN
    permission: 'content',
    invalid: malformed,
    // An unparseable statement is not a task yet; a statement that cannot be planned is a failed
    // task.
    refusals: {
      invalidInput: 'druidException',
      forbidden: 'failedTask',
      runtimeFailure: 'queryException', // a query id that is not a text
      uncategorized: 'failedTask',
      unsupported: 'failedTask',
      unsupportedMediaType: 'queryException',
    },
  }),
  taskEnabled: endpoint({
    summary: 'Does the service run SQL tasks?',
    role: 'broker',
    method: 'GET',
    path: '/svc/v2/sql/task/enabled',
    reply: json(object({ enabled: truth })),
    permission: 'authenticated',
  }),
  engines: endpoint({
    summary: 'The engines that can run queries',
    role: 'broker',
    method: 'GET',
    path: '/svc/v2/sql/engines',
    reply: json(object({ engines: listOf(object({ name: text })) })),
    permission: 'authenticated',
  }),
  queries: endpoint({
    summary: 'List running queries',
    role: 'broker',
    method: 'GET',
    path: '/svc/v2/sql/queries',
    query: {
      selfOnly: optional(flag, 'Only queries of this Broker'),
      includeComplete: optional(flag, 'Also recently completed queries'),
      includeNative: optional(flag, 'Also native queries; Apache Druid ignores it'),
    },
    reply: json(object({ queries: listOf(queryInfo) })),
    permission: 'filtered',
  }),
  report: endpoint({
    summary: 'The report of a query',
    role: 'broker',
    method: 'GET',
    path: '/svc/v2/sql/queries/:sqlQueryId/reports',
    reply: json(object({ query: orNull(queryInfo), report: orNull(anyObject) }), { also: [404] }),
    permission: 'filtered',
  }),
};
