// Units of time as a real 33.0.0 counts and adds them. The first row's time is
// 2024-01-02T03:04:05.006Z.
import { expect, test } from 'vitest';
import { expressions, resolved } from './expressions.ts';

const start = "TIMESTAMP '2024-01-01 00:00:00'";

test.each([
  ['MILLISECOND', 97_445_000],
  ['SECOND', 97_445],
  ['EPOCH', 97_445],
  ['SQL_TSI_HOUR', 27],
  ['DAY', 1],
  ['DOW', 1],
  ['NANOSECOND', 97_445_000_000_000],
  ['SQL_TSI_FRAC_SECOND', 97_445_000_000_000],
])('TIMESTAMPDIFF counts parts of a second from whole seconds: %s', async (unit, count) => {
  const { values } = await expressions();
  expect((await values(`TIMESTAMPDIFF(${unit}, ${start}, __time)`))[0]).toBe(count);
});

test('TIMESTAMPDIFF counts decades as years, and centuries as centuries', async () => {
  const { values } = await expressions();
  const since = (unit: string) =>
    values(`TIMESTAMPDIFF(${unit}, TIMESTAMP '1015-01-01 00:00:00', __time)`);
  expect(await since('DECADE')).toEqual([1009, 955]);
  expect(await since('CENTURY')).toEqual([10, 9]);
  expect(await since('MILLENNIUM')).toEqual([1, 0]);
});

test('TIMESTAMPDIFF in nanoseconds is a BIGINT that wraps', async () => {
  const { value } = await expressions();
  expect(resolved(`TIMESTAMPDIFF(NANOSECOND, ${start}, __time)`).type.name).toBe('BIGINT');
  const from = "TIMESTAMP '1015-01-01 00:00:00'";
  expect(await value(`TIMESTAMPDIFF(NANOSECOND, ${from}, TIMESTAMP '2024-03-10 07:30:00')`)).toBe(
    -5_046_507_547_419_103_232n,
  );
});

test('TIMESTAMPADD adds whole milliseconds only, and years of any number', async () => {
  const { values } = await expressions();
  const first = async (unit: string, count: number) =>
    (await values(`TIMESTAMPADD(${unit}, ${count}, __time)`))[0];
  expect(await first('MICROSECOND', 999)).toBe(1_704_164_645_006);
  expect(await first('MICROSECOND', -1001)).toBe(1_704_164_645_005);
  expect(await first('NANOSECOND', 999_999_999)).toBe(1_704_164_646_005);
  expect(await first('DECADE', 3)).toBe(Date.parse('2054-01-02T03:04:05.006Z'));
  expect(await first('ISOYEAR', 1)).toBe(Date.parse('2025-01-02T03:04:05.006Z'));
});

test('TIMESTAMPADD wraps at 64 bits', async () => {
  const { values } = await expressions();
  expect((await values('TIMESTAMPADD(HOUR, -9007199254740993, __time)'))[0]).not.toBeNull();
});

test('a DATE stays a DATE with a part of a day, unless TIMESTAMPADD adds less than a day', async () => {
  const { value } = await expressions();
  const moved = "DATE '2020-01-01' + INTERVAL '25' HOUR";
  expect(resolved(moved).type.name).toBe('DATE');
  expect(await value(`CAST(${moved} AS TIMESTAMP)`)).toBe(Date.parse('2020-01-02T01:00:00Z'));
  expect(await value(`CAST(${moved} AS VARCHAR)`)).toBe('2020-01-02');
  expect(await value(`${moved} > DATE '2020-01-02'`)).toBe(true);
  expect(resolved("TIMESTAMPADD(HOUR, 25, DATE '2020-01-01')").type.name).toBe('TIMESTAMP');
  expect(resolved("TIMESTAMPADD(WEEK, 1, DATE '2020-01-01')").type.name).toBe('DATE');
});

test('INTERVAL reads a WEEK as hours and a QUARTER as months, as Calcite does', async () => {
  const { value } = await expressions();
  const at = "TIMESTAMP '2020-01-01 00:00:00'";
  expect(await value(`${at} + INTERVAL '1' WEEK`)).toBe(Date.parse('2020-01-01T01:00:00Z'));
  expect(await value(`${at} + INTERVAL '10' QUARTER`)).toBe(Date.parse('2020-11-01'));
  expect(await value(`TIMESTAMPADD(WEEK, 1, ${at})`)).toBe(Date.parse('2020-01-08'));
});

