// The select list: expanded stars, column names, and the meaning of ordinals and aliases in later
// clauses.

import type { EngineVersion } from '../../model/engine-version.ts';
import type {
  Expression,
  Grouping,
  Identifier,
  OrderItem,
  Position,
  Select,
  Star,
} from '../ast.ts';
import { mapGrouping, mapOperands } from '../expressions/rewrite.ts';
import { checkLimit } from '../limits.ts';
import { invalidSql, unknownStar } from '../sql-error.ts';
import {
  allColumns,
  ambiguousColumn,
  findRelation,
  type RelationColumn,
  repeatedName,
  type Source,
  STAR_COLUMN,
} from './relation.ts';

export interface NamedItem {
  readonly expression: Expression;
  readonly name: string;
  readonly alias?: string; // the written alias or the column's name, for use in other clauses
}

/**
 * The items of SELECT with expanded stars. An item without a name is named `EXPR$` and the number
 * of different names before it.
 */
export function selectItems(select: Select, source: Source | undefined): readonly NamedItem[] {
  const items: NamedItem[] = [];
  const names = new Set<string>();
  const lastAttempts = new Map<string, number>();
  for (const { expression, alias } of select.items) {
    checkLimit('columns', items.length + 1, expression.at);
    if (expression.kind === 'star') {
      for (const item of starItems(expression, source)) {
        const name = uniqueName(item.name, names, lastAttempts);
        items.push({ ...item, name });
        names.add(name);
      }
      continue;
    }
    const own = alias ?? ownName(expression);
    const name = own ?? `EXPR$${names.size}`;
    items.push({ expression, name, ...(own !== undefined && { alias: own }) });
    names.add(name);
  }
  return items;
}

// A function without parentheses names its column, as an identifier does.
function ownName(expression: Expression): string | undefined {
  if (expression.kind === 'identifier') return expression.names.at(-1);
  return expression.kind === 'call' ? expression.word : undefined;
}

function starItems(star: Star, source: Source | undefined): readonly NamedItem[] {
  if (!source) throw invalidSql('SELECT * requires a FROM clause', star.at);
  const all = allColumns(source);
  const relation = star.qualifier.length > 0 ? findRelation(source, star.qualifier) : undefined;
  if (star.qualifier.length > 0 && !relation)
    throw invalidSql(
      `Unknown identifier '${star.qualifier.join('.')}'`,
      star.qualifierAt ?? star.at,
    );
  for (const { columns } of relation ? [relation] : source.relations) {
    const repeated = repeatedName(columns);
    if (repeated !== undefined) throw ambiguousColumn(repeated, star.at);
  }
  const wanted = relation ? all.filter((column) => relation.columns.includes(column)) : all;
  return wanted.map((column) => ({
    expression: starColumn(column, all, star.at),
    name: column.name,
    alias: column.name,
  }));
}

const starColumn = (
  column: RelationColumn,
  all: readonly RelationColumn[],
  at: Position,
): Expression => ({
  kind: 'identifier',
  names: [STAR_COLUMN, String(all.indexOf(column))],
  quoted: [true, true],
  at,
});

// Only stars make names unique (Calcite: SqlValidatorUtil.uniquify): `a`, `a0`, `a1`. Used names
// are never released, so numbers up to the last one can be skipped.
function uniqueName(
  name: string,
  taken: ReadonlySet<string>,
  lastAttempts: Map<string, number>,
): string {
  if (!taken.has(name)) return name;
  let attempt = lastAttempts.get(name) ?? 0;
  while (taken.has(`${name}${attempt}`)) attempt++;
  lastAttempts.set(name, attempt);
  return `${name}${attempt}`;
}

/**
 * A SELECT whose ordinals in GROUP BY are written out if it has a star: they count the items as
 * they are written. Throws SqlError for the ordinal of a star.
 */
export function withWrittenOrdinals(select: Select, version: EngineVersion): Select {
  const { groupBy, items } = select;
  if (!groupBy || !items.some(({ expression }) => expression.kind === 'star')) return select;
  const written = items.map(({ expression }) => ({ expression, name: '' }));
  return {
    ...select,
    groupBy: expandOrdinals(groupBy, written).map((grouping) =>
      mapGrouping(grouping, (key) => {
        if (key.kind === 'star') throw unknownStar(key, version);
        return key;
      }),
    ),
  };
}

/**
 * GROUP BY with items of SELECT in place of ordinals. In ROLLUP, CUBE and GROUPING SETS a number is
 * an ordinal where it is an operand by itself, and then in each other operand, too (Calcite:
 * SqlValidatorImpl.ExtendedExpander). `GROUPING SETS ((1, 2), ())` has none. Throws SqlError for an
 * ordinal without an item.
 */
