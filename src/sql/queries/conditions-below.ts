// Conditions on keys alone, in HAVING or in a query above, that the planner moves into WHERE
// (Calcite: FilterAggregateTransposeRule). The move is visible for multi-value keys: WHERE accepts
// a row if one value meets the condition, and then all values of the row form groups. A SELECT with
// its own WHERE keeps its conditions in place.

import type { DerivedTable, Expression, From, Grouping, Select } from '../ast.ts';
import { conjuncts, contains, fingerprint, mapOperands } from '../expressions/rewrite.ts';
import { containsWindow, isGroupingCall, isPlainAggregate } from '../functions/call-kinds.ts';
import { identifyIn } from '../resolution/group.ts';
import type { Source } from '../resolution/relation.ts';
import { expandAliases, expandOrdinal, type NamedItem } from '../resolution/select-items.ts';
import type { ConditionAbove } from '../resolution/translation.ts';

/**
 * The SELECT with movable conditions of HAVING and of the query above moved into WHERE. Movable
 * conditions use only keys of each grouping set, at least one of them multi-value.
 */
export function withConditionsBelow(
  select: Select,
  items: readonly NamedItem[],
  source: Source,
  hasSeveralValues: (key: Expression) => boolean,
  conditionsAbove: readonly ConditionAbove[],
): Select {
  const { having } = select;
  if (select.where) return select;
  const identify = identifyIn(source);
  const printOf = (expression: Expression) => fingerprint(expression, identify);
  const keys = new Map(keysOf(select, items, printOf).map((key) => [printOf(key), key]));
  const several = new Set(
    [...keys]
      .filter(([, key]) => !contains(key, isSubquery) && hasSeveralValues(key))
      .map(([print]) => print),
  );
  if (several.size === 0) return select;
  const isOfSeveral = (condition: Expression) => {
    const used = keysIn(condition, (part) => {
      const print = printOf(part);
      return keys.has(print) ? print : undefined;
    });
    return used?.some((print) => several.has(print)) === true;
  };
  const own = having ? conjuncts(expandAliases(having, items, isPlainAggregate)) : [];
  const moved = own.filter(isOfSeveral);
  const rest = own.filter((condition) => !moved.includes(condition));
  for (const { condition, move } of conditionsAbove) {
    const below = withItems(condition, items);
    if (!below || !isOfSeveral(below)) continue;
    moved.push(below);
    move();
  }
  if (moved.length === 0) return select;
  const { having: _, ...others } = select;
  const below = allOf(moved);
  const above = allOf(rest);
  return { ...others, ...(below && { where: below }), ...(above && { having: above }) };
}

/**
 * The SELECT with those conditions of the query above moved into WHERE that compare a cast which it
 * selects: a filter compares the column of the cast, as it would without the derived table. Only
 * for a SELECT without groups, DISTINCT and windows.
 */
export function withCastsBelow(
  select: Select,
  items: readonly NamedItem[],
  conditionsAbove: readonly ConditionAbove[],
): Select {
  const isCast = (part: Expression) =>
    part.kind === 'identifier' &&
    items.some(({ name, expression }) => name === part.names.at(-1) && expression.kind === 'cast');
  const moved = conditionsAbove.flatMap(({ condition, move }) => {
    if (!contains(condition, isCast) || contains(condition, isOfQuery)) return [];
    const below = withItems(condition, items);
    if (below) move();
    return below ?? [];
  });
  const where = allOf([...(select.where ? [select.where] : []), ...moved]);
  return where ? { ...select, where } : select;
}

/**
 * The conditions of WHERE that the query in FROM may apply itself. That query must be the whole
 * FROM and name its columns. `moved` collects the conditions that it applies.
 */
export function conditionsAbove(
  { from, where }: Select,
  moved: Set<Expression>,
): readonly ConditionAbove[] {
  if (!where || !from || !isPlainDerived(from)) return [];
  const { alias } = from;
  const isColumn = (expression: Expression) =>
    expression.kind !== 'identifier' ||
    expression.names.length === 1 ||
    (expression.names.length === 2 && expression.names[0] === alias?.name);
  return conjuncts(where)
    .filter((condition) => !contains(condition, (part) => !isColumn(part)))
    .map((condition) => ({ condition, move: () => moved.add(condition) }));
}

/** A condition without its moved parts; undefined if all parts were moved. */
export const withoutMoved = (
  condition: Expression,
  moved: ReadonlySet<Expression>,
): Expression | undefined =>
  moved.size === 0 ? condition : allOf(conjuncts(condition).filter((part) => !moved.has(part)));

const isPlainDerived = (from: From): from is DerivedTable =>
  from.kind === 'derived' &&
  !from.lateral &&
  !from.alias?.columns &&
  from.query.limit === undefined &&
  from.query.offset === undefined;

const isOfQuery = (part: Expression): boolean =>
  part.kind === 'subquery' ||
  part.kind === 'exists' ||
  ((part.kind === 'in' || part.kind === 'quantified') && !Array.isArray(part.among));

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
      : keysOfEachSet(select.groupBy, items, printOf);
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

const allOf = (conditions: readonly Expression[]): Expression | undefined =>
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
  items: readonly NamedItem[],
  printOf: (expression: Expression) => string,
): readonly Expression[] {
  return groupings.flatMap((grouping): readonly Expression[] => {
    switch (grouping.kind) {
      case 'expression':
        return [expandOrdinal(grouping.expression, items)];
      case 'set':
        return grouping.items.map((item) => expandOrdinal(item, items));
      case 'sets': {
        const [first = [], ...others] = grouping.items.map((item) =>
          keysOfEachSet([item], items, printOf),
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
