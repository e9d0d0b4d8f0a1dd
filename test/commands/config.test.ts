import { expect, test } from 'vitest';
import { lines, runCli, runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';

test('config coordinator shows, changes, lists the history of, and rolls back the configuration', async () => {
  const service = await startService();
  expect(JSON.parse((await runCli(service, 'config coordinator get')).stdout)).toMatchObject({
    maxSegmentsToMove: 100,
  });
  const first = await runCli(
    service,
    'config coordinator set maxSegmentsToMove=7 --author alice --comment "less moving"',
  );
  expect(first).toMatchObject({
    code: 0,
    stdout: '',
    stderr:
      'The configuration of the Coordinator is changed.\nnext: svcctl config coordinator history\n',
  });
  await runShell(
    service,
    `echo '{"maxSegmentsToMove": 8, "killDataSourceWhitelist": ["a"]}' | svcctl config coordinator set --file - --author bob`,
  );
  const history = await runCli(
    service,
    'config coordinator history --columns author,comment,changed -o tsv',
  );
  expect(lines(history.stdout)).toEqual([
    'author\tcomment\tchanged',
    'bob\t\tmaxSegmentsToMove killDataSourceWhitelist',
    'alice\tless moving', // the first one: nothing came before it
  ]);
  const payloads = JSON.parse(
    (await runCli(service, 'config coordinator history --payload')).stdout,
  );
  expect(
    payloads.map(
      ({ payload }: { payload: { maxSegmentsToMove: number } }) => payload.maxSegmentsToMove,
    ),
  ).toEqual([7, 8]);
  expect((await runCli(service, 'config coordinator rollback')).code).toBe(9);
  expect(await runCli(service, 'config coordinator rollback --yes')).toMatchObject({ code: 0 });
  expect(JSON.parse((await runCli(service, 'config coordinator get')).stdout)).toMatchObject({
    maxSegmentsToMove: 7,
    killDataSourceWhitelist: [],
  });
  const beyond = await runCli(service, 'config coordinator rollback --steps 9 --yes');
  expect(beyond).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('does not reach back 9 changes'),
  });
});

test('invalid changes are not sent, and a dry run sends nothing', async () => {
  const service = await startService();
  const refused = async (line: string) => {
    const { stderr, code } = await runCli(service, `config coordinator ${line}`);
    return [code, stderr];
  };
  expect(await refused('set maxSegmentsToMove=many')).toEqual([
    2,
    expect.stringContaining('Field [maxSegmentsToMove]'),
  ]);
  expect(await refused('set')).toEqual([2, expect.stringContaining('Nothing to set')]);
  expect(await refused('set maxSegmentsToMove')).toEqual([
    2,
    expect.stringContaining('is not a FIELD=VALUE'),
  ]);
  expect(await refused('get maxSegmentsToMove=1')).toEqual([
    2,
    expect.stringContaining('are for set'),
  ]);
  expect(await refused('forget')).toEqual([
    2,
    expect.stringMatching(/get, set, edit, history, rollback/),
  ]);
  expect(await refused('set killTaskSlotRatio=2')).toEqual([
    1,
    expect.stringContaining('It must be >= 0 and <= 1.'),
  ]);
  const dry = await runCli(service, 'config coordinator set maxSegmentsToMove=9 --dry-run');
  expect(dry).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('/svc/coordinator/v1/config'),
  });
  expect(JSON.parse((await runCli(service, 'config coordinator get')).stdout)).toMatchObject({
    maxSegmentsToMove: 100,
  });
});

test('an unknown field is refused with a suggestion', async () => {
  const service = await startService();
  expect(await runCli(service, 'config coordinator set maxSegmentToMove=50')).toMatchObject({
    stderr: expect.stringMatching(
      /^error: Field \[maxSegmentToMove\] does not exist: .*\nhint: did you mean maxSegmentsToMove\?\n$/,
    ),
    code: 2,
  });
  expect((await runCli(service, 'config overlord set selectStrateg=1')).code).toBe(2);
  expect((await runCli(service, 'config coordinator history -o json')).stdout).toBe('[]\n');
});

test('the Overlord and the Brokers have configurations of their own', async () => {
  const service = await startService();
  expect((await runCli(service, 'config overlord get')).stdout).toBe('{}\n');
  const set = `config overlord set 'selectStrategy={"type": "fillCapacity"}'`;
  expect(await runCli(service, set)).toMatchObject({ code: 0 });
  expect(JSON.parse((await runCli(service, 'config overlord get')).stdout)).toMatchObject({
    selectStrategy: { type: 'fillCapacity' },
  });
  expect(lines((await runCli(service, 'config overlord history -o tsv')).stdout).length).toBe(2);
  await runCli(service, `config brokers set 'queryContext={"priority": 1}'`);
  expect(JSON.parse((await runCli(service, 'config brokers get')).stdout)).toEqual({
    queryContext: { priority: 1 },
  });
  expect(
    (await runCli(service, 'config synced --columns synced -o csv --no-header')).stdout,
  ).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z\r?\n$/);
  expect(
    (await runCli(service, 'config synced --columns broker -o csv --no-header')).stdout,
  ).toMatch(/^127\.0\.0\.1:\d+\r?\n$/);
});

test('a field that has the value already is not a change', async () => {
  const service = await startService();
  const same = await runCli(service, 'config coordinator set pauseCoordination=false');
  expect(same).toMatchObject({
    code: 0,
    stderr: 'The configuration of the Coordinator already has these values: nothing was changed.\n',
  });
  const other = await runCli(service, 'config coordinator set pauseCoordination=true');
  expect(other.stderr).toContain('The configuration of the Coordinator is changed.');
});
