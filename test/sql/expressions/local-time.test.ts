// Proves that wall-clock times are those of DuckDB's own zones, around each change of a clock.
import { expect, onTestFinished, test } from 'vitest';
import { parsePeriod } from '../../../src/model/period.ts';
import { timeZoneOf } from '../../../src/model/time-zone.ts';
import { transitionsOf } from '../../../src/model/zone-transitions.ts';
import { Engine } from '../../../src/server/engine/engine.ts';
import type { TimeRange } from '../../../src/sql/catalog.ts';
import { instantOf, localMs, plusDays } from '../../../src/sql/expressions/local-time.ts';
import { bucketText } from '../../../src/sql/expressions/time-bucket.ts';
import { temporaryFolder } from '../../support/storage.ts';

const units = [
  ['P1D', 'day'],
  ['P1W', 'week'],
  ['P1M', 'month'],
  ['P3M', 'quarter'],
  ['P1Y', 'year'],
] as const;

const quarterHourMs = 900_000;

test.each([
  'America/New_York',
  'Europe/Berlin',
  'Africa/Cairo',
  'America/Sao_Paulo', // midnight is skipped
  'Australia/Lord_Howe', // half an hour
  'Asia/Kolkata', // no change
  'Asia/Pyongyang',
  'Pacific/Apia', // a day is skipped
])('%s', async (name) => {
  const [from, to] = [Date.UTC(2009, 11, 30), Date.UTC(2035, 0, 3)];
  const changes = transitionsOf(timeZoneOf(name), from, to).map(({ at }) => at);
  const places = [...changes, Date.UTC(2010), Date.UTC(2035), 0];
  const engine = new Engine({
    allowedFolders: [],
    spillFolder: await temporaryFolder(),
    threads: 1,
  });
  onTestFinished(() => engine.close());
  // A clock is compared for sixty hours before and after its change.
  const times = `(SELECT change + step * ${quarterHourMs} AS x FROM (SELECT unnest([${places}]) AS change), (SELECT unnest(range(-240, 241)) AS step))`;
  const timestamp = 'make_timestamp_ms(x)';
  const local = `timezone('${name}', timezone('UTC', ${timestamp}))`;
  const bucketDiffers = ([period, unit]: readonly [string, string]) =>
    `count(*) FILTER (WHERE ${bucketText('x', parsePeriod(period), name, undefined, false)} <> epoch_ms(timezone('${name}', date_trunc('${unit}', ${local}))))`;
  const zone = `'${name}'`;
  const narrow = { startMs: BigInt(Date.UTC(2015, 2)), endMs: BigInt(Date.UTC(2016, 7)) };
  const moved = (days: number, range?: TimeRange) =>
    plusDays('x', days, name, (x) => `druid_time_shift(${x}, 'P${days}D', 1, ${zone})`, range);
  const bucketed = (period: string, range?: TimeRange, up = false) =>
    bucketText('x', parsePeriod(period), name, undefined, up, range);
  const againstFunctions: readonly (readonly [text: string, expected: string])[] = [
    ['P2D', 'P3D', 'P10D'].map((period): [string, string] => [
      bucketed(period),
      `druid_time_bucket(x, '${period}', '', ${zone}, false)`,
    ]),
    [1, -1, 7, 200].map((days): [string, string] => [
      moved(days),
      `druid_time_shift(x, 'P${days}D', 1, ${zone})`,
    ]),
    [
      [localMs('x', name, narrow), localMs('x', name)],
      ...['P1D', 'P2D', 'P1M', 'PT1H'].map((period): [string, string] => [
        bucketed(period, narrow),
        bucketed(period),
      ]),
      ...['P1D', 'P1M', 'PT1H'].map((period): [string, string] => [
        bucketed(period, narrow, true),
        bucketed(period, undefined, true),
      ]),
      [moved(1, narrow), moved(1)],
    ] as const,
  ].flat();
  const differing = `SELECT
    count(*) FILTER (WHERE ${localMs('x', name)} <> epoch_ms(${local})),
    count(*) FILTER (WHERE ${instantOf(timestamp, name)} <> epoch_ms(timezone('${name}', ${timestamp}))),
    ${units.map(bucketDiffers).join(', ')},
    ${againstFunctions.map(([text, expected]) => `count(*) FILTER (WHERE ${text} IS DISTINCT FROM ${expected})`).join(', ')}
    FROM ${times}`;
  await engine.session(async (session) => {
    const { chunks } = await session.query(differing);
    for await (const { columns } of chunks)
      expect(columns.map(([count]) => count)).toEqual(columns.map(() => 0));
  });
});

test('a day in which midnight comes twice starts at either of them, as in a real 33.0.0', async () => {
  const engine = new Engine({
    allowedFolders: [],
    spillFolder: await temporaryFolder(),
    threads: 1,
  });
  onTestFinished(() => engine.close());
  const day = bucketText('x', parsePeriod('P1D'), 'America/Havana', undefined, false);
  const [first, second] = [Date.UTC(2024, 10, 3, 4), Date.UTC(2024, 10, 3, 5)];
  await engine.session(async (session) => {
    const { chunks } = await session.query(
      `SELECT ${day} FROM (VALUES (${first}), (${first + 1_800_000}), (${second}), (${second + 1_800_000})) AS t (x)`,
    );
    for await (const { columns } of chunks)
      expect(columns[0]?.slice(0, 4)).toEqual([first, first, second, second]);
  });
});
