// Plans from files: impact, policies, and the order of changes.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli, runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/storage.ts';
import { streamSpec } from '../support/supervisors.ts';
import { ask, ingest, withGuests } from '../support/users.ts';

async function atService(
  files: Readonly<Record<string, string>>,
  properties: Readonly<Record<string, string>> = {},
) {
  const service = await startService({ properties });
  const cwd = await temporaryFolder();
  const env = { XDG_STATE_HOME: join(cwd, 'state') };
  const write = (path: string, content: string) => {
    mkdirSync(join(cwd, path, '..'), { recursive: true });
    writeFileSync(join(cwd, path), content);
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  const run = (line: string, more: object = {}) => runCli(service, line, { cwd, env, ...more });
  const shell = (line: string) => runShell(service, line, { cwd, env });
  return { service, run, shell, write, cwd };
}

const forgetsAll = { 'cluster/rules/wiki.yaml': '- type: dropForever\n' };

test('a plan counts the segments that rules drop, and a policy refuses too many', async () => {
  const { service, run, write, cwd } = await atService(forgetsAll);
  await ingest(service, 'wiki', 'other');
  const { code, stdout, stderr } = await run('plan -f cluster --out plan.json --no-header');
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^rules\twiki\tadded\t\t1\t\t\t\t\d+\n$/),
  ]);
  expect(stderr).toMatch(
    /^1 change: 1 added; 1 segment \(\d.*, 50 % of the cluster\) dropped\nThe plan is in \[plan\.json\]\.\nnext: svcctl apply plan\.json\n$/,
  );
  expect(statSync(join(cwd, 'plan.json')).mode & 0o777).toBe(0o600);

  write('policy.yaml', 'maxDroppedShare: 0.25\nmaxDroppedSegments: 1\nforbidChange: [rules/w*]\n');
  const refused = await run('plan -f cluster --policy policy.yaml --out forbidden.json -q');
  expect(refused).toMatchObject({ code: 9 });
  expect(refused.stderr).toBe(
    [
      'warning: maxDroppedShare: 0.5 is more than 0.25',
      'warning: forbidChange: rules [wiki] would be added',
      'error: The plan violates policy [policy.yaml] in 2 places',
      'hint: change the files, or have the owner of the policy change it',
      '',
    ].join('\n'),
  );
  expect(await run('apply plan.json --policy policy.yaml --yes')).toMatchObject({ code: 9 });
  expect(await run('apply forbidden.json --yes')).toMatchObject({ code: 2 });
  write('policy.yaml', 'maxDropedShare: 0.25\n');
  expect((await run('plan -f cluster --policy policy.yaml')).stderr).toContain(
    'unknown limit [maxDropedShare]\nhint: did you mean maxDroppedShare?',
  );
  expect((await run('rules get wiki -o json')).stdout).toBe('[]\n');
});

