import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { lines, runCli } from '../support/cli.ts';
import { startService } from '../support/service.ts';

// Each script gets the file to edit as its last word, and nothing else.
const editing = (service: { url: string }, line: string) => (script: string) =>
  runCli(service, line, { env: { EDITOR: script } });

/** What the file holds that an error names; it goes with its folder. */
function keptBy({ stderr }: { readonly stderr: string }): string {
  const [, file] = /saved in (\S+\/svcctl-edited-\S+)/.exec(stderr) ?? [];
  if (file === undefined) throw new Error(`Nothing is kept: ${stderr}`);
  const text = readFileSync(file, 'utf8');
  rmSync(dirname(file), { recursive: true });
  return text;
}

test('rules open as YAML that says what a rule may have, and what is saved is said field by field and set', async () => {
  const service = await startService();
  const edit = editing(service, 'rules edit wiki --author ann --comment "by hand"');
  const wrong = await edit(`printf -- '- type: loadByPeriod\\n' >>`); // the empty list is there still, and a document holds one value
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('The edited text is not YAML'),
  });
  keptBy(wrong);
  const first = await edit(
    `printf -- '- type: loadByPeriod\\n  period: P1Y\\n- type: dropForever\\n' >`,
  );
  expect(first).toMatchObject({ code: 0, stdout: '' });
  expect(first.stderr).toBe(
    '[1]: (nothing) -> {"type":"loadByPeriod","period":"P1Y","includeFuture":true,"tieredReplicants":{"_default_tier":2}}\n[2]: (nothing) -> {"type":"dropForever"}\n' +
      'The rules of datasource [wiki]: changed.\nnext: svcctl rules get wiki\n',
  );
  const seen = await edit(`sh -c 'cat "$1" >&2; sed -i s/P1Y/P2Y/ "$1"' -`);
  expect(seen.stderr).toContain('# The rules of datasource [wiki].\n');
  expect(seen.stderr).toMatch(/^# {3}type: loadForever \| .*required$/m);
  expect(seen.stderr).toContain('- type: loadByPeriod\n  period: P1Y\n');
  expect(seen.stderr).toContain('[1].period: P1Y -> P2Y\n');
  expect(JSON.parse((await runCli(service, 'rules get wiki -o json')).stdout)).toMatchObject([
    { type: 'loadByPeriod', period: 'P2Y' },
    { type: 'dropForever' },
  ]);
  expect(
    lines(
      (await runCli(service, 'rules history wiki --columns author,comment --no-header -o tsv'))
        .stdout,
    ),
  ).toEqual(['ann\tby hand', 'ann\tby hand']);
});

test('what is left as it is, deleted, or says the same in other words changes nothing', async () => {
  const service = await startService();
  await editing(service, 'compaction set wiki --segment-granularity DAY')('true');
  const edit = editing(service, 'compaction edit wiki');
  for (const script of [
    'true',
    `sh -c ': > "$1"' -`,
    `sed -i 's/taskPriority: 25/taskPriority: 0x19/'`,
  ])
    expect(await edit(script)).toMatchObject({ code: 0, stderr: 'Nothing was changed.\n' });
  expect(
    lines((await runCli(service, 'compaction history wiki --no-header -o tsv')).stdout),
  ).toHaveLength(1);
  expect(await editing(service, 'compaction edit other')('true')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('there is none'),
  });
});

test('what cannot be sent is kept in a file that the error names', async () => {
  const service = await startService();
  const edit = editing(service, 'rules edit wiki');
  const { code, stderr } = await edit(`printf -- '- type: loadByPeriod\\n' >`);
  expect(code).toBe(2);
  expect(stderr).toContain('Rule 1 of 1, field [period]: it is missing; an example: P1M');
  expect(keptBy({ stderr })).toBe('- type: loadByPeriod\n');
  expect(await edit('false')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Editor [false] failed with exit code [1]'),
  });
  expect(
    await runCli(service, 'rules edit wiki', { env: { EDITOR: '', VISUAL: '' } }),
  ).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('An editor needs a terminal'),
  });
});

test('what somebody else has changed meanwhile is a conflict, and nothing is sent', async () => {
  const service = await startService();
  const meanwhile = `${process.execPath} bin/svcctl.cjs config coordinator set maxSegmentsToMove=5 --url ${service.url} >&2; true`;
  const edit = editing(service, 'config coordinator edit --comment by-hand');
  const result = await edit(
    `sh -c '${meanwhile}; sed -i "s/replicantLifetime: 15/replicantLifetime: 3/" "$1"' -`,
  );
  expect(result).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('changed by another user meanwhile; nothing was sent'),
  });
  keptBy(result);
  expect(await edit(`sed -i 's/replicantLifetime: 15/replicantLifetime: 3/'`)).toMatchObject({
    code: 0,
  });
  expect(JSON.parse((await runCli(service, 'config coordinator get')).stdout)).toMatchObject({
    replicantLifetime: 3,
    maxSegmentsToMove: 5,
  });
  const dry = await editing(
    service,
    'config coordinator edit --dry-run',
  )(`sed -i 's/maxSegmentsToMove: 5/maxSegmentsToMove: 6/'`);
  expect(dry).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('/svc/coordinator/v1/config'),
  });
});

test('an editor that fails loses nothing of what was typed, in the first round and in a later one', async () => {
  const service = await startService();
  const typed = `sh -c 'echo "- type: typed" > "$1"; exit 3' -`;
  const first = await editing(service, 'rules edit wiki --quiet')(typed);
  expect(first).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('failed with exit code [3]; nothing was changed'),
  });
  expect(keptBy(first)).toBe('- type: typed\n');
  const untouched = await editing(service, 'rules edit wiki')('false');
  expect(untouched.stderr).not.toContain('are saved in');
  const twice = `sh -c 'if grep -q "^# error" "$1"; then exit 4; fi; echo "- type: mistyped" > "$1"' -`;
  const { stdout, code } = await runCli(service, 'rules edit wiki --comment none', {
    tty: true,
    env: { EDITOR: twice, NO_COLOR: '1' },
    types: [['Edit again?', 'y\r']],
  });
  expect(code, stdout).toBe(1);
  expect(keptBy({ stderr: stdout })).toContain('- type: mistyped\n');
});

test('rules by which segments leave the servers are asked about before they are sent, and kept when nobody says yes', async () => {
  const service = await startService();
  const load = `REPLACE INTO days OVERWRITE ALL SELECT TIMESTAMP '2024-05-01' AS __time, 1 AS n PARTITIONED BY DAY`;
  expect((await runCli(service, `ingest sql "${load}" --wait=queryable --quiet`)).code).toBe(0);
  const drop = `printf -- '- type: dropForever\\n' >`;
  const refused = await editing(service, 'rules edit days')(drop);
  expect(refused).toMatchObject({
    code: 9,
    stderr: expect.stringMatching(
      /error: With the new rules of datasource \[days\], the servers drop 1 segment, .+B: not confirmed\n/,
    ),
  });
  expect(keptBy(refused)).toBe('- type: dropForever\n');
  const empty = await editing(service, 'rules edit _default --yes')(`echo '[]' >`);
  expect(empty).toMatchObject({
    code: 9,
    stderr: expect.stringContaining('Without default rules'),
  });
  keptBy(empty);
  expect((await runCli(service, 'rules history days -o name')).stdout).toBe('');
  expect(await editing(service, 'rules edit days --yes')(drop)).toMatchObject({ code: 0 });
});
