// The configuration of a cluster as files: written, compared, planned and carried out.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli, runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/storage.ts';
import { streamSpec } from '../support/supervisors.ts';
import { addUser, allow, withGuests } from '../support/users.ts';

/** A service with something of everything but users, and a person in a folder of their own. */
async function atService(settings: Parameters<typeof startService>[0] = {}) {
  const service = await startService(settings);
  const cwd = await temporaryFolder();
  const env = { XDG_STATE_HOME: join(cwd, 'state') };
  const run = (line: string, more: object = {}) => runCli(service, line, { cwd, env, ...more });
  const write = (path: string, content: string) => {
    mkdirSync(join(cwd, path, '..'), { recursive: true });
    writeFileSync(join(cwd, path), content);
  };
  const read = (path: string) => readFileSync(join(cwd, path), 'utf8');
  const consumerProperties = {
    'bootstrap.servers': '127.0.0.1:1',
    'sasl.jaas.config': 'password="hush"',
    'ssl.keystore.password': 'hush',
  };
  write(
    'stream.json',
    JSON.stringify(streamSpec({ suspended: true, ioConfig: { consumerProperties } })),
  );
  const prepared = `svcctl rules add wiki --type loadByPeriod --period P1Y && svcctl compaction set wiki --skip-offset PT24H
    svcctl config coordinator set maxSegmentsToMove=50 && echo '{"de":"Germany"}' | svcctl lookups set countries --file - &&
    svcctl supervisors apply stream.json`;
  expect(await runShell(service, prepared, { cwd, env })).toMatchObject({ code: 0 });
  return { service, run, write, read, cwd };
}

const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

test('everything has its file, the same cluster the same files, and no secret is among them', async () => {
  const { run, read, cwd } = await atService();
  const { code, stdout, stderr } = await run('export -d cluster');
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toMatch(
    /^Left out: roles, users, group-mappings\. .*\n7 files in \[cluster\], 7 of them changed\.\nnext: svcctl diff /s,
  );
  expect(filesBelow(join(cwd, 'cluster'))).toEqual([
    'compaction/wiki.yaml',
    'config/compaction.yaml',
    'config/coordinator.yaml',
    'lookups/__default/countries.yaml',
    'rules/_default.yaml',
    'rules/wiki.yaml',
    'supervisors/edits.yaml',
    'svcctl.yaml',
  ]);
  expect(read('cluster/rules/wiki.yaml')).toMatch(/^- .*\n( .*\n)+$/);
  expect(read('cluster/supervisors/edits.yaml')).toContain('sasl.jaas.config: <masked>');
  expect(
    filesBelow(join(cwd, 'cluster'))
      .map((path) => read(`cluster/${path}`))
      .join(),
  ).not.toContain('hush');
  expect((await run('export -d cluster -q')).stderr).toBe('');
  expect((await run('export -d cluster')).stderr).toContain(', 0 of them changed.');
  expect(await run('diff -f cluster')).toMatchObject({
    code: 0,
    stderr: 'The cluster matches the files.\n',
  });
});

test('files of things that are gone stay until --prune, and strangers in the folder stay for good', async () => {
  const { run, write, cwd } = await atService();
  await run('export -d cluster');
  for (const path of ['cluster/README.md', 'cluster/rules/notes.txt', 'cluster/other/rules.yaml'])
    write(path, 'mine');
  write('cluster/rules/gone.yaml', '- type: loadForever\n');
  expect((await run('export -d cluster')).stderr).toContain(
    '1 file of deleted objects not removed: rules/gone.yaml; --prune removes them\n',
  );
  expect(existsSync(join(cwd, 'cluster/rules/gone.yaml'))).toBe(true);
  expect((await run('export -d cluster --prune')).stderr).toContain(
    '1 file of deleted objects removed: rules/gone.yaml\n',
  );
  expect(
    filesBelow(join(cwd, 'cluster')).filter((path) => /README|notes|other|gone/.test(path)),
  ).toEqual(['README.md', 'other/rules.yaml', 'rules/notes.txt']);
});

