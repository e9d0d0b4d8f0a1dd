// Post-aggregators (docs/querying/post-aggregations.md), computed from the aggregates of a group.
import { areSplitPoints, isRank, unknownRank, unorderedPoints } from '../../sketches/quantiles.ts';
import { defaultTupleSize } from '../../sketches/tuple.ts';
import type { Call } from '../ast.ts';
import { castTo, constantOf } from '../expressions/casts.ts';
import { doubleNumber } from '../expressions/duckdb-text.ts';
import type { Scope, Typed } from '../expressions/typed.ts';
import {
  approximateHistogram,
  checkLgK,
  checkThetaSize,
  checkTupleSize,
  fixedBucketsHistogram,
  hllBits,
  hllSketch,
  thetaSketch,
  tupleSketch,
} from '../functions/sketches.ts';
import { checkLimit } from '../limits.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import { failureSql } from '../runtime/own-words.ts';
import { quote } from '../runtime/quoted.ts';
import {
  arrayOf,
  bigint,
  complexType,
  double,
  float,
  isInteger,
  isNumeric,
  nativeTypeOf,
  sqlTypeOfNative,
  varchar,
} from '../types.ts';
import type { Aggregator } from './aggregator-kind.ts';
import { callTo, castAs, columnNamed, literalOf } from './expressions.ts';
import { kllKinds } from './kll.ts';
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
  numberIn,
  numberOr,
  textIn,
  textOr,
  truthOr,
  wholeOr,
} from './members.ts';
import { resolveNativeExpression } from './resolve.ts';

export interface ResultScope extends Scope {
  /** An aggregate while it can still be merged: the sketch, not its estimate. */
  raw(name: string): Typed;
  aggregator(name: string): Aggregator | undefined;
  /** A scope in which every name refers to this value. */
  holding(value: Typed): Scope;
}

/** The value of a post-aggregator (parsed JSON) in a scope of results. Throws SqlError. */
export const postAggregate = (given: unknown, scope: ResultScope): Typed => {
  const node = nodeOf(given, 'postAggregations');
  return bound(kindOf(kinds, node, 'PostAggregator')(node, scope));
};

// Limits the text of a value: a field that is used twice is repeated in the text.
function bound(value: Typed): Typed {
  checkLimit('expansion', value.sql.length);
  return value;
}

/** The name of a post-aggregator. Throws SqlError. */
export function postAggregatorName(given: unknown): string {
  const node = nodeOf(given, 'postAggregations');
  kindOf(kinds, node, 'PostAggregator');
  return has(node, 'name') || !has(node, 'fieldName')
    ? textIn(node, 'name')
    : textIn(node, 'fieldName');
}

type Kind = (node: Node, scope: ResultScope) => Typed;

const of = (sql: string, type: Typed['type']): Typed => ({ type, sql, at: NOWHERE });

const number = (given: unknown, scope: ResultScope): Typed => {
  const value = postAggregate(given, scope);
  if (isNumeric(value.type) && !isPair(given, scope)) return castTo(value, double, 'UTC');
  const refused = failureSql(
    `'A value of type [${nativeTypeOf(value.type)}] is not a number'`,
    'cast',
  );
  const { variant } = value;
  if (variant !== undefined && !isPair(given, scope)) {
    const isNumber = `json_type(${variant}) IN ('BIGINT', 'UBIGINT', 'DOUBLE')`;
    return of(
      `(CASE WHEN ${isNumber} THEN ${variant} WHEN ${value.sql} IS NOT NULL THEN ${refused} END)::DOUBLE`,
      double,
    );
  }
  return of(`(CASE WHEN ${value.sql} IS NOT NULL THEN ${refused} END)::DOUBLE`, double);
};

// Until it is finalized, a first or last value keeps its time and a mean keeps its count.
function isPair(given: unknown, scope: ResultScope): boolean {
  const node = nodeOf(given, 'fields');
  if (node.type !== 'fieldAccess') return false;
  return scope.aggregator(textIn(node, 'fieldName'))?.isPair === true;
}

