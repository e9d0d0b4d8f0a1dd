// The keys of a join: the condition of ON, the columns of USING, those of NATURAL.
import type { Expression, Join, Position } from '../ast.ts';
import { isList, joinedValue, onlyValue, valueAmong } from '../expressions/multi-value.ts';
import { comparable, roundedToFloat } from '../expressions/operators.ts';
import { conjuncts, contains } from '../expressions/rewrite.ts';
import { orderableText } from '../expressions/signed-zero.ts';
import type { Typed } from '../expressions/typed.ts';
import {
  allColumns,
  findColumn,
  type RelationColumn,
  type SharedColumn,
  type Source,
  typedColumn,
  unknownColumn,
} from '../resolution/relation.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import type { QueryScope } from '../resolution/scope.ts';
import { invalidSql } from '../sql-error.ts';
import { isFractional } from '../types.ts';
import { refuseJoinKeys, refuseKeyTypes } from './native-limits.ts';

/** The right side of an inner join, which the engine may read as values for a filter. */
export interface FilterSide {
  readonly text: string; // after FROM
  readonly isRead: boolean; // whether a column is read beside the keys
}

export interface JoinCondition {
  readonly isByList: boolean; // whether the left side may have several values
  /** DuckDB text. `side` is for a join by lists whose left side is not a join. */
  text(side?: FilterSide): string;
}

/** The condition of a join; undefined if each row meets each of the other side. */
export function joinCondition(
  join: Join,
  left: Source,
  right: Source,
  scope: QueryScope,
): JoinCondition | undefined {
  let isByList = false;
  const keysWith = (side: FilterSide | undefined): SingleKeys => {
    return (ofLeft, ofRight, isColumn) => {
      isByList ||= isList(ofLeft);
      const second = onlyValue(ofRight);
      return [isColumn && side ? valueAmong(ofLeft, second, side) : joinedValue(ofLeft), second];
    };
  };
  const text = conditionText(join, left, right, scope, keysWith(undefined));
  if (text === undefined) return undefined;
  // With several equalities, the first key among the values may not be the one that is met.
  const count = join.on ? conjuncts(join.on).length : namesInCommon(join, left, right).length;
  return {
    isByList,
    text(side) {
      const keys = side && keysWith({ ...side, isRead: side.isRead || count > 1 });
      return (keys && conditionText(join, left, right, scope, keys)) ?? text;
    },
  };
}

/**
 * The keys of both sides as single values: the table of the right side finds no key in a row that
 * has several values. `isColumn` tells that the left key is not a computed value.
 */
type SingleKeys = (left: Typed, right: Typed, isColumn: boolean) => readonly Typed[];

function conditionText(
  join: Join,
  left: Source,
  right: Source,
  scope: QueryScope,
  singleKeys: SingleKeys,
): string | undefined {
  if (join.on) {
    const on = resolveExpression(
      join.on,
      join.type === 'INNER' || join.type === 'CROSS' ? scope : scope.withoutQueries(),
    );
    if (on.type.name !== 'BOOLEAN' && on.type.name !== 'NULL')
      throw invalidSql('ON clause must be a condition', join.on.at);
    const condition = join.on;
    scope.environment.inPlanning(() => refuseJoinKeys(condition, scope));
    return withComparableKeys(join.on, join.type, right, scope, singleKeys) ?? on.sql;
  }
  const names = namesInCommon(join, left, right);
  if (join.type !== 'CROSS' && !join.natural && !join.using) {
    throw invalidSql(
      'INNER, LEFT, RIGHT or FULL join requires a condition (NATURAL keyword or ON or USING clause)',
      join.wordAt ?? join.at,
    );
  }
  if (names.length === 0)
    return join.type === 'CROSS' || join.type === 'INNER' ? undefined : 'true';
  const keyOf = (side: Source, name: string) => typedColumn(columnOf(side, name, join.at), join.at);
  const keys = names.map((name) => ({ left: keyOf(left, name), right: keyOf(right, name) }));
  scope.environment.inPlanning(() =>
    refuseKeyTypes(keys.flatMap((key) => [key.left.type, key.right.type])),
  );
  return keys
    .map((key) => {
      const isRounded = isInFloat(join.type, right, key.right, key.left, key.right);
      const single = singleKeys(key.left, key.right, true);
      const sides = single.map((side) => (isRounded ? roundedToFloat(side) : side));
      return `(${sides.map(orderableText).join(' = ')})`;
    })
    .join(' AND ');
}

