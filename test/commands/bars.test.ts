// Bars next to the numbers of lists: on a terminal only.
import { expect, test } from 'vitest';
import { lines, runCli } from '../support/cli.ts';
import { standIn } from '../support/stand-in.ts';

const answering = (answers: Readonly<Record<string, unknown>>) =>
  standIn((response, { path }) => {
    const found = Object.entries(answers).find(([end]) => path.includes(end));
    response.setHeader('content-type', 'application/json');
    if (found) response.end(JSON.stringify(found[1]));
    else response.writeHead(404).end('{}');
  });

const terminal = { tty: true, cols: 80, env: { NO_COLOR: '1', LANG: 'C.UTF-8' } };

const datasource = (name: string, size: number) => ({
  name,
  properties: {
    tiers: { hot: { segmentCount: 1, size } },
    segments: { count: 1, size, minTime: '2024-05-01T00:00:00.000Z' },
  },
});

test('datasources have a bar of their size in the greatest one', async () => {
  const service = await answering({
    '/v1/datasources': [datasource('edits', 4096), datasource('trips', 1024)],
  });
  const { stdout } = await runCli(service, 'datasources list --columns name,size', terminal);
  expect(lines(stdout)).toEqual(['NAME      SIZE', 'edits  4.0 KiB', 'trips  1.0 KiB']);
  const whole = await runCli(service, 'datasources list', terminal);
  expect(whole.stdout).toMatch(/NAME +SEGMENTS +SIZE +SHARE/);
  expect(whole.stdout).toMatch(/edits +1 {2}4\.0 KiB {2}██████ {2}80 %/);
  expect(whole.stdout).toMatch(/trips +1 {2}1\.0 KiB {2}██░░░░ {2}20 %/);
  expect((await runCli(service, 'datasources list')).stdout).toMatch(
    /^name\tsegments\tsize\trows\t/,
  );
  const narrow = await runCli(service, 'datasources list', { ...terminal, cols: 60 });
  expect(narrow.stdout).toMatch(/edits +1 {2}4\.0 KiB {3}80 %/);
  const ascii = { ...terminal, env: { NO_COLOR: '1', LC_ALL: 'C' } };
  expect((await runCli(service, 'datasources list', ascii)).stdout).toContain('##....');
});

test('servers and tiers have a bar of their fill, load queues one of their size', async () => {
  const size = { currSize: 50, maxSize: 100 };
  const service = await answering({
    '/loadqueue': {
      'a:8083': { segmentsToLoad: 2, segmentsToLoadSize: 2048 },
      'b:8083': { segmentsToLoad: 1, segmentsToLoadSize: 1024 },
    },
    '/servers': [{ host: 'a:8083', tier: 'hot', type: 'historical', priority: 0, ...size }],
    '/tiers': { hot: size },
  });
  expect((await runCli(service, 'servers list', terminal)).stdout).toMatch(
    /100 B {2}███░░░ {2}50 %\n/,
  );
  expect((await runCli(service, 'servers tiers', terminal)).stdout).toMatch(
    /100 B {2}███░░░ {2}50 %\n/,
  );
  expect((await runCli(service, 'servers loadqueue', terminal)).stdout).toMatch(
    /2\.0 KiB {2}██████ {2}67 %[\s\S]*1\.0 KiB {2}███░░░ {2}33 %/,
  );
});

test('the tiers of a datasource have sizes and bars for people', async () => {
  const service = await answering({
    '/edits/tiers': ['hot', 'cold'],
    '/datasources/edits': {
      tiers: { hot: { segmentCount: 3, size: 4096 }, cold: { segmentCount: 2, size: 2048 } },
      segments: { count: 5, size: 6144 },
    },
  });
  const { stdout } = await runCli(service, 'datasources tiers edits', terminal);
  expect(lines(stdout)).toEqual([
    'TIER  SEGMENTS     SIZE         SHARE',
    'hot          3  4.0 KiB  ██████  67 %',
    'cold         2  2.0 KiB  ███░░░  33 %',
  ]);
  expect((await runCli(service, 'datasources tiers edits')).stdout).toBe('tier\nhot\ncold\n');
});

test('compaction has a bar of what is done', async () => {
  const status = {
    dataSource: 'edits',
    scheduleStatus: 'RUNNING',
    bytesAwaitingCompaction: 1024,
    bytesCompacted: 3072,
    bytesSkipped: 9,
    segmentCountAwaitingCompaction: 1,
    segmentCountCompacted: 3,
    segmentCountSkipped: 0,
    intervalCountAwaitingCompaction: 1,
    intervalCountCompacted: 3,
    intervalCountSkipped: 0,
  };
  const service = await answering({
    '/compaction/status': { latestStatus: [status] },
    '/compaction/progress': { remainingSegmentSize: 1024 },
  });
  expect((await runCli(service, 'compaction status', terminal)).stdout).toMatch(
    /edits {7}RUNNING {2}█████░ {2}75 % /,
  );
  expect((await runCli(service, 'compaction progress edits', terminal)).stdout).toBe(
    `${'█'.repeat(23)}${'░'.repeat(7)} 75 %, 1.0 KiB of 4.0 KiB await compaction\n`,
  );
  expect(JSON.parse((await runCli(service, 'compaction progress edits -o json')).stdout)).toEqual({
    remainingSegmentSize: 1024,
  });
});
