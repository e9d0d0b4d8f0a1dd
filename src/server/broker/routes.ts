// Endpoints of the Broker for SQL and native queries.
import type { NativeQuery } from '../../contract/native.ts';
import type { Dialect } from '../../model/dialect.ts';
import { JsonPieces } from '../handlers/json-pieces.ts';
import { answer, type Routes } from '../handlers/routes.ts';
import { type Candidate, type CandidatesSettings, candidatesOf } from './candidates.ts';
import type { NativeQueries } from './native-queries.ts';
import { nativeRefusalOf } from './native-refusals.ts';
import { prettyList } from './pretty-json.ts';
import type { SqlQueries } from './sql-queries.ts';

export const sqlRoutes = (queries: SqlQueries): Omit<Routes<'sql'>, 'task'> => ({
  query: ({ body, ...requestContext }) => queries.run(body, requestContext),
  cancel: ({ params, caller }) => queries.cancel(params.sqlQueryId, caller),
  taskEnabled: () => ({ enabled: true }),
  engines: () => ({ engines: [{ name: 'native' }, { name: 'msq-task' }] }),
  queries: ({ query, caller }) => ({
    queries: queries.list(caller, {
      includesEnded: query.includeComplete ?? false,
      includesNative: query.includeNative ?? false,
    }),
  }),
  // The native engine creates no reports
  report: () => answer({ query: null, report: null }, { status: 404 }),
});

export const nativeRoutes = (
  queries: NativeQueries,
  candidates: CandidatesSettings,
  { prettyCandidates }: Dialect,
): Routes<'native'> => ({
  query: ({ body, query, ...requestContext }) =>
    queries.run(body, query.pretty ?? false, requestContext),
  cancel: ({ params, caller }) => queries.cancel(params.queryId, caller),
  candidates({ body, query }) {
    const found = locate(body, query.numCandidates, candidates);
    return query.pretty && prettyCandidates === 'obeyed'
      ? JsonPieces.texts(prettyList(wholeTexts(found)))
      : JsonPieces.list(found, (candidate, lacked) => candidate(lacked));
  },
});

function* wholeTexts(candidates: Iterable<Candidate>) {
  for (const candidate of candidates) yield candidate(new Set());
}

function locate(
  query: NativeQuery,
  numCandidates: number | undefined,
  settings: CandidatesSettings,
) {
  try {
    return candidatesOf(query, numCandidates, settings);
  } catch (error) {
    throw nativeRefusalOf(error, {}, false);
  }
}
