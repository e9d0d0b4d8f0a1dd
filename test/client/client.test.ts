import { expect, test } from 'vitest';
import { createClient, messageFor } from '../../src/client/client.ts';
import { ServiceError } from '../../src/client/errors.ts';
import { connectTo, type TransportSettings } from '../../src/client/transport.ts';
import { endpoint, json } from '../../src/contract/endpoint.ts';
import { rules } from '../../src/contract/rules.ts';
import { integer, listOf, long, object, text } from '../../src/contract/schema.ts';
import { sql } from '../../src/contract/sql.ts';
import { statements } from '../../src/contract/statements.ts';
import { tasks } from '../../src/contract/tasks.ts';
import { standIn } from '../support/stand-in.ts';

const sizes = endpoint({
  summary: 'Sizes',
  role: 'coordinator',
  method: 'GET',
  path: '/svc/coordinator/v1/sizes',
  reply: json(listOf(object({ name: text, size: long, count: integer }))),
  permission: 'authenticated',
});

const callsTo = (service: { url: string }, settings: TransportSettings = {}, name = 'svc') =>
  createClient(name, async () => connectTo(service.url, { retries: 0, ...settings }));

const answering = (body: string, type = 'application/json', status = 200) =>
  standIn((response) => response.writeHead(status, { 'content-type': type }).end(body));

test('a reply is what the contract says, long integers are exact', async () => {
  const service = await answering(
    '[{"name":"wiki","size":9223372036854775807,"count":2,"more":true}]',
  );
  const reply = await callsTo(service)(sizes);
  expect(reply).toEqual([{ name: 'wiki', size: 9_223_372_036_854_775_807n, count: 2, more: true }]);
});

test('paths and headers carry the name of the service', async () => {
  const service = await answering('', 'application/json');
  const call = callsTo(service, {}, 'druid');
  await call(rules.set, {
    params: { dataSource: 'a/b c' },
    headers: { author: 'me', comment: 'why' },
    body: [{ type: 'loadForever' }],
  });
  expect(service.requests).toMatchObject([
    {
      method: 'POST',
      path: '/druid/coordinator/v1/rules/a%2Fb%20c',
      headers: {
        'x-druid-author': 'me',
        'x-druid-comment': 'why',
        'content-type': 'application/json',
      },
      body: '[{"type":"loadForever"}]',
    },
  ]);
});

test('a request can be seen without being sent', () => {
  expect(messageFor('svc', tasks.list, { query: { state: 'running', max: 3 } })).toMatchObject({
    method: 'GET',
    path: '/svc/indexer/v1/tasks?state=running&max=3',
    headers: [['accept', 'application/json, */*;q=0.5']],
  });
});

test.each([
  ['', 'text/plain'],
  [
    '<html><title>Error 404 Not Found</title><a href="https://eclipse.org/jetty">Powered by Jetty</a></html>',
    'text/html',
  ],
  [
    '{"servlet":"org.eclipse.jetty.servlet.DefaultServlet-2e8986b6","message":"Not Found","status":"404"}',
    'application/json',
  ],
  ['{"message":"Not Found","url":"/druid/x","status":"404"}', 'application/json'],
  [
    '<html><title>Error 404 Not Found</title><tr><th>SERVLET:</th><td>default</td></tr></html>',
    'text/html',
  ],
])(
  'an endpoint that is not there is told from a thing that is not there: %s',
  async (body, type) => {
    const asked = callsTo(await answering(body, type, 404));
    const missing = asked(tasks.activeLocks, { body: [] });
    await expect(missing).rejects.toMatchObject({
      message: 'The service at this address has no endpoint [POST /svc/indexer/v1/activeLocks]',
      isLacking: true,
    });
    const unknown = asked(tasks.get, { params: { taskId: 'x' } });
    await expect(unknown).rejects.toMatchObject({
      message: 'The service knows no task [x]',
      isLacking: false,
    });
    await expect(asked(tasks.list, { query: { state: 'running' } })).rejects.toMatchObject({
      isLacking: true,
    });
    await expect(asked(tasks.list, { query: { max: 3 } })).rejects.toMatchObject({
      isLacking: false,
    }); // a number may be too large
  },
);

test.each([404, 405])(
  'an endpoint of an extension names it where it is not there: %i',
  async (status) => {
    const body =
      '{"servlet":"org.eclipse.jetty.servlet.DefaultServlet-2e8986b6","message":"x","status":"405"}';
    const asked = callsTo(await answering(body, 'application/json', status));
    const isLacking = {
      isLacking: true,
      hint: expect.stringContaining('it needs extension druid-multi-stage-query on the service'),
    };
    const query = { query: 'INSERT INTO t SELECT 1 PARTITIONED BY ALL' };
    await expect(asked(sql.task, { body: query })).rejects.toMatchObject(isLacking);
    await expect(asked(statements.submit, { body: query })).rejects.toMatchObject(isLacking);
  },
);

test('a status that stands for an answer stands for a refusal where nothing is answered', async () => {
  const report = callsTo(await answering('', 'text/plain', 404))(sql.report, {
    params: { sqlQueryId: 'x' },
  });
  await expect(report).rejects.toMatchObject({ status: 404, isLacking: true });
});

test('a refusal keeps what the service said', async () => {
  const body =
    '{"error":"druidException","errorCode":"notFound","persona":"USER","category":"NOT_FOUND","errorMessage":"No task [x]","context":{"id":"x"}}';
  const refused = callsTo(await answering(body, 'application/json', 404))(tasks.status, {
    params: { taskId: 'x' },
  });
  await expect(refused).rejects.toBeInstanceOf(ServiceError);
  await expect(refused).rejects.toMatchObject({
    status: 404,
    message: 'No task [x]',
    category: 'NOT_FOUND',
    context: { id: 'x' },
  });
});

test.each([
  [
    '<html><title>Welcome to nginx!</title></html>',
    'text/html',
    '[text/html] beginning with [Welcome to nginx!]',
    'port',
  ],
  ['Hello', 'text/plain', '[text/plain] beginning with [Hello]', 'URL'],
  ['', 'application/json', 'an empty body of [application/json]', 'URL'],
  ['[{"name":', 'application/json', '[application/json] beginning with [[{"name":]', 'URL'],
])('where JSON should be, %j is shown', async (body, type, shown, hint) => {
  await expect(callsTo(await answering(body, type))(sizes)).rejects.toMatchObject({
    message: `The service answered ${shown} instead of JSON`,
    hint: expect.stringContaining(hint),
  });
});

test('a reply that is not as the contract says names the field', async () => {
  const service = await answering('[{"name":"wiki","size":1,"count":"two"}]');
  await expect(callsTo(service)(sizes)).rejects.toThrow(
    'The reply to [/svc/coordinator/v1/sizes] is not as expected: field [0.count]: expected number, received "two"',
  );
});

test('a leader that must not see the credentials is named when it refuses', async () => {
  const leader = await answering('', 'application/json', 401);
  const follower = await standIn((response, { path }) =>
    response.writeHead(307, { location: `http://localhost:${leader.port}${path}` }).end(),
  );
  const call = callsTo(follower, { credentials: { user: 'admin', password: 'sesame' } });
  await expect(call(tasks.list)).rejects.toMatchObject({
    status: 401,
    hint: expect.stringContaining(`[localhost:${leader.port}]`),
  });
});

test('a log is a stream', async () => {
  const service = await answering('one\ntwo\n', 'text/plain');
  let log = '';
  for await (const chunk of await callsTo(service)(tasks.log, { params: { taskId: 'x' } }))
    log += Buffer.from(chunk).toString();
  expect(log).toBe('one\ntwo\n');
});
