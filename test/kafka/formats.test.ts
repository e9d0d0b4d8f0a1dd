// Formats of Kafka records and the rows made from them.
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { broker, hasBroker, newName, reading, sorted } from './streams.ts';

const time = '2024-05-01T10:00:00Z';

describe.skipIf(!hasBroker)('a stream of', () => {
  test('CSV has quoted values, lists, and nulls where nothing stands', async () => {
    const kafka = broker();
    const { submit, sql, ended } = await reading(kafka.address);
    const topic = newName('csv');
    await kafka.createTopic(topic);
    await kafka.produce(topic, [
      { value: `${time},"a ""b"", c",x|y,1` },
      { value: `${time},,z,2\n${time},"",,3` },
      { value: `${time},"unfinished,w,4` },
    ]);
    const inputFormat = { type: 'csv', columns: ['time', 'name', 'tags', 'n'], listDelimiter: '|' };
    const dataSchema = {
      dimensionsSpec: { dimensions: ['name', 'tags', { type: 'long', name: 'n' }] },
    };
    const task = await submit({
      topic,
      dataSource: topic,
      start: { 0: 0 },
      end: { 0: 3 },
      inputFormat,
      dataSchema,
    });
    expect(await ended(task)).toMatchObject({ statusCode: 'SUCCESS' });
    expect(
      sorted(
        await sql(
          `SELECT "name", MV_TO_STRING("tags", '|') AS "tags", "n" FROM "${topic}" WHERE "n" IS NOT NULL`,
        ),
        'n',
      ),
    ).toEqual([
      { name: 'a "b", c', tags: 'x|y', n: 1 },
      { name: null, tags: 'z', n: 2 },
      { name: '', tags: null, n: 3 },
    ]);
    expect(await sql(`SELECT COUNT(*) AS n FROM "${topic}"`)).toEqual([{ n: 4 }]); // what is broken in one record stays in it
  });

  test('TSV is divided at its delimiter only', async () => {
    const kafka = broker();
    const { submit, sql, ended } = await reading(kafka.address);
    const topic = newName('tsv');
    await kafka.createTopic(topic);
    await kafka.produce(topic, [{ value: `${time}\t"a, b"\t7` }]);
    const dataSchema = { dimensionsSpec: { dimensions: ['name', { type: 'long', name: 'n' }] } };
    const inputFormat = { type: 'tsv', columns: ['time', 'name', 'n'] };
    const task = await submit({
      topic,
      dataSource: topic,
      start: { 0: 0 },
      end: { 0: 1 },
      inputFormat,
      dataSchema,
    });
    expect(await ended(task)).toMatchObject({ statusCode: 'SUCCESS' });
    expect(await sql(`SELECT "name", "n" FROM "${topic}"`)).toEqual([{ name: '"a, b"', n: 7 }]);
  });

  test('JSON is flattened, transformed and filtered; a record may have several lines or several rows', async () => {
    const kafka = broker();
    const { submit, sql, ended, report } = await reading(kafka.address);
    const topic = newName('json');
    await kafka.createTopic(topic);
    const one = { time, user: { name: 'Ann' }, added: 3 };
    await kafka.produce(topic, [
      { value: JSON.stringify(one, undefined, 2) },
      {
        value: [
          { ...one, added: 5 },
          { ...one, added: 100 },
        ]
          .map((row) => JSON.stringify(row))
          .join('\n'),
      },
    ]);
    const task = await submit({
      topic,
      dataSource: topic,
      start: { 0: 0 },
      end: { 0: 2 },
      inputFormat: {
        type: 'json',
        flattenSpec: {
          useFieldDiscovery: true,
          fields: [{ type: 'path', name: 'who', expr: '$.user.name' }],
        },
      },
      dataSchema: {
        dimensionsSpec: { dimensions: ['who', { type: 'long', name: 'twice' }] },
        transformSpec: {
          transforms: [{ type: 'expression', name: 'twice', expression: 'added * 2' }],
          filter: { type: 'range', column: 'added', matchValueType: 'LONG', upper: 50 },
        },
      },
    });
    expect(await ended(task)).toMatchObject({ statusCode: 'SUCCESS' });
    expect(sorted(await sql(`SELECT "who", "twice" FROM "${topic}"`), 'twice')).toEqual([
      { who: 'Ann', twice: 6 },
      { who: 'Ann', twice: 10 },
    ]);
    expect((await report(task)).rowStats.buildSegments).toMatchObject({
      processed: 2,
      thrownAway: 1,
    });
  });

  test('Kafka records has their keys, headers, times and topic as columns', async () => {
    const kafka = broker();
    const { submit, sql, ended } = await reading(kafka.address);
    const topic = newName('metadata');
    await kafka.createTopic(topic);
    const timestampMs = Date.parse(time);
    await kafka.produce(topic, [
      { value: '{"n":1,"kafka.topic":"own"}', key: 'k1', headers: { env: 'prod' }, timestampMs },
      { value: '{}', timestampMs },
    ]);
    const task = await submit({
      topic,
      dataSource: topic,
      start: { 0: 0 },
      end: { 0: 2 },
      inputFormat: {
        type: 'kafka',
        valueFormat: { type: 'json' },
        headerFormat: { type: 'string' },
        headerColumnPrefix: 'h.',
        keyFormat: { type: 'csv', columns: ['any'], findColumnsFromHeader: false },
        keyColumnName: 'key',
      },
      dataSchema: { timestampSpec: { column: 'kafka.timestamp', format: 'millis' } },
    });
    expect(await ended(task)).toMatchObject({ statusCode: 'SUCCESS' });
    expect(
      sorted(
        await sql(`SELECT __time, "key", "h.env", "kafka.topic", "n" FROM "${topic}"`),
        'kafka.topic',
      ),
    ).toEqual([
      {
        __time: '2024-05-01T10:00:00.000Z',
        key: null,
        'h.env': null,
        'kafka.topic': topic,
        n: null,
      },
      {
        __time: '2024-05-01T10:00:00.000Z',
        key: 'k1',
        'h.env': 'prod',
        'kafka.topic': 'own',
        n: 1,
      },
    ]);
  });

  test('rows to be rolled up is rolled up further in every step', async () => {
    const kafka = broker();
    const { submit, sql, ended, until, rowsIn } = await reading(kafka.address);
    const topic = newName('rollup');
    await kafka.createTopic(topic);
    const dataSchema = {
      dimensionsSpec: { dimensions: ['page'] },
      metricsSpec: [
        { type: 'count', name: 'rows' },
        { type: 'longSum', name: 'added', fieldName: 'added' },
        { type: 'doubleMax', name: 'most', fieldName: 'added' },
      ],
      granularitySpec: { segmentGranularity: 'DAY', queryGranularity: 'HOUR', rollup: true },
    };
    const task = await submit({
      topic,
      dataSource: topic,
      start: { 0: 0 },
      end: { 0: 24 },
      dataSchema,
    });
    for (let batch = 0; batch < 12; batch++) {
      await kafka.produce(topic, [
        { value: JSON.stringify({ time, page: 'A', added: batch }) },
        { value: JSON.stringify({ time, page: 'B', added: 1 }) },
      ]);
      await until(
        async () =>
          ((await sql(`SELECT SUM("rows") AS n FROM "${topic}"`))[0]?.n ?? 0) === (batch + 1) * 2,
      );
    }
    expect(await ended(task)).toMatchObject({ statusCode: 'SUCCESS' });
    expect(await rowsIn(topic)).toBe(2);
    expect(
      sorted(await sql(`SELECT "page", "rows", "added", "most" FROM "${topic}"`), 'page'),
    ).toEqual([
      { page: 'A', rows: 12, added: 66, most: 11 },
      { page: 'B', rows: 12, added: 12, most: 1 },
    ]);
  });

  test.each(['none', 'gzip', 'snappy', 'lz4', 'zstd'])(
    'records with compression %s is read, or refused where this Node cannot',
    async (compression) => {
      const kafka = broker();
      const { submit, rowsIn, ended } = await reading(kafka.address);
      const topic = newName('compressed');
      await kafka.createTopic(topic, {
        configs: { 'compression.type': compression === 'none' ? 'uncompressed' : compression },
      });
      await kafka.produce(
        topic,
        Array.from({ length: 500 }, (_, n) => ({
          value: JSON.stringify({ time, n, pad: 'x'.repeat(100) }),
        })),
      );
      const task = await submit({ topic, dataSource: topic, start: { 0: 0 }, end: { 0: 500 } });
      const { statusCode, errorMsg } = await ended(task);
      if (compression === 'zstd' && !('zstdDecompressSync' in zlib)) {
        expect(statusCode).toBe('FAILED');
        expect(errorMsg).toContain('cannot be read: zstd is not supported');
      } else
        expect({ statusCode, rows: await rowsIn(topic) }).toEqual({
          statusCode: 'SUCCESS',
          rows: 500,
        });
    },
  );

  test('many rows becomes segments on the way, of no more rows than are to be in one', async () => {
    const kafka = broker();
    const { submit, sql, ended, log } = await reading(kafka.address);
    const topic = newName('handoff');
    await kafka.createTopic(topic);
    await kafka.produce(
      topic,
      Array.from({ length: 10_000 }, (_, n) => ({
        value: JSON.stringify({
          time: `2024-05-0${1 + (n % 2)}T00:00:00Z`,
          n,
          pad: 'x'.repeat(1000),
        }),
      })),
    );
    const tuningConfig = { maxRowsPerSegment: 2000, maxRowsInMemory: 1000 };
    const task = await submit({
      topic,
      dataSource: topic,
      start: { 0: 0 },
      end: { 0: 10_000 },
      tuningConfig,
    });
    expect(await ended(task)).toMatchObject({ statusCode: 'SUCCESS' });
    expect(await log(task)).toContain('Handing off');
    expect(await sql(`SELECT COUNT(*) AS n, COUNT(DISTINCT n) AS d FROM "${topic}"`)).toEqual([
      { n: 10_000, d: 10_000 },
    ]);
    const [{ most } = { most: 0 }] = await sql(
      `SELECT MAX(num_rows) AS most FROM sys.segments WHERE datasource = '${topic}'`,
    );
    expect(most).toBeLessThanOrEqual(2000);
  });

  test('fields whose names differ in case only has a column for each, before and after it is published', async () => {
    const kafka = broker();
    const { submit, sql, rowsIn, until, ended } = await reading(kafka.address);
    const topic = newName('case');
    await kafka.createTopic(topic);
    const first = { user: 1, User: 'Ann', USER: 10 };
    const second = { user: 2, User: 'Ben', USER_1: 5 };
    const produced = (fields: object, n: number) =>
      kafka.produce(topic, [{ value: JSON.stringify({ time, n, ...fields }) }]);
    await produced(first, 1);
    const task = await submit({ topic, dataSource: topic, start: { 0: 0 }, end: { 0: 3 } });
    await until(async () => (await rowsIn(topic)) === 1);
    const query = `SELECT "n", "user", "User", "USER" FROM "${topic}"`;
    expect(await sql(query)).toEqual([{ n: 1, ...first }]);
    await produced(second, 2); // files with other columns than the first
    await until(async () => (await rowsIn(topic)) === 2);
    const { USER_1, ...rest } = second;
    const rows = [
      { n: 1, ...first, USER_1: null },
      { n: 2, ...rest, USER: null, USER_1 },
    ];
    const all = query.replace('"USER"', '"USER", "USER_1"');
    expect(sorted(await sql(all), 'n')).toEqual(rows);
    await produced({ USER: 30 }, 3);
    expect(await ended(task)).toMatchObject({ statusCode: 'SUCCESS' });
    expect(sorted(await sql(all), 'n')).toEqual([
      ...rows,
      { n: 3, user: null, User: null, USER: 30, USER_1: null },
    ]);
  });

  test('rows that are too early or too late leaves them out', async () => {
    const kafka = broker();
    const { submit, sql, ended, report } = await reading(kafka.address);
    const topic = newName('late');
    await kafka.createTopic(topic);
    await kafka.produce(
      topic,
      [9, 10, 11, 12].map((hour) => ({
        value: JSON.stringify({ time: `2024-05-01T${String(hour).padStart(2, '0')}:00:00Z`, hour }),
      })),
    );
    const ioConfig = {
      minimumMessageTime: '2024-05-01T10:00:00.000Z',
      maximumMessageTime: '2024-05-01T12:00:00.000Z',
    };
    const task = await submit({
      topic,
      dataSource: topic,
      start: { 0: 0 },
      end: { 0: 4 },
      ioConfig,
    });
    expect(await ended(task)).toMatchObject({ statusCode: 'SUCCESS' });
    expect(sorted(await sql(`SELECT "hour" FROM "${topic}"`), 'hour')).toEqual([
      { hour: 10 },
      { hour: 11 },
    ]);
    expect((await report(task)).rowStats.buildSegments).toMatchObject({
      processed: 2,
      thrownAway: 2,
    });
  });
});
