// Conditions on keys alone, in HAVING or in a query above, that the planner moves into WHERE
// (Calcite: FilterAggregateTransposeRule). The native query shows it. It is also visible for
// multi-value keys: WHERE accepts a row if one value meets the condition, and then all values of
// the row form groups; and for casts: a filter compares the column of a cast. A SELECT with its own
// WHERE keeps these conditions in place, except those on casts.

import type { Expression, Grouping, Query, Select, TableAlias } from '../ast.ts';
import { isRead } from '../expressions/filter-form.ts';
import {
  conjuncts,
  contains,
  fingerprint,
  isOfQuery,
  mapOperands,
} from '../expressions/rewrite.ts';
import { containsWindow, isGroupingCall, isPlainAggregate } from '../functions/call-kinds.ts';
import { identifyIn } from '../resolution/group.ts';
import type { Source } from '../resolution/relation.ts';
import { expandAliases, expandOrdinals, type NamedItem } from '../resolution/select-items.ts';
import type { CommonTables, ConditionAbove } from '../resolution/translation.ts';

/**
 * The SELECT with movable conditions of HAVING and of the query above moved into WHERE. Movable
 * conditions use only keys of each grouping set.
 */
export function withConditionsBelow(
  select: Select,
  items: readonly NamedItem[],
  source: Source,
  hasSeveralValues: (key: Expression) => boolean,
  conditionsAbove: readonly ConditionAbove[],
): Select {
  const { having, where } = select;
  const identify = identifyIn(source);
  const printOf = (expression: Expression) => fingerprint(expression, identify);
  const keys = new Map(keysOf(select, items, printOf).map((key) => [printOf(key), key]));
  const movable = new Set(
    [...keys]
      .filter(
        ([, key]) =>
          !contains(key, isSubquery) &&
          (!where || (!hasSeveralValues(key) && key.kind === 'cast' && !key.safe)),
      )
      .map(([print]) => print),
  );
  if (movable.size === 0) return select;
  const isMovable = (condition: Expression) => {
    const used = keysIn(condition, (part) => {
      const print = printOf(part);
      return keys.has(print) ? print : undefined;
    });
    return used?.some((print) => movable.has(print)) === true;
  };
  const own = having ? conjuncts(expandAliases(having, items, isPlainAggregate)) : [];
  const moved = own.filter(isMovable);
  const rest = own.filter((condition) => !moved.includes(condition));
  for (const { condition, move } of conditionsAbove) {
    const below = withItems(condition, items);
    if (!below || !isMovable(below)) continue;
    moved.push(below);
    move();
  }
  if (moved.length === 0) return select;
  const { having: _, ...others } = select;
  const below = allOf([...(where ? [where] : []), ...moved]);
  const above = allOf(rest);
  return { ...others, ...(below && { where: below }), ...(above && { having: above }) };
}

/**
 * The SELECT with those conditions of the query above moved into WHERE that test a cast or a field
 * of nested data which it selects: a filter reads the column, as it would without the derived
 * table. Only for a SELECT without groups, DISTINCT and windows.
 */
export function withCastsBelow(
  select: Select,
  items: readonly NamedItem[],
  conditionsAbove: readonly ConditionAbove[],
): Select {
  const isOfColumn = (part: Expression) =>
    part.kind === 'identifier' &&
    items.some(({ name, expression }) => name === part.names.at(-1) && isReadThrough(expression));
  const moved = conditionsAbove.flatMap(({ condition, move }) => {
    if (!contains(condition, isOfColumn) || contains(condition, isOfQuery)) return [];
    const below = withItems(condition, items);
    if (below) move();
    return below ?? [];
  });
  const where = allOf([...(select.where ? [select.where] : []), ...moved]);
  return where ? { ...select, where } : select;
}

/**
 * The conditions that queries in FROM may apply themselves: those of WHERE, and those from above
 * that this SELECT only passes on. `moved` collects the conditions of WHERE that are applied below.
 */
export function conditionsAbove(
  select: Select,
  isCut: boolean,
  moved: Set<Expression>,
  above: readonly ConditionAbove[],
): readonly ConditionAbove[] {
  const { from, where } = select;
  if (from?.kind !== 'derived' && from?.kind !== 'table' && from?.kind !== 'join') return [];
  const own = (where ? conjuncts(where) : []).map((condition) => ({
    condition,
    move: () => moved.add(condition),
  }));
  const isPassed = !isCut && from.kind !== 'join' && isProjection(select);
  const passed = isPassed ? above.flatMap((one) => inTermsOf(select, one)) : [];
  return [...own, ...passed];
}

/** The conditions among them that a query in FROM may apply: all their columns are its own. */
export function conditionsOn(
  alias: TableAlias | undefined,
  above: readonly ConditionAbove[],
): readonly ConditionAbove[] {
  if (alias?.columns) return [];
  const isColumn = (expression: Expression) =>
    expression.kind !== 'identifier' ||
    expression.names.length === 1 ||
    (expression.names.length === 2 && expression.names[0] === alias?.name);
  return above.filter(({ condition }) => !contains(condition, (part) => !isColumn(part)));
}

/** The conditions among them that name the table of each of their columns, as joins need it. */
export const qualifiedConditions = (above: readonly ConditionAbove[]): readonly ConditionAbove[] =>
  above.filter(
    ({ condition }) =>
      !contains(condition, (part) => part.kind === 'identifier' && part.names.length < 2),
  );

