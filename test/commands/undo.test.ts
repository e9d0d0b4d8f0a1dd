// Undo of changes, and the messages for changes without an inverse.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { runCli, runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { inFrontOf, standIn } from '../support/stand-in.ts';
import { temporaryFolder } from '../support/storage.ts';
import { streamSpec } from '../support/supervisors.ts';
import { ingest, withGuests } from '../support/users.ts';

async function atService(properties: Readonly<Record<string, string>> = {}) {
  const service = await startService({ properties });
  const cwd = await temporaryFolder();
  const place = { cwd, env: { XDG_STATE_HOME: join(cwd, 'state') } };
  const run = (line: string, more: object = {}) => runCli(service, line, { ...place, ...more });
  const shell = (line: string) => runShell(service, line, place);
  const configuration = async () => {
    await runShell(service, 'rm -rf cluster; svcctl export -d cluster -q', place);
    return (
      await runShell(service, 'cd cluster && find . -type f | sort | xargs tail -n +1', place)
    ).stdout;
  };
  return {
    service,
    run,
    shell,
    configuration,
    cwd,
    journal: join(cwd, 'state/svcctl/journal.jsonl'),
  };
}

// Each change, and the cluster is as it was before when it is undone.
const changes = [
  'svcctl rules set wiki --file <(echo \'[{"type":"loadForever"}]\')',
  'svcctl rules add kept --type loadByPeriod --period P1Y --at 1',
  'svcctl rules remove kept 1 --yes',
  'svcctl rules default --yes --file <(echo \'[{"type":"dropForever"}]\')',
  'svcctl config coordinator set maxSegmentsToMove=3 pauseCoordination=true',
  'svcctl config coordinator rollback --yes',
  `svcctl config brokers set 'queryContext={"priority": 1}'`,
  'svcctl compaction set wiki --skip-offset P3D',
  'svcctl compaction set kept --max-rows 100',
  'svcctl compaction delete kept --yes',
  'svcctl compaction slots --ratio 0.5',
  'svcctl lookups set towns --file <(echo \'{"a":"b"}\')',
  'svcctl lookups set countries --file <(echo \'{"a":"b"}\')',
  'svcctl lookups delete countries --yes',
  'svcctl lookups delete --all --confirm __default',
  'svcctl supervisors apply other.json',
  'svcctl supervisors apply changed.json',
  'svcctl supervisors resume --all --yes',
  'svcctl supervisors terminate edits --yes',
  'svcctl roles create analysts',
  'svcctl roles delete readers --yes',
  "svcctl permissions grant readers --type DATASOURCE --name 'x.*' --action READ",
  'svcctl users revoke ann readers',
  'svcctl users grant ann admin',
  "svcctl group-mappings create guests --pattern 'CN=guests' --role readers",
  'svcctl group-mappings delete staff --yes',
  'svcctl group-mappings grant staff admin',
  'svcctl api POST /svc/coordinator/v1/rules/wiki --input <(echo \'[{"type":"loadForever"}]\')',
  'svcctl api POST /svc/coordinator/v1/config -F maxSegmentsToMove=9',
  'svcctl api DELETE /svc-ext/basic-security/authorization/db/roles/roles/readers',
  'svcctl api POST /svc/indexer/v1/supervisor/terminateAll',
];

test('api says whether a change could be taken back, also where it does not know the path', async () => {
  const { run } = await atService();
  const label = async (line: string) =>
    JSON.parse((await run(`api ${line} --dry-run -o json`)).stdout)[0].undo;
  expect(await label('POST /svc/coordinator/v1/rules/wiki')).toBe('yes');
  expect(await label('POST /svc/indexer/v1/task/a/shutdown')).toBe(
    'no: stopped work cannot be resumed',
  );
  expect(await label('POST /svc/of/another/world')).toBe(
    'no: svcctl does not know what this path does',
  );
  expect(await label('PUT /status')).toBe('no: svcctl does not know what this path does');
});

