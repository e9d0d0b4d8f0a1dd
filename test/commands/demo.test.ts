// Sample data at once: serve --demo, and the tour of npm run demo.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runShell } from '../support/cli.ts';

const nowhere = { url: 'http://127.0.0.1:1' };

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

test('the tour shows its commands, and leaves nothing behind', { timeout: 240_000 }, async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'svcctl-tour-'));
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  const env = { TMPDIR: scratch };
  // The build that other tests run must not be replaced under their feet.
  const { stdout, code } = await runShell(
    nowhere,
    `'${process.execPath}' scripts/demo.js --no-build`,
    { env },
  );
  expect(code).toBe(0);
  for (const words of [
    'status',
    'tasks list',
    'tasks report query-',
    'datasources list',
    'segments list',
    "sql 'SELECT",
    'rules list',
  ])
    expect(stdout).toContain(`$ svcctl ${words}`);
  expect(stdout).toMatch(/^wikipedia +1 .* 39244 /m);
  expect(stdout).not.toContain('\x1b');
  expect(readdirSync(scratch)).toEqual([]);
});

test('the tour can be interrupted at any moment, and leaves nothing behind', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'svcctl-tour-'));
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: scratch };
  const tour = spawn(process.execPath, ['scripts/demo.js', '--no-build'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // As soon as it shows its first command, and in whatever the service is doing then.
  tour.stdout.once('data', () => tour.kill('SIGINT'));
  tour.stdout.resume();
  tour.stderr.resume();
  expect(await once(tour, 'exit')).toEqual([130, null]);
  expect(readdirSync(scratch)).toEqual([]);
});
