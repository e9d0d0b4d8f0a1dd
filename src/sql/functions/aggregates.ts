// Table of all aggregates and window functions. The query part decides where they are allowed and
// what FILTER and OVER add.

import type { Call, Expression } from '../ast.ts';
import { bindOnce } from '../expressions/bind-once.ts';
import { bitsText } from '../expressions/bit-range.ts';
import { castTo, toDouble } from '../expressions/casts.ts';
import { firstValue, isList, onlyValue, singleValued } from '../expressions/multi-value.ts';
import { groupableText, groupedText } from '../expressions/signed-zero.ts';
import type { Environment, Typed } from '../expressions/typed.ts';
import { pairedType, pairText, pairTime, pairValue, timeAndRow } from '../pairs.ts';
import { quote } from '../runtime/quoted.ts';
import {
  cannotCall,
  failedPlanning,
  failedQuery,
  invalidSql,
  invalidStatement,
  notLiteral,
  SqlError,
  unknownCall,
  unsupportedSql,
} from '../sql-error.ts';
import {
  arrayOf,
  bigint,
  double,
  duckdbTypeOf,
  isFractional,
  isInteger,
  isJson,
  isNumeric,
  isText,
  isTime,
  nativeTypeOf,
  type SqlType,
  typeText,
  varchar,
} from '../types.ts';
import { type Aggregate, collect } from './aggregate.ts';
import { bloomAggregates } from './bloom.ts';
import { roundToLong, sketchAggregates } from './sketches.ts';
import { uniqueEstimateText } from './unique.ts';

/**
 * The type and the DuckDB text of a call with resolved arguments. `order` is the order of the rows,
 * and `finest` tells the groups whose lists have a size limit, as DuckDB text. Throws SqlError.
 */
export function resolveAggregate(
  call: Call,
  args: readonly Typed[],
  environment: Environment,
  over: (aggregate: string) => string = (aggregate) => aggregate,
  order = '',
  finest?: string,
): Pick<Typed, 'type' | 'sql' | 'nullable'> {
  const row = findAggregate(call.name);
  if (!row) throw unknownCall(call, args);
  const implicit = row.implicitTime ? 1 : 0;
  if (args.length - implicit < row.least || args.length - implicit > row.most) {
    throw invalidSql(
      `Invalid number of arguments to function '${call.name}'. Was expecting ${row.least} arguments`,
      call.at,
    );
  }
  if (call.orderBy && !row.collects) throw new SqlError('ORDER BY unexpected');
  if (call.withinGroup && !row.collects) {
    const name = row.implicitTime ? `${call.name}_BY` : call.name;
    throw invalidSql(
      `Aggregate expression '${name}' must not contain a WITHIN GROUP clause`,
      call.at,
    );
  }
  const type = row.check(args, call, environment);
  if (
    call.distinct &&
    !row.collects &&
    !row.implicitTime &&
    call.name !== 'COUNT' &&
    call.name !== 'APPROX_COUNT_DISTINCT'
  )
    refuseDistinct(call, environment);
  // The planner assumes that a value converted to text is never null, whatever the result is.
  const isMadeText = row.picks && isText(type) && args[0] !== undefined && !isText(args[0].type);
  return {
    type,
    ...((isMadeText || row.isNeverNull) && { nullable: false }),
    sql: row.duckdb(args, call, environment, over, order, finest),
  };
}

/**
 * Refuses DISTINCT in conditions above groups if the validator takes the aggregate for one without
 * DISTINCT: if it is compared with null and surrounded only by NOT, AND and OR.
 */
export function refuseDistinctIsNull(condition: Expression, environment: Environment): void {
  if (condition.kind === 'binary' && /^(AND|OR)$/.test(condition.operator)) {
    refuseDistinctIsNull(condition.left, environment);
    refuseDistinctIsNull(condition.right, environment);
  } else if (condition.kind === 'unary' && condition.operator === 'NOT') {
    refuseDistinctIsNull(condition.operand, environment);
  } else if (condition.kind === 'is') {
    const { operand } = condition;
    if (operand.kind !== 'call') refuseDistinctIsNull(operand, environment);
    else if (operand.distinct && namesOfCalcite.has(operand.name))
      refuseDistinct(operand, environment);
  }
}

