// The stories of test/e2e against real Druid clusters, which are started for them one after the
// other and taken down. Needs Java, Maven and the folder that starts one. Usage: npm run
// test:cluster [-- --reference FOLDER --ports-from N --only druid,streams] [-- what vitest takes]
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

// What is told where: each version of the engine has something that the other one lacks.
const suites = {
  druid: {
    cluster: ['--druid', '27.0.0'],
    stories: [
      'story',
      'story-work',
      'story-terminal',
      'story-files',
      'story-workers',
      'story-segments',
      'story-governing',
      'story-configuration',
    ],
  },
  streams: {
    cluster: ['--druid', '33.0.0', '--kafka'],
    stories: ['story-streams', 'story-workers', 'story-terminal'],
  },
  users: { cluster: ['--druid', '27.0.0', '--security', 'basic'], stories: ['story-users'] },
};

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    reference: { type: 'string', default: '../shared/reference/druid' },
    'ports-from': { type: 'string' },
    only: { type: 'string', default: Object.keys(suites).join() },
  },
});
const script = resolve(options.reference, 'cluster.mjs');
const missing = [
  ...['java', 'mvn'].filter((program) => spawnSync(program, ['-version']).error !== undefined),
  ...(existsSync(script) ? [] : [script]),
];
if (missing.length) {
  console.log(`SKIPPED: a real cluster needs what is not here: ${missing.join(', ')}`);
  process.exit(0);
}

let passed = 0;
let failed = 0;
let running; // the folder of the cluster that is up
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    if (running) down(running);
    process.exit(1);
  });
}
for (const name of options.only.split(',')) {
  const suite = suites[name];
  if (!suite)
    throw new Error(`There is no suite [${name}]; there are ${Object.keys(suites).join(', ')}`);
  await tell(name, suite);
}
console.log(`\nstories on real clusters: ${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;

async function tell(name, { cluster, stories }) {
  const folder = await mkdtemp(join(tmpdir(), 'svcctl-cluster-'));
  running = folder;
  try {
    const portsFrom = options['ports-from'] ?? String(await freePorts());
    const up = await outputOf([
      script,
      'up',
      '--dir',
      folder,
      '--ports-from',
      portsFrom,
      ...cluster,
    ]);
    const state = up.slice(up.indexOf('{'));
    console.log(`\n${name}: a real cluster listens at ${JSON.parse(state).urls.router}`);
    const report = join(folder, 'report.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const files = stories.map((story) => `test/e2e/${story}.test.ts`);
    const told = spawn(
      'npx',
      ['vitest', 'run', '--no-file-parallelism', ...files, ...reporters, ...positionals],
      {
        stdio: ['ignore', 'inherit', 'inherit'],
        env: { ...process.env, SVCCTL_STORY: state },
      },
    );
    const [code] = await once(told, 'close');
    const counts = JSON.parse(
      await readFile(report, 'utf8').catch(() => '{"numPassedTests":0,"numFailedTests":1}'),
    );
    passed += counts.numPassedTests;
    failed += counts.numFailedTests || (code === 0 ? 0 : 1);
  } catch (error) {
    failed += 1;
    console.error(`${name}: ${error.message}`);
  } finally {
    down(folder);
    await rm(folder, { recursive: true, force: true });
    running = undefined;
  }
}

function down(folder) {
  spawnSync(process.execPath, [script, 'down', '--dir', folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 120_000,
  });
}

async function outputOf(args) {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 400_000,
  }); // a busy machine starts it slowly
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error('The cluster did not start');
  return output;
}

/**
 * The first of forty ports in a row that nobody uses, below those that the system hands out by
 * itself.
 */
async function freePorts() {
  for (let from = 18_000; from < 30_000; from += 500) {
    const taken = await Promise.all(Array.from({ length: 40 }, (_, at) => isTaken(from + at)));
    if (!taken.includes(true)) return from;
  }
  throw new Error('No forty free ports in a row');
}

async function isTaken(port) {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
    return false;
  } catch {
    return true;
  } finally {
    await new Promise((closed) => probe.close(closed));
  }
}
