// Scalar functions written in TypeScript, for operations that DuckDB lacks. The engine registers
// them before the macros. They are not called for null: a null argument yields null.

import { decodeJavaBase64 } from '../../model/java-base64.ts';
import { doubleText } from '../../model/java-text.ts';
import { depthOf } from '../../model/json.ts';
import { parsePeriod } from '../../model/period.ts';
import { bucketConstant } from '../expressions/time-bucket.ts';
import { beyondCalendar, parseSqlTime, shiftTime, zoneOf } from '../expressions/time-text.ts';
import { extractMatch, replaceMatches, splitText } from '../regex/java-regex.ts';
import { type EngineFunction, engineFunction } from '../runtime/engine-function.ts';
import { histogramEngineFunctions } from '../runtime/histogram-functions.ts';
import { humanReadable } from '../runtime/human-readable.ts';
import { formatIpv4, matchesIpv6, parseIpv4 } from '../runtime/ip-address.ts';
import { format } from '../runtime/java-format.ts';
import { maxLong, minLong } from '../runtime/java-values.ts';
import { formatTime, parseTime } from '../runtime/joda-pattern.ts';
import {
  jsonPaths,
  mergeJson,
  normalizeJson,
  objectInJson,
  strictJson,
} from '../runtime/json-values.ts';
import { kllEngineFunctions } from '../runtime/kll-functions.ts';
import { orderingKeyFunction } from '../runtime/ordering-keys.ts';
import { padText } from '../runtime/padded-text.ts';
import { roundHalfUp } from '../runtime/round-half-up.ts';
import { sketchEngineFunctions } from '../runtime/sketch-functions.ts';
import { tupleEngineFunctions } from '../runtime/tuple-functions.ts';
import { uniqueEngineFunctions } from '../runtime/unique-functions.ts';
import {
  deepestJson,
  LimitExceeded,
  listTooLong,
  nestedTooDeeply,
  textTooLong,
} from '../runtime/value-limits.ts';
import { makeBloomFilter, testBloomFilter } from './bloom.ts';
import { nativeMathEngineFunctions } from './native-math.ts';

/** All functions beyond DuckDB's own that translated texts and macros may call. */
export const scalarFunctions: readonly EngineFunction[] = [
  engineFunction('druid_java_text', ['VARCHAR'], 'VARCHAR', printJson),
  // For rows to store, of which one must not fail the others
  engineFunction('druid_stored_java_text', ['VARCHAR'], 'VARCHAR', (json) =>
    depthOf(json) > deepestJson ? json : javaTextOf(json),
  ),
  engineFunction('druid_java_round', ['DOUBLE', 'BIGINT'], 'DOUBLE', (value, digits) =>
    roundHalfUp(value, Number(digits)),
  ),
  engineFunction('druid_double_to_bits', ['DOUBLE'], 'BIGINT', (value) =>
    bits((view) => view.setFloat64(0, value)).getBigInt64(0),
  ),
  engineFunction('druid_bits_to_double', ['BIGINT'], 'DOUBLE', (value) =>
    bits((view) => view.setBigInt64(0, value)).getFloat64(0),
  ),
  engineFunction('druid_human_readable', ['BIGINT', 'BIGINT', 'VARCHAR'], 'VARCHAR', humanReadable),
  engineFunction(
    'druid_time_bucket',
    ['BIGINT', 'VARCHAR', 'VARCHAR', 'VARCHAR', 'BOOLEAN'],
    'BIGINT',
    (ms, period, origin, zone, up) =>
      bucketConstant(ms, parsePeriod(period), zone, origin === '' ? undefined : BigInt(origin), up),
  ),
  engineFunction(
    'druid_regexp_extract',
    ['VARCHAR', 'VARCHAR', 'BIGINT'],
    'VARCHAR',
    (text, pattern, group) => extractMatch(text, pattern, Number(group)),
  ),
  engineFunction(
    'druid_regexp_replace',
    ['VARCHAR', 'VARCHAR', 'VARCHAR'],
    'VARCHAR',
    replaceMatches,
  ),
  engineFunction(
    'druid_pad',
    ['VARCHAR', 'BIGINT', 'VARCHAR', 'VARCHAR'],
    'VARCHAR',
    (text, size, padding, side) => padText(text, size, padding, side === 'left'),
  ),
  engineFunction('druid_split', ['VARCHAR', 'VARCHAR'], 'VARCHAR[]', splitText),
  engineFunction('druid_format', ['VARCHAR', 'VARCHAR[]'], 'VARCHAR', format),
  engineFunction('druid_decode_base64', ['VARCHAR'], 'VARCHAR', (text) =>
    decodeJavaBase64(text).toString('utf8'),
  ),
  engineFunction(
    'druid_time_shift',
    ['BIGINT', 'VARCHAR', 'BIGINT', 'VARCHAR'],
    'BIGINT',
    (ms, period, times, zone) => {
      const shifted = shiftTime(ms, parsePeriod(period), times, zoneOf(zone));
      if (shifted === undefined)
        throw new LimitExceeded(beyondCalendar(times, parsePeriod(period)));
      return shifted;
    },
  ),
  engineFunction(
    'druid_format_time',
    ['BIGINT', 'VARCHAR', 'VARCHAR'],
    'VARCHAR',
    (ms, pattern, zone) => formatTime(Number(ms), pattern, zoneOf(zone)),
  ),
  engineFunction(
    'druid_parse_time',
    ['VARCHAR', 'VARCHAR', 'VARCHAR'],
    'BIGINT',
    (text, pattern, zone) => {
      const ms = parseTime(text, pattern, zoneOf(zone));
      return ms === null ? null : BigInt(ms);
    },
  ),
  engineFunction('druid_iso_to_millis', ['VARCHAR'], 'BIGINT', (text) =>
    text.includes(' ') ? null : parseSqlTime(text, 'UTC'),
  ),
  engineFunction('druid_parse_json', ['VARCHAR'], 'VARCHAR', strictJson),
  engineFunction('druid_try_parse_json', ['VARCHAR'], 'VARCHAR', normalizeJson),
  engineFunction('druid_json_object', ['VARCHAR'], 'VARCHAR', objectInJson),
  engineFunction('druid_merge_json', ['VARCHAR[]', 'BOOLEAN'], 'VARCHAR', mergeJson),
  engineFunction('druid_json_paths', ['VARCHAR'], 'VARCHAR[]', jsonPaths),
  engineFunction('druid_ipv4_parse', ['VARCHAR'], 'BIGINT', parseIpv4),
  engineFunction('druid_ipv4_text', ['BIGINT'], 'VARCHAR', formatIpv4),
  engineFunction('druid_ipv6_match', ['VARCHAR', 'VARCHAR'], 'BOOLEAN', matchesIpv6),
  engineFunction('druid_parse_long', ['VARCHAR', 'BIGINT'], 'BIGINT', parseLongOf),
  ...nativeMathEngineFunctions,
  orderingKeyFunction,
  engineFunction(
    'druid_format_time_in',
    ['BIGINT', 'VARCHAR', 'VARCHAR', 'VARCHAR'],
    'VARCHAR',
    (ms, pattern, zone, locale) => formatTime(Number(ms), pattern, zoneOf(zone), locale),
  ),
  ...sketchEngineFunctions,
  ...kllEngineFunctions,
  ...histogramEngineFunctions,
  ...tupleEngineFunctions,
  ...uniqueEngineFunctions,
  engineFunction(
    'druid_bloom_filter',
    ['VARCHAR[]', 'BIGINT', 'VARCHAR'],
    'VARCHAR',
    makeBloomFilter,
  ),
  engineFunction('druid_bloom_test', ['VARCHAR', 'VARCHAR', 'VARCHAR'], 'BOOLEAN', testBloomFilter),
  engineFunction('druid_text_to_time', ['VARCHAR', 'VARCHAR'], 'BIGINT', parseSqlTime),
  refusal('druid_refuse_text', textTooLong),
  refusal('druid_refuse_list', listTooLong),
];

