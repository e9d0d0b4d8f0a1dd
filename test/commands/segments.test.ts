// Segments, datasources and servers from a shell, on three days of data, a segment each.
import { beforeEach, expect, test } from 'vitest';
import { type Service, startServer } from '../../src/server/server.ts';
import { runCli } from '../support/cli.ts';
import { api } from '../support/wire.ts';

let service: Service;
beforeEach(async () => {
  service = await startServer({ port: 0 });
  const query = `REPLACE INTO "trips" OVERWRITE ALL SELECT TIME_PARSE("t") AS __time, "city" FROM TABLE(EXTERN(
    '{"type":"inline","data":"2020-01-01,ulm\\n2020-01-02,bonn\\n2020-01-03,ulm"}',
    '{"type":"csv","columns":["t","city"]}')) EXTEND ("t" VARCHAR, "city" VARCHAR) PARTITIONED BY DAY`;
  const { post, ended } = api(service);
  const { body } = await post('/svc/v2/sql/task', { query });
  expect(await ended(body.taskId)).toMatchObject({ statusCode: 'SUCCESS' });
  return () => service.close();
});

const said = async (line: string) => {
  const { code, stdout, stderr } = await runCli(service, line);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
};

test('what is loaded, where, and how full the servers are', async () => {
  const server = (await said('servers list -o name')).trim();
  expect(await said('servers list -o json')).toContain('"type":"historical"');
  expect(JSON.parse(await said(`servers get ${server} -o json`))).toMatchObject({
    host: server,
    tier: '_default_tier',
  });
  expect((await said(`servers segments ${server} -o name`)).trim().split('\n')).toHaveLength(3);
  expect(await said('servers loadqueue --columns server,toLoad')).toBe(
    `server\ttoLoad\n${server}\t0\n`,
  );
  expect(await said('servers tiers --columns tier')).toBe('tier\n_default_tier\n');
  expect(await said('servers tiers _default_tier --columns datasource')).toBe(
    'datasource\ntrips\n',
  );
  expect(await said('servers nodes broker --columns role,service')).toBe(
    'role\tservice\nbroker\tsvc/broker\n',
  );
  expect(await said('datasources load-status')).toBe('datasource\tloaded\tleft\ntrips\t100\t0\n');
  expect(await said('datasources load-status trips --interval 2020-01-01/2020-01-02')).toBe(
    'datasource\tloaded\tleft\ntrips\t100\t0\n',
  );
  expect(await said('datasources tiers trips')).toBe('tier\n_default_tier\n');
  expect(await said('datasources schema trips')).toBe(
    'column\ttype\tnullable\n__time\tTIMESTAMP\tNO\ncity\tVARCHAR\tYES\n',
  );
  expect(await said('segments missing')).toBe(
    'datasource\ttier\tcopies\ntrips\t_default_tier\t3\n',
  );
  expect(await said('segments missing --compute-using-cluster-view --no-header')).toBe('');
});

test('intervals and segments of a datasource', async () => {
  const days = (await said('datasources intervals trips --columns interval,segments --no-header'))
    .trim()
    .split('\n');
  expect(days).toEqual(
    [day('03', '04'), day('02', '03'), day('01', '02')].map((interval) => `${interval}\t1`),
  );
  expect(
    await said(
      'datasources intervals --interval 2020-01-02/2020-01-04 --columns datasource,segments --no-header',
    ),
  ).toBe('trips\t1\ntrips\t1\n');
  const [id = ''] = (await said('datasources segments trips -o name')).split('\n');
  expect(JSON.parse(await said(`datasources segments trips ${id} -o json`))).toMatchObject({
    metadata: { identifier: id },
  });
  expect(JSON.parse(await said(`segments get trips ${id} -o json`))).toMatchObject({
    identifier: id,
  });
  expect(
    JSON.parse(await said('datasources segments trips --interval 2020-01-01/2020-01-02 -o json')),
  ).toMatchObject([{ servers: [{ tier: '_default_tier' }] }]);
  expect(
    await said(
      'segments candidates trips --interval 2020-01-01/2020-01-02 --columns partition --no-header',
    ),
  ).toBe('0\n');
  expect((await runCli(service, 'datasources segments nothing')).code).toBe(3);
  expect((await runCli(service, 'segments get trips nothing')).code).toBe(3);
});

