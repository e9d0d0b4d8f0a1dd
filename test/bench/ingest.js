// Batch ingestion until SUCCESS: the Wikipedia edits and a large CSV file.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startServed } from '../support/served.js';
import { madeOfRows } from './made-rows.js';
import { ingest as ingestStatement, median, send } from './measure.js';

const text =
  'channel cityName comment countryIsoCode countryName isAnonymous isMinor isNew isRobot isUnpatrolled namespace page regionIsoCode regionName user';
const numbers = 'added deleted delta';
const columns = [...text.split(' '), ...numbers.split(' ')];

export async function ingest({ quick }) {
  const edits = resolve('src/demo');
  const folder = await mkdtemp(join(tmpdir(), 'svcctl-bench-'));
  const service = await startServed(['--ephemeral', '--allow-dir', folder, '--allow-dir', edits]);
  try {
    const seconds = [];
    for (let round = 0; round < (quick ? 1 : 5); round++)
      seconds.push(await ingestStatement(service.url, wikipedia(edits)));
    const [{ n }] = await send(`${service.url}/svc/v2/sql`, {
      query: 'SELECT COUNT(*) AS n FROM wikipedia',
    });
    if (n !== 39_244) throw new Error(`wikipedia has ${n} rows`);
    const count = quick ? 20_000 : 1_000_000;
    const statement = await madeOfRows(folder, count);
    const perSecond = [];
    for (let round = 0; round < (quick ? 1 : 3); round++)
      perSecond.push(count / (await ingestStatement(service.url, statement)));
    return [
      { what: 'the first ingestion of 39,244 edits', value: seconds[0], unit: 's', atMost: 2 },
      { what: '39,244 edits, median', value: median(seconds), unit: 's', atMost: 2 },
      { what: `${count} rows of CSV`, value: median(perSecond), unit: 'rows/s', atLeast: 200_000 },
    ];
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function wikipedia(folder) {
  const source = {
    type: 'local',
    baseDir: folder,
    filter: 'wikiticker-2015-09-12-sampled.json.gz',
  };
  const signature = ['time', ...columns]
    .map((name) => `"${name}" ${numbers.split(' ').includes(name) ? 'BIGINT' : 'VARCHAR'}`)
    .join(', ');
  return `REPLACE INTO wikipedia OVERWRITE ALL
    SELECT TIME_PARSE("time") AS __time, ${columns.map((name) => `"${name}"`).join(', ')}
    FROM TABLE(EXTERN('${JSON.stringify(source)}', '{"type":"json"}')) EXTEND (${signature})
    PARTITIONED BY DAY`;
}
