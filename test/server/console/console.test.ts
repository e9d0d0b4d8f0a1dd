import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { addUser, allow, startGuarded } from '../../support/users.ts';

function builtConsole(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'console-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'dist', 'public'), { recursive: true });
  const all = {
    'dist/unified-console.html': '<html>console</html>',
    'dist/public/main.js': 'start();',
    'dist/logo.svg': '<svg/>',
    ...files,
  };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text);
  return join(folder, 'dist');
}

/** Sends a path as it is: fetch would resolve its dots. */
const raw = (
  url: string,
  path: string,
  { method = 'GET', host }: { method?: string; host?: string } = {},
) =>
  new Promise<{ status: number | undefined; type: string | undefined; text: string }>(
    (resolve, reject) => {
      const { hostname, port } = new URL(url);
      const sent = request(
        { hostname, port, path, method, ...(host !== undefined && { headers: { host } }) },
        (reply) => {
          let text = '';
          reply.setEncoding('utf8').on('data', (chunk) => {
            text += chunk;
          });
          reply.on('end', () =>
            resolve({ status: reply.statusCode, type: reply.headers['content-type'], text }),
          );
        },
      );
      sent.on('error', reject).end();
    },
  );

test('A built console is served beside the API: its start page, its scripts and a configuration of its own or an empty one.', async () => {
  const { url } = await startService({ consoleFolder: builtConsole() });
  const page = { status: 200, type: 'text/html; charset=utf-8', text: '<html>console</html>' };
  expect(await raw(url, '/')).toEqual(page);
  expect(await raw(url, '/unified-console.html')).toEqual(page);
  expect(await raw(url, '/?x=1')).toEqual(page);
  expect(await raw(url, '/', { method: 'HEAD' })).toEqual({ ...page, text: '' });
  expect(await raw(url, '/public/main.js')).toEqual({
    status: 200,
    type: 'text/javascript; charset=utf-8',
    text: 'start();',
  });
  expect(await raw(url, '/logo.svg')).toMatchObject({ status: 200, type: 'image/svg+xml' });
  expect(await raw(url, '/console-config.js')).toMatchObject({
    status: 200,
    text: 'window.consoleConfig = {};\n',
  });
  expect(await raw(url, '/status/health')).toMatchObject({ status: 200, text: 'true' });
  expect((await raw(url, '/public/none.js')).status).toBe(404);
  expect((await raw(url, '/', { method: 'POST' })).status).not.toBe(200);

  const other = await startService({
    consoleFolder: builtConsole({ 'dist/console-config.js': 'window.consoleConfig = {a: 1};' }),
  });
  expect((await raw(other.url, '/console-config.js')).text).toBe('window.consoleConfig = {a: 1};');
  const none = await startService();
  expect((await raw(none.url, '/')).status).toBe(404);
});

test('Nothing outside of the folder of the console is served, neither by dots, nor by links, nor in hidden files.', async () => {
  const folder = builtConsole({
    secret: 'secret',
    'dist/.env': 'secret',
    'dist/public/.key': 'secret',
  });
  symlinkSync(join(folder, '..', 'secret'), join(folder, 'link.txt'));
  symlinkSync('..', join(folder, 'up'));
  symlinkSync('.env', join(folder, 'env.txt'));
  symlinkSync('logo.svg', join(folder, 'alias.svg'));
  const { url } = await startService({ consoleFolder: folder });
  const paths = [
    '/../secret',
    '/%2e%2e/secret',
    '/public/../../secret',
    '/..%2fsecret',
    '/link.txt',
    '/up/secret',
    '/.env',
    '/env.txt',
    '/public/.key',
    '//secret',
    '/public',
    '/public/',
    '/logo.svg%00',
  ];
  for (const path of paths)
    expect([path, await raw(url, path)]).not.toEqual([
      path,
      expect.objectContaining({ status: 200 }),
    ]);
  expect((await raw(url, '/alias.svg')).text).toBe('<svg/>');
});

test('The console is for the same hosts as the API; where there are users, its files are for everybody and its data is not.', async () => {
  const consoleFolder = builtConsole();
  const open = await startService({ consoleFolder });
  expect((await raw(open.url, '/', { host: 'evil.example' })).status).toBe(403);
  const guarded = await startGuarded({ consoleFolder });
  await addUser(guarded, 'ann', [allow('READ', 'DATASOURCE', 'edits')]);
  expect((await raw(guarded.url, '/')).status).toBe(200);
  expect((await raw(guarded.url, '/status')).status).toBe(401);
  expect((await raw(guarded.url, '/nothing')).status).toBe(401);
});

test('A folder that is not a built console keeps the service from starting.', async () => {
  await expect(startService({ consoleFolder: '/nowhere' })).rejects.toThrow(
    'Folder [/nowhere] given by --console cannot be read',
  );
  const folder = mkdtempSync(join(tmpdir(), 'console-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await expect(startService({ consoleFolder: folder })).rejects.toThrow(
    'it is not a built web console',
  );
});
