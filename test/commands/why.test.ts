// `why` against a real service.
import { expect, test, vi } from 'vitest';
import { lines, runCli, runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { standIn } from '../support/stand-in.ts';
import { streamSpec } from '../support/supervisors.ts';
import { finishedTask, sqlReports } from '../support/tasks.ts';

interface Link {
  readonly check: string;
  readonly state: string;
  readonly says: string;
  readonly remedy?: string;
}
type Run = Awaited<ReturnType<typeof runCli>>;
const chain = ({ stdout, stderr }: Run): Link[] =>
  JSON.parse(stdout || JSON.stringify([{ stderr }]));
const linkOf = (run: Run, check: string) => chain(run).find((link) => link.check === check);
const checks = (run: Run) => chain(run).map(({ check, state }) => `${check} ${state}`);

const day = (text: string) =>
  `svcctl ingest sql "REPLACE INTO days OVERWRITE WHERE __time >= TIMESTAMP '2024-05-01' AND __time < TIMESTAMP '2024-05-02' SELECT TIMESTAMP '2024-05-01' AS __time, '${text}' AS t PARTITIONED BY DAY" --wait=queryable --quiet`;

test('a segment: loaded, overshadowed, dropped by a rule, out of use, and gone', async () => {
  const service = await startService();
  await runShell(service, day('old'));
  const id = lines((await runCli(service, 'segments list --columns id -o name')).stdout)[0] ?? '';
  const loaded = await runCli(service, `why segment ${id} -o json`);
  expect(checks(loaded)).toEqual([
    'known ok',
    'used ok',
    'rule ok',
    'tier _default_tier note',
    'available ok',
  ]);
  expect(linkOf(loaded, 'rule')?.says).toBe(
    'Default rule 1, loadForever, wants 2 copies on tier [_default_tier]',
  );
  expect(linkOf(loaded, 'tier _default_tier')?.says).toBe(
    '1 of 2 copies loaded: the tier has 1 server, and each holds one copy at most',
  );

  await runShell(service, day('new'));
  const replaced = await runCli(service, `why segment ${id} -o json`);
  expect(linkOf(replaced, 'newest')?.says).toMatch(/^Newer segments replace it: \[days_2024-05-01/);
  const newest = linkOf(replaced, 'newest')?.remedy?.split(' ').at(-1) ?? '';
  expect(
    checks(await runShell(service, `${linkOf(replaced, 'newest')?.remedy} -o json`)).at(-1),
  ).toBe('available ok');

  await runCli(service, `segments mark-unused days ${newest} --yes`);
  const unused = await runCli(service, `why segment ${newest} -o json`);
  expect(linkOf(unused, 'used')?.says).toMatch(/^It is out of use since 20/);
  expect((await runShell(service, `${linkOf(unused, 'used')?.remedy} --yes`)).code).toBe(0); // the remedy is a command that helps
  expect(checks(await runCli(service, `why segment ${newest} -o json`)).at(-1)).toBe(
    'available ok',
  );

  await runShell(
    service,
    'svcctl config coordinator set pauseCoordination=true; svcctl rules add days --type loadByInterval --interval 2000/2001; svcctl rules add days --type dropForever --yes',
  );
  const dropped = await runCli(service, `why segment ${newest} -o json`);
  expect(linkOf(dropped, 'rule')).toMatchObject({
    state: 'critical',
    says: 'Rule 2 of datasource [days], dropForever, drops it',
  });
  expect(linkOf(dropped, 'coordination')?.remedy).toBe(
    'svcctl config coordinator set pauseCoordination=false',
  );
  expect(
    await runCli(service, `why segment ${newest.replace('2024-05-01', '2023-05-01')}`),
  ).toMatchObject({
    stdout: '',
    stderr: expect.stringMatching(
      /^error: Segment \[.*\] is unknown: .*\nhint: did you mean days_2024-05-01/,
    ),
    code: 3,
  });
});

test('a segment out of use, where the service is too old to list it: what its id says, and the rules', async () => {
  const id = 'days_2024-05-01T00:00:00.000Z_2024-05-02T00:00:00.000Z_2024-06-01T00:00:00.000Z';
  const older = await standIn((response, { path }) => {
    const reply = (value: unknown) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    if (path.includes('/metadata/datasources?')) return reply(['days']);
    if (path.includes('/rules/days')) return reply([{ type: 'dropForever' }]);
    if (path.includes('/metadata/segments')) return reply([]);
    response.writeHead(404).end();
  });
  const why = await runCli(older, `why segment ${id} -o json`);
  expect(checks(why)).toEqual(['known note', 'used critical', 'rule critical']);
  expect(linkOf(why, 'used')?.says).toContain('the service is too old to say which');
});

const held = (id: string) =>
  `echo '{"type":"index_parallel","id":"${id}","spec":{"dataSchema":{"dataSource":"locked","timestampSpec":{"column":"t"},"dimensionsSpec":{},
"granularitySpec":{"segmentGranularity":"DAY","intervals":["2022-03-01/2022-03-03"]}},
"ioConfig":{"type":"index_parallel","inputSource":{"type":"inline","data":"{\\"t\\":\\"2022-03-01\\",\\"k\\":1}"},"inputFormat":{"type":"json"}}}}' | svcctl tasks submit - --quiet`;

test('a task: who has the lock, what place in the queue, which worker is off', async () => {
  const service = await startService({ properties: { 'svc.indexer.auditLog.enabled': 'true' } });
  const worker = lines((await runCli(service, 'workers list -o name')).stdout)[0] ?? '';
  await runCli(service, `workers disable ${worker}`);
  await runShell(service, `${held('one')}; ${held('two')}`);
  const pending = await runCli(service, 'why task one -o json');
  expect(linkOf(pending, 'state')?.says).toMatch(
    /^Task \[one\] of type \[index_parallel\] for datasource \[locked\] waits for a slot, /,
  );
  expect(linkOf(pending, 'queue')?.says).toMatch(/^It is number 1 of the 1 that wait for a slot/);
  expect(linkOf(pending, 'workers')).toMatchObject({
    state: 'critical',
    remedy: `svcctl workers enable ${worker}`,
  });
  const waiting = await runCli(service, 'why task two -o json');
  expect(linkOf(waiting, 'locks')).toMatchObject({
    state: 'critical',
    says: expect.stringMatching(
      /^Task \[one\] has locked \[2022-03-01T00:00:00.000Z\/2022-03-03T00:00:00.000Z\] \(exclusive, priority 50/,
    ),
    remedy: 'svcctl tasks wait one',
  });
  await runShell(service, linkOf(pending, 'workers')?.remedy ?? '');
  await runCli(service, 'tasks wait one two');
  expect(chain(await runCli(service, 'why task two -o json'))[0]).toMatchObject({
    state: 'ok',
    says: expect.stringContaining('has succeeded after'),
  });
  expect(await runCli(service, 'why task nope')).toMatchObject({ stdout: '', code: 3 });
});

test('a task that has failed: its error, what the fault means, and the end of its log', async () => {
  const reports = sqlReports('ingest-1', 5, {
    errorCode: 'InsertTimeNull',
    errorMessage: 'InsertTimeNull: Encountered a null timestamp',
  });
  const task = finishedTask('ingest-1', { reports, log: ['one', 'the last words'] });
  const status = {
    ...task.status,
    status: 'FAILED',
    statusCode: 'FAILED',
    errorMsg: 'InsertTimeNull: ...',
  } as const;
  const service = await startService({ tasks: [{ ...task, status }] });
  const failed = await runCli(service, 'why task ingest-1 -o json');
  expect(checks(failed)).toEqual(['state critical', 'error critical', 'meaning note', 'log note']);
  expect(linkOf(failed, 'error')?.says).toBe(
    'InsertTimeNull: Encountered a null timestamp (stage 1)',
  );
  expect(linkOf(failed, 'meaning')?.remedy).toBe('svcctl help fault InsertTimeNull');
  expect(linkOf(failed, 'log')?.says).toBe('the last words');
  const shown = await runCli(service, 'why task ingest-1', {
    tty: true,
    cols: 60,
    env: { LANG: 'C.UTF-8', NO_COLOR: '1' },
  });
  for (const line of lines(shown.stdout)) expect(line.length).toBeLessThanOrEqual(60);
  expect(shown.stdout).toContain('✖ error');
  expect(shown.stdout).toContain('→ svcctl tasks report ingest-1');
  expect(
    (
      await runCli(service, 'why task ingest-1', {
        tty: true,
        cols: 20,
        rows: 200, // no pager
        env: { NO_COLOR: '1' },
      })
    ).stdout,
  ).toContain('x error');
});

test('a supervisor: suspended, and without its stream', async () => {
  const service = await startService();
  await runShell(
    service,
    `echo '${JSON.stringify(streamSpec({ id: 'edits', suspended: true }))}' > "$TMPDIR/why-$$.json"; svcctl supervisors apply "$TMPDIR/why-$$.json"; rm "$TMPDIR/why-$$.json"`,
  );
  const suspended = await runCli(service, 'why supervisor edits -o json');
  expect(linkOf(suspended, 'state')).toMatchObject({
    state: 'warning',
    remedy: 'svcctl supervisors resume edits',
  });
  await runShell(service, linkOf(suspended, 'state')?.remedy ?? '');
  await vi.waitFor(
    async () => {
      const unreachable = await runCli(service, 'why supervisor edits -o json');
      expect(linkOf(unreachable, 'error')).toMatchObject({ state: 'critical' });
      expect(linkOf(unreachable, 'tasks')?.says).toBe('0 of 1 task reads, 0 publish');
    },
    { timeout: 30_000, interval: 500 },
  );
  expect((await runCli(service, 'why supervisor nope')).code).toBe(3);
});
