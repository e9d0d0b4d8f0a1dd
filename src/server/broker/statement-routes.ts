// Endpoints of the Broker for asynchronous statements.
import { answer, type Routes } from '../handlers/routes.ts';
import type { Statements } from './statements.ts';

export const statementRoutes = (statements: Statements): Routes<'statements'> => ({
  enabled: () => ({ enabled: true }),
  submit: ({ body, ...requestContext }) => statements.submit(body, requestContext),
  status: ({ params, query, caller }) =>
    statements.status(params.queryId, query.detail ?? false, caller),
  results: ({ params, query, ...requestContext }) =>
    statements.results(params.queryId, query, requestContext),
  cancel: ({ params, caller }) =>
    answer(undefined, { status: statements.cancel(params.queryId, caller) ? 202 : 200 }),
});
