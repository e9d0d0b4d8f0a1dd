// Native aggregators (docs/querying/aggregations.md), translated through SQL's table of aggregates.

import { defaultResolution, mostResolution } from '../../sketches/approximate-histogram.ts';
import { outlierModes } from '../../sketches/fixed-buckets.ts';
import { defaultKllK } from '../../sketches/kll.ts';
import { defaultK } from '../../sketches/quantiles.ts';
import { defaultTupleSize } from '../../sketches/tuple.ts';
import { long } from '../expressions/duckdb-text.ts';
import { isList } from '../expressions/multi-value.ts';
import { type Typed, withText } from '../expressions/typed.ts';
import {
  approximateHistogram,
  checkBuckets,
  checkLgK,
  checkQuantilesK,
  checkThetaSize,
  checkTupleSize,
  fixedBucketsHistogram,
  fixedBucketsText,
  type HllSettings,
  histogramText,
  hllBits,
  hllSketch,
  hllSketchText,
  quantilesSketch,
  quantilesSketchText,
  roundToLong,
  thetaSketch,
  thetaSketchText,
  tupleSketch,
  tupleSketchText,
} from '../functions/sketches.ts';
import {
  uniqueRowsText,
  uniqueSketch,
  uniqueSketchText,
  uniqueUnionText,
} from '../functions/unique.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import { failureSql } from '../runtime/own-words.ts';
import {
  bigint,
  complexType,
  double,
  float,
  isInteger,
  isNumeric,
  isText,
  nativeTypeOf,
  type SqlType,
  sqlTypeOfNative,
  varchar,
} from '../types.ts';
import {
  type Aggregator,
  type AggregatorContext,
  field,
  isTextual,
  type Kind,
  numberField,
  type Over,
  resolveCall,
  type Value,
} from './aggregator-kind.ts';
import { dimensionOf } from './dimensions.ts';
import { expressionAggregate } from './expression-aggregator.ts';
import { resolveFilter } from './filter.ts';
import { kllKinds, kllText } from './kll.ts';
import {
  asText,
  cannotRun,
  deviationsIn,
  has,
  javaClasses,
  kindOf,
  listIn,
  malformed,
  NOWHERE,
  type Node,
  nodeOf,
  notSupported,
  numberOr,
  textIn,
  textOr,
  truthOr,
  unsupportedOperation,
  wholeOr,
} from './members.ts';
import { numberOfColumn } from './native-values.ts';
import { anyOf, atTime } from './picked-values.ts';

/** An aggregator (parsed JSON) over the rows of a scope. Throws SqlError. */
export function aggregatorOf(given: unknown, context: AggregatorContext): Aggregator {
  return resolveAggregatorOf(nodeOf(given, 'aggregations'), context, []);
}

/**
 * The name of an aggregator. A filtered aggregator without a name uses that of its inner one.
 * Throws SqlError.
 */
export function aggregatorName(given: unknown): string {
  const node = nodeOf(given, 'aggregations');
  kindOf(kinds, node, 'AggregatorFactory');
  const inner = node.type === 'filtered' ? aggregatorName(node.aggregator) : undefined;
  return inner !== undefined && textOr(node, 'name', '') === '' ? inner : textIn(node, 'name');
}

function resolveAggregatorOf(
  node: Node,
  context: AggregatorContext,
  conditions: readonly string[],
): Aggregator {
  const filter = conditions.length === 0 ? '' : ` FILTER (WHERE ${conditions.join(' AND ')})`;
  const window = context.window === undefined ? '' : ` OVER (${context.window})`;
  const over: Over = (aggregate) => `${aggregate}${filter}${window}`;
  const value = kindOf(kinds, node, 'AggregatorFactory')(node, context, over, conditions);
  return { final: (sql) => sql, finalType: value.type, ...value, name: aggregatorName(node) };
}

// ── Numbers ───────────────────────────────────────────────────────────────────────────

// Texts of a column that are not numbers yield the initial value of an aggregate. Without any value
// it is null.
const beginnings = {
  SUM: { integer: '0', float: '0e0' },
  MIN: { integer: '9223372036854775807', float: "'Infinity'::DOUBLE" },
  MAX: { integer: '(-9223372036854775807 - 1)', float: "'-Infinity'::DOUBLE" },
} as const;

