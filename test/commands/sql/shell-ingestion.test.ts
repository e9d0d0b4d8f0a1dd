// INSERT, REPLACE and SET in the SQL shell.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isForTask } from '../../../src/commands/sql/shell/run-task.ts';
import { type Service, startServer } from '../../../src/server/server.ts';
import { runCli, type Typing, whenListening, whileBusy } from '../../support/cli.ts';

const cwd = mkdtempSync(join(tmpdir(), 'svcctl-shell-insert-'));
let service: Service;
beforeAll(async () => {
  service = await startServer({ port: 0 });
});
afterAll(async () => {
  await service.close();
  rmSync(cwd, { recursive: true, force: true });
});

async function session(types: readonly Typing[]) {
  const env = { TERM: 'xterm', NO_COLOR: '1', SVCCTL_PAGER: 'cat', XDG_STATE_HOME: cwd };
  const patient = types.map(
    ([after, keys, how]): Typing => [after, keys, { ...whenListening, ...how }],
  );
  const { stdout, code } = await runCli(service, 'sql', {
    tty: true,
    cols: 100,
    cwd,
    env,
    types: patient,
  });
  const said = stdout.replace(new RegExp(`${'\\x1b'}\\[[0-9;?]*[A-Za-z]`, 'g'), '');
  expect(code, said).toBe(0);
  return said;
}

test('INSERT runs as a task, and its rows are queryable at once', async () => {
  const said = await session([
    [
      '\\q leaves',
      "INSERT INTO demo SELECT TIMESTAMP '2024-05-01' AS __time, 42 AS n PARTITIONED BY DAY;\r",
    ],
    ['answers queries', 'SELECT n FROM demo;\r'],
    ['1 row', '\x04'],
  ]);
  expect(said).toMatch(/Task \[query-[^\]]+\] succeeded/);
  expect(said).toMatch(/\b42\b/);
});

test('a refused INSERT is marked like a query', async () => {
  const said = await session([
    [
      '\\q leaves',
      "INSERT INTO demo SELECT TIMESTAMP '2024-05-01' AS __time FROM dem PARTITIONED BY DAY;\r",
    ],
    ['did you mean', '\x04'],
  ]);
  expect(said).toContain('did you mean demo?');
  expect(said).toContain('^^^\n');
});

test('Ctrl-C cancels the task of an INSERT', async () => {
  const ten = '(VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9),(10)) AS';
  const many = Array.from('abcdefghijkl', (name) => `${ten} ${name}(n)`).join(', ');
  const slow = `INSERT INTO slow SELECT TIMESTAMP '2024-05-01' AS __time, COUNT(*) AS n FROM ${many} WHERE a.n + b.n + c.n + d.n + e.n + f.n + g.n + h.n + i.n + j.n + k.n + l.n = 7 PARTITIONED BY DAY`;
  writeFileSync(join(cwd, 'slow.sql'), slow);
  const said = await session([
    ['\\q leaves', '\\i slow.sql\r'],
    ['Task [', '\x03', whileBusy],
    ['is cancelled', '\x04'],
  ]);
  expect(said).toContain('The query is cancelled.');
  const { stdout } = await runCli(
    service,
    'tasks list --datasource slow --type query_controller -o json',
  );
  expect(JSON.parse(stdout)).toMatchObject([{ statusCode: 'FAILED' }]);
});

test('SET completes names with their types and meanings, and then values', async () => {
  const said = await session([
    ['\\q leaves', 'SET useA\t'],
    ['useApproximateTopN  boolean: ', 'T\t'],
    ['useApproximateTopN  boolean: ', ' = f\t'],
    ['alse', ';\r\\set\r'],
    ['useApproximateTopN = false', '\x04'],
  ]);
  expect(said).toContain('useApproximateCountDistinct  boolean: ');
});

test.each([
  ['insert into a select 1', true],
  ['-- a comment\nREPLACE INTO a OVERWRITE ALL SELECT 1', true],
  ['EXPLAIN PLAN FOR INSERT INTO a SELECT 1', true],
  ["SELECT 'INSERT INTO a'", false],
  ['SELECT REPLACE(a, b, c) FROM t', false],
])('%s runs as a task: %s', (statement, expected) => {
  expect(isForTask(statement)).toBe(expected);
});
