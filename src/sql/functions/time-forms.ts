// Functions of times whose unit, period or zone is part of the syntax or must be a literal.

import { periodGranularity, ZeroPeriod } from '../../model/granularity.ts';
import { InvalidTime } from '../../model/instant.ts';
import { type Period, parsePeriod } from '../../model/period.ts';
import type { Call, Position } from '../ast.ts';
import { castTo, constantOf } from '../expressions/casts.ts';
import { localTimestamp } from '../expressions/local-time.ts';
import { isList, mapValues, onlyValue, singleValued } from '../expressions/multi-value.ts';
import { arithmetic, asLong, timePlus, zeroIfUnknown } from '../expressions/operators.ts';
import { bucketConstant, bucketText } from '../expressions/time-bucket.ts';
import type { StartUnit } from '../expressions/time-starts.ts';
import { localTime, zoneOf } from '../expressions/time-text.ts';
import type { Environment, Typed } from '../expressions/typed.ts';
import { wrap } from '../runtime/java-values.ts';
import {
  cannotCall,
  failedPlanning,
  invalidSql,
  invalidStatement,
  notLiteral,
  refusedCall,
  SqlError,
  unplannable,
} from '../sql-error.ts';
import {
  bigint,
  date,
  integer,
  isInteger,
  isInterval,
  isNumeric,
  isText,
  isTime,
  type SqlType,
  timestamp,
  typeText,
} from '../types.ts';
import type { SpecialFunction } from './special-function.ts';

// An optional precision is the number of digits kept of the fraction of a second.
const currentTime: SpecialFunction = {
  form: '',
  least: 0,
  most: 1,
  resolve([precision], call, environment) {
    const { name, at } = call;
    const nowMs = environment.now();
    if (!precision) return constantOf(nowMs, timestamp, at);
    if (precision.type.name === 'NULL')
      throw invalidSql(`Argument to function '${name}' must not be NULL`, at);
    if (precision.constant === undefined) throw notLiteral(name, at);
    if (!isInteger(precision.type))
      throw cannotCall(call, [precision], `${name}(<INTEGER>)' '${name}()`);
    const digits = BigInt(precision.constant as bigint);
    if (digits < 0n)
      throw invalidSql(`Argument to function '${name}' must be a positive integer literal`, at);
    if (digits > 3n)
      throw invalidSql(
        `Argument to function '${name}' must be a valid precision between '0' and '3'`,
        at,
      );
    const unit = 10n ** (3n - digits);
    return constantOf((nowMs / unit) * unit, timestamp, at);
  },
};

/** The periods of FLOOR TO and CEIL TO. */
const roundingPeriods: Readonly<Record<string, string>> = {
  SECOND: 'PT1S',
  MINUTE: 'PT1M',
  HOUR: 'PT1H',
  DAY: 'P1D',
  WEEK: 'P1W',
  MONTH: 'P1M',
  QUARTER: 'P3M',
  YEAR: 'P1Y',
};

const truncationPeriods: Readonly<Record<string, string>> = {
  ...roundingPeriods,
  MICROSECONDS: 'PT0.001S',
  MILLISECONDS: 'PT0.001S',
  DECADE: 'P10Y',
  CENTURY: 'P100Y',
  MILLENNIUM: 'P1000Y',
};

const noTimeFrame = ({ unit, unitAt, at }: Call) =>
  invalidSql(`'${unit}' is not a valid time frame`, unitAt ?? at);

/** `FLOOR(t TO unit)`, `CEIL(t TO unit)`. */
const rounding = (up: boolean): SpecialFunction => ({
  form: '<TIMESTAMP> TO <TIME_UNIT>',
  least: 1,
  most: 1,
  resolve([time], call, { timeZone }) {
    const { name, unit = '', at } = call;
    const period = Object.hasOwn(roundingPeriods, unit) ? roundingPeriods[unit] : undefined;
    if (!time || !period) throw noTimeFrame(call);
    if (time.type.name === 'NULL') return { ...time, at };
    if (!isTime(time.type)) {
      throw refusedCall(call, `${shownType(time)}, <INTERVAL ${unit}>`, `${name}(${this.form})`);
    }
    return resolveBucket(time, { period: parsePeriod(period), zone: timeZone }, up, at);
  },
});

