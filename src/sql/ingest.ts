import type { Ingest, Query } from './ast.ts';
import { SqlError } from './sql-error.ts';
import type { IngestStatement, SelectStatement } from './statement.ts';
import type { QueryPlan, Translation } from './translation.ts';

export function refuseNativeIngest({ kind }: Ingest): never {
  throw new SqlError(
    kind === 'insert'
      ? 'INSERT operations are not supported by requested SQL engine [native], consider using MSQ.'
      : 'REPLACE operations are not supported by the requested SQL engine [native].  Consider using MSQ.',
  );
}
export function resolveIngest(
  _s: Ingest,
  _t: Translation,
  _q: (query: Query) => { statement: SelectStatement; plan: QueryPlan },
): { statement: IngestStatement; plan: QueryPlan } {
  throw new SqlError('x');
}
