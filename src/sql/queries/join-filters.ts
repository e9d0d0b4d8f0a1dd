// Conditions of WHERE that the native engine applies to the first table of a join instead of to the
// joined rows (Druid: JoinFilterAnalyzer). Beside an outer join this shows: rows of the right side
// without a partner are not filtered, and a condition on a key is one on the first table's column.
import type { Expression, Join } from '../ast.ts';
import { conjuncts, contains, isCoalesce, isOfQuery, mapOperands } from '../expressions/rewrite.ts';
import {
  findColumn,
  type JoinKey,
  type RelationColumn,
  type Source,
} from '../resolution/relation.ts';
import { allOf } from './conditions-below.ts';

/** The columns of the right side that ON equates with values of the first table. */
export function keysOfJoin({ on }: Join, both: Source, right: Source): readonly JoinKey[] {
  const first = both.relations[0]?.columns ?? [];
  const keyOf = (column: Expression, value: Expression): readonly JoinKey[] => {
    if (column.kind !== 'identifier' || contains(value, isOfQuery)) return [];
    const found = findColumn(both, column.names, column.at);
    const isOfRight = right.relations.some(({ columns }) => found && columns.includes(found));
    const isOfFirst =
      namesIn(value).length > 0 &&
      columnsIn(value, both).every((one) => one && first.includes(one));
    return found && isOfRight && isOfFirst ? [{ column: found, value }] : [];
  };
  return (on ? conjuncts(on) : []).flatMap((part) =>
    part.kind === 'binary' && part.operator === '='
      ? [...keyOf(part.right, part.left), ...keyOf(part.left, part.right)]
      : [],
  );
}

/**
 * The condition in terms of the first table; undefined if the engine applies it to the joined rows.
 * These are conditions on other columns, and those that a row of nulls meets.
 */
function onFirstTable(written: Expression, both: Source): Expression | undefined {
  const condition = withoutTruth(written);
  if (contains(condition, isKept) || ofMissing(condition) === true) return undefined;
  const first = both.relations[0]?.columns ?? [];
  const isOfFirst = (part: Expression) =>
    columnsIn(part, both).every((column) => column && first.includes(column));
  function operandBelow(operand: Expression): Expression | undefined {
    if (isOfFirst(operand)) return operand;
    const [column] = columnsIn(operand, both);
    return both.keys?.find((key) => key.column === column)?.value;
  }
  function moved(part: Expression): Expression | undefined {
    if (isConnective(part)) return withOperands(part, moved);
    if (isOfFirst(part)) return part;
    return isPlainComparison(part) ? withOperands(part, operandBelow) : undefined;
  }
  return moved(condition);
}

const withoutTruth = (condition: Expression): Expression =>
  condition.kind === 'is' && condition.what === 'TRUE' && !condition.negated
    ? withoutTruth(condition.operand)
    : condition;

// Values of which the planner makes conditions that null can meet.
const isKept = (part: Expression): boolean =>
  isOfQuery(part) || part.kind === 'case' || (part.kind === 'call' && isCoalesce(part));

// The expression with changed operands; undefined if one of them cannot be changed.
function withOperands(
  expression: Expression,
  change: (operand: Expression) => Expression | undefined,
): Expression | undefined {
  let isChanged = true;
  const changed = mapOperands(expression, (operand) => {
    const found = isChanged ? change(operand) : undefined;
    isChanged &&= found !== undefined;
    return found ?? operand;
  });
  return isChanged ? changed : undefined;
}

/** WHERE with the conditions on keys of an outer join as conditions on the first table. */
export const withFirstTable = (where: Expression, both: Source): Expression =>
  allOf(conjuncts(where).map((part) => onFirstTable(part, both) ?? part)) ?? where;

/** The conditions of WHERE that filter the first table, in terms of that table. */
export const conditionsBelow = (where: Expression, both: Source): readonly Expression[] =>
  conjuncts(where).flatMap((part) => onFirstTable(part, both) ?? []);

/** WHERE without those conditions. */
export const conditionsOnRows = (where: Expression, both: Source): Expression =>
  allOf(conjuncts(where).filter((part) => !onFirstTable(part, both))) ?? {
    kind: 'literal',
    type: 'boolean',
    text: 'TRUE',
    at: where.at,
  };

// The result of a condition for a row in which all columns are null. Undefined stands for SQL's
// UNKNOWN.
function ofMissing(condition: Expression): boolean | undefined {
  switch (condition.kind) {
    case 'binary':
      if (condition.operator === 'AND' || condition.operator === 'OR') {
        const sides = [ofMissing(condition.left), ofMissing(condition.right)];
        const decisive = condition.operator === 'OR';
        if (sides.includes(decisive)) return decisive;
        return sides.includes(undefined) ? undefined : !decisive;
      }
      return condition.operator.startsWith('IS ') ? true : undefined;
    case 'unary': {
      const operand = ofMissing(condition.operand);
      return operand === undefined ? undefined : !operand;
    }
    case 'is': {
      if (condition.what === 'NULL') return !condition.negated;
      const operand = ofMissing(condition.operand);
      const isSo =
        condition.what === 'UNKNOWN'
          ? operand === undefined
          : operand === (condition.what === 'TRUE');
      return isSo !== condition.negated;
    }
    case 'between':
    case 'in':
    case 'like':
    case 'call':
      return undefined;
    default:
      return true;
  }
}

const isConnective = (part: Expression): boolean =>
  (part.kind === 'binary' && (part.operator === 'AND' || part.operator === 'OR')) ||
  (part.kind === 'unary' && part.operator === 'NOT');

// A comparison of columns with constants. A computed value is a virtual column of the joined rows.
function isPlainComparison(part: Expression): boolean {
  const isOfKind =
    ['between', 'in', 'like'].includes(part.kind) ||
    (part.kind === 'is' && part.what === 'NULL' && part.negated) ||
    (part.kind === 'binary' && ['=', '<>', '<', '<=', '>', '>='].includes(part.operator));
  if (!isOfKind) return false;
  let isPlain = true;
  mapOperands(part, (operand) => {
    isPlain &&= operand.kind === 'identifier' || namesIn(operand).length === 0;
    return operand;
  });
  return isPlain;
}

const columnsIn = (
  expression: Expression,
  source: Source,
): readonly (RelationColumn | undefined)[] =>
  namesIn(expression).map((part) => findColumn(source, part.names, part.at) || undefined);

function namesIn(expression: Expression) {
  const names: Extract<Expression, { kind: 'identifier' }>[] = [];
  contains(expression, (part) => {
    if (part.kind === 'identifier') names.push(part);
    return false;
  });
  return names;
}
