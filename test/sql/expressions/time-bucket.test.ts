// Buckets of time in zones, as the real engine's PeriodGranularity (33.0.0) answers.
import { expect, test } from 'vitest';
import { formatInstant, parseInstant } from '../../../src/model/instant.ts';
import { parsePeriod } from '../../../src/model/period.ts';
import { timeZoneOf } from '../../../src/model/time-zone.ts';
import { sqlFunctions } from '../../../src/server/engine/sql-functions.ts';
import { bucketConstant, bucketText } from '../../../src/sql/expressions/time-bucket.ts';
import { macros } from '../../../src/sql/runtime/macros.ts';
import { randomFrom } from '../../support/random.ts';
import { databaseSession } from '../../support/storage.ts';

const recorded: readonly (readonly [
  period: string,
  zone: string,
  origin: string | undefined,
  time: string,
  start: string,
  next: string,
])[] = [
  [
    'PT6H',
    'America/New_York',
    undefined,
    '2015-09-12T12:00:00.000Z',
    '2015-09-12T11:00:00.000Z',
    '2015-09-12T17:00:00.000Z',
  ],
  [
    'PT6H',
    'America/New_York',
    undefined,
    '2015-03-08T05:00:00.000Z',
    '2015-03-08T05:00:00.000Z',
    '2015-03-08T11:00:00.000Z',
  ],
  [
    'PT2H',
    'America/New_York',
    undefined,
    '2015-03-08T06:00:00.000Z',
    '2015-03-08T05:00:00.000Z',
    '2015-03-08T07:00:00.000Z',
  ],
  [
    'PT24H',
    'America/New_York',
    undefined,
    '2015-09-12T12:00:00.000Z',
    '2015-09-12T05:00:00.000Z',
    '2015-09-13T05:00:00.000Z',
  ],
  [
    'PT45M',
    'America/New_York',
    undefined,
    '2015-09-12T12:00:00.000Z',
    '2015-09-12T11:45:00.000Z',
    '2015-09-12T12:30:00.000Z',
  ],
  [
    'PT1H',
    'America/New_York',
    undefined,
    '2015-11-01T06:10:00.000Z',
    '2015-11-01T06:00:00.000Z',
    '2015-11-01T07:00:00.000Z',
  ],
  [
    'PT1H',
    'America/New_York',
    undefined,
    '2015-11-01T07:10:00.000Z',
    '2015-11-01T07:00:00.000Z',
    '2015-11-01T08:00:00.000Z',
  ],
  [
    'PT1H',
    'Asia/Kathmandu',
    undefined,
    '2015-11-01T07:10:00.000Z',
    '2015-11-01T06:15:00.000Z',
    '2015-11-01T07:15:00.000Z',
  ],
  [
    'PT30M',
    'Asia/Kathmandu',
    undefined,
    '2015-11-01T07:10:00.000Z',
    '2015-11-01T07:00:00.000Z',
    '2015-11-01T07:30:00.000Z',
  ],
  [
    'PT6H',
    'Australia/Lord_Howe',
    undefined,
    '2015-10-03T13:40:52.167Z',
    '2015-10-03T07:30:00.000Z',
    '2015-10-03T13:30:00.000Z',
  ],
  [
    'P1D',
    'America/Sao_Paulo',
    undefined,
    '2015-10-18T05:00:00.000Z',
    '2015-10-18T03:00:00.000Z',
    '2015-10-19T03:00:00.000Z',
  ],
  [
    'P2W',
    'UTC',
    undefined,
    '2015-09-12T12:00:00.000Z',
    '2015-09-10T00:00:00.000Z',
    '2015-09-24T00:00:00.000Z',
  ],
  [
    'P4W',
    'UTC',
    undefined,
    '2015-09-12T12:00:00.000Z',
    '2015-09-10T00:00:00.000Z',
    '2015-10-08T00:00:00.000Z',
  ],
  [
    'P1W',
    'UTC',
    undefined,
    '2015-09-12T12:00:00.000Z',
    '2015-09-07T00:00:00.000Z',
    '2015-09-14T00:00:00.000Z',
  ],
  [
    'P7D',
    'UTC',
    undefined,
    '2015-09-12T12:00:00.000Z',
    '2015-09-10T00:00:00.000Z',
    '2015-09-17T00:00:00.000Z',
  ],
  [
    'P2W',
    'Europe/Berlin',
    undefined,
    '2015-09-12T12:00:00.000Z',
    '2015-09-09T22:00:00.000Z',
    '2015-09-23T22:00:00.000Z',
  ],
  [
    'P1M1D',
    'UTC',
    undefined,
    '2015-09-12T12:00:00.000Z',
    '2015-08-26T00:00:00.000Z',
    '2015-09-27T00:00:00.000Z',
  ],
  [
    'P1M1D',
    'America/New_York',
    undefined,
    '2015-09-12T12:00:00.000Z',
    '2015-08-26T04:00:00.000Z',
    '2015-09-27T04:00:00.000Z',
  ],
  [
    'P1DT6H',
    'UTC',
    undefined,
    '2015-09-12T12:00:00.000Z',
    '2015-09-12T00:00:00.000Z',
    '2015-09-13T06:00:00.000Z',
  ],
  [
    'P1DT6H',
    'Europe/Berlin',
    undefined,
    '2015-09-12T12:00:00.000Z',
    '2015-09-11T20:00:00.000Z',
    '2015-09-13T02:00:00.000Z',
  ],
  [
    'P1Y6M',
    'Asia/Kathmandu',
    undefined,
    '1999-06-06T07:59:42.449Z',
    '1998-06-30T18:30:00.000Z',
    '1999-12-31T18:30:00.000Z',
  ],
  [
    'P10Y',
    'UTC',
    undefined,
    '2015-09-12T12:00:00.000Z',
    '2010-01-01T00:00:00.000Z',
    '2020-01-01T00:00:00.000Z',
  ],
  [
    'P100Y',
    'UTC',
    undefined,
    '2015-09-12T12:00:00.000Z',
    '1970-01-01T00:00:00.000Z',
    '2070-01-01T00:00:00.000Z',
  ],
  [
    'P2Y',
    'Europe/Berlin',
    undefined,
    '2015-09-12T12:00:00.000Z',
    '2013-12-31T23:00:00.000Z',
    '2015-12-31T23:00:00.000Z',
  ],
  [
    'P5M',
    'UTC',
    undefined,
    '2015-09-12T12:00:00.000Z',
    '2015-06-01T00:00:00.000Z',
    '2015-11-01T00:00:00.000Z',
  ],
  [
    'PT6H',
    'UTC',
    undefined,
    '1969-12-31T22:59:59.999Z',
    '1970-01-01T00:00:00.000Z',
    '1970-01-01T06:00:00.000Z',
  ],
  [
    'PT6H',
    'America/New_York',
    undefined,
    '1969-12-31T22:59:59.999Z',
    '1969-12-31T17:00:00.000Z',
    '1969-12-31T23:00:00.000Z',
  ],
  [
    'PT6H',
    'Europe/Berlin',
    undefined,
    '1969-12-31T21:59:59.999Z',
    '1969-12-31T23:00:00.000Z',
    '1970-01-01T05:00:00.000Z',
  ],
  [
    'PT1H',
    'UTC',
    undefined,
    '1969-12-31T23:59:59.999Z',
    '1969-12-31T23:00:00.000Z',
    '1970-01-01T00:00:00.000Z',
  ],
  [
    'PT5M',
    'Asia/Kolkata',
    undefined,
    '2015-09-12T11:59:59.999Z',
    '2015-09-12T11:55:00.000Z',
    '2015-09-12T12:00:00.000Z',
  ],
  [
    'P1D',
    'Europe/Berlin',
    '2015-03-08T05:00:00.123Z',
    '2015-09-12T12:00:00.000Z',
    '2015-09-12T04:00:00.123Z',
    '2015-09-13T04:00:00.123Z',
  ],
  [
    'PT1H',
    'UTC',
    '2015-03-08T05:00:00.123Z',
    '2015-09-12T12:00:00.000Z',
    '2015-09-12T11:00:00.123Z',
    '2015-09-12T12:00:00.123Z',
  ],
  [
    'P1M',
    'America/New_York',
    '2015-01-31T07:00:00.000Z',
    '2015-04-25T22:13:20.000Z',
    '2015-03-31T06:00:00.000Z',
    '2015-04-30T06:00:00.000Z',
  ],
  [
    'P3M',
    'UTC',
    '2015-01-31T07:00:00.000Z',
    '2018-06-26T08:00:00.000Z',
    '2018-04-30T07:00:00.000Z',
    '2018-07-30T07:00:00.000Z',
  ],
];