const numbers =
  (name: keyof typeof beginnings, type: SqlType): Kind =>
  (node, context, over) => {
    const given = field(node, context);
    const found = numberAggregate(name, type, node, context, over);
    if (!isText(given.type) || has(node, 'expression')) return found;
    const beginning = beginnings[name][isInteger(type) ? 'integer' : 'float'];
    return {
      type,
      sql: `coalesce(${found.sql}, CASE WHEN ${over(`count(${given.sql})`)} > 0 THEN ${beginning} END)`,
    };
  };

// A sum of floats adds values as floats.
const numberAggregate = (
  name: string,
  type: SqlType,
  ...[node, context, over]: readonly [Node, AggregatorContext, Over]
): Value => {
  const given = numberField(node, type.name === 'FLOAT' ? double : type, context);
  const isRounded = name === 'SUM' && type.name === 'FLOAT' && field(node, context).type !== float;
  const value = isRounded ? withText(given, `druid_float(${given.sql})`) : given;
  const { sql } = resolveCall(name, [value], context, over);
  return { type, sql: type.name === 'FLOAT' ? `CAST(druid_float(${sql}) AS FLOAT)` : sql };
};

// The sum divided by the number of values. Texts that are not numbers count as 0; without values
// the mean is 0.
const mean: Kind = (node, context, over) => {
  const given = field(node, context);
  if (isList(given)) return meanOfElements(given, over);
  const { sql } = numberAggregate('SUM', double, node, context, over);
  return {
    type: double,
    sql: `coalesce(${sql} / nullif(${over(`count(${given.sql})`)}, 0), 0e0)`,
    isPair: true,
  };
};

// Every element of a multi-value counts.
function meanOfElements(list: Typed, over: Over): Value {
  const element = { type: varchar, sql: 'item', at: NOWHERE };
  const number = `coalesce(${numberOfColumn(element, double).sql}, 0e0)`;
  const sum = `list_sum(list_transform(${list.sql}, lambda item: ${number}))`;
  return {
    type: double,
    sql: `coalesce(${over(`sum(${sum})`)} / nullif(${over(`sum(len(${list.sql}))`)}, 0), 0e0)`,
    isPair: true,
  };
}

// ── How many different values ────────────────────────────────────────────────────────────────────

// The sketch becomes an estimate only when it is shown.
function unique(sql: string, node: Node): Value {
  const isRounded = truthOr(node, 'round', false);
  return {
    type: uniqueSketch,
    sql,
    finalType: isRounded ? bigint : double,
    final: (sketch) =>
      isRounded ? roundToLong(`druid_unique_count(${sketch})`) : `druid_unique_count(${sketch})`,
  };
}

function cardinality(
  node: Node,
  { scope, isOnBroker = false }: AggregatorContext,
  over: Over,
): Value {
  const isByRow = truthOr(node, 'byRow', false);
  if (has(node, 'fields') && has(node, 'fieldNames'))
    throw malformed("Cannot specify both 'fieldNames' and 'fields.");
  if (!has(node, 'fields') && !has(node, 'fieldNames'))
    throw malformed("Must provide 'fieldNames' if 'fields' is null.");
  const fields = listIn(node, has(node, 'fields') ? 'fields' : 'fieldNames', (each) =>
    resolveExpression(dimensionOf(each, scope).expression, scope),
  );
  const list = fields.find(({ type }) => type.name === 'ARRAY');
  if (list)
    throw unsupportedOperation(
      `Cardinality aggregator does not support[${nativeTypeOf(list.type)}] inputs`,
    );
  const counted = fields
    .map((each) => (each.type.name === 'OTHER' ? textOfComplex(each) : each))
    .filter(({ type }) => type.name !== 'OTHER');
  const sketch = isByRow && counted.length > 0 ? uniqueRowsText : uniqueSketchText;
  return unique(sketch(counted, over, { isOnBroker }), node);
}

const textOfComplex = (value: Typed): Typed =>
  value.computedText === undefined
    ? value
    : { ...withText(value, value.computedText), type: varchar };

