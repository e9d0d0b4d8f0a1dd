// Result values as text. Expected texts are Druid's.
import { expect, test } from 'vitest';
import { timeZoneOf } from '../../../src/model/time-zone.ts';
import { jsonCell } from '../../../src/server/statements/result-writer.ts';
import { zoneOf } from '../../../src/sql/expressions/time-text.ts';
import {
  arrayOf,
  bigint,
  date,
  float,
  integer,
  json,
  nativeTypeOf,
  type SqlType,
  timestamp,
} from '../../../src/sql/types.ts';

const written = (value: unknown, type: SqlType, zone = 'UTC') =>
  jsonCell(
    { name: 'v', type, nativeType: nativeTypeOf(type) ?? '' },
    { stringifyArrays: false, timeZone: zoneOf(zone) },
  )(value);

test('an INTEGER is what is left of 64 bits in 32, a BIGINT is all of them', () => {
  expect(written(2147483648, integer)).toBe('-2147483648');
  expect(written(9223372036854775807n, integer)).toBe('-1');
  expect(written(-5, integer)).toBe('-5');
  expect(written(9223372036854775807n, bigint)).toBe('9223372036854775807');
});

test('a DATE with a part of a day is shown as the start of its day, where the zone says', () => {
  const at = Date.parse('2015-09-13T01:00:00Z');
  expect(written(at, date)).toBe('"2015-09-13T00:00:00.000Z"');
  expect(written(at, date, 'America/New_York')).toBe('"2015-09-12T00:00:00.000-04:00"');
  expect(written(-1, date)).toBe('"1969-12-31T00:00:00.000Z"');
});

test('a FLOAT that was computed with 64 bits shows the digits of 32, and what is too large for them is infinite', () => {
  expect(written(Math.fround(0.3) + 2, float)).toBe('2.3');
  expect(written(Math.fround(3.4028235e38) * 2, float)).toBe('"Infinity"');
});

test('a FLOAT of a union shows the digits of 64 bits, one of older versions those of Java 17', () => {
  expect(written(-1e300, { ...float, holdsDoubles: true })).toBe('-1.0E300');
  expect(written(0.1, { ...float, holdsDoubles: true })).toBe('0.1');
  const column = { name: 'v', type: float, nativeType: 'FLOAT', hasLongFloats: true } as const;
  const older = jsonCell(column, { stringifyArrays: false, timeZone: zoneOf('UTC') });
  expect(older(2147483647)).toBe('2.14748365E9');
  expect(written(2147483647, float)).toBe('2.1474836E9');
});

test('nested data in a list stays nested, with numbers as Java prints them', () => {
  expect(
    written(
      ['1', '"two"', '3.0', null, '{"deep":[100000000000000000000.0,"12345678.5, 1e9"]}'],
      arrayOf(json),
    ),
  ).toBe('[1,"two",3.0,null,{"deep":[1.0E20,"12345678.5, 1e9"]}]');
  expect(written('{"small":0.00001,"large":12345678.5,"whole":123456789012}', json)).toBe(
    JSON.stringify('{"small":1.0E-5,"large":1.23456785E7,"whole":123456789012}'),
  );
});

test('times beyond all calendars are written to the last millisecond', () => {
  expect(written(9223372036854775807n, timestamp)).toBe('"292278994-08-17T07:12:55.807Z"');
  expect(written(-9223372036854775808n, timestamp)).toBe('"-292275055-05-16T16:47:04.192Z"');
  expect(written(639424940140800000n, timestamp)).toMatch(/^"2\d{7}-/);
  // It is winter there.
  expect(written(638660039932800000n, timestamp, 'America/Los_Angeles')).toBe(
    '"20240301-01-01T00:00:00.000-08:00"',
  );
});

test('of an hour that the clock went through twice the first is shown', () => {
  const second = Date.parse('2024-11-03T09:30:00Z');
  expect(timeZoneOf('America/Los_Angeles').offsetMs(second)).toBe(-8 * 3_600_000);
  expect(written(second, timestamp, 'America/Los_Angeles')).toBe('"2024-11-03T01:30:00.000-07:00"');
  expect(written(Date.parse('2024-10-27T01:30:00Z'), timestamp, 'Europe/Paris')).toBe(
    '"2024-10-27T02:30:00.000+02:00"',
  );
});

test('the offset of local mean time has seconds', () => {
  expect(written(Date.parse('0001-01-01T07:52:58Z'), timestamp, 'America/Los_Angeles')).toBe(
    '"0001-01-01T00:00:00.000-07:52:58"',
  );
});
