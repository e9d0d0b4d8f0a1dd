// npm run demo: builds svcctl, starts a service with sample data, and runs a tour. --keep leaves
// the service running, --no-build uses the existing build.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const keep = process.argv.includes('--keep');
const isBuilt = process.argv.includes('--no-build');
const patienceMs = 180_000;
const { stdout } = process;
const isColored = stdout.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
const strong = (text) => (isColored ? `\x1b[1m${text}\x1b[22m` : text);
const quiet = (text) => (isColored ? `\x1b[2m${text}\x1b[22m` : text);
const say = (text = '') => stdout.write(`${text}\n`);

const folder = await mkdtemp(join(tmpdir(), 'svcctl-demo-'));
// The demo has its own profiles and caches, separate from the user's.
const home = {
  XDG_CONFIG_HOME: folder,
  XDG_CACHE_HOME: folder,
  XDG_STATE_HOME: folder,
  SVCCTL_OUTPUT: 'table',
  SVCCTL_NO_PAGER: '1',
};
let service; // the process
let exitCode = 1;
let interruptedBy;
for (const [name, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })) {
  process.on(name, () => {
    interruptedBy = code;
  });
}

try {
  if (!isBuilt) {
    say(quiet('Building svcctl ...'));
    await run(['scripts/build.js'], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const url = await started();
  await tour(url);
  farewell(url);
  exitCode = 0;
} catch (error) {
  if (interruptedBy === undefined) process.stderr.write(`error: ${error.message}\n`);
} finally {
  if (exitCode !== 0 || !keep) await stopped();
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = interruptedBy ?? exitCode;

async function started() {
  say(`${strong('$ svcctl serve --demo')}\n`);
  const readyFile = join(folder, 'ready.json');
  // A service that keeps running must not hold the terminal.
  const log = keep ? await open(join(folder, 'serve.log'), 'a') : undefined;
  const args = [
    'bin/svcctl.cjs',
    'serve',
    '--demo',
    '--port',
    '0',
    '--ephemeral',
    '--ready-file',
    readyFile,
  ];
  service = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', log?.fd ?? 'inherit'],
    detached: keep,
    env: { ...process.env, ...home },
  });
  await log?.close();
  const end = Date.now() + patienceMs;
  while (!existsSync(readyFile)) {
    if (interruptedBy !== undefined || hasEnded() || Date.now() > end)
      throw new Error(await whyNot(log));
    if (keep && stdout.isTTY) stdout.write('.');
    await sleep(200);
  }
  if (keep && stdout.isTTY) say();
  return JSON.parse(await readFile(readyFile, 'utf8')).url;
}

async function whyNot(log) {
  const said = log ? await readFile(join(folder, 'serve.log'), 'utf8') : '';
  return hasEnded()
    ? `The service has ended${said && `: ${said.trim()}`}`
    : 'The service was not ready in time';
}

async function tour(url) {
  const svcctl = (words, stdio) =>
    run(['bin/svcctl.cjs', ...words], { stdio, env: { ...process.env, ...home, SVCCTL_URL: url } });
  const show = async (why, ...words) => {
    say(`\n${quiet(`# ${why}`)}\n${strong(`$ svcctl ${words.map(quoted).join(' ')}`)}`);
    await svcctl(words, 'inherit');
  };
  await show('What is it, and how is it?', 'status');
  await show('The data came in by a task of its own.', 'tasks', 'list');
  const id = await svcctl(
    ['tasks', 'list', '--type', 'query_controller', '--output', 'name'],
    ['ignore', 'pipe', 'inherit'],
  );
  await show('What did that task do?', 'tasks', 'report', id.trim());
  await show('What is there now?', 'datasources', 'list');
  await show('And what is it made of?', 'segments', 'list', '--datasource', 'wikipedia');
  await show(
    'Which Wikipedias are edited most?',
    'sql',
    'SELECT channel, COUNT(*) AS edits, SUM(added) AS added FROM wikipedia GROUP BY 1 ORDER BY 2 DESC LIMIT 5',
  );
  await show(
    'How do people and robots share the day?',
    'sql',
    `SELECT TIME_FLOOR(__time, 'PT6H') AS since, COUNT(*) FILTER (WHERE isRobot = 'false') AS people, COUNT(*) FILTER (WHERE isRobot = 'true') AS robots FROM wikipedia GROUP BY 1 ORDER BY 1`,
  );
  await show(
    'Which articles do most people edit?',
    'sql',
    `SELECT page, COUNT(DISTINCT "user") AS people, COUNT(*) AS edits FROM wikipedia WHERE namespace = 'Main' AND isRobot = 'false' GROUP BY 1 ORDER BY 2 DESC, 3 DESC, 1 LIMIT 5`,
  );
  await show('How long is data kept, and where?', 'rules', 'list');
}

function farewell(url) {
  const steps = keep
    ? [
        [`export SVCCTL_URL=${url}`, 'the service is still running: talk to it'],
        [`kill ${service.pid}`, 'stop it; its data goes with it'],
      ]
    : [
        ['npm run demo -- --keep', 'the same again, and the service stays'],
        ['svcctl serve --demo', 'a service that keeps its data, on port 8888'],
      ];
  const more = [
    ['npm install -g .', 'put svcctl on the PATH'],
    ['svcctl sql "SELECT page, added FROM wikipedia LIMIT 5"', 'ask something yourself'],
    ['svcctl ingest files FILE... --into NAME', 'bring in data of your own'],
    ['svcctl --help', 'all the rest'],
  ];
  say(`\n${strong('To go on by hand:')}`);
  for (const [line, why] of [...steps, ...more]) say(`  ${quiet(`# ${why}`)}\n  ${line}`);
  if (keep) service.unref();
}

// Runs a program to its end; returns its stdout if piped. Throws when it fails.
function run(args, options) {
  if (interruptedBy !== undefined) throw new Error('Interrupted');
  return new Promise((settle, reject) => {
    const child = spawn(process.execPath, args, options);
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0
        ? settle(text)
        : reject(new Error(`[${args.join(' ')}] ended with exit code ${code}`)),
    );
  });
}

function hasEnded() {
  return service.exitCode !== null || service.signalCode !== null;
}

async function stopped() {
  if (!service || hasEnded()) return;
  const ended = new Promise((settle) => service.once('exit', settle));
  service.kill('SIGTERM');
  const late = setTimeout(() => service.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(late);
}

function quoted(word) {
  if (/^[\w./:=,-]+$/.test(word)) return word;
  return word.includes("'") ? `"${word.replaceAll('"', '\\"')}"` : `'${word}'`;
}
