// The story of test/e2e against a real Druid cluster, which is started for it and taken down. Needs Java, Maven and the folder that starts one.
// Usage: npm run test:cluster [-- --reference FOLDER --ports-from N] [-- what vitest takes]
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { reference: { type: 'string', default: '../shared/reference/druid' }, 'ports-from': { type: 'string' } },
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

const folder = await mkdtemp(join(tmpdir(), 'svcctl-cluster-'));
const down = () =>
  spawnSync(process.execPath, [script, 'down', '--dir', folder], { stdio: ['ignore', 'ignore', 'inherit'], timeout: 120_000 });
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    down();
    process.exit(1);
  });
}
try {
  const portsFrom = options['ports-from'] ?? String(await freePorts());
  const up = await outputOf([script, 'up', '--dir', folder, '--ports-from', portsFrom]);
  const { router } = JSON.parse(up.slice(up.indexOf('{'))).urls;
  console.log(`a real cluster listens at ${router}`);
  const story = spawn('npx', ['vitest', 'run', 'test/e2e/story.test.ts', ...positionals], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, SVCCTL_STORY_URL: router },
  });
  const [code] = await once(story, 'close');
  process.exitCode = code ?? 1;
} finally {
  down();
  await rm(folder, { recursive: true, force: true });
}

async function outputOf(args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], timeout: 600_000 });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error('The cluster did not start');
  return output;
}

/** The first of forty ports in a row that nobody uses, below those that the system hands out by itself. */
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
