// Governing a cluster: compaction, dynamic configuration, lookups, cluster state.
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
const month = '2020-01-01T00:00:00.000Z/2020-02-01T00:00:00.000Z';

test('the cluster is looked at', patience, async () => {
  expect(await json('cluster status')).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+/),
  });
  expect(await json('cluster health')).toMatchObject({ healthy: true });
  expect(await said('cluster leader --columns role,leads --no-header')).toBe(
    'coordinator\ttrue\noverlord\ttrue\n',
  );
  expect(await said('cluster properties -o name')).toMatch(/host/);
  expect(
    await said(`cluster readiness --url ${urlOf('broker')} --columns what,state --no-header`),
  ).toContain('broker\tready\n');
  expect(await told('cluster duties')).toMatchObject(cluster ? lacking : { code: 0 });
  expect(await json('cluster routes')).toMatchObject({
    brokers: expect.any(Object),
    forwards: true,
  });
  expect(await json('status')).toMatchObject({ healthy: true });
  expect(await said('api GET /svc/coordinator/v1/leader')).toMatch(/^https?:/);
  // Whatever stories were told before: tasks that were stopped have failed.
  expect(await told('cluster check')).toMatchObject({
    code: expect.toBeOneOf([0, 1]),
    stdout: expect.stringMatching(/^CLUSTER (OK|WARNING) - /),
  });
  expect((await told('cluster doctor')).code).toBeOneOf([0, 10]);
});

test('the configuration of the Coordinator is changed and rolled back', patience, async () => {
  const { maxSegmentsToMove } = await json('config coordinator get');
  await said('config coordinator set maxSegmentsToMove=71 --author me --comment first');
  await said('config coordinator set maxSegmentsToMove=72 --author me --comment second');
  expect(await json('config coordinator get')).toMatchObject({ maxSegmentsToMove: 72 });
  expect(
    (await said('config coordinator history --columns author,comment --no-header'))
      .split('\n')
      .slice(0, 2),
  ).toEqual(['me\tsecond', 'me\tfirst']);
  expect(await told('config coordinator rollback')).toMatchObject({ code: 9 });
  await said('config coordinator rollback --yes');
  expect(await json('config coordinator get')).toMatchObject({ maxSegmentsToMove: 71 });
  await said(`config coordinator set maxSegmentsToMove=${maxSegmentsToMove}`);
});

test(
  'so is that of the Overlord; the Brokers have one where the service is new enough',
  patience,
  async () => {
    await said(`config overlord set 'selectStrategy={"type":"equalDistribution"}' --comment even`);
    expect(await json('config overlord get')).toMatchObject({
      selectStrategy: { type: 'equalDistribution' },
    });
    expect(await said('config overlord history --columns comment --no-header')).toContain('even\n');
    await said(`config overlord set 'selectStrategy={"type":"fillCapacity"}' --comment full`);
    await said('config overlord rollback --yes');
    expect(
      await told('config overlord edit', { EDITOR: 'sed -i s/equalDistribution/fillCapacity/' }),
    ).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('selectStrategy.type: equalDistribution -> fillCapacity\n'),
    });
    await said('undo --yes');
    expect(await json('config overlord get')).toMatchObject({
      selectStrategy: { type: 'equalDistribution' },
    });
    expect(await told('config brokers get')).toMatchObject(cluster ? lacking : { code: 0 });
    expect(await told('config synced')).toMatchObject(cluster ? lacking : { code: 0 });
  },
);

