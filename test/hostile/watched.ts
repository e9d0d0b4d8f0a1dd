// The built service under attack, and its watch: what its other clients and its memory come to
// meanwhile.
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { writeParquet } from '../support/parquet.ts';
import { startServed } from '../support/served.js';
import { addUser, admin, allow, ingest, withUsers } from '../support/users.ts';
import type { Identity } from './attack.ts';

export const limitBytes = 1024 ** 3; // what --memory says
export const maxBytes = limitBytes + 256 * 1024 ** 2;
// The machine is protected: beyond this the service is killed, which is a failure
const guardBytes = limitBytes + 1024 ** 3;

/**
 * In the environment of the service, and in a file beside its data: must never be seen in a reply
 * or a log.
 */
export const secret = 'canary-5f0e3d7b-of-the-server';
export const secretVariable = 'HOSTILE_SECRET';

export interface Measured {
  readonly healthMs: readonly number[];
  readonly smallMs: readonly number[];
  readonly lateMs: readonly number[]; // by how much the probe itself was late: the machine's part
  readonly faults: readonly string[]; // of the other clients
  readonly peakBytes: number; // of the whole process tree
  readonly processes: number;
  readonly endBytes: number;
  readonly cpuMs: number; // since the start
  readonly pids: readonly number[]; // of the tree, at the end
  readonly isKilled: boolean; // because the machine had to be protected
}

export interface Watched {
  readonly url: string;
  readonly control: string; // the address of the control port, at the service without users
  readonly pid: number;
  // The folder that holds the data folder, a file with the secret, and a folder from which tasks
  // may read
  readonly outside: string;
  readonly ended: Promise<{ code: number | null; signal: string | null; said: string }>;
  /** Is the service still running? */
  isAlive(): boolean;
  authorizationOf(identity: Identity): string;
  begin(): void;
  measure(): Promise<Measured>;
  /** What the log has said since this was asked last. */
  newlySaid(): string;
  stop(): Promise<{ code: number | null; signal: string | null; said: string }>;
  /** Ends it at once, with its probe and its files. */
  dispose(): Promise<void>;
}

export interface WatchedSettings {
  readonly users: boolean;
  readonly demo?: boolean; // 39,244 rows in datasource wikipedia
  readonly properties?: Readonly<Record<string, string>>;
}

/** Starts a service with 1 GB of memory, and its watch. */
export async function startWatched({
  users,
  demo = !users,
  properties = {},
}: WatchedSettings): Promise<Watched> {
  const outside = await mkdtemp(join(tmpdir(), 'svcctl-hostile-'));
  const allowed = join(outside, 'allowed');
  await mkdir(allowed);
  await writeFile(join(outside, 'secret.txt'), `${secret}\n`);
  await writeFile(join(allowed, 'rows.json'), '{"t":"2024-01-01T00:00:00Z","page":"a","n":1}\n');
  await writeFile(
    join(allowed, 'a'.repeat(200)),
    '{"t":"2024-01-01T00:00:00Z","page":"a","n":1}\n',
  ); // for file filters of many stars
  await symlink(join(outside, 'secret.txt'), join(allowed, 'link'));
  await symlink('/dev/zero', join(allowed, 'zero'));
  execFileSync('mkfifo', [join(allowed, 'fifo')]);
  const zeros = gzipSync(Buffer.alloc(100_000_000));
  await writeFile(join(allowed, 'zeros.json.gz'), Buffer.concat(Array(10).fill(zeros)));
  await writeParquet(
    join(allowed, 'deep.parquet'),
    `SELECT ${"{'a': ".repeat(300)}1${'}'.repeat(300)} AS a`,
  );
  const columns = Array.from({ length: 6000 }, (_, at) => `1 AS c${at}`);
  await writeParquet(join(allowed, 'columns.parquet'), `SELECT ${columns.join(', ')}`);
  const config = join(outside, 'runtime.properties');
  await writeFile(config, linesOf({ ...(users && withUsers), ...properties }));
  const service = await startServed(
    [
      ...[
        '--data-dir',
        join(outside, 'data'),
        '--memory',
        '1GB',
        '--log-format',
        'json',
        '--config',
        config,
        '--allow-dir',
        allowed,
      ],
      ...(demo ? ['--demo'] : []),
      ...(users ? [] : ['--control-port', '0']),
    ],
    { [secretVariable]: secret, ADMIN_PASSWORD: secret },
  );
  if (users) {
    await ingest(service, 'wiki', 'other');
    await addUser(service, 'writer', [
      allow('READ', 'DATASOURCE', 'wiki'),
      allow('WRITE', 'DATASOURCE', 'wiki'),
      allow('READ', 'EXTERNAL', '.*'),
    ]);
    await addUser(service, 'reader', [allow('READ', 'DATASOURCE', 'wiki')]);
    await addUser(service, 'powerless', []);
    await addUser(service, 'bystander', [allow('READ', 'DATASOURCE', 'wiki')]);
  }
  const smallQuery = `SELECT COUNT(*) FROM ${users ? 'wiki' : demo ? 'wikipedia' : '(VALUES (1), (2)) AS t (a)'}`;
  const probe = await startProbe(service, users ? basic('bystander:bystander') : '', smallQuery);
  // Errors in the log count for the attack after which they are seen.
  const ended = service.ended.catch((error: Error) => ({
    code: null,
    signal: null,
    said: error.message,
  }));
  const dispose = async () => {
    const gone = once(probe, 'exit');
    probe.disconnect(); // it ends the service with all its children
    await gone;
    await ended;
    await rm(outside, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
  let disposed: Promise<void> | undefined;
  let isAlive = true;
  let read = '';
  void ended.then(() => {
    isAlive = false;
  });
  return {
    url: service.url,
    control: service.control,
    pid: service.pid,
    outside,
    ended,
    isAlive: () => isAlive,
    authorizationOf: (identity) =>
      !users || identity === 'stranger' || identity === 'anyone' || identity === 'control'
        ? ''
        : basic(passwordOf(identity)),
    begin: () => void probe.send('begin'),
    measure: async () => {
      probe.send('end');
      const [measured] = (await once(probe, 'message')) as [Measured];
      return measured;
    },
    newlySaid: () => {
      const said = service.said();
      const seen = said.lastIndexOf(read.slice(-300));
      const fresh = read === '' || seen < 0 ? said : said.slice(seen + read.slice(-300).length);
      read = said;
      return fresh;
    },
    stop: async () => {
      await service.stop().catch(() => undefined);
      return ended;
    },
    dispose: () => {
      disposed ??= dispose();
      return disposed;
    },
  };
}

/** Memory and processor time of a process tree are read from /proc. */
export const canMeasure = existsSync('/proc/self/task');

async function startProbe(
  { url, pid }: { url: string; pid: number },
  authorization: string,
  query: string,
): Promise<ChildProcess> {
  const probe = fork(
    resolve('test/hostile/probe.js'),
    [url, String(pid), String(guardBytes), authorization, query],
    { execArgv: [] },
  );
  await once(probe, 'message');
  return probe;
}

const passwordOf = (identity: Identity) =>
  identity === 'admin' ? admin : `${identity}:${identity}`;
const basic = (user: string) => `Basic ${Buffer.from(user).toString('base64')}`;
const linesOf = (properties: Readonly<Record<string, string>>) =>
  Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
