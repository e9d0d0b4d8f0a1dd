import fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import {
  bucketOf,
  bucketsIn,
  granularityJson,
  granularityName,
  isBucket,
  parseGranularity,
} from '../../src/model/granularity.ts';
import { formatInstant, parseInstant } from '../../src/model/instant.ts';
import { eternity, formatInterval, parseInterval } from '../../src/model/interval.ts';
import { addPeriod, formatPeriod, parsePeriod } from '../../src/model/period.ts';
import { timeZoneOf } from '../../src/model/time-zone.ts';

const at = '2024-05-15T13:47:31.123Z'; // a Wednesday

test.each([
  ['second', '2024-05-15T13:47:31.000Z/2024-05-15T13:47:32.000Z'],
  ['fifteen_minute', '2024-05-15T13:45:00.000Z/2024-05-15T14:00:00.000Z'],
  ['HOUR', '2024-05-15T13:00:00.000Z/2024-05-15T14:00:00.000Z'],
  ['six_hour', '2024-05-15T12:00:00.000Z/2024-05-15T18:00:00.000Z'],
  ['Day', '2024-05-15T00:00:00.000Z/2024-05-16T00:00:00.000Z'],
  ['week', '2024-05-13T00:00:00.000Z/2024-05-20T00:00:00.000Z'],
  ['month', '2024-05-01T00:00:00.000Z/2024-06-01T00:00:00.000Z'],
  ['quarter', '2024-04-01T00:00:00.000Z/2024-07-01T00:00:00.000Z'],
  ['year', '2024-01-01T00:00:00.000Z/2025-01-01T00:00:00.000Z'],
  ['none', '2024-05-15T13:47:31.123Z/2024-05-15T13:47:31.124Z'],
])('the bucket of %s', (name, bucket) => {
  const granularity = parseGranularity(name);
  expect(formatInterval(bucketOf(granularity, parseInstant(at)))).toBe(bucket);
  expect(isBucket(granularity, parseInterval(bucket))).toBe(true);
  expect(granularityName(granularity)).toBe(name.toUpperCase());
});

test.each([
  [
    { period: 'P1D', timeZone: 'America/Los_Angeles' },
    '2024-05-15T07:00:00.000Z/2024-05-16T07:00:00.000Z',
  ],
  [
    { period: 'PT6H', timeZone: 'Asia/Kolkata' },
    '2024-05-15T12:30:00.000Z/2024-05-15T18:30:00.000Z',
  ],
  // A number of milliseconds
  [{ period: 21_600_000 }, '2024-05-15T12:00:00.000Z/2024-05-15T18:00:00.000Z'],
  [{ period: 'P1M', timeZone: '+02:00' }, '2024-04-30T22:00:00.000Z/2024-05-31T22:00:00.000Z'],
  [
    { period: 'P1D', origin: '2024-01-01T06:00:00Z' },
    '2024-05-15T06:00:00.000Z/2024-05-16T06:00:00.000Z',
  ],
  [
    { period: 'P1M', origin: '2020-01-20T00:00:00Z' },
    '2024-04-20T00:00:00.000Z/2024-05-20T00:00:00.000Z',
  ],
  [{ period: 'P10Y' }, '2020-01-01T00:00:00.000Z/2030-01-01T00:00:00.000Z'],
  [{ period: 'P1M2D' }, '2024-04-20T00:00:00.000Z/2024-05-22T00:00:00.000Z'],
])('a period granularity %j', (given, bucket) => {
  expect(
    formatInterval(bucketOf(parseGranularity({ type: 'period', ...given }), parseInstant(at))),
  ).toBe(bucket);
});

test('days have 23 and 25 hours where the clock changes', () => {
  const days = parseGranularity({ type: 'period', period: 'P1D', timeZone: 'Europe/Berlin' });
  const hours = (text: string) =>
    [...bucketsIn(days, parseInterval(text))].map(({ start, end }) => (end - start) / 3_600_000);
  expect(hours('2024-03-30T12:00Z/2024-04-01')).toEqual([24, 23, 24]);
  expect(hours('2024-10-26T12:00Z/2024-10-28')).toEqual([24, 25, 24]);
});

test('a duration counts from its origin; all is eternity; what is unknown is refused', () => {
  const duration = parseGranularity({
    type: 'duration',
    duration: 7_200_000,
    origin: '2024-01-01T01:00:00Z',
  });
  expect(formatInterval(bucketOf(duration, parseInstant(at)))).toBe(
    '2024-05-15T13:00:00.000Z/2024-05-15T15:00:00.000Z',
  );
  expect(bucketOf(parseGranularity('all'), 0)).toEqual(eternity);
  expect(() => parseGranularity('fortnight')).toThrow('Granularity [fortnight] is unknown');
  for (const period of ['PT0S', 'P'])
    expect(() => parseGranularity({ type: 'period', period })).toThrow('zero period');
  expect(() => parseGranularity({ type: 'period', period: 'PT' })).toThrow('Invalid format');
  expect(granularityJson(parseGranularity('day'))).toEqual({
    type: 'period',
    period: 'P1D',
    timeZone: 'UTC',
    origin: null,
  });
});

