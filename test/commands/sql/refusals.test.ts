// Refused statements: the place of the error, the name that was meant, and the file.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startServer } from '../../../src/server/server.ts';
import { runCli } from '../../support/cli.ts';

const cwd = mkdtempSync(join(tmpdir(), 'svcctl-refusals-'));
let service: Service;

beforeAll(async () => {
  service = await startServer({ port: 0 });
  const statement = `INSERT INTO wikipedia SELECT TIMESTAMP '2024-05-01' AS __time, 'x' AS channel PARTITIONED BY DAY`;
  expect(await runCli(service, `ingest sql "${statement}" --wait=queryable -q`)).toMatchObject({
    code: 0,
  });
});
afterAll(async () => {
  await service.close();
  rmSync(cwd, { recursive: true, force: true });
});

test.each([
  ['SELECT chanel FROM wikipedia', 'SELECT ', 'chanel', 'channel'],
  ['SELECT 1 FROM wikpedia', 'SELECT 1 FROM ', 'wikpedia', 'wikipedia'],
  ['SELECT CONUT(channel) FROM wikipedia', 'SELECT ', 'CONUT(channel)', 'COUNT'],
])('%s is marked, and what was meant is suggested', async (statement, before, wrong, meant) => {
  const { stdout, stderr, code } = await runCli(service, `sql '${statement}'`, { cwd });
  expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
  expect(stderr).toContain(
    `1: ${statement}\n   ${' '.repeat(before.length)}${'^'.repeat(wrong.length)}\nhint: did you mean ${meant}?\n`,
  );
});

test.each([
  ['SHOW TABLES', 'svcctl datasources list'],
  ['DESCRIBE wikipedia', 'svcctl datasources schema wikipedia'],
  ['SHOW COLUMNS FROM wikipedia', 'svcctl datasources schema wikipedia'],
  ['DROP TABLE IF EXISTS wikipedia', 'svcctl datasources drop wikipedia'],
  ['TRUNCATE TABLE "two words"', "svcctl datasources drop 'two words'"],
  ['USE druid', 'svcctl profiles use PROFILE'],
])('%s names the command that does it', async (statement, command) => {
  const { stderr } = await runCli(service, `sql '${statement}'`);
  expect(stderr).toContain(`hint: ${command}\n`);
});

test.each([
  ['SELECT COUNT(*) AS value FROM wikipedia', 'value'],
  ['SELECT channel prev FROM wikipedia', 'prev'],
  ['SELECT year FROM wikipedia', 'year'],
  ['SELECT 1 FROM (SELECT channel AS\n"x", 1 AS end FROM wikipedia)', 'end'],
  ['SELECT 1 FROM wikipedia AS user', 'user'],
])('%s needs quotation marks, which are shown', async (statement, word) => {
  const { stderr } = await runCli(service, `sql '${statement}'`);
  expect(stderr).toContain(
    `hint: ${word} is a reserved word: a name is written in quotation marks, "${word}"\n`,
  );
});

test.each([
  ['SELECT NOW()', 'instead of NOW: CURRENT_TIMESTAMP'],
  ['SELECT DAY(__time) FROM wikipedia', 'instead of DAY: EXTRACT(DAY FROM __time)'],
  ['SELECT Year(__time) FROM wikipedia', 'instead of YEAR: EXTRACT(YEAR FROM __time)'],
  [
    'SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY 1) FROM wikipedia',
    'instead of PERCENTILE_CONT: APPROX_QUANTILE_DS(x, 0.5)',
  ],
  ['SELECT __time::DATE FROM wikipedia', 'a cast is written CAST(x AS TYPE)'],
  ['SELECT `channel` FROM wikipedia', 'a name that needs quotes has quotation marks: "name"'],
  ['SELECT 1 FROM wikipedia LIMIT 5, 10', 'LIMIT count OFFSET start'],
  ['SELECT 1 FROM wikipedia WHERE channel == channel', 'equality has one sign: a = b'],
  ['SELECT TOP 5 channel FROM wikipedia', 'LIMIT, at the end of the statement, instead of TOP'],
  ['SELECT 1 FROM wikipedia WHERE channel REGEXP 1', "REGEXP_LIKE(x, 'pattern') instead of REGEXP"],
  [
    'SELECT 1 FROM wikipedia WHERE channel = "two words"',
    "a name has quotation marks, a text has apostrophes: 'two words'",
  ],
])('%s names what stands for the words of other databases', async (statement, hint) => {
  const { stderr, code } = await runCli(service, `sql '${statement}'`);
  expect(code).toBe(1);
  expect(stderr).toContain(`hint: ${hint}\n`);
});

