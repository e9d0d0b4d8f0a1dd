// Scope of the expressions in FROM.

import { illegalAggregate } from '../functions/call-kinds.ts';
import type { Source } from '../resolution/relation.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import { QueryScope } from '../resolution/scope.ts';
import type { QueryContext, Translation } from '../resolution/translation.ts';

/** A scope without aggregates: that of FROM and ON. */
export function scopeOver(
  translation: Translation,
  { outer, commonTables }: QueryContext,
  source: Source | undefined,
): QueryScope {
  return new QueryScope({
    translation,
    commonTables,
    ...(outer && { outer }),
    ...(source && { source }),
    resolve: resolveExpression,
    aggregate: (call) => {
      throw illegalAggregate(call, 'in ON clause');
    },
  });
}
