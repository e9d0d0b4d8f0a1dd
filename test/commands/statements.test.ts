// Statements from a shell: submitted, waited for, read page after page, and found again in the list
// of what was submitted.
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lines, runCli } from '../support/cli.ts';
import { startService } from '../support/service.ts';

const numbers = (count: number, name = 't') =>
  `UNNEST(ARRAY[${Array.from({ length: count }, (_, at) => at + 1)}]) AS ${name}(n)`;

async function shell() {
  const service = await startService();
  const state = mkdtempSync(join(tmpdir(), 'svcctl-state-'));
  onTestFinished(() => rmSync(state, { recursive: true, force: true }));
  return {
    state,
    service,
    run: (line: string) =>
      runCli(service, `statements ${line}`, { env: { XDG_STATE_HOME: state } }),
  };
}

test('a statement is submitted, waited for and read in every format, across its pages', async () => {
  const { run } = await shell();
  const query = `SELECT n AS "a,b", 'x' || n AS c, 9007199254740993 AS big FROM ${numbers(5)}`;
  const submitted = await run(
    `submit '${query.replaceAll("'", `'"'"'`)}' --destination durableStorage --context rowsPerPage=2 --context sqlQueryId=one --wait`,
  );
  expect(submitted).toMatchObject({ stdout: 'query-one\n', code: 0 });
  const rows = [1, 2, 3, 4, 5].map((n) => `${n},x${n},9007199254740993`);
  expect((await run('results query-one -o csv')).stdout).toBe(`"a,b",c,big\n${rows.join('\n')}\n`);
  expect((await run('results query-one -o csv --no-header --page 1')).stdout).toBe(
    '3,x3,9007199254740993\n4,x4,9007199254740993\n',
  );
  expect(lines((await run('results query-one -o jsonl')).stdout)[4]).toBe(
    '{"a,b":5,"c":"x5","big":9007199254740993}',
  );
  expect((await run('results query-one -o json')).stdout).toMatch(/^\[\{"a,b":1,.*\}\]\n$/s);
  expect(lines((await run('results query-one')).stdout).slice(0, 2)).toEqual([
    'a,b\tc\tbig',
    '1\tx1\t9007199254740993',
  ]);
  expect(
    (await run(`results query-one --where 'big>1' --sort -c --limit 1 -o csv`)).stdout,
  ).toContain('5,x5,');
  expect(lines((await run('status query-one')).stdout)).toEqual(
    expect.arrayContaining(['state\tSUCCESS', 'rows\t5', 'pages\t3']),
  );
  expect(
    (await run('status query-one --detail true --query "stages[0].phase" -o json')).stdout,
  ).toBe('"RESULTS_COMPLETE"\n');
});

test('exit codes tell what became of a statement', async () => {
  const { run } = await shell();
  expect(await run('results query-none')).toMatchObject({ stdout: '', code: 3 });
  expect(await run("submit 'SELECT nothing'")).toMatchObject({ stdout: '', code: 1 });
  const endless = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => numbers(60, name)).join(', ');
  expect(await run(`submit 'SELECT a.n FROM ${endless}' --context sqlQueryId=long`)).toEqual({
    stdout: 'query-long\n',
    stderr: 'Statement [query-long] is submitted.\nnext: svcctl statements wait query-long\n',
    code: 0,
  });
  const pending = await run('results query-long -o csv');
  expect([pending.stdout, pending.code, lines(pending.stderr)[1]]).toEqual([
    '',
    8,
    'hint: svcctl statements wait query-long',
  ]);
  expect((await run('wait query-long --max-wait 0.2')).code).toBe(7);
  expect((await run('cancel query-long')).code).toBe(0);
  const failed = await run('wait query-long');
  expect([failed.code, lines(failed.stderr).at(-2)]).toEqual([
    1,
    'error: Statement [query-long] failed: Canceled: Query canceled due to task shutdown',
  ]);
  expect((await run('results query-long')).code).toBe(1);
});

test('what was submitted from here is listed, by its owner alone, and a dry run is not', async () => {
  const { run, state, service } = await shell();
  expect((await run('list -o json')).stdout).toBe('[]\n');
  expect((await run("submit 'SELECT 1' --dry-run")).code).toBe(0);
  await run("submit 'SELECT  1' --context sqlQueryId=one");
  await run("submit 'SELECT 2' --context sqlQueryId=two");
  const listed = JSON.parse((await run('list -o json')).stdout);
  expect(listed).toMatchObject([
    { queryId: 'query-two', url: service.url, statement: 'SELECT 2' },
    { queryId: 'query-one', url: service.url, statement: 'SELECT 1' },
  ]);
  const file = join(state, 'svcctl', 'statements.jsonl');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const elsewhere = await runCli({ url: 'http://127.0.0.1:1' }, 'statements list -o name', {
    env: { XDG_STATE_HOME: state },
  });
  expect(elsewhere.stdout).toBe('');
  appendFileSync(file, 'no JSON\n');
  expect(await run('list')).toMatchObject({
    stdout: '',
    stderr: `error: Line [3] of file [${file}] is not a statement that was submitted\nhint: delete the line: sed -i 3d ${file}\n`,
    code: 2,
  });
});

test('a statement that ingests has no rows to show, and EXPLAIN is answered at once', async () => {
  const { run } = await shell();
  const insert = `INSERT INTO made SELECT CURRENT_TIMESTAMP AS __time, n FROM ${numbers(3)} PARTITIONED BY ALL`;
  expect((await run(`submit '${insert}' --context sqlQueryId=load --wait`)).code).toBe(0);
  expect(await run('results query-load -o csv')).toEqual({
    stdout: '',
    stderr: 'The statement has no rows to show: it wrote to [made].\n',
    code: 0,
  });
  expect(
    (await run("submit 'EXPLAIN PLAN FOR SELECT 1' --query '[0].RESOURCES' -o json")).stdout,
  ).toBe('"[]"\n');
});
