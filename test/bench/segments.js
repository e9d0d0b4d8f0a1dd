// 100,000 segments of one datasource: lists, marks, rules, and a shell.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { startServed } from '../support/served.js';
import { firstWords, longestWait, median, plainEnvironment, run } from './measure.js';

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
  const results = [];
  const note = (what, value, unit, atMost) =>
    results.push({ what: `${what}, of ${count} segments`, value, unit, atMost });
  note(
    'the longest wait while they are read after the start',
    await longestWait(url, () => sleep(3000)),
    'ms',
    200,
  );
  const cold = performance.now();
  await ask(`${coordinator}/metadata/segments?datasources=big`);
  note('the first read, three seconds after the start', performance.now() - cold, 'ms', 1000);
  const measure = async (what, work) => {
    const ms = [];
    for (let round = 0; round < rounds; round++) {
      const started = performance.now();
      await work(round);
      ms.push(performance.now() - started);
    }
    note(what, median(ms), 'ms', 1000);
  };
  await ask(`${coordinator}/rules/big`, rules);
  const half = { interval: '2010-01-01/2012-01-01' };
  const env = { ...plainEnvironment, SVCCTL_URL: url };
  const svcctl = (...args) =>
    run(process.execPath, ['bin/svcctl.cjs', ...args, '--quiet'], { env });
  const list = ['segments', 'list', '--datasource', 'big'];
  const sql = (query) => ask(`${url}/svc/v2/sql`, { query, resultFormat: 'arrayLines' });

  await measure('metadata/segments', () => ask(`${coordinator}/metadata/segments?datasources=big`));
  await measure('metadata/segments with what is overshadowed', () =>
    ask(`${coordinator}/metadata/segments?datasources=big&includeOvershadowedStatus`),
  );
  await measure('segments list', () => svcctl(...list));
  await measure('segments list, until the first row', () =>
    firstWords([...list, '--output', 'jsonl'], env),
  );
  await measure('segments list --limit 10', () => svcctl(...list, '--limit', '10'));
  await measure('segments list --sort -size --limit 10', () =>
    svcctl(...list, '--sort', '-size', '--limit', '10'),
  );
  await measure("segments list --where 'size > 50000'", () =>
    svcctl(...list, '--where', 'size > 50000'),
  );
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
    await ask(`${coordinator}/rules/big`, [
      ...rules,
      ...Array(round % 2).fill({ type: 'loadForever' }),
    ]);
    await ask(`${coordinator}/loadstatus?full`);
  });
  await measure('datasources', () => ask(`${coordinator}/datasources?simple`));
  await measure('datasources list', () => svcctl('datasources', 'list'));
  await measure('datasources load-status', () => svcctl('datasources', 'load-status'));
  await measure('rules preview, now and in a year', () =>
    svcctl('rules', 'preview', 'big', '--at', 'now,+1y'),
  );
  await measure('svcctl sql, count(*) of sys.segments', () =>
    svcctl('sql', 'SELECT count(*) FROM sys.segments'),
  );
  await measure('sys.segments by datasource', () =>
    sql(
      'SELECT datasource, COUNT(*), SUM(num_rows), SUM("size") FROM sys.segments WHERE is_active = 1 GROUP BY 1',
    ),
  );
  const { peakMb } = await run(process.execPath, ['bin/svcctl.cjs', ...list, '--output', 'jsonl'], {
    env,
    memory: true,
  });
  if (peakMb > 0) note('memory of segments list -o jsonl', peakMb, 'MB', 150);
  const waits = {
    'they are read': () => ask(`${coordinator}/metadata/segments`),
    'they are read in full': () => ask(`${coordinator}/metadata/datasources/big/segments?full`),
    'datasources are read in full': () => ask(`${coordinator}/metadata/datasources?full`),
    'served datasources are read in full': () => ask(`${coordinator}/datasources?full`),
    'intervals are read': () => ask(`${coordinator}/intervals`),
    'intervals of a datasource are read in full': () =>
      ask(`${coordinator}/datasources/big/intervals?full`),
    'servers are read in full': () => ask(`${coordinator}/servers?full`),
    'candidates are read': () =>
      ask(`${url}/svc/v2/datasources/big/candidates?intervals=2000/2030`),
    'sys.segments is read': () => sql('SELECT * FROM sys.segments'),
    'all of them are marked unused': () =>
      ask(`${coordinator}/datasources/big/markUnused`, { interval: '2000/2030' }),
    'all of them are marked used': () =>
      ask(`${coordinator}/datasources/big/markUsed`, { interval: '2000/2030' }),
  };
  for (const [what, work] of Object.entries(waits))
    note(`the longest wait while ${what}`, await longestWait(url, work), 'ms', 200);
  note(
    'the longest wait while the rules drop all of them',
    await longestWait(url, async () => {
      await ask(`${coordinator}/rules/big`, [{ type: 'dropForever' }]);
      await sleep(7000); // the duties run every five seconds
    }),
    'ms',
    200,
  );
  const unused = () => ask(`${coordinator}/metadata/datasources/big/unusedSegments`);
  note(
    'the longest wait while the unused ones are read',
    await longestWait(url, unused),
    'ms',
    200,
  );
  const lastFirst = () =>
    ask(`${coordinator}/metadata/datasources/big/unusedSegments?sortOrder=DESC`);
  note(
    'the longest wait while the unused ones are read, the last first',
    await longestWait(url, lastFirst),
    'ms',
    200,
  );
  return results;
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
  const insert = database.prepare(
    'INSERT INTO segments VALUES (?, ?, ?, ?, ?, 0, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)',
  );
  for (let at = 0; at < count; at++) {
    const [start, end] = [started + at * hourMs, started + (at + 1) * hourMs];
    const id = `big_${iso(start)}_${iso(end)}_${version}`;
    const shard = '{"type":"numbered","partitionNum":0,"partitions":1}';
    // No two in a row alike
    const [size, rows] = [1000 + ((at * 7919) % 100_000), 10 + (at % 1000)];
    insert.run(
      id,
      'big',
      start,
      end,
      version,
      started,
      started,
      size,
      rows,
      `segments/big/${at}`,
      'made',
      '["page"]',
      '[]',
      shard,
    );
  }
  database.exec('COMMIT');
  database.close();
}
