// Functions that have native filters of their own.
import type { Call, Expression } from '../ast.ts';
import type { NativeJson } from '../resolution/native-plan.ts';
import { isText, nativeTypeOf } from '../types.ts';
import { connectedFilter, sortedValues } from './merged-filters.ts';
import type { FilterNames } from './native-expression.ts';

/** The native filter of a call; undefined if only an expression can compute it. */
export function functionFilter(call: Call, names: FilterNames): NativeJson | undefined {
  const [operand, argument, more] = call.args;
  if (!operand || !argument || more) return undefined;
  const make = filters[call.name];
  return make?.({ operand, argument, names });
}

interface Arguments {
  readonly operand: Expression;
  readonly argument: Expression;
  readonly names: FilterNames;
}

type FilterOf = (given: Arguments) => NativeJson | undefined;

const filters: Readonly<Record<string, FilterOf>> = {
  REGEXP_LIKE: ({ operand, argument, names }) => {
    const pattern = names.resolve(argument).constant;
    if (typeof pattern !== 'string') return undefined;
    return { type: 'regex', dimension: names.columnFor(operand), pattern, extractionFn: null };
  },
  CONTAINS_STRING: (given) => containsFilter(given, true),
  ICONTAINS_STRING: (given) => containsFilter(given, false),
  MV_CONTAINS: (given) => {
    const column = textColumn(given);
    const items = itemsOf(given);
    if (column === undefined || !items) return undefined;
    return connectedFilter(
      'AND',
      items.map((value) =>
        value === null
          ? { type: 'null', column }
          : { type: 'equals', column, matchValueType: 'STRING', matchValue: value },
      ),
    );
  },
  MV_OVERLAP: (given) => {
    const column = textColumn(given);
    const items = itemsOf(given);
    if (column === undefined || !items) return undefined;
    // Version 33 names the type of the list beside its only item.
    return items.length === 1
      ? { type: 'equals', column, matchValueType: 'ARRAY<STRING>', matchValue: items[0] }
      : { type: 'inType', column, matchValueType: 'STRING', sortedValues: sortedValues(items) };
  },
  ARRAY_CONTAINS: (given) => elementFilter('AND', given),
  ARRAY_OVERLAP: (given) => elementFilter('OR', given),
  SCALAR_IN_ARRAY: ({ operand, argument, names }) => {
    const { constant, type } = names.resolve(argument);
    const matchValueType = type.element && nativeTypeOf(type.element);
    if (!Array.isArray(constant) || matchValueType === undefined) return undefined;
    const column = names.columnFor(operand);
    return {
      type: 'inType',
      column,
      matchValueType,
      sortedValues: sortedValues(constant.map(plain)),
    };
  },
};

function containsFilter({ operand, argument, names }: Arguments, caseSensitive: boolean) {
  const value = names.resolve(argument).constant;
  if (typeof value !== 'string') return undefined;
  return {
    type: 'search',
    dimension: names.columnFor(operand),
    query: { type: 'contains', value, caseSensitive },
    extractionFn: null,
  };
}

function elementFilter(operator: 'AND' | 'OR', given: Arguments): NativeJson | undefined {
  const { type } = given.names.resolve(given.operand);
  const elementMatchValueType = type.element && nativeTypeOf(type.element);
  const column = columnOf(given);
  const items = itemsOf(given);
  if (elementMatchValueType === undefined || column === undefined || !items) return undefined;
  return connectedFilter(
    operator,
    items.map((elementMatchValue) => ({
      type: 'arrayContainsElement',
      column,
      elementMatchValueType,
      elementMatchValue,
    })),
  );
}

const columnOf = ({ operand, names }: Arguments): string | undefined =>
  operand.kind === 'identifier' ? names.columnFor(operand) : undefined;

const textColumn = (given: Arguments): string | undefined =>
  isText(given.names.resolve(given.operand).type) ? columnOf(given) : undefined;

// The items of a constant list, or the only constant.
function itemsOf({ argument, names }: Arguments): readonly unknown[] | undefined {
  const { constant } = names.resolve(argument);
  if (constant === undefined) return undefined;
  const items: readonly unknown[] = Array.isArray(constant) ? constant : [constant];
  return items.length === 0 ? undefined : items.map(plain);
}

// Whole numbers of JSON.
const plain = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);