test('a plan is carried out with author and comment, once; it is refused when somebody was faster', async () => {
  const { run, write } = await atService({
    'cluster/rules/wiki.yaml': '- {type: loadByPeriod, period: P1Y}\n',
    'cluster/compaction/wiki.yaml': 'skipOffsetFromLatest: PT24H\n',
    'cluster/config/coordinator.yaml': 'maxSegmentsToMove: 7\n',
    'cluster/lookups/__default/countries.yaml':
      'lookupExtractorFactory: {type: map, map: {de: Germany}}\n',
  });
  expect((await run('plan -f cluster --out plan.json')).code).toBe(0);
  expect(await run('apply plan.json')).toMatchObject({ code: 9, stdout: '' });
  expect(await run('apply plan.json --dry-run -o json')).toMatchObject({ code: 0 });
  const applied = await run(
    'apply plan.json --author me --comment "first files" --yes --no-header',
  );
  expect(applied).toMatchObject({ code: 0, stderr: '4 done.\n' });
  expect(applied.stdout).toBe(
    [
      'lookups\t__default/countries\tadded',
      'config\tcoordinator\tchanged',
      'rules\twiki\tadded',
      'compaction\twiki\tadded',
      '',
    ].join('\tdone\t\n'),
  );
  expect((await run('rules history wiki -o tsv --columns author,comment --no-header')).stdout).toBe(
    'me\tfirst files\n',
  );
  expect(await run('diff -f cluster')).toMatchObject({ code: 0 });
  expect(await run('apply plan.json')).toMatchObject({
    code: 0,
    stderr: 'The cluster is already in the desired state: nothing was changed.\n',
  });

  write('cluster/rules/wiki.yaml', '- {type: loadByPeriod, period: P2Y}\n');
  write('cluster/config/coordinator.yaml', 'maxSegmentsToMove: 8\n');
  await run('plan -f cluster --out plan.json');
  await run('rules add wiki --type dropForever --yes');
  const late = await run('apply plan.json --yes');
  expect(late).toMatchObject({ code: 5, stdout: '' });
  expect(late.stderr).toBe(
    'error: Changed since the plan was made: rules [wiki]; nothing was sent\nhint: see the differences with svcctl diff, and make a new plan\n',
  );
  expect((await run('config coordinator get --query maxSegmentsToMove')).stdout).toBe('7\n');
});

test('what only the cluster has stays without --prune, and goes last with it', async () => {
  const { service, run, shell, write } = await atService(
    { 'stream.json': JSON.stringify(streamSpec({ suspended: true })) },
    withGuests,
  );
  await shell(`svcctl rules add old --type loadForever; svcctl roles create readers; svcctl supervisors apply stream.json; svcctl export -d cluster
    rm cluster/rules/old.yaml cluster/supervisors/edits.yaml cluster/roles/readers.yaml cluster/users/admin.yaml`);
  write(
    'cluster/roles/writers.yaml',
    'permissions: [{type: DATASOURCE, name: .*, action: WRITE}]\n',
  );
  write('cluster/users/ann.yaml', 'roles: [writers]\n');
  write('cluster/group-mappings/staff.yaml', 'groupPattern: CN=staff\nroles: [writers]\n');
  const kept = await run('apply -f cluster --yes --no-header --columns area,name,change,result');
  expect(kept.stderr).toContain(
    '3 things that only the cluster has stay: --prune removes them away.\n',
  );
  expect(kept.stdout).toBe(
    'roles\twriters\tadded\tdone\nusers\tann\tadded\tdone\ngroup-mappings\tstaff\tadded\tdone\n',
  );
  expect(
    JSON.parse(
      (
        await ask(
          service,
          undefined,
          'GET /svc-ext/basic-security/authorization/db/roles/users/ann',
        )
      ).text,
    ),
  ).toEqual({
    name: 'ann',
    roles: ['writers'],
  });

  write('cluster/group-mappings/staff.yaml', 'groupPattern: CN=everybody\nroles: [admin]\n');
  expect(await run('apply -f cluster --prune --yes')).toMatchObject({
    code: 9,
    stderr: expect.stringMatching(/not confirmed\nhint: add --confirm=127/),
  });
  const pruned = await run(
    `apply -f cluster --prune --confirm=${new URL(service.url).host} --no-header --columns area,name,change,result`,
  );
  expect(pruned.stdout).toBe(
    [
      'group-mappings\tstaff\tchanged',
      'supervisors\tedits\tremoved',
      'rules\told\tremoved',
      'roles\treaders\tremoved',
      '',
    ].join('\tdone\n'),
  );
  expect(pruned.stderr).toBe('4 done.\n');
  expect((await run('group-mappings get staff --query "[groupPattern, roles]"')).stdout).toContain(
    'CN=everybody',
  );
});