function arithmetic(node: Node, scope: ResultScope): Typed {
  const name = textIn(node, 'fn');
  const apply = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (!apply)
    throw malformed(
      `Unknown operation[${name}], known operations [${Object.keys(operations).join(', ')}]`,
    );
  if (has(node, 'ordering') && node.ordering !== 'numericFirst')
    throw malformed(
      `[ordering] of [arithmetic] is null or [numericFirst], not [${asText(node.ordering)}]`,
    );
  const fields = listIn(node, 'fields', (field) => number(field, scope).sql);
  const [first, ...rest] = fields;
  if (first === undefined || rest.length === 0)
    throw malformed('Illegal number of fields, must be > 1');
  return of(
    `(${rest.reduce((left, right) => bound(of(unlessNull(left, right, apply), double)).sql, first)})`,
    double,
  );
}

// After a null, the next value is not computed, and cannot fail.
const unlessNull = (
  left: string,
  right: string,
  apply: (left: string, right: string) => string,
): string =>
  right.includes('error(')
    ? `CASE WHEN ${left} IS NOT NULL THEN ${apply(left, right)} END`
    : apply(left, right);

// Division by zero yields zero, except for `quotient`.
const operations: Readonly<Record<string, (left: string, right: string) => string>> = {
  '+': (left, right) => `(${left} + ${right})`,
  '-': (left, right) => `(${left} - ${right})`,
  '*': (left, right) => `(${left} * ${right})`,
  '/': (left, right) =>
    `(CASE WHEN ${right} = 0 THEN CASE WHEN ${left} IS NOT NULL THEN 0e0 END ELSE ${left} / ${right} END)`,
  quotient: (left, right) => `(${left} / ${right})`,
  pow: (left, right) => `druid_power(${left}, ${right})`,
};

const extreme =
  (duckdb: 'greatest' | 'least', type: Typed['type']): Kind =>
  (node, scope) => {
    const fields = listIn(node, 'fields', (field) => {
      const value = postAggregate(field, scope);
      const isExact = isInteger(value.type) && isInteger(type) && !isPair(field, scope);
      return castTo(isExact ? value : number(field, scope), type, 'UTC').sql;
    });
    if (fields.length === 0) throw malformed('Illegal number of fields[0], must be > 0');
    return of(`${duckdb}(${fields.join(', ')})`, type);
  };

function access(node: Node, scope: ResultScope): Typed {
  const name = textIn(node, 'fieldName');
  return scope.aggregator(name) ? scope.raw(name) : scope.column([name], NOWHERE);
}

// A SQL function of a sketch and constants.
const ofSketch =
  (name: string, rest: (node: Node) => Call['args'] = () => []): Kind =>
  (node, scope) => {
    const sketch = postAggregate(node.field, scope);
    if (sketch.type.name !== 'OTHER' && sketch.type.name !== 'NULL')
      throw malformed(`The field of [${textIn(node, 'type')}] must be a sketch, not its estimate`);
    return resolveExpression(
      callTo(name, columnNamed('sketch'), ...rest(node)),
      scope.holding(sketch),
    );
  };

// A function of a quantiles sketch and numbers that returns numbers.
const listOfSketch =
  (macro: string, key: string, check: (numbers: readonly number[]) => void): Kind =>
  (node, scope) => {
    const numbers = listIn(node, key, (value) => numberIn({ [key]: value }, key));
    check(numbers);
    const given = numbers.map(doubleNumber);
    return of(
      `${macro}(${quantilesOf(node, scope)}, [${given.join(', ')}]::DOUBLE[])`,
      arrayOf(double),
    );
  };

function quantilesOf(node: Node, scope: ResultScope): string {
  const { type, sql } = postAggregate(node.field, scope);
  if (type.complex !== 'quantilesDoublesSketch')
    throw malformed(
      `The field of [${textIn(node, 'type')}] must be of type [quantilesDoublesSketch]`,
    );
  return sql;
}

