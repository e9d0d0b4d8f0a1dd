// A supervisor whose stream is in trouble: what it says of it, and that it goes on when the trouble
// is over.
import { describe, expect, test } from 'vitest';
import { supervisors } from '../../src/contract/supervisors.ts';
import { startKafka } from '../support/kafka.ts';
import { startService } from '../support/service.ts';
import { about, broker, hasBroker, newName } from './streams.ts';

const row = (added: number) => ({
  value: JSON.stringify({ time: '2024-05-01T00:00:00Z', page: 'Oslo', added }),
});
const rows = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => row(from + index));

describe.skipIf(!hasBroker)('a supervisor', () => {
  test('outlives its broker, and then its topic', { timeout: 300_000 }, async () => {
    const own = await startKafka();
    try {
      const name = 'edits';
      const { apply, call, params, until, status, counts } = about(
        await startService(),
        name,
        own.address,
      );
      const says = (state: string, words: string) => async () => {
        const { detailedState, recentErrors } = await status();
        return detailedState === state && JSON.stringify(recentErrors).includes(words);
      };
      await own.createTopic(name);
      await own.produce(name, rows(10));
      await apply({ ioConfig: { period: 'PT0.3S' } });
      await until(async () => (await counts()).n === 10);

      await own.kill();
      await until(
        says(
          'LOST_CONTACT_WITH_STREAM',
          `Topic [edits] at [${own.address}] cannot be read: connect ECONNREFUSED`,
        ),
        60,
      );
      expect(await status()).toMatchObject({
        state: 'UNHEALTHY_SUPERVISOR',
        healthy: false,
        activeTasks: [{ currentOffsets: { 0: 10 } }],
      });
      expect(await counts()).toEqual({ n: 10, d: 10 }); // what was read is still to be seen
      await own.start();
      await own.produce(name, rows(10, 10));
      await until(async () => (await counts()).n === 20, 60);
      await until(async () => (await status()).state === 'RUNNING', 60);

      await own.deleteTopic(name);
      await until(says('LOST_CONTACT_WITH_STREAM', 'Topic [edits] does not exist'), 60);
      await call(supervisors.handOff, { params, body: { taskGroupIds: [0] } });
      await own.createTopic(name);
      await own.produce(name, rows(5, 20));
      await until(
        says(
          'LOST_CONTACT_WITH_STREAM',
          'Previous sequenceNumber [20] is no longer available for partition [0]',
        ),
        60,
      );
      await call(supervisors.reset, { params });
      await until(async () => (await counts()).n === 25, 60);
      await until(async () => (await status()).state === 'RUNNING', 60);
      expect(await counts()).toEqual({ n: 25, d: 25 });
    } finally {
      await own.stop();
    }
  });

  test.each([
    ['waits for a reset', false, 2],
    ['goes on behind the gap by itself where it may', true, 2],
  ])('whose log was cut while it was suspended %s', async (_, resetOffsetAutomatically, left) => {
    const kafka = broker();
    const name = newName('cut');
    await kafka.createTopic(name);
    await kafka.produce(name, rows(5));
    const { apply, call, params, until, status, counts, published } = about(
      await startService(),
      name,
      kafka.address,
    );
    await apply({ ioConfig: { period: 'PT0.2S' }, tuningConfig: { resetOffsetAutomatically } });
    await until(async () => (await counts()).n === 5);
    await call(supervisors.suspend, { params });
    await until(async () => (await published()) === 5);
    await kafka.produce(name, rows(5, 5));
    await kafka.truncate(name, 0, 10 - left);
    await call(supervisors.resume, { params });
    const gap = 'Previous sequenceNumber [5] is no longer available for partition [0]';
    await until(async () => JSON.stringify((await status()).recentErrors).includes(gap));
    if (!resetOffsetAutomatically) {
      await until(async () => (await status()).state === 'UNHEALTHY_SUPERVISOR');
      expect(JSON.stringify((await status()).recentErrors)).toContain(
        "by using the supervisor's reset API",
      );
      await call(supervisors.reset, { params });
    }
    await until(async () => (await counts()).n === 5 + left);
    await until(async () => (await status()).state === 'RUNNING');
    expect(await counts()).toEqual({ n: 5 + left, d: 5 + left });
  });

  test('whose tasks fail at what they read is UNHEALTHY_TASKS, publishes nothing of it, and is well when it may pass over it', async () => {
    const kafka = broker();
    const name = newName('garbage');
    await kafka.createTopic(name);
    await kafka.produce(name, [...rows(3), { value: 'garbage' }, ...rows(3, 3)]);
    const { apply, get, until, status, counts, published } = about(
      await startService(),
      name,
      kafka.address,
    );
    const ioConfig = { period: 'PT0.2S', taskDuration: 'PT1S' };
    await apply({ ioConfig, tuningConfig: { maxParseExceptions: 0 } });
    await until(async () => (await status()).state === 'UNHEALTHY_TASKS', 60);
    expect(await published()).toBe(0);
    const { body: failed } = await get(`/svc/indexer/v1/tasks?datasource=${name}&state=complete`);
    expect(failed[0]).toMatchObject({
      statusCode: 'FAILED',
      errorMsg: 'Max parse exceptions[0] exceeded',
    });
    await apply({ ioConfig });
    await until(async () => (await published()) === 6);
    expect(await counts()).toEqual({ n: 6, d: 6 });
    await until(async () => (await status()).state === 'RUNNING');
  });
});
