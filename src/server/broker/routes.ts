import type { NativeQuery } from '../../contract/native.ts';
import { answer, type Routes } from '../routes.ts';
import { type CandidatesSettings, candidatesOf } from './candidates.ts';
import type { NativeQueries } from './native-queries.ts';
import { nativeRefusalOf } from './native-refusals.ts';
import type { SqlQueries } from './sql-queries.ts';

export const sqlRoutes = (queries: SqlQueries): Omit<Routes<'sql'>, 'task'> => ({
  query: ({ body, ...surroundings }) => queries.run(body, surroundings),
  cancel: ({ params, caller }) => queries.cancel(params.sqlQueryId, caller),
  taskEnabled: () => ({ enabled: true }),
  engines: () => ({ engines: [{ name: 'native' }, { name: 'msq-task' }] }),
  queries: () => ({ queries: [] }), // the native engine tells of none
  report: () => answer({ query: null, report: null }, { status: 404 }),
});

export const nativeRoutes = (queries: NativeQueries, candidates: CandidatesSettings): Routes<'native'> => ({
  query: ({ body, query, ...surroundings }) => queries.run(body, query.pretty ?? false, surroundings),
  cancel: ({ params, caller }) => queries.cancel(params.queryId, caller),
  candidates: ({ body, query }) => located(body, query.numCandidates, candidates),
});

function located(query: NativeQuery, numCandidates: number | undefined, settings: CandidatesSettings) {
  try {
    return candidatesOf(query, numCandidates, settings);
  } catch (error) {
    throw nativeRefusalOf(error, {});
  }
}