interface Buckets {
  readonly period: Period;
  readonly zone: string;
  readonly origin?: Typed;
}

function resolveBucket(
  time: Typed,
  { period, zone, origin }: Buckets,
  up: boolean,
  at: Call['at'],
): Typed {
  const originMs = origin === undefined || origin.constant === null ? undefined : origin.constant;
  if (originMs !== undefined && typeof originMs !== 'bigint')
    throw invalidSql('The origin of a bucket must be a literal', at);
  if (typeof time.constant === 'bigint')
    return constantOf(bucketConstant(time.constant, period, zone, originMs, up), time.type, at);
  if (time.constant === null) return constantOf(null, time.type, at);
  return {
    type: time.type,
    at,
    sql: bucketText(time.sql, period, zone, originMs, up, {
      ...time.timeRange,
      ...(time.startOf && { startOf: time.startOf }),
    }),
  };
}

const timeBucket = (up: boolean): SpecialFunction => ({
  form: '<TIMESTAMP>, <CHARACTER>, [<TIMESTAMP>, [<CHARACTER>]]',
  least: 2,
  most: 4,
  resolve(args, call, { timeZone }) {
    const [time, period, origin, zone] = args;
    refuseNull(args.slice(0, 2));
    const isOrigin =
      origin === undefined || origin.type.name === 'NULL' || origin.type.name === 'TIMESTAMP';
    const isZone = zone === undefined || zone.type.name === 'NULL' || isText(zone.type);
    const isBucket = isOrigin && isZone && typeof period?.constant === 'string';
    if (time?.type.name !== 'TIMESTAMP' || !isBucket) throw refuseCall(call, args, this.form);
    const zoneName = typeof zone?.constant === 'string' ? knownZone(zone.constant) : timeZone;
    return resolveBucket(
      time,
      { period: periodOf(period.constant, call), zone: zoneName, ...(origin && { origin }) },
      up,
      call.at,
    );
  },
});

function periodOf(text: string, { name }: Call): Period {
  try {
    const period = parsePeriod(text);
    periodGranularity(period); // throws ZeroPeriod
    return period;
  } catch (error) {
    if (error instanceof ZeroPeriod) throw failedPlanning(error.message);
    if (error instanceof InvalidTime)
      throw new SqlError(
        `Invalid period['${text}'] specified for expression[${name.toLowerCase()}]: [${error.message}]`,
      );
    throw error;
  }
}

// Unknown zones fall back to UTC.
const knownZone = (name: string): string => zoneOf(name).id;

function refuseNull(args: readonly Typed[]): void {
  const missing = args.find(({ type }) => type.name === 'NULL');
  if (missing) throw invalidSql("Illegal use of 'NULL'", missing.at);
}

const refuseCall = (call: Call, args: readonly Typed[], form: string) =>
  cannotCall(call, args, `${call.name}(${form})`);

// ── Fields of a time ─────────────────────────────────────────────────────────────────────────────

/** Extracts a field from a wall-clock TIMESTAMP in DuckDB. */
const fields: Readonly<Record<string, (local: string, ms: string) => string>> = {
  EPOCH: (_, ms) => `(${ms} // 1000)`,
  MILLISECOND: (_, ms) => `druid_modulo(${ms}, 1000)`,
  SECOND: (_, ms) => `druid_modulo(${ms} // 1000 - (${ms} % 1000 < 0)::BIGINT, 60)`,
  MINUTE: (local) => `minute(${local})`,
  HOUR: (local) => `hour(${local})`,
  DAY: (local) => `day(${local})`,
  DOW: (local) => `isodow(${local})`,
  ISODOW: (local) => `isodow(${local})`,
  DOY: (local) => `dayofyear(${local})`,
  WEEK: (local) => `week(${local})`,
  MONTH: (local) => `month(${local})`,
  QUARTER: (local) => `quarter(${local})`,
  YEAR: (local) => `year(${local})`,
  ISOYEAR: (local) => `year(${local})`, // the engine's ISOYEAR is the calendar's
  DECADE: (local) => `(year(${local}) // 10)`,
  CENTURY: (local) => `ceil(year(${local}) / 100e0)::BIGINT`,
  MILLENNIUM: (local) => `ceil(year(${local}) / 1000e0)::BIGINT`,
};