test.each(recorded)(
  '%s in %s from %s: the bucket of %s starts at %s',
  (period, zone, origin, time, start) => {
    const from = origin === undefined ? undefined : BigInt(parseInstant(origin));
    expect(
      formatInstant(
        Number(bucketConstant(BigInt(parseInstant(time)), parsePeriod(period), zone, from, false)),
      ),
    ).toBe(start);
  },
);

test.each(recorded)(
  '%s in %s from %s: %s is rounded up to %s or %s',
  (period, zone, origin, time, start, next) => {
    const from = origin === undefined ? undefined : BigInt(parseInstant(origin));
    const up = formatInstant(
      Number(bucketConstant(BigInt(parseInstant(time)), parsePeriod(period), zone, from, true)),
    );
    expect(up).toBe(time === start ? start : next);
  },
);

test('a column has the same buckets as a constant', async () => {
  const session = await databaseSession({ macros, scalarFunctions: sqlFunctions });
  const random = randomFrom(20151101);
  const changes = recorded.map(([, , , time]) => parseInstant(time));
  for (const [text, zone, origin] of recorded) {
    const [period, from] = [
      parsePeriod(text),
      origin === undefined ? undefined : BigInt(parseInstant(origin)),
    ];
    const times = [
      ...changes,
      ...changes.map((time) => time + Math.floor((random() - 0.5) * 4 * 3_600_000)),
      -1,
      0,
      -86_400_001,
    ].map(BigInt);
    const known = { startMs: times[0] ?? 0n, endMs: (times[0] ?? 0n) + BigInt(90 * 86_400_000) };
    for (const up of [false, true]) {
      const list = times.map((time) => `(${time})`).join(', ');
      const expected = times.map((time) => [
        Number(time),
        Number(bucketConstant(time, period, zone, from, up)),
      ]);
      // A known range is a hint: times outside it are answered alike.
      for (const range of [undefined, known]) {
        const answered = await session.rows(
          `SELECT t, ${bucketText('t', period, zone, from, up, range)} FROM (VALUES ${list}) AS v(t)`,
        );
        expect(answered, `${text} in ${zone} from ${origin}`).toEqual(expected);
      }
    }
  }
});

