import { expect, test } from 'vitest';
import { unifiedColumns } from '../../../src/model/column-types.ts';
import type { Interval } from '../../../src/model/interval.ts';
import type { SegmentColumn } from '../../../src/model/segment.ts';
import type { Engine } from '../../../src/server/engine/engine.ts';
import { segmentScan } from '../../../src/server/engine/segment-scan.ts';
import type { Storage } from '../../../src/server/storage/storage.ts';
import { column, engineFor, staged, temporaryStorage } from '../../support/storage.ts';

const day = (number: number): Interval => ({
  start: Date.UTC(2024, 0, number),
  end: Date.UTC(2024, 0, number + 1),
});
const time = column('__time', 'LONG');

test('no segments are a relation without rows that has the wanted types', async () => {
  const engine = engineFor(await temporaryStorage());
  const wanted = [
    time,
    column('d', 'STRING'),
    column('m', 'STRING', true),
    column('x', 'DOUBLE'),
    column('a', 'ARRAY<LONG>'),
    column('j', 'COMPLEX<json>'),
  ];
  const { columns, chunks } = await engine.rows(
    `SELECT * FROM ${segmentScan([], wanted, { fileOf: () => undefined })}`,
  );
  expect(chunks).toEqual([]);
  expect(columns.map(({ type }) => type)).toEqual([
    'BIGINT',
    'VARCHAR',
    'VARCHAR[]',
    'DOUBLE',
    'BIGINT[]',
    'VARCHAR',
  ]);
});

test('segments with other columns and types are read as one relation', async () => {
  const storage = await temporaryStorage();
  const engine = engineFor(storage);
  await storage.segments.publish([
    await staged(
      storage,
      engine,
      `SELECT ${day(1).start}::BIGINT AS __time, 7::BIGINT AS code, 'red' AS tag, 1.5::DOUBLE AS value`,
      {
        interval: day(1),
        columns: [time, column('code', 'LONG'), column('tag', 'STRING'), column('value', 'DOUBLE')],
      },
    ),
    await staged(
      storage,
      engine,
      `SELECT ${day(2).start}::BIGINT AS __time, 'x7' AS code, ['red', 'blue'] AS tag, 2::BIGINT AS value, '{"a":1}'::JSON AS extra`,
      {
        interval: day(2),
        columns: [
          time,
          column('code', 'STRING'),
          column('tag', 'STRING', true),
          column('value', 'LONG'),
          column('extra', 'COMPLEX<json>'),
        ],
      },
    ),
    await staged(storage, engine, `SELECT ${day(3).start}::BIGINT AS __time`, {
      interval: day(3),
      columns: [time],
    }),
  ]);
  expect(columnsOf(storage)).toEqual([
    time,
    column('code', 'STRING'),
    column('tag', 'STRING', true),
    column('value', 'DOUBLE'),
    column('extra', 'COMPLEX<json>'),
  ]);
  expect(await scan(storage, engine, columnsOf(storage))).toEqual([
    [day(1).start, '7', ['red'], 1.5, null],
    [day(2).start, 'x7', ['red', 'blue'], 2, '{"a":1}'],
    [day(3).start, null, null, null, null],
  ]);
});

test('only the visible part of a segment is read', async () => {
  const storage = await temporaryStorage();
  const engine = engineFor(storage);
  const month = { start: day(1).start, end: day(32).start };
  const daily = (label: string, from: number, to: number) =>
    `SELECT ${day(1).start}::BIGINT + d * 86400000 AS __time, '${label}' AS page FROM range(${from - 1}, ${to}) r(d)`;
  await storage.segments.publish([
    await staged(storage, engine, daily('old', 1, 31), { interval: month, version: 'v1' }),
    await staged(storage, engine, daily('new', 2, 2), { interval: day(2), version: 'v2' }),
    await staged(storage, engine, 'SELECT 1', {
      interval: day(4),
      version: 'v2',
      file: undefined,
      numRows: 0,
      shardSpec: { type: 'tombstone', partitions: 1 },
    }),
  ]);
  const rows = await scan(storage, engine, [time, column('page', 'STRING')]);
  expect(
    rows.map(([at, page]) => `${new Date(Number(at)).getUTCDate()} ${page}`).slice(0, 4),
  ).toEqual(['1 old', '2 new', '3 old', '5 old']);
  expect(rows.length).toBe(30);
  expect(await scan(storage, engine, [], [day(2)])).toEqual([[1]]);
});

