// Watches a service while it is attacked: a process of its own, so that what the attack does to its
// sender delays nothing here. It asks for health every 20 ms and for a small answer every 200 ms,
// each on a connection of its own, adds up the resident memory of the service and all its children
// every 50 ms, and kills them all when they take more than the machine can give. Its parent sends
// `begin` and `end`; each `end` is answered with a measurement.
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

const [, , url = '', pidText = '', guardText = '', smallAuthorization = '', smallQuery = ''] =
  process.argv;
const rootPid = Number(pidText);
const guardBytes = Number(guardText);
const healthEveryMs = 20;
const smallEveryMs = 200;
const memoryEveryMs = 50;
const giveUpMs = 60_000;

let measured = fresh();
let isMeasuring = false;
let isKilled = false;

const health = repeated({
  name: 'healthMs',
  everyMs: healthEveryMs,
  ask: asker('GET', '/status/health'),
});
const smallBody = JSON.stringify({ query: smallQuery, resultFormat: 'array' });
const small = repeated({
  name: 'smallMs',
  everyMs: smallEveryMs,
  ask: asker('POST', '/svc/v2/sql', smallBody, smallAuthorization || undefined),
});

process.on('message', (message) => {
  if (message === 'begin') {
    measured = fresh();
    isMeasuring = true;
    return;
  }
  health.countWaiting();
  small.countWaiting();
  sampleMemory();
  isMeasuring = false;
  process.send?.({
    ...measured,
    endBytes: bytesOf(treeOf(rootPid)),
    cpuMs: cpuMsOf(treeOf(rootPid)),
    isKilled,
    pids: treeOf(rootPid),
  });
});
// A service that takes no notice of SIGTERM must not outlive those who started it.
process.on('disconnect', endAll);
process.on('SIGTERM', endAll);
process.on('SIGINT', endAll);

setInterval(sampleMemory, memoryEveryMs);
let lastTick = performance.now();
setInterval(() => {
  const now = performance.now();
  if (isMeasuring) measured.lateMs.push(Math.max(0, Math.round(now - lastTick - healthEveryMs)));
  lastTick = now;
}, healthEveryMs);
process.send?.('ready');

function fresh() {
  return {
    beganAt: performance.now(),
    healthMs: [],
    smallMs: [],
    lateMs: [],
    faults: [],
    peakBytes: 0,
    processes: 0,
  };
}

/**
 * Asks again and again on one connection. A slow reply counts for all questions that could not be
 * asked meanwhile, too.
 */
function repeated({ name, everyMs, ask }) {
  let askedAt;
  const count = () => {
    for (
      let late = performance.now() - Math.max(askedAt, measured.beganAt);
      late > 0;
      late -= everyMs
    )
      measured[name].push(Math.round(late));
  };
  const next = async () => {
    askedAt = performance.now();
    const fault = await ask();
    if (isMeasuring) count();
    if (isMeasuring && fault) measured.faults.push(fault);
    const restMs = everyMs - (performance.now() - askedAt);
    askedAt = undefined;
    setTimeout(next, Math.max(0, restMs));
  };
  next();
  return { countWaiting: () => askedAt !== undefined && count() };
}

function asker(method, path, body, authorization) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { hostname, port } = new URL(url);
  const headers = {
    ...(body && { 'content-type': 'application/json' }),
    ...(authorization && { authorization }),
  };
  return () =>
    new Promise((settle) => {
      const asking = request(
        { agent, hostname, port, path, method, headers, timeout: giveUpMs },
        (reply) => {
          let text = '';
          reply.setEncoding('utf8').on('data', (part) => {
            text += part;
          });
          reply.on('end', () =>
            settle(
              reply.statusCode === 200
                ? undefined
                : `${path}: ${reply.statusCode} ${text.slice(0, 300)}`,
            ),
          );
          reply.on('error', () => settle(`${path}: the reply was cut off`));
        },
      );
      asking.on('timeout', () => asking.destroy(new Error('timeout')));
      asking.on('error', (error) => settle(`${path}: ${error.message}`));
      asking.end(body);
    });
}

function sampleMemory() {
  const pids = treeOf(rootPid);
  const bytes = bytesOf(pids);
  if (isMeasuring) measured.peakBytes = Math.max(measured.peakBytes, bytes);
  if (isMeasuring) measured.processes = Math.max(measured.processes, pids.length);
  if (bytes > guardBytes && !isKilled) {
    isKilled = true;
    for (const pid of pids) kill(pid);
  }
}

function endAll() {
  for (const pid of treeOf(rootPid)) kill(pid);
  process.exit();
}

function bytesOf(pids) {
  return pids.reduce((sum, pid) => sum + residentBytes(pid), 0);
}

/** The processor time of processes so far; a clock tick is 10 ms. */
function cpuMsOf(pids) {
  return pids.reduce((sum, pid) => {
    const fields = read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
    return sum + 10 * (Number(fields[11] ?? 0) + Number(fields[12] ?? 0));
  }, 0);
}

function treeOf(pid) {
  const children = threadsOf(pid).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(treeOf)];
}

function threadsOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return []; // it has ended
  }
}

function residentBytes(pid) {
  const [, kibibytes = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`)) ?? [];
  return Number(kibibytes) * 1024;
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
