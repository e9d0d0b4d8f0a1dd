// Joins in FROM.
import type { Expression, From, Join, Position } from '../ast.ts';
import { nativeJoin, nativeUnnest } from '../explain/native-join.ts';
import { identifier } from '../expressions/duckdb-text.ts';
import { isNeverMet } from '../expressions/known-conditions.ts';
import { singleValued } from '../expressions/multi-value.ts';
import { conjuncts, contains } from '../expressions/rewrite.ts';
import {
  isApartBelowFilter,
  isApartOnLeft,
  isApartOnRight,
  noteSource,
} from '../resolution/inlined-rows.ts';
import {
  findColumn,
  nullableRelation,
  type RangeOf,
  type RelationColumn,
  type Source,
  type SourceKind,
} from '../resolution/relation.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import type { QueryContext, Translation } from '../resolution/translation.ts';
import { unnestSource } from '../resolution/unnest.ts';
import { invalidSql } from '../sql-error.ts';
import type { StatementJoin } from '../statement.ts';
import { isText } from '../types.ts';
import { allOf, qualifiedConditions } from './conditions-below.ts';
import { scopeOver } from './from-scope.ts';
import { conditionsBelow, conditionsOnRows, keysOfJoin, withFirstTable } from './join-filters.ts';
import { joinCondition, keyNamed, namesInCommon, sharedColumns } from './join-keys.ts';
import { noteJoin } from './join-sides.ts';
import { rightOf } from './lateral.ts';
import { type MissingSide, rejectsMissing } from './missing-side.ts';
import { refuseLookupValues, refuseMixedSources, refuseOuterJoin } from './native-limits.ts';

type ResolveFrom = (
  from: From,
  translation: Translation,
  context: QueryContext,
  left?: Source,
) => Source;

/**
 * The source that a join yields. `above` is the source visible to a lateral item, `resolveFrom`
 * resolves the sides. Refuses conditions that the native engine cannot join by.
 */
