// Casts of a cast of a column. Where nothing else is computed from it, the planner reads such a
// cast as the column and looks only at the outermost type (Druid: CastOperatorConversion).
// `CAST(CAST(text AS BIGINT) AS VARCHAR)` is the text, also if it is not a number. A key of groups
// may have another type than the column; any other value has the type of the column. Casts of a
// column that WHERE decides are casts of its constant.
import type { Call, Expression, Grouping, OrderItem, Select, Window } from '../ast.ts';
import { conjuncts, contains, mapGrouping, mapOperands } from '../expressions/rewrite.ts';
import { typeOfName } from '../expressions/type-name.ts';
import { isPlainAggregate } from '../functions/call-kinds.ts';
import { findColumn, type RelationColumn, type Source } from '../resolution/relation.ts';
import { isText, isTime, nativeTypeOf, type SqlType } from '../types.ts';
import { allOf } from './conditions-below.ts';
import { decidedConstants } from './decided-constants.ts';

/** The SELECT with columns in place of the casts of casts that the engine reads so. */
export function withDirectCasts(select: Select, source: Source): Select {
  const { items, where, groupBy, having } = select;
  const all = [
    ...items.map(({ expression }) => expression),
    ...[where, having].flatMap((part) => part ?? []),
    ...(groupBy ?? []).flatMap(expressionsOf),
  ];
  if (!all.some((expression) => contains(expression, isNested))) return select;
  const isDecided = decidedBy(where, source);
  const direct = (expression: Expression): Expression => readDirectly(expression, source);
  const directAbove = (expression: Expression): Expression =>
    readDirectly(expression, source, false, isDecided);
  const isKeyed = groupBy !== undefined || select.distinct;
  const key = (expression: Expression): Expression =>
    readDirectly(expression, source, isKeyed, isDecided);
  const sorting = (part: Expression) => readDirectly(part, source, true, isDecided);
  const overKeys = (window: Window): Window => ({
    ...window,
    partitionBy: window.partitionBy.map(sorting),
    orderBy: window.orderBy.map((item) => ({ ...item, expression: sorting(item.expression) })),
  });
  const above = (expression: Expression): Expression => {
    if (isNested(expression)) return key(expression);
    const isOverRows = expression.kind === 'call' && expression.over !== undefined;
    return expression.kind === 'call' && (isOverRows || isPlainAggregate(expression))
      ? {
          ...expression,
          args: expression.args.map((arg) =>
            readDirectly(arg, source, countsValues(expression), isDecided),
          ),
          ...(expression.filter && { filter: inFilter(expression.filter, directAbove) }),
          ...(expression.over?.kind === 'window' && { over: overKeys(expression.over) }),
        }
      : mapOperands(expression, aboveAggregates);
  };
  const aboveAggregates = (expression: Expression): Expression =>
    isPlainAggregate(expression) ? above(expression) : mapOperands(expression, aboveAggregates);
  const condition =
    where &&
    allOf(
      conjuncts(where).map((part) => (contains(part, isNested) ? inFilter(part, direct) : part)),
    );
  return {
    ...select,
    items: items.map((item) => ({ ...item, expression: above(item.expression) })),
    ...(condition && { where: condition }),
    ...(groupBy && { groupBy: groupBy.map((grouping) => mapGrouping(grouping, key)) }),
    ...(having && { having: aboveAggregates(having) }),
  };
}

/** ORDER BY with columns in place of such casts. */
export const withDirectOrder = (
  orderBy: readonly OrderItem[],
  { groupBy, distinct, where }: Select,
  source: Source,
): readonly OrderItem[] => {
  const isKeyed = groupBy !== undefined || distinct;
  const isDecided = decidedBy(where, source);
  return orderBy.map((item) => ({
    ...item,
    expression: readDirectly(item.expression, source, isKeyed, isDecided),
  }));
};

// Distinct values are counted like keys.
const countsValues = ({ name, distinct }: Call): boolean =>
  distinct === true || name.startsWith('APPROX_COUNT_DISTINCT');

const isNested = (expression: Expression): boolean =>
  expression.kind === 'cast' && expression.operand.kind === 'cast';

// A test for the columns that have one value in all rows of WHERE.
function decidedBy(where: Expression | undefined, source: Source): (column: Expression) => boolean {
  const decide = where && decidedConstants(where, source);
  return (column) => decide !== undefined && decide(column) !== column;
}

function readDirectly(
  expression: Expression,
  source: Source,
  isKey = false,
  isDecided: (column: Expression) => boolean = () => false,
): Expression {
  if (expression.kind !== 'cast' || expression.operand.kind !== 'cast') return expression;
  const column = columnBelow(expression, source);
  if (!column) return expression;
  if (expression.safe || isTime(column.type)) return expression;
  // A DATE is the floor of what the inner cast makes.
  if (typeOfName(expression.type).name === 'DATE' && !isText(column.type)) return expression;
  const inner: SqlType[] = [];
  let operand: Expression = expression.operand;
  for (; operand.kind === 'cast'; operand = operand.operand) {
    if (operand.safe) return expression;
    inner.push(typeOfName(operand.type));
  }
  if (isDecided(operand)) return expression;
  const stored = nativeTypeOf(column.type);
  if (stored === nativeTypeOf(typeOfName(expression.type)))
    return stored === 'STRING' && inner.some(isTime) ? expression : { ...expression, operand };
  const isConverted = inner.some((type) => isTime(type) || type.name === 'BOOLEAN');
  return isKey && !isConverted ? { ...expression, operand } : expression;
}

function columnBelow(expression: Expression, source: Source): RelationColumn | undefined {
  if (expression.kind === 'cast') return columnBelow(expression.operand, source);
  return expression.kind === 'identifier'
    ? findColumn(source, expression.names, expression.at)
    : undefined;
}

// Operands of comparisons. What is computed from a cast of a cast has the value of both.
function inFilter(condition: Expression, direct: (operand: Expression) => Expression): Expression {
  switch (condition.kind) {
    case 'binary':
      return /^(AND|OR)$/.test(condition.operator)
        ? mapOperands(condition, (part) => inFilter(part, direct))
        : mapOperands(condition, direct);
    case 'unary':
      return condition.operator === 'NOT'
        ? mapOperands(condition, (part) => inFilter(part, direct))
        : condition;
    case 'between':
    case 'in':
    case 'is':
    case 'like':
      return mapOperands(condition, direct);
    default:
      return condition;
  }
}

const expressionsOf = (grouping: Grouping): readonly Expression[] => {
  switch (grouping.kind) {
    case 'expression':
      return [grouping.expression];
    case 'set':
      return grouping.items;
    case 'empty':
      return [];
    default:
      return grouping.items.flatMap(expressionsOf);
  }
};
