// Sample data at once: serve --demo, and the tour of npm run demo.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runShell, whenListening } from '../support/cli.ts';

const nowhere = { url: 'http://127.0.0.1:1' };
const timeout = 240_000;
// The build that other tests run must not be replaced under their feet.
const tour = `'${process.execPath}' scripts/demo.js --no-build`;

test('serve --demo has the sample data once, and keeps it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-data-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const line = `svcctl serve --demo --port 0 --data-dir ${folder} -- '${process.execPath}' bin/svcctl.cjs sql 'SELECT COUNT(*) AS n, SUM(added) AS added FROM wikipedia' -o csv`;
  const first = await runShell(nowhere, line);
  expect(first).toMatchObject({ stdout: 'n,added\n39244,9385573\n', code: 0 });
  expect(first.stderr).toMatch(/^http:\/\/127.0.0.1:\d+\n/);
  expect(first.stderr).toContain('Datasource [wikipedia] answers queries: 1 segment loaded\n');
  const second = await runShell(nowhere, line);
  expect(second).toMatchObject({ stdout: 'n,added\n39244,9385573\n', code: 0 });
  expect(second.stderr).toContain('Datasource [wikipedia] already exists.\n');
});

test('off a terminal, the tour runs through and leaves nothing behind', { timeout }, async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'svcctl-tour-'));
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  const { stdout, stderr, code } = await runShell(nowhere, tour, { env: { TMPDIR: scratch } });
  expect(code, stderr).toBe(0);
  for (const words of ['status', 'sql', 'ingest sql -f trips.sql', 'why task', 'datasources drop'])
    expect(stdout).toContain(`$ svcctl ${words}`);
  expect(stdout).toContain('Task [query-trips] of type [query_controller] for datasource [trips]');
  expect(stdout).toContain('A row has no time');
  expect(stderr).toMatch(/Object 'wikipedia' not found[\s\S]*Change \[\w+\] is undone\./);
  expect(stdout).toMatch(/^39244 .*2015-09-12T23:59:59\.200Z$/m);
  for (const unwanted of ['Press Enter', '\x1b']) expect(stdout).not.toContain(unwanted);
  expect(await isAnswering(stdout)).toBe(false);
  expect(readdirSync(scratch)).toEqual([]);
});

test('on a terminal, it pauses, and ends in the shell beside the service', {
  timeout,
}, async () => {
  const { stdout, code } = await runShell(nowhere, tour, {
    tty: true,
    types: [
      ...Array.from({ length: 8 }, () => ['Press Enter', '\r'] as const),
      ['\\q leaves', 'SELECT COUNT(*) + 1 AS more FROM wikipedia;\r', whenListening],
      ['39,245', '\\q\r', whenListening],
    ],
  });
  expect(code).toBe(0);
  expect(stdout).toContain('Connected to [127.0.0.1:');
  expect(stdout).toContain('39,245');
  expect(await isAnswering(stdout)).toBe(false);
});

test('Ctrl-C during a pause leaves the tour and stops the service', { timeout }, async () => {
  const { stdout, code } = await runShell(nowhere, tour, {
    tty: true,
    types: [['Press Enter', '\x03']],
  });
  expect(code).toBe(130);
  expect(stdout).not.toContain('Which pages');
  expect(await isAnswering(stdout)).toBe(false);
});

test('the tour can be interrupted at any moment, and leaves nothing behind', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'svcctl-tour-'));
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: scratch };
  const started = spawn(process.execPath, ['scripts/demo.js', '--no-build'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // As soon as it shows its first command, and in whatever the service is doing then.
  started.stdout.once('data', () => started.kill('SIGINT'));
  started.stdout.resume();
  started.stderr.resume();
  expect(await once(started, 'exit')).toEqual([130, null]);
  expect(readdirSync(scratch)).toEqual([]);
});

async function isAnswering(stdout: string): Promise<boolean> {
  const [, url] = /address\s+(http:\S+)/.exec(stdout) ?? [];
  expect(url).toBeDefined();
  return fetch(`${url}/status/health`).then(
    () => true,
    () => false,
  );
}
