// The life of segments: loaded by rules, marked unused and used, deleted.
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

const { told, said, json, changed, file } = tellStory();
const trips = named('trips');
const firstDay = '2020-01-01T00:00:00.000Z/2020-01-02T00:00:00.000Z';

test('three days are ingested and loaded', patience, async () => {
  await file('batch.json', batchOf(trips, threeDays));
  await said('tasks submit batch.json --wait --quiet');
  await expect
    .poll(() => said(`datasources load-status ${trips} --no-header`), soon)
    .toBe(`${trips}\t100\t0\n`);
  await expect.poll(() => served(), soon).toBe(3);
});

test('the datasource is looked at', patience, async () => {
  expect(await json(`datasources get ${trips}`)).toMatchObject({ segments: { count: 3 } });
  const days = (
    await said(`datasources intervals ${trips} --columns interval,segments --no-header`)
  )
    .trim()
    .split('\n');
  expect([days.length, days.at(-1)]).toEqual([3, `${firstDay}\t1`]);
  expect(
    await said(
      `datasources intervals --interval 2020-01-01/2020-01-02 --columns datasource --no-header`,
    ),
  ).toContain(`${trips}\n`);
  await expect
    .poll(() => said(`datasources schema ${trips} --no-header`), soon)
    .toBe('__time\tTIMESTAMP\tNO\ncity\tVARCHAR\tYES\nn\tBIGINT\tYES\n');
  expect(await said(`datasources tiers ${trips} --no-header`)).toBe('_default_tier\n');
  const week = '2020-01-01/2020-01-08';
  expect(
    (
      await said(
        `datasources schema ${trips} --dimensions --interval ${week} --columns column --no-header`,
      )
    )
      .split('\n')
      .sort(),
  ).toEqual(['', 'city', 'n']);
  expect(await told(`datasources schema ${trips} --native`)).toMatchObject(
    cluster
      ? { code: 3, stderr: expect.stringContaining('native types') }
      : { code: 0, stdout: expect.stringContaining('city\tSTRING') },
  );
  expect(await said(`datasources handed-off ${trips} --interval 2020-01-01/2020-01-02`)).toBe(
    'true\n',
  );
  expect(
    await said(`datasources load-status ${trips} --interval 2020-01-01/2020-01-02 --no-header`),
  ).toBe(`${trips}\t100\t0\n`);
  for (const verb of ['get', 'intervals', 'segments', 'schema', 'tiers'])
    expect({ verb, ...(await told(`datasources ${verb} no-such`)) }).toMatchObject({
      verb,
      code: 3,
      stderr: expect.stringContaining('[no-such]'),
    });
});

test('its segments are looked at, one by one', patience, async () => {
  const ids = (await said(`segments list --datasource ${trips} -o name`)).trim().split('\n');
  expect(ids).toHaveLength(3);
  expect(await json(`segments get ${trips} ${ids[0]}`)).toMatchObject({
    dataSource: trips,
    interval: firstDay,
    identifier: ids[0],
  });
  expect(await json(`datasources segments ${trips} ${ids[0]}`)).toMatchObject({
    metadata: { identifier: ids[0] },
  });
  expect(await said(`datasources segments ${trips} --interval 2020-01-01/2020-01-02 -o name`)).toBe(
    `${ids[0]}\n`,
  );
  expect(
    await said(
      `segments candidates ${trips} --interval 2020-01-01/2020-01-02 --columns interval --no-header`,
    ),
  ).toBe(`${firstDay}\n`);
  expect((await json(`why segment ${ids[0]}`)).at(-1)).toMatchObject({
    check: 'available',
    state: 'ok',
  });
  expect(await told(`segments get ${trips} no-such`)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('no-such'),
  });
  expect((await told('segments missing')).code).toBe(0);
});

test('so are the servers that have them', patience, async () => {
  const server = (await said('servers list -o name')).trim();
  expect(await json(`servers get ${server}`)).toMatchObject({
    host: server,
    tier: '_default_tier',
    type: 'historical',
  });
  expect(
    await said(`servers segments ${server} --where 'datasource = "${trips}"' -o name`),
  ).toContain(trips);
  expect(await said('servers loadqueue --columns server,toLoad --no-header')).toBe(
    `${server}\t0\n`,
  );
  expect(await said('servers tiers --columns tier --no-header')).toBe('_default_tier\n');
  expect(await said('servers tiers _default_tier --columns datasource --no-header')).toContain(
    `${trips}\n`,
  );
  expect(await said('servers nodes broker --columns role --no-header')).toBe('broker\n');
  expect(
    (await said('servers nodes --columns role --no-header')).trim().split('\n').sort(),
  ).toEqual(['broker', 'coordinator', 'historical', 'middleManager', 'overlord', 'router']);
  expect(await told(`servers drain ${server} --yes`)).toMatchObject({
    code: 9,
    stderr: expect.stringContaining('the only one of tier'),
  });
  expect(await told(`servers drain ${server} --force --no-wait --yes`)).toMatchObject({ code: 0 });
  expect(await json('config coordinator get')).toMatchObject({ decommissioningNodes: [server] });
  expect(await told(`servers enable ${server} --yes`)).toMatchObject({ code: 0 });
  expect(await json('config coordinator get')).toMatchObject({ decommissioningNodes: [] });
  expect(await told('servers clones')).toMatchObject(cluster ? lacking : { code: 0 });
  expect(await told('servers tiers no-such')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('[no-such]'),
  });
  expect(await told('servers get no-such:1')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('hint: svcctl servers list'),
  });
});

