// Joins and UNNEST as native data sources (docs/querying/datasource.md), as EXPLAIN shows them.
import type { Expression, Join, Unnest } from '../ast.ts';
import { conjuncts } from '../expressions/rewrite.ts';
import type { Typed } from '../expressions/typed.ts';
import type { NativeJson, PlannedSource } from '../resolution/native-plan.ts';
import { findColumn, type RelationColumn, type Source } from '../resolution/relation.ts';
import { nativeTypeOf } from '../types.ts';
import { NotNative, nativeText, quotedName } from './native-expression.ts';

/** The sides of a join. `both` has the columns visible above it. */
export interface JoinedSides {
  readonly left: Source;
  readonly right: Source;
  readonly both: Source;
}

type NativePart = Pick<Source, 'native' | 'nativeName'>;

/** The native name of a column of a source. */
export const nativeNameIn = (source: Source, column: RelationColumn): string | undefined =>
  source.nativeName ? source.nativeName(column) : column.native?.();

/**
 * A join by equal columns. The columns of the right side have a prefix. Other joins have no native
 * data source.
 */
export function nativeJoin(join: Join, { left, right, both }: JoinedSides): NativePart {
  const prefix = () => prefixOver(left);
  const isLeft = (column: RelationColumn) =>
    both.relations.slice(0, left.relations.length).some(({ columns }) => columns.includes(column));
  const nativeName = (column: RelationColumn) => {
    if (isLeft(column)) return nativeNameIn(left, column);
    const name = nativeNameIn(right, column);
    return name === undefined ? undefined : `${prefix()}${name}`;
  };
  return {
    nativeName,
    native() {
      const [first, second] = [left.native?.(), right.native?.()];
      if (!first || !second || !join.on || join.type === 'CROSS') return undefined;
      const condition = equalColumns(join.on, both, isLeft, nativeName);
      const read = condition === undefined ? undefined : rightSource(second, right);
      if (!read) return undefined;
      const dataSource = {
        type: 'join',
        left: first.dataSource,
        right: read,
        rightPrefix: prefix(),
        condition,
        joinType: join.type,
      };
      return {
        dataSource,
        depth: first.depth, // columns of the right side have a prefix
        joins: (first.joins ?? 0) + 1,
      };
    },
  };
}

/** An unnest data source: the items of an array beside the columns of a row. */
export function nativeUnnest(
  unnest: Unnest,
  { left, right, both }: JoinedSides,
  resolve: (expression: Expression) => Typed,
): NativePart {
  const name = () => `${prefixOver(left)}unnest`;
  const [argument, second] = unnest.args;
  return {
    nativeName: (column) =>
      right.relations.some(({ columns }) => columns.includes(column))
        ? name()
        : nativeNameIn(left, column),
    native() {
      const base = left.native?.();
      if (!base || !argument || second || unnest.ordinality) return undefined;
      // The engine unnests a multi-value string itself.
      const list =
        argument.kind === 'call' && argument.name === 'MV_TO_ARRAY' && argument.args[0]
          ? argument.args[0]
          : argument;
      const expression = textOver(both, list, resolve);
      if (expression === undefined) return undefined;
      const virtualColumn = {
        type: 'expression',
        name: name(),
        expression,
        outputType: nativeTypeOf(resolve(list).type),
      };
      return {
        dataSource: { type: 'unnest', base: base.dataSource, virtualColumn, unnestFilter: null },
        depth: base.depth,
        joins: (base.joins ?? 0) + 1,
      };
    },
  };
}

const prefixOver = (left: Source): string => `${'_'.repeat(left.native?.()?.joins ?? 0)}j0.`;

function textOver(
  source: Source,
  expression: Expression,
  resolve: (expression: Expression) => Typed,
): string | undefined {
  const column = (part: Expression) => {
    const found = part.kind === 'identifier' ? findColumn(source, part.names, part.at) : undefined;
    return found && nativeNameIn(source, found);
  };
  try {
    return nativeText(expression, { timeZone: 'UTC', resolve, column });
  } catch (error) {
    if (error instanceof NotNative) return undefined;
    throw error;
  }
}

function equalColumns(
  on: Expression,
  both: Source,
  isLeft: (column: RelationColumn) => boolean,
  nativeName: (column: RelationColumn) => string | undefined,
): string | undefined {
  const columnOf = (part: Expression) =>
    part.kind === 'identifier' ? findColumn(both, part.names, part.at) : undefined;
  const parts = conjuncts(on).map((part) => {
    if (part.kind !== 'binary' || part.operator !== '=') return undefined;
    const [a, b] = [columnOf(part.left), columnOf(part.right)];
    if (!a || !b || isLeft(a) === isLeft(b) || nativeTypeOf(a.type) !== nativeTypeOf(b.type))
      return undefined;
    const [first, second] = (isLeft(a) ? [a, b] : [b, a]).map(nativeName);
    return first === undefined || second === undefined
      ? undefined
      : `(${quotedName(first)} == ${quotedName(second)})`;
  });
  if (parts.includes(undefined)) return undefined;
  return parts.length === 1 ? parts[0] : `(${parts.join(' && ')})`;
}

// Only rows in memory may stand on the right. A table becomes a query there.
function rightSource({ dataSource }: PlannedSource, right: Source): NativeJson | undefined {
  if (dataSource.type !== 'table')
    return dataSource.type === 'join' || dataSource.type === 'unnest' ? undefined : dataSource;
  const used = right.used?.();
  const columns = right.relations
    .flatMap((relation) => relation.columns)
    .filter((column) => used?.includes(column) ?? true);
  const query = {
    queryType: 'scan',
    dataSource,
    intervals: {
      type: 'intervals',
      intervals: ['-146136543-09-08T08:23:32.096Z/146140482-04-24T15:36:27.903Z'],
    },
    resultFormat: 'compactedList',
    columns: columns.map((column) => nativeNameIn(right, column)),
    columnTypes: columns.map(({ type }) => nativeTypeOf(type) ?? 'STRING'),
    granularity: { type: 'all' },
    legacy: false,
  };
  return { type: 'query', query };
}
