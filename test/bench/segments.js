// What the Coordinator says of 100,000 segments of one datasource: lists, marks, and what rules make of them; and how a shell sees them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { startServed } from '../support/served.js';
import { median, plainEnvironment, run } from './measure.js';

const hourMs = 3_600_000;

export async function segments({ quick }) {
  const count = quick ? 1000 : 100_000;
  const folder = await mkdtemp(join(tmpdir(), 'svcctl-bench-'));
  try {
    await (await startServed(['--data-dir', folder])).stop();
    fill(join(folder, 'metadata.sqlite'), count);
    const service = await startServed(['--data-dir', folder]);
    try {
      return await measured(service.url, count, quick ? 1 : 5);
    } finally {
      await service.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measured(url, count, rounds) {
  const coordinator = `${url}/svc/coordinator/v1`;
  const rules = [
    { type: 'loadByPeriod', period: 'P1M', tieredReplicants: { _default_tier: 1 } },
    { type: 'dropByInterval', interval: '1990-01-01/1990-02-01' },
    { type: 'loadByPeriod', period: 'P100Y', tieredReplicants: { _default_tier: 1 } },
    { type: 'dropForever' },
  ];
  await ask(`${coordinator}/rules/big`, rules);
  const results = [];
  const cold = performance.now();
  await ask(`${coordinator}/metadata/segments?datasources=big`);
  results.push({ what: `the very first read, of ${count} segments`, value: performance.now() - cold, unit: 'ms', atMost: 1000 });
  const measure = async (what, work) => {
    const ms = [];
    for (let round = 0; round < rounds; round++) {
      const started = performance.now();
      await work(round);
      ms.push(performance.now() - started);
    }
    results.push({ what: `${what}, of ${count} segments`, value: median(ms), unit: 'ms', atMost: 1000 });
  };
  const half = { interval: '2010-01-01/2012-01-01' };
  const svcctl = (...args) => run(process.execPath, ['bin/svcctl.cjs', ...args], { env: { ...plainEnvironment, SVCCTL_URL: url } });

  await measure('metadata/segments', () => ask(`${coordinator}/metadata/segments?datasources=big`));
  await measure('metadata/segments with what is overshadowed', () =>
    ask(`${coordinator}/metadata/segments?datasources=big&includeOvershadowedStatus`),
  );
  await measure('segments list', () => svcctl('segments', 'list', '--datasource', 'big'));
  await measure('segments list, until the first row', () => firstRow(url));
  await measure('segments list --limit 10', () => svcctl('segments', 'list', '--datasource', 'big', '--limit', '10'));
  await measure('mark unused or used, an interval with two years', (round) =>
    ask(`${coordinator}/datasources/big/${round % 2 ? 'markUsed' : 'markUnused'}`, half),
  );
  await measure('mark used or unused, and what is overshadowed then', async (round) => {
    await ask(`${coordinator}/datasources/big/${round % 2 ? 'markUnused' : 'markUsed'}`, half);
    await ask(`${coordinator}/metadata/segments?datasources=big&includeOvershadowedStatus`);
  });
  await ask(`${coordinator}/datasources/big/markUsed`, half);
  await measure('loadstatus', () => ask(`${coordinator}/loadstatus`));
  await measure('loadstatus after a change', async (round) => {
    await ask(`${coordinator}/rules/big`, [...rules, ...Array(round % 2).fill({ type: 'loadForever' })]);
    await ask(`${coordinator}/loadstatus?full`);
  });
  await measure('datasources', () => ask(`${coordinator}/datasources?simple`));
  await measure('datasources list', () => svcctl('datasources', 'list'));
  await measure('datasources load-status', () => svcctl('datasources', 'load-status'));
  await measure('rules preview, now and in a year', () => svcctl('rules', 'preview', 'big', '--at', 'now', '--at', '+1y'));
  const { peakMb } = await run(process.execPath, ['bin/svcctl.cjs', ...listed], {
    env: { ...plainEnvironment, SVCCTL_URL: url },
    memory: true,
  });
  if (peakMb > 0) results.push({ what: `memory of segments list -o jsonl, ${count} segments`, value: peakMb, unit: 'MB', atMost: 150 });
  return results;
}

const listed = ['segments', 'list', '--datasource', 'big', '--output', 'jsonl'];

/** Runs svcctl until it has said something. */
async function firstRow(url) {
  const env = { ...plainEnvironment, SVCCTL_URL: url };
  const child = spawn(process.execPath, ['bin/svcctl.cjs', ...listed], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill();
}

async function ask(url, body) {
  const reply = await fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${url}: ${reply.status} ${text.slice(0, 1000)}`);
}

// An hour each.
function fill(path, count) {
  const database = new DatabaseSync(path);
  const started = Date.UTC(2010, 0, 1);
  const version = '2024-01-01T00:00:00.000Z';
  const iso = (ms) => new Date(ms).toISOString();
  const columns = [
    { name: '__time', type: 'LONG', multiValue: false },
    { name: 'page', type: 'STRING', multiValue: false },
  ];
  database.exec('BEGIN');
  database.prepare('INSERT INTO schemas VALUES (?, ?)').run('made', JSON.stringify(columns));
  const insert = database.prepare('INSERT INTO segments VALUES (?, ?, ?, ?, ?, 0, 1, ?, ?, 1000, 10, ?, ?, ?, ?, ?, NULL, NULL)');
  for (let at = 0; at < count; at++) {
    const [start, end] = [started + at * hourMs, started + (at + 1) * hourMs];
    const id = `big_${iso(start)}_${iso(end)}_${version}`;
    const shard = '{"type":"numbered","partitionNum":0,"partitions":1}';
    insert.run(id, 'big', start, end, version, started, started, `segments/big/${at}`, 'made', '["page"]', '[]', shard);
  }
  database.exec('COMMIT');
  database.close();
}