/** A field of a time in a zone, as a BIGINT. */
function extract(time: Typed, unit: string, zone: string, at: Call['at']): Typed {
  const field = Object.hasOwn(fields, unit) ? fields[unit] : undefined;
  if (!field) {
    throw new SqlError(`No enum constant TimestampExtractExprMacro.Unit.${unit}`, {
      category: 'UNCATEGORIZED',
      code: 'general',
      persona: 'ADMIN',
    });
  }
  if (time.constant === null) return constantOf(null, bigint, at);
  if (typeof time.constant === 'bigint') {
    const value = extractedConstant(time.constant, unit, zone);
    if (value !== undefined) return constantOf(value, bigint, at);
  }
  return {
    type: bigint,
    at,
    sql: `${field(localTimestamp(sameField(time, unit, zone), zone, time.timeRange), time.sql)}::BIGINT`,
  };
}

// A time with the same field: the start of its bucket, if that is stored.
function sameField({ sql, startOf }: Typed, unit: string, zone: string): string {
  const bucket = Object.hasOwn(buckets, unit) ? buckets[unit] : undefined;
  return startOf && bucket && zoneOf(zone).id === 'UTC' ? startOf(bucket) : sql;
}

const buckets: Readonly<Record<string, StartUnit>> = {
  DAY: 'day',
  DOW: 'day',
  ISODOW: 'day',
  DOY: 'day',
  WEEK: 'day',
  MONTH: 'month',
  QUARTER: 'month',
  YEAR: 'year',
  ISOYEAR: 'year',
  DECADE: 'year',
  CENTURY: 'year',
  MILLENNIUM: 'year',
};

function extractedConstant(ms: bigint, unit: string, zone: string): bigint | undefined {
  const { year, month, day } = localTime(ms, zone);
  switch (unit) {
    case 'YEAR':
    case 'ISOYEAR':
      return BigInt(year);
    case 'QUARTER':
      return BigInt(Math.floor((month - 1) / 3) + 1);
    case 'MONTH':
      return BigInt(month);
    case 'DAY':
      return BigInt(day);
    case 'EPOCH':
      return ms / 1000n;
  }
  return undefined;
}

// ── Moving times ─────────────────────────────────────────────────────────────────────────────────

// A step of TIMESTAMPADD: milliseconds, months, or a part of a millisecond.
type Step = { readonly ms: bigint } | { readonly partOfMs: bigint } | { readonly months: bigint };

const steps: Readonly<Record<string, Step>> = {
  NANOSECOND: { partOfMs: 1_000_000n },
  MICROSECOND: { partOfMs: 1000n },
  MILLISECOND: { ms: 1n },
  SECOND: { ms: 1000n },
  MINUTE: { ms: 60_000n },
  HOUR: { ms: 3_600_000n },
  DAY: { ms: 86_400_000n },
  WEEK: { ms: 604_800_000n },
  MONTH: { months: 1n },
  QUARTER: { months: 3n },
  YEAR: { months: 12n },
  ISOYEAR: { months: 12n },
  DECADE: { months: 120n },
  CENTURY: { months: 1200n },
  MILLENNIUM: { months: 12_000n },
};

// A unit of TIMESTAMPDIFF: milliseconds, months, or whole seconds times a factor.
type Span = { readonly ms: bigint } | { readonly perSecond: bigint } | { readonly months: bigint };