test('every kind of change is undone', { timeout: 480_000 }, async () => {
  const { shell, run, configuration, cwd } = await atService(withGuests);
  const spec = (dataSource: string, taskCount: number, suspended = true) =>
    JSON.stringify(
      streamSpec({ dataSource, suspended, ioConfig: { taskCount, startDelay: 'PT1H' } }),
    );
  writeFileSync(join(cwd, 'stream.json'), spec('edits', 1));
  writeFileSync(join(cwd, 'changed.json'), spec('edits', 2));
  writeFileSync(join(cwd, 'other.json'), spec('other', 1));
  await shell(`svcctl rules add kept --type dropForever --yes; svcctl compaction set kept --skip-offset P2D; svcctl supervisors apply stream.json
    svcctl config coordinator set maxSegmentsToMove=9; svcctl config coordinator set maxSegmentsToMove=10
    svcctl lookups set countries --file <(echo '{"de":"Germany"}'); svcctl roles create readers
    svcctl permissions grant readers --type CONFIG --name '.*' --action READ; svcctl users create ann --without-password --role readers
    svcctl group-mappings create staff --pattern 'CN=staff' --role readers`);
  const before = await configuration();
  expect(before).toContain('Germany');
  for (const change of changes) {
    expect({ change, ...(await shell(change)) }).toMatchObject({ change, code: 0 });
    const { code, stderr } = await run('undo --yes');
    expect({ change, code, stderr }).toEqual({
      change,
      code: 0,
      stderr: expect.stringMatching(/is undone/),
    });
    expect({ change, after: await configuration() }).toEqual({ change, after: before });
  }
});

test('a service that marks segments as used and answers 500 has done it', async () => {
  const service = await startService();
  await ingest(service, 'wiki');
  const proxy = await inFrontOf(service, async (response, { method, path }, pass) => {
    if (method !== 'POST' || !/\/datasources\/wiki(\/markUsed)?$/.test(path)) return false;
    await pass();
    response.writeHead(500).end('{"error":"Unknown server error"}');
    return true;
  });
  const cwd = await temporaryFolder();
  const place = { cwd, env: { XDG_STATE_HOME: join(cwd, 'state') } };
  const run = (line: string) => runCli(proxy, line, place);
  const all = (await run('segments list --datasource wiki -o name')).stdout;
  for (const back of ['undo --yes', 'datasources mark-used wiki --yes']) {
    await run('datasources drop wiki --confirm=wiki');
    const { code, stderr } = await run(back);
    expect([back, code, stderr]).toEqual([
      back,
      0,
      expect.stringMatching(/is undone|[1-9]\d* segments? marked used/),
    ]);
    expect((await run('segments list --datasource wiki -o name')).stdout).toBe(all);
  }
  const nothing = await run('datasources mark-used wiki --yes');
  expect([nothing.code, nothing.stderr]).toEqual([
    1,
    expect.stringContaining('Unknown server error'),
  ]);
});

test('segments that were taken out of use come back, and only those', async () => {
  const { service, run } = await atService();
  await ingest(service, 'wiki');
  const used = async () => (await run('segments list --datasource wiki -o name')).stdout;
  const all = await used();
  await run('datasources drop wiki --confirm=wiki');
  expect(await used()).toBe('');
  expect((await run('undo --dry-run -o json')).stdout).toContain('/markUsed');
  await run('undo --yes');
  expect(await used()).toBe(all);
  await run(`segments mark-unused wiki '${all.trim()}' --yes`);
  expect(await used()).toBe('');
  expect((await run('undo --yes')).code).toBe(0);
  expect(await used()).toBe(all);
});