function checkRanks(ranks: readonly number[]): void {
  const unknown = ranks.find((rank) => !isRank(rank));
  if (unknown !== undefined) throw malformed(unknownRank(unknown));
}

function checkSplitPoints(points: readonly number[]): void {
  if (!areSplitPoints(points)) throw malformed(unorderedPoints);
}

// Buckets by split points, or a number of buckets of equal width.
function quantilesHistogram(node: Node, scope: ResultScope): Typed {
  if (has(node, 'splitPoints')) {
    if (has(node, 'numBins')) throw malformed("Cannot accept both 'splitPoints' and 'numBins'");
    return listOfSketch('druid_doubles_histogram', 'splitPoints', checkSplitPoints)(node, scope);
  }
  return of(
    `druid_doubles_bins(${quantilesOf(node, scope)}, ${binsIn(node)}::BIGINT)`,
    arrayOf(double),
  );
}

function binsIn(node: Node): number {
  const bins = wholeOr(node, 'numBins', 10);
  if (bins < 2) throw malformed(`[numBins] is [${bins}], but at least 2 bins are expected`);
  if (bins > mostBins)
    throw malformed(`[numBins] is [${bins}], but at most [${mostBins}] bins are computed`);
  return bins;
}

const mostBins = 100_000;

// Post-aggregators of a KLL sketch.
const kllKindsOf = (
  name: string,
  { type, width }: { readonly type: Typed['type']; readonly width: number },
): readonly [string, Kind][] => {
  const sketchOf = (node: Node, scope: ResultScope): string => {
    const field = postAggregate(node.field, scope);
    if (field.type.complex !== type.complex)
      throw malformed(`The field of [${textIn(node, 'type')}] must be of type [${name}]`);
    return field.sql;
  };
  const listed = (numbers: readonly number[]) =>
    `[${numbers.map(doubleNumber).join(', ')}]::DOUBLE[]`;
  const numbersIn = (node: Node, key: string) =>
    listIn(node, key, (value) => numberIn({ [key]: value }, key));
  const call = (macro: string, ...args: readonly string[]) =>
    `druid_kll_${macro}(${[...args, `${width}::BIGINT`].join(', ')})`;
  const points = (node: Node) => {
    const given = numbersIn(node, 'splitPoints');
    checkSplitPoints(given);
    return listed(given);
  };
  const quantiles = (node: Node, scope: ResultScope, ranks: readonly number[]) => {
    checkRanks(ranks);
    return call('quantiles', sketchOf(node, scope), listed(ranks));
  };
  return [
    [
      `${name}ToQuantile`,
      (node, scope) => of(`${quantiles(node, scope, [numberOr(node, 'fraction', 0)])}[1]`, double),
    ],
    [
      `${name}ToQuantiles`,
      (node, scope) => of(quantiles(node, scope, numbersIn(node, 'fractions')), arrayOf(double)),
    ],
    [
      `${name}ToRank`,
      (node, scope) =>
        of(call('rank', sketchOf(node, scope), doubleNumber(numberOr(node, 'value', 0))), double),
    ],
    [
      `${name}ToCDF`,
      (node, scope) => of(call('cdf', sketchOf(node, scope), points(node)), arrayOf(double)),
    ],
    [
      `${name}ToHistogram`,
      (node, scope) => {
        const sketch = sketchOf(node, scope);
        if (!has(node, 'splitPoints'))
          return of(call('bins', sketch, `${binsIn(node)}::BIGINT`), arrayOf(double));
        if (has(node, 'numBins')) throw malformed("Cannot accept both 'splitPoints' and 'numBins'");
        return of(call('histogram', sketch, points(node)), arrayOf(double));
      },
    ],
    [`${name}ToString`, (node, scope) => of(call('text', sketchOf(node, scope)), varchar)],
  ];
};