test('only what is asked for is written, and only that is compared', async () => {
  const { run, cwd } = await atService();
  expect((await run('export -d cluster --only rules,compaction')).code).toBe(0);
  expect(filesBelow(join(cwd, 'cluster'))).toEqual([
    'compaction/wiki.yaml',
    'rules/_default.yaml',
    'rules/wiki.yaml',
    'svcctl.yaml',
  ]);
  expect((await run('diff -f cluster')).code).toBe(0);
  expect(await run('export -d cluster --only rule')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^error: Value \[rule\] of --only is not an area: there are roles, /,
    ),
  });
});

test('names that no file system takes are written so that they come back as they were', async () => {
  const { run, cwd } = await atService();
  const names = ['Wiki', 'a%2Fb', '.hidden', 'spaß', 'con: "x"?', 'trailing.'];
  for (const name of names)
    expect((await run(`rules add '${name}' --type loadForever`)).code).toBe(0);
  await run('export -d cluster --only rules');
  expect(filesBelow(join(cwd, 'cluster/rules'))).toHaveLength(names.length + 2);
  expect(
    new Set(filesBelow(join(cwd, 'cluster/rules')).map((path) => path.toLowerCase())).size,
  ).toBe(names.length + 2);
  expect(await run('diff -f cluster')).toMatchObject({ code: 0 });
});

test('differences are told by field: what the service fills in and other spellings are none', async () => {
  const { run, write, read } = await atService();
  await run('export -d cluster');
  write('cluster/rules/wiki.yaml', '- period: P365D\n  type: loadByPeriod\n- type: dropForever\n');
  write('cluster/compaction/wiki.yaml', '# by hand\nskipOffsetFromLatest: PT24H\n');
  write('cluster/config/coordinator.yaml', 'maxSegmentsToMove: 60\n');
  write('cluster/lookups/cold/towns.yaml', 'lookupExtractorFactory: {type: map, map: {a: b}}\n');
  const { code, stdout } = await run('diff -f cluster -o json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual([
    {
      area: 'lookups',
      name: 'cold/towns',
      change: 'added',
      path: '',
      after: { lookupExtractorFactory: { type: 'map', map: { a: 'b' } } },
    },
    {
      area: 'config',
      name: 'coordinator',
      change: 'changed',
      path: 'maxSegmentsToMove',
      before: 50,
      after: 60,
    },
    {
      area: 'rules',
      name: 'wiki',
      change: 'changed',
      path: '[1].period',
      before: 'P1Y',
      after: 'P365D',
    },
    { area: 'rules', name: 'wiki', change: 'changed', path: '[2]', after: { type: 'dropForever' } },
  ]);
  expect((await run('diff -f cluster', { tty: true, env: { TERM: 'xterm' } })).stdout).toContain(
    '\x1b[33mchanged\x1b[39m',
  );
  await run('export -d cluster --only compaction');
  expect(read('cluster/compaction/wiki.yaml')).toContain('taskPriority: 25');
});

test('a secret that is another in the file is a difference, and shown by nobody', async () => {
  const { run, write, read } = await atService();
  await run('export -d cluster');
  write(
    'cluster/supervisors/edits.yaml',
    read('cluster/supervisors/edits.yaml').replace(
      'keystore.password: <masked>',
      'keystore.password: shout',
    ),
  );
  const { stdout, code } = await run('diff -f cluster -o csv');
  expect(code).toBe(1);
  expect(stdout).toContain(
    'spec.ioConfig.consumerProperties[""ssl.keystore.password""]",<masked>,<masked>',
  );
  expect(stdout).not.toMatch(/hush|shout/);
});

test('a file that cannot be used is named, with what is wrong in it', async () => {
  const { run, write, read } = await atService();
  await run('export -d cluster');
  for (const [path, content, message] of wrongFiles) {
    const before =
      path === 'svcctl.yaml' || path.endsWith('wiki.yaml') ? read(`cluster/${path}`) : undefined;
    write(`cluster/${path}`, content);
    const { code, stdout, stderr } = await run('diff -f cluster -q');
    expect(stderr).toMatch(message);
    expect([path, code, stdout]).toEqual([path, 2, '']);
    write(`cluster/${path}`, before ?? '');
    if (before === undefined) await run('export -d cluster -q --prune');
  }
});

