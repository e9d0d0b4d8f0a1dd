import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { api } from '../../support/wire.ts';

async function serve(dataDir: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(
    process.execPath,
    ['bin/svcctl.cjs', 'serve', '--port', '0', '--data-dir', dataDir, '--worker-capacity', '1'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
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
  await before.until(
    async () => (await before.get('/svc/indexer/v1/runningTasks')).body.length === 1,
  );
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  const after = api(await serve(dataDir));
  expect(await after.ended('running')).toMatchObject({
    statusCode: 'FAILED',
    errorMsg: 'The service was stopped while this task was running; submit the task again',
  });
  expect(await after.ended('waiting')).toMatchObject({ statusCode: 'SUCCESS' });
});

test('the result of a statement outlives kill -9, and what it left half written goes at the next start', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'crash-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const first = await serve(dataDir);
  const before = api(first);
  const submitted = (name: string, query: string) =>
    before.post('/svc/v2/sql/statements', {
      query,
      context: {
        executionMode: 'ASYNC',
        selectDestination: 'durableStorage',
        rowsPerPage: 2,
        sqlQueryId: name,
      },
    });
  const status = async (name: string) =>
    (await before.get(`/svc/v2/sql/statements/query-${name}`)).body;
  await submitted(
    'kept',
    'SELECT n, n * 0.5 AS half FROM UNNEST(ARRAY[3, 1, 2]) AS t(n) ORDER BY n',
  );
  await before.until(async () => (await status('kept')).state === 'SUCCESS');
  const endless = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(
    (name) => `UNNEST(ARRAY[${Array.from({ length: 60 }, (_, at) => at)}]) AS ${name}(n)`,
  );
  await submitted('cut', `SELECT a.n FROM ${endless.join(', ')}`);
  await before.until(async () => (await status('cut')).state === 'RUNNING');
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  writeFileSync(
    join(dataDir, 'results', 'query-cut.parquet'),
    'moved into place, but not yet known',
  );
  const after = api(await serve(dataDir));
  expect((await after.get('/svc/v2/sql/statements/query-kept')).body).toMatchObject({
    state: 'SUCCESS',
    result: {
      numTotalRows: 3,
      pages: [
        { id: 0, numRows: 2 },
        { id: 1, numRows: 1 },
      ],
    },
  });
  expect(
    (await after.get('/svc/v2/sql/statements/query-kept/results?page=1&resultFormat=csv')).text,
  ).toBe('3,1.5\n\n');
  expect((await after.get('/svc/v2/sql/statements/query-cut')).body).toMatchObject({
    state: 'FAILED',
    errorDetails: {
      errorMessage: 'The service was stopped while this task was running; submit the task again',
    },
  });
  await after.until(async () => readdirSync(join(dataDir, 'results')).length === 1);
  expect(readdirSync(join(dataDir, 'results'))).toEqual(['query-kept.parquet']);
});
