// Proves that wall-clock times are those of DuckDB's own zones, around each change of a clock.
import { expect, onTestFinished, test } from 'vitest';
import { parsePeriod } from '../../../src/model/period.ts';
import { timeZoneOf } from '../../../src/model/time-zone.ts';
import { transitionsOf } from '../../../src/model/zone-transitions.ts';
import { Engine } from '../../../src/server/engine/engine.ts';
import { instantOf, localMs } from '../../../src/sql/expressions/local-time.ts';
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
  const differing = `SELECT
    count(*) FILTER (WHERE ${localMs('x', name)} <> epoch_ms(${local})),
    count(*) FILTER (WHERE ${instantOf(timestamp, name)} <> epoch_ms(timezone('${name}', ${timestamp}))),
    ${units.map(bucketDiffers).join(', ')}
    FROM ${times}`;
  await engine.session(async (session) => {
    const { chunks } = await session.query(differing);
    for await (const { columns } of chunks)
      expect(columns.map(([count]) => count)).toEqual([0, 0, 0, 0, 0, 0, 0]);
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
