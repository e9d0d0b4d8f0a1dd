// Functions that read sketches, or combine them as sets.
import { areSplitPoints, unorderedPoints } from '../../sketches/quantiles.ts';
import { defaultTupleSize } from '../../sketches/tuple.ts';
import type { Position } from '../ast.ts';
import type { Typed } from '../expressions/typed.ts';
import { invalidSql, notLiteral, unplannable, unsupportedSql } from '../sql-error.ts';
import { arrayOf, double, isNumeric, type SqlType, varchar } from '../types.ts';
import {
  any,
  asDouble,
  druidFunction,
  type ParameterType,
  type ScalarFunction,
  wholeNumber,
} from './scalar-function.ts';
import {
  checkLgK,
  checkRank,
  checkThetaSize,
  checkTupleSize,
  defaultThetaSize,
  hllSettingsOf,
  hllSketch,
  quantilesSketch,
  thetaSketch,
  tupleSketch,
} from './sketches.ts';

const numbers: SqlType = { name: 'OTHER' }; // a list that is only printed

const estimateOf = (type: SqlType): ParameterType => ({
  text: 'COMPLEX',
  accepts: ({ name, complex }) =>
    name === 'OTHER' && (complex === undefined || complex === type.complex),
});
const sketch = (type: SqlType): ParameterType => ({
  ...estimateOf(type),
  text: 'ANY',
  refusal: unplannable,
});

const condition: ParameterType = { text: 'BOOLEAN', accepts: ({ name }) => name === 'BOOLEAN' };

const onlyOfAggregates = (name: string) =>
  unsupportedSql(
    `${name} can only be used on aggregates. It cannot be used directly on a column or on a scalar expression.`,
  );

// Operations on tuple sketches, with the nominal size as the last argument.
const tupleOperation = (text: (sets: string, size: number) => string): ScalarFunction =>
  druidFunction(
    [any, any],
    tupleSketch,
    (_, { name, args }) => {
      const last = args.at(-1);
      const isSized = last?.constant !== undefined && isNumeric(last.type);
      const sets = isSized ? args.slice(0, -1) : args;
      if (sets.length === 0 || sets.some(({ type }) => type.complex !== tupleSketch.complex))
        throw onlyOfAggregates(name);
      const size = isSized ? Number(last.constant) : defaultTupleSize;
      checkTupleSize(size);
      return text(`[${sets.map(({ sql }) => sql).join(', ')}]::BLOB[]`, size);
    },
    { variadic: true },
  );

// Operations on sketches of one kind. Settings are literals and come first.
const setsOperation = (
  type: SqlType,
  mostSettings: number,
  refusal: (name: string) => Error,
  text: (sets: string, settings: readonly Typed[]) => string,
): ScalarFunction =>
  druidFunction(
    [any, any],
    type,
    (_, { name, args }) => {
      const first = args.findIndex((arg) => arg.type.name === 'OTHER');
      const [settings, sets] = [args.slice(0, Math.max(first, 0)), args.slice(Math.max(first, 0))];
      if (
        first === -1 ||
        settings.length > mostSettings ||
        sets.some((set) => set.type.complex !== type.complex)
      )
        throw refusal(name);
      const unknown = settings.find(({ constant }) => constant === undefined);
      if (unknown) throw notLiteral(name, unknown.at);
      return text(`[${sets.map(({ sql }) => sql).join(', ')}]::BLOB[]`, settings);
    },
    { variadic: true },
  );

const thetaOperation = (
  mostSettings: number,
  text: (sets: string, size: number) => string,
): ScalarFunction =>
  setsOperation(thetaSketch, mostSettings, onlyOfAggregates, (sets, [given]) => {
    const size = given ? Number(given.constant) : defaultThetaSize;
    checkThetaSize(size);
    return text(sets, size);
  });

// Numbers derived from a sketch and literals, as the text of a list.
const listOfSketch = (
  macro: string,
  check: (points: readonly number[], at: Position) => void,
): ScalarFunction =>
  druidFunction(
    [sketch(quantilesSketch), { ...asDouble, literal: 'written' }],
    numbers,
    ([bytes, ...points], { args, at }) => {
      check(
        args.slice(1).map(({ constant }) => Number(constant)),
        at,
      );
      return `druid_numbers_json(${macro}(${bytes}, [${points.join(', ')}]::DOUBLE[]))`;
    },
    { variadic: true },
  );