// Aggregates that also exist in Calcite under the same names.
const namesOfCalcite = new Set(['ARRAY_AGG', 'ARRAY_CONCAT_AGG', 'STRING_AGG']);

function refuseDistinct({ name, at }: Call, { context }: Environment): void {
  if (context.useApproximateCountDistinct !== false)
    throw invalidSql(
      `Aggregation [${name}] with DISTINCT is not supported when useApproximateCountDistinct is enabled. Run with disabling it.`,
      at,
    );
}

/** The aggregate or window function for a name in capitals, or undefined. */
export const findAggregate = (name: string): Aggregate | undefined =>
  Object.hasOwn(aggregates, name) ? aggregates[name] : undefined;

const refuseCall = (call: Call, args: readonly Typed[], form: string) =>
  cannotCall(call, args, `${call.name}(${form})`);

// A setting of an aggregate must be a literal.
function refuseUnknown(setting: Typed | undefined, { name }: Call): void {
  if (setting && !setting.isLiteral) throw notLiteral(name, setting.at);
}

const distinctWord = ({ distinct: isDistinct }: Call) => (isDistinct ? 'DISTINCT ' : '');

// A number as the engine adds it up. Text is read as a double.
function number(given: Typed, zone: string): Typed {
  const arg = onlyValue(given);
  if (isInteger(arg.type)) return arg;
  return isText(arg.type) ? castTo(arg, double, zone) : toDouble(arg, zone);
}

const isNumber = ({ type }: Typed) => isNumeric(type) || isText(type) || type.name === 'NULL';

const numberAggregate = (
  type: (arg: SqlType) => SqlType,
  duckdb: (arg: Typed, call: Call, over: (aggregate: string) => string) => string,
): Aggregate => ({
  form: '<NUMERIC>',
  least: 1,
  most: 1,
  check(args, call) {
    const [arg] = args;
    if (!arg || !isNumber(arg)) throw refuseCall(call, args, this.form);
    return type(arg.type);
  },
  duckdb: ([arg], call, { timeZone }, over) =>
    arg ? duckdb(number(arg, timeZone), call, over) : '',
});

const extreme = (name: 'min' | 'max'): Aggregate => ({
  form: '<COMPARABLE_TYPE>',
  least: 1,
  most: 1,
  check(args, call) {
    const type = args[0]?.type ?? double;
    if (isNumeric(type) || isTime(type) || type.name === 'BOOLEAN') return singleValued(type);
    if (type.name === 'OTHER') throw refuseCall(call, args, this.form);
    throw invalidStatement(
      `Aggregation [${call.name}] does not support type [${nativeTypeOf(type)}], column [v0]`,
    );
  },
  duckdb([given], _, __, over) {
    if (!given) return '';
    const arg = firstValue(given);
    if (!isFractional(arg.type)) return over(`${name}(${arg.sql})`);
    const extremum = over(`${name}(${groupableText(arg.sql, arg.type)})`);
    const found = bindOnce([extremum], ([x = extremum]) => groupedText(x, arg.type));
    if (name === 'max') return found;
    // DuckDB sorts NaN above all numbers. The engine's minimum of a NaN and a number is NaN.
    return `(CASE WHEN ${over(`bool_or(isnan(${arg.sql}))`)} THEN 'nan'::DOUBLE ELSE ${found} END)`;
  },
});

// The exact number of distinct values.
function distinctCount(arg: Typed, over: (aggregate: string) => string): string {
  if (isList(arg))
    return `coalesce(len(list_distinct(flatten(${collect(`${arg.sql}`, over)}))), 0)`;
  if (arg.distinctRows) return `(SELECT count(v) FROM ${arg.distinctRows(arg.sql)})`;
  const range = isInteger(arg.type) ? arg.bits?.() : undefined;
  return range
    ? `bit_count(${bitsText(arg.sql, range, over)}::BIT)`
    : over(`count(DISTINCT ${groupableText(arg.sql, arg.type)})`);
}