test('segments that a rule has dropped are used again when the rule is undone, and those that were unused before are named', async () => {
  const { service, run, shell } = await atService({
    'svc.coordinator.period': 'PT0.5S',
    'svc.coordinator.startDelay': 'PT0S',
  });
  await ingest(service, 'wiki', 'trips');
  const used = async (name: string) =>
    (await run(`segments list --datasource ${name} -o name`)).stdout;
  const [wiki, trips] = [await used('wiki'), await used('trips')];
  const gone = (name: string) =>
    vi.waitFor(async () => expect(await used(name)).toBe(''), { timeout: 30_000, interval: 300 });
  await run('rules add wiki --type dropForever --yes');
  await gone('wiki');
  expect((await run('undo --dry-run -o json')).stdout).toContain('/markUsed');
  expect(await run('undo --yes')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('1 segment that the rules have dropped since is marked used'),
  });
  expect(await used('wiki')).toBe(wiki);
  await run(`segments mark-unused trips ${trips.trim()} --yes`);
  await shell('svcctl rules default --yes --file <(echo \'[{"type":"dropForever"}]\')');
  await gone('wiki');
  const undone = await run('undo --yes');
  expect(undone).toMatchObject({ code: 0 });
  expect(undone.stderr).toContain(
    'warning: 1 segment of datasource [trips] that the rules keep again became unused before the change',
  );
  expect(undone.stderr).toContain('svcctl segments list --datasource trips --unused');
  expect(undone.stderr).toContain('is undone, except for the parts listed above');
  expect([await used('wiki'), await used('trips')]).toEqual([wiki, '']);
});

test('what was deleted since is not said to be taken back', async () => {
  const { service, run } = await atService();
  await ingest(service, 'wiki');
  await run('datasources drop wiki --confirm=wiki');
  const { stdout } = await run('undo --list -o name');
  await run('segments kill wiki --interval 1970-01-01/2100-01-01 --confirm=wiki --wait');
  const undone = await run(`undo ${stdout.split('\n')[0]} --yes`);
  expect(undone.stderr).not.toMatch(/is undone\.\n/);
});

test('changes are listed, the newest first; one after the other is undone, and a taken-back one can be had again', async () => {
  const { run, journal } = await atService();
  expect(await run('undo --yes')).toMatchObject({ code: 3 });
  await run('rules add wiki --type loadForever');
  await run('config coordinator set maxSegmentsToMove=3');
  expect(statSync(journal).mode & 0o777).toBe(0o600);
  const listed = await run('undo --list --columns undo,what --no-header');
  expect(listed.stdout).toBe(
    'open\tChange the dynamic configuration of the Coordinator; absent fields keep their values\nopen\tReplace the retention rules of a datasource: wiki\n',
  );
  expect(await run('undo')).toMatchObject({ code: 9 });
  await run('undo --yes');
  const { stderr: second } = await run('undo --yes');
  const [, redo = ''] = /^next: svcctl undo (\w+) redoes it$/m.exec(second) ?? [];
  expect((await run('rules get wiki -o json')).stdout).toBe('[]\n');
  expect(await run('undo --yes')).toMatchObject({ code: 3 });
  expect((await run('undo --list --columns undo --no-header')).stdout).toBe(
    'open\nopen\nundone\nundone\n',
  );
  expect((await run('undo --list -o name')).stdout.split('\n')[0]).toBe(redo);
  const [again = '', , , first = ''] = (await run('undo --list -o name')).stdout.split('\n');
  expect(await run(`undo ${first} --yes`)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('has already been undone'),
  });
  await run(`undo ${again} --yes`);
  expect((await run('rules get wiki --columns type --no-header')).stdout).toBe('loadForever\n');
  expect(await run('undo nobody --yes')).toMatchObject({ code: 3 });
});

test('nothing is undone over what somebody else has changed since, unless it is forced', async () => {
  const { run, shell } = await atService();
  await run('rules add wiki --type loadForever');
  await shell(
    'curl -s -X POST -H \'content-type: application/json\' -d \'[{"type":"dropForever"}]\' $SVCCTL_URL/svc/coordinator/v1/rules/wiki',
  );
  expect(await run('undo --yes')).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(
      /^error: It was changed again since change \[\w+\]: Replace the retention rules of a datasource: wiki; nothing was sent/,
    ),
  });
  expect((await run('rules get wiki --columns type --no-header')).stdout).toBe('dropForever\n');
  expect(await run('undo --yes --force')).toMatchObject({ code: 0 });
  expect((await run('rules get wiki -o json')).stdout).toBe('[]\n');
});

