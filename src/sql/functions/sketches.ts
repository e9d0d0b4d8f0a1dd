// Aggregates that make sketches of Apache DataSketches, and quantiles of the engine's histograms.

import { doubleText } from '../../model/java-text.ts';
import { defaultResolution, mostResolution } from '../../sketches/approximate-histogram.ts';
import { type BucketSettings, outlierModes } from '../../sketches/fixed-buckets.ts';
import { isLgK } from '../../sketches/hll.ts';
import { defaultK, isQuantilesK, isRank, unknownRank } from '../../sketches/quantiles.ts';
import { isThetaSize, mostThetaSize } from '../../sketches/theta.ts';
import { defaultTupleSize, isTupleSize } from '../../sketches/tuple.ts';
import type { TextEncoding } from '../../sketches/value-hash.ts';
import type { Position } from '../ast.ts';
import { bindOnce } from '../expressions/bind-once.ts';
import { bitsText } from '../expressions/bit-range.ts';
import { castTo, constantOf, toDouble } from '../expressions/casts.ts';
import { doubleNumber, sideBySide } from '../expressions/duckdb-text.ts';
import { firstValue, isList, singleValued } from '../expressions/multi-value.ts';
import { groupableText } from '../expressions/signed-zero.ts';
import type { Environment, Typed } from '../expressions/typed.ts';
import {
  cannotCall,
  failedPlanning,
  invalidSql,
  notLiteral,
  SqlError,
  unsupportedSql,
} from '../sql-error.ts';
import {
  bigint,
  complexType,
  double,
  isInteger,
  isNumeric,
  isText,
  isTime,
  type SqlType,
  typeText,
  varchar,
} from '../types.ts';
import { type Aggregate, collect, wholeOf } from './aggregate.ts';

export const hllSketch = complexType('HLLSketch');
export const thetaSketch = complexType('thetaSketch');
export const quantilesSketch = complexType('quantilesDoublesSketch');
export const tupleSketch = complexType('arrayOfDoublesSketch');

// The hashes of the values of all rows, which a sketch counts. Null and the empty text hash to
// zero. Numbers and times are hashed by their bits. Each hash is collected once if the order of
// rows `isFree`.
function hashesOf(
  arg: Typed,
  zone: string,
  over: Over,
  hash: string,
  hashOfText: string,
  type: string,
  isFree: boolean,
): string {
  const collectHashes = (hashes: string) => collect(isFree ? `DISTINCT ${hashes}` : hashes, over);
  const ofNumber = (suffix: string, value: string) =>
    collectHashes(`coalesce(${hash}_of_${suffix}(${value}), 0)::${type}`);
  const long = longOf(arg, zone);
  if (long !== undefined) return ofNumber('long', long);
  if (isNumeric(arg.type) && !isList(arg)) return ofNumber('double', toDouble(arg, zone).sql);
  const text = castTo(arg, varchar, zone);
  const hashOf = (sql: string) => `coalesce(${hashOfText}(${sql}), 0)::${type}`;
  return isList(text)
    ? `list_transform(flatten(${collect(text.sql, over)}), lambda item: ${hashOf('item')})`
    : collectHashes(hashOf(sideBySide(text.sql)));
}

// A value that sketches hash as a 64-bit integer.
const longOf = (arg: Typed, zone: string): string | undefined =>
  !isList(arg) && (isInteger(arg.type) || isTime(arg.type) || arg.type.name === 'BOOLEAN')
    ? castTo(arg, bigint, zone).sql
    : undefined;

// Distinct integers in any order, for sketches that hash each of them once.
const distinctLongs = ({ distinctRows }: Typed, long: string, over: Over): string => {
  const list = distinctRows
    ? `(SELECT ${collect('v', (aggregate) => aggregate)} FROM ${distinctRows(long)})`
    : collect(`DISTINCT ${long}`, over);
  return `list_filter(coalesce(${list}, []::BIGINT[]), lambda item: item IS NOT NULL)`;
};

/**
 * The HLL sketch of values or of sketches, in 2^lgK registers of `bits` bits. The estimate of a
 * small datasource depends on the order of its rows. Larger ones have many segments, whose sketches
 * the engine merges without an order.
 */