test('TO after an interval belongs to FLOOR where no interval ends with its unit', async () => {
  const { value } = await expressions();
  const at = "TIMESTAMP '2020-01-01 10:40:00'";
  expect(await value(`FLOOR(${at} + INTERVAL '30' MINUTE TO HOUR)`)).toBe(
    Date.parse('2020-01-01T11:00:00Z'),
  );
  expect(await value(`FLOOR(${at} + INTERVAL '1:30' HOUR TO MINUTE TO DAY)`)).toBe(
    Date.parse('2020-01-01'),
  );
  expect(() => resolved(`FLOOR(${at} + INTERVAL '1:30' HOUR TO MINUTE)`)).toThrow(/FLOOR/);
  expect(() => resolved(`${at} + INTERVAL '2' DAY TO DAY`)).toThrow(/TO/);
});

test.each([
  'FLOOR(__time TO DECADE)',
  'CEIL(__time TO MILLISECOND)',
  'FLOOR(__time TO SQL_TSI_DAY)',
  'EXTRACT(SQL_TSI_DAY FROM __time)',
  "DATE_TRUNC('MILLISECOND', __time)",
  "TIME_EXTRACT(__time, 'MICROSECOND')",
  'TIMESTAMPADD(DOW, 3, __time)',
  'TIMESTAMPDIFF(FORTNIGHT, __time, __time)',
])('%s is refused', (text) => {
  expect(() => resolved(text)).toThrow(/not a valid time frame|cannot truncate|No enum constant/);
});

test('(end - start) DAY is an interval: a number of days, or of months of the calendar', async () => {
  const { values } = await expressions();
  const counted = (unit: string, type = 'BIGINT') =>
    values(`CAST((__time - ${start}) ${unit} AS ${type})`);
  expect(await counted('DAY')).toEqual([1, -19723]);
  expect(await counted('HOUR')).toEqual([27, -473_352]);
  expect(await counted('WEEK')).toEqual([1, -19723]);
  expect(await counted('QUARTER')).toEqual([0, -648]);
  expect(await counted('YEAR')).toEqual([0, -54]);
  expect(await counted('SECOND', 'VARCHAR')).toEqual(['97445006', '-1704067200000']);
  expect(await values(`(__time - ${start}) DAY > INTERVAL '3' HOUR`)).toEqual([true, false]);
  expect(await values(`EXTRACT(HOUR FROM (__time - ${start}) DAY)`)).toEqual([3, 0]);
});

test.each([
  ['(n - 1) DAY', "'-(<BIGINT>, <INTEGER>, <INTERVAL DAY>)'"],
  ['(__time + __time) DAY', 'Was expecting "(DATETIME - DATETIME) INTERVALQUALIFIER"'],
  [`CAST((__time - ${start}) DAY TO SECOND AS BIGINT)`, 'of type INTERVAL DAY TO SECOND to type'],
  ["(__time - DATE '2024-01-01') DAY", 'Parameters must be of the same type'],
  [`CAST((__time - ${start}) DAY AS DOUBLE)`, 'of type INTERVAL DAY to type DOUBLE'],
])('%s is refused', (text, words) => {
  expect(() => resolved(text)).toThrow(words);
});

test('UNKNOWN is a truth value', () => {
  expect(resolved('UNKNOWN').type.name).toBe('BOOLEAN');
  expect(() => resolved('UNKNOWN + 1')).toThrow("Cannot apply '+'");
});

test('a field of each of several times is a field of its own', async () => {
  const { values } = await expressions();
  expect(await values("EXTRACT(YEAR FROM TIME_PARSE(mv || '-2015', 'MMM-yyyy'))")).toEqual([
    [null, null],
    [null],
  ]);
});

test.each([
  ['WEEK', 'DAY'],
  ['MONTH', 'DAY'],
  ['CENTURY', 'DAY TO SECOND'],
  ['DOY', 'MONTH'],
])('EXTRACT(%s) of an interval of %s is refused', (unit, interval) => {
  expect(() => resolved(`EXTRACT(${unit} FROM (__time - ${start}) ${interval})`)).toThrow(
    `'EXTRACT(<INTERVAL ${unit}> FROM <INTERVAL ${interval}>)'`,
  );
});