function checkSplitPoints(points: readonly number[], at: Position): void {
  if (!areSplitPoints(points)) throw invalidSql(unorderedPoints, at);
}

/** Functions that read sketches. */
export const sketchFunctions: Readonly<Record<string, ScalarFunction>> = {
  HLL_SKETCH_ESTIMATE: druidFunction(
    [estimateOf(hllSketch), condition],
    double,
    ([set], { args }) =>
      args[1]?.constant === true
        ? `floor(druid_hll_estimate(${set}) + 0.5)`
        : `druid_hll_estimate(${set})`,
    { optional: 1 },
  ),
  HLL_SKETCH_ESTIMATE_WITH_ERROR_BOUNDS: druidFunction(
    [sketch(hllSketch), wholeNumber],
    arrayOf(double),
    ([set, deviations = '1']) => `druid_hll_bounds(${set}, ${deviations}::BIGINT)`,
    { optional: 1 },
  ),
  HLL_SKETCH_TO_STRING: druidFunction(
    [sketch(hllSketch)],
    varchar,
    ([set]) => `druid_hll_text(${set})`,
  ),
  HLL_SKETCH_UNION: setsOperation(
    { ...hllSketch, isUnnamed: true },
    2,
    unplannable,
    (sets, settings) => {
      const { lgK, bits } = hllSettingsOf(settings);
      checkLgK(lgK);
      return `druid_hll_set_union(${sets}, ${lgK}::BIGINT, ${bits}::BIGINT)`;
    },
  ),
  THETA_SKETCH_ESTIMATE: druidFunction(
    [estimateOf(thetaSketch)],
    double,
    ([set]) => `druid_theta_estimate(${set})`,
  ),
  THETA_SKETCH_ESTIMATE_WITH_ERROR_BOUNDS: druidFunction(
    [sketch(thetaSketch), wholeNumber],
    thetaSketch, // as the engine names the result type
    ([set, deviations]) => `druid_theta_bounds(${set}, ${deviations}::BIGINT)`,
  ),
  THETA_SKETCH_UNION: thetaOperation(
    1,
    (sets, size) => `druid_theta_union(${sets}, ${size}::BIGINT)`,
  ),
  THETA_SKETCH_INTERSECT: thetaOperation(1, (sets) => `druid_theta_intersect(${sets})`),
  THETA_SKETCH_NOT: thetaOperation(1, (sets) => `druid_theta_not(${sets})`),
  DS_GET_QUANTILE: druidFunction(
    [sketch(quantilesSketch), asDouble],
    double,
    ([bytes, rank], { args: [, given] }) => {
      if (given && given.constant !== undefined) checkRank(Number(given.constant));
      return `druid_doubles_quantile(${bytes}, ${rank})`;
    },
  ),
  DS_GET_QUANTILES: listOfSketch('druid_doubles_quantiles', (ranks) => {
    for (const rank of ranks) checkRank(rank);
  }),
  DS_RANK: druidFunction(
    [sketch(quantilesSketch), asDouble],
    double,
    ([bytes, point]) => `druid_doubles_rank(${bytes}, ${point})`,
  ),
  DS_CDF: listOfSketch('druid_doubles_cdf', checkSplitPoints),
  DS_HISTOGRAM: listOfSketch('druid_doubles_histogram', checkSplitPoints),
  DS_QUANTILE_SUMMARY: druidFunction(
    [sketch(quantilesSketch)],
    varchar,
    ([bytes]) => `druid_doubles_text(${bytes})`,
  ),
  DS_TUPLE_DOUBLES_METRICS_SUM_ESTIMATE: druidFunction(
    [sketch(tupleSketch)],
    arrayOf(double),
    ([tuples]) => `druid_tuple_sums(${tuples})`,
  ),
  DS_TUPLE_DOUBLES_UNION: tupleOperation(
    (sets, size) => `druid_tuple_union(${sets}, ${size}::BIGINT)`,
  ),
  DS_TUPLE_DOUBLES_INTERSECT: tupleOperation((sets) => `druid_tuple_intersect(${sets})`),
  DS_TUPLE_DOUBLES_NOT: tupleOperation((sets) => `druid_tuple_not(${sets})`),
};
