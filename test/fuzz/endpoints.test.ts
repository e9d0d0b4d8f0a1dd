// Every endpoint of the running service, asked wrongly a thousand times: it says no in words that
// are known, and goes on.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type Endpoint, type Invalid, invalidOf, successOf } from '../../src/contract/endpoint.ts';
import { type Category, statusOf } from '../../src/contract/failure.ts';
import { areas } from '../../src/contract/index.ts';
import { check } from '../../src/contract/schema.ts';
import { dialectOf } from '../../src/model/dialect.ts';
import { parseJson } from '../../src/model/json.ts';
import { randomFrom } from '../support/random.ts';
import { startServed } from '../support/served.js';
import { temporaryFolder } from '../support/storage.ts';
import { addUser, everything, withUsers } from '../support/users.ts';
import { api } from '../support/wire.ts';
import { asCurl, type Hostile, hostileRequest, type Reply, send } from './requests.ts';

const requests = Number(process.env.FUZZ_REQUESTS ?? 1000); // for each endpoint
const seconds = Number(process.env.FUZZ_SECONDS ?? 1800); // for all of them
const only = new RegExp(process.env.FUZZ_ONLY ?? '.');
const seed = Number(process.env.SEED ?? Date.now() % 100_000);
const withinMs = 60_000;
const maxMemory = 3 * 1024 ** 3;

const dialect = dialectOf('svc');
const endpoints = Object.entries(areas).flatMap(([area, all]) =>
  Object.entries(all).map(([name, endpoint]): readonly [string, Endpoint] => [
    `${area}.${name}`,
    endpoint,
  ]),
);

test.each([
  { who: 'nobody', users: false },
  { who: 'the administrator', users: true },
])(
  `${requests} hostile requests of $who to every endpoint (seed ${seed})`,
  { timeout: (seconds + 300) * 1000 },
  async ({ users }) => {
    console.log(`seed ${seed}`);
    const outside = await temporaryFolder();
    const dataDir = join(outside, 'data');
    await mkdir(dataDir);
    await writeFile(join(outside, 'canary'), 'untouched');
    const properties = join(await temporaryFolder(), 'users.properties');
    await writeFile(
      properties,
      Object.entries(withUsers)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
    const settings = [
      '--data-dir',
      dataDir,
      '--worker-capacity',
      '2',
      '--role-ports',
      ...(users ? ['--config', properties] : []),
    ];
    const service = await startServed(settings);
    onTestFinished(() => void service.kill());
    // An administrator whom no request can name: one that takes the rights of [admin] away, or the
    // user, must not end the test.
    const who = users
      ? await addUser(service, 'of-all-things', [...everything('READ'), ...everything('WRITE')])
      : undefined;
    const authorization = who && `Basic ${Buffer.from(who).toString('base64')}`;
    const known = [
      'wiki',
      'stream',
      ...(users ? ['users', 'roles'] : []),
      ...(await loadedWith({ url: service.url, authorization })),
    ];
    const random = randomFrom(seed);
    const faults = new Map<string, string>(); // the first of each kind
    const endsAt = Date.now() + seconds * 1000;
    let sent = 0;
    let rounds = 0; // that ended with rows to ask for

    for (let round = 0; round < requests && Date.now() < endsAt; round += batch) {
      for (const [name, endpoint] of endpoints.filter(([name]) => only.test(name))) {
        const hostiles = Array.from({ length: Math.min(batch, requests - round) }, () =>
          hostileRequest(random, name, endpoint, known, authorization),
        );
        await Promise.all(
          hostiles.map(async (hostile) => {
            const fault = await faultOf(service.url, endpoint, hostile);
            if (!fault) return;
            const kind = `${name}: ${fault.replace(/\[[^\]]*\]/g, '[...]')}`; // whatever the value was
            if (!faults.has(kind))
              console.log(`${kind.slice(0, 300)}\n  ${asCurl(service.url, hostile)}`);
            if (!faults.has(kind))
              faults.set(kind, `${fault.slice(0, 500)}\n  ${asCurl(service.url, hostile)}`);
          }),
        );
        sent += hostiles.length;
        if (Date.now() > endsAt) break;
        expect(
          await alive({ url: service.url, authorization }),
          `SELECT 1 after ${name}, seed ${seed}: ${service.said()}`,
        ).toBe(true);
      }
      expect(await memoryOf(service.pid), 'bytes of memory').toBeLessThan(maxMemory);
      rounds += (await restored({ url: service.url, authorization })) ? 1 : 0;
    }

    console.log(
      `${sent} requests to ${endpoints.length} endpoints, ${faults.size} kinds of faults; there were rows after ${rounds} rounds`,
    );
    expect
      .soft([...faults].map(([kind, fault]) => `${kind.slice(0, 200)}\n  ${fault}`).join('\n'))
      .toBe('');
    expect.soft(service.said()).not.toMatch(stack);
    expect((await readdir(outside)).sort()).toEqual(['canary', 'data']);
    expect(await readFile(join(outside, 'canary'), 'utf8')).toBe('untouched');
    expect(await service.stop()).toMatchObject({ code: 0 });

    const again = await startServed(settings); // whatever was written can be read again
    onTestFinished(() => void again.kill());
    expect(await alive({ url: again.url, authorization })).toBe(true);
    expect(await again.stop()).toMatchObject({ code: 0 });
  },
);

// Of one endpoint, some of them at once: the client makes the next while the service is at the last
const batch = 20;

type Asked = Parameters<typeof api>[0];

/** What is wrong with the reply to a request; undefined when it is as it should be. */
async function faultOf(
  url: string,
  endpoint: Endpoint,
  hostile: Hostile,
): Promise<string | undefined> {
  let reply: Reply;
  try {
    reply = await send(url, hostile, withinMs);
  } catch (error) {
    return (error as Error).message;
  }
  const { status, text } = reply;
  if (stack.test(text)) return 'A stack is shown';
  if (status === 500 && text.includes('Internal error')) return 'Internal error';
  if (endpoint.reply.also?.includes(status) && reaches(endpoint, hostile))
    return misfit(endpoint, reply);
  if (status >= 500 && reaches(endpoint, hostile) && !mayFail(endpoint, status))
    return `Status ${status}, which its entry does not name: ${text}`;
  if (status >= 400 && !isKnownRefusal(reply))
    return `Status ${status} with a body of no known family: ${text}`;
  if (status < 100 || status >= 600) return `Status ${status}`;
  return reaches(endpoint, hostile) ? misfit(endpoint, reply) : undefined;
}

// With another method, or without one of its parts, it is a request to somebody else.
const reaches = ({ method }: Endpoint, hostile: Hostile) =>
  hostile.method === method && !/\/(\/|\?|$)/.test(hostile.target.split('?', 1)[0] ?? '');

// A reply that went well is what its schema says.
function misfit({ reply }: Endpoint, { status, text }: Reply): string | undefined {
  if (reply.kind !== 'json' || status !== successOf(reply, dialect) || text === '')
    return undefined;
  try {
    check(reply.schema, parseJson(text));
    return undefined;
  } catch (error) {
    return `A reply that is not what its entry says: ${(error as Error).message}`;
  }
}

const stack = /\n\s+at .*[:(]\d+:\d+|node:internal|\.ts:\d+|main\.cjs:\d+/;

function mayFail(endpoint: Endpoint, status: number): boolean {
  const { query = {}, headers = {}, refusals = {}, missing } = endpoint;
  const invalid = [...Object.keys({ ...query, ...headers }), 'body'].map((field) =>
    invalidOf(endpoint, field, dialect),
  );
  const named: Category[] = [
    ...(Object.keys(refusals) as Category[]),
    ...(missing ? [missing, ...invalid] : invalid).map(categoryOf),
  ];
  return named.some((category) => statusOf[category] === status);
}

const categoryOf = (invalid: Invalid): Category =>
  typeof invalid === 'string' ? invalid : invalid[0];

function isKnownRefusal({ headers, text }: Reply): boolean {
  const type = headers['content-type'] ?? '';
  if (text === '' || type.startsWith('text/plain') || type.startsWith('text/html')) return true;
  try {
    const body = parseJson(text);
    if (typeof body !== 'object' || body === null) return false;
    return 'error' in body || 'Access-Check-Result' in body || 'query' in body;
  } catch {
    return type === 'application/json'; // text that is sent as if it were JSON
  }
}

async function alive(asked: Asked): Promise<boolean> {
  const { body } = await api(asked).post('/svc/v2/sql', {
    query: 'SELECT 1',
    resultFormat: 'array',
  });
  return JSON.stringify(body) === '[[1]]';
}

async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''); // elsewhere than on Linux it is not looked at
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
}