// Merges sketches. Plain values are ignored.
function hyperUnique(node: Node, { scope }: AggregatorContext, over: Over): Value {
  const value = scope.column([textOr(node, 'fieldName', '')], NOWHERE);
  if (value.type.name === 'OTHER' && value.type.complex !== 'hyperUnique')
    throw notSupported(
      `Using aggregator [hyperUnique] is not supported for complex columns with type [${nativeTypeOf(value.type)}].`,
    );
  return unique(
    value.type.name === 'OTHER' ? uniqueUnionText(value, over) : uniqueSketchText([], over),
    node,
  );
}

// HLLSketchBuild accepts values and sketches.
function hllAggregator(node: Node, context: AggregatorContext, over: Over): Value {
  const lgK = wholeOr(node, 'lgK', 12);
  checkLgK(lgK);
  const settings: HllSettings = {
    lgK,
    bits: hllBits(textOr(node, 'tgtHllType', 'HLL_4')),
    encoding:
      textOr(node, 'stringEncoding', 'utf16le').toLowerCase() === 'utf8' ? 'utf8' : 'utf16le',
  };
  const isRounded = truthOr(node, 'round', false);
  return {
    type: hllSketch,
    sql: hllSketchText(sketchable(node, context, 'HLLSketch'), settings, 'UTC', over),
    ...(truthOr(node, 'shouldFinalize', true) && {
      final: (sql: string) =>
        isRounded ? roundToLong(`druid_hll_estimate(${sql})`) : `druid_hll_estimate(${sql})`,
      finalType: isRounded ? bigint : double,
    }),
  };
}

// A merge takes sketches. Of a column that is missing it is empty.
function mergingHll(node: Node, context: AggregatorContext, over: Over): Value {
  const { type } = field(node, context);
  if (type.name !== 'OTHER' && context.scope.has(textIn(node, 'fieldName')))
    throw cannotRun(
      `Using aggregator [HLLSketchMerge] is not supported for complex columns with type [${nativeTypeOf(type)}].`,
    );
  return hllAggregator(node, context, over);
}

function thetaAggregator(node: Node, context: AggregatorContext, over: Over): Value {
  const size = wholeOr(node, 'size', 16384);
  checkThetaSize(size);
  return {
    type: thetaSketch,
    sql: thetaSketchText(sketchable(node, context, 'thetaSketch'), size, 'UTC', over),
    ...(truthOr(node, 'shouldFinalize', true) &&
      (has(node, 'errorBoundsStdDev')
        ? {
            final: (sql: string) =>
              `druid_theta_bounds(${sql}, ${deviationsIn(node, 'errorBoundsStdDev')}::BIGINT)::JSON`,
            finalType: complexType('json'),
          }
        : { final: (sql: string) => `druid_theta_estimate(${sql})`, finalType: double })),
  };
}

function quantilesAggregator(node: Node, context: AggregatorContext, over: Over): Value {
  const k = wholeOr(node, 'k', defaultK);
  checkQuantilesK(k);
  return {
    type: quantilesSketch,
    sql: quantilesSketchText(
      numbersOrNone(node, context, 'quantilesDoublesSketch'),
      k,
      'UTC',
      over,
    ),
    ...(truthOr(node, 'shouldFinalize', true) && {
      final: (sql: string) => `druid_doubles_count(${sql})`,
      finalType: bigint,
    }),
  };
}

function histogramAggregator(node: Node, context: AggregatorContext, over: Over): Value {
  const size = wholeOr(node, 'resolution', defaultResolution);
  if (size < 1 || size > mostResolution)
    throw malformed(`[resolution] is [${size}], but must be between 1 and ${mostResolution}`);
  const buckets = wholeOr(node, 'numBuckets', 7);
  if (buckets < 2 || buckets > mostResolution)
    throw malformed(`[numBuckets] is [${buckets}], but must be between 2 and ${mostResolution}`);
  const limit = ['lowerLimit', 'upperLimit'].find((name) => has(node, name));
  if (limit !== undefined)
    throw notSupported(
      `[${limit}] of an approximate histogram is not supported: filter its values instead`,
    );
  return {
    type: approximateHistogram,
    sql: histogramText(sketchable(node, context, 'approximateHistogram'), size, over),
    final: (sql: string) => `druid_histogram_equal(${sql}, ${buckets}::BIGINT)::JSON`,
    finalType: complexType('json'),
  };
}

