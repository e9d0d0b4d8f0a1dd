// Runs the conformance kit against the built service and compares with what already passed once:
// baseline.json. Usage: npm run test:conformance [-- --sql --http --sample --only qaWin --only
// rules --kafka HOST:PORT --kit FOLDER --update --failures FOLDER]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { brokerSupport } from '../support/broker.js';
import { startServed } from '../support/served.js';

const sqlSuites = [
  'recorded',
  'qaAggFuncs',
  'qaJsonCols',
  'qaSql',
  'qaSsb',
  'qaTpch',
  'qaUnnest',
  'qaWin',
  'qaArray',
];
// What --sample takes of a suite, from its beginning, to end in minutes; the rest as a whole.
const samples = { qaSql: 40 };
// The area `security` is run alone: it needs a service with users.
const httpAreas = [
  'batch',
  'compaction',
  'config',
  'metadata',
  'middlemanager',
  'native',
  'rules',
  'segments',
  'sql',
  'sql-task',
  'statements',
  'status',
  'supervisors', // with --kafka, a broker that creates topics when they are first asked for, or one of our own
  'tasks',
];
// SQL is deterministic: no statement may be lost. In HTTP a few steps wait for something at most
// `--patience` seconds, which a loaded machine may miss.
const tolerated = { sql: 0, sqlSample: 0, http: 3 };

const flag = { type: 'boolean' };
const { values: options } = parseArgs({
  options: {
    sql: flag,
    http: flag,
    sample: flag,
    update: flag,
    only: { type: 'string', multiple: true },
    kafka: { type: 'string' },
    kit: { type: 'string', default: '../shared/conformance' },
    failures: { type: 'string' },
  },
});
if (!existsSync(join(options.kit, 'run-sql.mjs'))) {
  console.log(`SKIPPED: there is no conformance kit in [${options.kit}]`);
  process.exit(0);
}
const kit = realpathSync(options.kit); // the kit's scripts do nothing when called through a link
if (options.failures) mkdirSync(options.failures, { recursive: true });

const baselineFile = new URL('baseline.json', import.meta.url);
const baseline = JSON.parse(readFileSync(baselineFile, 'utf8'));
const both = !options.sql && !options.http;
const found = {
  [options.sample ? 'sqlSample' : 'sql']:
    options.sql || both ? await runSql(wanted(sqlSuites)) : {},
  http:
    options.http || both
      ? {
          ...(await runHttp(wanted(httpAreas))),
          ...(wanted(['security']).length > 0 && (await runSecurity())),
        }
      : {},
};

const fallen = [];
let held = 0;
for (const [kind, parts] of Object.entries(found)) {
  for (const [part, now] of Object.entries(parts)) {
    for (const [what, passed] of Object.entries(now)) {
      const once = baseline[kind]?.[part]?.[what] ?? 0;
      if (passed < once - tolerated[kind])
        fallen.push(`${part}: ${what} fell from ${once} to ${passed}`);
      else held += 1;
      if (passed > once) console.log(`${part}: ${what} rose from ${once} to ${passed}`);
    }
  }
}
if (options.update) {
  for (const kind of Object.keys(found)) baseline[kind] = { ...baseline[kind], ...found[kind] };
  writeFileSync(baselineFile, `${JSON.stringify(baseline, null, 2)}\n`);
}
for (const line of fallen) console.log(`FALLEN ${line}`);
console.log(`conformance against the baseline: ${held} passed, ${fallen.length} failed`);
process.exitCode = fallen.length && !options.update ? 1 : 0;

/** Per suite how many statements were answered and how many were refused as they should be. */
async function runSql(suites) {
  const passed = {};
  await onService([], async (url) => {
    // One after the other, so that the time of each can be told.
    for (const suite of suites) {
      const started = performance.now();
      const output = await runKit('run-sql.mjs', [
        '--url',
        url,
        '--load',
        '--patience',
        '60',
        '--suite',
        suite,
        ...sampleOf(suite),
        ...failuresOf(suite),
      ]);
      const [, ok, errors] = output.match(/^SQL conformance: ok (\d+)\/.* errors (\d+)\//m) ?? [];
      passed[suite] = { ok: Number(ok ?? 0), errors: Number(errors ?? 0) };
      console.log(`${suite} took ${Math.round((performance.now() - started) / 1000)} s`);
    }
  });
  return passed;
}

/** The same of the area that needs a service with users. */
async function runSecurity() {
  const properties = fileURLToPath(new URL('security.properties', import.meta.url));
  return runHttp(
    ['security'],
    ['--config', properties],
    ['--with', 'security', '--user', 'admin:admin-password'],
  );
}

/** Per area how many steps were answered as a real one answers them. */
async function runHttp(areas, serveFlags = [], kitFlags = []) {
  const passed = {};
  if (areas.length === 0) return passed;
  await onService(['--role-ports', ...serveFlags], async (url) => {
    const broker = areas.includes('supervisors') ? await brokerFor() : undefined;
    const chosen = areas
      .filter((area) => area !== 'supervisors' || broker)
      .flatMap((area) => ['--area', area]);
    if (chosen.length === 0) return;
    const output = await runKit('http/run-http.mjs', [
      'check',
      '--url',
      url,
      '--service',
      'druid',
      '--patience',
      '5',
      ...chosen,
      ...(broker ? ['--with', `kafka=${broker.address}`] : []),
      ...kitFlags,
      ...failuresOf(kitFlags.length > 0 ? areas[0] : 'http'),
      join(kit, 'http'),
    ]);
    await broker?.stop?.();
    for (const [, area, steps] of output.matchAll(/^([\w-]+) (\d+)\/\d+$/gm))
      passed[area] = { steps: Number(steps) };
  });
  return passed;
}

/** The broker that was named, or one of our own where the machine can run it. */
async function brokerFor() {
  if (options.kafka) return { address: options.kafka };
  const { kafkaIsMissing, startKafka } = await brokerSupport();
  const reason = kafkaIsMissing();
  if (reason === undefined) return startKafka({ createsTopics: true });
  console.log(`SKIPPED: the supervisors of the conformance kit need a Kafka broker, and ${reason}`);
  return undefined;
}

async function onService(args, use) {
  const service = await startServed([
    '--service',
    'druid',
    '--ephemeral',
    '--allow-dir',
    kit,
    '--worker-capacity',
    '12',
    '--durable-storage',
    'on',
    ...args,
  ]);
  console.log(`serve was ready after ${Math.round(service.readyMs)} ms`);
  try {
    return await use(service.url);
  } finally {
    const { code, said } = await service.stop();
    if (code !== 0) console.log(`serve ended with ${code}: ${said}`);
  }
}

async function runKit(script, args) {
  const child = spawn(process.execPath, [join(kit, script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
    process.stdout.write(text);
  });
  await once(child, 'close');
  return output;
}

function wanted(names) {
  return options.only ? names.filter((name) => options.only.includes(name)) : names;
}

function sampleOf(suite) {
  return options.sample && samples[suite] ? ['--limit', String(samples[suite])] : [];
}

function failuresOf(name) {
  return options.failures ? ['--failures', resolve(options.failures, `${name}.jsonl`)] : [];
}
