// WHERE: the condition on rows, the time range it implies, and conditions that the planner
// recognizes as false.
import type { Expression } from '../ast.ts';
import { refuseArrayMatches } from '../expressions/array-matches.ts';
import { constantOf } from '../expressions/casts.ts';
import { withComparedValues } from '../expressions/compared-values.ts';
import { isContradictory } from '../expressions/contradictions.ts';
import { filterForm, isRead } from '../expressions/filter-form.ts';
import { isAlwaysMet, isNeverMet } from '../expressions/known-conditions.ts';
import { withReversedLookups } from '../expressions/reversed-lookups.ts';
import { conjuncts, contains, isCoalesce, isOfLiterals, walk } from '../expressions/rewrite.ts';
import type { Typed } from '../expressions/typed.ts';
import { withSignedZeros } from '../expressions/zero-filter.ts';
import {
  findColumn,
  type Relation,
  type RelationColumn,
  type Source,
} from '../resolution/relation.ts';
import { resolveCompared, resolveExpression } from '../resolution/resolve-expression.ts';
import type { QueryScope } from '../resolution/scope.ts';
import { isEmptyRange, timeRangeOf } from '../resolution/time-range.ts';
import { invalidSql } from '../sql-error.ts';
import { boolean } from '../types.ts';
import { allOf } from './conditions-below.ts';
import { decidedConstants } from './decided-constants.ts';
import { refuseJoinKeys } from './native-limits.ts';

/**
 * Resolves WHERE over the rows of a source and restricts the source to the times it needs. Throws
 * SqlError for an expression that is not a condition.
 */
export function resolveWhere(
  written: Expression,
  source: Source | undefined,
  isGrouped: boolean,
  scope: QueryScope,
): Typed {
  const typedOf = (expression: Expression) => resolveCompared(expression, scope);
  refuseArrayMatches(written, typedOf, scope.environment.version);
  const parts = conjuncts(
    filterForm(withReversedLookups(written), {
      typedOf,
      isColumn: isRead,
      isOfStored: true,
      findsLists: scope.environment.version < 37,
    }),
  );
  const compared = parts.map((part) =>
    withComparedValues(part, { typedOf, isApart: isApartIn(part, source) }),
  );
  const form = allOf(compared) ?? written;
  const isOfDoubles = (expression: Expression) => {
    const { type, constant } = typedOf(expression);
    return constant === undefined && (type.name === 'DOUBLE' || type.name === 'FLOAT');
  };
  const where = isGrouped ? form : withSignedZeros(form, isOfDoubles);
  // A query below that only filters a table is merged with this one.
  const below = source?.filtered?.condition;
  const known = allOf(below ? [below, written] : [written]) ?? written;
  const decided = source ? decidedConstants(known, source)(known) : written;
  let isOutOfTime = false;
  source?.restrict(where, (expression, relation) => {
    const isTimeColumn = (part: Expression) =>
      part.kind === 'identifier' &&
      part.names.at(-1) === '__time' &&
      isColumnOf(part, relation.columns, source);
    const range = timeRangeOf(expression, isTimeColumn, typedOf, scope.environment.timeZone);
    isOutOfTime ||= isEmptyRange(range);
    return range;
  });
  const isNever =
    isOutOfTime ||
    isNeverMet(written, typedOf) ||
    isNeverMet(decided, typedOf) ||
    isContradictory(known, typedOf);
  const isAlways = isOfLiterals(written) && isAlwaysMet(written, typedOf);
  const met = conditionOf('WHERE', source?.remaining?.(where) ?? where, scope);
  if (source?.kind === 'join') {
    for (const part of conjuncts(where))
      if (isOfTwoRelations(part, source))
        scope.environment.inPlanning(() => refuseJoinKeys(part, scope));
  }
  return isNever || isAlways ? constantOf(isAlways, boolean, where.at) : met;
}

/**
 * The value of a clause that must be a condition. Throws SqlError with the name of the clause for
 * any other type.
 */
export function conditionOf(clause: string, expression: Expression, scope: QueryScope): Typed {
  const value = resolveExpression(expression, scope);
  if (value.type.name === 'BOOLEAN') return value;
  if (value.type.name === 'NULL') return { ...value, sql: 'NULL::BOOLEAN' };
  throw invalidSql(`${clause} clause must be a condition`, expression.at);
}

// A condition on the first table of a join filters the table. Beside UNNEST, it is computed from
// each value of the table's columns.
function isApartIn(
  condition: Expression,
  source: Source | undefined,
): (operand: Expression) => boolean {
  if (source?.kind === 'table') return isOfSeveralColumns;
  const [first] = source?.relations ?? [];
  const stored = first?.columns.filter((column) => column.stored !== undefined) ?? [];
  const isOfOthers = contains(
    condition,
    (part) => part.kind === 'identifier' && !isColumnOf(part, stored, source),
  );
  if (isOfOthers) return () => true;
  return source?.kind === 'unnest' ? () => false : isOfSeveralColumns;
}

// A choice between values becomes conditions on each of them.
function isOfSeveralColumns(expression: Expression): boolean {
  if (expression.kind === 'call' && isCoalesce(expression))
    return expression.args.some(isOfSeveralColumns);
  const names = new Set<string>();
  walk(expression, (part) => {
    if (part.kind === 'identifier') names.add(part.names.join('.'));
    return true;
  });
  return names.size > 1;
}

// An equality between columns of two tables is a condition of the join. One within a table is a
// filter.
function isOfTwoRelations(part: Expression, source: Source): boolean {
  if (part.kind !== 'binary') return false;
  const [left, right] = [part.left, part.right].map((side) => {
    const relations = new Set<Relation>();
    walk(side, (inner) => {
      for (const relation of source.relations)
        if (isColumnOf(inner, relation.columns, source)) relations.add(relation);
      return true;
    });
    return relations;
  });
  return (
    left !== undefined && right !== undefined && ![...left].some((relation) => right.has(relation))
  );
}

function isColumnOf(
  part: Expression,
  columns: readonly RelationColumn[],
  source: Source | undefined,
): boolean {
  const column = part.kind === 'identifier' && source && findColumn(source, part.names, part.at);
  return column !== undefined && column !== false && columns.includes(column);
}