export function joinSource(
  written: Join,
  translation: Translation,
  context: QueryContext,
  above: Source | undefined,
  resolveFrom: ResolveFrom,
): Source {
  // The engine has one kind of UNNEST, which leaves out rows with an empty array (Druid:
  // DruidCorrelateUnnestRule).
  const join: Join =
    written.type === 'LEFT' && written.right.kind === 'unnest'
      ? { ...written, type: 'INNER' }
      : written;
  const { left, right, row } = resolveSides(join, translation, context, above, resolveFrom);
  const scopeOf = (source: Source) => scopeOver(translation, context, source);
  const condition = joinCondition(join, left, right, scopeOf(sideBySide(left, right)));
  const isFilter = condition?.isByList && join.type === 'INNER' && left.kind !== 'join';
  let isRightRead = false;
  const noteRead = () => {
    isRightRead = true;
  };
  const found = translation.engine === 'native' ? withTextsOfLists(right) : right;
  const rightSide = isFilter
    ? withNotes(found, noteRead)
    : outerSide(found, join.type === 'LEFT' || join.type === 'FULL');
  const both = sideBySide(
    outerSide(left, join.type === 'RIGHT' || join.type === 'FULL'),
    rightSide,
  );
  const shared = sharedColumns(join, left, right, both);
  const operator =
    condition === undefined ? 'CROSS JOIN' : `${join.type === 'CROSS' ? 'INNER' : join.type} JOIN`;
  const hasStages =
    translation.engine === 'msq-task' && !context.outer && !above && right.kind !== 'unnest';
  const missing = (side: Source): MissingSide => ({
    isColumn: (part) =>
      part.kind === 'identifier' && findColumn(side, part.names, part.at) !== undefined,
    isNeverMet: (comparison) =>
      isNeverMet(comparison, (part) => resolveExpression(part, scopeOf(both))),
  });
  // Whether WHERE rejects all rows that lack this side
  const isRejected = { left: false, right: false };
  const isOuter = () =>
    (join.type === 'LEFT' && !isRejected.right) ||
    (join.type === 'RIGHT' && !isRejected.left) ||
    (join.type === 'FULL' && !(isRejected.left && isRejected.right));
  // The engine joins each segment by itself, and adds the rows of the right side without a partner
  // to each (Druid: HashJoinSegment).
  const addsMissingLeft = () =>
    translation.engine === 'native' &&
    right.kind !== 'unnest' &&
    isOuter() &&
    (join.type === 'RIGHT' || join.type === 'FULL');
  // Filters stay above rows of arrays.
  const isUnnested = left.isUnnested === true || left.kind === 'unnest' || right.kind === 'unnest';
  const isFilteredBelow = () =>
    addsMissingLeft() && !isUnnested && left.relations.length === 1 && left.alias !== undefined;
  const own = isUnnested ? [] : keysOfJoin(join, both, rightSide);
  const keys = () => [...(addsMissingLeft() ? [] : (left.keys ?? [])), ...(isOuter() ? own : [])];
  let below: string | undefined;
  // Each row of a sorted left side comes with the rows that it finds on the right, in their order.
  const isRightSorted = left.order.length > 0 && ['INNER', 'LEFT', 'CROSS'].includes(join.type);
  let noted: StatementJoin | undefined;
  return {
    ...both,
    ...(isRightSorted && { order: [...both.order, ...right.order] }),
    ...(right.beside && row !== undefined && { alias: row }),
    kind: kindOfJoin(join, left, right),
    shared: [
      ...shared,
      ...left.shared.filter(
        ({ column }) => !shared.some((other) => other.instead.includes(column)),
      ),
    ],
    plan: planOfJoin(join, left, right),
    ...(isUnnested && { isUnnested }),
    get keys() {
      return keys();
    },
    restrict(where, rangeOf: RangeOf) {
      isRejected.left ||= rejectsMissing(where, missing(left));
      isRejected.right ||= rejectsMissing(where, missing(right));
      if (join.type !== 'RIGHT' && join.type !== 'FULL') left.restrict(where, rangeOf);
      if (join.type !== 'LEFT' && join.type !== 'FULL') right.restrict(where, rangeOf);
      const moved = isFilteredBelow() && allOf(conditionsBelow(where, { ...both, keys: keys() }));
      if (!moved) return;
      left.restrict(moved, (condition, relation) =>
        rangeOf(condition, both.relations[left.relations.indexOf(relation)] ?? relation),
      );
      below = resolveExpression(moved, scopeOf(left)).sql;
    },
    remaining(where) {
      if (translation.engine !== 'native') return where;
      const joined = { ...both, keys: keys() };
      return below === undefined ? withFirstTable(where, joined) : conditionsOnRows(where, joined);
    },
    ...(right.kind !== 'unnest' &&
      left.numberSegments && { numberSegments: () => left.numberSegments?.() }),
    text() {
      const { on } = join;
      if (on && translation.engine === 'native')
        translation.environment.inPlanning(() =>
          refuseCondition(on, left, right, isOuter(), scopeOf),
        );
      const numbers = addsMissingLeft() ? left.numberSegments?.() : undefined;
      const unfiltered = left.text();
      const leftText =
        below === undefined
          ? unfiltered
          : `(SELECT * FROM ${unfiltered} WHERE ${below}) AS ${identifier(left.alias ?? '')}`;
      if (right.kind === 'unnest' ? isApartBelowFilter(left) : isApartOnLeft(left))
        noteSource(translation, left, leftText);
      if (right.beside) return right.beside(leftText);
      const rightText = join.right.kind === 'join' ? `(${right.text()})` : right.text();
      // Rows of a query that may name columns of the left side cannot be counted on their own.
      const isLateral = join.right.kind === 'derived' && join.right.lateral;
      if (isApartOnRight(right) && !isLateral) noteSource(translation, right, rightText);
      if (hasStages)
        noted ??= noteJoin(
          join,
          [
            { source: left, from: leftText },
            { source: right, from: rightText },
          ],
          namesInCommon(join, left, right).map((name) => [
            keyNamed(name, left, join.at),
            keyNamed(name, right, join.at),
          ]),
          translation,
          scopeOf,
        );
      if (numbers) {
        const segments = identifier(translation.alias('segments'));
        const each = `(${rightText} CROSS JOIN range(${numbers.count}) AS ${segments}(number))`;
        return `${leftText} ${operator} ${each} ON ${condition?.text() ?? 'true'} AND ${numbers.text} = ${segments}.number`;
      }
      const side = isFilter ? { text: rightText, isRead: isRightRead } : undefined;
      return `${leftText} ${operator} ${rightText}${condition ? ` ON ${condition.text(side)}` : ''}`;
    },
    ...(isEmptyJoin(join.type, left, right) && { isEmpty: true }),
    files: () => [...left.files(), ...right.files()],
    used: () => [left, right].flatMap((side) => side.used?.() ?? []),
    join: () => noted,
    ...(join.right.kind === 'unnest'
      ? nativeUnnest(join.right, { left, right, both }, (part) =>
          resolveExpression(part, scopeOf(left)),
        )
      : nativeJoin(join, { left, right, both })),
  };
}

function resolveSides(
  join: Join,
  translation: Translation,
  context: QueryContext,
  above: Source | undefined,
  resolveFrom: ResolveFrom,
): { readonly left: Source; readonly right: Source; readonly row: string | undefined } {
  if (join.natural && (join.on || join.using))
    throw invalidSql('Cannot specify NATURAL keyword with ON or USING clause', join.at);
  const { above: conditions = [], ...plain } = context;
  const contextOf = (isWhole: boolean, reader: QueryContext['reader']): QueryContext => ({
    ...plain,
    ...(isWhole && { above: qualifiedConditions(conditions) }),
    ...(join.right.kind !== 'unnest' && reader && { reader }),
  });
  const keepsLeft = join.type !== 'RIGHT' && join.type !== 'FULL';
  const keepsRight = join.type === 'INNER' || join.type === 'CROSS';
  const left = resolveFrom(join.left, translation, contextOf(keepsLeft, 'left'), above);
  const row = join.type === 'CROSS' && !above ? left.alias : undefined;
  const before = above ? sideBySide(above, left) : left;
  const right =
    join.right.kind === 'unnest' && !join.right.ordinality
      ? unnestSource(join.right, translation, scopeOver(translation, context, before), row)
      : resolveFrom(rightOf(join), translation, contextOf(keepsRight, 'right'), before);
  refuseSameNames(left, right, join.right.at);
  if (translation.engine === 'native')
    translation.environment.inPlanning(() => refuseMixedSources(left, right));
  return { left, right, row };
}

