// Scope of the expressions in FROM.

import type { Source } from '../resolution/relation.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import { QueryScope } from '../resolution/scope.ts';
import type { QueryContext, Translation } from '../resolution/translation.ts';
import { invalidSql } from '../sql-error.ts';

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
      throw invalidSql('Aggregate expression is illegal in ON clause', call.at);
    },
  });
}