test(
  'a datasource is compacted: three days become one month, and no row is lost',
  patience,
  async () => {
    await file('batch.json', batchOf(trips, threeDays));
    await said('tasks submit batch.json --wait --quiet');
    // A Coordinator that has just begun to lead keeps what is replaced for a quarter of an hour,
    // unless told otherwise.
    const { millisToWaitBeforeDeleting } = await json('config coordinator get');
    await said('config coordinator set millisToWaitBeforeDeleting=0');
    expect(await json('compaction slots --ratio 1 --max 2')).toMatchObject({ ratio: 1, max: 2 });
    expect(
      await changed(
        `compaction set ${trips} --segment-granularity MONTH --skip-offset PT0S --comment monthly`,
      ),
    ).toBe(`Datasource [${trips}] is compacted automatically.`);
    expect(await json(`compaction get ${trips}`)).toMatchObject({
      dataSource: trips,
      skipOffsetFromLatest: 'PT0S',
    });
    expect((await told(`compaction status ${trips}`)).code).toBeOneOf([0, 8]); // the Coordinator may not have looked yet
    for (const verb of ['get', 'status', 'progress', 'delete --yes'])
      expect({ verb, ...(await told(`compaction ${verb} no-such`)) }).toMatchObject({
        verb,
        code: 3,
        stderr: expect.stringContaining('[no-such]'),
      });
    expect(await said('compaction list --columns datasource,granularity --no-header')).toContain(
      `${trips}\tMONTH\n`,
    );
    expect(await said(`compaction history ${trips} --columns comment --no-header`)).toBe(
      'monthly\n',
    );
    // Until the Coordinator has seen the segments there is nothing to do; then a task does it.
    const segments = async () => {
      await said('compaction run');
      return said(`segments list --datasource ${trips} --columns interval --no-header`);
    };
    await expect.poll(segments, { ...soon, interval: 3000 }).toBe(`${month}\n`);
    await expect
      .poll(() => said(`sql 'SELECT COUNT(*), SUM(n) FROM ${trips}' -o csv --no-header`), soon)
      .toMatch(/^3,6\r?\n$/);
    await expect
      .poll(() => said(`datasources intervals ${trips} --columns interval --no-header`), soon)
      .toBe(`${month}\n`);
    await said(`config coordinator set millisToWaitBeforeDeleting=${millisToWaitBeforeDeleting}`);
    expect(await told(`compaction status ${trips}`)).toMatchObject({ code: 0 });
    expect(await told(`compaction progress ${trips}`)).toMatchObject({ code: 0 });
    expect(await told('compaction cluster')).toMatchObject(cluster ? lacking : { code: 0 });
    expect(await told('compaction simulate')).toMatchObject(cluster ? lacking : { code: 0 });
    expect(
      await told(`compaction edit ${trips}`, { EDITOR: 'sed -i s/MONTH/YEAR/' }),
    ).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('MONTH -> YEAR\n'),
    });
    expect(await changed(`compaction delete ${trips} --yes`)).toBe(
      `Datasource [${trips}] is no longer compacted.`,
    );
    expect(await told(`compaction get ${trips}`)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('hint: svcctl compaction list'),
    });
  },
);

test('a lookup is set, loaded everywhere, used, and deleted', patience, async () => {
  const name = named('countries');
  await file('countries.json', { fr: 'France', de: 'Germany' });
  await said(`lookups set ${name} --file countries.json`);
  expect(await json(`lookups get ${name}`)).toMatchObject({
    lookupExtractorFactory: { map: { fr: 'France' } },
  });
  await expect
    .poll(() => said('lookups status --columns name,state --no-header'), soon)
    .toContain(`${name}\tloaded\n`);
  expect(
    await said(`lookups contents ${name} --url ${urlOf('broker')} --sort key -o csv --no-header`),
  ).toBe('de,Germany\r\nfr,France\r\n');
  expect(await json(`lookups contents ${name} --only keys`)).toEqual(
    expect.arrayContaining(['fr', 'de']),
  );
  expect(await json(`lookups contents ${name} --only values`)).toEqual(
    expect.arrayContaining(['France', 'Germany']),
  );
  expect(await told('lookups contents no-such')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('[no-such]'),
  });
  expect(await said(`sql "SELECT LOOKUP('fr', '${name}') AS c" -o csv --no-header`)).toMatch(
    /^France\r?\n$/,
  );
  expect(await said('lookups nodes --columns lookups --no-header')).toContain(name);
  expect(await said('lookups list --columns name,type --no-header')).toContain(`${name}\tmap\n`);
  const lookupExtractorFactory = { type: 'map', map: { fr: 'Frankreich' } };
  await file('lookups.json', { __default: { [name]: { version: 'v9', lookupExtractorFactory } } });
  expect(await changed('lookups apply lookups.json')).toBe('Set 1 lookup.');
  await expect
    .poll(() => said(`sql "SELECT LOOKUP('fr', '${name}') AS c" -o csv --no-header`), soon)
    .toMatch(/^Frankreich\r?\n$/);
  await said(`lookups delete ${name} --yes`);
  expect(await told(`lookups get ${name}`)).toMatchObject({ code: 3 });
});
