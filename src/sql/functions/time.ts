// Functions that shift, parse and print times.
import { InvalidTime } from '../../model/instant.ts';
import { parsePeriod } from '../../model/period.ts';
import { localTimestamp, plusDays } from '../expressions/local-time.ts';
import {
  beyondCalendar,
  parseInterval,
  parseSqlTime,
  shiftTime,
  zoneOf,
} from '../expressions/time-text.ts';
import { checkPattern, formatTime, parseTime, tokensOf } from '../runtime/joda-pattern.ts';
import { quote } from '../runtime/quoted.ts';
import { failedQuery, invalidSql, SqlError } from '../sql-error.ts';
import { boolean, timestamp, varchar } from '../types.ts';
import {
  character,
  druidFunction,
  knownCharacter,
  literalText,
  type ParameterType,
  type ScalarCall,
  type ScalarFunction,
  time,
  wholeNumber,
} from './scalar-function.ts';

const isText = (value: unknown): value is string => typeof value === 'string';

// The zone is the statement's zone unless the last argument names one.
const zoneOfCall = ({ args, environment }: ScalarCall, index: number): string => {
  const zone = args[index]?.constant;
  return isText(zone) ? zone : environment.timeZone;
};

// A NULL pattern means the default pattern.
const optionalText: ParameterType = { ...character };

const timeShift: ScalarFunction = druidFunction(
  [time, character, wholeNumber, knownCharacter],
  timestamp,
  ([x = '', period, given = '0'], call) => {
    const zone = zoneOfCall(call, 3);
    const count = call.args[2]?.constant;
    // A null number of times counts as zero, and only 32 bits of it are used.
    const times =
      typeof count === 'bigint'
        ? `${BigInt.asIntN(32, count)}::BIGINT`
        : `druid_long_to_int(coalesce(${given}, 0))`;
    const known = call.args[1]?.constant;
    if (!isText(known)) return `druid_time_shift(${x}, ${period}, ${times}, ${quote(zone)})`;
    const { years, months, weeks, days, ms } = periodOf(known);
    const monthCount = years * 12 + months;
    if (zone === 'UTC' && monthCount === 0)
      return `(${x} + ${times} * ${ms + (weeks * 7 + days) * 86_400_000})`;
    if (monthCount === 0 && weeks === 0 && days === 0) return `(${x} + ${times} * ${ms})`;
    if (zone === 'UTC' && weeks === 0 && days === 0 && ms === 0)
      return `druid_add_months(${x}, ${times} * ${monthCount})`;
    const otherwise = (time: string) =>
      `druid_time_shift(${time}, ${quote(known)}, ${times}, ${quote(zone)})`;
    return monthCount === 0 && ms === 0 && typeof count === 'bigint'
      ? plusDays(
          x,
          Number(BigInt.asIntN(32, count)) * (weeks * 7 + days),
          zone,
          otherwise,
          call.args[0]?.timeRange,
        )
      : otherwise(x);
  },
  {
    optional: 1,
    fold([x, text, times], call) {
      if (typeof x !== 'bigint' || !isText(text) || typeof times !== 'bigint') return undefined;
      const period = periodOf(text);
      const shifted = shiftTime(x, period, BigInt.asIntN(32, times), zoneOf(zoneOfCall(call, 3)));
      if (shifted === undefined) throw invalidSql(beyondCalendar(times, period), call.at);
      return shifted;
    },
  },
);

function periodOf(text: string) {
  try {
    return parsePeriod(text);
  } catch (error) {
    if (error instanceof InvalidTime)
      throw new SqlError(
        `Invalid period['${text}'] specified for expression[timestamp_shift]: [${error.message}]`,
      );
    throw error;
  }
}

