// Macros that are safe in the service's own process, and their results.
import { expect, test } from 'vitest';
import { doubleText } from '../../../src/model/java-text.ts';
import type { Session } from '../../../src/server/engine/session.ts';
import { sqlFunctions } from '../../../src/server/engine/sql-functions.ts';
import { parseSqlTime } from '../../../src/sql/expressions/time-text.ts';
import { macros, plainMacros } from '../../../src/sql/runtime/macros.ts';
import { roundHalfUp } from '../../../src/sql/runtime/round-half-up.ts';
import { randomFrom } from '../../support/random.ts';
import { databaseSession } from '../../support/storage.ts';

const plain = () => databaseSession({ macros: plainMacros, scalarFunctions: [] });
const whole = () => databaseSession({ macros, scalarFunctions: sqlFunctions });
const rowsOf = (session: Session, sql: string) => session.rows(sql);

// DuckDB looks up the names in a macro when it is created.
test('the plain macros need no function in TypeScript, and no macro of a process', async () => {
  const session = await plain();
  expect(
    await rowsOf(session, "SELECT druid_substring('a😀b', 1, 2), druid_round_digits(1.005, 2)"),
  ).toEqual([['😀', 1.01]]);
});

test('what may grow is missing where only the plain macros are', async () => {
  const session = await plain();
  const calls = [
    "druid_repeat('a', 2)",
    "druid_pad('a', 2, ' ', 'left')",
    "druid_replace_text('a', 'a', 'bb')",
    "druid_short('a', 1, 'concat')",
    'druid_collected([1])',
    'druid_append([1], 2)',
    "druid_sized_json('{}', 'json_object')",
    "druid_split('a', ',')",
    "druid_matches_large('a', 'a')",
  ];
  for (const call of calls)
    await expect(rowsOf(session, `SELECT ${call}`)).rejects.toThrow('does not exist');
});

test('doubles are rounded half up on the digits that they show', async () => {
  const session = await plain();
  const seed = Date.now() % 1_000_000;
  const random = randomFrom(seed);
  const shapes: readonly ((digits: number) => number)[] = [
    () => Math.round(random() * 1e6) / 1000,
    () => random() * 10 ** (random() * 20 - 6),
    (digits) => (Math.floor(random() * 1e5) + 0.5) / 10 ** digits,
    () => Math.floor(random() * 1e5) / 3,
  ];
  for (const digits of [0, 1, 2, 3, 8, 15]) {
    const values = [0, -0, -0.04, 0.05, -0.05, 1.005, 2.675, 1e16, 123456789012.345];
    for (let count = 0; count < 2000; count++) {
      const size = shapes[count % shapes.length]?.(digits) ?? 0;
      values.push(random() < 0.3 ? -size : size);
    }
    // A number without quotes is a DECIMAL first, which may become the double next to it
    const list = values.map((value) => `'${value}'::DOUBLE`).join(', ');
    const rows = await rowsOf(session, `SELECT druid_round_digits(unnest([${list}]), ${digits})`);
    const expected = values.map((value) => [roundHalfUp(value, digits) + 0]);
    expect(rows, `seed ${seed}, digits ${digits}`).toEqual(expected);
  }
});

test('doubles are printed as Java prints them', async () => {
  const session = await plain();
  const seed = Date.now() % 1_000_000;
  const random = randomFrom(seed);
  const view = new DataView(new ArrayBuffer(8));
  const randomDouble = () => {
    view.setUint32(0, random() * 2 ** 32);
    view.setUint32(4, random() * 2 ** 32);
    return view.getFloat64(0);
  };
  const values = [
    ...[
      0,
      1,
      -1,
      0.1,
      1e-3,
      9.999e-4,
      1e-4,
      1e-5,
      5e-324,
      1e-323,
      1.5e-323,
      9e-323,
      1e-322,
      1.04e-322,
      1e7,
      12345678.9,
      1e15,
      1e16,
      1.5e16,
      1e22,
      1e23,
      -2.5e300,
      2 ** 54,
      2 ** 57,
      -(2 ** 58),
      2 ** 60,
      2 ** 61,
      2 ** 62,
      2 ** 63,
      838488366986894590,
    ],
    ...[...Array(30).keys()].map((times) => (times + 1) * Number.MIN_VALUE),
    ...Array.from({ length: 500 }, randomDouble).filter(Number.isFinite),
    ...Array.from(
      { length: 200 },
      () => Math.round(random() * 1e12) / 10 ** Math.floor(random() * 18),
    ),
  ];
  const list = values.map((value) => `'${value}'::DOUBLE`).join(', ');
  const printed = await rowsOf(
    session,
    `SELECT druid_double_to_text(x) FROM (SELECT unnest([${list}]) AS x)`,
  );
  expect(printed.flat(), `seed ${seed}`).toEqual(values.map(doubleText));
});

