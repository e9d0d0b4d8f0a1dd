// Lists of tasks, each with its filters, over a history of 100,000; and how a shell sees them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { startServed } from '../support/served.js';
import { firstWords, longestWait, median, plainEnvironment, run, send } from './measure.js';

const dayMs = 86_400_000;

export async function taskList({ quick }) {
  const count = quick ? 1000 : 100_000;
  const folder = await mkdtemp(join(tmpdir(), 'svcctl-bench-'));
  try {
    await (await startServed(['--data-dir', folder])).stop();
    const newest = Date.now() - 2 * dayMs;
    fill(join(folder, 'metadata.sqlite'), count, newest);
    const service = await startServed(['--data-dir', folder]);
    try {
      const middle = new Date(newest - (count / 2) * 60_000);
      const interval = `${new Date(middle - 50 * 60_000).toISOString()}_${middle.toISOString()}`;
      const queries = {
        'tasks of the last day': '',
        'the last 100 tasks': '?max=100',
        'the last 100 complete tasks of a datasource': '?state=complete&max=100&datasource=data-7',
        'the last 100 complete tasks of a type': '?state=complete&max=100&type=kill',
        'a rare type of a datasource': '?state=complete&max=100&type=compact&datasource=data-7',
        'an interval in the middle': `?createdTimeInterval=${interval}`,
        'an interval in the middle, of a datasource': `?createdTimeInterval=${interval}&datasource=data-7`,
        'running tasks': '?state=running',
      };
      const results = [];
      for (const [what, query] of Object.entries(queries)) {
        const ms = [];
        for (let round = 0; round < 15; round++) {
          const started = performance.now();
          await send(`${service.url}/svc/indexer/v1/tasks${query}`, undefined, 'GET');
          ms.push(performance.now() - started);
        }
        results.push({ what: `${what}, of ${count}`, value: median(ms), unit: 'ms', atMost: 50 });
      }
      const env = { ...plainEnvironment, SVCCTL_URL: service.url };
      const all = ['tasks', 'list', '--max', String(count)];
      const svcctl = (...args) =>
        run(process.execPath, ['bin/svcctl.cjs', ...all, ...args, '--quiet'], { env });
      const commands = {
        'tasks list, until the first row': () => firstWords([...all, '--output', 'jsonl'], env),
        'tasks list': () => svcctl(),
        'tasks list --sort -duration --limit 10': () =>
          svcctl('--sort', '-duration', '--limit', '10'),
        'tasks list --where': () => svcctl('--where', 'status = FAILED'),
        'count(*) of sys.tasks': () =>
          send(`${service.url}/svc/v2/sql`, { query: 'SELECT count(*) FROM sys.tasks' }),
      };
      for (const [what, work] of Object.entries(commands)) {
        const ms = [];
        for (let round = 0; round < (quick ? 1 : 5); round++) {
          const started = performance.now();
          await work();
          ms.push(performance.now() - started);
        }
        results.push({
          what: `${what}, of ${count} tasks`,
          value: median(ms),
          unit: 'ms',
          atMost: 1000,
        });
      }
      const { peakMb } = await run(
        process.execPath,
        ['bin/svcctl.cjs', ...all, '--output', 'jsonl'],
        { env, memory: true },
      );
      if (peakMb > 0)
        results.push({
          what: `memory of tasks list -o jsonl, ${count} tasks`,
          value: peakMb,
          unit: 'MB',
          atMost: 150,
        });
      const ids = Array.from({ length: count }, (_, at) => `task-${at}`);
      const waits = {
        'tasks list': svcctl,
        'SELECT * FROM sys.tasks': () =>
          send(`${service.url}/svc/v2/sql`, { query: 'SELECT * FROM sys.tasks' }),
        'the statuses of all of them': () => send(`${service.url}/svc/indexer/v1/taskStatus`, ids),
      };
      for (const [what, work] of Object.entries(waits)) {
        const wait = await longestWait(service.url, work);
        results.push({
          what: `the longest wait during ${what}, ${count} tasks`,
          value: wait,
          unit: 'ms',
          atMost: 200,
        });
      }
      return results;
    } finally {
      await service.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// One a minute, of 20 datasources; every thousandth is a compaction.
function fill(path, count, newest) {
  const database = new DatabaseSync(path);
  const insert = database.prepare(
    'INSERT INTO tasks VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, 1000, NULL, NULL, NULL)',
  );
  const insertPayload = database.prepare('INSERT INTO task_payloads VALUES (?, ?)');
  database.exec('BEGIN');
  for (let at = 0; at < count; at++) {
    const created = newest - at * 60_000;
    const type = at % 1000 === 7 ? 'compact' : at % 10 === 0 ? 'kill' : 'index_parallel';
    insert.run(
      `task-${at}`,
      `task-${at}`,
      type,
      `data-${at % 20}`,
      created,
      created,
      at % 50 ? 'SUCCESS' : 'FAILED',
      'NONE',
    );
    insertPayload.run(`task-${at}`, `{"type":"${type}"}`);
  }
  database.exec('COMMIT');
  database.close();
}
