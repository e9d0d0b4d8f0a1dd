// Patterns that DuckDB prints have the results of the function that prints all others. Periods
// without length move no time, and are refused as buckets.
import { expect, test } from 'vitest';
import { timeZoneOf } from '../../../src/model/time-zone.ts';
import { formatTime } from '../../../src/sql/runtime/joda-pattern.ts';
import { answering, refusal } from '../statements-over-tables.ts';

const patterns = [
  'MMMM MMM MM M',
  'dd d DDD',
  'EEEE EEE',
  'HH H hh h a',
  'mm m ss s SSS',
  "yyyy-MM-dd'T'HH:mm",
];
const zones = ['UTC', 'America/New_York', 'Asia/Kolkata'];
const times = Array.from({ length: 400 }, (_, step) => Date.UTC(2012, 0, 1) + step * 96_153_457);

test.each(zones)('in the zone %s', async (zone) => {
  const answer = await answering();
  const texts = patterns.map(
    (pattern) => `TIME_FORMAT(t, '${pattern.replaceAll("'", "''")}', '${zone}')`,
  );
  const rows = await answer(
    `SELECT ${texts.join(', ')} FROM (SELECT MILLIS_TO_TIMESTAMP(ms) AS t FROM (VALUES ${times.map((ms) => `(${ms})`).join(', ')}) AS v(ms))`,
  );
  expect(rows).toEqual(
    times.map((ms) => patterns.map((pattern) => formatTime(ms, pattern, timeZoneOf(zone)))),
  );
});

test.each(['P', 'PT0S', 'P0D'])('the period %s has no length', async (period) => {
  const answer = await answering();
  const day = "TIMESTAMP '2024-01-01'";
  const shifted = `SELECT TIME_SHIFT(${day}, '${period}', 1) = ${day} FROM edits LIMIT 1`;
  expect(await answer(shifted)).toEqual([[true]]);
  for (const time of ['__time', day])
    for (const name of ['TIME_FLOOR', 'TIME_CEIL'])
      expect(refusal(`SELECT ${name}(${time}, '${period}') FROM edits`)).toContain(
        'zero period is not acceptable in PeriodGranularity!',
      );
});