test('what cannot be taken back is said so before it is done, and listed with the reason', async () => {
  const { run } = await atService(withGuests);
  const dry = await run('users delete admin --dry-run -o json');
  expect(JSON.parse(dry.stdout)).toMatchObject([
    {
      method: 'DELETE',
      undo: 'no: the password is lost: create the user again with a new one',
    },
    { method: 'DELETE', undo: 'yes' },
  ]);
  await run('users create ann --without-password');
  const seen = await run('users password ann --new-password-command "echo hush"', { tty: true });
  expect(seen.stdout).toContain('svcctl undo cannot revert this: the previous password is unknown');
  expect((await run('undo --list --columns undo,reason --no-header --limit 1')).stdout).toBe(
    'cannot\tthe previous password is unknown\n',
  );
});

test('what deletes data cannot be taken back, though the same endpoint hides it', async () => {
  const { service, run } = await atService();
  await ingest(service, 'trips');
  const undoOf = async (line: string) =>
    JSON.parse((await run(`${line} --dry-run -o json`)).stdout)[0].undo;
  expect(await undoOf('datasources drop trips')).toBe('yes');
  await run('datasources drop trips --confirm=trips');
  expect(await undoOf('datasources kill trips')).toBe('no: a deletion is final');
  await run('datasources kill trips --confirm=trips');
  expect((await run('undo --list --columns undo,reason --no-header --limit 1')).stdout).toBe(
    'cannot\ta deletion is final\n',
  );
});

test('a change of several steps is undone as one, and the journal keeps no password', async () => {
  const { run, shell, journal } = await atService(withGuests);
  await shell('svcctl users create ann --new-password-command "echo hush" --role admin');
  expect(readFileSync(journal, 'utf8')).not.toContain('hush');
  expect((await run('undo --list --columns undo,what --no-header')).stdout).toMatch(
    /^partly\tCreate a user of an authenticator: users, ann, and 3 more\n$/,
  );
  await run('undo --yes');
  expect((await run('users list -o name --where "name = ann"')).stdout).toBe('');
});

test('a journal line that a crash has cut off is passed over, a strange one is named', async () => {
  const { run, shell, journal } = await atService();
  await run('rules add wiki --type loadForever');
  await shell(`printf '{"run":"x","ti' >> ${journal}`);
  expect((await run('undo --list -o name')).stdout.trim().split('\n')).toHaveLength(1);
  await shell(`printf 'me\\n' >> ${journal}; cat ${journal} ${journal} > more; mv more ${journal}`);
  expect(await run('undo --list')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('error: Line [2] of file ['),
  });
});

test('what api has sent to a path that nobody knows is listed as what cannot be taken back; what is refused is not', async () => {
  const { url } = await standIn((response, { path }) =>
    response.writeHead(path === '/svc/no' ? 400 : 200).end('{}'),
  );
  const cwd = await temporaryFolder();
  const run = (line: string) => runCli({ url }, line, { cwd, env: { XDG_STATE_HOME: cwd } });
  expect((await run('api POST /svc/no')).code).toBe(1);
  expect((await run("api POST '/svc/extension/v1/thing?key=hidden' -f a=b")).code).toBe(0);
  expect(await run('undo --list -o csv --columns undo,what,reason --no-header')).toMatchObject({
    stdout: 'cannot,POST /svc/extension/v1/thing,svcctl does not know what this path does\r\n',
  });
  expect(await run('undo --yes')).toMatchObject({
    code: 9,
    stderr: expect.stringContaining(
      'The last change, POST /svc/extension/v1/thing, cannot be undone: ',
    ),
  });
});