test('numbers with known digits are rounded like all others', async () => {
  const session = await whole();
  const seed = Date.now() % 1_000_000;
  const random = randomFrom(seed);
  const values = [
    1.005,
    -1.005,
    2.5,
    -2.5,
    0.0005,
    1e-7,
    5e-7,
    4.9999999999999996e-6,
    123456.789,
    1e14 + 0.5,
    1e15 + 0.5,
    4.5e15,
    1e16,
    1e300,
    0.15,
    0.25,
    0.35,
  ];
  values.push(
    ...Array.from({ length: 300 }, () => (random() - 0.5) * 10 ** Math.floor(random() * 20 - 6)),
  );
  for (const digits of [0, 1, 2, 5, 15]) {
    const list = values.map((value) => `'${value}'::DOUBLE`).join(', ');
    const found = await rowsOf(
      session,
      `SELECT druid_round_digits(x, ${digits}) + 0e0, druid_round_to(x, ${digits}::BIGINT) + 0e0 FROM (SELECT unnest([${list}]) AS x)`,
    );
    expect(
      found.map(([plain]) => plain),
      `seed ${seed}, digits ${digits}`,
    ).toEqual(found.map(([, other]) => other));
  }
});

test('texts of characters with two units are cut between units', async () => {
  const session = await plain();
  const texts = ['a😀b☕c😀😀', '😀', 'plain', ''];
  for (const text of texts) {
    for (let start = 0; start <= text.length; start++) {
      for (const size of [-1, 0, 1, 2, 3]) {
        const part = Buffer.from(text.slice(start, size < 0 ? undefined : start + size)).toString();
        expect(
          await rowsOf(session, `SELECT druid_utf16_substring('${text}', ${start}, ${size})`),
        ).toEqual([[part]]);
      }
    }
  }
});

test('calls within calls are planned in time that grows with their number', async () => {
  const session = await plain();
  const { resolved } = await import('../expressions.ts');
  let text = 's';
  for (let level = 0; level < 40; level++) text = `SUBSTRING(${text}, 1, 50)`;
  const { sql } = resolved(text);
  expect(sql.length).toBeLessThan(20_000);
  expect(await rowsOf(session, `SELECT ${sql} FROM (SELECT 'abc' AS s)`)).toEqual([['abc']]);
});

test('times are read as TIME_PARSE of a literal reads them, whoever reads them', async () => {
  const session = await whole();
  const dates = [
    '2024-02-29',
    '2023-02-29',
    '1000-01-01',
    '0999-12-31',
    '9999-12-31',
    '2024-13-01',
  ];
  const clocks = ['T00:00:00', ' 23:59:59', 'T24:00:00', ' 10:11', 'T10:60:00', 'T10'];
  const ends = ['', '.1', '.123', '.1234', 'Z', '.5Z', '+05:30', ' '];
  const texts = [
    ...dates,
    ...dates.flatMap((date) => clocks.flatMap((clock) => ends.map((end) => date + clock + end))),
    ' 2024-01-01',
    '2024-01-01 ',
    '2024-1-1',
    '20240101',
    '-2024-01-01',
  ];
  const list = texts.map((text) => `'${text}'`).join(', ');
  for (const zone of ['UTC', 'Europe/Berlin', 'America/New_York']) {
    const found = await session.rows(
      `SELECT x, druid_iso_or_sql_time(x, '${zone}')::VARCHAR FROM (SELECT unnest([${list}]) AS x)`,
    );
    expect(found).toEqual(
      texts.map((text) => [text, parseSqlTime(text, zone)?.toString() ?? null]),
    );
  }
});
