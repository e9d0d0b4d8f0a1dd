// What the native engine cannot do and refuses in its own words (api-facts.md, 16.2); a multi-stage query can.
import type { SourceKind } from './relation.ts';
import { unsupportedSql } from './sql-error.ts';
import type { Engine, ResolvedQuery } from './translation.ts';

/** Rows of a table that are not grouped can be sorted by `__time` alone; `names` are the columns that are sorted by. */
export function refuseNativeOrder(engine: Engine, rows: SourceKind, names: readonly string[]): void {
  if (engine !== 'native' || names.length === 0 || (rows !== 'table' && rows !== 'unnest')) return;
  if (names.length === 1 && names[0] === '__time') return;
  throw unsupportedSql(`SQL query requires ordering a table by non-time column [[${names.join(', ')}]], which is not supported.`);
}

/** The native engine runs a union at the top, one query after the other, so that nothing can be done with all its rows together. */
export function unplannedUnion(isTop: boolean, orderBy: readonly unknown[], inputs: readonly ResolvedQuery[]): void {
  if (!isTop || orderBy.length === 0 || inputs.every(({ rows }) => rows === 'metadata')) return;
  throw unsupportedSql(
    'SQL requires union between inputs that are not simple table scans and involve a filter or aliasing. Or column types of tables being unioned are not of same type.',
  );
}