export function hllSketchText(
  arg: Typed,
  { lgK, bits, encoding }: HllSettings,
  zone: string,
  over: Over,
): string {
  const settings = `${lgK}::BIGINT, ${bits}::BIGINT`;
  if (arg.type.name === 'OTHER')
    return `druid_hll_union(coalesce(${collect(arg.sql, over)}, []::BLOB[]), ${settings})`;
  const isFree = (arg.tableRows ?? 0) > mostOrderedRows;
  const long = isFree ? longOf(arg, zone) : undefined;
  const range = long === undefined || arg.distinctRows ? undefined : arg.bits?.();
  if (long !== undefined && range)
    return `druid_hll_of_bits(${bitsText(long, range, over)}, ${range.least}::BIGINT, ${settings})`;
  if (long !== undefined)
    return `druid_hll_of_distinct_longs(${distinctLongs(arg, long, over)}, ${settings})`;
  const coupons = hashesOf(
    arg,
    zone,
    over,
    'druid_hll_coupon',
    couponFunctions[encoding],
    'INTEGER',
    isFree,
  );
  return `druid_hll${isFree ? '_of_any_order' : ''}(coalesce(${coupons}, []::INTEGER[]), ${settings})`;
}

/** The DuckDB functions of the coupons of texts. */
export const couponFunctions: Readonly<Record<TextEncoding, string>> = {
  utf16le: 'druid_hll_coupon',
  utf8: 'druid_hll_coupon_of_utf8',
};

const mostOrderedRows = 1_000_000;

/** The theta sketch of values or of sketches, with a nominal size. */
export function thetaSketchText(arg: Typed, size: number, zone: string, over: Over): string {
  const settings = `${size}::BIGINT`;
  if (arg.type.name === 'OTHER')
    return `druid_theta_union(coalesce(${collect(arg.sql, over)}, []::BLOB[]), ${settings})`;
  const long = longOf(arg, zone);
  const range = long === undefined || arg.distinctRows ? undefined : arg.bits?.();
  if (long !== undefined && range)
    return `druid_theta_of_bits(${bitsText(long, range, over)}, ${range.least}::BIGINT, ${settings})`;
  if (long !== undefined)
    return `druid_theta_of_longs(${distinctLongs(arg, long, over)}, ${settings})`;
  const hashes = hashesOf(arg, zone, over, 'druid_theta_hash', 'druid_theta_hash', 'UBIGINT', true);
  return `druid_theta(coalesce(${hashes}, []::UBIGINT[]), ${settings})`;
}

/** The quantiles sketch of numbers or of sketches, with levels of k values. */
export const quantilesSketchText = (arg: Typed, k: number, zone: string, over: Over): string =>
  arg.type.name === 'OTHER'
    ? `druid_doubles_union(${sketchesIn(arg, over)}, ${k}::BIGINT)`
    : `druid_doubles(${doublesIn(arg, zone, over)}, ${k}::BIGINT)`;

// The quantile of a group, without the sketch's bytes if they are not needed. It is exact where
// there is memory for all values.
function quantileText(
  arg: Typed,
  k: number,
  rank: Typed | undefined,
  { timeZone: zone, mostRows, keepValues }: Environment,
  over: Over,
): string {
  if (arg.type.name === 'OTHER')
    return `druid_doubles_quantile(${quantilesSketchText(arg, k, zone, over)}, ${rank?.sql})`;
  if (typeof rank?.constant === 'number' && isRank(rank.constant) && !isList(arg)) {
    if (mostRows !== undefined && keepValues?.(mostRows))
      return exactText(arg, rank.constant, zone, over);
    if (k <= mostDigestK) return digestText(arg, k, rank.constant, zone, over);
  }
  return `druid_quantile_of_doubles(${doublesIn(arg, zone, over)}, ${k}::BIGINT, ${rank?.sql})`;
}

// The value that a sketch without an error would return.
function exactText(arg: Typed, rank: number, zone: string, over: Over): string {
  const number = doublesOf(arg, zone);
  const value = `CASE WHEN NOT isnan(${number}) THEN ${number} END`;
  return `coalesce(${over(`quantile_disc(${value}, ${rank}::DOUBLE)`)}, 'nan'::DOUBLE)`;
}

