// Tasks that succeed although rows are missing: every command that waits for a task or shows one
// says so.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli, runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/storage.ts';
import { finishedTask } from '../support/tasks.ts';

const rows = [
  '{"t":"2022-03-01","n":1}',
  '{"t":"garbage"}',
  'not json',
  '{"t":"2030-03-01","n":"abc"}',
  '{"t":"2022-03-02","n":"abc"}',
];
const good = [rows[0] ?? ''];

const load = (id: string, lines: readonly string[], interval: string, rest: object = {}) => ({
  type: 'index_parallel',
  id,
  spec: {
    dataSchema: {
      dataSource: 'counted',
      timestampSpec: { column: 't' },
      dimensionsSpec: { dimensions: [{ type: 'long', name: 'n' }] },
      granularitySpec: { segmentGranularity: 'DAY', intervals: [interval], rollup: false },
      ...rest,
    },
    ioConfig: {
      type: 'index_parallel',
      inputSource: { type: 'inline', data: lines.join('\n') },
      inputFormat: { type: 'json' },
    },
    tuningConfig: { type: 'index_parallel', maxSavedParseExceptions: 5 },
  },
});

async function started() {
  const service = await startService();
  const cwd = await temporaryFolder();
  const run = (line: string) => runCli(service, line, { cwd });
  const shell = (line: string) => runShell(service, line, { cwd });
  const submit = async (task: ReturnType<typeof load>, more = '') => {
    writeFileSync(join(cwd, `${task.id}.json`), JSON.stringify(task));
    return run(`tasks submit ${task.id}.json --wait ${more}`);
  };
  return { service, run, shell, submit };
}

test('a task that could not read all rows succeeds, and whoever waits for it is warned with the counts', async () => {
  const { run, submit } = await started();
  const counts =
    '5 rows read, 2 stored (1 with unreadable fields), 2 unparseable, 1 thrown away by filters and intervals';
  const warning = `warning: Task [part] has stored only a part of the rows: ${counts}\n`;
  expect(await submit(load('part', rows, '2022-03-01/2022-03-03'), '--quiet')).toEqual({
    stdout: 'part\n',
    stderr: warning,
    code: 0,
  });
  expect(await run('tasks wait part --quiet')).toEqual({ stdout: '', stderr: warning, code: 0 });
  const waited = await run('tasks wait part -o json');
  expect(waited).toMatchObject({
    stdout: '[{"item":"part","result":"done"}]\n',
    stderr: expect.stringContaining(warning),
    code: 0,
  });
  const report = await run('tasks report part');
  expect(report.stderr).toContain(warning.trim());
  expect(report.stderr).toContain('Timestamp[garbage] is unparseable!');
  expect((await run('tasks report part --follow')).stderr.match(/only a part/g)).toHaveLength(1);
  const why = JSON.parse((await run('why task part -o json')).stdout);
  expect(why).toEqual([
    expect.objectContaining({ check: 'state', state: 'ok' }),
    expect.objectContaining({
      check: 'rows',
      state: 'warning',
      says: expect.stringContaining(counts),
      remedy: 'svcctl tasks report part',
    }),
  ]);
});

test('what is thrown away is not counted as stored with errors, and a task without a row to store is told as such', async () => {
  const { submit } = await started();
  expect((await submit(load('none', rows, '2000-01-01/2000-01-02'))).stderr).toContain(
    'warning: Task [none] has stored no rows: 5 rows read, 0 stored, 2 unparseable, 3 thrown away by filters and intervals\n',
  );
  const filter = { transformSpec: { filter: { type: 'selector', dimension: 'n', value: '7' } } };
  expect((await submit(load('filtered', good, '2022-03-01/2022-03-03', filter))).stderr).toContain(
    'warning: Task [filtered] has stored no rows: 1 row read, 0 stored, 0 unparseable, 1 thrown away by filters and intervals\n',
  );
  const fields = await submit(load('fields', rows.slice(-1), '2022-03-01/2022-03-03'));
  expect(fields.stderr).toContain(
    'Task [fields] has stored rows without some of their fields: 1 row read, 1 stored (1 with unreadable',
  );
  expect((await submit(load('all', good, '2022-03-01/2022-03-03'))).stderr).not.toContain(
    'warning',
  );
});

test('an INSERT without rows, or with lines that it could not read, is warned of as a task and as a statement', async () => {
  const { run, shell } = await started();
  const from = (data: string, where: string) =>
    `SELECT TIME_PARSE("t") AS __time, "n" FROM TABLE(EXTERN('${JSON.stringify({ type: 'inline', data })}', '{"type":"json"}')) EXTEND ("t" VARCHAR, "n" BIGINT) WHERE ${where} PARTITIONED BY DAY`;
  const insert = (name: string, data: string, where: string) =>
    `cat > ${name}.sql <<'EOF'\nINSERT INTO "counted" ${from(data, where)}\nEOF\n`;
  const good = '{"t":"2022-03-01","n":1}';
  const none = `${insert('none', good, '"n" > 5')} svcctl ingest sql --file none.sql --wait --quiet`;
  expect(await shell(none)).toMatchObject({
    stderr: expect.stringMatching(
      /^warning: Task \[query-[^\]]+\] has stored no rows: 1 row read, 0 stored \(no row matches the condition of the statement\)\n$/,
    ),
    code: 0,
  });
  const bad = `${insert('bad', `${good}\nnot json`, 'TRUE')} svcctl ingest sql --file bad.sql --context maxParseExceptions=5 --wait --quiet`;
  const done = await shell(bad);
  expect(done).toMatchObject({
    stderr: expect.stringMatching(
      /has stored only a part of the rows: 2 rows read, 1 stored, 1 unparseable\n$/,
    ),
    code: 0,
  });
  expect((await run(`tasks report ${done.stdout.trim()}`)).stderr).toContain(
    'has stored only a part of the rows',
  );
  const statement = await shell('svcctl statements submit --file none.sql --wait --quiet');
  expect(statement).toMatchObject({
    stderr: expect.stringMatching(/^warning: Statement \[[^\]]+\] has stored no rows: 1 row read/),
    code: 0,
  });
  expect((await run(`statements wait ${statement.stdout.trim()}`)).stderr).toContain(
    'has stored no rows',
  );
  const select = await run("statements submit 'SELECT 1 AS x LIMIT 0' --wait");
  expect(select).toMatchObject({ stderr: expect.not.stringContaining('warning'), code: 0 });
});

test('the error of a log is quoted, and not what was logged after it', async () => {
  const log = [
    '2024-05-01T12:00:00.000Z INFO [failed] reading',
    '2024-05-01T12:00:01.000Z ERROR [failed] Task failed: no such file',
    '2024-05-01T12:00:02.000Z INFO [failed] Task ended with status [FAILED] after [5] ms',
  ];
  const task = finishedTask('failed', { log });
  const status = {
    ...task.status,
    status: 'FAILED',
    statusCode: 'FAILED',
    errorMsg: 'no such file',
  } as const;
  const service = await startService({ tasks: [{ ...task, status }] });
  const why = JSON.parse((await runCli(service, 'why task failed -o json')).stdout);
  expect(why.at(-1)).toMatchObject({ check: 'log', says: log[1] });
});
