// Broken rows, empty results, and rows that svcctl sends itself.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { lines, runCli, runShell } from '../../support/cli.ts';
import { startService } from '../../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'svcctl-broken-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const place = { cwd: folder };
const file = (name: string, content: string | Buffer) => {
  writeFileSync(join(folder, name), content);
  return name;
};

const edits = file(
  'edits.csv',
  `time,page,added
2024-05-01T10:00:00Z,Oslo,5
2024-05-01T11:00:00Z,"Rome
by night",6
2024-05-01T12:00:00Z,Paris,n/a
1 May,Bonn,7

2024-05-01T13:00:00Z,Bern,8,9
2024-05-01T14:00:00Z,Wien,9
`,
);

test('the first broken row is named before anything is sent', async () => {
  const line = `ingest files ${edits} --into edits --types added:bigint --wait`;
  const { stderr, stdout, code } = await runCli(await startService(), line, place);
  expect(stderr).toBe(
    'error: Nothing was sent, because a row is broken: edits.csv:5: column [added]: [n/a] is not an integer\n' +
      'hint: --max-errors N leaves out up to N broken rows; --types added:varchar reads the column as text\n',
  );
  expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
});

test('files of different formats are refused by their names, not by their first row', async () => {
  file('one.json', '{"time":"2024-05-01","page":"Oslo"}\n');
  const { stderr, code } = await runCli(
    await startService(),
    `ingest files one.json ${edits} --into edits --wait`,
    place,
  );
  expect(stderr).toContain('error: [one.json] is json but [edits.csv] is csv: one ingestion');
  expect(code).toBe(2);
});

test.each([
  [
    'list.json',
    '\ufeff[\n  {"at": "2024-05-01",\n   "n": 1},\n  {"at": "2024-05-02", "n": 12345678901234567}\n]\n',
  ],
  ['german.csv', 'Tag;n\n01.05.2024;1\n02.05.2024;12345678901234567\n'],
  [
    'american.tsv',
    'when\tn\n05/01/2024 12:00 AM\t1\n05/02/2024 12:00 am\t12345678901234567\n05/13/2024 1:30 PM\t3\n',
  ],
  ['micro.csv', 'ts,n\n1714521600000000,1\n1714608000000000,12345678901234567\n'],
  [
    'nano.jsonl',
    '{"ts":1714521600000000000,"n":1}\n{"ts":1714608000000000000,"n":12345678901234567}\n',
  ],
  ['digits.csv', 'ts,n\n20240501,1\n20240502,12345678901234567\n'],
])('times of %s are found and read', async (name, content) => {
  const service = await startService();
  const flags = name === 'digits.csv' ? '--time-format yyyyMMdd' : '';
  const line = `ingest files ${file(name, content)} --into days ${flags} --wait=queryable`;
  const done = await runCli(service, line, place);
  expect(done.code, done.stderr).toBe(0);
  const { stdout } = await runCli(
    service,
    "sql 'SELECT __time, n FROM days ORDER BY 1 LIMIT 2' -o csv --no-header",
  );
  expect(stdout).toBe('2024-05-01T00:00:00.000Z,1\n2024-05-02T00:00:00.000Z,12345678901234567\n');
});

test('the pattern that was guessed is told', async () => {
  const name = file('tag.csv', 'Tag,n\n01.05.2024,1\n');
  const { stderr } = await runCli(
    await startService(),
    `ingest files ${name} --into x --print-sql`,
    place,
  );
  expect(stderr).toBe(
    'Column [Tag] is read as times of format [dd.MM.yyyy]; --time-format gives another.\n',
  );
});

test('a broken time does not hide the only column of times', async () => {
  const name = file('since.csv', 'since,n\n2024-05-01,1\n2024-05-02,2\nsoon,3\n');
  const { stderr } = await runCli(await startService(), `ingest files ${name} --into x`, place);
  expect(stderr).toContain('because a row is broken: since.csv:4: column [since]: [soon] is not');
});

test('a line break within a field is kept when the rows are sent', async () => {
  const service = await startService();
  const name = file('breaks.csv', 'time;page;n\n2024-05-01;"a ""b""\nc; d";1\n2024-05-02;;\n');
  const done = await runCli(service, `ingest files ${name} --into breaks --wait=queryable`, place);
  expect(done.code, done.stderr).toBe(0);
  const { stdout } = await runCli(service, "sql 'SELECT * FROM breaks' -o jsonl");
  expect(lines(stdout).map((line) => JSON.parse(line))).toEqual([
    { __time: '2024-05-01T00:00:00.000Z', page: 'a "b"\nc; d', n: 1 },
    { __time: '2024-05-02T00:00:00.000Z', page: '', n: null },
  ]);
});