// A sketch is exact below 2k values. Above, DuckDB's t-digest needs bounded memory and is closer
// than a sketch of this k. It knows finite numbers only.
function digestText(arg: Typed, k: number, rank: number, zone: string, over: Over): string {
  const number = doublesOf(arg, zone);
  const value = `(CASE WHEN isfinite(${number}) THEN ${number} WHEN isnan(${number}) THEN NULL ELSE sign(${number}) * 1e300 END)`;
  const few = `druid_quantile_of_doubles(coalesce(${over(`min(${number}, ${2 * k})`)}, []::DOUBLE[]), ${k}::BIGINT, ${rank}::DOUBLE)`;
  const digest = over(`approx_quantile(${value}, ${rank}::FLOAT)`);
  const many = isInteger(arg.type) ? `round(${digest})` : digest;
  return `(CASE WHEN ${over(`count(${value})`)} < ${2 * k} THEN ${few} WHEN abs(${digest}) > 1e299 THEN sign(${digest}) * 'infinity'::DOUBLE ELSE ${many} END)`;
}

const mostDigestK = 256;

const sketchesIn = (arg: Typed, over: Over): string =>
  `coalesce(${collect(arg.sql, over)}, []::BLOB[])`;

function doublesIn(arg: Typed, zone: string, over: Over): string {
  const notNullText = (sql: string) => `coalesce(${sql}, 'nan'::DOUBLE)`; // which does not count
  const number = doublesOf(arg, zone);
  const list = isList(arg)
    ? `list_transform(flatten(${collect(number, over)}), lambda item: ${notNullText('item')})`
    : collect(notNullText(number), over);
  return `coalesce(${list}, []::DOUBLE[])`;
}

/** Throws SqlError unless quantiles sketches support levels of this size. */
export function checkQuantilesK(k: number): void {
  if (isQuantilesK(k)) return;
  if (Number.isInteger(Math.log2(k)) && k > 0)
    throw new SqlError(`K must be >= 2 and <= 32768 and a power of 2: ${k}`);
  throw unplannedSetting(
    `The value of the int argument "k" must be a positive integer-power of 2 and greater than 0: ${k}`,
  );
}

export interface HllSettings {
  readonly lgK: number;
  readonly bits: number;
  readonly encoding: TextEncoding;
}

/** The settings of an HLL sketch, from literals; a missing one has its default. */
export const hllSettingsOf = ([lgK, type]: readonly (Typed | undefined)[]): HllSettings => ({
  lgK: wholeOf(lgK, 12),
  bits: type ? hllBits(String(type.constant)) : 4,
  encoding: 'utf16le',
});

/** The bits of `HLL_4`, `HLL_6` and `HLL_8`. Throws SqlError for any other name. */
export function hllBits(name: string): number {
  const bits = /^HLL_([468])$/.exec(name)?.[1];
  if (bits === undefined)
    throw unplannedSetting(`No HLL sketch has the type [${name}]; use HLL_4, HLL_6 or HLL_8`);
  return Number(bits);
}

/** Throws SqlError unless HLL sketches support 2^lgK registers. */
export function checkLgK(lgK: number): void {
  if (!isLgK(lgK)) throw new SqlError(`Log K must be between 4 and 21, inclusive: ${lgK}`);
}

/** Throws SqlError unless theta sketches support this nominal size. */
export function checkThetaSize(size: number): void {
  if (isThetaSize(size)) return;
  if (size > mostThetaSize)
    throw new SqlError(
      `The size of a theta sketch must be at most [${mostThetaSize}], not [${size}]`,
    );
  throw unplannedSetting(
    `The value of the int argument "size" must be a positive integer-power of 2 and greater than 0: ${size}`,
  );
}

const unplannedSetting = (message: string) =>
  new SqlError(message, { category: 'UNCATEGORIZED', code: 'general', persona: 'ADMIN' });

type Over = (aggregate: string) => string;

