// Filters that AND and OR connect, merged as the planner merges them (Druid:
// CombineAndSimplifyBounds, ConvertSelectorsToIns).
import type { NativeJson } from '../resolution/native-plan.ts';

/** The filter of connected filters: comparisons of one column become a range or a list. */
export function connectedFilter(
  operator: 'AND' | 'OR',
  filters: readonly NativeJson[],
): NativeJson {
  const fields = operator === 'AND' ? withRanges(withoutValues(filters)) : withLists(filters);
  const [only, second] = fields;
  return only && !second ? only : { type: operator.toLowerCase(), fields };
}

/** The negation of a filter. */
export const negation = (field: NativeJson): NativeJson =>
  field.type === 'not' ? (field.field as NativeJson) : { type: 'not', field };

const placeOf = ({ column, matchValueType }: NativeJson) =>
  `${String(matchValueType)} ${String(column)}`;

// `a = 1 OR a = 2` is a list of values.
function withLists(filters: readonly NativeJson[]): readonly NativeJson[] {
  const isValue = ({ type, matchValue }: NativeJson) =>
    type === 'equals' && (typeof matchValue === 'string' || typeof matchValue === 'number');
  return merged(filters, isValue, (same) => {
    const [first] = same;
    return {
      type: 'inType',
      column: first?.column,
      matchValueType: first?.matchValueType,
      sortedValues: sortedValues(same.map(({ matchValue }) => matchValue)),
    };
  });
}

// `a <> 1 AND a <> 2` is the negation of a list.
function withoutValues(filters: readonly NativeJson[]): readonly NativeJson[] {
  const negated = filters.map((filter) =>
    filter.type === 'not' ? (filter.field as NativeJson) : undefined,
  );
  const lists = withLists(negated.filter((field) => field !== undefined)).filter(
    ({ type }) => type === 'inType',
  );
  const isIn = (field: NativeJson | undefined, list: NativeJson) =>
    field?.type === 'equals' && placeOf(field) === placeOf(list);
  return filters.flatMap((filter, index): readonly NativeJson[] => {
    const list = lists.find((each) => isIn(negated[index], each));
    if (!list) return [filter];
    const isFirst = negated.findIndex((field) => isIn(field, list)) === index;
    return isFirst ? [negation(list)] : [];
  });
}

// `a > 1 AND a < 5` is one range.
function withRanges(filters: readonly NativeJson[]): readonly NativeJson[] {
  const isHalf = (filter: NativeJson) =>
    filter.type === 'range' && (filter.lower === undefined) !== (filter.upper === undefined);
  return merged(filters, isHalf, (same) => {
    const [first, second, third] = same;
    const isRange =
      first && second && !third && (first.lower === undefined) !== (second.lower === undefined);
    return isRange ? { ...first, ...second } : undefined;
  });
}

// Replaces filters of one column by their merger, which stands in the place of the first one.
function merged(
  filters: readonly NativeJson[],
  isMergeable: (filter: NativeJson) => boolean,
  merge: (same: readonly NativeJson[]) => NativeJson | undefined,
): readonly NativeJson[] {
  const mergers = new Map<string, NativeJson | undefined>();
  return filters.flatMap((filter): readonly NativeJson[] => {
    if (!isMergeable(filter)) return [filter];
    const place = placeOf(filter);
    if (mergers.has(place)) return mergers.get(place) ? [] : [filter];
    const same = filters.filter((each) => isMergeable(each) && placeOf(each) === place);
    const merger = same.length > 1 ? merge(same) : undefined;
    mergers.set(place, merger);
    return [merger ?? filter];
  });
}

/** Values in the order of lists: null first, numbers by size, texts by their units. */
export const sortedValues = (values: readonly unknown[]): readonly unknown[] =>
  [...new Set(values)].sort((a, b) => {
    if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    return String(a) < String(b) ? -1 : 1;
  });
