// Columns of Parquet files that DuckDB writes.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { timeColumnOf } from '../../../src/commands/ingest/guess-time.ts';
import { inputsOf } from '../../../src/commands/ingest/inputs.ts';
import { parquetColumns } from '../../../src/commands/ingest/parquet-columns.ts';
import { runCli } from '../../support/cli.ts';
import { writeParquet } from '../../support/parquet.ts';
import { startService } from '../../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'svcctl-parquet-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const parquet = async (name: string, select: string) => {
  const path = join(folder, name);
  await writeParquet(path, select);
  return path;
};

const inputOf = async (path: string) =>
  (await inputsOf([path], { io: {} as never, signal: new AbortController().signal }))[0];

test('types come from the schema, lists are arrays, structures are JSON', async () => {
  const path = await parquet(
    'types.parquet',
    `SELECT TIMESTAMP '2024-05-01 10:00:00' AS at, DATE '2024-05-01' AS day, TIMESTAMP_NS '2024-05-01 10:00:00' AS ns,
       1::INTEGER AS small, 2::BIGINT AS large, 1.5::FLOAT AS f, 2.5::DOUBLE AS d, 3.25::DECIMAL(10, 2) AS money,
       'Oslo' AS page, true AS truth, ['a', 'b'] AS tags, [1, 2]::BIGINT[] AS counts, {'x': 1, 'y': 'z'} AS point`,
  );
  const { columns, format } = await parquetColumns(await inputOf(path), []);
  expect(format).toBe('parquet');
  expect(columns.map(({ name, type, time }) => [name, type, ...(time ? [time] : [])])).toEqual([
    ['at', 'BIGINT', 'millis'],
    ['day', 'BIGINT', 'millis'],
    ['ns', 'BIGINT', 'nanos'],
    ['small', 'BIGINT'],
    ['large', 'BIGINT'],
    ['f', 'FLOAT'],
    ['d', 'DOUBLE'],
    ['money', 'DOUBLE'],
    ['page', 'VARCHAR'],
    ['truth', 'VARCHAR'],
    ['tags', 'VARCHAR ARRAY'],
    ['counts', 'BIGINT ARRAY'],
    ['point', "TYPE('COMPLEX<json>')"],
  ]);
});

test.each([
  ["'2024-05-01T10:00:00Z' AS at, 'b' AS page", 'TIME_PARSE("at")'],
  ['1714557600 AS time, 1 AS n', 'MILLIS_TO_TIMESTAMP("time" * 1000)'],
  ['1714557600000 AS time, 1 AS n', 'MILLIS_TO_TIMESTAMP("time")'],
])(
  'the time column shows by its type, or by the smallest and largest values: %s',
  async (select, sql) => {
    const path = await parquet(`time-${sql.length}.parquet`, `SELECT ${select}`);
    const { columns } = await parquetColumns(await inputOf(path), []);
    expect(timeColumnOf(path, columns).sql).toBe(sql);
  },
);

test('a Parquet file is ingested without naming a column', async () => {
  const path = await parquet(
    'edits.parquet',
    `SELECT TIMESTAMP '2024-05-01 10:00:00' + to_hours(i::INTEGER) AS happened, 'Page ' || i AS page, i AS added FROM range(3) AS r(i)`,
  );
  const service = await startService({ allowedFolders: [folder] });
  const done = await runCli(service, `ingest files ${path} --into edits --wait=queryable`);
  expect(done.code, done.stderr).toBe(0);
  expect((await runCli(service, "sql 'SELECT * FROM edits' -o csv")).stdout).toBe(
    '__time,page,added\n2024-05-01T10:00:00.000Z,Page 0,0\n2024-05-01T11:00:00.000Z,Page 1,1\n2024-05-01T12:00:00.000Z,Page 2,2\n',
  );
});

test('a footer that is damaged is refused, however it is damaged', async () => {
  const path = await parquet('whole.parquet', 'SELECT 1 AS time, 2 AS n');
  const { readFileSync } = await import('node:fs');
  const whole = readFileSync(path);
  const footerBytes = whole.readUInt32LE(whole.length - 8);
  for (let at = 0; at < footerBytes; at += 3) {
    const broken = Buffer.from(whole);
    const place = whole.length - 8 - footerBytes + at;
    broken[place] = (broken[place] ?? 0) ^ 0xff;
    const name = join(folder, 'broken.parquet');
    writeFileSync(name, broken);
    expect(statSync(name).size).toBe(whole.length);
    await parquetColumns(await inputOf(name), []).catch((error: unknown) =>
      expect(error).toMatchObject({ outcome: 'usage' }),
    );
  }
});
