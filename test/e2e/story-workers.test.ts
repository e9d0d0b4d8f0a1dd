// Workers: their tasks, stopping a task on its worker, and taking a worker out of service.
import { expect, test } from 'vitest';
import { cluster, lacking, named, patience, soon, tellStory } from '../support/story.ts';

const { told, said, changed, file, urlOf } = tellStory();

test('workers cancel stops a task on its worker, which may take a while', patience, async () => {
  const id = named('nap');
  const worker = `--url ${urlOf('middleManager')}`;
  await file('nap.json', { type: 'noop', id, dataSource: 'naps', runTime: 60_000 });
  await said('tasks submit nap.json');
  await expect.poll(() => said(`workers tasks ${worker} -o name`), soon).toContain(`${id}\n`);
  expect(await said(`workers cancel ${id} ${worker} --dry-run`)).toContain(
    `/worker/v1/task/${id}/shutdown`,
  );
  expect(await changed(`workers cancel ${id} ${worker}`)).toBeOneOf([
    `Task [${id}] has ended.`,
    `Task [${id}] got the request to stop and still runs: stopping may take minutes.`,
  ]);
  expect(await told(`tasks wait ${id}`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Task [${id}] failed`),
  });
  await expect.poll(() => said(`workers tasks ${worker} -o name`), soon).not.toContain(id);
  expect(await told(`workers cancel ${id} ${worker}`)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(`does not run task [${id}]`),
  });
});

test('a worker is disabled, enabled and drained', patience, async () => {
  const host = (await said('workers list -o name')).trim();
  expect(await said('workers list --columns state --no-header')).toBe('enabled\n');
  expect(await changed(`workers disable ${host}`)).toBe(`Worker [${host}] accepts no more tasks.`);
  await expect
    .poll(() => said('workers list --columns state --no-header'), soon)
    .toBe('disabled\n');
  expect(await changed(`workers enable ${host}`)).toBe(`Worker [${host}] accepts tasks.`);
  await expect.poll(() => said('workers list --columns state --no-header'), soon).toBe('enabled\n');
  expect(await told(`workers tasks --url ${urlOf('middleManager')}`)).toMatchObject({ code: 0 });
  for (const verb of ['enable', 'disable', 'drain --yes'])
    expect({ verb, ...(await told(`workers ${verb} no-such:1`)) }).toMatchObject({
      verb,
      code: 3,
      stderr: expect.stringContaining('no-such:1'),
    });
  expect(await told(`workers log no-such --url ${urlOf('middleManager')}`)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('[no-such]'),
  });
  if (cluster)
    expect(await told('workers tasks')).toMatchObject({
      ...lacking,
      stderr: expect.stringContaining('--url'),
    });
  expect(await said('workers scaling -o json')).toBe('[]\n');
  expect(await told(`workers drain ${host} --then-enable --yes`)).toMatchObject({ code: 0 });
  await expect.poll(() => said('workers list --columns state --no-header'), soon).toBe('enabled\n');
});