// Settings must be literals.
function checkSettings(name: string, args: readonly Typed[], form: string, at: Position): void {
  const [arg, size, type] = args;
  const unknown = args.slice(1).find(({ isLiteral }) => !isLiteral);
  if (unknown) throw notLiteral(name, unknown.at);
  if (
    !arg ||
    arg.type.name === 'ARRAY' ||
    (size && !isNumeric(size.type)) ||
    (type && !isText(type.type))
  )
    throw refuse(name, args, form, at);
}

const setSketch = (
  type: SqlType,
  most: 2 | 3,
  checkSize: (size: number) => void,
  text: (arg: Typed, settings: readonly Typed[], zone: string, over: Over) => string,
): Aggregate => ({
  form: most === 3 ? '<expr>, [<size>, [<type>]]' : '<expr>, [<size>]',
  least: 1,
  most,
  check(args, { name, at }) {
    if (args[0] && !isAmong(args[0], [type.complex ?? ''])) throw refuse(name, args, this.form, at);
    checkSettings(name, args, this.form, at);
    if (args[1]) checkSize(wholeOf(args[1], 0));
    if (args[2]) hllBits(String(args[2].constant));
    return type;
  },
  duckdb: ([arg, ...settings], _, { timeZone }, over) =>
    arg ? text(arg, settings, timeZone, over) : '',
});

const hllAggregate = setSketch(hllSketch, 3, checkLgK, (arg, settings, zone, over) =>
  hllSketchText(arg, hllSettingsOf(settings), zone, over),
);
const hllOfUtf8 = setSketch(hllSketch, 3, checkLgK, (arg, settings, zone, over) =>
  hllSketchText(arg, { ...hllSettingsOf(settings), encoding: 'utf8' }, zone, over),
);
const thetaAggregate = setSketch(thetaSketch, 2, checkThetaSize, (arg, [size], zone, over) =>
  thetaSketchText(arg, wholeOf(size, defaultThetaSize), zone, over),
);

/** The nominal size of theta sketches by default. */
export const defaultThetaSize = 16384;

// The estimate of a sketch, rounded to a whole number.
const countOf = (sketch: Aggregate, estimate: (sketch: string) => string): Aggregate => ({
  ...sketch,
  emptyValue: 0,
  form: sketch.form.replace('<expr>', '<ANY>'),
  check(args, call, environment) {
    const [, size] = args;
    if (
      args.slice(1).some(({ constant }) => constant === undefined) ||
      (size && !isInteger(size.type))
    )
      throw refuse(call.name, args, this.form, call.at);
    sketch.check.call(this, args, call, environment);
    return bigint;
  },
  duckdb(args, call, environment, over, order, finest) {
    const [arg] = args;
    const counted = environment.window && arg && countInWindow(arg, environment.timeZone, over);
    return counted ?? estimate(sketch.duckdb(args, call, environment, over, order, finest));
  },
});

// Each row of a window would have a sketch of its own. Counting distinct values takes less time,
// and is closer. The empty text does not count.
function countInWindow(arg: Typed, zone: string, over: Over): string | undefined {
  if (arg.type.name === 'OTHER' || isList(arg)) return undefined;
  const value = isNumeric(arg.type)
    ? groupableText(arg.sql, arg.type)
    : (longOf(arg, zone) ?? `nullif(${castTo(arg, varchar, zone).sql}, '')`);
  return over(`count(DISTINCT ${value})`);
}

/** Rounds half up, as in Java. */
export const roundToLong = (sql: string): string => `floor(${sql} + 0.5)::BIGINT`;

const doublesOf = (arg: Typed, zone: string) =>
  (isText(arg.type) ? castTo(arg, double, zone) : toDouble(arg, zone)).sql;

// Sketches skip arrays, and rows with several values.
function singleNumber(arg: Typed): Typed {
  if (arg.type.name === 'ARRAY') return constantOf(null, double, arg.at);
  if (!isList(arg)) return arg;
  const sql = bindOnce([arg.sql], ([x]) => `CASE WHEN len(${x}) = 1 THEN ${x}[1] END`);
  return { type: singleValued(arg.type), at: arg.at, sql: `(${sql})` };
}