test('a text that is not a number is null where numbers are wanted, and no error', async () => {
  const storage = await temporaryStorage();
  const engine = engineFor(storage);
  await storage.segments.publish([
    await staged(
      storage,
      engine,
      `SELECT ${day(1).start}::BIGINT AS __time, p AS page FROM (VALUES ('12'), ('x'), (NULL)) v(p)`,
    ),
  ]);
  expect((await scan(storage, engine, [column('page', 'LONG')])).flat()).toEqual([12, null, null]);
  expect((await scan(storage, engine, [column('page', 'ARRAY<STRING>')])).flat()).toEqual([
    ['12'],
    ['x'],
    null,
  ]);
});

function columnsOf(storage: Storage): SegmentColumn[] {
  const newestFirst = storage.segments.timeline('wiki').entries.toReversed();
  return unifiedColumns(
    newestFirst.flatMap(({ segments }) => segments.map(({ columns }) => columns)),
  );
}

async function scan(
  storage: Storage,
  engine: Engine,
  wanted: readonly SegmentColumn[],
  intervals?: readonly Interval[],
) {
  const relation = segmentScan(
    storage.segments.timeline('wiki').visible(intervals),
    wanted,
    storage.segments,
  );
  const order = wanted.some(({ name }) => name === '__time') ? ' ORDER BY "__time"' : '';
  return engine.session((session) => session.rows(`SELECT * FROM ${relation}${order}`));
}

test('sketches that older versions stored as lists of values are read as serialized sketches, beside those of today', async () => {
  const storage = await temporaryStorage();
  const engine = engineFor(storage);
  const sketches = (hll: string, theta: string, quantiles: string, number: number) =>
    `SELECT ${day(number).start}::BIGINT AS __time, ${hll} AS h, ${theta} AS t, ${quantiles} AS q`;
  const listed = [
    time,
    column('h', 'COMPLEX<HLLSketch>'),
    column('t', 'COMPLEX<thetaSketch>'),
    column('q', 'COMPLEX<quantilesDoublesSketch>'),
  ];
  const serialized = listed.map((each) =>
    each === time ? each : { ...each, isSerialized: true as const },
  );
  const [hll, theta] = ['AgEHDAMIAQCLWYEE', 'AQMDAAA6zJMjWZVsQSOjWQ==']; // of the text false
  const quantiles = 'AgMIGoAAAAADAAAAAAAAAAAAAAAAAPA/AAAAAAAADEAAAAAAAADwPwAAAAAAAABAAAAAAAAADEA='; // of 1, 2 and 3.5
  await storage.segments.publish([
    await staged(storage, engine, sketches("['false']", "['false']", '[1, 2, 3.5]::DOUBLE[]', 1), {
      interval: day(1),
      columns: listed,
    }),
    await staged(
      storage,
      engine,
      sketches(
        `from_base64('${hll}')`,
        `from_base64('${theta}')`,
        `from_base64('${quantiles}')`,
        2,
      ),
      {
        interval: day(2),
        columns: serialized,
      },
    ),
  ]);
  const read = await scan(storage, engine, columnsOf(storage));
  const texts = read.map(([, ...values]) =>
    values.map((value) => Buffer.from(value as Uint8Array).toString('base64')),
  );
  expect(texts).toEqual([
    [hll, theta, quantiles],
    [hll, theta, quantiles],
  ]);
});

test('rows without an order come in the order of their segments', async () => {
  const storage = await temporaryStorage();
  const engine = engineFor(storage);
  const plain = [time, column('code', 'LONG')];
  const wide = [...plain, column('tag', 'STRING')];
  const row = (number: number, columns: readonly SegmentColumn[]) =>
    staged(
      storage,
      engine,
      `SELECT ${day(number).start}::BIGINT AS __time, ${number}::BIGINT AS code${columns === wide ? ", 'x' AS tag" : ''}`,
      { interval: day(number), columns },
    );
  await storage.segments.publish([await row(1, plain), await row(2, wide), await row(3, plain)]);
  expect((await scan(storage, engine, [column('code', 'LONG')])).flat()).toEqual([1, 2, 3]);
});