test('buckets touch each other, hold their moments, and start where they say', () => {
  const zones = [
    'UTC',
    'America/New_York',
    'Europe/Berlin',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
    '+05:45',
  ];
  const periods = [
    'PT1M',
    'PT15M',
    'PT1H',
    'PT6H',
    'P1D',
    'P3D',
    'P1W',
    'P2W',
    'P1M',
    'P3M',
    'P1Y',
    'P1M2D',
    'P1DT6H',
  ];
  const instants = fc.integer({ min: Date.UTC(1980, 0), max: Date.UTC(2040, 0) });
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.constantFrom(...periods),
      instants,
      (timeZone, period, instant) => {
        const granularity = parseGranularity({ type: 'period', period, timeZone });
        const bucket = bucketOf(granularity, instant);
        expect(bucket.start).toBeLessThanOrEqual(instant);
        expect(bucket.end).toBeGreaterThan(instant);
        expect(bucketOf(granularity, bucket.start).start).toBe(bucket.start);
      },
    ),
    { numRuns: 500 },
  );
});

test('whole units of a zone start where luxon says', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('UTC', 'America/New_York', 'Europe/Berlin', 'Asia/Kolkata'),
      fc.constantFrom(
        ['P1D', 'day'] as const,
        ['P1W', 'week'] as const,
        ['P1M', 'month'] as const,
        ['P3M', 'quarter'] as const,
        ['P1Y', 'year'] as const,
      ),
      fc.integer({ min: Date.UTC(1980, 0), max: Date.UTC(2040, 0) }),
      (zone, [period, unit], instant) => {
        const { start } = bucketOf(
          parseGranularity({ type: 'period', period, timeZone: zone }),
          instant,
        );
        expect(formatInstant(start)).toBe(
          formatInstant(DateTime.fromMillis(instant, { zone }).startOf(unit).toMillis()),
        );
      },
    ),
  );
});

test.each(['P1Y2M3W4DT5H6M7.089S', 'P1M', 'PT6H', 'P-1D', 'PT0S', 'PT1.500S', 'PT-30M'])(
  'the period %s is read and printed',
  (text) => {
    expect(formatPeriod(parsePeriod(text))).toBe(text);
  },
);

test.each(['', 'PT', '1D', 'P1', 'P1H', 'PT1D', '-P1D', 'P1.5D', 'P1DT'])(
  'the period %j is refused',
  (text) => {
    expect(() => parsePeriod(text)).toThrow(`Invalid format: "${text}"`);
  },
);

test('adding a period follows the calendar and the clock of the zone', () => {
  const added = (from: string, period: string, zone = 'UTC', times = 1) =>
    formatInstant(addPeriod(parseInstant(from), parsePeriod(period), times, timeZoneOf(zone)));
  expect(added('2024-01-31', 'P1M')).toBe('2024-02-29T00:00:00.000Z');
  expect(added('2024-03-31', 'P1M', 'UTC', -1)).toBe('2024-02-29T00:00:00.000Z');
  expect(added('2024-03-09T20:00:00Z', 'P1D', 'America/New_York')).toBe('2024-03-10T19:00:00.000Z');
  expect(added('2024-03-09T20:00:00Z', 'PT24H', 'America/New_York')).toBe(
    '2024-03-10T20:00:00.000Z',
  );
  expect(() => timeZoneOf('Mars/Olympus')).toThrow(
    "The datetime zone id 'Mars/Olympus' is not recognised",
  );
});

test('a zone is a name, an offset in any form of Joda, or a short name of Java', () => {
  const hours = (zone: string) => timeZoneOf(zone).offsetMs(parseInstant('2024-01-01')) / 3_600_000;
  expect(
    ['-08:00', '-0800', '-08', 'GMT-8', 'GMT-08:00', 'Etc/GMT+8', 'PST', 'America/Los_Angeles'].map(
      hours,
    ),
  ).toEqual(Array(8).fill(-8));
  expect(['+05:30', '+0530', '+05:30:00', 'Asia/Kolkata'].map(hours)).toEqual(Array(4).fill(5.5));
  expect(['UTC', 'Z', '+00:00', '-0000', 'Etc/GMT', 'GMT', 'GMT+0'].map(hours)).toEqual(
    Array(7).fill(0),
  );
  for (const unknown of ['+25:00', '+05:99', '+5', 'GMT+24', '', 'constructor', '__proto__'])
    expect(() => timeZoneOf(unknown)).toThrow(`'${unknown}'`);
});

test('the offset of a zone changes on the minute, also within a quarter of an hour', () => {
  const zone = timeZoneOf('America/St_Johns');
  const offsets = ['02:30:59.999', '02:31:00.000', '02:44:59.999'].map(
    (time) => zone.offsetMs(parseInstant(`2010-11-07T${time}Z`)) / 60_000,
  );
  expect(offsets).toEqual([-150, -210, -210]);
});

test('adding in a zone agrees with luxon', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe'),
      fc.record({
        months: fc.integer({ min: -30, max: 30 }),
        days: fc.integer({ min: -400, max: 400 }),
      }),
      fc.integer({ min: Date.UTC(1985, 0), max: Date.UTC(2035, 0) }),
      (zone, { months, days }, instant) => {
        const period = { years: 0, months, weeks: 0, days, ms: 0 };
        const theirs = DateTime.fromMillis(instant, { zone })
          .plus({ months })
          .plus({ days })
          .toMillis();
        const mine = addPeriod(instant, period, 1, timeZoneOf(zone));
        // Of a time that happens twice, the two may take different ones.
        expect([0, 1_800_000, 3_600_000]).toContain(Math.abs(mine - theirs));
        expect(DateTime.fromMillis(mine, { zone }).toFormat('HH:mm:ss.SSS')).toBe(
          DateTime.fromMillis(theirs, { zone }).toFormat('HH:mm:ss.SSS'),
        );
      },
    ),
    { numRuns: 300 },
  );
});
