// Each attack by itself against the built service: it ends as it must, and meanwhile the service
// answers others and keeps to its memory.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomFrom } from '../support/random.ts';
import { type Attack, type Identity, type Plain, type Step, usualWithinMs } from './attack.ts';
import { attackClasses } from './attacks/index.ts';
import { bounds, faultsOfReply, faultsOfService, megabytes } from './judge.ts';
import { type Ended, plainOf, send } from './send.ts';
import { note, outcomes, quantile } from './summary.ts';
import { canMeasure, limitBytes, type Measured, startWatched, type Watched } from './watched.ts';

const seed = Number(process.env.SEED ?? Date.now() % 100_000);
// How many of all attacks
const sample = Number(process.env.HOSTILE_SAMPLE ?? Number.POSITIVE_INFINITY);
const seconds = Number(process.env.HOSTILE_SECONDS ?? 3600); // for all of them
const only = new RegExp(process.env.HOSTILE_ONLY ?? '.');
const endsAt = Date.now() + seconds * 1000;

const services = new Map<boolean, Watched>();

beforeAll(async () => {
  console.log(`seed ${seed}`);
  if (!canMeasure)
    console.warn(
      'SKIPPED: memory and processor time are not measured, because this system has no /proc',
    );
  for (const users of [false, true]) services.set(users, await startWatched({ users }));
});

afterAll(async () => {
  await Promise.all([...services.values()].map((service) => service.dispose()));
});

describe(`attacks (seed ${seed})`, () => {
  test.for(chosen())('%s', { timeout: 180_000 }, async ([name, attack], { skip }) => {
    if (Date.now() > endsAt) skip(`HOSTILE_SECONDS=${seconds} are over`);
    const service = await aliveService(!isOpen(attack.as));
    for (const plain of attack.prepare ?? []) await prepare(service, attack.as, plain);
    service.newlySaid();

    service.begin();
    const ended = await send(service, attack.as, attack.asks, attack.withinMs ?? usualWithinMs)
      .ended;
    const faults = faultsOfReply(ended, attack.expects);
    for (const step of attack.then ?? []) faults.push(...(await faultsOfStep(service, step)));
    await sleep(100); // so that the probe sees what the end of it does
    const measured = await service.measure();
    faults.push(...faultsOfService(measured, service.newlySaid()));
    if (!service.isAlive())
      faults.push(`The service has ended: ${JSON.stringify(await service.ended)}`);
    for (const plain of attack.cleanUp ?? [])
      await send(service, isOpen(attack.as) ? 'anyone' : 'admin', plain, usualWithinMs).ended;
    faults.push(...(await faultsOfMemory(service, measured)));

    const requests = 1 + (attack.then?.length ?? 0) + (attack.prepare?.length ?? 0);
    const repeat = asCurl(attack);
    const ending = ended.status >= 200 && ended.status < 300 ? 'answered' : 'refused';
    note({ name, repeat, requests }, ending, ended.tookMs, measured, faults);
    // What may still be running would count as the next one's.
    if (faults.length > 0 && ended.status === -1) await service.dispose();
    expect(faults.join('\n'), `${repeat}\n`).toBe('');
  });
});

describe('over all attacks', () => {
  test('health of the service is answered in time', () => {
    const health = outcomes().flatMap(({ healthMs }) => healthMs);
    expect(quantile(health, 0.99), 'p99 in ms').toBeLessThanOrEqual(bounds.healthP99Ms);
  });

  test.runIf(canMeasure)('memory is given back', async () => {
    for (const service of services.values()) {
      if (!service.isAlive()) continue;
      await sleep(5000);
      service.begin();
      const { endBytes } = await service.measure();
      expect(megabytes(endBytes), 'MB at rest').toBeLessThanOrEqual(megabytes(limitBytes));
    }
  });
});

type Named = readonly [name: string, attack: Attack];

// A sample has attacks of every class.
function chosen(): Named[] {
  const random = randomFrom(seed);
  const byClass = attackClasses.map(({ name, attacks }) =>
    shuffled(
      attacks
        .map((attack): Named => [`${name}: ${attack.name}`, attack])
        .filter(([full]) => only.test(full)),
      random,
    ),
  );
  const all = byClass.reduce((sum, { length }) => sum + length, 0);
  const share = Math.min(1, sample / all);
  return byClass.flatMap((attacks) => attacks.slice(0, Math.ceil(attacks.length * share)));
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  if (!Number.isFinite(sample)) return [...items];
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/**
 * Memory is given back in a few seconds; a service that keeps it is replaced, so that it does not
 * count as the next one's.
 */
async function faultsOfMemory(service: Watched, measured: Measured): Promise<string[]> {
  let { endBytes } = measured;
  for (let at = 0; at < 10 && endBytes > limitBytes && service.isAlive(); at++) {
    await sleep(500);
    service.begin();
    endBytes = (await service.measure()).endBytes;
  }
  if (endBytes <= limitBytes) return [];
  await service.dispose();
  return [`Memory is still ${megabytes(endBytes)} MB five seconds later`];
}

const isOpen = (as: Identity) => as === 'anyone' || as === 'control';

// One that an attack has ended is replaced, so that the others are judged by themselves.
async function aliveService(users: boolean): Promise<Watched> {
  const service = services.get(users);
  if (service?.isAlive()) {
    const { status } = await send(
      service,
      users ? 'admin' : 'anyone',
      { method: 'GET', path: '/status/health' },
      2000,
    ).ended;
    if (status === 200) return service;
  }
  await service?.dispose();
  const next = await startWatched({ users });
  services.set(users, next);
  return next;
}

async function prepare(service: Watched, as: Identity, plain: Plain): Promise<void> {
  const { status, text } = await send(
    service,
    isOpen(as) ? 'anyone' : 'admin',
    plain,
    usualWithinMs,
  ).ended;
  if (status < 200 || status > 299)
    throw new Error(
      `${plain.method} ${plain.path} was refused with ${status}: ${text.slice(0, 500)}`,
    );
}

async function faultsOfStep(
  service: Watched,
  { as, asks, expects, afterMs = 0 }: Step,
): Promise<string[]> {
  await sleep(afterMs);
  const ended: Ended = await send(service, as, asks, usualWithinMs).ended;
  return faultsOfReply(ended, expects).map((fault) => `${describeAsked(asks)}: ${fault}`);
}

const describeAsked = (asked: Step['asks']) =>
  'raw' in asked ? 'raw bytes' : `${plainOf(asked).method} ${plainOf(asked).path}`;

/** A line that repeats the attack, where it is short enough. */
function asCurl({ as, asks }: Attack): string {
  if ('raw' in asks) return 'bytes that curl does not send';
  const { method, path, headers = {}, body } = plainOf(asks);
  const given = typeof body === 'function' ? body() : body;
  const text =
    given === undefined
      ? ''
      : typeof given === 'string'
        ? given
        : Buffer.isBuffer(given)
          ? `${given.length} bytes`
          : JSON.stringify(given);
  const user = as === 'anyone' || as === 'stranger' ? '' : ` -u ${as}`;
  const type = typeof given === 'object' ? " -H 'content-type: application/json'" : '';
  const others = Object.entries(headers).map(
    ([name, value]) => ` -H '${name}: ${value.slice(0, 200)}'`,
  );
  const data =
    text === ''
      ? ''
      : ` -d '${(text.length > 1500 ? `${text.slice(0, 700)}[... ${text.length} characters]` : text).replaceAll("'", "'\\''")}'`;
  return `curl -X ${method}${user} "$URL${path.slice(0, 500)}"${type}${others.join('')}${data}`;
}
