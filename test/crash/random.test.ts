// Kills at random moments while several clients load and query: acknowledged loads are complete, no
// load is visible in part, and the service starts again.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { randomFrom } from '../support/random.ts';
import { startServed } from '../support/served.js';
import { temporaryFolder } from '../support/storage.ts';
import {
  atRest,
  type Engine,
  endOf,
  type Served,
  segmentsOnDisk,
  statusOf,
  submitLoad,
  wholeLoadsIn,
} from './loads.ts';

const rounds = Number(process.env.CRASH_ROUNDS ?? 8);
const seed = Number(process.env.SEED ?? Date.now() % 100_000);

test(`killed at random under load, ${rounds} times (seed ${seed})`, {
  timeout: 60_000 + rounds * 120_000,
}, async () => {
  console.log(`seed ${seed}`);
  const random = randomFrom(seed);
  const dataDir = await temporaryFolder();
  const submitted = new Map<string, number>(); // task id → number of its load
  const done = new Set<number>(); // loads of which a client has seen SUCCESS
  let last = 0;
  for (let round = 0; round < rounds; round++) {
    const service = await started(dataDir);
    const clients: readonly Engine[] = ['native', 'sql', 'native'];
    const work = Promise.all([...clients.map((engine) => load(service, engine)), ask(service)]);
    const killAfterMs = 50 + Math.floor(random() * 1500);
    await sleep(killAfterMs);
    service.kill();
    await work;
    const again = await started(dataDir);
    await atRest(again); // waiting tasks run now
    for (const task of submitted.keys()) {
      const { statusCode, errorMsg } = await statusOf(again, task);
      if (statusCode === 'FAILED')
        expect(errorMsg).toContain('stopped while this task was running');
      else done.add(submitted.get(task) ?? 0);
    }
    const seen = await wholeLoadsIn(again);
    console.log(
      `round ${round}: killed after ${killAfterMs} ms, ${submitted.size} acknowledged, ${done.size} succeeded, ${seen.length} visible`,
    );
    expect(seen).toEqual(expect.arrayContaining([...done]));
    for (const [task, number] of submitted) {
      if ((await statusOf(again, task)).statusCode === 'FAILED') expect(seen).not.toContain(number);
    }
    expect(await segmentsOnDisk(again, dataDir)).toBe(seen.length * 3);
    again.kill(); // also while no task runs
    await again.ended;
  }
  expect(done.size).toBeGreaterThan(0);

  async function load(service: Served, engine: Engine): Promise<void> {
    try {
      for (;;) {
        const number = ++last;
        const task = await submitLoad(service, number, engine);
        submitted.set(task, number);
        if (random() < 0.5) continue; // so that some tasks are waiting at the kill
        const { statusCode } = await endOf(service, task);
        if (statusCode === 'SUCCESS') done.add(number);
      }
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // fetch throws it when the service is gone
    }
  }

  async function ask(service: Served): Promise<void> {
    try {
      for (;;) await wholeLoadsIn(service);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
});

async function started(dataDir: string): Promise<Served> {
  const service = await startServed(['--data-dir', dataDir, '--worker-capacity', '2']);
  onTestFinished(() => void service.kill());
  return service;
}