const wrongFiles = [
  [
    'rules/wiki.yaml',
    '- type: [',
    /^error: File \[cluster\/rules\/wiki\.yaml\] cannot be used: .* at line \d+/,
  ],
  [
    'rules/wiki.yaml',
    '- type: keep',
    /^error: The file of rules \[wiki\] cannot be used: Rule 1 of 1, field \[type\]: /,
  ],
  [
    'compaction/wiki.yaml',
    'taskPriority: high',
    /^error: The file of compaction \[wiki\] cannot be used: field \[taskPriority\]: expected /,
  ],
  [
    'config/router.yaml',
    'a: 1',
    /^error: The file of config \[router\] cannot be used: there is no configuration \[router\]: there are brokers/,
  ],
  [
    'supervisors/other.yaml',
    'type: kafka\nid: edits',
    /is that of supervisor \[edits\], the file is named after \[other\]\nhint: /,
  ],
  [
    'svcctl.yaml',
    'areas: []\nformat: 2',
    /^error: File \[cluster\/svcctl\.yaml\] is of format \[2\]/,
  ],
  ['svcctl.yaml', 'areas: [roads]\nformat: 1', /names area \[roads\]: there are roles, /],
] as const;

test('users, roles and groups are files too, without their passwords', async () => {
  const { service, run, read, write } = await atService({
    properties: withGuests,
  });
  await addUser(service, 'ann', [
    allow('READ', 'DATASOURCE', 'wiki.*'),
    allow('WRITE', 'CONFIG', '.*'),
  ]);
  await run("group-mappings create staff --pattern 'CN=staff' --role ann");
  expect((await run('export -d cluster')).stderr).not.toContain('Left out');
  expect(read('cluster/users/ann.yaml')).toBe('authenticated: true\nroles:\n  - ann\n');
  expect(read('cluster/group-mappings/staff.yaml')).toBe(
    'groupPattern: CN=staff\nroles:\n  - ann\n',
  );
  write(
    'cluster/roles/ann.yaml',
    'permissions:\n  - {type: DATASOURCE, name: wiki.*, action: READ}\n  - {type: CONFIG, name: .*, action: WRITE}\n',
  );
  expect(await run('diff -f cluster')).toMatchObject({ code: 0 });
});

test('a folder that cannot be written is said so, and nothing half is left', async () => {
  const { run, cwd } = await atService();
  await run('export -d cluster --only rules');
  rmSync(join(cwd, 'cluster/rules/wiki.yaml'));
  mkdirSync(join(cwd, 'cluster/rules/wiki.yaml/in-the-way'), { recursive: true });
  const { code, stderr } = await run('export -d cluster --only rules');
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^error: File \[cluster\/rules\/wiki\.yaml\] cannot be written: /),
  ]);
  expect(filesBelow(join(cwd, 'cluster/rules')).filter((path) => path.includes('tmp'))).toEqual([]);
});

test('a document that has no place in the folder is refused, and not passed over', async () => {
  const { run, write, cwd } = await atService();
  for (const path of ['lookups/__default/towns.json', 'lookups/towns.yaml', 'rules/trips.yml']) {
    write(`other/${path}`, '{"type": "map", "map": {"a": "b"}}');
    expect(await run('diff -f other')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`File [other/${path}] has no place in the configuration`),
    });
    rmSync(join(cwd, 'other', path));
  }
});

test('nothing is written or removed behind a link that stands in the folder', async () => {
  const { run, write, cwd } = await atService();
  write('elsewhere/precious.yaml', 'a: 1\n');
  mkdirSync(join(cwd, 'cluster'));
  symlinkSync(join(cwd, 'elsewhere'), join(cwd, 'cluster/rules'));
  expect(await run('export -d cluster --prune')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'Folder [cluster/rules] is a symbolic link: nothing is written or removed behind it',
    ),
  });
  expect(
    filesBelow(cwd).filter((file) => file.startsWith('cluster') || file.startsWith('elsewhere')),
  ).toEqual(['elsewhere/precious.yaml']);
  rmSync(join(cwd, 'cluster/rules'));
  mkdirSync(join(cwd, 'cluster/rules'));
  symlinkSync(join(cwd, 'elsewhere/precious.yaml'), join(cwd, 'cluster/rules/wiki.yaml'));
  expect(await run('export -d cluster')).toMatchObject({ code: 0 });
  expect(readFileSync(join(cwd, 'elsewhere/precious.yaml'), 'utf8')).toBe('a: 1\n'); // the link itself is replaced
});
