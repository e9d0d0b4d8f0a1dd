// Sources whose rows the native engine does not give to window functions.
import type { Expression, From, Select } from '../ast.ts';
import { contains } from '../expressions/rewrite.ts';
import type { Source } from '../resolution/relation.ts';
import { unplannable, unsupportedSql } from '../sql-error.ts';

/** Refuses window functions over listed rows and over arrays without a table. */
export function refuseListedRows({ from }: Select): void {
  const rows = listedRows(from);
  if (rows === 1) throw unsupportedSql('Cannot convert to Scan query without any columns.');
  if (rows !== undefined) throw unplannable();
}

/** Refuses window functions over all rows of a table if nothing is read from it. */
export function refuseUnreadTable(
  source: Source | undefined,
  expressions: readonly Expression[],
): void {
  if (source?.kind !== 'table' || source.filtered) return;
  const isRead = expressions.some((one) => contains(one, ({ kind }) => kind === 'identifier'));
  if (!isRead) throw unsupportedSql('Cannot convert to Scan query without any columns.');
}

/** Refuses window functions over a union of tables. */
export function refuseWindowUnion(source: Source | undefined): void {
  if ((source?.unions ?? []).length > 0 && source?.kind !== 'join') throw unplannable();
}

// Number of rows that are written in the statement; undefined for all other sources.
function listedRows(from: From | undefined): number | undefined {
  if (!from) return 1;
  if (from.kind === 'unnest') return Number.POSITIVE_INFINITY;
  if (from.kind !== 'derived') return undefined;
  const { body } = from.query;
  if (body.kind === 'values') return body.rows.length;
  return body.kind === 'select' && !body.from ? 1 : undefined;
}