// As in Calcite: parts of a second are computed from whole seconds, and decades are years.
const spans: Readonly<Record<string, Span>> = {
  NANOSECOND: { perSecond: 1_000_000_000n },
  MICROSECOND: { perSecond: 1_000_000n },
  MILLISECOND: { perSecond: 1000n },
  SECOND: { ms: 1000n },
  EPOCH: { ms: 1000n },
  MINUTE: { ms: 60_000n },
  HOUR: { ms: 3_600_000n },
  DAY: { ms: 86_400_000n },
  DOW: { ms: 86_400_000n },
  DOY: { ms: 86_400_000n },
  ISODOW: { ms: 86_400_000n },
  WEEK: { ms: 604_800_000n },
  MONTH: { months: 1n },
  QUARTER: { months: 3n },
  YEAR: { months: 12n },
  ISOYEAR: { months: 12n },
  DECADE: { months: 12n },
  CENTURY: { months: 1200n },
  MILLENNIUM: { months: 12_000n },
};

function unitOf(call: Call): string {
  const { unit = '' } = call;
  if (unit === 'SQL_TSI_FRAC_SECOND') return 'NANOSECOND';
  if (unit === 'FRAC_SECOND') return 'MICROSECOND';
  const name = unit.replace(/^SQL_TSI_/, '');
  if (!Object.hasOwn(spans, name)) throw noTimeFrame(call);
  return name;
}

// The engine shows the unit as an argument.
function refuseUnits(call: Call, args: readonly Typed[]): Error {
  const { name, unit = '' } = call;
  const interval = /^SQL_TSI_/.test(unit) ? `\`${unit}\`` : unit;
  return refusedCall(call, [`<INTERVAL ${interval}>`, ...args.map(shownType)].join(', '), name);
}

const shownType = ({ type }: Typed) => `<${typeText(type).toUpperCase()}>`;

// Texts and numbers are not accepted as times here.
function timeOf(arg: Typed, args: readonly Typed[], call: Call, zone: string): Typed {
  if (isTime(arg.type)) return arg;
  if (arg.type.name !== 'NULL') throw refuseUnits(call, args);
  return castTo(arg, timestamp, zone);
}

const timestampAdd: SpecialFunction = {
  form: '<TIME_UNIT>, <INTEGER>, <DATETIME>',
  least: 2,
  most: 2,
  resolve([count, time], call, { timeZone }) {
    if (!count || !time) throw new TypeError('TIMESTAMPADD has two arguments');
    const moment = timeOf(time, [count, time], call, timeZone);
    const unit = unitOf(call);
    const step = steps[unit];
    if (!step) throw noTimeFrame(call);
    if (!isInteger(count.type) && !isText(count.type) && count.type.name !== 'NULL')
      throw refuseUnits(call, [count, time]);
    const isOfDays = 'months' in step || ('ms' in step && step.ms % dayMs === 0n);
    if (time.type.name === 'NULL' && isOfDays) return { ...time, at: call.at };
    const length = castTo(onlyValue(count), bigint, timeZone);
    const interval = lengthOf(length, step, timeZone);
    if ('months' in step)
      return timePlus(
        moment,
        { ...interval, type: { name: 'INTERVAL_YEAR_MONTH' } },
        1n,
        call.at,
        timeZone,
      );
    // A step of less than a day turns a DATE into a TIMESTAMP.
    const isDate = moment.type.name === 'DATE' && isOfDays;
    const start = isDate ? moment : castTo(moment, timestamp, timeZone);
    return timePlus(start, { ...interval, type: { name: 'INTERVAL_DAY' } }, 1n, call.at, timeZone);
  },
};

const dayMs = 86_400_000n;

// The length of several steps in milliseconds or months. Parts of a millisecond are cut off.
function lengthOf(count: Typed, step: Step, zone: string): Typed {
  const [operator, size] =
    'partOfMs' in step
      ? (['/', step.partOfMs] as const)
      : (['*', 'ms' in step ? step.ms : step.months] as const);
  return arithmetic(operator, count, constantOf(size, bigint, count.at), count.at, zone);
}

