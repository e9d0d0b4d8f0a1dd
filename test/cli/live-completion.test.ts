// Completion from live data: names of the service and of earlier commands.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Service, startServer } from '../../src/server/server.ts';
import { lines, runCli, runShell } from '../support/cli.ts';
import { standIn } from '../support/stand-in.ts';

let service: Service;
beforeAll(async () => {
  service = await startServer({ port: 0 });
  const load =
    "REPLACE INTO edits OVERWRITE ALL SELECT TIMESTAMP '2024-05-01' AS __time, 1 AS n UNION ALL SELECT TIMESTAMP '2024-05-02', 2 PARTITIONED BY DAY";
  const { code } = await runCli(service, `ingest sql "${load}" --wait=queryable --quiet`);
  expect(code).toBe(0);
  return () => service.close();
}, 60_000);

// Each has a cache and a state of its own.
function atHome(at: { url: string } = service) {
  const home = mkdtempSync(join(tmpdir(), 'svcctl-live-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env = {
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CONFIG_HOME: join(home, 'config'),
  };
  const run = (line: string) => runShell(at, line, { env });
  const complete = async (words: string) =>
    lines((await run(`svcctl __complete -- ${words}`)).stdout).filter((line) => line !== '');
  return { run, complete };
}

test('segments of the datasource that was named', async () => {
  const { run, complete } = atHome();
  const ids = lines((await run('svcctl segments list -o name')).stdout);
  expect(ids).toHaveLength(2);
  expect(await complete("segments get edits ''")).toEqual(ids);
  expect(await complete('datasources segments edits edits_2024-05-02')).toEqual(
    ids.filter((id) => id.startsWith('edits_2024-05-02')),
  );
  expect(await complete(`segments mark-unused edits '${ids[0]}' ''`)).toEqual(ids.slice(1));
  expect(await complete("segments mark-used edits ''")).toEqual([]);
});

test('datasources for --into', async () => {
  const { complete } = atHome();
  expect(await complete("ingest files rows.csv --into ''")).toEqual(['edits']);
  expect(await complete("tasks create rows.csv --into ''")).toEqual(['edits']);
  expect(await complete("supervisors create topic --into ''")).toEqual(['edits']);
});

test('changes that can be taken back, also the one just made', async () => {
  const { run, complete } = atHome();
  expect(await complete("undo ''")).toEqual([]);
  await run('svcctl config coordinator set maxSegmentsToMove=50');
  const [id = ''] = await complete("undo ''");
  expect(await run(`svcctl undo ${id} --yes`)).toMatchObject({ code: 0 });
  expect(await complete("undo ''")).not.toContain(id);
});

test('fields of a configuration where they are set, and tiers', async () => {
  const { complete } = atHome();
  expect(await complete('config coordinator set pause')).toEqual(['pauseCoordination=']);
  expect(await complete("config overlord set ''")).toContain('selectStrategy=');
  expect(await complete("config coordinator get ''")).toEqual([]);
  expect(await complete('rules add edits --replicas _def')).toEqual(['_default_tier=']);
  const lookups = await standIn((response) =>
    response.setHeader('content-type', 'application/json').end('{"one":{},"two":{}}'),
  );
  for (const words of ['lookups list', 'lookups get', 'lookups nodes'])
    expect(await atHome(lookups).complete(`${words} --tier ''`)).toEqual(['one', 'two']);
});

test('queries that run, where they have an id', async () => {
  const queries = {
    queries: [{ sqlQueryId: 'slow-one' }, { engine: 'native' }, { sqlQueryId: 'other' }],
  };
  const { complete } = atHome(
    await standIn((response) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(queries)),
    ),
  );
  expect(await complete('sql cancel sl')).toEqual(['slow-one']);
  expect(await complete("sql report ''")).toEqual(['slow-one', 'other']);
});

test('paths of the API by their method and the name of the service', async () => {
  const { complete } = atHome();
  expect(await complete('api GET /stat')).toContain('/status/health');
  expect(await complete('api POST /svc/indexer/v1/supervisor/it/')).toContain(
    '/svc/indexer/v1/supervisor/it/suspend',
  );
  expect(await complete('api GET /svc/indexer/v1/supervisor/it/')).not.toContain(
    '/svc/indexer/v1/supervisor/it/suspend',
  );
  expect(await complete('--service druid api GET /druid/v2/sql/e')).toEqual([
    '/druid/v2/sql/engines',
  ]);
  expect(await complete('--service druid api GET /svc/v2/sql/e')).toEqual(['/svc/v2/sql/engines']);
});

test('of more names than anybody reads, the ways in which they go on', async () => {
  const names = Array.from({ length: 600 }, (_, at) => `events_${String(at).padStart(3, '0')}`);
  const { complete } = atHome(await standIn((response) => response.end(JSON.stringify(names))));
  expect(await complete("datasources get ''")).toEqual([
    'events_0',
    'events_1',
    'events_2',
    'events_3',
    'events_4',
    'events_5',
  ]);
  expect(await complete('datasources get events_1')).toEqual(names.slice(100, 200));
});
