// Aggregates of SQL as native aggregators (docs/querying/aggregations.md), as EXPLAIN shows them.
import type { Call, Expression } from '../ast.ts';
import type { NativeJson } from '../resolution/native-plan.ts';
import { isFractional, isNumeric, nativeTypeOf } from '../types.ts';
import { type FilterNames, NotNative, quotedName } from './native-expression.ts';
import { nativeFilter } from './native-filter.ts';

/** The aggregators of one call, and a post-aggregation if one aggregator is not enough. */
export interface NativeAggregation {
  readonly aggregators: readonly NativeJson[];
  readonly after?: NativeJson;
  /** The post-aggregation over a sketch, given its name: several values may share one sketch. */
  readonly ofSketch?: (sketch: string) => NativeJson;
}

/**
 * The aggregators of a call. `name` is the name of its value, `rows` are the rows below, `type` is
 * the native type of the value.
 * Throws NotNative.
 */
export function nativeAggregation(
  call: Call,
  name: string,
  type: string,
  rows: FilterNames,
): NativeAggregation {
  const { filter, ...plain } = call;
  const { aggregators, after, ofSketch } = aggregationWithoutFilter(plain, name, type, rows);
  const condition = filter && nativeFilter(filter, rows);
  return {
    aggregators: condition
      ? aggregators.map((aggregator) => ({
          type: 'filtered',
          aggregator,
          filter: condition,
          name: aggregator.name,
        }))
      : aggregators,
    ...(after && { after }),
    ...(ofSketch && { ofSketch }),
  };
}

// The column that a cast to DOUBLE, also written as `* 1.0`, reads.
function numberColumn(part: Expression, rows: FilterNames): string | undefined {
  const isProduct = part.kind === 'binary' && part.operator === '*';
  const isOne = isProduct && rows.resolve(part.right).constant === 1;
  const operand = part.kind === 'cast' && !part.safe ? part.operand : isOne ? part.left : undefined;
  const isNumber = operand && isNumeric(rows.resolve(operand).type);
  return isNumber && isFractional(rows.resolve(part).type) ? rows.column(operand) : undefined;
}

function aggregationWithoutFilter(
  call: Call,
  name: string,
  type: string,
  rows: FilterNames,
): NativeAggregation {
  if (call.orderBy || call.withinGroup) throw new NotNative();
  const [first, second] = call.args;
  const field = (part: Expression | undefined) => {
    if (!part) throw new NotNative();
    return numberColumn(part, rows) ?? rows.columnFor(part);
  };
  const one = (aggregator: NativeJson): NativeAggregation => ({ aggregators: [aggregator] });
  const of = type.toLowerCase();
  switch (call.name) {
    case 'COUNT': {
      if (call.distinct) return one(distinctCount(call.args, name, rows));
      if (!first || first.kind === 'star') return one({ type: 'count', name });
      if (call.args.length > 1) throw new NotNative();
      if (rows.resolve(first).nullable === false) return one({ type: 'count', name });
      const known = { type: 'not', field: { type: 'null', column: field(first) } };
      return one({ type: 'filtered', aggregator: { type: 'count', name }, filter: known, name });
    }
    case 'SUM':
    case 'MIN':
    case 'MAX': {
      const kind = { SUM: 'Sum', MIN: 'Min', MAX: 'Max' }[call.name];
      if (
        call.distinct ||
        !['long', 'float', 'double'].includes(of) ||
        (first && rows.resolve(first).type.multiValue)
      )
        throw new NotNative();
      return one({ type: `${of}${kind}`, name, fieldName: field(first) });
    }
    case 'AVG':
      if (call.distinct || !first) throw new NotNative();
      return average(first, name, rows, field(first));
    case 'APPROX_COUNT_DISTINCT':
    case 'APPROX_COUNT_DISTINCT_BUILTIN':
      return one(distinctCount(call.args, name, rows));
    case 'APPROX_COUNT_DISTINCT_DS_HLL':
    case 'DS_HLL':
      return one(hllSketch(call, name, field(first)));
    case 'APPROX_COUNT_DISTINCT_DS_THETA':
    case 'DS_THETA':
      return one(thetaSketch(call, name, field(first)));
    case 'APPROX_QUANTILE_DS':
      return quantile(call, name, field(first), rows);
    case 'EARLIEST':
    case 'LATEST':
    case 'EARLIEST_BY':
    case 'LATEST_BY': {
      const isBy = call.name.endsWith('_BY');
      const suffix = call.name.startsWith('EARLIEST') ? 'First' : 'Last';
      const bytes = isBy ? call.args[2] : second;
      const timeColumn = isBy ? field(second) : '__time';
      return one({
        type: `${plainType(type)}${suffix}`,
        name,
        fieldName: field(first),
        timeColumn,
        ...maxStringBytes(type, bytes, rows),
      });
    }
    case 'ARRAY_AGG':
      return one(listOfValues(call, name, field(first), `${type}[]`));
    case 'STRING_AGG': {
      const separator = second && rows.resolve(second).constant;
      if (typeof separator !== 'string' || call.args.length > 2) throw new NotNative();
      const fieldName = field(first);
      const aggregator = {
        ...listOfValues(call, name, fieldName, '[]'),
        shouldAggregateNullInputs: false,
        finalize: `if(array_length(o) == 0, null, array_to_string(o, '${separator}'))`,
        maxSizeBytes: 1024,
      };
      const known = { type: 'not', field: { type: 'null', column: fieldName } };
      return one({ type: 'filtered', aggregator, filter: known, name });
    }
    case 'ANY_VALUE':
      return one({
        type: `${plainType(type)}Any`,
        name,
        fieldName: field(first),
        ...anyOfText(type, second, rows),
      });
    default:
      throw new NotNative();
  }
}