// The histogram that a post-aggregator names. Histograms with fixed buckets cannot be rebucketed.
function histogramIn(
  node: Node,
  scope: ResultScope,
  isEither = false,
): { readonly sql: string; readonly isFixed: boolean } {
  const name = textIn(node, 'fieldName');
  const { type, sql } = scope.aggregator(name) ? scope.raw(name) : scope.column([name], NOWHERE);
  const isFixed = type.complex === fixedBucketsHistogram.complex;
  if (type.complex !== approximateHistogram.complex && !(isFixed && isEither))
    throw malformed(
      `The field [${name}] of [${textIn(node, 'type')}] must be ${isEither ? 'a histogram' : 'an approximate histogram'}`,
    );
  return { sql, isFixed };
}

// Readers of both kinds of histograms, by the names of their DuckDB functions.
function ofHistogram(
  node: Node,
  scope: ResultScope,
  name: string,
  ranks?: readonly number[],
): string {
  const { sql, isFixed } = histogramIn(node, scope, true);
  const odd = ranks?.find((rank) =>
    isFixed ? !(rank >= 0 && rank <= 1) : !(rank > 0 && rank < 1),
  );
  if (odd !== undefined) throw malformed('quantile probabilities must be strictly between 0 and 1');
  const given = ranks?.map(doubleNumber);
  const list = name === 'quantiles' ? `[${given?.join(', ')}]::DOUBLE[]` : given?.[0];
  const [family, function_] = isFixed
    ? ['buckets', name]
    : ['histogram', name === 'quantile' ? 'quantile_of' : name];
  return `druid_${family}_${function_}(${[sql, ...(list === undefined ? [] : [list])].join(', ')})`;
}

const json = (sql: string): Typed => of(`${sql}::JSON`, complexType('json'));

// Post-aggregators of a tuple sketch.
const ofTuples =
  (macro: string, type: Typed['type'], more: (node: Node) => string = () => ''): Kind =>
  (node, scope) => {
    const field = postAggregate(node.field, scope);
    if (field.type.complex !== tupleSketch.complex)
      throw malformed(
        `The field of [${textIn(node, 'type')}] must be of type [arrayOfDoublesSketch]`,
      );
    return of(`${macro}(${field.sql}${more(node)})`, type);
  };

const finalValue: Kind = (node, scope) => finalOf(textIn(node, 'fieldName'), scope);

/** The displayed value of a column, also of an aggregator whose sketch the query above reads. */
export function finalOf(name: string, scope: ResultScope): Typed {
  const aggregator = scope.aggregator(name);
  return aggregator
    ? { type: aggregator.finalType, sql: aggregator.final(scope.raw(name).sql), at: NOWHERE }
    : scope.column([name], NOWHERE);
}

function tupleSetOperation(node: Node, scope: ResultScope): Typed {
  const size = wholeOr(node, 'nominalEntries', defaultTupleSize);
  checkTupleSize(size);
  const operation = textIn(node, 'operation').toUpperCase();
  const sets = fieldsOf(node, scope, 'arrayOfDoublesSketch');
  switch (operation) {
    case 'UNION':
      return of(`druid_tuple_union(${sets}, ${size}::BIGINT)`, tupleSketch);
    case 'INTERSECT':
      return of(`druid_tuple_intersect(${sets})`, tupleSketch);
    case 'NOT':
      return of(`druid_tuple_not(${sets})`, tupleSketch);
    default:
      throw malformed(`Unknown set operation [${operation}]; known are [UNION, INTERSECT, NOT]`);
  }
}

const fieldsOf = (node: Node, scope: ResultScope, complex: string): string => {
  const sketches = listIn(node, 'fields', (field) => postAggregate(field, scope));
  if (sketches.length === 0) throw malformed('Illegal number of fields[0], must be > 0');
  if (sketches.some(({ type }) => type.complex !== complex))
    throw malformed(`The fields of [${textIn(node, 'type')}] must be of type [${complex}]`);
  return `[${sketches.map(({ sql }) => sql).join(', ')}]::BLOB[]`;
};