// Counted by a sketch, as in the engine. Arrays are counted exactly.
const approximateDistinct = (
  arg: Typed,
  environment: Environment,
  over: (aggregate: string) => string,
): string =>
  arg.type.name === 'ARRAY'
    ? distinctCount(arg, over)
    : roundToLong(uniqueEstimateText(arg, over, environment));

// Counts plain values or merges sketches.
const approximateCount: Aggregate = {
  emptyValue: 0,
  form: '<ANY>',
  least: 1,
  most: 1,
  check(args, call) {
    const [arg] = args;
    if (
      arg?.type.name === 'ARRAY' ||
      (arg?.type.complex !== undefined && arg.type.complex !== 'hyperUnique')
    )
      throw refuseCall(call, args, this.form);
    return bigint;
  },
  duckdb: ([arg], _, environment, over) => (arg ? approximateDistinct(arg, environment, over) : ''),
};

// The engine parses the aggregate, but has no native aggregator for it.
const unplanned = (form: string, count: number, nulls: string): Aggregate => ({
  isUnplanned: true,
  form,
  least: count,
  most: count,
  check(_, call) {
    const rule = (call.json?.nulls ?? nulls).replaceAll(' ', '_');
    throw unsupportedSql(`Aggregation [${call.name}_${rule}] is not supported`);
  },
  duckdb: () => '',
});

// The variance of one row is 0 here, not null. DuckDB fails on infinities.
const variance = (duckdb: string): Aggregate => ({
  form: '<NUMERIC>',
  least: 1,
  most: 1,
  check(args, call) {
    const [arg] = args;
    if (!arg || !isNumber(arg)) throw refuseCall(call, args, this.form);
    return double;
  },
  duckdb([arg], _, { timeZone }, over) {
    if (!arg) return '';
    const { sql } = number(isInteger(arg.type) ? toDouble(arg, timeZone) : arg, timeZone);
    const finite = `CASE WHEN isfinite(${sql}) THEN ${sql} END`;
    return `(CASE WHEN ${over(`bool_or(NOT isfinite(${sql}))`)} THEN 'nan'::DOUBLE WHEN ${over(`count(${sql})`)} = 1 THEN 0e0 ELSE ${over(`${duckdb}(${finite})`)} END)`;
  },
});

// The value at the first or last time. Rows without a time are skipped; null values are not.
const atTime = (duckdb: 'arg_min_null' | 'arg_max_null', implicit: boolean): Aggregate => ({
  form: implicit ? '<expr>, [<maxBytesPerString>]' : '<expr>, <timeColumn>, [<maxBytesPerString>]',
  least: implicit ? 1 : 2,
  most: implicit ? 2 : 3,
  picks: true,
  ...(implicit && { implicitTime: true }),
  ...(duckdb === 'arg_max_null' && { isLast: true }),
  check(args, call) {
    const [value, time, size] = args;
    const timed = implicit ? { ...call, name: `${call.name}_BY` } : call;
    refuseUnknown(size, timed);
    if (!value || time?.type.name !== 'TIMESTAMP' || !isSize(size))
      throw refuseCall(timed, args, '<expr>, <timeColumn>, [<maxBytesPerString>]');
    refuseNegative(size);
    return javaType(value.type);
  },
  duckdb([value, time, size], call, __, over, order) {
    if (!value || !time) return '';
    const type = pairedType(value.type);
    const timeSql = type ? pairTime(value.sql, time.sql) : time.sql;
    const at = order === '' ? timeSql : timeAndRow(timeSql, order);
    const each = type ? pairValue(value.sql, type) : javaText(value, call);
    const text = over(`${duckdb}(${each}, ${at})`);
    return isText(type ?? value.type) && size ? cutTo(text, size) : text;
  },
});

