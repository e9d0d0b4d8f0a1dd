// Bounds of what functions take and make: per value and per batch of rows.
import { expect, onTestFinished, test } from 'vitest';
import { Engine } from '../../../src/server/engine/engine.ts';
import { mostBatchCharacters } from '../../../src/server/engine/scalar-functions.ts';
import { temporaryFolder } from '../../support/storage.ts';

const limit = { details: { legacy: { code: 'Resource limit exceeded' } } };

async function engineOf(): Promise<Engine> {
  const engine = new Engine({
    allowedFolders: [],
    spillFolder: await temporaryFolder(),
    threads: 1,
  });
  onTestFinished(() => engine.close());
  return engine;
}

test.each([
  ["druid_repeat('a', 2000000000)", 'Function[repeat] returns texts of at most [10000000]'],
  [
    "druid_pad('a', 2000000000, 'b', 'right')",
    'Function[rpad] returns texts of at most [10000000]',
  ],
  [
    "druid_replace_text(repeat('a', 1000000), 'a', repeat('b', 100000))",
    'Function[replace] returns texts of at most [10000000]',
  ],
  [
    "druid_replace(repeat('a', 1000000), '', repeat('b', 100))",
    'Function[replace] returns texts of at most [10000000]',
  ],
  ["druid_format('%500000000s', ['sx'])", 'Function[format] returns texts of at most [10000000]'],
  [
    `druid_format('${'%9999999s'.repeat(3)}', ['sx', 'sx', 'sx'])`,
    'Function[format] returns texts of at most [10000000]',
  ],
  [
    "druid_regexp_replace(repeat('a', 100000), 'a', repeat('b', 1000))",
    'Function[regexp_replace] returns texts of at most [10000000]',
  ],
  [
    "druid_list_to_text_by(list_transform(range(2000), lambda i: repeat('a', 10000)), ',')",
    'Function[array_to_string] returns texts of',
  ],
  [
    'druid_concat(range(900000), range(900000))',
    'Function[array_concat] returns arrays of at most [1000000] elements',
  ],
  [
    'druid_slice([1], 0, 1000000000)',
    'Function[array_slice] returns arrays of at most [1000000] elements',
  ],
  [
    `druid_json_paths('{"${'k'.repeat(50_000)}":[${'{"a":1},'.repeat(500)}{}]}')`,
    'Function[json_paths] returns texts of at most [10000000]',
  ],
  [
    "druid_java_text(repeat('[', 100000) || repeat(']', 100000))",
    'Nested data has more than [1000] levels',
  ],
])('%s goes over a resource limit', async (call, message) => {
  const engine = await engineOf();
  await expect(engine.rows(`SELECT ${call}`)).rejects.toMatchObject({
    message: expect.stringContaining(message),
    ...limit,
  });
});

test('a batch of rows has a limit, too', async () => {
  const engine = await engineOf();
  const long = Math.ceil(mostBatchCharacters / 400);
  const query = (rows: number) =>
    `SELECT max(length(druid_decode_base64(repeat('QUJD', ${long}) || i))) FROM range(${rows}) AS r(i)`;
  await expect(engine.rows(query(200))).rejects.toMatchObject({
    message: expect.stringContaining(`[${mostBatchCharacters}] characters`),
    ...limit,
  });
});

test.each([
  ["druid_parse_long(repeat('9', 2000000), 10)", null],
  ["druid_parse_long(repeat('0', 2000000) || '7', 10)", 7],
  ["druid_try_parse_json(repeat('[', 200000) || repeat(']', 200000))", null],
  [`length(druid_try_parse_json('"' || repeat('a', 9000000) || '"'))`, 9_000_002],
  ["druid_text_to_time(repeat('T', 2000000), 'UTC')", null],
  ["druid_ipv6_match(repeat(':', 2000000), '::/0')", false],
  ["druid_parse_time(repeat('1', 2000000), repeat('y', 2000000), 'UTC')", null],
  ["druid_parse_time(repeat('x', 200000), repeat('''x''y', 2000), 'UTC')", null],
])('%s is computed in linear time', async (call, value) => {
  const engine = await engineOf();
  const { chunks } = await engine.rows(`SELECT ${call}`);
  expect(chunks[0]?.columns[0]?.[0]).toEqual(value);
});

test('a row like the one before has its result, and the texts count again', async () => {
  const engine = await engineOf();
  const merged = await engine.rows(
    `SELECT list(druid_merge_json([a, b], true) ORDER BY i) FROM (VALUES
      (1, '{"x":1}', '{"y":1}'), (2, '{"x":1}', '{"y":1}'), (3, '{"x":1}', '{"y":2}'),
      (4, NULL, '{"y":2}'), (5, '{"x":1}', '{"y":1}')) AS t (i, a, b)`,
  );
  expect(merged.chunks[0]?.columns[0]?.[0]).toEqual([
    '{"x":1,"y":1}',
    '{"x":1,"y":1}',
    '{"x":1,"y":2}',
    null,
    '{"x":1,"y":1}',
  ]);
  const same = `SELECT max(length(druid_decode_base64(x))) FROM (SELECT repeat('QUJD', ${Math.ceil(mostBatchCharacters / 400)}) AS x FROM range(200))`;
  await expect(engine.rows(same)).rejects.toMatchObject(limit);
});