function hllUnion(node: Node, scope: ResultScope): Typed {
  const lgK = wholeOr(node, 'lgK', 12);
  checkLgK(lgK);
  const bits = hllBits(textOr(node, 'tgtHllType', 'HLL_4'));
  return of(
    `druid_hll_set_union(${fieldsOf(node, scope, 'HLLSketch')}, ${lgK}::BIGINT, ${bits}::BIGINT)`,
    hllSketch,
  );
}

function thetaOperation(node: Node, scope: ResultScope): Typed {
  const size = wholeOr(node, 'size', 16384);
  checkThetaSize(size);
  if (!has(node, 'func')) throw malformed('[func] of [thetaSketchSetOp] must not be null');
  const func = textIn(node, 'func');
  const given = listIn(node, 'fields', (field) => field);
  if (given.length < 2) throw malformed(`Illegal number of fields[${given.length}], must be > 1`);
  const sets = fieldsOf(node, scope, 'thetaSketch');
  const operations: Readonly<Record<string, string>> = {
    UNION: `druid_theta_union(${sets}, ${size}::BIGINT)`,
    INTERSECT: `druid_theta_intersect(${sets})`,
    NOT: `druid_theta_not(${sets})`,
  };
  const sql = Object.hasOwn(operations, func) ? operations[func] : undefined;
  if (sql === undefined)
    throw malformed(
      `Unknown set operation [${func}]; known are [${Object.keys(operations).join(', ')}]`,
    );
  return of(sql, thetaSketch);
}

