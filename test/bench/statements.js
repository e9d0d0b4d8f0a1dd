// Statements with ten million rows, unsorted and sorted: peak memory of the service from submission
// to the last row read, and the time of reading pages.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServed } from '../support/served.js';
import { madeOfRows } from './made-rows.js';
import { highWaterMb, ingest, send } from './measure.js';

export async function statements({ quick }) {
  const [left, right] = quick ? [1000, 100] : [10_000, 1000];
  return [
    ...(await measured('', left, right)),
    ...(await measured('ORDER BY a.page, b.added', left, right)),
  ];
}

async function measured(order, left, right) {
  const count = left * right;
  const folder = await mkdtemp(join(tmpdir(), 'svcctl-bench-'));
  const service = await startServed(['--ephemeral', '--allow-dir', folder]);
  const at = `${service.url}/svc/v2/sql/statements`;
  try {
    await ingest(service.url, await madeOfRows(folder, left));
    const query = `SELECT a.__time, a.page, a.share, b.added FROM made a CROSS JOIN (SELECT added FROM made LIMIT ${right}) b ${order}`;
    const rows = `${count} ${order ? 'sorted ' : ''}rows`;
    const started = performance.now();
    const { queryId } = await send(at, {
      query,
      context: { executionMode: 'ASYNC', selectDestination: 'durableStorage' },
    });
    const { result } = await ended(`${at}/${queryId}`);
    const writeSeconds = (performance.now() - started) / 1000;
    if (result.numTotalRows !== count)
      throw new Error(`The statement has ${result.numTotalRows} rows`);
    const lastPage = await read(
      `${at}/${queryId}/results?resultFormat=csv&page=${result.pages.length - 1}`,
    );
    const all = await read(`${at}/${queryId}/results?resultFormat=csv`);
    if (all.rows !== count) throw new Error(`${all.rows} rows were read`);
    return [
      {
        what: `${rows}, memory of the service`,
        value: highWaterMb(service.pid),
        unit: 'MB',
        atMost: 400,
      },
      { what: `${rows}, statement`, value: writeSeconds, unit: 's' },
      { what: `${rows}, reading all pages`, value: all.seconds, unit: 's' },
      { what: `${rows}, the last page`, value: lastPage.seconds, unit: 's', atMost: 1 },
    ];
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function ended(url) {
  for (;;) {
    const status = await send(url, undefined, 'GET');
    if (status.state === 'SUCCESS') return status;
    if (status.state === 'FAILED')
      throw new Error(`The statement failed: ${status.errorDetails.errorMessage}`);
    await sleep(50);
  }
}

// Counts lines without the empty one at the end.
async function read(url) {
  const started = performance.now();
  let lines = 0;
  for await (const chunk of (await fetch(url)).body) {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++;
  }
  return { rows: lines - 1, seconds: (performance.now() - started) / 1000 };
}
