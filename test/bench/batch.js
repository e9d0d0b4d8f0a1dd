// Native batch: five million rows, under a memory limit that is smaller than they are.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServed } from '../support/served.js';
import { madeOfRows } from './made-rows.js';
import { residentWithChildrenMb, send } from './measure.js';

export async function batch({ quick }) {
  const folder = await mkdtemp(join(tmpdir(), 'svcctl-bench-'));
  const count = quick ? 20_000 : 5_000_000;
  try {
    await madeOfRows(folder, count);
    const little = await loaded(folder, count, '512MB');
    const much = await loaded(folder, count, '4GB');
    return [
      {
        what: `${count} rows of CSV by native batch`,
        value: count / little.seconds,
        unit: 'rows/s',
        atLeast: 200_000,
      },
      {
        what: 'memory of its processes with a limit of 512 MB',
        value: little.peakMb,
        unit: 'MB',
        atMost: 900,
      },
      {
        what: 'the time with 512 MB : the time with 4 GB',
        value: little.seconds / much.seconds,
        unit: 'x',
        atMost: 1.5,
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function loaded(folder, count, memory) {
  const service = await startServed(['--ephemeral', '--allow-dir', folder, '--memory', memory]);
  let peakMb = 0;
  const watch = setInterval(
    () => (peakMb = Math.max(peakMb, residentWithChildrenMb(service.pid))),
    50,
  );
  try {
    const started = performance.now();
    const { task } = await send(`${service.url}/svc/indexer/v1/task`, specification(folder));
    await ended(service.url, task);
    const seconds = (performance.now() - started) / 1000;
    const [{ n }] = await send(`${service.url}/svc/v2/sql`, {
      query: 'SELECT COUNT(*) AS n FROM made',
    });
    if (n !== count) throw new Error(`made has ${n} rows`);
    return { seconds, peakMb };
  } finally {
    clearInterval(watch);
    await service.stop();
  }
}

async function ended(url, task) {
  for (;;) {
    const { status } = await send(`${url}/svc/indexer/v1/task/${task}/status`, undefined, 'GET');
    if (status.statusCode === 'SUCCESS') return;
    if (status.statusCode === 'FAILED')
      throw new Error(`Task [${task}] failed: ${status.errorMsg}`);
    await new Promise((wake) => setTimeout(wake, 20));
  }
}

const specification = (folder) => ({
  type: 'index_parallel',
  spec: {
    dataSchema: {
      dataSource: 'made',
      timestampSpec: { column: 'time', format: 'iso' },
      dimensionsSpec: {
        dimensions: [
          'page',
          'channel',
          'city',
          { type: 'long', name: 'added' },
          { type: 'long', name: 'deleted' },
          { type: 'double', name: 'share' },
          'isNew',
        ],
      },
      granularitySpec: { segmentGranularity: 'DAY', rollup: false },
    },
    ioConfig: {
      type: 'index_parallel',
      inputSource: { type: 'local', baseDir: folder, filter: 'made.csv' },
      inputFormat: { type: 'csv', findColumnsFromHeader: true },
    },
    tuningConfig: {
      type: 'index_parallel',
      partitionsSpec: { type: 'dynamic', maxRowsPerSegment: 1_000_000 },
    },
  },
});