const timestampDiff: SpecialFunction = {
  form: '<TIME_UNIT>, <DATETIME>, <DATETIME>',
  least: 2,
  most: 2,
  resolve([from, to], call, { timeZone }) {
    if (!from || !to) throw new TypeError('TIMESTAMPDIFF has two arguments');
    const [start, end] = [from, to].map((time) => timeOf(time, [from, to], call, timeZone));
    if (!start || !end) throw new TypeError('TIMESTAMPDIFF has two arguments');
    const unit = unitOf(call);
    const span = spans[unit];
    if (!span) throw noTimeFrame(call);
    const type = unit === 'NANOSECOND' ? bigint : integer;
    if ('months' in span) {
      const local = (time: Typed) => localTimestamp(zeroIfUnknown(time), timeZone);
      return {
        type,
        at: call.at,
        sql: `(datesub('month', ${local(start)}, ${local(end)}) // ${span.months})`,
      };
    }
    const [divisor, factor] = 'ms' in span ? [span.ms, 1n] : [1000n, span.perSecond];
    if (typeof start.constant === 'bigint' && typeof end.constant === 'bigint')
      return constantOf(wrap(((end.constant - start.constant) / divisor) * factor), type, call.at);
    const count = `((${end.sql} - ${start.sql}) // ${divisor})`;
    return {
      type,
      at: call.at,
      sql: factor === 1n ? count : `druid_wrap(${count}::HUGEINT * ${factor})`,
    };
  },
};

// The months of an interval are counted in the calendar.
const minusDate: SpecialFunction = {
  form: '<DATETIME>, <DATETIME>, <DATETIME_INTERVAL>',
  least: 2,
  most: 2,
  resolve([end, start], { unit = '', at }, { timeZone }) {
    if (!end || !start) throw new TypeError('A difference has two sides');
    const isOfMonths = /^(YEAR|QUARTER|MONTH)/.test(unit);
    const type: SqlType = { name: isOfMonths ? 'INTERVAL_YEAR_MONTH' : 'INTERVAL_DAY', unit };
    if (!isTime(end.type) || !isTime(start.type))
      throw cannotCall({ name: '-', at }, [end, start, { type }], `-(${this.form})`);
    if (end.type.name !== start.type.name)
      throw invalidSql('Parameters must be of the same type', at);
    if (!isOfMonths) return { ...arithmetic('-', asLong(end), asLong(start), at, timeZone), type };
    const local = (time: Typed) => localTimestamp(zeroIfUnknown(time), timeZone);
    return { type, at, sql: `datesub('month', ${local(start)}, ${local(end)})` };
  },
};

// An interval of months has fields of days as well, which are zero. Weeks are not among them.
const hasField = ({ name }: SqlType, unit: string): boolean =>
  !/^(WEEK|DOW|DOY|ISODOW)$/.test(unit) &&
  (name === 'INTERVAL_YEAR_MONTH' ||
    !/^(MONTH|QUARTER|YEAR|ISOYEAR|DECADE|CENTURY|MILLENNIUM)$/.test(unit));

const lacksField = (type: SqlType, unit: string, at: Position) =>
  invalidSql(
    `Cannot apply 'EXTRACT' to arguments of type 'EXTRACT(<INTERVAL ${unit}> FROM <${typeText(type)}>)'. Supported form(s): 'EXTRACT(<DATETIME_INTERVAL> FROM <DATETIME_INTERVAL>)'\n'EXTRACT(<DATETIME_INTERVAL> FROM <DATETIME>)'\n'EXTRACT(<INTERVAL_DAY_TIME> FROM <INTERVAL_YEAR_MONTH>)'`,
    at,
  );

const fieldUnit = (text: Typed | undefined) =>
  typeof text?.constant === 'string' ? text.constant.toUpperCase() : '';

// Each of several times is computed on its own.
const ofEachTime = (row: SpecialFunction): SpecialFunction => ({
  ...row,
  resolve(args, call, environment) {
    if (!args.some((arg) => isList(arg) && isTime(arg.type)))
      return row.resolve(args, call, environment);
    const single = args.map((arg) => ({ ...arg, type: singleValued(arg.type) }));
    const { type } = row.resolve(single, call, environment);
    const sql = mapValues(args, (each) => row.resolve(each, call, environment).sql);
    return { type: { ...type, multiValue: true }, at: call.at, sql };
  },
});