// The numbers of a group without nulls.
function numbersIn(
  arg: Typed,
  zone: string,
  over: Over,
  isCounted: (item: string) => string,
): string {
  const listed = collect(doublesOf(arg, zone), over);
  return `coalesce(list_filter(${isList(arg) ? `flatten(${listed})` : listed}, lambda item: ${isCounted('item')}), []::DOUBLE[])`;
}

// Nested data and sketches of another kind are refused.
const isAmong = ({ type }: Typed, sketches: readonly string[]) =>
  type.name !== 'OTHER' || type.complex === undefined || sketches.includes(type.complex);

const refuse = (name: string, args: readonly Typed[], form: string, at: Position) =>
  cannotCall({ name, at }, args, `${name}(${form})`);

type QuantileText = (
  arg: Typed,
  rest: readonly Typed[],
  environment: Environment,
  over: Over,
) => string;

const quantile = (
  form: string,
  least: number,
  most: number,
  isOfSketches: boolean,
  text: QuantileText,
  checkSettings?: (args: readonly Typed[], at: Position) => void,
): Aggregate => ({
  readsDoubles: true,
  form,
  least,
  most,
  check(args, { name, at }) {
    const [arg] = args;
    if (arg?.type.name === 'OTHER' && !(isOfSketches && isAmong(arg, ['quantilesDoublesSketch'])))
      throw refuse(name, args, form, at);
    const unknown = args.slice(1).find(({ isLiteral }) => !isLiteral);
    if (unknown) throw notLiteral(name, unknown.at);
    if (args.slice(1, least).some(({ type }) => !isNumeric(type)))
      throw refuse(name, args, form, at);
    const fraction = Number(args[1]?.constant);
    checkRank(fraction);
    if (isOfSketches && args[2] && !isNumeric(args[2].type)) throw refuse(name, args, form, at);
    if (isOfSketches && args[2]) checkQuantilesK(wholeOf(args[2], 0));
    checkSettings?.(args, at);
    return double;
  },
  duckdb: ([arg, ...rest], _, environment, over) =>
    arg
      ? text(
          isOfSketches ? singleNumber(arg) : arg,
          rest.map((value) =>
            isNumeric(value.type) ? toDouble(value, environment.timeZone) : value,
          ),
          environment,
          over,
        )
      : '',
});

function checkResolution([, , resolution]: readonly Typed[], at: Position): void {
  const size = wholeOf(resolution, defaultResolution);
  if (size > 0 && size <= mostResolution) return;
  throw invalidSql(
    `The resolution of APPROX_QUANTILE must be from 1 to ${mostResolution}, not [${resolution?.constant}]`,
    at,
  );
}

function checkFixedBuckets([, , buckets, low, high, mode]: readonly Typed[], at: Position): void {
  const count = wholeOf(buckets, 0);
  if (!(count > 0 && count < 2 ** 31))
    throw invalidSql(
      `numBuckets must be > 0 and < 2147483648, got [${buckets?.constant}] instead.`,
      at,
    );
  const [lower, upper] = [Number(low?.constant), Number(high?.constant)];
  if (!(upper > lower))
    throw invalidSql(`Upper limit [${upper}] must be greater than lower limit [${lower}].`, at);
  if (outlierModeOf(mode) === undefined)
    throw invalidSql(
      `The outlier mode must be one of [${outlierModes.join(', ')}], not [${mode?.constant}]`,
      mode?.at ?? at,
    );
}

const outlierModeOf = (mode: Typed | undefined) =>
  mode === undefined
    ? 'ignore'
    : outlierModes.find((known) => known === String(mode.constant).toLowerCase());

// A literal number at the end is the nominal size, not a metric.
function tupleArguments(args: readonly Typed[]): {
  readonly key: Typed;
  readonly metrics: readonly Typed[];
  readonly size: number;
} {
  const [key, ...rest] = args;
  if (!key) throw new TypeError('A tuple sketch has a key');
  const last = rest.at(-1);
  const isSized = last?.constant !== undefined && isNumeric(last.type);
  return {
    key,
    metrics: isSized ? rest.slice(0, -1) : rest,
    size: isSized ? wholeOf(last, defaultTupleSize) : defaultTupleSize,
  };
}

