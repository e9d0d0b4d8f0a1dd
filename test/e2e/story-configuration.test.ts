// The configuration of a cluster: as files, changed by plan and in an editor, taken back, and
// looked at afterwards.
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { batchOf, cluster, named, patience, soon, tellStory, threeDays } from '../support/story.ts';

const { url, urlOf, told, said, json, changed, file } = tellStory();
const trips = named('trips');
const keepsAll = [{ type: 'loadForever', tieredReplicants: { _default_tier: 1 } }];
// What nobody may see, whatever went wrong.
const quiet = {
  stderr: expect.not.stringMatching(
    /\n {4}at |SyntaxError|TypeError|is not as expected|instead of JSON/,
  ),
};

let segments: readonly string[] = []; // the oldest first

test('three days are ingested and loaded, by rules of their own', patience, async () => {
  await file('batch.json', batchOf(trips, threeDays));
  await file('rules.json', keepsAll);
  await said(`rules set ${trips} --file rules.json --author me --comment first`);
  await said('tasks submit batch.json --wait --quiet');
  await expect
    .poll(() => said(`datasources load-status ${trips} --no-header`), soon)
    .toBe(`${trips}\t100\t0\n`);
  segments = (await said(`segments list --datasource ${trips} --sort interval -o name`))
    .trim()
    .split('\n');
  expect(segments).toHaveLength(3);
});

test('the cluster becomes files, which say what the cluster says', patience, async () => {
  expect(await told('export -d cluster')).toMatchObject({ code: 0, stdout: '', ...quiet });
  expect(await told('export -d cluster')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(', 0 of them changed.'),
  });
  expect(await told('diff -f cluster')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('The cluster matches the files.'),
  });
  expect(await told('plan -f cluster')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Nothing would change'),
  });
  expect(await told('apply -f cluster --yes')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('nothing was changed'),
  });
});

test(
  'the files are changed, what that would touch is counted, and the plan is carried out once',
  patience,
  async () => {
    await file(
      `cluster/rules/${trips}.yaml`,
      `- {type: dropByInterval, interval: 2020-01-03/2020-01-04}\n- {type: loadByPeriod, period: P100Y, tieredReplicants: {_default_tier: 1}}\n`,
    );
    const { maxSegmentsToMove, ...rest } = await json('config coordinator get');
    await file('cluster/config/coordinator.yaml', {
      ...rest,
      maxSegmentsToMove: maxSegmentsToMove === 9 ? 8 : 9,
    });
    const differences = await told('diff -f cluster --columns area,name,change,path --no-header');
    expect(differences).toMatchObject({ code: 1, ...quiet });
    expect(differences.stdout).toContain(`rules\t${trips}\tchanged\t[1]`);
    expect(differences.stdout).toContain('config\tcoordinator\tchanged\tmaxSegmentsToMove\n');
    expect(
      await said('plan -f cluster --out plan.json --columns area,name,change,dropped --no-header'),
    ).toBe(`config\tcoordinator\tchanged\t\nrules\t${trips}\tchanged\t1\n`);
    await file('policy.yaml', 'forbidChange: [rules/*]\n');
    expect(await told('apply plan.json --policy policy.yaml --yes')).toMatchObject({ code: 9 });
    expect(await told('apply plan.json')).toMatchObject({ code: 9, stdout: '' });
    expect(await told('apply plan.json --dry-run')).toMatchObject({ code: 0 });
    expect(
      await said(
        'apply plan.json --author me --comment files --yes --columns area,name,result --no-header',
      ),
    ).toBe(`config\tcoordinator\tdone\nrules\t${trips}\tdone\n`);
    expect(await told('diff -f cluster --no-header')).toMatchObject({ stdout: '', code: 0 });
    expect(await said(`rules history ${trips} --columns author,comment --no-header`)).toBe(
      'me\tfirst\nme\tfiles\n',
    );
    expect(await told('apply plan.json --yes')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('nothing was changed'),
    });
  },
);

