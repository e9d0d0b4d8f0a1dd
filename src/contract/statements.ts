import { empty, endpoint, json, rows } from './endpoint.ts';
import {
  anyObject,
  anything,
  count,
  either,
  integer,
  listOf,
  long,
  mapOf,
  object,
  oneOf,
  optional,
  orNull,
  sometimes,
  text,
  truth,
  type Value,
} from './schema.ts';
import { sqlRequest } from './sql.ts';

export type StatementResult = Value<typeof statementResult>;
export type StatementState = StatementResult['state'];

const statementResult = object({
  queryId: text,
  state: oneOf('ACCEPTED', 'RUNNING', 'SUCCESS', 'FAILED'),
  createdAt: sometimes(text),
  schema: sometimes(listOf(object({ name: text, type: orNull(text), nativeType: orNull(text) }))),
  durationMs: sometimes(integer), // -1 while it is running
  result: sometimes(
    object({
      numTotalRows: sometimes(long),
      totalSizeInBytes: sometimes(long),
      dataSource: sometimes(text),
      sampleRecords: sometimes(listOf(listOf(anything))),
      pages: sometimes(
        listOf(object({ id: integer, numRows: sometimes(long), sizeInBytes: sometimes(long) })),
      ),
    }),
  ),
  errorDetails: sometimes(object({ errorCode: sometimes(text), errorMessage: sometimes(text) })),
  stages: sometimes(listOf(anyObject)),
  counters: sometimes(mapOf(anyObject)),
  warnings: sometimes(listOf(anyObject)),
});

const refusals = { forbidden: 'druidException', notFound: 'druidException' } as const;

const extension = 'druid-multi-stage-query';

export const statements = {
  enabled: endpoint({
    summary: 'Does the service run asynchronous statements?',
    role: 'broker',
    method: 'GET',
    path: '/svc/v2/sql/statements/enabled',
    reply: json(object({ enabled: truth })),
    permission: 'authenticated',
  }),
  submit: endpoint({
    summary: 'Run a statement asynchronously',
    role: 'broker',
    method: 'POST',
    path: '/svc/v2/sql/statements',
    extension,
    largeBody: true,
    body: sqlRequest,
    textBody: 'query',
    reply: json(either(statementResult, listOf(anything))), // rows: the answer to an EXPLAIN
    masks: true,
    permission: 'content',
    invalid: () => ['invalidInput', 'queryException'],
    refusals: {
      invalidInput: 'druidException',
      forbidden: 'druidException',
      runtimeFailure: 'queryException', // a query id that is not a text
      uncategorized: 'druidException',
      unsupported: 'druidException',
      unsupportedMediaType: 'queryException',
    },
    origin: 'ofInvalid',
  }),
  status: endpoint({
    summary: 'The status of a statement',
    role: 'broker',
    method: 'GET',
    path: '/svc/v2/sql/statements/:queryId',
    extension,
    query: { detail: optional(truth, 'With stages, counters and warnings') },
    reply: json(statementResult),
    masks: true,
    permission: 'content',
    refusals,
  }),
  results: endpoint({
    summary: 'The rows of a statement',
    role: 'broker',
    method: 'GET',
    path: '/svc/v2/sql/statements/:queryId/results',
    extension,
    query: {
      page: optional(count, 'Only this page (default all)'),
      resultFormat: optional(text, 'object, array, objectLines, arrayLines or csv, in any case'),
      filename: optional(text, 'Send the rows as a file with this name'),
    },
    reply: rows,
    permission: 'content',
    refusals: { ...refusals, invalidInput: 'druidException', uncategorized: 'druidException' }, // a page, a format
  }),
  cancel: endpoint({
    summary: 'Cancel a statement; an ended statement is unchanged',
    role: 'broker',
    method: 'DELETE',
    path: '/svc/v2/sql/statements/:queryId',
    extension,
    reply: { ...empty, status: 202, also: [200] }, // 200 when it had already ended
    permission: 'content',
    refusals,
  }),
};