const kinds: Readonly<Record<string, Kind>> = {
  arithmetic,
  fieldAccess: access,
  finalizingFieldAccess: finalValue,
  constant(node) {
    const value = node.value;
    if (typeof value === 'bigint') return constantOf(value, bigint, NOWHERE);
    const given = numberIn(node, 'value');
    return Number.isInteger(given)
      ? constantOf(BigInt(given), bigint, NOWHERE)
      : constantOf(given, double, NOWHERE);
  },
  expression(node, scope) {
    const value = resolveNativeExpression(textIn(node, 'expression'), scope);
    const type = has(node, 'outputType') ? sqlTypeOfNative(textIn(node, 'outputType')) : undefined;
    return type && (isNumeric(type) || type.name === 'VARCHAR') && value.type.name !== 'ARRAY'
      ? castTo(value, type, 'UTC')
      : value;
  },
  doubleGreatest: extreme('greatest', double),
  doubleLeast: extreme('least', double),
  longGreatest: extreme('greatest', bigint),
  longLeast: extreme('least', bigint),
  hyperUniqueCardinality: finalValue,
  thetaSketchEstimate(node, scope) {
    if (!has(node, 'errorBoundsStdDev')) return ofSketch('THETA_SKETCH_ESTIMATE')(node, scope);
    const deviations = literalOf(deviationsIn(node, 'errorBoundsStdDev'));
    const withBounds = ofSketch('THETA_SKETCH_ESTIMATE_WITH_ERROR_BOUNDS', () => [deviations]);
    return json(withBounds(node, scope).sql);
  },
  thetaSketchSetOp: thetaOperation,
  thetaSketchConstant: (node) =>
    of(`druid_theta_read(${quote(textIn(node, 'value'))})`, thetaSketch),
  thetaSketchToString(node, scope) {
    const sketch = postAggregate(node.field, scope);
    const isComputed = nodeOf(node.field, 'field').type === 'thetaSketchSetOp';
    return of(`druid_theta_text(${sketch.sql}, ${isComputed})`, varchar);
  },
  HLLSketchEstimate: ofSketch('HLL_SKETCH_ESTIMATE', (node) =>
    truthOr(node, 'round', false)
      ? [{ kind: 'literal', type: 'boolean', text: 'TRUE', at: NOWHERE }]
      : [],
  ),
  HLLSketchEstimateWithBounds: ofSketch('HLL_SKETCH_ESTIMATE_WITH_ERROR_BOUNDS', (node) => [
    literalOf(deviationsIn(node, 'numStdDev')),
  ]),
  HLLSketchUnion: hllUnion,
  HLLSketchToString: ofSketch('HLL_SKETCH_TO_STRING'),
  quantilesDoublesSketchToQuantile: ofSketch('DS_GET_QUANTILE', (node) => [
    castAs(literalOf(numberOr(node, 'fraction', 0)), 'DOUBLE'),
  ]),
  quantilesDoublesSketchToQuantiles: listOfSketch(
    'druid_doubles_quantiles',
    'fractions',
    checkRanks,
  ),
  quantilesDoublesSketchToRank: ofSketch('DS_RANK', (node) => [
    castAs(literalOf(numberOr(node, 'value', 0)), 'DOUBLE'),
  ]),
  quantilesDoublesSketchToCDF: listOfSketch('druid_doubles_cdf', 'splitPoints', checkSplitPoints),
  quantilesDoublesSketchToHistogram: quantilesHistogram,
  quantilesDoublesSketchToString: ofSketch('DS_QUANTILE_SUMMARY'),
  arrayOfDoublesSketchToEstimate: ofTuples('druid_tuple_estimate', double),
  arrayOfDoublesSketchToEstimateAndBounds: ofTuples(
    'druid_tuple_bounds',
    arrayOf(double),
    (node) => `, ${deviationsIn(node, 'numStdDevs')}::BIGINT`,
  ),
  arrayOfDoublesSketchToNumEntries: ofTuples('druid_tuple_count', bigint),
  arrayOfDoublesSketchToMeans: ofTuples('druid_tuple_means', arrayOf(double)),
  arrayOfDoublesSketchToVariances: ofTuples('druid_tuple_variances', arrayOf(double)),
  arrayOfDoublesSketchToMetricsSumEstimate: ofTuples('druid_tuple_sums', arrayOf(double)),
  arrayOfDoublesSketchSetOp: tupleSetOperation,
  ...Object.fromEntries(Object.entries(kllKinds).flatMap(([name, kind]) => kllKindsOf(name, kind))),
  stddev(node, scope) {
    const variance = castTo(scope.column([textIn(node, 'fieldName')], NOWHERE), double, 'UTC');
    return of(`druid_sqrt(${variance.sql})`, double);
  },
  javascript() {
    throw cannotRun('JavaScript is disabled', javaClasses.javaState);
  },
  quantile: (node, scope) =>
    of(ofHistogram(node, scope, 'quantile', [numberOr(node, 'probability', 0)]), float),
  quantiles(node, scope) {
    const ranks = listIn(node, 'probabilities', (value) =>
      numberIn({ probabilities: value }, 'probabilities'),
    );
    return json(ofHistogram(node, scope, 'quantiles', ranks));
  },
  equalBuckets(node, scope) {
    const buckets = wholeOr(node, 'numBuckets', 7);
    if (buckets < 2 || buckets > mostBins)
      throw malformed(`[numBuckets] is [${buckets}], but must be between 2 and ${mostBins}`);
    return json(`druid_histogram_equal(${histogramIn(node, scope).sql}, ${buckets}::BIGINT)`);
  },
  buckets(node, scope) {
    const width = numberIn(node, 'bucketSize');
    if (!(width > 0)) throw malformed(`[bucketSize] is [${width}], but must be greater than 0`);
    const offset = numberOr(node, 'offset', 0);
    return json(
      `druid_histogram_buckets(${histogramIn(node, scope).sql}, ${doubleNumber(width)}, ${doubleNumber(offset)})`,
    );
  },
  customBuckets(node, scope) {
    const breaks = listIn(node, 'breaks', (value) => numberIn({ breaks: value }, 'breaks'));
    if (breaks.length < 2) throw malformed('[breaks] must list at least two numbers');
    return json(
      `druid_histogram_custom(${histogramIn(node, scope).sql}, [${breaks.map(doubleNumber).join(', ')}]::DOUBLE[])`,
    );
  },
  min: (node, scope) => of(ofHistogram(node, scope, 'least'), float),
  max: (node, scope) => of(ofHistogram(node, scope, 'greatest'), float),
};