/** Throws SqlError unless tuple sketches support this nominal size. */
export function checkTupleSize(size: number): void {
  if (!isTupleSize(size))
    throw unplannedSetting(
      `The value of the int argument "nominalEntries" must be a positive integer-power of 2 and greater than 0, from 16 to 67108864: ${size}`,
    );
}

/** The type of an approximate histogram. */
export const approximateHistogram = complexType('approximateHistogram');

/** The approximate histogram of numbers or of histograms, with `size` bins. */
export const histogramText = (arg: Typed, size: number, over: Over): string =>
  arg.type.name === 'OTHER'
    ? `druid_histogram_union(coalesce(${collect(arg.sql, over)}, []::BLOB[]), ${size}::BIGINT)`
    : `druid_histogram(${numbersIn(arg, 'UTC', over, (item) => `isfinite(${item})`)}, ${size}::BIGINT)`;

/** The type of a histogram of fixed buckets. */
export const fixedBucketsHistogram = complexType('fixedBucketsHistogram');

/** The histogram with fixed buckets, from numbers or from histograms. */
export function fixedBucketsText(
  arg: Typed,
  { count, low, high, mode }: BucketSettings,
  over: Over,
): string {
  const settings = `${count}::BIGINT, ${doubleNumber(low)}, ${doubleNumber(high)}, '${mode}'`;
  if (arg.type.name === 'OTHER')
    return `druid_buckets_union(coalesce(${collect(arg.sql, over)}, []::BLOB[]), ${settings})`;
  const missing = `${over('count(*)')} - ${over(`count(${arg.sql})`)}`;
  return `druid_buckets(${numbersIn(arg, 'UTC', over, (item) => `${item} IS NOT NULL`)}, ${missing}, ${settings})`;
}

/** Throws SqlError unless the settings of fixed buckets are valid. `most` is the largest count. */
export function checkBuckets({ count, low, high }: BucketSettings, most: number): void {
  if (!(count > 0 && count <= most))
    throw new SqlError(`numBuckets must be > 0 and <= ${most}, got [${count}] instead.`);
  if (!Number.isFinite(high - low))
    throw new SqlError('The limits of fixed buckets must be finite numbers');
  if (!(high > low))
    throw new SqlError(
      `Upper limit [${doubleText(high)}] must be greater than lower limit [${doubleText(low)}].`,
    );
}

/** The tuple sketch of keys with numbers beside them, or of sketches, with a nominal size. */
export function tupleSketchText(
  key: Typed,
  metrics: readonly Typed[],
  size: number,
  zone: string,
  over: Over,
): string {
  const settings = `${Math.max(metrics.length, 1)}::BIGINT, ${size}::BIGINT`;
  if (key.type.name === 'OTHER')
    return `druid_tuple_union(coalesce(${collect(key.sql, over)}, []::BLOB[]), ${size}::BIGINT)`;
  const numbers = `[${metrics.map((metric) => `coalesce(${doublesOf(firstValue(metric), zone)}, 0)`).join(', ')}]::DOUBLE[]`;
  const text = castTo(key, varchar, zone);
  const hash = (sql: string) => `coalesce(druid_theta_hash(${sql}), 0)::UBIGINT`;
  const given = isList(text)
    ? `list_transform(${text.sql}, lambda item: ${hash('item')})`
    : `[${hash(text.sql)}]`;
  // A row without one of the numbers is left out.
  const without = metrics.map((metric) => `${firstValue(metric).sql} IS NULL`).join(' OR ');
  const hashes = without === '' ? given : `CASE WHEN ${without} THEN NULL ELSE ${given} END`;
  const rows = `coalesce(${collect(`{hashes: coalesce(${hashes}, []::UBIGINT[]), numbers: ${numbers}}`, over)}, [])`;
  return bindOnce([rows], ([held]) => {
    const listed = `flatten(list_transform(${held}, lambda r: r.hashes))`;
    // A row with several keys adds its numbers for each of them.
    const repeated = `flatten(flatten(list_transform(${held}, lambda r: list_transform(r.hashes, lambda h: r.numbers))))`;
    return `druid_tuple(coalesce(${listed}, []::UBIGINT[]), coalesce(${repeated}, []::DOUBLE[]), ${settings})`;
  });
}

