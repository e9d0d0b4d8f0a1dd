// The order of the keys of groups, by which groups are sorted. Groups of plain columns need no
// projection below them if their keys are in the order of the table (Calcite:
// AggregateProjectMergeRule). That is cheaper where the items need a projection above the groups
// anyway.
import type { Expression, Select } from '../ast.ts';
import { walk } from '../expressions/rewrite.ts';
import { isPlainAggregate } from '../functions/call-kinds.ts';
import type { GroupKey } from '../resolution/group.ts';
import { findColumn, type Source } from '../resolution/relation.ts';
import type { NamedItem, OrderPart } from '../resolution/select-items.ts';
import { isAsListed } from './decided-columns.ts';

interface Keys {
  readonly keys: readonly GroupKey[];
  readonly sets: readonly (readonly number[])[] | undefined;
}

/** The same keys and grouping sets, with the keys in the order in which they are grouped. */
export function inScannedOrder(
  { keys, sets }: Keys,
  source: Source,
  select: Select,
  items: readonly NamedItem[],
  order: readonly OrderPart[],
): Keys {
  const expressions = [...items, ...order].map(({ expression }) => expression);
  const placeOf = (expression: Expression) => placeIn(source, expression);
  const places = keys.map(({ expression }) => placeOf(expression));
  const isDirect =
    keys.length > 1 &&
    source.kind !== 'metadata' &&
    places.every((place) => place !== undefined) &&
    [...expressions, select.having ?? []].flat().every((one) => aggregatesColumns(one, placeOf));
  if (!isDirect || isAsListed(keys, select.having, items)) return { keys, sets };
  const sorted = keys
    .map((key, index) => ({ key, index, place: places[index] ?? [0, 0] }))
    .sort((one, other) => compareLists(one.place, other.place));
  const placeAt = new Map(sorted.map(({ index }, place) => [index, place]));
  const sortedSet = (set: readonly number[]) =>
    set.map((index) => placeAt.get(index) ?? index).sort((one, other) => one - other);
  return { keys: sorted.map(({ key }) => key), sets: sets?.map(sortedSet).sort(compareLists) };
}

// A set comes before those that it contains (Calcite: ImmutableBitSet.ORDERING).
function compareLists(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((number, place) => number !== other[place]);
  if (index < 0) return other.length - one.length;
  return (one[index] ?? 0) - (other[index] ?? Number.POSITIVE_INFINITY);
}

// The place of a column among those of FROM. Undefined for other expressions.
function placeIn(source: Source, expression: Expression): readonly number[] | undefined {
  if (expression.kind !== 'identifier') return undefined;
  const column = findColumn(source, expression.names, expression.at);
  if (!column || column.place === null) return undefined;
  for (const [index, { columns }] of source.relations.entries()) {
    const place = columns.indexOf(column);
    if (place >= 0) return [index, column.place ?? place];
  }
  return undefined; // a column of NATURAL or USING
}

// False if an aggregate of the expression has a FILTER or a computed argument: the engine computes
// these in a projection below the groups.
function aggregatesColumns(
  expression: Expression,
  placeOf: (expression: Expression) => readonly number[] | undefined,
): boolean {
  let isDirect = true;
  walk(expression, (part) => {
    if (part.kind !== 'call' || !isPlainAggregate(part)) return true;
    isDirect &&=
      part.filter === undefined &&
      part.args.every(
        (argument) =>
          argument.kind === 'star' ||
          placeOf(argument) !== undefined ||
          (part.name === 'COUNT' && argument.kind === 'literal'),
      );
    return false;
  });
  return isDirect;
}