/**
 * Undoes what keeps the rows from being asked for: rules that drop them, segments that are unused,
 * a worker that takes no tasks.
 */
async function restored(asked: Asked): Promise<boolean> {
  const { post, get } = api(asked);
  await post('/svc/coordinator/v1/rules/_default', [
    { type: 'loadForever', tieredReplicants: { _default_tier: 1 } },
  ]);
  await post('/svc/coordinator/v1/rules/wiki', []);
  await post('/svc/worker/v1/enable', {});
  const tasks: { id: string }[] = (await get('/svc/indexer/v1/runningTasks')).body;
  const waiting: { id: string }[] = (await get('/svc/indexer/v1/pendingTasks')).body;
  for (const { id } of [...tasks, ...waiting])
    await post(`/svc/indexer/v1/task/${encodeURIComponent(id)}/shutdown`, {});
  const { status: taken, body } = await post('/svc/v2/sql/task', { query: someRows });
  if (taken >= 400) return false; // a setting may have all queries refused
  for (const lateAt = Date.now() + 10_000; Date.now() < lateAt; await sleep(50)) {
    const { status } = (await get(`/svc/indexer/v1/task/${body.taskId}/status`)).body;
    if (status?.statusCode !== 'RUNNING') return status?.statusCode === 'SUCCESS';
  }
  return false;
}

const someRows = `REPLACE INTO wiki OVERWRITE ALL SELECT TIME_PARSE(t) AS __time, page, n AS "views"
  FROM (VALUES ('2024-01-01', 'a', 1), ('2024-01-02', 'b', 2)) AS t (t, page, n) PARTITIONED BY DAY`;

/**
 * Loads a few rows, so that there is something to ask for. Returns the names that came with them.
 */
async function loadedWith(asked: Asked): Promise<string[]> {
  const { post, get, ended } = api(asked);
  const task = (await post('/svc/v2/sql/task', { query: someRows })).body.taskId;
  expect(await ended(task)).toMatchObject({ statusCode: 'SUCCESS' });
  const segments: { identifier: string }[] = (await get('/svc/coordinator/v1/metadata/segments'))
    .body;
  return [
    task,
    ...segments.map(({ identifier }) => identifier),
    '_default_tier',
    'a',
    '2024-01-01_2024-01-02',
  ];
}
