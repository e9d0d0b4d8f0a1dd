// Several statements at once: from a file, standard input or the argument, one after the other.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { statementsIn } from '../../src/commands/shared/sql/statement-parts.ts';
import { type Service, startServer } from '../../src/server/server.ts';
import { runCli, runShell } from '../support/cli.ts';
import { standIn } from '../support/stand-in.ts';

const folder = mkdtempSync(join(tmpdir(), 'svcctl-several-'));
let service: Service;
beforeAll(async () => {
  service = await startServer({ port: 0 });
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const file = join(folder, 'three.sql');
writeFileSync(
  file,
  `-- it's several; of them
SELECT 1 AS a, ';' AS t; -- the first
SET sqlTimeZone = 'Asia/Tokyo';
SELECT TIME_FORMAT(TIME_PARSE('2024-05-01T00:00:00Z'), 'HH') AS h, ? AS p;
SELECT 3 AS c
-- the end;
`,
);

test.each([
  ['table', 'a  t\n1  ;\n\nh   p\n09  x\n\nc\n3\n'],
  ['tsv', 'a\tt\n1\t;\n\nh\tp\n09\tx\n\nc\n3\n'],
  ['csv', 'a,t\n1,;\n\nh,p\n09,x\n\nc\n3\n'],
  ['jsonl', '{"a":1,"t":";"}\n{"h":"09","p":"x"}\n{"c":3}\n'],
  ['yaml', '- a: 1\n  t: ;\n---\n- h: "09"\n  p: x\n---\n- c: 3\n'],
  ['name', '1\n09\n3\n'],
  ['none', ''],
])(
  'statements of a file run in order, SET holds for those behind it, and their results follow each other as %s',
  async (format, said) => {
    expect(await runCli(service, `sql -f ${file} --param VARCHAR:x -o ${format}`)).toEqual({
      stdout: said,
      stderr: '',
      code: 0,
    });
  },
);

test('standard input and the argument may be several, too', async () => {
  expect((await runShell(service, 'echo "SELECT 1 AS a; SELECT 2 AS b" | svcctl sql')).stdout).toBe(
    'a\n1\n\nb\n2\n',
  );
  expect(
    (await runCli(service, 'sql "SELECT 1 AS a; SELECT 2 AS b;" -o jsonl --query "[0]"')).stdout,
  ).toBe('{"a":1}\n{"b":2}\n');
});

test('the first error ends them, and says where the statement stands and what is wrong in it', async () => {
  const wrong = join(folder, 'wrong.sql');
  writeFileSync(
    wrong,
    'SELECT 1 AS a; SELECT 2 AS b;\n\n/* now */ SELECT 3,\n  nope;\nSELECT 4 AS d;\n',
  );
  expect(await runCli(service, `sql -f ${wrong} -o csv`)).toEqual({
    stdout: 'a\n1\n\nb\n2\n',
    stderr: expect.stringMatching(
      /^error: Column 'nope' not found .*\(line \[4\], column \[3\]\), in statement \[3\] at line \[3\] of file \[.*wrong\.sql\]\n4: {3}nope\n {5}\^{4}\n/,
    ),
    code: 1,
  });
  expect(await runCli(service, 'sql "SELECT 1 AS a; SELECT * FROM nowhere"')).toMatchObject({
    stderr: expect.stringMatching(
      /column \[30\]\), in statement \[2\] at line \[1\]\n1: SELECT \* FROM nowhere\n.*\^{7}\nhint: svcctl datasources list/s,
    ),
    code: 1,
  });
});

test('a format that is one document takes one statement, and nothing is sent', async () => {
  const silent = await standIn((response) => response.end('[]'));
  for (const flags of ['-o json', '--query "[0]"'])
    expect(await runCli(silent, `sql "SELECT 1; SELECT 2" ${flags}`)).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(
        /prints one document, but the text has 2 statements\nhint: -o jsonl/,
      ),
      code: 2,
    });
  expect(await runCli(silent, 'sql " ; /* nothing; */ ;"')).toMatchObject({
    stderr: expect.stringContaining('only comments'),
    code: 2,
  });
  expect(silent.requests).toEqual([]);
});

test('one statement is sent with SET before it, and without ; behind it', async () => {
  const silent = await standIn((response) => response.end('[]'));
  await runCli(silent, 'sql "SET a = 1; SELECT 1; -- the end" -o json');
  expect(silent.requests.map(({ body }) => JSON.parse(body).query)).toEqual([
    'SET a = 1; SELECT 1',
  ]);
});

test('statements are told from texts, names and comments, with their place and their ?', () => {
  expect(statementsIn(`/* ; */\n  SELECT '?;', "?", ? ; ;\nSELECT ?, ?-- ?`)).toEqual([
    { text: `SELECT '?;', "?", ?`, line: 2, column: 3, parameters: 1 },
    { text: 'SELECT ?, ?-- ?', line: 3, column: 1, parameters: 2 },
  ]);
});