export const sketchAggregates: Readonly<Record<string, Aggregate>> = {
  DS_HLL: hllAggregate,
  DS_THETA: thetaAggregate,
  APPROX_COUNT_DISTINCT_DS_HLL: countOf(hllAggregate, (sketch) =>
    roundToLong(`druid_hll_estimate(${sketch})`),
  ),
  APPROX_COUNT_DISTINCT_DS_HLL_UTF8: countOf(hllOfUtf8, (sketch) =>
    roundToLong(`druid_hll_estimate(${sketch})`),
  ),
  APPROX_COUNT_DISTINCT_DS_THETA: countOf(
    thetaAggregate,
    (sketch) => `trunc(druid_theta_estimate(${sketch}))::BIGINT`,
  ),
  DS_QUANTILES_SKETCH: {
    readsDoubles: true,
    form: '<column>, [<k>]',
    least: 1,
    most: 2,
    check(args, { name, at }) {
      if (args[0] && !isAmong(args[0], ['quantilesDoublesSketch']))
        throw refuse(name, args, this.form, at);
      checkSettings(name, args.map(singleNumber), this.form, at);
      if (args[1]) checkQuantilesK(wholeOf(args[1], 0));
      return quantilesSketch;
    },
    duckdb: ([arg, k], _, { timeZone }, over) =>
      arg ? quantilesSketchText(singleNumber(arg), wholeOf(k, defaultK), timeZone, over) : '',
  },
  DS_TUPLE_DOUBLES: {
    form: '<expr>, [<metric>, ...], [<nominalEntries>]',
    least: 1,
    most: Number.POSITIVE_INFINITY,
    check(args, { name, at }) {
      const { key, metrics, size } = tupleArguments(args);
      const isMerge = key.type.complex === 'arrayOfDoublesSketch';
      if (
        (key.type.name === 'OTHER' && !isMerge) ||
        metrics.some(({ type }) => type.name === 'OTHER' || type.name === 'ARRAY')
      )
        throw refuse(name, args, this.form, at);
      if (!isMerge && metrics.length === 0)
        throw unsupportedSql(
          `${name} without a metric merges sketches, and its argument has the type [${typeText(key.type)}]: name the numbers to add up`,
        );
      checkTupleSize(size);
      return { ...tupleSketch, isEstimated: true };
    },
    duckdb(args, _, { timeZone }, over) {
      const { key, metrics, size } = tupleArguments(args);
      return tupleSketchText(key, metrics, size, timeZone, over);
    },
  },
  APPROX_QUANTILE_DS: quantile(
    '<column>, <probability>, [<k>]',
    2,
    3,
    true,
    (arg, [fraction, k], environment, over) =>
      quantileText(arg, wholeOf(k, defaultK), fraction, environment, over),
  ),
  APPROX_QUANTILE: quantile(
    '<NUMERIC>, <NUMERIC>, [<NUMERIC>]',
    2,
    3,
    false,
    (arg, [fraction, resolution], { timeZone }, over) => {
      const values = numbersIn(arg, timeZone, over, (item) => `isfinite(${item})`);
      return `druid_histogram_quantile(${values}, ${fraction?.sql}, ${wholeOf(resolution, defaultResolution)}::BIGINT)`;
    },
    checkResolution,
  ),
  APPROX_QUANTILE_FIXED_BUCKETS: quantile(
    '<NUMERIC>, <NUMERIC>, <NUMERIC>, <NUMERIC>, <NUMERIC>, [<CHARACTER>]',
    5,
    6,
    false,
    (arg, [fraction, buckets, low, high, mode], { timeZone }, over) =>
      `druid_bucket_quantile(${numbersIn(arg, timeZone, over, (item) => `${item} IS NOT NULL`)}, ${fraction?.sql}, ${wholeOf(buckets, 0)}::BIGINT, ${low?.sql}, ${high?.sql}, '${outlierModeOf(mode)}')`,
    checkFixedBuckets,
  ),
};

/** Throws SqlError unless the number is a rank. */
export function checkRank(rank: number): void {
  if (!isRank(rank)) throw failedPlanning(unknownRank(rank));
}
