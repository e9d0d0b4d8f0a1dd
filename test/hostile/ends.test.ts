// Attacks that run for long, ended from outside: whatever a query does, its time limit, a cancel, a
// client that leaves and SIGTERM end it.
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { randomFrom } from '../support/random.ts';
import { type Asked, type Attack, type Stop, usualWithinMs } from './attack.ts';
import { attackClasses } from './attacks/index.ts';
import { faultsOfService } from './judge.ts';
import { made, send } from './send.ts';
import { note } from './summary.ts';
import { canMeasure, startWatched, type Watched } from './watched.ts';

const seed = Number(process.env.SEED ?? Date.now() % 100_000);
// These take longer than the others
const sample = Number(process.env.HOSTILE_SAMPLE ?? Number.POSITIVE_INFINITY) / 4;
const seconds = Number(process.env.HOSTILE_SECONDS ?? 3600) / 4;
const only = new RegExp(process.env.HOSTILE_ONLY ?? '.');
const endsAt = Date.now() + seconds * 1000;

const runsMs = 500; // before it is ended
const endsWithinMs = 1000;
const closesWithinMs = 12_000; // replies under way have ten seconds
const idleShare = 0.4; // of one processor: duties of the service take some

let service: Watched | undefined;
afterAll(() => service?.dispose());

describe(`ends (seed ${seed})`, () => {
  test.for(chosen())('%s', { timeout: 120_000 }, async ([name, attack, stop], { skip }) => {
    if (Date.now() > endsAt) skip(`the seconds for these are over`);
    const watched = await alive();
    watched.newlySaid();
    watched.begin();
    const began = performance.now();
    const faults = await ways[stop](watched, attack);
    const measured = stop === 'sigterm' ? undefined : await watched.measure();
    const said = watched.newlySaid();
    if (measured) faults.push(...faultsOfService(measured, said));
    note(
      { name, repeat: name, requests: stop === 'cancel' ? 2 : 1 },
      'stopped',
      performance.now() - began,
      measured ?? nothing,
      faults,
    );
    expect(faults.join('\n')).toBe('');
  });
});

const nothing = { healthMs: [], smallMs: [], peakBytes: 0 };

const ways: Readonly<Record<Stop, (watched: Watched, attack: Attack) => Promise<string[]>>> = {
  async timeout(watched, { as, asks }) {
    const { status, text, tookMs } = await send(
      watched,
      as,
      within(asks, { timeout: runsMs }),
      usualWithinMs * 2,
    ).ended;
    return tookMs > runsMs + endsWithinMs
      ? [
          `With a timeout of ${runsMs} ms it took ${Math.round(tookMs)} ms: ${status} ${text.slice(0, 200)}`,
        ]
      : [];
  },

  async cancel(watched, { as, asks }) {
    const id = `hostile-${Date.now()}`;
    const sending = send(
      watched,
      as,
      within(asks, { sqlQueryId: id, queryId: id }),
      usualWithinMs * 2,
    );
    let isOver = false;
    void sending.ended.then(() => {
      isOver = true;
    });
    await sleep(runsMs);
    const cancelled = performance.now();
    const path = 'native' in asks ? `/svc/v2/${id}` : `/svc/v2/sql/${id}`;
    const replies: number[] = [];
    while (!isOver && performance.now() - cancelled < endsWithinMs) {
      replies.push(
        (await send(watched, as, { method: 'DELETE', path }, usualWithinMs * 2).ended).status,
      );
      if (replies.at(-1) === 202) break;
      await sleep(100);
    }
    const { status, text } = await sending.ended;
    const tookMs = performance.now() - cancelled;
    return tookMs > endsWithinMs
      ? [
          `It went on for ${Math.round(tookMs)} ms after DELETE, which was answered with [${replies}]: ${status} ${text.slice(0, 200)}`,
        ]
      : [];
  },

  async gone(watched, { as, asks }) {
    const idle = await shareOfProcessor(watched);
    const sending = send(watched, as, asks, usualWithinMs * 2);
    await sleep(runsMs);
    sending.leave();
    await sending.ended;
    await sleep(endsWithinMs);
    const share = await shareOfProcessor(watched);
    const percent = (of: number) => `${Math.round(of * 100)} %`;
    return canMeasure && share > idle + idleShare
      ? [
          `A second after its client left, the service takes ${percent(share)} of a processor, and ${percent(idle)} before`,
        ]
      : [];
  },

  async sigterm(watched, { as, asks }) {
    const sending = send(watched, as, asks, usualWithinMs * 3);
    await sleep(runsMs);
    const { pids } = await watched.measure();
    const began = performance.now();
    const { code, signal } = await watched.stop();
    await sending.ended;
    const tookMs = Math.round(performance.now() - began);
    const left = pids.filter((pid) => existsSync(`/proc/${pid}`));
    return [
      ...(code === 0 && tookMs <= closesWithinMs
        ? []
        : [`It ended ${tookMs} ms after SIGTERM, with code ${code} and signal ${signal}`]),
      ...(left.length > 0 ? [`It left ${left.length} processes behind`] : []),
    ];
  },
};

/** How much of a processor the service takes for a second, with what its probe asks for. */
async function shareOfProcessor(watched: Watched): Promise<number> {
  watched.begin();
  const { cpuMs: before } = await watched.measure();
  const began = performance.now();
  watched.begin();
  await sleep(1000);
  const { cpuMs: after } = await watched.measure();
  // Processes may have ended meanwhile
  return Math.max(0, after - before) / (performance.now() - began);
}

function within(asks: Asked, context: Readonly<Record<string, unknown>>): Asked {
  if ('sql' in asks) return { ...asks, context: { ...asks.context, ...context } };
  if (!('native' in asks)) throw new Error('Only queries have a context');
  return {
    native: () => {
      const query = made(asks.native) as { readonly context?: object };
      return { ...query, context: { ...query.context, ...context } };
    },
  };
}

type Chosen = readonly [name: string, attack: Attack, stop: Stop];

function chosen(): Chosen[] {
  const random = randomFrom(seed);
  const all = attackClasses.flatMap(({ name, attacks }) =>
    attacks.flatMap((attack) =>
      (attack.stopsBy ?? []).map(
        (stop): Chosen => [`${stop} ends ${name}: ${attack.name}`, attack, stop],
      ),
    ),
  );
  const some = all.filter(([name, attack]) => only.test(name) && attack.as === 'anyone');
  if (some.length <= sample) return some;
  return some
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, Math.ceil(sample))
    .map(({ item }) => item);
}

async function alive(): Promise<Watched> {
  if (service?.isAlive()) {
    const { status } = await send(
      service,
      'anyone',
      { method: 'GET', path: '/status/health' },
      2000,
    ).ended;
    if (status === 200) return service;
  }
  await service?.dispose();
  service = await startWatched({ users: false });
  return service;
}
