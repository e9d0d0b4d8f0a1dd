import { expect, test } from 'vitest';
import { lines, runCli, runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';

test('a datasource is compacted from a shell: set, looked at, told in its history, deleted', async () => {
  const service = await startService();
  const ok = async (line: string) => {
    const { stdout, stderr, code } = await runCli(service, `compaction ${line}`);
    expect([code, stderr]).toEqual([0, expect.anything()]);
    return stdout;
  };
  await ok(
    'set wiki --segment-granularity DAY --skip-offset P2D --max-rows 1000 --author alice --comment first',
  );
  expect(lines(await ok('list -o tsv'))).toEqual([
    'datasource\tgranularity\tpartitions\tskipOffset\tpriority\tmaxRows\tinputSize',
    'wiki\tDAY\tdynamic\tP2D\t25\t\t100000000000000',
  ]);
  expect(await ok('list --overlord -o tsv')).toBe(await ok('list -o tsv'));
  const config = JSON.parse(await ok('get wiki'));
  expect(config).toMatchObject({
    dataSource: 'wiki',
    tuningConfig: { partitionsSpec: { maxRowsPerSegment: 1000 } },
  });
  expect(JSON.parse(await ok('get wiki --overlord'))).toEqual(config);
  await runShell(
    service,
    'svcctl compaction get wiki | svcctl compaction set wiki --file - --priority 30 --overlord',
  );
  expect(JSON.parse(await ok('get wiki'))).toEqual({ ...config, taskPriority: 30 });
  expect(lines(await ok('status wiki -o tsv'))[1]).toMatch(/^wiki\tRUNNING\t0\t0\t0\t0\t/);
  expect(await ok('status --overlord -o tsv')).toBe(await ok('status wiki --overlord -o tsv'));
  expect(await ok('progress wiki -o json')).toContain('"remainingSegmentSize": 0');
  for (const ratio of [2, -1])
    expect(await runCli(service, `compaction slots --ratio=${ratio}`)).toMatchObject({
      code: 2,
      stdout: '',
    });
  expect(JSON.parse(await ok('slots --ratio 0.2 --max 5 -o json'))).toEqual({
    ratio: 0.2,
    max: 5,
    useAutoScaleSlots: false,
  });
  expect(lines(await ok('history wiki --columns author,comment,maxSlots -o tsv')).slice(1)).toEqual(
    ['alice\tfirst\t2147483647', '\t\t2147483647', '\t\t5'],
  );
  expect(await ok('history wiki --overlord -o json')).toBe(await ok('history wiki -o json'));
  expect(JSON.parse(await ok('history wiki --count 99 -o json'))).toHaveLength(3);
  await ok('run');
  expect(lines(await ok('simulate -o tsv'))).toEqual([
    'datasource\tinterval\tstate\tsegments\tsize\treason',
  ]);
  expect(JSON.parse(await ok('cluster'))).toMatchObject({
    maxCompactionTaskSlots: 5,
    useSupervisors: true,
  });
  await runShell(service, `echo '{"useSupervisors": false}' | svcctl compaction cluster --file -`);
  expect(JSON.parse(await ok('cluster'))).toMatchObject({
    maxCompactionTaskSlots: 5,
    useSupervisors: false,
  });
  expect((await runCli(service, 'compaction delete wiki')).code).toBe(9);
  await ok('delete wiki --yes');
  const gone = await runCli(service, 'compaction get wiki');
  expect(gone).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('hint: svcctl compaction list'),
  });
});

test('a dry run of compaction sends nothing, and what cannot be is not sent', async () => {
  const service = await startService();
  const dry = await runCli(service, 'compaction set wiki --dry-run');
  expect(dry).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('/svc/coordinator/v1/config/compaction'),
  });
  expect((await runCli(service, 'compaction list -o json')).stdout.trim()).toBe('[]');
  expect(await runCli(service, 'compaction set wiki --skip-offset day')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Invalid value for --skip-offset: [day] is not an ISO period'),
  });
  expect(
    await runCli(service, 'compaction set wiki --segment-granularity fortnight'),
  ).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Granularity [fortnight] is unknown'),
  });
});
