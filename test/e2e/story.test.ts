// A first day with the service, against any implementation of the API. Only the profile differs.
import { expect, test } from 'vitest';
import { cluster, named, patience, soon, tellStory } from '../support/story.ts';

const { url, told, file } = tellStory();
const datasource = named('story');

test('a profile finds out who the service is', patience, async () => {
  const added = await svcctl(`profiles add story --url ${url()}`);
  expect(added).toMatchObject({ code: 0 });
  const shown = await svcctl('profiles show story -o json');
  expect(JSON.parse(shown.stdout)).toMatchObject({ service: cluster ? 'druid' : 'analytics' });
});

test('it is healthy and has a version', patience, async () => {
  expect(await svcctl('status health')).toMatchObject({ code: 0 });
  const status = await svcctl('status get -o json');
  expect(JSON.parse(status.stdout)).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+/),
    modules: expect.any(Array),
  });
});

let taskId: string;

test('rows are ingested by a task, which is waited for', patience, async () => {
  const { stdout, stderr, code } = await svcctl(
    `ingest sql -f statement.sql --wait=queryable -o json`,
  );
  expect({ stderr, code }).toMatchObject({ code: 0 });
  taskId = /"((?:query|ingest)-[\w-]+)"/.exec(stdout)?.[1] ?? '';
  expect(taskId).not.toBe('');
});

test('the task is listed, with its datasource', patience, async () => {
  const { stdout, code } = await svcctl(`tasks list --datasource ${datasource} -o json`);
  expect(code).toBe(0);
  const tasks = JSON.parse(stdout) as { id: string }[];
  expect(tasks.find(({ id }) => id === taskId)).toMatchObject({
    type: 'query_controller',
    statusCode: 'SUCCESS',
    dataSource: datasource,
  });
});

test('it reports its stages', patience, async () => {
  const table = await svcctl(`tasks report ${taskId}`);
  expect(table.code).toBe(0);
  const report = JSON.parse((await svcctl(`tasks report ${taskId} -o json`)).stdout);
  expect(report.multiStageQuery.payload).toMatchObject({
    status: { status: 'SUCCESS' },
    stages: expect.any(Array),
  });
});

test('it has a log', patience, async () => {
  const { stdout, code } = await svcctl(`tasks log ${taskId}`);
  expect({ code, isEmpty: stdout === '' }).toEqual({ code: 0, isEmpty: false });
});

test('SQL sees the rows, in every format', patience, async () => {
  const query = `SELECT TIME_FORMAT(__time, 'yyyy-MM-dd') AS "day", COUNT(*) AS edits, SUM(added) AS added FROM ${datasource} GROUP BY 1 ORDER BY 1`;
  const run = async (format: string) =>
    (await svcctl(`sql "${query.replaceAll('"', '\\"')}" -o ${format}`)).stdout;
  expect(await run('csv')).toBe(
    'day,edits,added\n2024-05-01,2,4611686018427387914\n2024-05-02,1,7\n',
  );
  expect(await run('jsonl')).toBe(
    '{"day":"2024-05-01","edits":2,"added":4611686018427387914}\n{"day":"2024-05-02","edits":1,"added":7}\n',
  );
  expect(await run('tsv')).toBe(
    'day\tedits\tadded\n2024-05-01\t2\t4611686018427387914\n2024-05-02\t1\t7\n',
  );
});

test('SQL takes parameters', patience, async () => {
  const { stdout } = await svcctl(
    `sql 'SELECT page FROM ${datasource} WHERE added = ?' --param BIGINT:7 -o json`,
  );
  expect(JSON.parse(stdout)).toEqual([{ page: 'Ελλάδα' }]);
});

test('a query that is wrong is refused with its place', patience, async () => {
  const { stderr, stdout, code } = await svcctl(`sql 'SELECT nope FROM ${datasource}'`);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^error: .*nope/m);
});

test('datasource and segments are listed', patience, async () => {
  const datasources = JSON.parse((await svcctl('datasources list -o json')).stdout) as {
    name: string;
  }[];
  expect(datasources.map(({ name }) => name)).toContain(datasource);
  const segments = JSON.parse(
    (await svcctl(`segments list --datasource ${datasource} -o json`)).stdout,
  ) as { interval: string }[];
  expect(segments).toHaveLength(2);
});

test('rules are set and read back', patience, async () => {
  const rules = [
    {
      type: 'loadByPeriod',
      period: 'P10Y',
      includeFuture: true,
      tieredReplicants: { _default_tier: 1 },
    },
    { type: 'dropForever' },
  ];
  await file('rules.json', rules);
  expect(
    await svcctl(`rules set ${datasource} --file rules.json --comment story --yes`),
  ).toMatchObject({ code: 0 });
  const { stdout } = await svcctl(`rules get ${datasource} -o json`);
  expect(JSON.parse(stdout)).toMatchObject(rules);
});

test('what does not exist is said, with exit code 3', patience, async () => {
  const { stderr, code } = await svcctl('tasks status story-no-such-task');
  expect({ stderr, code }).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('story-no-such-task'),
  });
});

test('a dropped datasource is not listed any more', patience, async () => {
  expect(
    await svcctl(`api DELETE /svc/coordinator/v1/datasources/${datasource} --yes`),
  ).toMatchObject({ code: 0 });
  await expect
    .poll(async () => (await svcctl('datasources list -o name')).stdout.split('\n'), soon)
    .not.toContain(datasource);
});

// By the profile alone.
async function svcctl(line: string) {
  await file('statement.sql', statement);
  return told(line, {
    SVCCTL_URL: '',
    SVCCTL_SERVICE: '',
    ...(!line.startsWith('profiles') && { SVCCTL_PROFILE: 'story' }),
  });
}

const rows = [
  { time: '2024-05-01T08:00:00Z', page: 'Berlin', added: '4611686018427387904' },
  { time: '2024-05-01T09:30:00Z', page: 'O\'Hara, "Scarlett"', added: '10' },
  { time: '2024-05-02T00:00:00Z', page: 'Ελλάδα', added: '7' },
];
const inline = JSON.stringify({
  type: 'inline',
  data: rows.map((row) => JSON.stringify(row)).join('\n'),
}).replaceAll("'", "''");
const statement = `REPLACE INTO ${datasource} OVERWRITE ALL
SELECT TIME_PARSE("time") AS __time, page, CAST(added AS BIGINT) AS added
FROM TABLE(EXTERN('${inline}', '{"type":"json"}')) EXTEND ("time" VARCHAR, page VARCHAR, added VARCHAR)
PARTITIONED BY DAY
CLUSTERED BY page`;
