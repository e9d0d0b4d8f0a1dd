// Topics as they are when something is wrong with them.
import { describe, expect, test } from 'vitest';
import { startKafka } from '../support/kafka.ts';
import { broker, hasBroker, newName, reading, sorted } from './streams.ts';

const row = (n: number) => ({ value: JSON.stringify({ time: '2024-05-01T10:00:00Z', n }) });
const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => row(from + index));

describe.skipIf(!hasBroker)('a stream task', () => {
  test('counts what cannot be read, keeps some of it with partition and offset, and passes over tombstones', async () => {
    const kafka = broker();
    const { submit, ended, report, rowsIn } = await reading(kafka.address);
    const topic = newName('garbage');
    await kafka.createTopic(topic);
    await kafka.produce(topic, [
      row(0),
      { value: 'no JSON' },
      { value: null, key: 'gone' },
      { value: Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0x22]) },
      { value: '{"time":"no time","n":4}' },
      { value: '' },
      row(6),
    ]);
    const task = await submit({
      topic,
      dataSource: topic,
      start: { 0: 0 },
      end: { 0: 7 },
      tuningConfig: { maxSavedParseExceptions: 2 },
    });
    expect(await ended(task)).toMatchObject({ statusCode: 'SUCCESS' });
    expect(await rowsIn(topic)).toBe(2);
    const { rowStats, unparseableEvents } = await report(task);
    expect(rowStats.buildSegments).toMatchObject({ processed: 2, thrownAway: 1, unparseable: 4 });
    expect(unparseableEvents.buildSegments).toHaveLength(2);
    expect(unparseableEvents.buildSegments[0].details[0]).toMatch(/Partition: 0, Offset: \d/);
  });

  test('takes or counts every record, whatever stands in it', async () => {
    const kafka = broker();
    const { submit, ended, report, rowsIn, sql, log } = await reading(kafka.address);
    const topic = newName('anything');
    await kafka.createTopic(topic);
    const odd = [
      '42',
      'null',
      '[1,2]',
      '"text"',
      '{"time":"2024-05-01T10:00:00Z","n":1',
      '{"time":null,"n":1}',
      '{"n":1}',
      '{"time":"2024-05-01T10:00:00Z","n":1}}',
      `${'['.repeat(5000)}${']'.repeat(5000)}`,
      '\0\0\0\0',
      '\ufeff',
      '   ',
    ];
    const taken = [
      '{"time":"2024-05-01T10:00:00Z","n":1e400,"text":"\\u0000"}',
      '{"time":"2024-05-01T10:00:00Z","n":12345678901234567890123}',
      '{"time":"2024-05-01T10:00:00Z","n":1,"n":2,"":3,"__time":4}',
      `{"time":"2024-05-01T10:00:00Z","deep":${'{"a":'.repeat(500)}1${'}'.repeat(500)}}`,
      '{"time":"2024-05-01T10:00:00Z","list":[1,"a",null,[2],{"b":3}]}',
      '{"time":"2024-05-01T10:00:00Z","n":[]}',
      '{"time":"2024-05-01T10:00:00Z","a\\u0000b":1,"c/d~e":2,"q\\"x":3,"$.x":4,"*":5,"[0]":6,"\\n":7}',
    ];
    const noise = Array.from({ length: 20 }, (_, index) =>
      Buffer.from(Array.from({ length: 50 }, (_, at) => (index * 37 + at * 101) % 256)),
    );
    const values = [...odd, ...taken, ...noise];
    await kafka.produce(topic, [
      row(0),
      ...values.map((value) => ({ value, key: noise[0] ?? '', headers: { 'h "x"': '\0' } })),
      row(1),
    ]);
    const task = await submit({
      topic,
      dataSource: topic,
      start: { 0: 0 },
      end: { 0: values.length + 2 },
      inputFormat: {
        type: 'kafka',
        valueFormat: { type: 'json' },
        headerFormat: { type: 'string' },
        keyFormat: { type: 'json' },
      },
    });
    expect(await ended(task), await log(task)).toMatchObject({ statusCode: 'SUCCESS' });
    const { processed, unparseable, thrownAway, processedWithError } = (await report(task)).rowStats
      .buildSegments;
    expect({ processed, unparseable, thrownAway, processedWithError }).toEqual({
      processed: 2 + taken.length,
      unparseable: odd.length + noise.length,
      thrownAway: 0,
      processedWithError: 0,
    });
    expect(await rowsIn(topic)).toBe(2 + taken.length);
    expect(await sql('SELECT 1 AS "one"')).toEqual([{ one: 1 }]);
  });

  test('fails when more cannot be read than is allowed, and publishes nothing of it', async () => {
    const kafka = broker();
    const { submit, ended, rowsIn } = await reading(kafka.address);
    const topic = newName('limit');
    await kafka.createTopic(topic);
    await kafka.produce(topic, [row(0), { value: 'x' }, { value: 'y' }]);
    const task = await submit({
      topic,
      dataSource: topic,
      start: { 0: 0 },
      tuningConfig: { maxParseExceptions: 1 },
    });
    expect(await ended(task)).toMatchObject({
      statusCode: 'FAILED',
      errorMsg: 'Max parse exceptions[1] exceeded',
    });
    expect(await rowsIn(topic)).toBe(0);
  });

  test('reads what transactions have committed, and nothing of those that were aborted', async () => {
    const kafka = broker();
    const { submit, ended, sql } = await reading(kafka.address);
    const topic = newName('transactions');
    await kafka.createTopic(topic);
    const producer = await kafka.transactional(topic);
    let last = 0;
    for (let round = 0; round < 3; round++) {
      await producer.write(topic, rows(round * 10, round * 10 + 5), 'commit');
      await producer.write(topic, rows(1000 + round * 10, 1005 + round * 10), 'abort');
      last += 12; // each transaction ends with a record of the broker
    }
    await producer.close();
    const task = await submit({ topic, dataSource: topic, start: { 0: 0 }, end: { 0: last } });
    expect(await ended(task)).toMatchObject({ statusCode: 'SUCCESS' });
    expect(await sql(`SELECT COUNT(*) AS n, MAX("n") AS most FROM "${topic}"`)).toEqual([
      { n: 15, most: 24 },
    ]);
  });

  test('reads messages of ten megabytes', async () => {
    const kafka = broker();
    const { submit, ended, sql } = await reading(kafka.address);
    const topic = newName('large');
    await kafka.createTopic(topic, { configs: { 'max.message.bytes': '20000000' } });
    const large = {
      value: JSON.stringify({ time: '2024-05-01T10:00:00Z', n: 1, text: 'x'.repeat(10_000_000) }),
    };
    await kafka.produce(topic, [row(0)]);
    await kafka.produce(topic, [large]);
    await kafka.produce(topic, [row(2)]);
    const task = await submit({ topic, dataSource: topic, start: { 0: 0 }, end: { 0: 3 } });
    expect(await ended(task)).toMatchObject({ statusCode: 'SUCCESS' });
    expect(
      sorted(await sql(`SELECT "n", CHAR_LENGTH("text") AS "length" FROM "${topic}"`), 'n'),
    ).toEqual([
      { n: 0, length: null },
      { n: 1, length: 10_000_000 },
      { n: 2, length: null },
    ]);
  });

  test('fails when the log was cut before it was read, unless it may begin anew by itself', async () => {
    const kafka = broker();
    const { submit, ended, sql, log } = await reading(kafka.address);
    const topic = newName('cut');
    await kafka.createTopic(topic);
    await kafka.produce(topic, rows(0, 10));
    await kafka.truncate(topic, 0, 6);
    const strict = await submit({ topic, dataSource: topic, start: { 0: 2 }, end: { 0: 10 } });
    const { statusCode, errorMsg } = await ended(strict);
    expect(statusCode).toBe('FAILED');
    expect(errorMsg).toContain(
      'Previous sequenceNumber [2] is no longer available for partition [0]',
    );
    const tuningConfig = { resetOffsetAutomatically: true };
    const lenient = await submit({
      topic,
      dataSource: topic,
      start: { 0: 2 },
      end: { 0: 10 },
      tuningConfig,
    });
    expect(await ended(lenient), await log(lenient)).toMatchObject({ statusCode: 'SUCCESS' });
    expect(await sql(`SELECT COUNT(*) AS n, MIN("n") AS least FROM "${topic}"`)).toEqual([
      { n: 4, least: 6 },
    ]);
  });

  test('does not publish what somebody else has published before', async () => {
    const kafka = broker();
    const { submit, ended, rowsIn } = await reading(kafka.address);
    const topic = newName('twice');
    await kafka.createTopic(topic);
    await kafka.produce(topic, rows(0, 10));
    const first = await submit({ topic, dataSource: topic, start: { 0: 0 }, end: { 0: 10 } });
    expect(await ended(first)).toMatchObject({ statusCode: 'SUCCESS' });
    const second = await submit({ topic, dataSource: topic, start: { 0: 5 }, end: { 0: 10 } });
    const { statusCode, errorMsg } = await ended(second);
    expect(statusCode).toBe('FAILED');
    expect(errorMsg).toContain(
      'Inconsistency between stored metadata state[{"0":10}] and target state[{"0":5}]',
    );
    expect(await rowsIn(topic)).toBe(10);
  });

  test('passes over the gaps that compaction leaves', { timeout: 120_000 }, async () => {
    const kafka = broker();
    const { submit, ended, sql, until } = await reading(kafka.address);
    const topic = newName('compacted');
    const configs = {
      'cleanup.policy': 'compact',
      'segment.ms': '100',
      'min.cleanable.dirty.ratio': '0.01',
      'delete.retention.ms': '100',
    };
    await kafka.createTopic(topic, { configs });
    for (let round = 0; round < 5; round++) {
      await kafka.produce(
        topic,
        rows(round * 10, round * 10 + 10).map((record, index) => ({
          ...record,
          key: `key-${index}`,
        })),
      );
      // So that the log is cut into segments, of which all but the last are compacted
      await new Promise((wake) => setTimeout(wake, 200));
    }
    let read = 50;
    let attempt = 0;
    await until(async () => {
      const dataSource = `${topic}-${++attempt}`;
      const task = await submit({ topic, dataSource, start: { 0: 0 }, end: { 0: 50 } });
      expect(await ended(task)).toMatchObject({ statusCode: 'SUCCESS' });
      const [counts] = await sql(`SELECT COUNT(*) AS n, MAX("n") AS most FROM "${dataSource}"`);
      expect(counts?.most).toBe(49);
      read = Number(counts?.n);
      return read < 50;
    }, 90);
    expect(read).toBeGreaterThanOrEqual(10);
  });

  test('waits for a broker that goes away, and goes on when it is back; a topic that is gone is told', {
    timeout: 300_000,
  }, async () => {
    const own = await startKafka();
    try {
      const { submit, ended, until, rowsIn, log, post } = await reading(own.address);
      await own.createTopic('away');
      await own.createTopic('gone');
      const task = await submit({
        topic: 'away',
        dataSource: 'away',
        start: { 0: 0 },
        end: { 0: 20 },
      });
      const other = await submit({ topic: 'gone', dataSource: 'gone', start: { 0: 0 } });
      await own.produce('away', rows(0, 10));
      await until(async () => (await rowsIn('away')) === 10);
      await own.deleteTopic('gone');
      await until(async () => (await log(other)).includes('Topic [gone] does not exist'));
      await own.kill();
      await until(async () => (await log(task)).includes('cannot be read'));
      expect(await rowsIn('away')).toBe(10); // what was read is still to be seen
      await own.start();
      await own.produce('away', rows(10, 20));
      expect(await ended(task, 'svc', 60), await log(task)).toMatchObject({
        statusCode: 'SUCCESS',
      });
      expect(await rowsIn('away')).toBe(20);
      await post(`/svc/indexer/v1/task/${other}/shutdown`, {});
    } finally {
      await own.stop();
    }
  });
});