test('a plan that somebody was faster than is refused', patience, async () => {
  await file(`cluster/rules/${trips}.yaml`, '- type: loadForever\n');
  await said('plan -f cluster --out plan.json');
  await said(`rules add ${trips} --type dropForever --yes`);
  expect(await told('apply plan.json --yes')).toMatchObject({
    code: 5,
    stdout: '',
    stderr: expect.stringContaining(`rules [${trips}]`),
  });
});

test(
  'what was changed from here is taken back, unless it was changed since',
  patience,
  async () => {
    const rules = () => json(`rules get ${trips}`);
    const before = await rules();
    await file('rules.json', keepsAll);
    await said(`rules set ${trips} --file rules.json --yes`);
    expect(await rules()).toMatchObject(keepsAll);
    expect((await json('undo --list'))[0]).toMatchObject({
      state: 'open',
      what: expect.stringContaining(trips),
    });
    expect(await told('undo --dry-run')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`/rules/${trips}`),
    });
    expect(await told('undo')).toMatchObject({ code: 9 });
    expect(await told('undo --yes')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('is undone.'),
    });
    expect(await rules()).toEqual(before);
    const { balancerComputeThreads, ...others } = await json('config coordinator get');
    await said(`config coordinator set balancerComputeThreads=${balancerComputeThreads + 1}`);
    const [{ id }] = await json('undo --list');
    await said(`config coordinator set balancerComputeThreads=${balancerComputeThreads + 2}`);
    expect(await told(`undo ${id} --yes`)).toMatchObject({ code: 5 });
    await said('undo --yes');
    await said(`undo ${id} --yes`);
    expect(await json('config coordinator get')).toEqual({ balancerComputeThreads, ...others });
  },
);

test('rules and the configuration of the Coordinator are edited by hand', patience, async () => {
  const by = (EDITOR: string) => ({ EDITOR });
  expect(
    await told(`rules edit ${trips} --comment edited`, by('sed -i s/P100Y/P90Y/')),
  ).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('.period: P100Y -> P90Y\n'),
  });
  expect(await told(`rules edit ${trips}`, by('true'))).toMatchObject({
    code: 0,
    stderr: 'Nothing was changed.\n',
  });
  const refused = await told(`rules edit ${trips}`, by('sed -i s/P90Y/ninety/'));
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('[ninety]'),
    stdout: '',
  });
  await rm(dirname(/saved in (\S+)/.exec(refused.stderr)?.[1] ?? 'nowhere/at all'), {
    recursive: true,
  });
  const { maxSegmentsToMove } = await json('config coordinator get');
  const other = maxSegmentsToMove === 7 ? 6 : 7;
  const script = by(`sed -i 's/^maxSegmentsToMove: .*/maxSegmentsToMove: ${other}/'`);
  expect(await told('config coordinator edit --comment edited', script)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`maxSegmentsToMove: ${maxSegmentsToMove} -> ${other}\n`),
  });
  await said('undo --yes');
  expect(await json('config coordinator get')).toMatchObject({ maxSegmentsToMove });
});

test('who changed what is told in one timeline', patience, async () => {
  const comments = await said(
    `audit --area rules --where 'name = ${trips}' --columns change,author,comment --no-header`,
  );
  const lines = comments.split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^changed\t.*\tedited$/),
      'changed\tme\tfiles',
      'added\tme\tfirst',
    ]),
  );
  expect(await said('audit --area config --columns what --no-header --limit 5')).toContain(
    'maxSegmentsToMove',
  );
  expect(await told('audit')).toMatchObject({ code: 0, ...quiet });
});

test('it is said why things are as they are', patience, async () => {
  expect(await json(`why segment ${segments[0]}`)).toContainEqual(
    expect.objectContaining({ check: 'rule', state: 'ok' }),
  );
  // What a rule drops is out of use as soon as the Coordinator has followed the rule.
  expect(await json(`why segment ${segments[2]}`)).toContainEqual(
    expect.objectContaining({ check: 'rule', says: expect.stringContaining('dropByInterval') }),
  );
  const [task] = (
    await said(`tasks list --datasource ${trips} --type index_parallel -o name`)
  ).split('\n');
  expect((await json(`why task ${task}`)).at(-1)).toMatchObject({ state: 'ok' });
  for (const what of ['segment', 'task', 'supervisor'])
    expect({ what, ...(await told(`why ${what} no-such`)) }).toMatchObject({
      what,
      code: 3,
      ...quiet,
    });
});

