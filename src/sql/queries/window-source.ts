// Sources whose rows the native engine does not give to window functions.
import type { Expression, From, Select } from '../ast.ts';
import { contains, walk } from '../expressions/rewrite.ts';
import type { Typed } from '../expressions/typed.ts';
import { containsWindow } from '../functions/call-kinds.ts';
import type { Source } from '../resolution/relation.ts';
import { multiValueInWindow } from '../resolution/window.ts';
import { failureSql, invalidWords } from '../runtime/own-words.ts';
import { quote } from '../runtime/quoted.ts';
import { unplannable, unsupportedSql } from '../sql-error.ts';
import { isText } from '../types.ts';

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

/**
 * The condition of WHERE below window functions, as DuckDB text. A row that has several values in a
 * column of theirs fails.
 */
export function whereOfWindows(
  items: readonly Expression[],
  where: string | undefined,
  resolve: (expression: Expression) => Typed,
): string | undefined {
  const failures = new Map<string, string>();
  for (const expression of items.flatMap(readByWindows)) {
    const { type, sql } = resolve(expression);
    if (!type.multiValue || !isText(type)) continue;
    const words = `${invalidWords}${multiValueInWindow(expression).message}`;
    failures.set(sql, `WHEN len(${sql}) > 1 THEN ${failureSql(quote(words))}::BOOLEAN`);
  }
  if (failures.size === 0) return where;
  const others = where === undefined ? '' : `WHEN (${where}) IS NOT TRUE THEN false `;
  const checked = `CASE ${others}${[...failures.values()].join(' ')} ELSE true END`;
  return where === undefined ? checked : `(${where}) AND ${checked}`;
}

// The arguments of windows and the items beside them. An item over windows reads its columns.
function readByWindows(item: Expression): readonly Expression[] {
  if (!containsWindow(item)) return [item];
  const read: Expression[] = [];
  walk(item, (part) => {
    const isWindow = part.kind === 'call' && part.over !== undefined;
    if (isWindow) read.push(...part.args.filter(({ kind }) => kind !== 'star'));
    else if (part.kind === 'identifier') read.push(part);
    return !isWindow;
  });
  return read;
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