const timeParse: ScalarFunction = druidFunction(
  [character, optionalText, knownCharacter],
  timestamp,
  ([x, pattern], call) => {
    const zone = quote(zoneOfCall(call, 2));
    const known = call.args[1];
    return known === undefined || known.constant === null
      ? `druid_iso_or_sql_time(${x}, ${zone})`
      : `druid_parse_time(${x}, ${pattern}, ${zone})`;
  },
  {
    optional: 2,
    fold([x, pattern], call) {
      if (!isText(x)) return undefined;
      const zone = zoneOfCall(call, 2);
      if (!isText(pattern)) return parseSqlTime(x, zone);
      const ms = parseTime(x, pattern, zoneOf(zone));
      return ms === null ? null : BigInt(ms);
    },
  },
);

const isoPattern = "yyyy-MM-dd'T'HH:mm:ss.SSSZZ";

const timeFormat: ScalarFunction = druidFunction(
  [time, optionalText, knownCharacter],
  varchar,
  ([x, pattern], call) => {
    const zone = zoneOfCall(call, 2);
    const known = call.args[1];
    const text = known === undefined || known.constant === null ? isoPattern : known.constant;
    if (!isText(text)) return `druid_format_time(${x}, ${pattern}, ${quote(zone)})`;
    const duckdb = strftimePattern(text, zone);
    checkPattern(text);
    if (duckdb === undefined) return `druid_format_time(${x}, ${quote(text)}, ${quote(zone)})`;
    return `strftime(${localTimestamp(x ?? '', zone, call.args[0]?.timeRange)}, ${quote(duckdb)})`;
  },
  {
    optional: 2,
    fold([x, pattern], call) {
      if (typeof x !== 'bigint') return undefined;
      return formatTime(
        Number(x),
        isText(pattern) ? pattern : isoPattern,
        zoneOf(zoneOfCall(call, 2)),
      );
    },
  },
);

// Patterns that DuckDB can print itself.
function strftimePattern(pattern: string, zone: string): string | undefined {
  let result = '';
  for (const token of tokensOf(pattern)) {
    const field = 'text' in token ? '' : token.letter.repeat(token.count);
    if ('text' in token) result += token.text.replaceAll('%', '%%');
    else if (Object.hasOwn(strftimeFields, field)) result += strftimeFields[field];
    else if (zone === 'UTC' && field === 'ZZ') result += '+00:00';
    else return undefined;
  }
  return result === '' ? undefined : result;
}

// DuckDB pads years only from 1000 on, which is enough for a pattern of four letters.
const strftimeFields: Readonly<Record<string, string>> = {
  yyyy: '%Y',
  YYYY: '%Y',
  MMMM: '%B',
  MMM: '%b',
  MM: '%m',
  M: '%-m',
  dd: '%d',
  d: '%-d',
  DDD: '%j',
  EEEE: '%A',
  EEE: '%a',
  HH: '%H',
  H: '%-H',
  hh: '%I',
  h: '%-I',
  a: '%p',
  mm: '%M',
  m: '%-M',
  ss: '%S',
  s: '%-S',
  SSS: '%g',
};

const timeInInterval: ScalarFunction = druidFunction(
  [time, literalText],
  boolean,
  ([x], call) => {
    const { start, end } = intervalOf(call);
    return `(${x} >= ${start} AND ${x} < ${end})`;
  },
  {
    fold([x], call) {
      const { start, end } = intervalOf(call);
      return typeof x === 'bigint' ? x >= BigInt(start) && x < BigInt(end) : undefined;
    },
  },
);

function intervalOf({ args, environment, name, call }: ScalarCall): {
  readonly start: number;
  readonly end: number;
} {
  const text = String(args[1]?.constant);
  try {
    return parseInterval(text, environment.timeZone);
  } catch (error) {
    if (!(error instanceof InvalidTime)) throw error;
    const { line, column, endLine, endColumn } = call.at;
    throw failedQuery(
      `From line ${line}, column ${column} to line ${endLine}, column ${endColumn}: Function '${name}' second argument is not a valid ISO8601 interval: ${error.message}`,
      'org.apache.calcite.runtime.CalciteContextException',
    );
  }
}

export const timeFunctions: Record<string, ScalarFunction> = {
  TIME_SHIFT: timeShift,
  TIME_PARSE: timeParse,
  TIME_FORMAT: timeFormat,
  TIME_IN_INTERVAL: timeInInterval,
};
