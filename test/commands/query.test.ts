// Native queries from a shell: run, candidates, cancel, against a real service.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startServer } from '../../src/server/server.ts';
import { lines, runCli, runShell } from '../support/cli.ts';
import { standIn } from '../support/stand-in.ts';
import { loadVisits } from '../support/visits.ts';

const folder = mkdtempSync(join(tmpdir(), 'svcctl-query-'));
let service: Service;
beforeAll(async () => {
  service = await startServer({ port: 0 });
  await loadVisits(service);
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const rest = { dataSource: 'visits', intervals: ['2020/2021'], granularity: 'all' };
const count = [{ type: 'count', name: 'rows' }];

/** A query in a file, for --file. */
function file(name: string, query: object): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({ ...rest, ...query }));
  return path;
}

test('the answer of the service, from an argument, a file or standard input', async () => {
  const query = JSON.stringify({
    queryType: 'timeBoundary',
    dataSource: 'visits',
    bound: 'maxTime',
  });
  const path = join(folder, 'last.json');
  writeFileSync(path, query);
  const answer =
    '[{"timestamp":"2020-01-03T10:00:00.000Z","result":{"maxTime":"2020-01-03T10:00:00.000Z"}}]\n';
  expect(await runCli(service, `query run '${query}' -o json`)).toEqual({
    stdout: answer,
    stderr: '',
    code: 0,
  });
  expect((await runCli(service, `query run -f ${path} -o json`)).stdout).toBe(answer);
  expect((await runShell(service, `svcctl query run -o json < ${path}`)).stdout).toBe(answer);
  expect(
    (await runCli(service, `query run -f ${path} -o json --query '[0].result.maxTime'`)).stdout,
  ).toBe('"2020-01-03T10:00:00.000Z"\n');
});

test.each<[string, object, string[]]>([
  [
    'timeseries',
    { aggregations: count, granularity: 'day' },
    [
      'timestamp,rows',
      '2020-01-01T00:00:00.000Z,3',
      '2020-01-02T00:00:00.000Z,2',
      '2020-01-03T00:00:00.000Z,1',
    ],
  ],
  [
    'topN',
    { dimension: 'city', threshold: 1, metric: 'rows', aggregations: count },
    ['timestamp,city,rows', '2020-01-01T00:00:00.000Z,Lima,2'],
  ],
  [
    'groupBy',
    { dimensions: ['city'], aggregations: count, limitSpec: { type: 'default', limit: 1 } },
    ['timestamp,city,rows', '2020-01-01T00:00:00.000Z,,1'],
  ],
  [
    'groupBy',
    {
      dimensions: ['city'],
      aggregations: count,
      context: { resultAsArray: true },
      filter: { type: 'selector', dimension: 'city', value: 'Oslo' },
    },
    ['column1,column2', 'Oslo,1'],
  ],
  ['scan', { columns: ['n', 'tags'], limit: 2 }, ['n,tags', '1,"[""a"",""b""]"', '2,b']],
  ['scan', { columns: ['n'], limit: 2, resultFormat: 'compactedList' }, ['n', '1', '2']],
  [
    'search',
    { searchDimensions: ['city'], query: { type: 'contains', value: 'lim' } },
    ['timestamp,dimension,value,count', '2020-01-01T00:00:00.000Z,city,Lima,2'],
  ],
])('rows of %s as CSV', async (queryType, query, expected) => {
  const { stdout, code } = await runCli(
    service,
    `query run -f ${file('rows.json', { queryType, ...query })} -o csv`,
  );
  expect([stdout, code]).toEqual([expected.map((line) => `${line}\r\n`).join(''), 0]);
});

test('rows are sorted, filtered and cut like any list; nothing found is nothing printed', async () => {
  const path = file('cities.json', {
    queryType: 'groupBy',
    dimensions: ['city'],
    aggregations: count,
  });
  expect(
    (await runCli(service, `query run -f ${path} --sort -rows --columns city,rows --limit 2`))
      .stdout,
  ).toBe('city\trows\nLima\t2\nParis\t2\n');
  const none = file('none.json', { queryType: 'scan', intervals: ['1999/2000'] });
  expect(await runCli(service, `query run -f ${none}`)).toEqual({
    stdout: '',
    stderr: 'The result has no rows\n',
    code: 0,
  });
  expect((await runCli(service, `query run -f ${none} -o json`)).stdout).toBe('[]\n');
});

test('what the service refuses, and what is not even sent', async () => {
  const refused = await runCli(
    service,
    `query run -f ${file('refused.json', { queryType: 'groupBy', granularity: 'fortnight' })}`,
  );
  expect(refused).toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('Granularity [fortnight] is unknown'),
  });
  expect(refused.code).not.toBe(0);
  const broken = await runCli(service, 'query run \'{"queryType":\'');
  expect([broken.code, broken.stderr]).toEqual([
    2,
    expect.stringContaining('error: The query cannot be used: '),
  ]);
  expect((await runCli(service, `query run '{}' -f ${folder}/none.json`)).stderr).toContain(
    'The query is given twice',
  );
});

test('Ctrl-C cancels the query on the service', async () => {
  const { url, requests } = await standIn((response, request) => {
    if (request.method === 'DELETE') response.writeHead(202).end();
  });
  const query = '{"queryType":"timeBoundary","dataSource":"visits"}';
  const { code } = await runShell(
    { url },
    `timeout --preserve-status -s INT 2 '${process.execPath}' bin/svcctl.cjs query run --query-id mine '${query}'`,
  );
  expect(code).toBe(130);
  expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /svc/v2/',
    'DELETE /svc/v2/mine',
  ]);
  expect(JSON.parse(requests[0]?.body ?? '').context).toEqual({ queryId: 'mine' });
});

test('candidates are listed with their servers', async () => {
  const path = file('candidates.json', { queryType: 'scan', intervals: ['2020-01-01/2020-01-03'] });
  const { stdout, code } = await runCli(
    service,
    `query candidates -f ${path} --num-candidates 1 -o csv --columns interval,partition`,
  );
  expect([lines(stdout).map((line) => line.trimEnd()), code]).toEqual([
    [
      'interval,partition',
      '2020-01-01T00:00:00.000Z/2020-01-02T00:00:00.000Z,0',
      '2020-01-02T00:00:00.000Z/2020-01-03T00:00:00.000Z,0',
    ],
    0,
  ]);
});

test('cancel is sent, and only said under --dry-run', async () => {
  const asked =
    'The service got the request to cancel query [mine]. It does not report whether the query was running.';
  expect(await runCli(service, 'query cancel mine')).toEqual({
    stdout: '',
    stderr: `${asked}\n`,
    code: 0,
  });
  expect((await runCli(service, 'query cancel mine --dry-run')).stdout).toContain(
    'DELETE\t/svc/v2/mine',
  );
});