export const expandOrdinals = (
  groupBy: readonly Grouping[],
  items: readonly NamedItem[],
): readonly Grouping[] => groupBy.map((grouping) => expandedGrouping(grouping, items));

function expandedGrouping(grouping: Grouping, items: readonly NamedItem[]): Grouping {
  if (grouping.kind === 'expression') {
    const item = itemAt(grouping.expression, items);
    return item ? { ...grouping, expression: item.expression } : grouping;
  }
  if (grouping.kind === 'empty' || grouping.kind === 'set') return grouping;
  const ordinals = new Map(
    grouping.items.flatMap((operand) => {
      if (operand.kind !== 'expression' || operand.expression.kind !== 'literal') return [];
      const item = itemAt(operand.expression, items);
      return item ? [[operand.expression.text, item.expression] as const] : [];
    }),
  );
  if (ordinals.size === 0) return grouping;
  const expand = (part: Expression): Expression =>
    (part.kind === 'literal' && part.type !== 'string' ? ordinals.get(part.text) : undefined) ??
    mapOperands(part, expand);
  return mapGrouping(grouping, expand);
}

/**
 * The expression that an item of ORDER BY stands for. An ordinal or an alias is an item of SELECT,
 * by index; any other expression is itself. Throws SqlError for an alias of several items.
 */
export function expandOrder(
  { expression }: OrderItem,
  items: readonly NamedItem[],
): { readonly expression: Expression; readonly index?: number } {
  const named = itemAt(expression, items);
  if (named) return { expression: named.expression, index: items.indexOf(named) };
  const item = itemWithAlias(expression, items);
  if (item) return { expression: item.expression, index: items.indexOf(item) };
  return { expression: expandAliases(expression, items, () => false) };
}

/**
 * HAVING and ORDER BY with aliases replaced by their items. Parts that `isOpaque` accepts stay
 * unchanged: aggregates read the rows below.
 */
export function expandAliases(
  expression: Expression,
  items: readonly NamedItem[],
  isOpaque: (expression: Expression) => boolean,
): Expression {
  if (isOpaque(expression)) return expression;
  if (isSimpleName(expression)) return itemWithAlias(expression, items)?.expression ?? expression;
  return mapOperands(expression, (operand) => expandAliases(operand, items, isOpaque));
}

const isSimpleName = (expression: Expression): expression is Identifier =>
  expression.kind === 'identifier' && expression.names.length === 1;

// The item that a name stands for; undefined for other expressions (Calcite: OrderByScope).
function itemWithAlias(expression: Expression, items: readonly NamedItem[]): NamedItem | undefined {
  if (!isSimpleName(expression)) return undefined;
  const [name] = expression.names;
  const [item, second] = items.filter(({ alias }) => alias === name);
  if (second) throw invalidSql(`Column '${name}' is ambiguous`, expression.at);
  return item;
}

// The item at an ordinal; undefined for other expressions.
function itemAt(expression: Expression, items: readonly NamedItem[]): NamedItem | undefined {
  const ordinal = ordinalOf(expression);
  if (ordinal === undefined) return undefined;
  const item = items[ordinal - 1];
  if (!item) throw invalidSql('Ordinal out of range', expression.at);
  return item;
}

// Any literal number that is not negative is an ordinal: its whole part in 32 bits (Calcite:
// SqlLiteral.intValue).
function ordinalOf(expression: Expression): number | undefined {
  const isNegative = expression.kind === 'unary' && expression.operator === '-';
  const number = isNegative ? expression.operand : expression;
  if (number.kind !== 'literal' || !['decimal', 'double', 'integer'].includes(number.type))
    return undefined;
  const whole =
    number.type === 'integer'
      ? BigInt(number.text)
      : BigInt(Math.trunc(Math.min(Number(number.text), Number.MAX_VALUE)));
  const ordinal = Number(BigInt.asIntN(32, isNegative ? -whole : whole));
  return ordinal < 0 ? undefined : ordinal;
}

/** The clauses after the body of a query. */
export interface Tail {
  readonly orderBy: readonly OrderItem[];
  readonly limit: bigint | undefined;
  readonly offset: bigint | undefined;
}

/** An item of ORDER BY. `index` is the position of the named item of SELECT, from 0. */
export interface OrderPart {
  readonly expression: Expression;
  readonly index?: number;
  readonly descending: boolean;
  readonly item: OrderItem;
}
