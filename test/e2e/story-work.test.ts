// A working day: tasks, statements, native queries and workers, against any service of this API.
import { expect, test } from 'vitest';
import {
  batchOf,
  cluster,
  lacking,
  named,
  patience,
  soon,
  tellStory,
  threeDays,
} from '../support/story.ts';

const { told, said, json, changed, file, urlOf } = tellStory();
const trips = named('trips');
const towns = named('towns');
const rivers = named('rivers');

test('a native batch is tried on a few rows, submitted, and waited for', patience, async () => {
  await file('batch.json', batchOf(trips, threeDays));
  expect(await json('tasks sample batch.json --rows 2')).toMatchObject({
    numRowsRead: 2,
    numRowsIndexed: 2,
  });
  const id = (await said('tasks submit batch.json --wait --quiet')).trim();
  expect(await json(`tasks status ${id}`)).toMatchObject({
    id,
    type: 'index_parallel',
    statusCode: 'SUCCESS',
    dataSource: trips,
  });
  expect(await json(`tasks get ${id}`)).toMatchObject({
    type: 'index_parallel',
    spec: { dataSchema: { dataSource: trips } },
  });
  expect(await said(`tasks report ${id} --columns phase,processed --no-header`)).toContain(
    'buildSegments\t3\n',
  );
  expect((await said(`tasks log ${id} --tail 1`)).trim().split('\n')).toHaveLength(1);
  expect((await told(`tasks segments ${id}`)).code).toBeOneOf([0, 3]); // not every service keeps them
  expect(await said(`tasks list --datasource ${trips} --type index_parallel -o name`)).toBe(
    `${id}\n`,
  );
  expect(
    await said(
      `tasks watch --until-idle --datasource ${trips} --recent 1 --columns id,state --no-header`,
    ),
  ).toBe(`${id}\tSUCCESS\n`);
});

test(
  'a task is seen running, what it holds is shown where the service can, and it is stopped',
  patience,
  async () => {
    const id = named('nap');
    await file('nap.json', { type: 'noop', id, dataSource: trips, runTime: 600_000 });
    expect(await changed('tasks submit nap.json')).toBe(`Task [${id}] is submitted.`);
    await expect
      .poll(() => said(`tasks list --state running --datasource ${trips} -o name`), soon)
      .toBe(`${id}\n`);
    expect(await json(`why task ${id}`)).toContainEqual(
      expect.objectContaining({ check: 'state', state: 'ok' }),
    );
    const worker = `--url ${urlOf('middleManager')}`;
    expect(await said(`workers tasks ${worker} -o name`)).toBe(`${id}\n`);
    await expect.poll(() => told(`workers log ${id} ${worker}`), soon).toMatchObject({ code: 0 });
    const locks = await told(`tasks locks ${trips}`);
    expect(locks).toMatchObject(cluster ? lacking : { code: 0 });
    expect(await told(`tasks wait ${id} --max-wait 0.2`)).toMatchObject({ code: 7 });
    expect((await told(`tasks cancel --datasource ${trips}`)).code).toBe(9);
    expect((await told(`tasks cancel --datasource ${trips} --yes`)).stderr).toContain(
      `All tasks of datasource [${trips}] are stopping.`,
    );
    expect(await told(`tasks wait ${id}`)).toMatchObject({ code: 1 });
    expect(await json(`tasks status ${id}`)).toMatchObject({ statusCode: 'FAILED' });
    expect(await told(`tasks forget-pending ${trips} --yes`)).toMatchObject({ code: 0 });
  },
);

test('what is not a task is refused, what is unknown is said', patience, async () => {
  await file('none.json', { type: 'nothing-of-the-kind' });
  expect(await told('tasks submit none.json')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('nothing-of-the-kind'),
  });
  for (const line of ['get', 'status', 'report', 'log', 'segments', 'cancel', 'wait'].map(
    (verb) => `tasks ${verb} no-such-task`,
  ))
    expect({ line, ...(await told(line)) }).toMatchObject({
      line,
      code: 3,
      stderr: expect.stringMatching(/^error: .*\nhint: svcctl /),
    });
});

test('files are ingested, and the datasource answers', patience, async () => {
  await file(
    'towns.csv',
    'time,town,people\n2024-05-01T00:00:00Z,Ulm,126405\n2024-05-01T01:00:00Z,Bonn,336465\n',
  );
  await file(
    'rivers.json',
    '{"time":"2024-05-01T00:00:00Z","names":["Donau","Iller"],"widths":[90,70]}\n',
  ); // not every service reads arrays
  const [{ stderr, code }, arrays] = await Promise.all([
    told(`ingest files towns.csv --into ${towns} --wait=queryable`),
    told(`ingest files rivers.json --into ${rivers} --wait=queryable`),
  ]);
  expect(arrays).toMatchObject({ code: 0 });
  expect(await said(`sql 'SELECT names, widths FROM ${rivers}' -o json`)).toMatch(
    /Donau.*Iller.*90, ?70/,
  );
  expect({ stderr, code }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`Datasource [${towns}] answers queries`),
  });
  expect(
    await said(
      `sql 'SELECT town, SUM(people) FROM ${towns} GROUP BY 1 ORDER BY 2' -o csv --no-header`,
    ),
  ).toMatch(/^Ulm,126405\r?\nBonn,336465\r?\n$/);
  expect(await told(`sql explain 'SELECT COUNT(*) FROM ${towns}'`)).toMatchObject({ code: 0 });
  expect(await told('sql cancel no-such-query')).toMatchObject({ code: 3 });
  for (const line of ['sql engines', 'sql queries'])
    expect(await told(line)).toMatchObject(cluster ? lacking : { code: 0 });
  expect(await told('sql report no-such-query')).toMatchObject(cluster ? lacking : { code: 3 });
});

test('a statement runs on its own, and its rows are read afterwards', patience, async () => {
  const id = (
    await said(
      `statements submit 'SELECT city, SUM(n) AS n FROM ${trips} GROUP BY 1 ORDER BY 2' --wait --quiet`,
    )
  ).trim();
  expect(await said(`statements status ${id}`)).toContain('state\tSUCCESS\n');
  expect(await said(`statements results ${id} -o csv --no-header`)).toMatch(
    /^bonn,2\r?\nulm,4\r?\n$/,
  );
  expect(await told(`statements wait ${id}`)).toMatchObject({ code: 0 });
  expect(await said('statements list -o name')).toBe(`${id}\n`);
  expect(await told(`statements cancel ${id}`)).toMatchObject({ code: 0 });
  expect(await told('statements results query-no-such')).toMatchObject({ code: 3 });
  expect(await told(`statements submit 'SELECT nothing FROM ${trips}'`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('nothing'),
  });
});

test('a native query is run, and says beforehand what it would read', patience, async () => {
  const query = JSON.stringify({
    queryType: 'topN',
    dataSource: trips,
    intervals: '2020-01-01/2020-01-04',
    granularity: 'all',
    dimension: 'city',
    metric: 'sum',
    threshold: 5,
    aggregations: [{ type: 'longSum', name: 'sum', fieldName: 'n' }],
  });
  await expect
    .poll(() => told(`query run '${query}' --columns city,sum -o csv --no-header`), soon)
    .toMatchObject({
      stdout: 'ulm,4\r\nbonn,2\r\n',
    });
  expect(await json(`query candidates '${query}'`)).toHaveLength(3);
  expect(await told('query cancel no-such-query')).toMatchObject({ code: 0 });
  expect(await told(`query run '{"queryType":"nothing","dataSource":"x"}'`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('nothing'),
  });
});