// Macros pass their function's name. DuckDB must not compute the call before a row needs it.
function refusal(name: string, refuse: (functionName: string) => LimitExceeded): EngineFunction {
  const call = (functionName: string): boolean => {
    throw refuse(functionName);
  };
  return { ...engineFunction(name, ['VARCHAR'], 'BOOLEAN', call), volatile: true };
}

function bits(write: (view: DataView) => void): DataView {
  const view = new DataView(new ArrayBuffer(8));
  write(view);
  return view;
}

// As Java's Long.parseLong; hexadecimal digits may follow 0x.
function parseLongOf(text: string, radix: bigint): bigint | null {
  if (radix < 2n || radix > 36n) return null; // as Java's Character.MIN_RADIX and MAX_RADIX
  const digits = radix === 16n ? text.replace(/^0x/i, '') : text;
  const match = /^([+-]?)([0-9a-z]+)$/i.exec(digits);
  if (!match) return null;
  const places = (match[2] ?? '').replace(/^0+(?=.)/, '');
  if (places.length > 64) return null; // more than 64 bits in any radix
  let value = 0n;
  for (const digit of places) {
    const place = Number.parseInt(digit, 36);
    if (BigInt(place) >= radix) return null;
    value = value * radix + BigInt(place);
  }
  const signed = match[1] === '-' ? -value : value;
  return signed >= minLong && signed <= maxLong ? signed : null;
}

// Nested data in Java's text format: `[3, [4, 5]]`, `{a=1.0E20}`.
function printJson(json: string): string {
  if (depthOf(json) > deepestJson) throw nestedTooDeeply();
  return javaTextOf(json);
}

const javaTextOf = (json: string): string =>
  javaText(JSON.parse(json.replace(stringsAndNumbers, withJavaNumber)));

const stringsAndNumbers = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

// A number as a text in JSON. Whole numbers beyond a LONG are doubles.
function withJavaNumber(token: string): string {
  if (token.startsWith('"')) return token;
  const isLong = /^-?\d{1,19}$/.test(token) && BigInt.asIntN(64, BigInt(token)) === BigInt(token);
  return `"${isLong ? BigInt(token) : doubleText(Number(token))}"`;
}

function javaText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(javaText).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, item]) => `${key}=${javaText(item)}`)
      .join(', ')}}`;
  return String(value);
}
