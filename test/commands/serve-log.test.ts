import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { lines, runCli } from '../support/cli.ts';
import { startServed } from '../support/served.js';
import { api } from '../support/wire.ts';

// A table that somebody took away is a fault that only the log explains.
async function troubled(format: string) {
  const dataDir = mkdtempSync(join(tmpdir(), 'svcctl-log-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const service = await startServed(['--data-dir', dataDir, '--log-format', format], {}, [], {
    expectsInternalErrors: true,
  });
  onTestFinished(() => void service.stop());
  const database = new DatabaseSync(join(dataDir, 'metadata.sqlite'));
  database.exec('DROP TABLE supervisor_history');
  database.close();
  expect(await api(service).get('/svc/indexer/v1/supervisor/history')).toMatchObject({
    status: 500,
  });
  return service;
}

test('with --log-format json every line on standard error is an object with time, level and message', async () => {
  const service = await troubled('json');
  const { code, said } = await service.stop();
  expect(code).toBe(0);
  const entries = lines(said).map((line) => JSON.parse(line));
  expect(entries).toEqual([
    {
      time: iso,
      level: 'info',
      message: 'The service is started',
      url: service.url,
      roles: {},
      service: 'svc',
      pid: service.pid,
    },
    {
      time: iso,
      level: 'error',
      message: expect.stringContaining('no such table'),
      error: 'Error',
      stack: expect.stringMatching(/^Error: .*no such table.*\n +at /),
      internal: true,
    },
    { time: iso, level: 'info', message: 'The service is stopping' },
    { time: iso, level: 'info', message: 'The service is stopped' },
  ]);
});

test('as text, standard error has faults with their stack, and nothing else', async () => {
  const service = await troubled('text');
  const { said } = await service.stop();
  expect(said).toMatch(/^Internal error: Error: .*no such table.*\n +at /);
  expect(said).not.toMatch(/[Ss]tarted|[Ss]topp/);
});

test('what keeps the service from starting is said as --error-format says', async () => {
  const service = await startServed(['--ephemeral']);
  onTestFinished(() => void service.stop());
  const taken = `serve --ephemeral --log-format json --port ${new URL(service.url).port}`;
  expect((await runCli(service, taken)).stderr).toMatch(
    /^error: Port \[\d+\] on \[127.0.0.1\] is in use/,
  );
  expect(JSON.parse((await runCli(service, `${taken} --error-format json`)).stderr)).toMatchObject({
    outcome: 'usage',
    exitCode: 2,
  });
});

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