// The condition, if it equates fractional numbers or several values: the hash table of a join tells
// -0.0 from 0.0, and a list is joined by its only value.
function withComparableKeys(
  on: Expression,
  type: Join['type'],
  right: Source,
  scope: QueryScope,
  singleKeys: SingleKeys,
): string | undefined {
  const parts = conjuncts(on);
  const equated = parts.map((part) => comparableKeys(part, type, right, scope, singleKeys));
  if (equated.every((text) => text === undefined)) return undefined;
  return parts
    .map((part, index) => equated[index] ?? resolveExpression(part, scope).sql)
    .join(' AND ');
}

function comparableKeys(
  part: Expression,
  type: Join['type'],
  right: Source,
  scope: QueryScope,
  singleKeys: SingleKeys,
): string | undefined {
  if (part.kind !== 'binary' || part.operator !== '=') return undefined;
  if (part.left.kind === 'row' || part.right.kind === 'row') return undefined;
  const first = resolveExpression(part.left, scope);
  const second = resolveExpression(part.right, scope);
  const isTurned = isOfSide(part.left, right);
  const isRounded = isInFloat(type, right, first, second, isTurned ? first : second);
  const rounded = [first, second].map((side) => (isRounded ? roundedToFloat(side) : side));
  const [ofLeft, ofRight] = isTurned ? [second, first] : [first, second];
  const isColumn = (isTurned ? part.right : part.left).kind === 'identifier';
  const sides = isList(ofLeft) || isList(ofRight) ? singleKeys(ofLeft, ofRight, isColumn) : rounded;
  if (!sides.some(({ type }) => isFractional(type)) && sides === rounded) return undefined;
  if (sides.some(({ constant }) => constant !== undefined)) return undefined;
  return `(${comparable('=', sides, part.at, scope.environment.timeZone).map(orderableText).join(' = ')})`;
}

const isOfSide = (expression: Expression, side: Source): boolean =>
  contains(
    expression,
    (part) => part.kind === 'identifier' && findColumn(side, part.names, part.at) !== undefined,
  );

// Keys that are matched in 32 bits: some pairs of a FLOAT and a DOUBLE. The planner converts the
// second key of a condition to the type of the first, and USING has that of the right side first.
// Groups on the right are found by keys of their own type, or choose the rows of the left side in
// an inner join.
function isInFloat(
  type: Join['type'],
  right: Source,
  first: Typed,
  second: Typed,
  rightKey: Typed,
): boolean {
  const names = [first, second].map((key) => key.type.name);
  if (!names.includes('FLOAT') || !names.includes('DOUBLE')) return false;
  const isOfGroups = right.kind === 'query' && !right.cut;
  return isOfGroups ? type === 'INNER' || rightKey.type.name === 'FLOAT' : names[0] === 'FLOAT';
}

/** The names of USING, or those that both sides of a NATURAL join have. */
export function namesInCommon(join: Join, left: Source, right: Source): readonly string[] {
  if (join.using) return join.using;
  if (!join.natural) return [];
  const names = new Set(allColumns(right).map(({ name }) => name));
  return allColumns(left)
    .map(({ name }) => name)
    .filter((name) => names.has(name));
}

/** The columns of USING and NATURAL, each in place of one of both sides. */
export function sharedColumns(
  join: Join,
  left: Source,
  right: Source,
  both: Source,
): readonly SharedColumn[] {
  return namesInCommon(join, left, right).map((name) => {
    const mine = columnOf(left, name, join.at);
    const theirs = columnOf(right, name, join.at);
    const text = () => {
      if (join.type === 'FULL') return `coalesce(${mine.text()}, ${theirs.text()})`;
      return join.type === 'RIGHT' ? theirs.text() : mine.text();
    };
    const nullable = mine.nullable || theirs.nullable || join.type === 'FULL';
    return { column: { name, type: mine.type, nullable, text }, instead: bothSides(both, name) };
  });
}

/** The column of a side that a join equates by its name. */
export const keyNamed = (name: string, source: Source, at: Position) => ({
  sql: columnOf(source, name, at).text(),
  name,
});

const bothSides = (source: Source, name: string) =>
  allColumns(source).filter((column) => column.name === name);

function columnOf(source: Source, name: string, at: Position): RelationColumn {
  const column = findColumn(source, [name], at);
  if (!column) throw unknownColumn([source], [name], at);
  return column;
}
