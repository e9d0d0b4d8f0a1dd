// An hour in a terminal with a service that has data: first contact, failed tasks, segments, charts
// and builders, against any service of this API.
import { expect, test } from 'vitest';
import { batchOf, cluster, named, patience, tellStory, threeDays } from '../support/story.ts';

const { told, said, json, shown, file, pathOf } = tellStory();
const trips = named('trips');
const towns = named('towns');
const service = cluster ? 'druid' : 'analytics';
const unnamed = { SVCCTL_SERVICE: '' };

const requests = ({ stderr }: { stderr: string }) =>
  stderr.split('\n').filter((line) => line.startsWith('> '));

test(
  'the first command finds the name of the service, and later ones know it',
  patience,
  async () => {
    const first = await told('tasks list -v', unnamed);
    expect(first.code).toBe(0);
    if (cluster) expect(requests(first)).toHaveLength(3);
    const second = await told('tasks list -v', unnamed);
    expect({ ...second, sent: requests(second).length }).toMatchObject({ code: 0, sent: 1 });
    expect(await json('status', unnamed)).toMatchObject({ service });
  },
);

test('a wrong name is answered with the right one', patience, async () => {
  for (const line of ['tasks list', 'status', "sql 'SELECT 1'"])
    expect({ line, ...(await told(`${line} --service other`, unnamed)) }).toMatchObject({
      line,
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`This service is named ${service}: add`),
    });
});

test('a batch is waited for until its rows are queryable', patience, async () => {
  await file('batch.json', batchOf(trips, threeDays));
  const { code, stderr } = await told('tasks submit batch.json --wait=queryable --progress json');
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const progress = stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { progress: string; fraction?: number });
  expect(progress.at(-1)).toMatchObject({ progress: 'done', fraction: 1 });
  // The wait for the task ends before that for its segments begins.
  const end = progress.findIndex((line) => line.progress === 'done');
  for (const wait of [progress.slice(0, end + 1), progress.slice(end + 1)]) {
    const shares = wait.flatMap(({ fraction }) => fraction ?? []);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
  }
  expect(await said(`sql 'SELECT COUNT(*) FROM "${trips}"' -o csv --no-header`)).toBe('3\n');
});

test('a failed task is found by part of its id, explained, and run again', patience, async () => {
  const { spec, type } = batchOf(towns, [{ t: 'nonsense', city: 'ulm', n: 1 }]);
  const tuningConfig = { ...spec.tuningConfig, maxParseExceptions: 0 };
  await file('bad.json', { type, spec: { ...spec, tuningConfig } });
  expect(await told('tasks submit bad.json --wait --quiet')).toMatchObject({ code: 1 });
  const failed = await said(`tasks list --failed --datasource ${towns} -o name`);
  const [id = ''] = failed.split('\n');
  const part = id.slice(-30);
  const why = await told(`why task ${part}`);
  expect(why).toMatchObject({ code: expect.any(Number) });
  expect(why.stdout).toContain('has failed');
  expect(why.stdout).not.toContain('\tat org.apache');
  const again = await told(`tasks retry ${part} --wait`);
  expect(again).toMatchObject({ code: 1 });
  expect(again.stderr).not.toContain('\tat org.apache');
  const ids = (await said(`tasks list --failed --datasource ${towns} -o name`)).trim().split('\n');
  expect([ids.length, ids.includes(id)]).toEqual([2, true]);
  expect(await shown(`tasks list --tree --datasource ${towns}`)).toContain('FAILED');
  expect(await told('tasks status _')).toMatchObject({ code: 3 });
});

test('segments are looked at over time, and named by part of their ids', patience, async () => {
  const picture = await shown(`segments timeline ${trips}`);
  expect(picture).toContain('2020-01-01');
  expect(picture).toMatch(/[\u2580-\u259f]/);
  const timeline = await json(`segments timeline ${trips}`);
  expect(timeline).toHaveLength(3);
  expect(timeline[0]).toMatchObject({ datasource: trips, segments: 1, overshadowed: 0 });
  const [id = ''] = (await said(`segments list --datasource ${trips} -o name`)).split('\n');
  const day = id.slice(0, trips.length + 11);
  expect(await json(`segments get ${trips} ${day}`)).toMatchObject({ identifier: id });
  expect(await told(`segments get ${trips} ${trips}_2020`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is ambiguous'),
  });
  expect(await shown('datasources list')).toMatch(/[\u2580-\u259f]/);
});

test('a chart is drawn in the terminal, and as SVG', patience, async () => {
  const query = `SELECT city, SUM(n) AS n FROM "${trips}" GROUP BY 1 ORDER BY 2 DESC`;
  const bars = await told(`sql --chart '${query}'`, { LANG: 'C.UTF-8' });
  expect(bars).toMatchObject({ code: 0, stderr: '' });
  expect(bars.stdout).toMatch(/^ulm +█+ +4$/m);
  expect(await said(`sql --chart svg '${query}'`)).toContain('<svg ');
});

test('the live screen shows tasks, segments and services', patience, async () => {
  expect(await json('top --once')).toMatchObject({ tasks: { running: expect.any(Number) } });
  const screen = await shown('top', [
    ['FAILED', '3'],
    ['2020-01-01', '4'],
    ['_default_tier', '5'],
    ['[5:queries]', 'q'],
  ]);
  expect(screen).toContain('[3:segments]');
});

test('a dry run tells the effect of a change', patience, async () => {
  await file('drop.json', [{ type: 'dropForever' }]);
  const dry = await told(`rules set ${trips} -f drop.json --dry-run`);
  expect(dry).toMatchObject({ code: 0, stderr: expect.stringContaining('3 segments dropped') });
  expect(await told(`datasources drop ${trips} --dry-run`)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('The servers would drop 3 segments'),
  });
  expect(await said(`datasources list --columns name,segments --no-header`)).toContain(
    `${trips}\t3\n`,
  );
});

test('a lookup is set from a file of pairs', patience, async () => {
  const lookup = named('countries');
  await file('pairs.csv', 'code,name\nDE,Germany\nFR,"France, la"\n');
  await said(`lookups set ${lookup} --csv pairs.csv --key-column code --value-column name`);
  expect(await json(`lookups get ${lookup}`)).toMatchObject({
    lookupExtractorFactory: { type: 'map', map: { DE: 'Germany', FR: 'France, la' } },
  });
  await said('undo --yes');
  expect(await told(`lookups get ${lookup}`)).toMatchObject({ code: 3 });
});

test('a task is built from a sample file and submitted', patience, async () => {
  const built = named('built');
  await file(
    'sample.csv',
    'when,city,n\n2020-01-01T08:00:00Z,ulm,1\n2020-01-02T08:00:00Z,bonn,2\n',
  );
  await said(`tasks create ${pathOf('sample.csv')} --into ${built} --out task.json --no-input`);
  expect(await said('tasks create sample.csv --into x --out - --no-input')).toContain('"when"');
  // The service itself reads the file, and only a cluster on this machine may.
  if (!cluster) return;
  expect(await json('tasks sample task.json --rows 2')).toMatchObject({ numRowsIndexed: 2 });
  await said('tasks submit task.json --wait=queryable --quiet');
  expect(await said(`sql 'SELECT COUNT(*) FROM "${built}"' -o csv --no-header`)).toBe('2\n');
});