const ofTimes: Readonly<Record<string, SpecialFunction>> = {
  CURRENT_TIMESTAMP: currentTime,
  LOCALTIMESTAMP: currentTime,
  CURRENT_DATE: {
    form: '',
    least: 0,
    most: 0,
    resolve: (_, { at }, { now, timeZone }: Environment) =>
      constantOf(localTime(now(), timeZone).dayStart, date, at),
  },
  'FLOOR TO': rounding(false),
  'CEIL TO': rounding(true),
  TIME_FLOOR: timeBucket(false),
  TIME_CEIL: timeBucket(true),
  DATE_TRUNC: {
    form: '<CHARACTER>, <TIMESTAMP>',
    least: 2,
    most: 2,
    resolve(args, call, { timeZone }) {
      const [unit, time] = args;
      if (!unit?.isLiteral) throw notLiteral(call.name, unit?.at ?? call.at);
      refuseNull(args);
      const name = typeof unit?.constant === 'string' ? unit.constant.toUpperCase() : '';
      if (time?.type.name !== 'TIMESTAMP') throw refuseCall(call, args, this.form);
      const period = Object.hasOwn(truncationPeriods, name) ? truncationPeriods[name] : undefined;
      if (!period)
        throw invalidStatement(
          `Operator[DATE_TRUNC] cannot truncate to[${String(unit?.constant)}]`,
        );
      return resolveBucket(time, { period: parsePeriod(period), zone: timeZone }, false, call.at);
    },
  },
  EXTRACT: {
    form: '<TIME_UNIT> FROM <DATETIME>',
    least: 1,
    most: 1,
    resolve([time], call, { timeZone }) {
      const { unit = '', at } = call;
      if (!time || !(isTime(time.type) || isInterval(time.type)))
        throw refusedCall(
          call,
          `<INTERVAL ${unit}> FROM ${time ? shownType(time) : ''}`,
          this.form,
        );
      if (isInterval(time.type) && !hasField(time.type, unit))
        throw lacksField(time.type, unit, at);
      if (unit === 'MICROSECOND' || unit === 'NANOSECOND') throw unplannable(); // Calcite's, but not the engine's
      if (!Object.hasOwn(fields, unit)) throw noTimeFrame(call);
      return extract(time, unit, timeZone, at);
    },
  },
  TIME_EXTRACT: {
    form: '<TIMESTAMP>, <CHARACTER>, [<CHARACTER>]',
    least: 2,
    most: 3,
    resolve(args, call, { timeZone }) {
      const [time, unit, zone] = args;
      refuseNull(args.slice(0, 2));
      const areTexts = [unit, zone].every(
        (setting) => !setting || setting.type.name === 'NULL' || isText(setting.type),
      );
      if (time?.type.name !== 'TIMESTAMP' || !areTexts) throw refuseCall(call, args, this.form);
      if (unit?.constant === undefined) throw notLiteral(call.name, unit?.at ?? call.at);
      return extract(
        time,
        fieldUnit(unit),
        typeof zone?.constant === 'string' ? knownZone(zone.constant) : timeZone,
        call.at,
      );
    },
  },
  TIMESTAMPADD: timestampAdd,
  TIMESTAMPDIFF: timestampDiff,
  'MINUS DATE': minusDate,
  MILLIS_TO_TIMESTAMP: {
    form: '<EXACT_NUMERIC>',
    least: 1,
    most: 1,
    resolve(args, call, { timeZone }) {
      const [millis] = args;
      refuseNull(args);
      if (!millis || !isNumeric(millis.type) || ['FLOAT', 'DOUBLE'].includes(millis.type.name))
        throw refuseCall(call, args, this.form);
      return { ...castTo(castTo(millis, bigint, timeZone), timestamp, timeZone), at: call.at };
    },
  },
  TIMESTAMP_TO_MILLIS: {
    form: '<TIMESTAMP>',
    least: 1,
    most: 1,
    resolve(args, call, { timeZone }) {
      const [time] = args;
      refuseNull(args);
      if (time?.type.name !== 'TIMESTAMP') throw refuseCall(call, args, this.form);
      return { ...castTo(time, bigint, timeZone), at: call.at };
    },
  },
};

export const timeForms: Readonly<Record<string, SpecialFunction>> = Object.fromEntries(
  Object.entries(ofTimes).map(([name, row]) => [name, ofEachTime(row)]),
);
