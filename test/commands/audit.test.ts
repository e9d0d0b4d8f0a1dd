import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli, runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/storage.ts';
import { streamSpec } from '../support/supervisors.ts';

test('all histories are one timeline, the newest first, told by the fields that changed', async () => {
  const service = await startService();
  const cwd = await temporaryFolder();
  const place = { cwd, env: { XDG_STATE_HOME: join(cwd, 'state') } };
  const spec = (taskCount: number, password: string) =>
    streamSpec({
      suspended: true,
      ioConfig: {
        taskCount,
        consumerProperties: { 'bootstrap.servers': '127.0.0.1:1', 'ssl.key.password': password },
      },
    });
  writeFileSync(join(cwd, 'stream.json'), JSON.stringify(spec(1, 'hush')));
  writeFileSync(join(cwd, 'changed.json'), JSON.stringify(spec(2, 'shout')));
  writeFileSync(join(cwd, 'secret.json'), JSON.stringify(spec(2, 'hush')));
  const changes = `svcctl rules add wiki --type loadByPeriod --period P1Y --author ann --comment "keep a year"
    svcctl rules add wiki --type dropForever --author bob --yes
    svcctl rules remove wiki 1 --yes; svcctl rules remove wiki 1 --yes
    svcctl config coordinator set maxSegmentsToMove=50; svcctl config coordinator set maxSegmentsToMove=60 --author ann
    svcctl compaction set wiki --skip-offset P2D; svcctl compaction set wiki --skip-offset P3D
    svcctl supervisors apply stream.json; svcctl supervisors apply changed.json; svcctl supervisors apply secret.json
    svcctl supervisors terminate edits --yes`;
  expect(await runShell(service, changes, place)).toMatchObject({ code: 0 });
  const run = (line: string) => runCli(service, line, place);
  const { code, stdout } = await run(
    'audit --columns area,name,change,author,what,comment --no-header --sort time',
  );
  expect(code).toBe(0);
  const told = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  expect(told.map(([area, name, change, author]) => [area, name, change, author])).toEqual([
    ['rules', 'wiki', 'added', 'ann'],
    ['rules', 'wiki', 'changed', 'bob'],
    ['rules', 'wiki', 'changed', ''],
    ['rules', 'wiki', 'removed', ''],
    ['config', 'coordinator', 'added', ''],
    ['config', 'coordinator', 'changed', 'ann'],
    ['compaction', 'wiki', 'added', ''],
    ['compaction', 'wiki', 'changed', ''],
    ['supervisors', 'edits', 'added', ''],
    ['supervisors', 'edits', 'changed', ''],
    ['supervisors', 'edits', 'changed', ''],
    ['supervisors', 'edits', 'removed', ''],
  ]);
  expect(told[1]?.[4]).toBe('[2]: {"type":"dropForever"}');
  expect(told[2]?.[4]).toMatch(/^\[1\]: \{.*"P1Y".*\}$/);
  expect(told[5]?.[4]).toBe('maxSegmentsToMove: 50 -> 60');
  expect(told[7]?.[4]).toBe('skipOffsetFromLatest: P2D -> P3D');
  expect(told[9]?.[4]).toBe('spec.ioConfig.taskCount: 1 -> 2');
  expect(told[10]?.[4]).toBe('no visible change; a masked value may have changed');
  expect(stdout).not.toMatch(/hush|shout/);

  const some = await run('audit --area config --name coordinator -o json --limit 1');
  expect(JSON.parse(some.stdout)).toMatchObject([
    {
      area: 'config',
      name: 'coordinator',
      author: 'ann',
      differences: [{ path: 'maxSegmentsToMove', before: 50, after: 60 }],
    },
  ]);
  expect(
    (await run(`audit --where 'author = "bob"' -o jsonl`)).stdout.trimEnd().split('\n'),
  ).toHaveLength(1);
  const later = await run('audit --since 2100-01-01 -o json');
  expect([later.stdout, later.stderr]).toEqual([
    '[]\n',
    '12 older changes are not shown; set the start with --since.\n',
  ]);
  expect(await run('audit --since yesterday')).toMatchObject({ code: 2, stdout: '' });
});

test('what the compaction of all datasources shares is not a change of one of them', async () => {
  const service = await startService();
  const place = { cwd: await temporaryFolder() };
  const changes = `svcctl compaction set wiki --skip-offset P2D; svcctl compaction set trips --skip-offset P2D
    svcctl compaction slots --max 3 --author ann; svcctl compaction delete trips --yes; svcctl compaction slots --ratio 0.5; svcctl compaction set wiki --skip-offset P3D`;
  expect(await runShell(service, changes, place)).toMatchObject({ code: 0 });
  const told = async (more: string) =>
    (
      await runCli(
        service,
        `audit --sort time --no-header ${more} --columns name,change,author,what`,
        place,
      )
    ).stdout
      .trimEnd()
      .split('\n');
  const shared = [
    '*\tchanged\tann\tmaxCompactionTaskSlots: 2147483647 -> 3',
    '*\tchanged\t\tcompactionTaskSlotRatio: 0.1 -> 0.5',
  ];
  const all = await told('--area compaction');
  expect(all.map((line) => line.split('\t').slice(0, 2).join(' '))).toEqual([
    'wiki added',
    '* changed',
    '* changed',
    'wiki changed',
  ]);
  expect(all.filter((line) => line.startsWith('*'))).toEqual(shared);
  expect(all.at(-1)).toBe('wiki\tchanged\t\tskipOffsetFromLatest: P2D -> P3D');
  expect(await told("--name '*'")).toEqual(shared);
  expect((await told('--name trips')).map((line) => line.split('\t')[1])).toEqual([
    'added',
    'removed',
  ]);
});