function bucketsAggregator(node: Node, context: AggregatorContext, over: Over): Value {
  const given = textIn(node, 'outlierHandlingMode').toLowerCase();
  const mode = outlierModes.find((known) => known === given);
  if (mode === undefined)
    throw malformed(
      `[outlierHandlingMode] is [${given}], but must be one of [${outlierModes.join(', ')}]`,
    );
  const limit = (key: string) => numberOr(node, key, 0);
  const settings = {
    count: wholeOr(node, 'numBuckets', 10),
    low: limit('lowerLimit'),
    high: limit('upperLimit'),
    mode,
  };
  checkBuckets(settings, mostBuckets);
  const value = sketchable(node, context, 'fixedBucketsHistogram');
  const isMissing = !has(node, 'expression') && !context.scope.has(textIn(node, 'fieldName')); // its nulls are counted
  if (isText(value.type) && !isMissing)
    throw malformed(
      `Aggregator [${aggregatorName(node)}] counts numbers, not a column of type [STRING]`,
    );
  return {
    type: fixedBucketsHistogram,
    sql: fixedBucketsText(value, settings, over),
    order: (sql) => `druid_buckets_count(${sql})`,
    ...(!truthOr(node, 'finalizeAsBase64Binary', false) && {
      final: (sql: string) => `druid_buckets_text(${sql})`,
      finalType: varchar,
    }),
  };
}

const mostBuckets = 100_000;

const missing: Typed = { type: varchar, sql: 'NULL::VARCHAR', at: NOWHERE };

function tupleAggregator(node: Node, context: AggregatorContext, over: Over): Value {
  const size = wholeOr(node, 'nominalEntries', defaultTupleSize);
  checkTupleSize(size);
  const metrics = has(node, 'metricColumns') ? listIn(node, 'metricColumns', asText) : [];
  const key =
    metrics.length > 0 ? field(node, context) : sketchable(node, context, 'arrayOfDoublesSketch');
  const numbers = metrics.map((fieldName) =>
    field({ type: node.type, name: node.name, fieldName }, context),
  );
  // Keys of other complex types count as missing
  const isUnreadable = key.type.name === 'OTHER' && key.type.complex !== tupleSketch.complex;
  if (key.type.name !== 'OTHER' && numbers.length === 0)
    throw malformed(
      'An [arrayOfDoublesSketch] of values needs [metricColumns], the numbers to add up',
    );
  return {
    type: tupleSketch,
    sql: tupleSketchText(isUnreadable ? missing : key, numbers, size, 'UTC', over),
    final: (sql: string) => `druid_tuple_estimate(${sql})`,
    finalType: double,
  };
}

const kllAggregator =
  (name: string): Kind =>
  (node, context, over) => {
    const kind = kllKinds[name];
    if (!kind) throw new TypeError('KLL sketches have doubles or floats only');
    const merged = node.type === `${name}Merge` ? { fieldName: node.name, ...node } : node;
    const field = numbersOrNone(merged, context, name);
    return {
      type: kind.type,
      sql: kllText(field, wholeOr(node, 'k', defaultKllK), kind.width, over),
      ...(truthOr(node, 'shouldFinalize', true) && {
        final: (sql: string) => `druid_kll_count(${sql}, ${kind.width}::BIGINT)`,
        finalType: bigint,
      }),
    };
  };

// Sketches of numbers ignore texts and arrays, even if they are numbers.
function numbersOrNone(node: Node, context: AggregatorContext, complex: string): Typed {
  const given = field(node, context);
  return isTextual(given) || given.type.name === 'ARRAY'
    ? { type: double, sql: 'NULL::DOUBLE', at: NOWHERE }
    : sketchable(node, context, complex);
}

