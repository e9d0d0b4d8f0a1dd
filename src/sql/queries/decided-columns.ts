// Columns for which WHERE names one value. Above the filter, the planner replaces the column by
// that value (Calcite: ReduceExpressionsRule, using the filter's predicates). This is visible for
// multi-value columns, of which a row may have other values, and for FLOAT columns: `f * 2` of
// `WHERE f = 0.1` is computed with 0.1, not with its nearest 32-bit number. Comparisons of a
// multi-value column that WHERE contradicts are false above the filter.

import type { Binary, Expression, Grouping, OrderItem, Select } from '../ast.ts';
import { isTruth } from '../expressions/compared-truth.ts';
import { decidedTexts, isContradicted } from '../expressions/constant-ranges.ts';
import {
  conjuncts,
  contains,
  fingerprint,
  mapGrouping,
  mapOperands,
  truthLiteral,
  walk,
} from '../expressions/rewrite.ts';
import { aggregates } from '../functions/aggregates.ts';
import { containsWindow, isPlainAggregate } from '../functions/call-kinds.ts';
import {
  allColumns,
  findColumn,
  type RelationColumn,
  type Source,
} from '../resolution/relation.ts';
import { expandOrder, expandOrdinals, type NamedItem } from '../resolution/select-items.ts';
import { allOf } from './conditions-below.ts';
import { castOf, decidedNumber, textLiteral } from './decided-constants.ts';

/**
 * The SELECT and its items with the values of columns that WHERE decides in place of the columns;
 * undefined if it decides none or the columns are only passed on.
 */
export function withDecidedColumns(
  select: Select,
  filtered: Select,
  items: readonly NamedItem[],
  orderBy: readonly OrderItem[],
  source: Source,
  moved: ReadonlySet<Expression>,
): DecidedSelect | undefined {
  const { filtered: below } = source;
  const where = allOf([below?.condition, select.where].flatMap((part) => part ?? []));
  if (!where) return undefined;
  const columnOf = (expression: Expression): RelationColumn | undefined =>
    expression.kind === 'identifier'
      ? findColumn(source, expression.names, expression.at)
      : undefined;
  // A key of the query below is multi-value if the condition on it was moved.
  const ofMoved = new Set<RelationColumn>();
  for (const condition of moved)
    walk(condition, (part) => {
      const column = columnOf(part);
      if (column) ofMoved.add(column);
      return true;
    });
  const values = new Map<RelationColumn, Expression>();
  const predicates = conjuncts(where);
  const open = columnsOfOthers(predicates, columnOf);
  for (const condition of predicates) {
    const [operand, number] = decidedNumber(condition) ?? [];
    const column = operand && columnOf(operand);
    if (column?.type.name === 'FLOAT' && number && !open.has(column))
      values.set(column, castOf(number, 'FLOAT'));
  }
  const truths = new Map<RelationColumn, boolean>();
  for (const { operand, text } of decidedTexts(where)) {
    const column = columnOf(operand);
    if (column && open.has(column)) continue;
    if (column && /^(true|false)$/i.test(text ?? '')) truths.set(column, text?.length === 4);
    if (column && (column.type.multiValue || ofMoved.has(column)))
      values.set(column, castOf(textLiteral(text, operand), 'VARCHAR'));
  }
  const isSeveral = (expression: Expression) => columnOf(expression)?.type.multiValue === true;
  if (values.size + truths.size === 0 && !contains(where, isSeveral)) return undefined;
  function decideColumns(expression: Expression): Expression {
    const column = columnOf(expression);
    return (column && values.get(column)) ?? mapOperands(expression, decideColumns);
  }
  // The conditions of CASE stay as they are.
  function decide(expression: Expression): Expression {
    if (expression.kind === 'identifier' || expression.kind === 'case')
      return decideColumns(expression);
    const isFalse =
      expression.kind === 'binary' &&
      [expression.left, expression.right].some(isSeveral) &&
      isContradicted(expression, predicates);
    if (isFalse) return truthLiteral(false, expression.at);
    const truth = expression.kind === 'binary' ? decidedTruth(expression) : undefined;
    if (truth !== undefined) return truthLiteral(truth, expression.at);
    return mapOperands(expression, decide);
  }
  // The truth of `text = TRUE` for a text that is known to be 'true' or 'false'.
  function decidedTruth({ operator, left, right }: Binary): boolean | undefined {
    const [text, literal] = isTruth(right) ? [left, right] : [right, left];
    const column = columnOf(text);
    const truth = column && truths.get(column);
    if (truth === undefined || !isTruth(literal) || !/^(=|<>)$/.test(operator)) return undefined;
    return ((literal.text === 'TRUE') === truth) === (operator === '=');
  }
  const decided = (change: (expression: Expression) => Expression) =>
    items.map((item) => ({ ...item, expression: change(item.expression) }));
  const passed = project(select, items, orderBy)?.map(columnOf);
  const all = allColumns(source);
  const isAsBelow =
    passed?.length === all.length && passed.every((column, index) => column === all[index]);
  const isOnlyPassed =
    passed && (moved.size > 0 ? isAsBelow : isAsScanned(passed, where, source, columnOf));
  if (!isOnlyPassed) return { items: decided(decide), select: mapClauses(filtered, decide) };
  // Groups are of the column. The items are computed above them, unless they are the groups.
  if (values.size === 0 || !select.groupBy || isAsGrouped(select, items)) return undefined;
  const groupBy = filtered.groupBy && expandOrdinals(filtered.groupBy, items);
  const decideAbove = (expression: Expression): Expression =>
    isPlainAggregate(expression)
      ? expression
      : expression.kind === 'identifier'
        ? decide(expression)
        : mapOperands(expression, decideAbove);
  return { items: decided(decideAbove), select: { ...filtered, ...(groupBy && { groupBy }) } };
}

