// The service beside a real Druid of the same machine, in one run: both ingest the same rows, then
// are asked the same statements in turn, without caches. Usage: npm run bench:druid -- [--rows N]
// [--lineitem FOLDER] [--reference FOLDER] [--ours URL --theirs URL] [--rounds N] [--write]
// FOLDER holds lineitem.csv, or gets it. With URLs nothing is started. --write puts the figures
// into docs/measured.md.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { differenceOf } from '../../fuzz/sql/compare.js';
import { serviceAt } from '../../fuzz/sql/service.js';
import { demoFolder, editsTask, lineitemTask, writeLineitem } from './data.js';
import { approximate, dashboard, edits, lineitem } from './queries.js';

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '6000000' },
    lineitem: { type: 'string' },
    reference: { type: 'string', default: '../shared/reference/druid' },
    'ports-from': { type: 'string', default: '21000' },
    memory: { type: 'string', default: '2GB' },
    ours: { type: 'string' },
    theirs: { type: 'string' },
    rounds: { type: 'string', default: '11' },
    write: { type: 'boolean' },
  },
});
// Results as they are computed: no cache answers.
const uncached = {
  useCache: false,
  populateCache: false,
  useResultLevelCache: false,
  populateResultLevelCache: false,
};

const warmUps = 5;
const script = resolve(options.reference, 'cluster.mjs');
const isStarted = options.ours === undefined;
if (isStarted && (!existsSync(script) || spawnSync('java', ['-version']).error)) {
  console.log(`SKIPPED: a real cluster needs Java and ${script}`);
  process.exit(0);
}
const work = mkdtempSync(join(tmpdir(), 'svcctl-bench-'));
const lines = [];
const say = (line = '') => {
  console.log(line);
  lines.push(line);
};
let serve;
try {
  const folder = resolve(options.lineitem ?? join(work, 'lineitem'));
  mkdirSync(folder, { recursive: true });
  const origin = await writeLineitem(folder, Number(options.rows));
  const [ours, theirs] = isStarted
    ? await startBoth(folder)
    : [options.ours, options.theirs].map((url) => serviceAt(url));
  await load(ours, 'serve', folder);
  await load(theirs, 'Druid', folder);
  say(
    `${new Date().toISOString().slice(0, 10)}; ${cpus()[0]?.model}, ${availableParallelism()} cores; Node ${process.version}; lineitem: ${origin}`,
  );
  await compare(ours, theirs, 'lineitem', lineitem);
  await compare(ours, theirs, 'Wikipedia edits', edits);
  for (const clients of [1, 8, 32]) await compareClients(ours, theirs, clients);
  if (options.write) writePage(lines);
} finally {
  if (serve) await stop(serve);
  if (isStarted) spawnSync(process.execPath, [script, 'down', '--dir', join(work, 'druid')]);
  rmSync(work, { recursive: true, force: true });
}

async function startBoth(folder) {
  const up = spawnSync(
    process.execPath,
    [
      script,
      'up',
      '--dir',
      join(work, 'druid'),
      '--druid',
      '33.0.0',
      '--ports-from',
      options['ports-from'],
    ],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], timeout: 400_000 },
  );
  if (up.status !== 0) throw new Error('The cluster did not start');
  const { urls } = JSON.parse(up.stdout.slice(up.stdout.indexOf('{')));
  const args = ['serve', '--service', 'druid@33', '--port', '0', '--memory', options.memory];
  const folders = [
    '--data-dir',
    join(work, 'serve'),
    '--allow-dir',
    folder,
    '--allow-dir',
    demoFolder,
  ];
  serve = spawn(process.execPath, ['bin/svcctl.cjs', ...args, ...folders], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  serve.stdout.setEncoding('utf8');
  let output = '';
  while (!/^http/m.test(output)) output += (await once(serve.stdout, 'data'))[0];
  return [serviceAt(/^http\S+/m.exec(output)[0]), serviceAt(urls.router)];
}

async function stop(child) {
  child.kill();
  if (child.exitCode === null) await once(child, 'close');
}

async function load(service, name, folder) {
  for (const task of [editsTask, lineitemTask(folder)]) {
    const { dataSource } = task.spec.dataSchema;
    if ((await service.rowsOf(dataSource)) > 0) continue;
    const started = performance.now();
    await service.run(task);
    while ((await service.rowsOf(dataSource)) === 0) await sleep(300);
    say(`${name} ingested ${dataSource} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
}

async function compare(ours, theirs, title, statements) {
  say(`\n## ${title}\n`);
  say('| query | serve ms | Druid ms | Druid/serve | answers |');
  say('| --- | ---: | ---: | ---: | --- |');
  const ratios = [];
  // Both compile what runs often: they are warm when the first statement is measured.
  for (let round = 0; round < warmUps; round++)
    for (const statement of Object.values(statements))
      for (const service of [ours, theirs]) await service.ask(statement, uncached);
  for (const [name, statement] of Object.entries(statements)) {
    const [times, replies] = [[[], []], []];
    for (let round = -1; round < Number(options.rounds); round++)
      for (const [side, service] of [ours, theirs].entries()) {
        const reply = await service.ask(statement, uncached);
        replies[side] = reply;
        if (round >= 0) times[side].push(reply.ms); // the first round warms up
      }
    const [mine, other] = times.map(median);
    const isExact = !approximate.includes(name) && !/APPROX/.test(statement);
    const difference = isExact ? differenceOf(...replies) : undefined;
    const isAnswered = replies.every(({ status }) => status === 200);
    if (isAnswered) ratios.push(other / mine);
    const verdict = difference
      ? `${difference.kind}: ${difference.detail.slice(0, 80)}`
      : isExact
        ? 'same'
        : 'not compared';
    say(
      `| ${name} | ${mine.toFixed(1)} | ${other.toFixed(1)} | ${isAnswered ? (other / mine).toFixed(2) : '-'} | ${verdict} |`,
    );
  }
  const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
  say(
    `\nGeometric mean over ${ratios.length} queries: ${mean.toFixed(2)}; slower than Druid by more than 1.2: ${ratios.filter((ratio) => ratio < 1 / 1.2).length}`,
  );
}

async function compareClients(ours, theirs, clients) {
  const figures = [];
  for (const service of [ours, theirs]) {
    const times = [];
    const end = performance.now() + 8000;
    const client = async (from) => {
      for (let at = from; performance.now() < end; at++)
        times.push((await service.ask(dashboard[at % dashboard.length], uncached)).ms);
    };
    await Promise.all(Array.from({ length: clients }, (_, at) => client(at)));
    times.sort((a, b) => a - b);
    figures.push(
      `${(times.length / 8).toFixed(0)} queries/s, p99 ${times[Math.floor(times.length * 0.99)].toFixed(0)} ms`,
    );
  }
  say(`\n${clients} clients: serve ${figures[0]}; Druid ${figures[1]}`);
}

function median(times) {
  return [...times].sort((a, b) => a - b)[times.length >> 1];
}

function writePage(figures) {
  const head =
    '`npm run bench:druid -- --write` made this page: the service and a Druid 33.0.0 with heaps of 512 MB on the same machine, the same rows, caches off, medians.';
  writeFileSync(
    'docs/measured.md',
    `# Measured beside a real cluster\n\n${head}\n\n${figures.join('\n')}\n`,
  );
}
