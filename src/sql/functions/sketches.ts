// Sketches: here a sketch is the exact set or list of its values, so estimates are exact, or say what the real sketch says of a small set.

import { type Aggregate, collected } from '../aggregate.ts';
import type { Position } from '../ast.ts';
import { castTo, toDouble } from '../casts.ts';
import { firstValue, isList } from '../multi-value.ts';
import { cannotCall, invalidSql, notLiteral, unplannable } from '../sql-error.ts';
import type { Typed } from '../typed.ts';
import { arrayOf, complexType, double, isNumeric, isText, type SqlType, varchar } from '../types.ts';
import { any, asDouble, druidFunction, type Parameter, type ScalarFunction, wholeNumber } from './scalar-function.ts';

export const hllSketch = complexType('HLLSketch');
export const thetaSketch = complexType('thetaSketch');
export const quantilesSketch = complexType('quantilesDoublesSketch');
const tupleSketch = complexType('arrayOfDoublesSketch');

// The values as texts, each once. A sketch column counts as what it holds already.
function valuesOf(arg: Typed | undefined, zone: string, over: (aggregate: string) => string): string {
  if (!arg) return '';
  if (arg.type.name === 'OTHER') return `list_distinct(flatten(${collected(`${arg.sql}`, over)}))`;
  const text = castTo(arg, varchar, zone);
  const all = isList(text) ? `flatten(${collected(`${text.sql}`, over)})` : collected(`DISTINCT ${text.sql}`, over);
  return `coalesce(list_distinct(list_filter(${all}, lambda item: item <> '')), []::VARCHAR[])`;
}

const setSketch = (type: SqlType): Aggregate => ({
  form: '<expr>, [<size>, [<type>]]',
  least: 1,
  most: 3,
  check(args, { name, at }) {
    if (args[0] && !isAmong(args[0], ['HLLSketch', 'thetaSketch'])) throw refuse(name, args, this.form, at);
    return type;
  },
  duckdb: ([arg], _, { timeZone }, over) => valuesOf(arg, timeZone, over),
});

const doublesOf = (arg: Typed, zone: string) => (isText(arg.type) ? castTo(arg, double, zone) : toDouble(arg, zone)).sql;

const doubles = (arg: Typed | undefined, zone: string, over: (aggregate: string) => string): string => {
  if (!arg) return '';
  if (arg.type.name === 'OTHER') return `list_sort(flatten(${collected(arg.sql, over)}))`;
  const listed = collected(doublesOf(arg, zone), over);
  return `coalesce(list_sort(${isList(arg) ? `flatten(${listed})` : listed}), []::DOUBLE[])`;
};

// Nested data is no sketch, nor is a sketch of another kind.
const isAmong = ({ type }: Typed, sketches: readonly string[]) =>
  type.name !== 'OTHER' || type.complex === undefined || sketches.includes(type.complex);

const refuse = (name: string, args: readonly Typed[], form: string, at: Position) => cannotCall({ name, at }, args, `${name}(${form})`);

const quantile = (text: (values: string, rest: readonly Typed[]) => string, least: number, most: number, form: string): Aggregate => ({
  form,
  least,
  most,
  check(args, { name, at }) {
    if (args[0] && !isAmong(args[0], ['quantilesDoublesSketch'])) throw refuse(name, args, form, at);
    const unknown = args.slice(1).find(({ constant }) => constant === undefined);
    if (unknown) throw notLiteral(name, unknown.at);
    if (args.slice(1, least).some(({ type }) => !isNumeric(type))) throw refuse(name, args, form, at);
    const fraction = Number(args[1]?.constant);
    if (!(fraction >= 0 && fraction <= 1)) throw invalidSql(`A normalized rank must be >= 0 and <= 1.0: ${fraction}`, at);
    return double;
  },
  duckdb: ([arg, ...rest], _, { timeZone }, over) =>
    text(
      doubles(arg, timeZone, over),
      rest.map((value) => (isNumeric(value.type) ? toDouble(value, timeZone) : value)),
    ),
});

export const sketchAggregates: Readonly<Record<string, Aggregate>> = {
  DS_HLL: setSketch(hllSketch),
  DS_THETA: setSketch(thetaSketch),
  DS_QUANTILES_SKETCH: {
    form: '<NUMERIC>, [<size>]',
    least: 1,
    most: 2,
    check(args, { name, at }) {
      if (args[0] && !isAmong(args[0], ['quantilesDoublesSketch'])) throw refuse(name, args, this.form, at);
      return quantilesSketch;
    },
    duckdb: ([arg], _, { timeZone }, over) => `list_filter(${doubles(arg, timeZone, over)}, lambda item: NOT isnan(item))`,
  },
  DS_TUPLE_DOUBLES: {
    form: '<expr>, [<metric>, ...], [<size>]',
    least: 1,
    most: Number.POSITIVE_INFINITY,
    check: () => tupleSketch,
    // Pairs of a key and the sums of its metrics.
    duckdb: ([key, ...metrics], _, { timeZone }, over) => {
      if (!key) return '';
      const sums = metrics
        .filter(({ constant }) => constant === undefined)
        .map((metric) => `coalesce(${doublesOf(firstValue(metric), timeZone)}, 0)`);
      return `druid_tuples(${collected(`{key: ${castTo(firstValue(key), varchar, timeZone).sql}, sums: [${sums.join(', ')}]::DOUBLE[]}`, over)})`;
    },
  },
  APPROX_QUANTILE_DS: quantile(
    (values, [fraction]) => `druid_quantile(list_filter(${values}, lambda item: NOT isnan(item)), ${fraction?.sql})`,
    2,
    3,
    '<NUMERIC>, <NUMERIC>, [<NUMERIC>]',
  ),
  APPROX_QUANTILE: quantile(
    (values, [fraction]) => `druid_float(druid_quantile(list_filter(${values}, lambda item: isfinite(item)), ${fraction?.sql}))`,
    2,
    3,
    '<NUMERIC>, <NUMERIC>, [<NUMERIC>]',
  ),
  APPROX_QUANTILE_FIXED_BUCKETS: quantile(
    (values, [fraction, buckets, low, high]) =>
      `druid_bucket_quantile(${values}, ${fraction?.sql}, ${buckets?.sql}, ${low?.sql}, ${high?.sql})`,
    5,
    6,
    '<NUMERIC>, <NUMERIC>, <NUMERIC>, <NUMERIC>, <NUMERIC>, [<CHARACTER>]',
  ),
};