test('the calendar buckets of known times are searched, not computed', () => {
  const year = (from: number, to: number) => ({
    startMs: BigInt(Date.UTC(from, 0)),
    endMs: BigInt(Date.UTC(to, 0)),
  });
  const month = parsePeriod('P1M');
  const text = bucketText('t', month, 'UTC', undefined, false, year(2015, 2016));
  expect(text).toContain(`t < ${Date.UTC(2015, 6)}`);
  expect(bucketText('t', month, 'UTC', undefined, false, year(1900, 2016))).not.toContain('WHEN');
});

test('a period of nothing is refused for columns and constants', async () => {
  const session = await databaseSession({ macros, scalarFunctions: sqlFunctions });
  const nothing = parsePeriod('PT0S');
  for (const zone of ['UTC', 'Europe/Berlin', '+05:45']) {
    expect(() => bucketConstant(0n, nothing, zone, undefined, false), zone).toThrow('zero period');
    await expect(
      session.rows(
        `SELECT ${bucketText('t', nothing, zone, undefined, false)} FROM (VALUES (0)) AS v(t)`,
      ),
      zone,
    ).rejects.toThrow('zero period');
  }
});

test('buckets of several units in a zone are counted over decades, and rules of a zone hold beyond the years of a Date', () => {
  const start = bucketConstant(
    BigInt(Date.parse('2024-11-03T05:30:00Z')),
    parsePeriod('P1DT12H'),
    'America/New_York',
    undefined,
    false,
  );
  expect(start).toBe(BigInt(Date.parse('2024-11-02T17:00:00Z')));
  // 287396-10-12, in summer.
  expect(timeZoneOf('America/New_York').offsetMs(9_007_199_254_740_991)).toBe(-4 * 3_600_000);
});