test('a file with a line break within a field is sent to a service that may read it', async () => {
  const service = await startService({ allowedFolders: [folder] });
  const name = file('cells.csv', 'time,page\n2024-05-01,"a\nb"\n');
  const done = await runCli(service, `ingest files ${name} --into cells --wait=queryable`, place);
  expect(done.code, done.stderr).toBe(0);
  const { stdout } = await runCli(service, "sql 'SELECT page FROM cells' -o jsonl");
  expect(JSON.parse(stdout)).toEqual({ page: 'a\nb' });
});

test('--max-errors leaves out broken rows and lists them; one more is refused', async () => {
  const service = await startService({ allowedFolders: [folder] });
  const line = `ingest files ${edits} --into edits --wait`;
  const refused = await runCli(service, `${line} --max-errors 2`, place);
  expect(refused.stderr).toMatch(
    /^error: Nothing was sent, because more than 2 rows are broken:\n {2}edits\.csv:5: .*\n {2}edits\.csv:6: .*\n {2}edits\.csv:8: /,
  );
  expect(refused.code).toBe(2);
  const done = await runCli(service, `${line} --max-errors 3`, place);
  expect(done.code, done.stderr).toBe(0);
  expect(done.stderr).toContain(`warning: 3 rows are broken and were left out:
  edits.csv:5: column [added]: [n/a] is not an integer
  edits.csv:6: column [time]: [1 May] is not a time
  edits.csv:8: [2024-05-01T13:00:00Z,Bern,8,9] has 4 fields, and there are 3 columns
`);
  expect((await runCli(service, "sql 'SELECT page, added FROM edits' -o csv")).stdout).toMatch(
    /^page,added\nOslo,5\n(.*\n)+Wien,9\n$/,
  );
});

test('the first command reads a file in place, before the name of the service is known', async () => {
  const service = await startService({ allowedFolders: [folder], service: 'druid' });
  const name = file('first.json', '{"time":"2024-05-01T10:00:00Z","n":1}\n');
  const { stdout } = await runCli(service, `ingest files ${name} --into first --print-sql`, place);
  expect(stdout).toContain('"type":"local"');
});

test('a row without a time is named when the service reads the file, too', async () => {
  const service = await startService({ allowedFolders: [folder] });
  const good = '{"time":"2024-05-01T10:00:00Z","n":1}\n';
  const name = file('untimed.json', `${good.repeat(3)}{"n":2}\n`);
  const { stderr, code } = await runCli(service, `ingest files ${name} --into t --wait`, place);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^error: Task \[.*\] failed: InsertTimeNull: .*\n {2}First broken row: untimed\.json:4: column \[time\]: the value is missing$/m,
  );
});

test.each([
  ['--where "n > 7"', 'warning: Task [', '3 rows read, 0 stored (no row matches the condition'],
])('a result without rows is a warning with the reason: %s', async (flags, ...said) => {
  const name = file('few.json', '{"time":"2024-05-01T10:00:00Z","n":1}\n'.repeat(3));
  const line = `ingest files ${name} --into few ${flags} --wait`;
  const { stderr, code } = await runCli(await startService(), line, place);
  expect(code, stderr).toBe(0);
  for (const words of said) expect(stderr).toContain(words);
});

test('a file with a header only, and one whose rows are all broken, are refused', async () => {
  const service = await startService();
  file('none.csv', 'time,n\n');
  file(
    'all.csv',
    'time,n\n2024-05-01,1\n2024-05-02,2\n3 May\n4 May\n5 May\n'.replace(/2024-05-0\d,\d\n/g, ''),
  );
  const none = await runCli(service, 'ingest files none.csv --into x', place);
  expect(none.stderr).toContain('[none.csv] cannot be guessed: it has only a header');
  const all = await runCli(service, 'ingest files all.csv --into x --max-errors 9', place);
  expect([none.code, all.code]).toEqual([2, 2]);
});