test('one thing that fails does not keep the others back, and the same again goes on', async () => {
  const { run, write } = await atService({
    'cluster/rules/wiki.yaml': '- {type: loadForever}\n',
    'cluster/supervisors/edits.yaml': JSON.stringify(
      streamSpec({ suspended: true, ioConfig: { topic: null } }),
    ),
    'cluster/compaction/wiki.yaml': 'taskPriority: 30\n',
  });
  const first = await run('apply -f cluster --yes -o json');
  expect(first.code).toBe(1);
  expect(JSON.parse(first.stdout)).toMatchObject([
    { area: 'rules', result: 'done' },
    { area: 'compaction', result: 'done' },
    { area: 'supervisors', result: 'failed', reason: expect.stringContaining('topic') },
  ]);
  expect(first.stderr).toContain(
    '2 done, 1 failed, 0 not tried: run the same command again to continue.\n',
  );
  write('cluster/supervisors/edits.yaml', JSON.stringify(streamSpec({ suspended: true })));
  expect(JSON.parse((await run('apply -f cluster --yes -o json')).stdout)).toEqual([
    { area: 'supervisors', name: 'edits', change: 'added', result: 'done' },
  ]);
});

test.each([true, false])(
  'a supervisor whose number of tasks may follow the lag (%s) is what its file says',
  async (enableTaskAutoScaler) => {
    const autoScalerConfig = { enableTaskAutoScaler, taskCountMin: 2, taskCountMax: 4 };
    const { run } = await atService({
      'cluster/supervisors/edits.yaml': JSON.stringify(
        streamSpec({ suspended: true, ioConfig: { autoScalerConfig } }),
      ),
    });
    expect((await run('apply -f cluster --yes -o name')).stdout).toBe('supervisors\n');
    expect(await run('plan -f cluster -o json')).toMatchObject({ code: 0, stdout: '[]\n' });
  },
);

test('a secret that nobody wrote down stays as the cluster has it, and cannot be made up', async () => {
  const consumerProperties = {
    'bootstrap.servers': '127.0.0.1:1',
    'ssl.keystore.password': 'hush',
  };
  const { run, shell, write, cwd } = await atService({
    'stream.json': JSON.stringify(
      streamSpec({ suspended: true, ioConfig: { consumerProperties } }),
    ),
  });
  await shell('svcctl supervisors apply stream.json; svcctl export -d cluster --only supervisors');
  const file = 'cluster/supervisors/edits.yaml';
  write(file, readFileSync(join(cwd, file), 'utf8').replace('taskCount: 1', 'taskCount: 2'));
  expect((await run('apply -f cluster --yes -o name')).stdout).toBe('supervisors\n');
  const spec = JSON.parse((await run('supervisors get edits')).stdout);
  const shown = { ...consumerProperties, 'ssl.keystore.password': '<masked>' };
  expect(spec.spec.ioConfig).toMatchObject({ taskCount: 2, consumerProperties: shown });
  write(
    'cluster/supervisors/twin.yaml',
    readFileSync(join(cwd, file), 'utf8').replaceAll('edits', 'twin'),
  );
  expect(await run('apply -f cluster --yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'The file of supervisors [twin] has <masked> where the cluster has no secret\nhint: ',
    ),
  });
});

test.each([
  ['apply', 2, 'Use either a plan or --dir'],
  ['apply plan.json --files cluster', 2, 'Use either a plan or --dir'],
  ['apply broken.json', 2, 'File [broken.json] cannot be used: '],
  ['apply other.json', 2, 'File [other.json] cannot be used: '],
  ['plan -f nowhere', 2, 'Folder [nowhere] holds no configuration of a cluster'],
  ['plan', 2, "required option '--dir' not specified"],
])('svcctl %s: exit code %i, %s', async (line, code, said) => {
  const cwd = await temporaryFolder();
  writeFileSync(join(cwd, 'broken.json'), '{"format":');
  writeFileSync(join(cwd, 'other.json'), '{"format":"terraform"}');
  expect(await runCli({ url: 'http://127.0.0.1:1' }, line, { cwd })).toMatchObject({
    code,
    stderr: expect.stringContaining(said),
  });
});
