// Some questions to a million rows; without targets, so that later changes can be compared.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServed } from '../support/served.js';
import { madeOfRows } from './made-rows.js';
import { ingest, median, send } from './measure.js';

const questions = {
  'SELECT 1': 'SELECT 1',
  count: 'SELECT COUNT(*) FROM made',
  'top 10 pages': 'SELECT page, SUM(added) AS added FROM made GROUP BY 1 ORDER BY 2 DESC LIMIT 10',
  'by hour':
    "SELECT TIME_FLOOR(__time, 'PT1H') AS t, SUM(added), SUM(deleted) FROM made GROUP BY 1 ORDER BY 1",
  LIKE: "SELECT COUNT(*) FROM made WHERE page LIKE '%99%'",
  'distinct pages': 'SELECT COUNT(DISTINCT page) FROM made',
  'one hour':
    "SELECT channel, COUNT(*) FROM made WHERE __time >= '2024-05-01T10:00:00' AND __time < '2024-05-01T11:00:00' GROUP BY 1",
  'join with itself':
    'SELECT COUNT(*) FROM (SELECT page, SUM(added) AS a FROM made GROUP BY 1) AS l JOIN (SELECT page, MAX(share) AS s FROM made GROUP BY 1) AS r ON l.page = r.page',
};

export async function queries({ quick }) {
  const folder = await mkdtemp(join(tmpdir(), 'svcctl-bench-'));
  const service = await startServed(['--ephemeral', '--allow-dir', folder]);
  try {
    await ingest(service.url, await madeOfRows(folder, quick ? 20_000 : 1_000_000));
    const results = [];
    for (const [what, query] of Object.entries(questions)) {
      const times = [];
      for (let round = 0; round < (quick ? 1 : 11); round++) {
        const started = performance.now();
        await send(`${service.url}/svc/v2/sql`, { query });
        times.push(performance.now() - started);
      }
      results.push({ what, value: median(times), unit: 'ms' });
    }
    return results;
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