test(
  'doctor, checks and top look at everything, and nothing that a service lacks keeps them from it',
  patience,
  async () => {
    const findings = await told('cluster doctor -o json');
    expect(findings).toMatchObject({ code: expect.toBeOneOf([0, 10]), ...quiet });
    expect(JSON.parse(findings.stdout)).toBeInstanceOf(Array);
    for (const check of ['loadstatus', 'supervisors', 'tasks', 'segments']) {
      const line = new RegExp(`^${check.toUpperCase()} (OK|WARNING|CRITICAL) - .* \\| \\w+=`);
      expect({ check, ...(await told(`check ${check}`)) }).toMatchObject({
        check,
        code: expect.toBeOneOf([0, 1, 2]),
        stdout: expect.stringMatching(line),
      });
      expect(JSON.parse((await told(`check ${check} -o json`)).stdout)).toMatchObject({
        check,
        metrics: expect.any(Array),
      });
      expect((await told(`check ${check} -o prometheus`)).stdout).toMatch(/^# HELP /);
    }
    expect(await told('top')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^tasks: \d+ running/m),
      ...quiet,
    });
    expect(await json('top')).toMatchObject({ servers: [{ tier: '_default_tier' }] });
  },
);

test('a profile is tried, and several are asked at once', patience, async () => {
  for (const name of ['eu', 'us']) await said(`profiles add ${name} --url ${url()}`);
  const plain = { SVCCTL_URL: '', SVCCTL_SERVICE: '' };
  const findings = await json('profiles test eu', plain);
  expect(findings.map(({ state }: { state: string }) => state)).not.toContain('critical');
  expect(findings.at(-1)).toMatchObject({ check: 'role', state: 'ok' });
  expect(await said('profiles list --columns name,current --no-header', plain)).toBe(
    'eu\ttrue\nus\tfalse\n',
  );
  await said('profiles use us', plain);
  await said('profiles set us timeout=200', plain);
  expect(await said('profiles prompt', plain)).toBe('(us)\n');
  expect(await told('logout', plain)).toMatchObject({ code: 0 });
  if (cluster) await everyRoleIsToldByName();
  const rows = `datasources list --profile eu,us --columns profile,name --where 'name = ${trips}' --no-header`;
  expect(await said(rows, plain)).toBe(`eu\t${trips}\nus\t${trips}\n`);
  expect(
    await said(
      `sql 'SELECT COUNT(*) AS n FROM ${trips}' --profile eu,us --columns profile --no-header`,
      plain,
    ),
  ).toBe('eu\nus\n');
  const joined = `SELECT a.name FROM datasources a JOIN datasources b ON a.name = b.name AND a.profile < b.profile WHERE a.name = '${trips}'`;
  expect(
    await said(`sql --control-plane "${joined}" --profiles eu,us --no-header -o tsv`, plain),
  ).toBe(`${trips}\n`);
  expect(await json('whoami')).toMatchObject({ user: null, sees: { state: true, config: true } });
  expect(await changed(`datasources drop ${trips} --confirm=${trips}`)).toContain('is dropped');
  await said('profiles remove us --yes', plain);
  expect(await told('profiles show us', plain)).toMatchObject({ code: 3 });
});

// What the built service says at its ports is told in test/commands/profiles-test.test.ts.
async function everyRoleIsToldByName() {
  for (const [role, name] of [
    ['coordinator', 'a Coordinator and an Overlord'],
    ['broker', 'a Broker'],
    ['middleManager', 'a MiddleManager'],
  ] as const) {
    const asked = await told(`profiles test --url ${urlOf(role)} --service druid -o json`);
    const finding = {
      check: 'role',
      state: 'critical',
      says: expect.stringContaining(`This is ${name}`),
    };
    expect({ role, code: asked.code, last: JSON.parse(asked.stdout).at(-1) }).toMatchObject({
      role,
      code: 1,
      last: finding,
    });
    if (role !== 'middleManager') expect(asked.stdout).toContain(`it is at [${url()}]`);
  }
}