test('Zstandard is read where Node can, and refused with the way round it where not', async () => {
  const service = await startService();
  const rows = '{"time":"2024-05-01T10:00:00Z","n":1}\n';
  const { zstdCompressSync } = zlib as { zstdCompressSync?: (text: string) => Buffer };
  file('rows.json.zst', zstdCompressSync?.(rows) ?? Buffer.from('28b52ffd00', 'hex'));
  const { stderr, code } = await runCli(
    service,
    'ingest files rows.json.zst --into z --wait',
    place,
  );
  if (zstdCompressSync) return expect(code, stderr).toBe(0);
  expect(stderr).toMatch(
    /^error: \[rows\.json\.zst\] is compressed as zst, which Node .* cannot read: it needs Node 22\.15 or newer\nhint: unpack it first: zstd -d --stdout rows\.json\.zst \| svcctl ingest files - \.\.\.\n$/,
  );
  expect(code).toBe(2);
});

test('stdin of any size is read twice, from a temporary file that does not stay', async () => {
  const service = await startService();
  const row = `{"time":"2024-05-01T10:00:00Z","page":"${'x'.repeat(500)}","n":1}`;
  const { stderr, code, stdout } = await runShell(
    service,
    `yes '${row}' | head -130000 | svcctl ingest files - --into big --where 'n < 0' --print-sql --format json | wc -c; ls -la $TMPDIR >&2; ls $TMPDIR | grep -c svcctl-stdin; true`,
    { ...place, env: { TMPDIR: folder } },
  );
  expect(code, stderr).toBe(0);
  expect(stderr).toMatch(/This is the first of \d+ statements; the others are INSERT\./);
  const [statement, left] = lines(stdout).map(Number);
  expect(statement).toBeGreaterThan(3_000_000);
  expect(statement).toBeLessThan(6_000_000);
  expect(left).toBe(0);
});

test('bytes that are not UTF-8 are refused with their line, and an encoding reads them', async () => {
  const service = await startService();
  const name = file(
    'latin.csv',
    Buffer.from('time;city\n2024-05-01;Bonn\n2024-05-02;K\xf6ln\n', 'latin1'),
  );
  const refused = await runCli(service, `ingest files ${name} --into towns`, place);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringMatching(
      /^error: Line 3 of \[latin\.csv\] is not UTF-8\nhint: .*--encoding latin1/,
    ),
  ]);
  const late = Buffer.concat([
    Buffer.from(`time,city\n${'2024-05-01,Bonn\n'.repeat(100_000)}`),
    Buffer.from('2024-05-02,K\xf6ln\n', 'latin1'),
  ]);
  const later = await runCli(service, `ingest files ${file('late.csv', late)} --into towns`, place);
  expect([later.code, later.stderr]).toEqual([2, expect.stringContaining('Line 100002 of')]);
  const read = `ingest files ${name} --into towns --encoding latin1 --wait=queryable`;
  expect((await runCli(service, read, place)).code).toBe(0);
  const letter = file('letter.csv', 'time,city\n2024-05-03,a\ufffdb\n');
  expect((await runCli(service, `ingest files ${letter} --into towns --wait`, place)).code).toBe(0);
});

test('times as SQL writes them, with a space, are times', async () => {
  const service = await startService();
  const name = file('sql.csv', 'time,n\n2024-05-01 10:00:00,1\n2024-05-01 10:00:00.5+02:00,2\n');
  const done = await runCli(service, `ingest files ${name} --into spaced --wait=queryable`, place);
  expect(done.code, done.stderr).toBe(0);
  const { stdout } = await runCli(service, "sql 'SELECT __time FROM spaced' --no-header");
  expect(lines(stdout)).toEqual(['2024-05-01T08:00:00.500Z', '2024-05-01T10:00:00.000Z']);
});

test('the share of a wait until data is queryable is full once, at the end', async () => {
  const name = file('share.csv', 'time,n\n2024-05-01,1\n');
  const line = `ingest files ${name} --into share --wait=queryable --progress json -q`;
  const { stderr } = await runCli(await startService(), line, place);
  const said = lines(stderr)
    .filter((text) => text.startsWith('{'))
    .map((text) => JSON.parse(text));
  const shares = said.flatMap(({ fraction = [] }) => fraction);
  expect(shares).toEqual([...shares].sort((a, b) => a - b));
  expect(shares.filter((share) => share === 1)).toHaveLength(1);
  expect(said.filter(({ progress }) => progress === 'done')).toEqual([said.at(-1)]);
  const times = said.map(({ elapsedMs }) => elapsedMs);
  expect(times).toEqual([...times].sort((a, b) => a - b));
});