test('rules are put in order, tried beforehand, followed, and taken back', patience, async () => {
  await said('config coordinator set pauseCoordination=true'); // or else it follows them before they are tried
  expect(
    await changed(
      `rules add ${trips} --type loadByPeriod --period P100Y --replicas _default_tier=1 --author me --comment keep`,
    ),
  ).toBe(`Rule 1 of 1 of datasource [${trips}] is added.`);
  await said(
    `rules add ${trips} --type dropByInterval --interval 2020-01-03/2020-01-04 --at 1 --yes`,
  );
  expect(await said(`rules get ${trips} --columns type --no-header`)).toBe(
    'dropByInterval\nloadByPeriod\n',
  );
  expect(
    await said(
      `rules preview ${trips} --at now --at +1y --columns rule,segments --where 'segments > 0' --no-header`,
    ),
  ).toBe('1 dropByInterval\t1\n2 loadByPeriod\t2\n'.repeat(2));
  await said('config coordinator set pauseCoordination=false');
  await expect.poll(() => served(), soon).toBe(2); // by the real engine's own time
  expect(await said(`rules history ${trips} --columns author,comment --no-header`)).toContain(
    'me\tkeep\n',
  );
  expect((await said('rules list --columns datasource --no-header')).split('\n')).toEqual(
    expect.arrayContaining(['_default', trips]),
  );
  expect(await changed(`rules remove ${trips} 1 --yes`)).toBe(`Datasource [${trips}] has 1 rule.`);
  expect(await said(`segments mark-used ${trips} --all --yes`)).toBe('');
  await expect.poll(() => served(), soon).toBe(3);
});

test('there are rules for all', patience, async () => {
  const [before] = await json('rules default');
  expect(before).toMatchObject({ type: 'loadForever' });
  await file('default.json', [{ type: 'loadForever', tieredReplicants: { _default_tier: 1 } }]);
  expect(await changed('rules default --file default.json --comment once')).toBe(
    'There is 1 default rule.',
  );
  expect(await said('rules default --columns replicas --no-header')).toBe('_default_tier=1\n');
  await file('default.json', [before]);
  await said('rules default --file default.json');
});

test('segments leave use and come back, by id, by interval, and all', patience, async () => {
  const [id] = (await said(`segments list --datasource ${trips} -o name`)).split('\n');
  expect(await told(`segments mark-unused ${trips} ${id}`)).toMatchObject({ code: 9 });
  expect(await changed(`segments mark-unused ${trips} ${id} --yes`)).toBe(
    '1 segment marked unused.',
  );
  expect(await changed(`segments mark-used ${trips} ${id} --yes`)).toBe('1 segment marked used.');
  expect(
    await changed(`segments mark-unused ${trips} --interval 2020-01-01/2020-01-03 --yes`),
  ).toBe('2 segments marked unused.');
  expect(await told(`segments list --datasource ${trips} --unused`)).toMatchObject(
    cluster ? lacking : { code: 0 },
  );
  expect(await changed(`segments mark-used ${trips} --interval 2020-01-01/2020-01-02 --yes`)).toBe(
    '1 segment marked used.',
  );
  expect(await changed(`segments mark-used ${trips} --all --yes`)).toBe('1 segment marked used.');
});

test('one day is deleted for good, then everything', patience, async () => {
  await expect.poll(() => used(), soon).toBe(3);
  await said(`segments mark-unused ${trips} --interval ${firstDay} --yes`);
  await said(`segments kill ${trips} --interval ${firstDay} --confirm=${trips}`);
  await settled();
  expect(await changed(`segments mark-used ${trips} --interval ${firstDay} --yes`)).toBe(
    '0 segments marked used.',
  );
  expect(await told(`datasources drop ${trips} --yes`)).toMatchObject({ code: 9 });
  expect(await changed(`datasources drop ${trips} --confirm=${trips}`)).toBe(
    `Datasource [${trips}] is dropped: 2 segments marked unused.`,
  );
  await expect
    .poll(async () => (await said('datasources list -o name')).split('\n'), soon)
    .not.toContain(trips);
  expect(await changed(`datasources mark-used ${trips} --yes`)).toBe('2 segments marked used.');
  await expect.poll(() => used(), soon).toBe(2);
  await said(`datasources mark-unused ${trips} --confirm=${trips}`);
  await said(`datasources kill ${trips} --confirm=${trips}`);
  await settled();
  expect(await changed(`datasources mark-used ${trips} --yes`)).toBe('0 segments marked used.');
});

const served = () => counted(`datasources segments ${trips} -o name`);

// The real engine's Coordinator reads the metadata store only now and then.
const used = () => counted(`segments list --datasource ${trips} -o name`);

const counted = async (line: string) => (await told(line)).stdout.split('\n').length - 1;

const settled = () => said(`tasks watch --until-idle --datasource ${trips} --type kill`);
