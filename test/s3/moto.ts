// A real S3 server of a test's own: moto, which checks signatures once its first users are made. A
// package of Python; nothing of it is part of svcctl.
import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { onTestFinished } from 'vitest';

/** Why no server can be started here; undefined when one can. */
export const motoIsMissing = (): string | undefined =>
  spawnSync('python3', ['-c', 'import moto.server'], { stdio: 'ignore' }).status === 0
    ? undefined
    : 'there is no moto: pip install "moto[server]"';

export interface S3Server {
  readonly url: string;
  readonly user: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** A bucket with objects, by their keys. */
  bucket(name: string, objects?: Readonly<Record<string, string | Buffer>>): Promise<void>;
  text(path: string): Promise<string>;
  /**
   * From now on signatures are not checked: where a name or a prefix is written with %, the server
   * computes others than AWS does.
   */
  believe(): Promise<void>;
  /** The keys of a bucket. */
  keys(bucket: string): Promise<string[]>;
}

/**
 * Starts a server with one user who may do everything; it ends with the test, or as `atEnd` says.
 */
export async function startS3(
  atEnd: (end: () => void) => void = onTestFinished,
): Promise<S3Server> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn('python3', ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], {
    stdio: 'ignore',
    env: { ...process.env, INITIAL_NO_AUTH_ACTION_COUNT: '3', MOTO_S3_CUSTOM_ENDPOINTS: url },
  });
  atEnd(() => void child.kill('SIGKILL'));
  const nobody = new AwsClient({
    accessKeyId: 'nobody',
    secretAccessKey: 'nothing',
    service: 'iam',
    region: 'us-east-1',
    retries: 0,
  });
  const iam = async (fields: Record<string, string>) => {
    const answer = await nobody.fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ ...fields, Version: '2010-05-08' }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${fields.Action}: ${text}`);
    return text;
  };
  for (
    let tries = 0;
    !(await fetch(`${url}/moto-api/`).then(
      (answer) => answer.ok,
      () => false,
    ));
    tries++
  ) {
    if (tries > 300) throw new Error('moto does not start');
    await sleep(100);
  }
  await iam({ Action: 'CreateUser', UserName: 'ann' });
  const policy = {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }],
  };
  await iam({
    Action: 'PutUserPolicy',
    UserName: 'ann',
    PolicyName: 'all',
    PolicyDocument: JSON.stringify(policy),
  });
  const made = await iam({ Action: 'CreateAccessKey', UserName: 'ann' });
  const of = (name: string) => new RegExp(`<${name}>([^<]+)</${name}>`).exec(made)?.[1] ?? '';
  const user = { accessKeyId: of('AccessKeyId'), secretAccessKey: of('SecretAccessKey') };
  const ann = new AwsClient({ ...user, service: 's3', region: 'us-east-1', retries: 0 });
  const ask = async (path: string, init?: RequestInit) => {
    const answer = await ann.fetch(`${url}/${path}`, init);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.text();
  };
  return {
    url,
    user,
    async bucket(name, objects = {}) {
      await ask(name, { method: 'PUT' });
      for (const [key, body] of Object.entries(objects))
        await ask(`${name}/${encoded(key)}`, {
          method: 'PUT',
          body: typeof body === 'string' ? body : new Uint8Array(body),
        });
    },
    text: (path) => ask(path),
    async believe() {
      await fetch(`${url}/moto-api/reset-auth`, { method: 'POST', body: '1000000' });
    },
    keys: async (bucket) =>
      [...(await ask(`${bucket}?list-type=2`)).matchAll(/<Key>([^<]*)<\/Key>/g)].map(
        ([, key = '']) => key,
      ),
  };
}

const encoded = (key: string) =>
  encodeURIComponent(key).replaceAll('%2F', '/').replaceAll('(', '%28').replaceAll(')', '%29');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((wake) => server.once('listening', wake));
  const address = server.address();
  await new Promise((wake) => server.close(wake));
  return typeof address === 'object' && address ? address.port : 0;
}
