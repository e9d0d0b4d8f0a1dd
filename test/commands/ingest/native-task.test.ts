// Files into a service without SQL tasks, as most clusters without the multi-stage extension.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { lines, runCli } from '../../support/cli.ts';
import { startService } from '../../support/service.ts';
import { inFrontOf } from '../../support/stand-in.ts';

const folder = mkdtempSync(join(tmpdir(), 'svcctl-native-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const place = { cwd: folder };
const file = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return name;
};

const withoutSqlTasks = async () =>
  inFrontOf(await startService(), (response, { path }) => {
    if (!path.startsWith('/svc/v2/sql/task')) return false;
    response.writeHead(404).end();
    return true;
  });

test('native batch tasks store the same rows, types and times', async () => {
  const service = await withoutSqlTasks();
  const name = file(
    'rows.json',
    `{"at":"01.02.2020 10:00","city":"Köln","n":9007199254740993,"share":0.5,"tags":["a","b"],"o":{"x":1},"is":true}
{"at":"02.02.2020 11:30","city":"東京","n":5,"share":2,"tags":["c"],"o":{"x":2},"is":false}
`,
  );
  const line = `ingest files ${name} --into rows --time-column at --time-format 'dd.MM.yyyy HH:mm' --partitioned-by MONTH --replace`;
  const planned = await runCli(service, `${line} --dry-run -o json`, place);
  expect(JSON.parse(planned.stdout)).toMatchObject([{ path: '/svc/indexer/v1/task' }]);
  const done = await runCli(service, `${line} --wait=queryable`, place);
  expect(done.stderr).toContain('The service has no SQL tasks');
  expect(done.code, done.stderr).toBe(0);
  const query = file(
    'query.sql',
    `SELECT __time, city, n, share, ARRAY_LENGTH(tags) AS tags, JSON_VALUE(o, '$.x' RETURNING BIGINT) AS x, "is" FROM "rows"`,
  );
  const { stdout, stderr } = await runCli(service, `sql -f ${query} -o jsonl`, place);
  expect([lines(stdout), stderr]).toEqual([
    [
      '{"__time":"2020-02-01T10:00:00.000Z","city":"Köln","n":9007199254740993,"share":0.5,"tags":2,"x":1,"is":"true"}',
      '{"__time":"2020-02-02T11:30:00.000Z","city":"東京","n":5,"share":2.0,"tags":1,"x":2,"is":"false"}',
    ],
    '',
  ]);
});

test('many rows become several tasks, one after the other', async () => {
  const service = await withoutSqlTasks();
  const row = (at: number) => `2024-05-01 10:00:00,${at},${'x'.repeat(90)}\n`;
  const name = file(
    'many.csv',
    `time,n,note\n${Array.from({ length: 60_000 }, (_, at) => row(at)).join('')}`,
  );
  const line = `ingest files ${name} --into many --wait=queryable -o json`;
  const { stdout, stderr, code } = await runCli(service, line, place);
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout).tasks).toHaveLength(2);
  expect(
    (await runCli(service, `sql 'SELECT COUNT(*), SUM(n) FROM many' --no-header`)).stdout,
  ).toBe('60000\t1799970000\n');
});

test.each([
  ["--where 'n > 1'", '--where is a condition of SQL'],
  ['--replace', 'replaces only the time chunks of the new rows, not all data of [some]'],
])('%s is refused in a sentence where only SQL can express it', async (flag, reason) => {
  const service = await withoutSqlTasks();
  const name = file('some.csv', 'time,n\n2024-05-01,1\n');
  const line = `ingest files ${name} --into some`;
  expect((await runCli(service, `${line} --wait=queryable`, place)).code).toBe(0);
  const refused = await runCli(service, `${line} ${flag}`, place);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(reason)]);
});
