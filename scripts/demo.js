// npm run demo: builds svcctl, starts a service with sample data, and runs a tour. On a terminal,
// the tour pauses between the steps and ends in the SQL shell. --keep leaves the service running
// afterwards, --no-build uses the existing build.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const keep = process.argv.includes('--keep');
const isBuilt = process.argv.includes('--no-build');
const program = resolve('bin/svcctl.cjs');
const patienceMs = 180_000;
const { stdin, stdout } = process;
const isColored = stdout.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
const isWatched = Boolean(stdin.isTTY && stdout.isTTY && !process.env.CI);
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
const trips = `INSERT INTO trips
SELECT TIME_PARSE("time") AS __time, city
FROM TABLE(EXTERN(
  '{"type": "inline", "data": "2024-05-01,Oslo\\nyesterday,Lima"}',
  '{"type": "csv", "columns": ["time", "city"]}'
)) EXTEND ("time" VARCHAR, city VARCHAR)
PARTITIONED BY DAY
`;

let service; // the process
let exitCode = 1;
let interruptedBy;
let isInShell = false; // Ctrl-C then belongs to the shell
for (const [name, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })) {
  process.on(name, () => {
    if (name !== 'SIGINT' || !isInShell) interruptedBy = code;
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
  if (isWatched) await shell(url);
  exitCode = 0;
} catch (error) {
  if (interruptedBy === undefined) process.stderr.write(`error: ${error.message}\n`);
} finally {
  if (exitCode !== 0 || !keep) await stopped();
  else service.unref();
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = interruptedBy ?? exitCode;

async function started() {
  say(`${strong('$ svcctl serve --demo')}\n`);
  const readyFile = join(folder, 'ready.json');
  const log = await open(join(folder, 'serve.log'), 'a');
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
  // In a process group of its own: Ctrl-C in the shell must not stop it.
  service = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', log.fd],
    detached: true,
    env: { ...process.env, ...home },
  });
  await log.close();
  const end = Date.now() + patienceMs;
  while (!existsSync(readyFile)) {
    if (interruptedBy !== undefined || hasEnded() || Date.now() > end)
      throw new Error(await whyNot());
    if (stdout.isTTY) stdout.write('.');
    await sleep(200);
  }
  if (stdout.isTTY) say();
  return JSON.parse(await readFile(readyFile, 'utf8')).url;
}

async function whyNot() {
  const said = await readFile(join(folder, 'serve.log'), 'utf8');
  return hasEnded()
    ? `The service has ended${said && `: ${said.trim()}`}`
    : 'The service was not ready in time';
}

async function tour(url) {
  const env = { ...process.env, ...home, SVCCTL_URL: url };
  const svcctl = (words, stdio, codes) =>
    run([program, ...words], { stdio, env, cwd: folder }, codes);
  let step = 0;
  const show = async (why, words, { codes = [0] } = {}) => {
    if (step++ > 0) await pause();
    say(`\n${quiet(`# ${why}`)}\n${strong(`$ svcctl ${words.map(quoted).join(' ')}`)}`);
    await svcctl(words, 'inherit', codes);
  };
  const topPages =
    'SELECT page, COUNT(*) AS edits FROM wikipedia GROUP BY page ORDER BY edits DESC LIMIT 5';

  await show('A service with one day of edits of Wikipedia.', ['status']);
  await show('Which pages are edited most?', ['sql', topPages]);
  await show('How do people and robots share the day?', [
    'sql',
    '--chart',
    `SELECT TIME_FLOOR(__time, 'PT15M') AS since, CASE isRobot WHEN 'true' THEN 'robots' ELSE 'people' END AS who, COUNT(*) AS edits FROM wikipedia GROUP BY 1, 2`,
  ]);

  await writeFile(join(folder, 'trips.sql'), trips);
  await show(
    'A task that ingests two rows, one of them with a wrong time. It fails ...',
    ['ingest', 'sql', '-f', 'trips.sql', '--wait', '--quiet', '--context', 'sqlQueryId=trips'],
    { codes: [1] },
  );
  await show('... and "why" explains it.', ['why', 'task', 'query-trips']);

  await show('Somebody drops the wrong datasource ...', [
    'datasources',
    'drop',
    'wikipedia',
    '--confirm=wikipedia',
  ]);
  await show('... so queries do not find it ...', ['sql', topPages], { codes: [1] });
  await show('... and "undo" takes the change back.', ['undo', '--yes']);
  await show('All edits are there again.', [
    'sql',
    'SELECT COUNT(*) AS edits, MIN(__time) AS since, MAX(__time) AS until FROM wikipedia',
  ]);
}

// Waits for Enter on a terminal; elsewhere the tour runs through.
async function pause() {
  if (!isWatched) return;
  const lines = createInterface({ input: stdin, output: stdout });
  const leaving = new AbortController();
  lines.on('SIGINT', () => {
    interruptedBy = 130;
    leaving.abort();
  });
  lines.on('close', () => leaving.abort()); // Ctrl-D
  try {
    await lines.question(`\n${quiet('Press Enter to go on, Ctrl-C to leave')} `, {
      signal: leaving.signal,
    });
  } catch {
    interruptedBy ??= 130;
    throw new Error('Interrupted');
  } finally {
    lines.close();
  }
}

function farewell(url) {
  const steps = keep
    ? [
        [`export SVCCTL_URL=${url}`, 'the service keeps running: talk to it'],
        [`kill ${service.pid}`, 'stop it; its data goes with it'],
      ]
    : [
        ['npm run demo -- --keep', 'the same again, and the service stays'],
        ['svcctl serve --demo', 'a service that keeps its data, on port 8888'],
      ];
  const more = [
    ['npm install -g .', 'put svcctl on the PATH'],
    ['svcctl sql', 'this SQL shell'],
    ['svcctl ingest files FILE... --into NAME', 'bring in data of your own'],
    ['svcctl --help', 'all the rest'],
  ];
  say(`\n${strong('To go on by hand:')}`);
  for (const [line, why] of [...steps, ...more]) say(`  ${quiet(`# ${why}`)}\n  ${line}`);
}

// The service stays up until the shell ends.
async function shell(url) {
  say(`\n${quiet('# The SQL shell: try SELECT * FROM wikipedia LIMIT 3; and \\d')}`);
  say(strong('$ svcctl sql'));
  isInShell = true;
  const { SVCCTL_NO_PAGER: _, ...own } = home;
  const env = { ...process.env, ...own, SVCCTL_URL: url };
  await run(['bin/svcctl.cjs', 'sql'], { stdio: 'inherit', env });
  isInShell = false;
}

// Runs a program to its end. Throws when it ends with an exit code besides `codes`.
function run(args, options, codes = [0]) {
  if (interruptedBy !== undefined) throw new Error('Interrupted');
  return new Promise((settle, reject) => {
    const child = spawn(process.execPath, args, options);
    child.on('error', reject);
    child.on('close', (code) =>
      codes.includes(code)
        ? settle()
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
