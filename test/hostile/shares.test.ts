// Many at once: slow queries and stalled readers of one user, wrong passwords of many, and a
// mixture of attacks. Others are served meanwhile.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { randomFrom } from '../support/random.ts';
import type { Identity } from './attack.ts';
import { attackClasses } from './attacks/index.ts';
import { bounds, faultsOfReply, faultsOfService } from './judge.ts';
import { send } from './send.ts';
import { note, quantile } from './summary.ts';
import { type Measured, startWatched, type Watched } from './watched.ts';

const seed = Number(process.env.SEED ?? Date.now() % 100_000);

let service: Watched | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service?.dispose();
  service = undefined;
});

const slow = `SELECT COUNT(*) FROM ${Array.from({ length: 9 }, (_, at) => `INFORMATION_SCHEMA.COLUMNS c${at}`).join(', ')} WHERE c0.COLUMN_NAME || c1.COLUMN_NAME || c2.COLUMN_NAME || c3.COLUMN_NAME = 'x'`;
const large = `SELECT c0.COLUMN_NAME, c1.COLUMN_NAME, c2.COLUMN_NAME, c3.COLUMN_NAME FROM ${Array.from({ length: 5 }, (_, at) => `INFORMATION_SCHEMA.COLUMNS c${at}`).join(', ')}`;

test('32 slow queries of one user do not take the places of another', async () => {
  service = await startWatched({ users: true });
  const faults = await during(service, '32 slow queries of one user', 32, async (watched) => {
    const sendings = Array.from({ length: 32 }, () =>
      send(watched, 'reader', { sql: slow, context: { timeout: 10_000 } }, 15_000),
    );
    await sleep(6000);
    for (const sending of sendings) sending.leave();
  });
  expect(faults.join('\n')).toBe('');
});

test('150 slow queries of one user do not fill the queue for another', async () => {
  service = await startWatched({ users: true });
  const faults = await during(service, '150 slow queries of one user', 150, async (watched) => {
    const sendings = Array.from({ length: 150 }, () =>
      send(watched, 'reader', { sql: slow, context: { timeout: 10_000 } }, 15_000),
    );
    await sleep(6000);
    for (const sending of sendings) sending.leave();
  });
  expect(faults.join('\n')).toBe('');
});