test.each([
  "SELECT CURRENT_TIMESTAMP - INTERVAL '1 day'",
  "SELECT CURRENT_TIMESTAMP - INTERVAL '1 day' FROM wikipedia",
])('%s has the unit in the wrong place', async (statement) => {
  const { stderr } = await runCli(service, `sql "${statement}"`);
  expect(stderr).toContain("hint: an interval has its unit behind the text: INTERVAL '1' DAY\n");
});

test.each([
  'SELECT channel, FROM wikipedia',
  'SELECT channel FROM wikipedia ORDER channel',
  'WITH x AS SELECT 1',
  'SELECT CASE WHEN 1 = 1 THEN 2 END END',
])(
  '%s has a keyword where it does not belong, and quotation marks would not help',
  async (statement) => {
    expect((await runCli(service, `sql '${statement}'`)).stderr).not.toContain('reserved');
  },
);

test.each([
  ['SELECT * FROM wikipedia ORDER BY channel', 'rows of a table are sorted by __time alone'],
  [
    'SELECT COUNT(*) FROM wikipedia a LEFT JOIN wikipedia b ON a.channel = b.channel AND b.channel > a.channel',
    'outer joins compare columns of both sides with =',
  ],
])('%s names what can be asked instead', async (statement, hint) => {
  const { stderr, code } = await runCli(service, `sql '${statement}'`);
  expect(code).toBe(1);
  expect(stderr).toContain(`hint: ${hint}`);
});

test('INSERT with its end is no error of syntax; the command that runs it is named', async () => {
  const statement = 'INSERT INTO x SELECT * FROM wikipedia PARTITIONED BY ALL;';
  const { stderr, code } = await runCli(service, `sql '${statement}'`);
  expect(code).toBe(1);
  expect(stderr).not.toContain('token');
  expect(stderr).toContain("hint: svcctl ingest sql 'INSERT ...' runs the statement as a task\n");
});

test.each([
  ['SELECT * FORM wikipedia', 'FROM'],
  ['SELECT channel FROM wikipedia WHER channel = 1', 'WHERE'],
  ['SELECT channel FROM wikipedia GRUOP BY 1', 'GROUP'],
  ['SELECT channel FROM wikipedia\n ODER BY 1', 'ORDER'],
  ['SELECT channel FROM wikipedia LIMT 5', 'LIMIT'],
  ['SELCT 1', 'SELECT'],
  ['SELECT CONUT(*) FROM wikipedia', 'COUNT'],
])('%s is a mistyped %s', async (statement, meant) => {
  const { stderr } = await runCli(service, `sql '${statement}'`);
  expect(stderr).toContain(`hint: did you mean ${meant}?\n`);
});

test.each([
  ['CREATE TABLE t (a BIGINT)', 'the first INSERT creates a table'],
  ['DELETE FROM wikipedia', 'REPLACE INTO wikipedia OVERWRITE'],
  ['UPDATE wikipedia SET channel = 1', 'REPLACE INTO wikipedia OVERWRITE'],
])('%s names the statement that does it', async (statement, hint) => {
  const { stderr } = await runCli(service, `sql '${statement}'`);
  expect(stderr).toContain(`hint: ${hint}`);
});

test('an error in a file has its line there, and the name of the file', async () => {
  writeFileSync(join(cwd, 'one.sql'), '\n\nSELECT 1,\n  chanel\nFROM wikipedia\n');
  const one = await runCli(service, 'sql -f one.sql', { cwd });
  expect(one.stderr).toContain('line [4], column [3]');
  expect(one.stderr).toContain('of file [one.sql]');
  expect(one.stderr).toContain('\n4:   chanel\n     ^^^^^^\n');
  writeFileSync(join(cwd, 'two.sql'), 'SELECT 1;\n\nSELECT chanel\nFROM wikipedia;\n');
  const two = await runCli(service, 'sql -f two.sql', { cwd });
  expect(two.stderr).toContain('in statement [2] at line [3] of file [two.sql]');
  expect(two.stderr).toContain('\n3: SELECT chanel\n');
});

test('a file that is not there is named as by every command', async () => {
  expect((await runCli(service, 'sql -f nosuch.sql', { cwd })).stderr).toBe(
    'error: File [nosuch.sql] does not exist\n',
  );
  expect((await runCli(service, 'tasks submit nosuch.json', { cwd })).stderr).toBe(
    'error: File [nosuch.json] does not exist\n',
  );
});

test('a file that is not JSON names line and column', async () => {
  writeFileSync(join(cwd, 'task.json'), '{"type": "noop",\n  runTime: 1}');
  expect((await runCli(service, 'tasks submit task.json', { cwd })).stderr).toBe(
    'error: File [task.json] is not JSON: line [2], column [3]: expected a name, found [runTime]\n',
  );
});
