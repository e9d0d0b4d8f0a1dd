import type { Routes } from '../routes.ts';
import type { SqlQueries } from './sql-queries.ts';

export const sqlRoutes = (queries: SqlQueries): Partial<Routes<'sql'>> => ({
  query: ({ body, ...surroundings }) => queries.run(body, surroundings),
  cancel: ({ params }) => queries.cancel(params.sqlQueryId),
  taskEnabled: () => ({ enabled: true }),
  engines: () => ({ engines: [{ name: 'native' }, { name: 'msq-task' }] }),
  queries: () => ({ queries: [] }), // the native engine tells of none
});
