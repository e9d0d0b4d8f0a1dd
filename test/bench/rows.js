// A million rows of eight columns from the service into a file, against curl for the same reply.
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startServed } from '../support/served.js';
import { madeOfRows } from './made-rows.js';
import { ingest, median, plainEnvironment, run } from './measure.js';

// What the command asks the service for, so that curl gets the same bytes.
const resultFormats = { csv: 'csv', jsonl: 'objectLines' };

export async function rows({ quick }) {
  const count = quick ? 20_000 : 1_000_000;
  const folder = await mkdtemp(join(tmpdir(), 'svcctl-bench-'));
  const service = await startServed(['--ephemeral', '--allow-dir', folder]);
  const env = {
    ...plainEnvironment,
    SVCCTL_URL: service.url,
    XDG_CONFIG_HOME: folder,
    XDG_CACHE_HOME: folder,
  };
  const into = (file) => openSync(join(folder, file), 'w');
  try {
    await ingest(service.url, await madeOfRows(folder, count));
    const query = 'SELECT * FROM made';
    const results = [];
    for (const [format, resultFormat] of Object.entries(resultFormats)) {
      const body = JSON.stringify({ query, resultFormat, header: format === 'csv' });
      const curl = [
        '-sS',
        '--fail',
        '-H',
        'content-type: application/json',
        '-d',
        body,
        `${service.url}/svc/v2/sql`,
      ];
      const ratios = [];
      let peakMb = 0;
      let seconds = 0;
      for (let round = 0; round < (quick ? 1 : 5); round++) {
        const theirs = await toFile(into('curl'), 'curl', curl, { env });
        const ours = await toFile(
          into('ours'),
          process.execPath,
          [resolve('bin/svcctl.cjs'), 'sql', query, '-o', format],
          {
            env,
            memory: true,
          },
        );
        ratios.push(ours.ms / theirs.ms);
        peakMb = Math.max(peakMb, ours.peakMb);
        seconds = ours.ms / 1000;
      }
      results.push(
        {
          what: `${count} rows, sql -o ${format} : curl`,
          value: median(ratios),
          unit: `x (${seconds.toFixed(1)} s)`,
          atMost: 1.25,
        },
        {
          what: `${count} rows, sql -o ${format}, memory of the client`,
          value: peakMb,
          unit: 'MB',
          atMost: 150,
        },
      );
    }
    return results;
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function toFile(file, program, args, options) {
  try {
    return await run(program, args, { ...options, stdout: file });
  } finally {
    closeSync(file);
  }
}