/** Whether a query, or a query that it reads, selects a value that filters above look through. */
export function selectsReadThrough(
  { body, limit, offset }: Query,
  commonTables: CommonTables,
): boolean {
  if (body.kind !== 'select' || limit !== undefined || offset !== undefined) return false;
  if (body.items.some(({ expression }) => isReadThrough(expression))) return true;
  const { from } = body;
  if (from?.kind === 'derived') return selectsReadThrough(from.query, commonTables);
  const common =
    from?.kind === 'table' && from.names.length === 1
      ? commonTables.find(from.names[0] ?? '')?.written
      : undefined;
  return common !== undefined && selectsReadThrough(common.query, common.commonTables);
}

const isReadThrough = (expression: Expression): boolean =>
  expression.kind === 'cast' || (expression.kind === 'call' && isRead(expression));

// A SELECT without groups, aggregates and windows gives one row for each row that it reads.
const isProjection = (select: Select): boolean =>
  !select.distinct &&
  !select.groupBy &&
  !select.having &&
  !select.qualify &&
  !select.items.some(
    ({ expression }) => contains(expression, isPlainAggregate) || containsWindow(expression),
  );

// A condition on items that are plain columns in terms of those columns.
function inTermsOf({ items, from }: Select, above: ConditionAbove): readonly ConditionAbove[] {
  if (from?.kind !== 'derived' && from?.kind !== 'table') return [];
  const isStar = items.length === 1 && items[0]?.expression.kind === 'star';
  const named = items.flatMap(({ expression, alias }): NamedItem[] =>
    expression.kind === 'identifier'
      ? [{ name: alias ?? expression.names.at(-1) ?? '', expression }]
      : [],
  );
  const condition = isStar ? withoutQualifiers(above.condition) : withItems(above.condition, named);
  return condition ? [{ ...above, condition }] : [];
}

const withoutQualifiers = (expression: Expression): Expression =>
  expression.kind === 'identifier'
    ? { ...expression, names: expression.names.slice(-1), quoted: expression.quoted.slice(-1) }
    : mapOperands(expression, withoutQualifiers);

/** A condition without its moved parts; undefined if all parts were moved. */
export const withoutMoved = (
  condition: Expression,
  moved: ReadonlySet<Expression>,
): Expression | undefined =>
  moved.size === 0 ? condition : allOf(conjuncts(condition).filter((part) => !moved.has(part)));

const isSubquery = ({ kind }: Expression): boolean => kind === 'subquery';

// The keys of each grouping set or of DISTINCT; empty where windows read the groups.
function keysOf(
  select: Select,
  items: readonly NamedItem[],
  printOf: (expression: Expression) => string,
): readonly Expression[] {
  const expressions = items.map(({ expression }) => expression);
  if (select.groupBy)
    return select.qualify || expressions.some(containsWindow)
      ? []
      : keysOfEachSet(expandOrdinals(select.groupBy, items), printOf);
  const isPlain = select.distinct && !select.having && !select.qualify;
  return isPlain &&
    !expressions.some((item) => contains(item, isPlainAggregate) || containsWindow(item))
    ? expressions
    : [];
}

// A condition on the columns of a query in terms of its items; undefined unless each name is that
// of one item.
function withItems(condition: Expression, items: readonly NamedItem[]): Expression | undefined {
  let isKnown = true;
  function expand(expression: Expression): Expression {
    if (expression.kind !== 'identifier') return mapOperands(expression, expand);
    const [item, another] = items.filter(({ name }) => name === expression.names.at(-1));
    if (item && !another) return item.expression;
    isKnown = false;
    return expression;
  }
  const expanded = expand(condition);
  return isKnown ? expanded : undefined;
}

/** The conditions connected by AND; undefined for none. */
export const allOf = (conditions: readonly Expression[]): Expression | undefined =>
  conditions.reduce<Expression | undefined>(
    (left, right) => (left ? { kind: 'binary', operator: 'AND', left, right, at: left.at } : right),
    undefined,
  );

// The keys that an expression consists of; undefined if it uses more than keys and constants.
function keysIn(
  expression: Expression,
  keyOf: (part: Expression) => string | undefined,
): readonly string[] | undefined {
  const key = keyOf(expression);
  if (key !== undefined) return [key];
  if (
    ['identifier', 'subquery', 'exists', 'star'].includes(expression.kind) ||
    isPlainAggregate(expression)
  )
    return undefined;
  if (
    expression.kind === 'call' &&
    (expression.over || isGroupingCall(expression.name) || expression.args.length === 0)
  )
    return undefined;
  const keys: (readonly string[] | undefined)[] = [];
  mapOperands(expression, (operand) => {
    keys.push(keysIn(operand, keyOf));
    return operand;
  });
  return keys.some((part) => part === undefined) ? undefined : keys.flatMap((part) => part ?? []);
}

function keysOfEachSet(
  groupings: readonly Grouping[],
  printOf: (expression: Expression) => string,
): readonly Expression[] {
  return groupings.flatMap((grouping): readonly Expression[] => {
    switch (grouping.kind) {
      case 'expression':
        return [grouping.expression];
      case 'set':
        return grouping.items;
      case 'sets': {
        const [first = [], ...others] = grouping.items.map((item) =>
          keysOfEachSet([item], printOf),
        );
        return first.filter((key) =>
          others.every((set) => set.some((other) => printOf(other) === printOf(key))),
        );
      }
      default:
        return []; // ROLLUP and CUBE have a set without keys
    }
  });
}