// Columns in conditions that are neither equalities nor comparisons of the column itself. The
// planner replaces none of them, whatever other conditions say (Calcite:
// RexUtil.predicateConstants).
function columnsOfOthers(
  predicates: readonly Expression[],
  columnOf: (expression: Expression) => RelationColumn | undefined,
): ReadonlySet<RelationColumn> {
  const found = new Set<RelationColumn>();
  for (const predicate of predicates) {
    if (isOfColumn(predicate)) continue;
    walk(predicate, (part) => {
      const column = columnOf(part);
      if (column) found.add(column);
      return true;
    });
  }
  return found;
}

function isOfColumn(condition: Expression): boolean {
  switch (condition.kind) {
    case 'unary':
      return condition.operator === 'NOT' && isOfColumn(condition.operand);
    case 'binary':
      return (
        condition.operator === '=' ||
        (/^(<>|<|<=|>|>=)$/.test(condition.operator) &&
          [condition.left, condition.right].some(({ kind }) => kind === 'identifier'))
      );
    case 'between':
    case 'in':
    case 'is':
      return condition.operand.kind === 'identifier';
    default:
      return false;
  }
}

interface DecidedSelect {
  readonly items: readonly NamedItem[];
  readonly select: Select;
}

/** True when SELECT lists the keys and then the aggregates, in the order of the groups. */
export function isAsGrouped(
  { groupBy = [], having }: Pick<Select, 'groupBy' | 'having'>,
  items: readonly NamedItem[],
): boolean {
  if (groupBy.some(({ kind }) => kind !== 'expression')) return true; // of grouping sets
  const keys = expandOrdinals(groupBy, items).flatMap(keysOf);
  return isAsListed(
    keys.map((expression) => ({ expression })),
    having,
    items,
  );
}