// The size counts bytes of UTF-8; a character that would be cut is left out. DuckDB cannot cut at a
// larger length, and texts are never that long.
function cutTo(text: string, { constant }: Typed): string {
  if (constant === null) return `left(${text}, NULL)`;
  const most = Math.trunc(Number(constant));
  return most > longestCut ? text : `druid_cut_to_bytes(${text}, ${most})`;
}

const longestCut = 2 ** 31 - 1;

function refuseNegative(size: Typed | undefined): void {
  if (Number(size?.constant ?? 0) < 0)
    throw failedPlanning('maxStringBytes must be greater than 0');
}

const isSize = (size: Typed | undefined) =>
  size === undefined || isNumeric(size.type) || size.type.name === 'NULL';

// Numbers keep their type; other types become text.
const javaType = (type: SqlType): SqlType =>
  isNumeric(type) || type.name === 'CHAR' ? singleValued(type) : (pairedType(type) ?? varchar);

// Lists and nested data in Java's text format. Only stored nested data is wrapped.
function javaText(value: Typed, { args: [written] }: Call): string {
  if (isList(value))
    return isNumeric(value.type)
      ? firstValue(value).sql
      : `druid_list_text(${castTo(value, varchar, 'UTC').sql})`;
  if (value.type.name === 'ARRAY')
    return `druid_items_text(list_transform(${value.sql}, lambda item: item::VARCHAR))`;
  if (value.type.name === 'BOOLEAN') return `(${value.sql})::BIGINT::VARCHAR`;
  const paired = pairedType(value.type);
  if (paired)
    return isText(paired)
      ? pairText(value.sql, pairValue(value.sql, varchar))
      : `NULL::${duckdbTypeOf(paired)}`;
  if (isJson(value.type))
    return written?.kind === 'identifier'
      ? `('StructuredData{value=' || druid_java_text(${value.sql}::VARCHAR) || '}')`
      : `druid_java_text(${value.sql}::VARCHAR)`;
  return value.type.name === 'OTHER' || isTime(value.type) ? `${value.sql}::VARCHAR` : value.sql;
}

const defaultMaxBytes = 1024n;

function maxBytes(size: Typed | undefined, args: readonly Typed[], call: Call): bigint {
  if (size === undefined) return defaultMaxBytes;
  if (size.type.name === 'NULL' || isText(size.type))
    throw new SqlError(
      `${call.name} parameter \`maxBytes\` must be a numeric literal, got ${size.type.name}`,
    );
  const { constant } = size;
  if (!size.isLiteral || typeof constant !== 'bigint' || constant < 0n || constant >= 2n ** 31n)
    throw refuseCall(call, args, 'expr, maxSizeBytes');
  return constant;
}

function refuseOrder(call: Call, environment: Environment): void {
  if (!call.orderBy) return;
  if (call.distinct) refuseDistinct(call, environment);
  environment.inPlanning(() => {
    throw unsupportedSql(`Aggregation [${call.name} WITHIN GROUP] is not supported`);
  });
}

// The size of an array in the engine's format decides whether it is too large.
function limitListSize(list: string, element: SqlType, limit: bigint, finest?: string): string {
  const name = quote(`ARRAY<${nativeTypeOf(element)}>`);
  const most = finest === undefined ? limit : `CASE WHEN ${finest} THEN ${limit} END`;
  return bindOnce(
    [list],
    ([items]) =>
      `${isText(element) ? 'druid_sized_texts' : 'druid_sized'}(${items}, ${most}, ${name})`,
  );
}

// Distinct values are sorted.
const inOrder = (list: string, call: Call) => (call.distinct ? `list_sort(${list})` : list);

