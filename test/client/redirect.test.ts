import { expect, test } from 'vitest';
import type { Message } from '../../src/client/message.ts';
import { connectTo } from '../../src/client/transport.ts';
import { standIn } from '../support/stand-in.ts';

const credentials = { user: 'admin', password: 'sesame' };
const login = `Basic ${Buffer.from('admin:sesame').toString('base64')}`;
const write: Message = {
  method: 'POST',
  path: '/svc/indexer/v1/task?x=1',
  headers: [['content-type', 'application/json']],
  body: '{"a":1}',
};

const leaderAt = (url: (path: string) => string, status = 307) =>
  standIn((response, { path }) => response.writeHead(status, { location: url(path) }).end('moved'));

const answering = () => standIn((response) => response.end('done'));

test.each([301, 302, 307, 308])(
  'a write follows %i to the leader with its body',
  async (status) => {
    const leader = await answering();
    const follower = await leaderAt((path) => leader.url + path, status);
    const reply = await connectTo(follower.url)(write);
    expect(await reply.text()).toBe('done');
    expect(reply.url.port).toBe(String(leader.port));
    expect(leader.requests).toMatchObject([
      {
        method: 'POST',
        path: write.path,
        body: '{"a":1}',
        headers: { 'content-type': 'application/json', host: `127.0.0.1:${leader.port}` },
      },
    ]);
  },
);

test('credentials go along to another port of the same host', async () => {
  const leader = await answering();
  const follower = await leaderAt((path) => leader.url + path);
  await connectTo(follower.url, { credentials })(write);
  expect(leader.requests[0]?.headers.authorization).toBe(login);
});

test('credentials go to no host the profile does not list', async () => {
  const leader = await answering();
  const follower = await leaderAt((path) => `http://localhost:${leader.port}${path}`);
  const reply = await connectTo(follower.url, { credentials })(write);
  expect(reply.withheld).toBe(true);
  expect(leader.requests[0]?.headers.authorization).toBeUndefined();
  await connectTo(follower.url, { credentials, hosts: ['localhost'] })(write);
  expect(leader.requests[1]?.headers.authorization).toBe(login);
  await connectTo(follower.url, { credentials, hosts: [`localhost:${leader.port + 1}`] })(write);
  expect(leader.requests[2]?.headers.authorization).toBeUndefined();
});

test('credentials given as a header stay at home too', async () => {
  const leader = await answering();
  const follower = await leaderAt((path) => `http://localhost:${leader.port}${path}`);
  const headers = [
    ['Authorization', 'Bearer sesame'],
    ['Cookie', 'session=1'],
  ] as const;
  expect((await connectTo(follower.url, { credentials })({ ...write, headers })).withheld).toBe(
    true,
  );
  expect(follower.requests[0]?.headers).toMatchObject({
    authorization: 'Bearer sesame',
    cookie: 'session=1',
  });
  expect(leader.requests[0]?.headers).not.toHaveProperty('authorization');
  expect(leader.requests[0]?.headers).not.toHaveProperty('cookie');
});

test('a name in the new address is not who we are', async () => {
  const leader = await answering();
  const follower = await leaderAt((path) => `http://eve:secret@127.0.0.1:${leader.port}${path}`);
  const reply = await connectTo(follower.url)(write);
  expect(reply.url.href).not.toContain('eve');
  expect(leader.requests[0]?.headers.authorization).toBeUndefined();
});

test('a relative address belongs to the server that gave it', async () => {
  const service = await standIn((response, { path }) =>
    path === '/new'
      ? response.end('done')
      : response.writeHead(302, { location: '../../../new' }).end(),
  );
  expect(await (await connectTo(service.url)(write)).text()).toBe('done');
});

test('two servers that each take the other for the leader are told apart from one that answers', async () => {
  const one = await standIn((response, { path }) =>
    response.writeHead(307, { location: two.url + path }).end(),
  );
  const two = await leaderAt((path) => one.url + path);
  await expect(connectTo(one.url)(write)).rejects.toThrow(
    `The service redirects in a loop, back to [${one.url}${write.path}]`,
  );
  expect([one.requests.length, two.requests.length]).toEqual([1, 1]);
});

test('the sixth redirect is one too many', async () => {
  const service = await standIn((response, _, count) =>
    response.writeHead(307, { location: `/${count}` }).end(),
  );
  await expect(connectTo(service.url)(write)).rejects.toThrow(
    'The service redirects more than 5 times',
  );
  expect(service.requests).toHaveLength(6);
});

test.each([
  [
    'file:///etc/passwd',
    'The service redirects to [file:///etc/passwd], which is not an address of a service',
  ],
  [undefined, 'The service answered 307 without a location'],
])('a redirect to %s leads nowhere', async (location, message) => {
  const service = await standIn((response) =>
    response.writeHead(307, location ? { location } : {}).end(),
  );
  await expect(connectTo(service.url)(write)).rejects.toThrow(message);
});