// Refuses conditions that the native engine cannot join by.
function refuseCondition(
  condition: Expression,
  left: Source,
  right: Source,
  isOuter: boolean,
  scopeOf: (source: Source) => ReturnType<typeof scopeOver>,
): void {
  if (right.kind === 'lookup' && !right.query?.isFiltered) refuseLookupValues(condition, right);
  if (isOuter) {
    const isNever = (part: Expression) =>
      part.kind === 'is' && part.what === 'NULL' && isNeverNull(part.operand, [left, right]);
    refuseOuterJoin(
      conjuncts(condition).filter((part) => !isNever(part)),
      [scopeOf(left), scopeOf(right)],
      scopeOf(sideBySide(left, right)),
    );
  }
}

// The planner does not read the side of an outer join that has no rows (Calcite: PruneEmptyRules).
function kindOfJoin(join: Join, left: Source, right: Source): SourceKind {
  if (right.kind === 'unnest') return kindOfUnnest(left.kind, join.right);
  if (!isEmptyJoin(join.type, left, right)) {
    if (right.isEmpty) return left.kind;
    if (left.isEmpty && right.kind !== 'table') return right.kind;
  }
  return left.kind === 'metadata' && right.kind === 'metadata' ? 'metadata' : 'join';
}

const planOfJoin = (join: Join, left: Source, right: Source): Source['plan'] =>
  right.kind === 'unnest'
    ? { type: 'unnest', base: left.plan, virtualColumn: right.plan }
    : {
        type: 'join',
        left: left.plan,
        right: right.plan,
        joinType: join.type === 'CROSS' ? 'INNER' : join.type,
      };

function isEmptyJoin(type: Join['type'], left: Source, right: Source): boolean {
  const isLeftKept = type === 'LEFT' || type === 'FULL';
  const isRightKept = type === 'RIGHT' || type === 'FULL';
  return (left.isEmpty === true && !isRightKept) || (right.isEmpty === true && !isLeftKept);
}

// Rows beside a literal array are joined with its values. An array from the rows themselves is
// unnested.
function kindOfUnnest(rows: SourceKind, unnest: From): SourceKind {
  if (rows !== 'table' && rows !== 'query') return rows;
  const isWritten =
    unnest.kind === 'unnest' &&
    !unnest.args.some((argument) => contains(argument, ({ kind }) => kind === 'identifier'));
  return isWritten ? 'join' : 'unnest';
}

const isNeverNull = (operand: Expression, sides: readonly Source[]): boolean =>
  operand.kind === 'identifier' &&
  sides.some((side) => {
    const column = findColumn(side, operand.names, operand.at);
    return column && !column.nullable;
  });

function sideBySide(left: Source, right: Source): Source {
  return {
    kind: 'join',
    relations: [...left.relations, ...right.relations],
    shared: [...left.shared, ...right.shared],
    order: left.order,
    plan: undefined,
    unions: [...(left.unions ?? []), ...(right.unions ?? [])],
    restrict: () => {},
    text: () => '',
    files: () => [],
  };
}

function outerSide(source: Source, isOptional: boolean): Source {
  return isOptional
    ? { ...source, order: [], relations: source.relations.map(nullableRelation) }
    : source;
}

// The right side of a join is a table in memory, of which expressions and filters read several
// values as one text (Druid: RowBasedColumnSelectorFactory).
function withTextsOfLists(source: Source): Source {
  const textOf = (column: RelationColumn): RelationColumn => {
    if (!isText(column.type) || !column.type.multiValue) return column;
    const { name, nullable, stored, native } = column;
    return {
      name,
      nullable,
      type: singleValued(column.type),
      ...(stored !== undefined && { stored }),
      ...(native && { native }),
      text: () => `druid_list_text(${column.text()})`,
      list: () => column.text(),
    };
  };
  const relations = source.relations.map((relation) => ({
    ...relation,
    columns: relation.columns.map(textOf),
  }));
  return { ...source, relations };
}

// The source with columns that tell when their text is requested.
function withNotes(source: Source, note: () => void): Source {
  const noted = (column: RelationColumn) => ({
    ...column,
    text() {
      note();
      return column.text();
    },
    ...(column.list && {
      list() {
        note();
        return column.list?.() ?? column.text();
      },
    }),
  });
  const relations = source.relations.map((relation) => ({
    ...relation,
    columns: relation.columns.map(noted),
  }));
  return { ...source, relations };
}

function refuseSameNames(left: Source, right: Source, at: Position): void {
  const taken = new Set(left.relations.map(({ name }) => name));
  const again = right.relations.find(({ name }) => name !== undefined && taken.has(name));
  if (again) throw invalidSql(`Duplicate relation name '${again.name}' in FROM clause`, at);
}