function sketchable(node: Node, context: AggregatorContext, complex: string): Typed {
  const value = field(node, context);
  if (
    value.type.name === 'ARRAY' ||
    (value.type.name === 'OTHER' && value.type.complex !== complex)
  ) {
    const ofPair = complex === 'HLLSketch' ? javaClasses.argument : javaClasses.state;
    throw cannotRun(
      `Aggregator [${aggregatorName(node)}] cannot read a column of type [${nativeTypeOf(value.type)}]`,
      value.computedText === undefined ? undefined : ofPair,
    );
  }
  return value;
}

const variance =
  (name: (isSample: boolean) => string): Kind =>
  (node, context, over) =>
    resolveCall(
      name(textOr(node, 'estimator', '').toLowerCase() !== 'population'),
      [numberField(node, double, context)],
      context,
      over,
    );

// ── The table ────────────────────────────────────────────────────────────────────────────────────

const byType = (kind: (type: SqlType) => Kind, suffix: string): Record<string, Kind> => ({
  [`long${suffix}`]: kind(bigint),
  [`double${suffix}`]: kind(double),
  [`float${suffix}`]: kind(float),
});

const kinds: Readonly<Record<string, Kind>> = {
  count: (_, __, over) => ({ type: bigint, sql: over('count(*)') }),
  ...byType((type) => numbers('SUM', type), 'Sum'),
  ...byType((type) => numbers('MIN', type), 'Min'),
  ...byType((type) => numbers('MAX', type), 'Max'),
  doubleMean: mean,
  ...byType((type) => atTime('EARLIEST_BY', type), 'First'),
  ...byType((type) => atTime('LATEST_BY', type), 'Last'),
  ...byType(anyOf, 'Any'),
  stringFirst: atTime('EARLIEST_BY', varchar),
  stringLast: atTime('LATEST_BY', varchar),
  stringAny: anyOf(varchar),
  cardinality,
  hyperUnique,
  thetaSketch: thetaAggregator,
  HLLSketchBuild: hllAggregator,
  HLLSketchMerge: mergingHll,
  quantilesDoublesSketch: quantilesAggregator,
  quantilesDoublesSketchMerge: (node, context, over) =>
    quantilesAggregator({ fieldName: node.name, ...node }, context, over),
  ...Object.fromEntries(
    Object.keys(kllKinds).flatMap((type) =>
      [type, `${type}Merge`].map((name): [string, Kind] => [name, kllAggregator(type)]),
    ),
  ),
  arrayOfDoublesSketch: tupleAggregator,
  approxHistogram: histogramAggregator,
  approxHistogramFold: histogramAggregator,
  fixedBucketsHistogram: bucketsAggregator,
  variance: variance((isSample) => (isSample ? 'VAR_SAMP' : 'VAR_POP')),
  varianceFold: variance((isSample) => (isSample ? 'VAR_SAMP' : 'VAR_POP')),
  singleValue(node, context, over) {
    const type = sqlTypeOfNative(textIn(node, 'columnType')) ?? varchar;
    const { sql } = isNumeric(type) ? numberField(node, type, context) : field(node, context);
    const only = `CASE WHEN ${over('count(*)')} > 1 THEN ${failureSql("'Subquery expression returned more than one row'")} END`;
    return { type, sql: `coalesce(${only}, ${over(`any_value(${sql})`)})` };
  },
  filtered(node, context, _, conditions) {
    const { scope, intervals } = context;
    const isFilled = (column: string) => scope.isFilledHere(column, intervals);
    const condition = resolveFilter(node.filter, scope, isFilled).sql;
    return resolveAggregatorOf(nodeOf(node.aggregator, 'aggregator'), context, [
      ...conditions,
      condition,
    ]);
  },
  grouping(node, { leftOut }) {
    const names = listIn(node, 'groupings', asText);
    if (names.length === 0)
      throw malformed(
        'Must have a non-empty grouping dimensions: [groupings] of [grouping] names no dimension',
      );
    const bits = names.reduce((mask, name) => mask * 2 + (leftOut(name) ? 1 : 0), 0);
    return { type: bigint, sql: long(bits) };
  },
  expression: (node, { scope, merging }, over, conditions) =>
    expressionAggregate(node, scope, over, conditions, merging),
  javascript() {
    throw malformed('JavaScript is disabled');
  },
  histogram() {
    throw notSupported('Aggregator [histogram] is not supported');
  },
};