/** As `isAsGrouped`, for given keys. Windows are computed above the items before them. */
export function isAsListed(
  keys: readonly { readonly expression: Expression }[],
  having: Expression | undefined,
  items: readonly NamedItem[],
): boolean {
  const shown = items.filter(({ expression }) => !containsWindow(expression));
  const print = (expression: Expression) =>
    fingerprint(expression, ({ names }) => names.at(-1) ?? '');
  const aggregates = new Set<string>();
  for (const expression of [...items.map((item) => item.expression), ...(having ? [having] : [])])
    walk(expression, (part) => {
      if (isPlainAggregate(part)) aggregates.add(print(part));
      return !isPlainAggregate(part);
    });
  const groups = [...keys.map(({ expression }) => print(expression)), ...aggregates];
  return (
    (shown.length === groups.length || shown.length < items.length) &&
    shown.every(({ expression }, index) => print(expression) === groups[index])
  );
}

const timeColumn = ({ at }: Expression): Expression => ({
  kind: 'identifier',
  names: ['__time'],
  quoted: [true],
  at,
});

// The SELECT with `change` applied to each expression of its clauses above WHERE.
function mapClauses(select: Select, change: (expression: Expression) => Expression): Select {
  const { groupBy, having, qualify } = select;
  return {
    ...select,
    ...(groupBy && { groupBy: groupBy.map((grouping) => mapGrouping(grouping, change)) }),
    ...(having && { having: change(having) }),
    ...(qualify && { qualify: change(qualify) }),
  };
}

// The projection between the filter and the rest of the query: keys and aggregated expressions, or
// items and sort expressions. Undefined for other queries.
function project(
  select: Select,
  items: readonly NamedItem[],
  orderBy: readonly OrderItem[],
): readonly Expression[] | undefined {
  const order = orderBy.map((item) => expandOrder(item, items));
  const keys = expandOrdinals(select.groupBy ?? [], items).flatMap(keysOf);
  const aggregated: Expression[] = [];
  let isFiltered = false;
  let hasAggregates = false;
  for (const expression of [
    ...items.map((item) => item.expression),
    ...(select.having ? [select.having] : []),
    ...order.map((part) => part.expression),
  ]) {
    walk(expression, (part) => {
      if (!isPlainAggregate(part) || part.kind !== 'call') return true;
      hasAggregates = true;
      isFiltered ||= part.filter !== undefined;
      aggregated.push(...part.args.filter(({ kind }) => kind !== 'star' && kind !== 'literal'));
      if (aggregates[part.name]?.implicitTime) aggregated.push(timeColumn(part));
      return false;
    });
  }
  if (isFiltered) return undefined;
  if (select.groupBy || hasAggregates) return withoutRepeated([...keys, ...aggregated]);
  return [
    ...items.map((item) => item.expression),
    ...order.filter(({ index }) => index === undefined).map(({ expression }) => expression),
  ];
}

function withoutRepeated(expressions: readonly Expression[]): readonly Expression[] {
  const names = new Set<string>();
  return expressions.filter((expression) => {
    if (expression.kind !== 'identifier') return true;
    const name = expression.names.join('.');
    const isNew = !names.has(name);
    names.add(name);
    return isNew;
  });
}

function keysOf(grouping: Grouping): readonly Expression[] {
  if (grouping.kind === 'empty') return [];
  if (grouping.kind === 'expression') return [grouping.expression];
  return grouping.kind === 'set' ? grouping.items : grouping.items.flatMap(keysOf);
}

// A scan reads the named columns in table order. The same columns in the same order need no
// projection between scan and filter.
function isAsScanned(
  passed: readonly (RelationColumn | undefined)[],
  where: Expression,
  source: Source,
  columnOf: (expression: Expression) => RelationColumn | undefined,
): boolean {
  const { filtered: below } = source;
  if (below?.isWhole === false) return false;
  const all = below?.table ?? allColumns(source);
  const places = passed.map((column) => {
    const stored = column && (below ? below.origin(column) : column);
    return stored ? all.indexOf(stored) : -1;
  });
  if (
    places.length === all.length ||
    !places.every((place, index) => place > (index === 0 ? -1 : (places[index - 1] ?? -1)))
  )
    return false;
  const read = new Set(passed);
  let isOnlyRead = true;
  walk(where, (part) => {
    const column = columnOf(part);
    isOnlyRead &&= column === undefined || read.has(column);
    return true;
  });
  return isOnlyRead;
}