const stringAggregate: Aggregate = {
  collects: true,
  form: '<expr>, <separator>, [<maxSizeBytes>]',
  least: 2,
  most: 3,
  check(args, call, environment) {
    const [value, separator, size] = args;
    refuseOrder(call, environment);
    if (!value || value.type.name === 'ARRAY' || value.type.name === 'OTHER')
      throw refuseCall(call, args, this.form);
    if (separator?.constant === undefined || separator.constant === null)
      throw unsupportedSql(`Aggregation [${call.name}] is not supported`);
    maxBytes(size, args, call);
    return varchar;
  },
  duckdb(args, call, { timeZone }, over, order, finest) {
    const [value, separator, size] = args;
    if (!value || !separator) return '';
    // Times are shown as numbers.
    const text = castTo(isTime(value.type) ? { ...value, type: bigint } : value, varchar, timeZone);
    // A row with a null among its values adds nothing.
    const values = isList(text)
      ? `CASE WHEN NOT druid_any_null(${text.sql}) THEN ${text.sql} END`
      : text.sql;
    const all = isList(text)
      ? `flatten(list_filter(${collect(`${values}`, over, order)}, lambda item: item IS NOT NULL))`
      : collect(`${distinctWord(call)}${values}`, over, order);
    const known = `list_filter(${inOrder(call.distinct && isList(text) ? `list_distinct(${all})` : all, call)}, lambda item: item IS NOT NULL)`;
    const joint = castTo(separator, varchar, timeZone).sql;
    return bindOnce(
      [limitListSize(known, varchar, maxBytes(size, args, call), finest)],
      ([texts]) => `druid_joined(${texts}, ${joint})`,
    );
  },
};

const bits = (duckdb: string, start = ''): Aggregate => ({
  form: '<INTEGER>',
  least: 1,
  most: 1,
  check(args, call) {
    const [arg] = args;
    if (!arg || !(isInteger(arg.type) || isText(arg.type) || arg.type.name === 'NULL'))
      throw refuseCall(call, args, this.form);
    return isText(arg.type) ? bigint : singleValued(arg.type);
  },
  duckdb([arg], _, { timeZone }, over) {
    if (!arg) return '';
    if (arg.type.name === 'NULL') return over('any_value(NULL::VARCHAR)');
    const known = arg.constant === undefined ? arg : castTo(arg, bigint, timeZone);
    if (isInteger(known.type)) return `(${start}${over(`${duckdb}(${firstValue(known).sql})`)})`;
    // Texts that are not numbers yield the initial value; without any text the result is null.
    const text = onlyValue(arg);
    const initial = over(`any_value(CASE WHEN ${text.sql} IS NOT NULL THEN 0 END)`);
    return `coalesce(${start}${over(`${duckdb}(${castTo(text, bigint, timeZone).sql})`)}, ${initial})`;
  },
});

const window = (duckdb: string, type: SqlType): Aggregate => ({
  form: '',
  least: 0,
  most: 0,
  windowOnly: true,
  check: () => type,
  duckdb: (_, __, ___, over) => over(`${duckdb}()`),
});

// A default value is accepted and ignored.
const neighbour = (duckdb: 'lag' | 'lead'): Aggregate => ({
  form: '<ANY>, [<INTEGER>, [<ANY>]]',
  least: 1,
  most: 3,
  windowOnly: true,
  check: ([value]) => value?.type ?? varchar,
  duckdb([value, offset], _, __, over) {
    const rows =
      offset && !isInteger(offset.type) && isNumeric(offset.type)
        ? `trunc(${offset.sql})::BIGINT`
        : offset?.sql;
    return over(`${duckdb}(${value?.sql}${rows === undefined ? '' : `, ${rows}`})`);
  },
});

const edge = (duckdb: 'first_value' | 'last_value'): Aggregate => ({
  form: '<ANY>',
  least: 1,
  most: 1,
  windowOnly: true,
  check: ([value]) => value?.type ?? varchar,
  duckdb: ([value], _, __, over) => over(`${duckdb}(${value?.sql})`),
});

