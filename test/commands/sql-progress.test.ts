// Progress of queries: on a terminal after half a second, gone when rows are printed.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { lines, runCli, runShell } from '../support/cli.ts';
import { standIn } from '../support/stand-in.ts';

const slowQuery = (firstMs: number, nextMs = 0) =>
  standIn(async (response, { path }) => {
    if (!path.includes('/sql')) return void response.writeHead(404).end();
    await sleep(firstMs);
    response.write('["n"]\n[1]\n');
    await sleep(nextMs);
    response.end('[2]\n\n');
  });

const place = { tty: true, cols: 80, env: { TERM: 'xterm', NO_COLOR: '1', LANG: 'C.UTF-8' } };

test('a slow query shows its elapsed time on a terminal, and then only its rows', async () => {
  const { stdout, code } = await runCli(await slowQuery(2500), "sql 'SELECT n FROM t'", place);
  expect(code, stdout).toBe(0);
  expect(stdout).toMatch(/Query: running, [12]s elapsed/);
  const rows = stdout.slice(stdout.lastIndexOf('\x1b[2K') + 4);
  expect(rows).toMatch(/n\n1\n2\n/);
  expect(rows).not.toContain('Query');
});

test('a quick query shows nothing of it', async () => {
  const { stdout } = await runCli(await slowQuery(0), "sql 'SELECT n FROM t'", place);
  expect(stdout).not.toContain('Query');
  expect(stdout).not.toContain('\x1b[2K');
});

test('rows that go to a file are counted on the terminal', async () => {
  const service = await slowQuery(300, 2500);
  const line = `svcctl sql 'SELECT n FROM t' > /dev/null`;
  const { stdout, code } = await runShell(service, line, place);
  expect(code, stdout).toBe(0);
  expect(stdout).toMatch(/Query: receiving rows, 1 row,/);
});

test('off a terminal there is no progress of a query, unless JSON lines are asked for', async () => {
  const service = await slowQuery(1500);
  const plain = await runCli(service, "sql 'SELECT n FROM t'");
  expect(plain).toMatchObject({ stdout: 'n\n1\n2\n', stderr: '' });
  const asked = await runCli(service, "sql 'SELECT n FROM t' --progress json");
  expect(asked.stdout).toBe('n\n1\n2\n');
  const progress = lines(asked.stderr).map((line) => JSON.parse(line));
  expect(progress.at(-1)).toMatchObject({ progress: 'done', what: 'Query', rows: 2 });
  expect((await runCli(service, "sql 'SELECT n FROM t' --progress json --quiet")).stderr).not.toBe(
    '',
  );
  expect(
    (await runCli(service, "sql 'SELECT n FROM t' --progress none", place)).stdout,
  ).not.toContain('Query');
});
