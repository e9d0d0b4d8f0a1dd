// The service's own name: found by asking, remembered per address, and refused when it is wrong.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { lines, runCli, runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';

test('the name is found by asking once, and remembered for the address', async () => {
  const service = await startService({ service: 'druid' });
  const env = { XDG_CACHE_HOME: temporaryCache() };
  const first = await runCli(service, 'tasks list -v', { env });
  expect(first).toMatchObject({ code: 0 });
  expect(paths(first.stderr)).toEqual([
    '/svc/indexer/v1/tasks',
    '/status',
    '/druid/indexer/v1/tasks',
  ]);
  expect(paths((await runCli(service, 'tasks list -v', { env })).stderr)).toEqual([
    '/druid/indexer/v1/tasks',
  ]);
  expect(JSON.parse(readFileSync(join(env.XDG_CACHE_HOME, 'svcctl/service-names.json'), 'utf8'))) //
    .toEqual({ [service.url]: 'druid' });
  expect(await runCli(service, 'status -o json', { env })).toMatchObject({
    stdout: expect.stringContaining('"service": "druid"'),
  });
});

test('a name that only the properties tell is found, and a change is sent once', async () => {
  const service = await startService({ service: 'acme' });
  const set = await runCli(service, 'config coordinator set maxSegmentsToMove=7 --author ann');
  expect(set).toMatchObject({ code: 0 });
  expect(
    (await runCli(service, 'config coordinator history --columns author -o csv --no-header'))
      .stdout,
  ).toMatch(/^ann\r?\n$/);
  expect((await runCli(service, 'api GET /svc/coordinator/v1/leader')).code).toBe(0);
});

test('a dry run shows the name that was found', async () => {
  const service = await startService({ service: 'druid' });
  expect(
    (await runCli(service, 'config coordinator set maxSegmentsToMove=7 --dry-run')).stdout,
  ).toContain('/druid/coordinator/v1/config');
});

test('another service at a remembered address is asked again', async () => {
  const service = await startService({ service: 'acme' });
  const env = { XDG_CACHE_HOME: temporaryCache() };
  await runShell(
    service,
    `mkdir -p $XDG_CACHE_HOME/svcctl; echo '{"'$SVCCTL_URL'":"druid"}' > $XDG_CACHE_HOME/svcctl/service-names.json`,
    { env },
  );
  expect(await runCli(service, 'tasks list', { env })).toMatchObject({ code: 0 });
  expect(readFileSync(join(env.XDG_CACHE_HOME, 'svcctl/service-names.json'), 'utf8')).toContain(
    '"acme"',
  );
});

test('a wrong name that was set is answered with the right one', async () => {
  const service = await startService({ service: 'druid' });
  const sentence =
    'error: This service is named druid: add `--service druid`, or set it in the profile\n';
  for (const command of ['tasks list', "sql 'SELECT 1'", 'status'])
    expect({ command, ...(await runCli(service, `${command} --service other`)) }).toMatchObject({
      command,
      code: 2,
      stdout: '',
      stderr: `${sentence}hint: the wrong name is from --service\n`,
    });
  const env = { XDG_CONFIG_HOME: temporaryCache() };
  await runCli(service, 'profiles add main --url $SVCCTL_URL', { env });
  await runCli(service, 'profiles set main service=other', { env });
  expect(await runCli(service, 'tasks list --profile main', { env })).toMatchObject({
    code: 2,
    stderr: `${sentence}hint: svcctl profiles set main service=druid\n`,
  });
});

test('a server of another kind is unreachable as a service, and named', async () => {
  const server = createServer((_, response) => {
    response.writeHead(404, { 'content-type': 'text/html', server: 'nginx/1.24' });
    response.end('<html><head><title>404 Not Found</title></head></html>');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((done) => server.once('listening', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const command of [
    'status',
    'tasks list',
    "sql 'SELECT 1'",
    'profiles add x --url $SVCCTL_URL',
  ])
    expect({ command, ...(await runCli({ url }, command)) }).toMatchObject({
      command,
      code: 6,
      stdout: '',
      stderr: expect.stringContaining(
        `The server at [${url}] is not a service for svcctl: it seems to be a web server [nginx/1.24] which says [404 Not Found]`,
      ),
    });
});

test('status says what it could not read, and why', async () => {
  const service = await startService();
  const stub = createServer(async (request, response) => {
    const reply =
      request.url === '/svc/indexer/v1/tasks'
        ? new Response('{"error":"Not allowed here"}', { status: 403 })
        : await fetch(service.url + request.url);
    response.writeHead(reply.status, { 'content-type': 'application/json' });
    response.end(Buffer.from(await reply.arrayBuffer()));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void stub.close());
  await new Promise((done) => stub.once('listening', done));
  const url = `http://127.0.0.1:${(stub.address() as AddressInfo).port}`;
  const shown = await runCli({ url }, 'status');
  expect(shown.code).toBe(0);
  expect(shown.stderr).toBe('warning: Field [tasks] cannot be read: Not allowed here\n');
  expect(JSON.parse((await runCli({ url }, 'status -o json')).stdout)).toMatchObject({
    unread: { tasks: 'Not allowed here' },
  });
});

test('requests that left under the old name are repeated, however late they are answered', async () => {
  const service = await startService({ service: 'druid' });
  const stub = createServer(async (request, response) => {
    const url = request.url ?? '';
    if (url.endsWith('/svc/indexer/v1/tasks')) await delay(300);
    const reply = await fetch(service.url + url);
    response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await reply.arrayBuffer()));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void stub.close());
  await new Promise((done) => stub.once('listening', done));
  const url = `http://127.0.0.1:${(stub.address() as AddressInfo).port}`;
  const shown = await runCli({ url }, 'status -o json');
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(shown.stdout)).toMatchObject({ service: 'druid', tasks: expect.anything() });
});

const paths = (stderr: string) =>
  lines(stderr).flatMap((line) => /^> GET http:\/\/[^/]+(.*)$/.exec(line)?.[1] ?? []);

function temporaryCache(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-names-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