test('segments leave use, come back, and are deleted for good once they are unused', async () => {
  const changed = async (line: string) => (await runCli(service, line)).stderr.split('\n')[0];
  expect((await runCli(service, 'segments mark-unused trips')).code).toBe(2);
  expect(
    (await runCli(service, 'segments mark-unused trips --interval yesterday --yes')).code,
  ).toBe(2);
  expect((await runCli(service, 'segments mark-unused trips --all')).code).toBe(9);
  const planned = await runCli(
    service,
    'segments mark-unused trips --interval 2020-01-01/2020-01-03 --dry-run -o json',
  );
  expect(JSON.parse(planned.stdout)).toMatchObject([{ method: 'POST' }]);
  expect(await changed('segments mark-unused trips --interval 2020-01-01/2020-01-03 --yes')).toBe(
    '2 segments marked unused.',
  );
  expect(
    (await said('segments list --datasource trips --unused -o name')).trim().split('\n'),
  ).toHaveLength(2);
  const [id = ''] = (await said('segments list --datasource trips --unused -o name')).split('\n');
  expect(await changed(`segments mark-used trips ${id} --yes`)).toBe('1 segment marked used.');
  expect(await changed(`segments mark-unused trips ${id} --yes`)).toBe('1 segment marked unused.');
  expect(
    (await runCli(service, 'segments kill trips --interval 2020-01-01/2020-01-02 --yes')).code,
  ).toBe(9);
  expect(
    await changed('segments kill trips --interval 2020-01-01/2020-01-02 --confirm=trips'),
  ).toBe('A task deletes 1 unused segment.');
  await expect
    .poll(() => said('segments list --datasource trips --unused -o name'))
    .toMatch(/^trips_2020-01-02[^\n]*\n$/);
  expect(await changed('datasources drop trips --confirm=trips')).toBe(
    'Datasource [trips] is dropped: 1 segment marked unused.',
  );
  expect((await runCli(service, 'datasources drop trips --confirm=trips')).code).toBe(3);
  expect(await said('datasources list --unused -o name')).toBe('trips\n');
  expect(await changed('datasources mark-used trips --yes')).toBe('2 segments marked used.');
  expect((await runCli(service, 'datasources mark-unused trips --yes')).code).toBe(9);
  await changed('datasources mark-unused trips --confirm=trips');
  expect(await changed('datasources kill trips --confirm=trips')).toBe(
    'A task deletes 2 unused segments.',
  );
  await expect
    .poll(() => changed('datasources kill trips --confirm=trips'))
    .toBe('error: Datasource [trips] does not exist: it has no segments, in use or not');
});

const day = (from: string, to: string) =>
  `2020-01-${from}T00:00:00.000Z/2020-01-${to}T00:00:00.000Z`;

test('a datasource as the Broker and the metadata store know it', async () => {
  expect(await said('datasources list --queryable -o name')).toBe('trips\n');
  expect(await said('datasources schema trips --dimensions --interval 2020/2021 -o tsv')).toBe(
    'column\tkind\ncity\tdimension\n',
  );
  expect(
    await said(
      'datasources schema trips --metrics --interval 2020/2021 -o json --query "length(@)"',
    ),
  ).toBe('0\n');
  expect(
    await said('datasources schema trips --dimensions --metrics --interval 2020/2021 -o name'),
  ).toBe('city\n');
  expect(await said('datasources schema trips --native -o tsv')).toBe(
    'column\ttype\n__time\tLONG\ncity\tSTRING\n',
  );
  expect(JSON.parse(await said('datasources get trips --metadata'))).toMatchObject({
    name: 'trips',
    segments: [{}, {}, {}],
  });
  expect(
    (
      await said('segments list --datasource trips --overlapping 2020-01-02/2020-01-03 -o name')
    ).trim(),
  ).toMatch(/^trips_2020-01-02/);
  expect(await runCli(service, 'segments list --overlapping 2020/2021')).toMatchObject({ code: 2 });
  expect(await runCli(service, 'datasources schema trips --interval 2020/2021')).toMatchObject({
    code: 2,
  });
  expect(await runCli(service, 'datasources schema nothing --native')).toMatchObject({ code: 3 });
});

test('engines, reports of queries, clones of servers', async () => {
  expect(await said('sql engines --columns name,tasks,statements -o tsv')).toBe(
    'name\ttasks\tstatements\nnative\tfalse\tfalse\nmsq-task\ttrue\ttrue\n',
  );
  expect(await runCli(service, 'sql report nothing')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('Query [nothing] has no report'),
  });
  expect(JSON.parse(await said('servers clones -o json'))).toEqual([]);
  expect(await said('servers clones')).toBe('server\tsource\tstate\ttoLoad\ttoLoadSize\ttoDrop\n');
});
