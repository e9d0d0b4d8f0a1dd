// Bloom filters in SQL (Druid's documentation, "Bloom Filter"): built from the values of a column,
// and tested for a value.

import { castTo } from '../expressions/casts.ts';
import { isList } from '../expressions/multi-value.ts';
import type { Typed } from '../expressions/typed.ts';
import {
  addToBloomFilter,
  type BloomFilter,
  type BloomKind,
  bloomFilterText,
  emptyBloomFilter,
  mayContain,
  readBloomFilter,
} from '../runtime/bloom-filter.ts';
import { quote } from '../runtime/quoted.ts';
import { cannotCall, invalidSql, SqlError } from '../sql-error.ts';
import {
  bigint,
  boolean,
  complexType,
  isInteger,
  isNumeric,
  isTime,
  type SqlType,
  varchar,
} from '../types.ts';
import { type Aggregate, collect, wholeOf } from './aggregate.ts';
import { sameInNative } from './same-in-native.ts';
import { any, druidFunction, knownCharacter, type ScalarFunction } from './scalar-function.ts';

const maxEntries = 50_000_000; // makes a filter of 40 MB

export const bloomAggregates: Readonly<Record<string, Aggregate>> = {
  BLOOM_FILTER: {
    form: '<column>, <maxNumEntries>',
    least: 2,
    most: 2,
    check(args, { name, at }) {
      const [, size] = args;
      if (!size || size.constant === undefined || !isNumeric(size.type))
        throw cannotCall({ name, at }, args, `${name}(${this.form})`);
      const count = wholeOf(size, 0);
      if (!(count >= 1 && count <= maxEntries))
        throw invalidSql(
          `Function '${name}' takes a maxNumEntries from 1 to ${maxEntries}, not [${count}]`,
          at,
        );
      return complexType('bloom');
    },
    duckdb: ([value, size], _, { timeZone }, over) => {
      if (!value) return '';
      const texts = textOf(value, timeZone);
      const all = isList(texts)
        ? `flatten(${collect(`${texts.sql}`, over)})`
        : collect(`DISTINCT ${texts.sql}`, over);
      return `druid_bloom_filter(coalesce(${all}, []::VARCHAR[]), ${wholeOf(size, 0)}::BIGINT, '${kindOf(value.type)}')`;
    },
  },
};

export const bloomFunctions: Readonly<Record<string, ScalarFunction>> = {
  BLOOM_FILTER_TEST: sameInNative(
    druidFunction(
      [any, knownCharacter],
      boolean,
      ([value = ''], { args: [given, filter], environment }) => {
        const text = String(filter?.constant);
        const read = readBloomFilter(text);
        if (!read) throw noFilter();
        if (!given) return '';
        const kind = kindOf(given.type);
        return `coalesce(druid_bloom_test(${textOf({ ...given, sql: value }, environment.timeZone).sql}, '${kind}', ${quote(text)}), ${mayContain(read, null, kind)})`;
      },
    ),
  ),
};

// A time is hashed as its number.
const textOf = (value: Typed, zone: string) =>
  castTo(isTime(value.type) ? castTo(value, bigint, zone) : value, varchar, zone);

const kindOf = (type: SqlType): BloomKind =>
  isInteger(type) || isTime(type) || type.name === 'BOOLEAN'
    ? 'long'
    : isNumeric(type)
      ? 'double'
      : 'text';

const noFilter = () =>
  new SqlError('Function[bloom_filter_test] failed to deserialize bloom filter', {
    category: 'UNCATEGORIZED',
    code: 'general',
    persona: 'ADMIN',
  });

// Consecutive rows usually test the same filter.
let last: { readonly text: string; readonly filter: BloomFilter | undefined } | undefined;

/** Whether a value may be in the filter with this base64. Called by DuckDB. */
export function testBloomFilter(value: string, kind: string, text: string): boolean {
  if (last?.text !== text) last = { text, filter: readBloomFilter(text) };
  return last.filter !== undefined && mayContain(last.filter, value, kind as BloomKind);
}

/** The filter of these values as JSON: its base64 as a string. */
export function makeBloomFilter(
  values: readonly (string | null)[],
  entries: bigint,
  kind: string,
): string {
  const filter = emptyBloomFilter(Number(entries));
  for (const value of values) addToBloomFilter(filter, value, kind as BloomKind);
  return JSON.stringify(bloomFilterText(filter));
}
