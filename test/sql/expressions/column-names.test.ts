import { join } from 'node:path';
import { expect, test } from 'vitest';
import { unifiedColumns } from '../../../src/model/column-types.ts';
import { writeSegmentFile } from '../../../src/server/engine/segment-file.ts';
import { segmentScan } from '../../../src/server/engine/segment-scan.ts';
import { distinctNames, identifiersOf } from '../../../src/sql/expressions/column-names.ts';
import { identifier } from '../../../src/sql/expressions/duckdb-text.ts';
import { randomFrom } from '../../support/random.ts';
import {
  column,
  engineFor,
  staged,
  temporaryFolder,
  temporaryStorage,
} from '../../support/storage.ts';

test('the first to have a name keeps it; a later one has the least number that is free', () => {
  expect(distinctNames(['__time', 'User', 'page'])).toEqual(['__time', 'User', 'page']);
  expect(distinctNames(['a', 'A', 'A_1', 'a_1'])).toEqual(['a', 'A_1', 'A_1_1', 'a_1_2']);
  expect(distinctNames(['A_1', 'a', 'A'])).toEqual(['A_1', 'a', 'A_2']);
  expect(distinctNames(['Ä', 'ä', 'K', '\u212a'])).toEqual(['Ä', 'ä', 'K', '\u212a']); // DuckDB folds the letters A to Z only
});

test('a name that is not among the columns is left as it is', () => {
  expect(['a', 'A', 'b', '"'].map(identifiersOf([{ name: 'A' }, { name: 'a' }]))).toEqual([
    '"a_1"',
    '"A"',
    '"b"',
    '""""',
  ]);
});

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);

function namesBy(random: () => number): string[] {
  const pieces = ['a', 'A', 'b', 'B', '_1', '_2', 'ä', 'Ä', '"', ' '];
  const name = () =>
    Array.from(
      { length: 1 + Math.floor(random() * 3) },
      () => pieces[Math.floor(random() * pieces.length)],
    ).join('');
  return [...new Set(Array.from({ length: 1 + Math.floor(random() * 8) }, name))];
}

test(`whatever the columns are called, each is read back as itself (seed ${seed})`, async () => {
  const random = randomFrom(seed);
  const storage = await temporaryStorage();
  const engine = engineFor(storage);
  for (let round = 0; round < 40; round++) {
    const days = [1, 2, 3].map((day) => ({
      start: Date.UTC(2024, 0, day),
      end: Date.UTC(2024, 0, day + 1),
    }));
    const dataSource = `round ${round}`;
    const segments = days.map((interval) => ({
      interval,
      columns: [column('__time', 'LONG'), ...namesBy(random).map((name) => column(name, 'STRING'))],
    }));
    const textOf = (name: string, start: number) => `${name} of ${start}`;
    for (const { interval, columns } of segments) {
      const own = identifiersOf(columns);
      const values = columns
        .slice(1)
        .map(({ name }) => `'${textOf(name, interval.start)}' AS ${own(name)}`);
      const query = `SELECT ${[`${interval.start}::BIGINT AS "__time"`, ...values].join(', ')}`;
      await storage.segments.publish([
        await staged(storage, engine, query, { dataSource, interval, columns }),
      ]);
    }
    const all = unifiedColumns(segments.map(({ columns }) => columns));
    const wanted = [...all]
      .sort(() => random() - 0.5)
      .slice(0, 1 + Math.floor(random() * all.length));
    const scan = segmentScan(
      storage.segments.timeline(dataSource).visible(),
      wanted,
      storage.segments,
      all,
    );
    const list = wanted.map(({ name }) => `s.${identifiersOf(all)(name)}`).join(', ');
    const rows = await engine.session((session) =>
      session.rows(`SELECT ${list} FROM ${scan} AS s`),
    );
    const expected = segments.map(({ interval, columns }) =>
      wanted.map(({ name }) => {
        if (name === '__time') return interval.start;
        return columns.some((known) => known.name === name) ? textOf(name, interval.start) : null;
      }),
    );
    const key = (row: readonly unknown[]) => JSON.stringify(row);
    expect(
      rows.map(key).sort(),
      `columns ${JSON.stringify(segments.map(({ columns }) => columns.map(({ name }) => name)))}`,
    ).toEqual(expected.map(key).sort());
  }
});

test(`files from before there was a rule have the names that DuckDB gave them, which are the same (seed ${seed})`, async () => {
  const random = randomFrom(seed);
  const folder = await temporaryFolder();
  const engine = engineFor(await temporaryStorage(), { allowedFolders: [folder] });
  const file = join(folder, 'given.parquet');
  for (let round = 0; round < 40; round++) {
    const names = namesBy(random);
    const select = `SELECT ${names.map((name, index) => `${index} AS ${identifier(name)}`).join(', ')}`;
    const given = await engine.session(async (session) => {
      await writeSegmentFile(session, select, file);
      return session.rows(
        `SELECT name FROM parquet_schema('${file}') WHERE column_id > 0 ORDER BY column_id`,
      );
    });
    expect(given.flat()).toEqual(distinctNames(names));
  }
});