const numbers: SqlType = { name: 'OTHER' }; // a list that is only printed

const estimated = (type: SqlType): Parameter => ({
  text: 'COMPLEX',
  accepts: ({ name, complex }) => name === 'OTHER' && (complex === undefined || complex === type.complex),
});
const sketch = (type: SqlType): Parameter => ({ ...estimated(type), refusal: unplannable });

const condition: Parameter = { text: 'BOOLEAN', accepts: ({ name }) => name === 'BOOLEAN' };

const setOperation = (type: SqlType, text: (sets: readonly string[]) => string): ScalarFunction =>
  druidFunction(
    [any, any],
    type,
    (_, { args }) => {
      const sets = args.filter((arg) => arg.type.name === 'OTHER');
      if (sets.length === 0 || sets.some((set) => set.type.complex !== type.complex)) throw unplannable();
      return text(sets.map(({ sql }) => sql));
    },
    { variadic: true },
  );

const union = (sets: readonly string[]) => `list_distinct(flatten([${sets.join(', ')}]))`;
const folded = (macro: string) => (sets: readonly string[]) => sets.reduce((left, right) => `${macro}(${left}, ${right})`);

const ofSketch = (returns: SqlType, macro: string): ScalarFunction =>
  druidFunction(
    [sketch(quantilesSketch), asDouble],
    returns,
    ([values, ...points]) => `to_json(${macro}(${values}, [${points.join(', ')}]))`,
    {
      variadic: true,
    },
  );

/** What is read from a sketch. */
export const sketchFunctions: Readonly<Record<string, ScalarFunction>> = {
  HLL_SKETCH_ESTIMATE: druidFunction(
    [estimated(hllSketch), condition],
    double,
    ([set], { args }) => (args[1]?.constant === true ? `len(${set})::DOUBLE` : `druid_hll_estimate(len(${set}))`),
    { optional: 1 },
  ),
  HLL_SKETCH_ESTIMATE_WITH_ERROR_BOUNDS: druidFunction(
    [sketch(hllSketch), wholeNumber],
    arrayOf(double),
    ([set, deviations = '1']) => `druid_hll_bounds(len(${set}), ${deviations})`,
    { optional: 1 },
  ),
  HLL_SKETCH_TO_STRING: druidFunction(
    [sketch(hllSketch)],
    varchar,
    ([set]) => `('### HLL SKETCH SUMMARY: ' || chr(10) || '  Estimate       : ' || len(${set}))`,
  ),
  HLL_SKETCH_UNION: setOperation(hllSketch, union),
  THETA_SKETCH_ESTIMATE: druidFunction([estimated(thetaSketch)], double, ([set]) => `len(${set})::DOUBLE`),
  THETA_SKETCH_ESTIMATE_WITH_ERROR_BOUNDS: druidFunction(
    [sketch(thetaSketch), wholeNumber],
    thetaSketch, // so the engine names what it answers
    ([set, deviations]) =>
      `json_object('estimate', len(${set})::DOUBLE, 'highBound', len(${set})::DOUBLE, 'lowBound', len(${set})::DOUBLE, 'numStdDev', ${deviations})`,
  ),
  THETA_SKETCH_UNION: setOperation(thetaSketch, union),
  THETA_SKETCH_INTERSECT: setOperation(thetaSketch, folded('list_intersect')),
  THETA_SKETCH_NOT: setOperation(thetaSketch, folded('druid_without')),
  DS_GET_QUANTILE: druidFunction(
    [sketch(quantilesSketch), asDouble],
    double,
    ([values, fraction]) => `druid_quantile(${values}, ${fraction})`,
  ),
  DS_GET_QUANTILES: ofSketch(numbers, 'druid_quantiles'),
  DS_RANK: druidFunction([sketch(quantilesSketch), asDouble], double, ([values, point]) => `druid_rank(${values}, ${point})`),
  DS_CDF: ofSketch(numbers, 'druid_cdf'),
  DS_HISTOGRAM: ofSketch(numbers, 'druid_sketch_histogram'),
  DS_QUANTILE_SUMMARY: druidFunction(
    [sketch(quantilesSketch)],
    varchar,
    ([values]) => `('### Quantiles DoublesSketch SUMMARY: ' || chr(10) || '   N : ' || len(${values}))`,
  ),
  DS_TUPLE_DOUBLES_METRICS_SUM_ESTIMATE: druidFunction([sketch(tupleSketch)], arrayOf(double), ([tuples]) => `druid_tuple_sums(${tuples})`),
  DS_TUPLE_DOUBLES_UNION: setOperation(tupleSketch, (sets) => `druid_tuples(flatten([${sets.join(', ')}]))`),
  DS_TUPLE_DOUBLES_INTERSECT: setOperation(tupleSketch, folded('druid_tuple_intersect')),
  DS_TUPLE_DOUBLES_NOT: setOperation(tupleSketch, folded('druid_tuple_without')),
};
