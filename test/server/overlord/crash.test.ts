import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { api } from '../../support/wire.ts';

async function serve(dataDir: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, ['bin/svcctl.cjs', 'serve', '--port', '0', '--data-dir', dataDir, '--worker-capacity', '1'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, url: String(line) };
}

test('after kill -9 the task that ran has failed and says why, and the one that waited runs', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'crash-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const first = await serve(dataDir);
  const before = api(first);
  await before.post('/svc/indexer/v1/task', { type: 'noop', id: 'running', runTime: 600_000 });
  await before.post('/svc/indexer/v1/task', { type: 'noop', id: 'waiting', runTime: 1 });
  await before.until(async () => (await before.get('/svc/indexer/v1/runningTasks')).body.length === 1);
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  const after = api(await serve(dataDir));
  expect(await after.ended('running')).toMatchObject({
    statusCode: 'FAILED',
    errorMsg: 'The service was stopped while this task was running; submit the task again',
  });
  expect(await after.ended('waiting')).toMatchObject({ statusCode: 'SUCCESS' });
}, 60_000);