// The quotient of a sum and a count of non-null values.
// Values appended to a list, or added to a set.
function listOfValues(
  { args, distinct }: Call,
  name: string,
  fieldName: string,
  initialValue: string,
): NativeJson {
  if (args.length > 2) throw new NotNative();
  const [add, addAll] = distinct
    ? ['array_set_add', 'array_set_add_all']
    : ['array_append', 'array_concat'];
  const fold = (operation: string | undefined, of: string) =>
    `${operation}("__acc", ${quotedName(of)})`;
  return {
    type: 'expression',
    name,
    fields: [fieldName],
    accumulatorIdentifier: '__acc',
    initialValue,
    initialCombineValue: initialValue,
    isNullUnlessAggregated: true,
    shouldAggregateNullInputs: true,
    shouldCombineAggregateNullInputs: false,
    fold: fold(add, fieldName),
    combine: fold(addAll, name),
    maxSizeBytes: 1024,
  };
}

function average(
  value: Expression,
  name: string,
  rows: FilterNames,
  fieldName: string,
): NativeAggregation {
  const { type, nullable } = rows.resolve(value);
  if (type.multiValue) throw new NotNative();
  const known = { type: 'not', field: { type: 'null', column: fieldName } };
  const count = { type: 'count', name: `${name}:count` };
  return {
    aggregators: [
      { type: 'doubleSum', name: `${name}:sum`, fieldName },
      nullable === false
        ? count
        : { type: 'filtered', aggregator: count, filter: known, name: count.name },
    ],
    after: {
      type: 'arithmetic',
      name,
      fn: 'quotient',
      fields: [
        { type: 'fieldAccess', fieldName: `${name}:sum` },
        { type: 'fieldAccess', fieldName: count.name },
      ],
    },
  };
}

// A sketch that is itself the value of the call stays a sketch.
const finalization = ({ name }: Call): NativeJson =>
  name.startsWith('DS_') ? { shouldFinalize: false } : {};

function hllSketch(call: Call, name: string, fieldName: string): NativeJson {
  if (call.args.length > 1) throw new NotNative();
  return {
    type: 'HLLSketchBuild',
    name,
    fieldName,
    lgK: 12,
    tgtHllType: 'HLL_4',
    ...finalization(call),
    round: true,
  };
}

function thetaSketch(call: Call, name: string, fieldName: string): NativeJson {
  if (call.args.length > 1) throw new NotNative();
  return { type: 'thetaSketch', name, fieldName, size: 16_384, ...finalization(call) };
}

function quantile(
  { args }: Call,
  name: string,
  fieldName: string,
  rows: FilterNames,
): NativeAggregation {
  const [, probability, size] = args;
  const fraction = probability && rows.resolve(probability).constant;
  if (size || (typeof fraction !== 'number' && typeof fraction !== 'bigint')) throw new NotNative();
  const sketch = `${name}:agg`;
  return {
    aggregators: [
      {
        type: 'quantilesDoublesSketch',
        name: sketch,
        fieldName,
        k: 128,
        maxStreamLength: 1_000_000_000,
      },
    ],
    ofSketch: (of) => ({
      type: 'quantilesDoublesSketchToQuantile',
      name,
      field: { type: 'fieldAccess', name: of, fieldName: of },
      fraction: Math.fround(Number(fraction)), // the engine reads it as a float
    }),
  };
}

function plainType(type: string): string {
  if (!['STRING', 'LONG', 'FLOAT', 'DOUBLE'].includes(type)) throw new NotNative();
  return type.toLowerCase();
}

// For several values, all of them are kept.
function anyOfText(type: string, bytes: Expression | undefined, rows: FilterNames): NativeJson {
  return type === 'STRING'
    ? { ...maxStringBytes(type, bytes, rows), aggregateMultipleValues: true }
    : {};
}

function maxStringBytes(
  type: string,
  bytes: Expression | undefined,
  rows: FilterNames,
): NativeJson {
  if (type !== 'STRING') return {};
  const size = bytes ? rows.resolve(bytes).constant : 1024n;
  if (typeof size !== 'bigint') throw new NotNative();
  return { maxStringBytes: Number(size) };
}

function distinctCount(args: readonly Expression[], name: string, rows: FilterNames): NativeJson {
  const [only, second] = args;
  if (!only || second) throw new NotNative();
  const column = rows.columnFor(only);
  const outputType = nativeTypeOf(rows.resolve(only).type);
  return {
    type: 'cardinality',
    name,
    fields: [{ type: 'default', dimension: column, outputName: column, outputType }],
    byRow: false,
    round: true,
  };
}