/** Keyed by name in capitals. */
export const aggregates: Readonly<Record<string, Aggregate>> = {
  COUNT: {
    emptyValue: 0,
    form: '[<ANY>]',
    least: 0,
    most: 1,
    check([arg], { distinct: isDistinct, args, at }, { context }) {
      if (args.length === 0)
        throw invalidSql(
          "Invalid number of arguments to function 'COUNT'. Was expecting 1 arguments",
          at,
        );
      const isEstimated = isDistinct && context.useApproximateCountDistinct !== false;
      if (isEstimated && arg?.type.name === 'ARRAY')
        throw failedQuery(
          `Cardinality aggregator does not support[${nativeTypeOf(arg.type)}] inputs`,
          'org.apache.druid.java.util.common.UOE',
        );
      if (isEstimated && arg?.type.name === 'OTHER' && arg.type.complex !== 'hyperUnique') {
        throw unsupportedSql(
          `Using APPROX_COUNT_DISTINCT() or enabling approximation with COUNT(DISTINCT) is not supported for column type [${nativeTypeOf(arg.type)}]. You can disable approximation by setting [useApproximateCountDistinct: false] in the query context.`,
        );
      }
      return bigint;
    },
    duckdb([arg], call, environment, over) {
      if (!arg) return over('count(*)');
      if (call.distinct)
        return environment.context.useApproximateCountDistinct === false
          ? distinctCount(arg, over)
          : approximateDistinct(arg, environment, over);
      return over(
        isList(arg)
          ? `count(CASE WHEN NOT druid_any_null(${arg.sql}) THEN 1 END)`
          : `count(${arg.sql})`,
      );
    },
  },
  APPROX_COUNT_DISTINCT: approximateCount,
  APPROX_COUNT_DISTINCT_BUILTIN: approximateCount,
  SUM: numberAggregate(
    (type) => (isInteger(type) ? bigint : double),
    (arg, call, over) => {
      const sum = over(`sum(${distinctWord(call)}${arg.sql})`);
      return isInteger(arg.type) ? `druid_wrap(${sum})` : sum;
    },
  ),
  AVG: {
    ...numberAggregate(
      () => double,
      (arg, call, over) => over(`avg(${distinctWord(call)}${arg.sql})`),
    ),
    readsDoubles: true,
  },
  MIN: extreme('min'),
  MAX: extreme('max'),
  VAR_POP: variance('var_pop'),
  VAR_SAMP: variance('var_samp'),
  VARIANCE: variance('var_samp'),
  STDDEV_POP: variance('stddev_pop'),
  STDDEV_SAMP: variance('stddev_samp'),
  STDDEV: variance('stddev_samp'),
  EARLIEST: atTime('arg_min_null', true),
  LATEST: atTime('arg_max_null', true),
  EARLIEST_BY: atTime('arg_min_null', false),
  LATEST_BY: atTime('arg_max_null', false),
  ANY_VALUE: {
    picks: true,
    form: '<expr>, [<maxBytesPerString>, [<aggregateMultipleValues>]]',
    least: 1,
    most: 3,
    check(args, call) {
      const [value, size, all] = args;
      for (const setting of [size, all]) {
        refuseUnknown(setting, call);
        if (setting?.type.name === 'NULL') throw invalidSql("Illegal use of 'NULL'", setting.at);
      }
      if (!value || !isSize(size) || (all && all.type.name !== 'BOOLEAN'))
        throw refuseCall(call, args, this.form);
      refuseNegative(size);
      return javaType(value.type);
    },
    // The value of the first row, even if it is null
    duckdb([value, size, all], call, { anyIs = 'first' }, over, order) {
      if (!value) return '';
      const each = javaText(all?.constant === false ? firstValue(value) : value, call);
      const text = over(order === '' ? `${anyIs}(${each})` : `arg_min_null(${each}, ${order})`);
      return isText(value.type) && size ? cutTo(text, size) : text;
    },
  },
  JSON_ARRAYAGG: unplanned('<expr>', 1, 'ABSENT ON NULL'),
  JSON_OBJECTAGG: unplanned('<key>, <expr>', 2, 'NULL ON NULL'),
  ARRAY_AGG: {
    collects: true,
    isNeverNull: true,
    form: '<expr>, [<maxSizeBytes>]',
    least: 1,
    most: 2,
    check(args, call, environment) {
      const [value, size] = args;
      refuseOrder(call, environment);
      maxBytes(size, args, call);
      if (!value || (value.type.name === 'OTHER' && !isJson(value.type))) {
        throw unsupportedSql(
          `Cannot use ARRAY_AGG on complex inputs ${value ? typeText(value.type) : ''}`,
        );
      }
      return arrayOf(value.type.name === 'NULL' ? varchar : singleValued(value.type));
    },
    duckdb(args, call, { timeZone }, over, order, finest) {
      const [value, size] = args;
      if (!value) return '';
      const limit = maxBytes(size, args, call);
      if (isList(value)) {
        // A row without values adds a null.
        const all = `flatten(${collect(`druid_values(${value.sql})`, over, order)})`;
        return limitListSize(
          inOrder(call.distinct ? `druid_set(${all})` : all, call),
          value.type,
          limit,
          finest,
        );
      }
      const item = value.type.name === 'BOOLEAN' ? castTo(value, bigint, timeZone) : value;
      const all = collect(`${distinctWord(call)}${item.sql}`, over, order);
      const list =
        call.distinct && value.type.name === 'ARRAY'
          ? `druid_sorted_arrays(${all})`
          : inOrder(all, call);
      return limitListSize(list, value.type, limit, finest);
    },
  },
  ARRAY_CONCAT_AGG: {
    collects: true,
    form: '<ARRAY>, [<maxSizeBytes>]',
    least: 1,
    most: 2,
    check(args, call, environment) {
      const [value, size] = args;
      refuseOrder(call, environment);
      maxBytes(size, args, call);
      if (value?.type.name === 'NULL')
        throw unsupportedSql(`Aggregation [${call.name}] is not supported`);
      if (value?.type.name !== 'ARRAY') throw refuseCall(call, args, this.form);
      return value.type;
    },
    duckdb(args, call, _, over, order, finest) {
      const [value, size] = args;
      if (!value) return '';
      const element = value.type.element ?? varchar;
      const rows = collect(`${value.sql}`, over, order);
      const flat = `flatten(nullif(list_filter(${rows}, lambda item: item IS NOT NULL), []))`; // no array, no result
      return limitListSize(
        inOrder(call.distinct ? `druid_set(${flat})` : flat, call),
        element,
        maxBytes(size, args, call),
        finest,
      );
    },
  },
  STRING_AGG: stringAggregate,
  LISTAGG: stringAggregate,
  BIT_AND: bits('bit_and', '0 & '), // the engine starts from 0
  BIT_OR: bits('bit_or'),
  BIT_XOR: bits('bit_xor'),
  ...sketchAggregates,
  ...bloomAggregates,
  ROW_NUMBER: window('row_number', bigint),
  RANK: window('rank', bigint),
  DENSE_RANK: window('dense_rank', bigint),
  PERCENT_RANK: window('percent_rank', double),
  CUME_DIST: window('cume_dist', double),
  NTILE: {
    form: '<INTEGER>',
    least: 1,
    most: 1,
    windowOnly: true,
    check(args, call) {
      const [count] = args;
      if (count?.type.name === 'NULL')
        throw invalidSql(`Argument to function '${call.name}' must not be NULL`, call.at);
      const [written] = call.args;
      const isNegative = written?.kind === 'unary' && written.operator === '-';
      const literal = isNegative ? written.operand : written;
      if (literal?.kind !== 'literal' || !count || isText(count.type))
        throw notLiteral(call.name, call.at);
      if (!isInteger(count.type)) throw refuseCall(call, args, this.form);
      if (isNegative)
        throw invalidSql(
          `Argument to function '${call.name}' must be a positive integer literal`,
          call.at,
        );
      if (Number(count.constant) === 0)
        throw invalidStatement(`numBuckets[${count.constant}] must be greater than zero`);
      return bigint;
    },
    duckdb: ([count], _, __, over) => over(`ntile(${count?.sql})`),
  },
  LAG: neighbour('lag'),
  LEAD: neighbour('lead'),
  FIRST_VALUE: edge('first_value'),
  LAST_VALUE: edge('last_value'),
};