test.each([32, 150, 500])(
  '%i results of one user that are not read do not take the places of another',
  async (count) => {
    service = await startWatched({ users: true });
    const faults = await during(
      service,
      `${count} results of one user that are not read`,
      count,
      async (watched) => {
        const body = JSON.stringify({ query: large, context: { timeout: 60_000 } });
        for (let at = 0; at < count; at++) {
          const socket = opened(watched);
          socket.pause();
          socket.write(
            `POST /svc/v2/sql HTTP/1.1\r\nhost: localhost\r\nauthorization: ${watched.authorizationOf('reader')}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
          );
        }
        await sleep(6000);
      },
    );
    expect(faults.join('\n')).toBe('');
  },
);

test('500 connections with wrong passwords do not starve those with the right ones', async () => {
  service = await startWatched({
    users: true,
    properties: { 'svc.auth.authenticator.users.credentialIterations': '10000' },
  });
  const statuses = new Map<number, number>();
  const faults = await during(
    service,
    '500 connections with wrong passwords',
    500,
    async (watched) => {
      const wrong = `Basic ${Buffer.from('admin:wrong').toString('base64')}`;
      const asked = Array.from({ length: 500 }, async () => {
        const { status } = await send(
          watched,
          'stranger',
          { method: 'GET', path: '/status', headers: { authorization: wrong } },
          20_000,
        ).ended;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      });
      await Promise.all(asked);
    },
  );
  expect(faults.join('\n')).toBe('');
  expect([...statuses.keys()].filter((status) => status !== 401 && status !== 429)).toEqual([]);
});

test('500 connections of users that do not exist do not starve those that do', async () => {
  service = await startWatched({
    users: true,
    properties: { 'svc.auth.authenticator.users.credentialIterations': '10000' },
  });
  const faults = await during(service, '500 connections of unknown users', 500, async (watched) => {
    const unknown = (at: number) => `Basic ${Buffer.from(`unknown-${at}:x`).toString('base64')}`;
    await Promise.all(
      Array.from(
        { length: 500 },
        (_, at) =>
          send(
            watched,
            'stranger',
            { method: 'GET', path: '/status', headers: { authorization: unknown(at) } },
            20_000,
          ).ended,
      ),
    );
  });
  expect(faults.join('\n')).toBe('');
});

test('600 connections that send half a request do not keep others out', async () => {
  service = await startWatched({ users: false, demo: false });
  const faults = await during(
    service,
    '600 connections with half a request',
    600,
    async (watched) => {
      for (let at = 0; at < 600; at++)
        opened(watched).write('POST /svc/v2/sql HTTP/1.1\r\nhost: localhost\r\nx: ');
      for (let at = 0; at < 20; at++) {
        for (const socket of sockets) socket.write('a');
        await sleep(100);
      }
    },
  );
  expect(faults.join('\n')).toBe('');
});

test.each(
  Number.isFinite(Number(process.env.HOSTILE_SAMPLE ?? Infinity)) ? [[1]] : [[1], [2], [3], [4]],
)(`a mixture of attacks, four at once (seed ${seed}, part %i)`, async (part) => {
  service = await startWatched({ users: false });
  const random = randomFrom(seed + part);
  const all = attackClasses
    .filter(({ name }) =>
      /patterns|text growth|grouping|memory|sketches|large statements|truth/.test(name),
    )
    .flatMap((of) =>
      of.attacks.filter(({ as, asks }) => as === 'anyone' && ('sql' in asks || 'native' in asks)),
    );
  const chosen = Array.from(
    { length: 16 },
    () => all[Math.floor(random() * all.length)] ?? all[0],
  ).filter((attack) => attack !== undefined);
  const faults = await during(
    service,
    `a mixture of attacks ${part}`,
    chosen.length,
    async (watched) => {
      const left = [...chosen];
      const next = async (): Promise<string[]> => {
        const attack = left.pop();
        if (!attack) return [];
        const ended = await send(watched, attack.as as Identity, attack.asks, 20_000).ended;
        const busy = {
          kind: 'refused',
          statuses: [400, 429, 504],
          says: /memory|limit|capacity|timeout/i,
        } as const;
        return [
          ...faultsOfReply(ended, [...attack.expects, busy]).map(
            (fault) => `${attack.name}: ${fault}`,
          ),
          ...(await next()),
        ];
      };
      const found = await Promise.all(Array.from({ length: 4 }, next));
      return found.flat();
    },
  );
  expect(faults.join('\n')).toBe('');
});

test('SIGTERM while attacks run ends the service in time', async () => {
  service = await startWatched({ users: false });
  const { pid } = service;
  for (const attack of attackClasses
    .flatMap(({ attacks }) => attacks.filter(({ stopsBy }) => stopsBy?.includes('sigterm')))
    .slice(0, 6))
    void send(service, 'anyone', attack.asks, 20_000).ended;
  await sleep(1500);
  const began = performance.now();
  const { code } = await service.stop();
  const tookMs = performance.now() - began;
  note(
    { name: `SIGTERM while attacks run, process ${pid}`, repeat: '', requests: 6 },
    'stopped',
    tookMs,
    { healthMs: [], smallMs: [], peakBytes: 0 },
    code === 0 ? [] : [`It ended after ${tookMs} ms with ${code}`],
  );
  expect(code, 'exit code').toBe(0);
  expect(tookMs).toBeLessThan(12_000);
});

test('a redirect to a link-local address is not followed', async () => {
  service = await startWatched({ users: true });
  const server = createServer((socket) => {
    socket.end(
      'HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/latest/meta-data/\r\ncontent-length: 0\r\n\r\n',
    );
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rows`;
  const source = JSON.stringify({ type: 'http', uris: [uri] });
  const sqlTask = `INSERT INTO "wiki" SELECT CURRENT_TIMESTAMP AS __time, "a" FROM TABLE(EXTERN('${source}', '{"type":"json"}')) EXTEND ("a" VARCHAR) PARTITIONED BY ALL`;
  const faults = await during(service, 'a redirect to a link-local address', 1, async (watched) => {
    const ended = await send(watched, 'writer', { sqlTask }, 5000).ended;
    return faultsOfReply(ended, [
      { kind: 'answered', matches: /FAILED/ },
      { kind: 'refused', statuses: [400, 403] },
    ]);
  });
  server.close();
  expect(faults.join('\n')).toBe('');
});

function opened({ url }: Watched): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined); // the service may refuse it: others are what counts
  sockets.push(socket);
  return socket;
}

/** The 99th percentile of fewer samples is their maximum, and faultsOfService judges that. */
const percentileSamples = 100;

/** Faults of the service and of what is done to it. */
async function during(
  watched: Watched,
  name: string,
  requests: number,
  attack: (watched: Watched) => Promise<readonly string[] | void>,
): Promise<string[]> {
  watched.newlySaid();
  watched.begin();
  const began = performance.now();
  const found = (await attack(watched)) ?? [];
  const measured: Measured = await watched.measure();
  const healthP99 = quantile(measured.healthMs, 0.99);
  const faults = [
    ...found,
    ...faultsOfService(measured, watched.newlySaid()),
    ...(measured.healthMs.length >= percentileSamples &&
    healthP99 > bounds.healthP99Ms + Math.max(0, ...measured.lateMs)
      ? [`Health of the service took ${healthP99} ms at the 99th percentile`]
      : []),
    ...(watched.isAlive() ? [] : ['The service has ended']),
  ];
  note({ name, repeat: name, requests }, 'refused', performance.now() - began, measured, faults);
  return faults;
}
