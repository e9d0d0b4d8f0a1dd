// Ingestion from files and statements to queryable data.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { lines, runCli, runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { standIn } from '../support/stand-in.ts';

const folder = mkdtempSync(join(tmpdir(), 'svcctl-ingest-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const place = { cwd: folder };

const file = (name: string, content: string | Buffer) => {
  writeFileSync(join(folder, name), content);
  return name;
};

const edits =
  '{"time":"2024-05-01T10:00:00Z","page":"Oslo","added":5,"tags":["a","b"]}\n{"time":"2024-05-02T10:00:00Z","page":"Bergen","added":7}\n';

test('a file the service may read: guessed, ingested by the service itself, and queried', async () => {
  const service = await startService({ allowedFolders: [folder] });
  const name = file('edits.json.gz', gzipSync(edits));
  const { stdout, stderr, code } = await runCli(
    service,
    `ingest files ${name} --into edits --wait=queryable`,
    place,
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/^query-[\w-]+\n$/);
  expect(lines(stderr).slice(-3)).toEqual([
    expect.stringMatching(/^Task \[query-.*\] succeeded after /),
    'Datasource [edits] answers queries: 2 segments loaded',
    `next: svcctl sql 'SELECT * FROM "edits" LIMIT 5'`,
  ]);
  const { stdout: rows } = await runCli(service, "sql 'SELECT * FROM edits' -o jsonl");
  expect(lines(rows).map((line) => JSON.parse(line))).toEqual([
    { __time: '2024-05-01T10:00:00.000Z', page: 'Oslo', added: 5, tags: '["a","b"]' },
    { __time: '2024-05-02T10:00:00.000Z', page: 'Bergen', added: 7, tags: null },
  ]);
  const { stdout: listed } = await runCli(
    service,
    'datasources list -o csv --columns name,segments,rows,minTime',
  );
  expect(listed).toBe('name,segments,rows,minTime\r\nedits,2,2,2024-05-01T00:00:00.000Z\r\n');
  expect(
    lines(
      (await runCli(service, 'segments list --datasource edits -o csv --columns interval,rows'))
        .stdout,
    ),
  ).toHaveLength(3);
  expect(
    (await runCli(service, 'datasources get edits -o json --query segments.count')).stdout,
  ).toBe('2\n');
  const size = (
    await runCli(service, 'datasources get edits -o json --query segments.size')
  ).stdout.trim();
  expect((await runCli(service, 'datasources get edits -o tsv')).stdout).toContain(
    `size\t${size}\n`,
  ); // programs read bytes, people read MiB
});

test('a file the service may not read travels in the statement, and it says so', async () => {
  const service = await startService();
  const name = file(
    'edits.csv',
    'ts,page,code\n1714557600000,"Oslo, Norway",007\n1714557600001,Bergen,008\n',
  );
  const first = await runCli(
    service,
    `ingest files ${name} --into edits --wait --partitioned-by MONTH`,
    place,
  );
  expect(first.stderr).toMatch(
    /^The rows are sent in the statement \(\d+ B\): the service may not read the files itself\.\n/,
  );
  expect(first.code).toBe(0);
  expect(
    (await runCli(service, `ingest files ${name} ${name} --into edits --wait --replace`, place))
      .code,
  ).toBe(0);
  const { stdout } = await runCli(
    service,
    "sql 'SELECT page, code, COUNT(*) AS n FROM edits GROUP BY 1, 2 ORDER BY 1' -o csv",
  );
  expect(stdout).toBe('page,code,n\nBergen,008,2\n"Oslo, Norway",007,2\n');
});

test('prints the statement without sending anything', async () => {
  const { url, requests } = await standIn((response) => response.writeHead(404).end());
  const name = file('rows.tsv', '1714557600\tOslo\t5.5\n');
  const { stdout, code } = await runCli(
    { url },
    `ingest files ${name} --into edits --fields ts,page,score --replace --print-sql`,
    place,
  );
  expect(code).toBe(0);
  expect(stdout).toBe(`REPLACE INTO "edits" OVERWRITE ALL
SELECT
  MILLIS_TO_TIMESTAMP("ts" * 1000) AS "__time",
  "page",
  "score"
FROM TABLE(
  EXTERN(
    '{"type":"inline","data":"1714557600\\tOslo\\t5.5\\n"}',
    '{"type":"tsv","columns":["ts","page","score"]}'
  )
) EXTEND ("ts" BIGINT, "page" VARCHAR, "score" DOUBLE)
PARTITIONED BY DAY
`);
  expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test.each([
  ['nowhere.csv', undefined, '', 'File [nowhere.csv] does not exist'],
  ['empty.csv', '', '', 'The columns of [empty.csv] cannot be guessed: it has no rows'],
  ['plain.txt', 'hello\n', '', 'The format of [plain.txt] cannot be guessed'],
  [
    'data.parquet',
    'PAR1',
    '',
    'The columns of [data.parquet] cannot be guessed: it is not a Parquet file, or it is encrypted',
  ],
  [
    'values.csv',
    '1,2\n',
    '',
    'The columns of [values.csv] cannot be guessed from line 1: its field 1, [1], is not a column name',
  ],
  [
    'broken.json',
    '{"time":"2024-05-01"}\n{"time":\n{"time"\n',
    '',
    expect.stringMatching(
      /^The columns of \[broken.json\] cannot be guessed from line 2: it is not JSON/,
    ),
  ],
  [
    'timeless.csv',
    'a,b\n1,2\n',
    '',
    'No column of [timeless.csv] is known to be its timestamp: there are a, b',
  ],
  [
    'strange.csv',
    'time,b\n1 May,2\n',
    '',
    'Column [time] of [strange.csv] holds [1 May]: no ISO time, nor seconds to nanoseconds since 1970',
  ],
  [
    'ambiguous.csv',
    'time,b\n01/02/2024,2\n03/04/2024,2\n',
    '',
    'Column [time] of [ambiguous.csv] holds [01/02/2024]: no ISO time, nor seconds to nanoseconds since 1970',
  ],
  [
    'twice.csv',
    'a,b,a\n1,2,3\n',
    '',
    'The columns of [twice.csv] cannot be guessed from line 1: its field 3, [a], repeats field 1',
  ],
  ['cut.json', '[{"time":"2024-05-01"},\n', '', '[cut.json] is a JSON list without its end'],
  [
    'list.json',
    '[{"time":"2024-05-01"} {}]',
    '',
    expect.stringMatching(/^\[list.json\] is not a valid JSON list: Expected ','/),
  ],
  [
    'latin.json',
    '[{"time":"2024-05-01"}]',
    '--encoding latin1',
    '--encoding is for lines of text, and [latin.json] is a JSON list',
  ],
  [
    'local.json',
    '[{"time":"2024-05-01"}]',
    '--source local',
    '[local.json] is a JSON list, which services do not read',
  ],
  [
    'mixed.json',
    '[{"time":"2024-05-01"},\n\n {"time":"soon"}, {"time":"2024-05-02"}]',
    '--source inline',
    'Nothing was sent, because a row is broken: mixed.json, item 2: column [time]: [soon] is not a time',
  ],
  ['book.xlsx', 'PK', '', '[book.xlsx] is a spreadsheet, which is not read'],
  ['other.csv', 'a,b\n1,2\n', '--time-column c', '[other.csv] has no column [c]'],
])(
  'what cannot be guessed is a clear error, and nothing is sent: %s',
  async (name, content, flags, message) => {
    if (content !== undefined) file(name, content);
    const { stderr, stdout, code } = await runCli(
      { url: 'http://127.0.0.1:1' },
      `ingest files ${name} --into x ${flags} --error-format json`,
      place,
    );
    expect([JSON.parse(stderr).error, stdout, code]).toEqual([message, '', 2]);
    expect(JSON.parse(stderr).hint ?? 'svcctl').toMatch(/svcctl|--|columns are|omit it|as CSV/);
  },
);

test('rows that are too many for a statement are sent in parts, the first one replaces', async () => {
  const service = await startService();
  const row = '{"time":"2024-05-01T10:00:00Z","page":"Oslo"}\n';
  const name = file('large.json', row.repeat(120_000));
  file('small.json', row);
  expect(await runCli(service, 'ingest files small.json --into edits --wait', place)).toMatchObject(
    {
      code: 0,
    },
  );
  const line = `ingest files ${name} --into edits --replace --wait`;
  const { stdout, stderr, code } = await runCli(service, `${line} --progress json`, place);
  expect(code, stderr).toBe(0);
  expect(lines(stdout)).toHaveLength(2); // a task for each part
  expect(stderr).toContain(
    `The rows are sent in 2 statements of at most 4.0 MiB: the service may not read the files itself. With --allow-dir ${folder} it reads them faster.`,
  );
  const count = `sql 'SELECT COUNT(*) AS n FROM edits' -o csv`;
  expect((await runCli(service, count)).stdout).toBe('n\n120000\n');
  const all = lines(stderr).flatMap((one) => (one.startsWith('{') ? [JSON.parse(one)] : []));
  const progress = all.filter(({ what }) => what !== 'Rows for [edits]'); // their check before
  const shares = progress.map(({ fraction }) => fraction ?? 0);
  expect(shares).toEqual([...shares].sort((one, other) => one - other));
  expect(progress.at(-1)).toMatchObject({ progress: 'done', fraction: 1, rows: 120_000 });
  expect(new Set(progress.map(({ what }) => what))).toEqual(new Set(['Datasource [edits]']));
  const text = JSON.parse((await runCli(service, `${line} -o json`, place)).stdout);
  expect(text).toEqual({ task: expect.any(String), tasks: [expect.any(String), text.task] });
});

test('a statement that fails ends with its error, and its report says it again', async () => {
  const service = await startService();
  const statement = `REPLACE INTO t OVERWRITE ALL SELECT TIME_PARSE(x) AS __time FROM (VALUES ($$no time$$)) AS v(x) PARTITIONED BY ALL`;
  const { stdout, stderr, code } = await runCli(
    service,
    `ingest sql "${statement.replaceAll('$$', "'")}" --wait`,
  );
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: Task \[query-.*\] failed: InsertTimeNull/m);
  const report = await runCli(service, `tasks report ${stdout.trim()} -o table`);
  expect(report.stdout).toMatch(/^STAGE {2}PHASE/);
  expect(report.stderr).toMatch(/^FAILED after .*\nfailed: InsertTimeNull/);
});

test('what cannot be planned is refused where it stands', async () => {
  const { stderr, code } = await runCli(
    await startService(),
    `ingest sql 'INSERT INTO t SELECT nonsense FROM nothing PARTITIONED BY ALL'`,
  );
  expect(stderr).toMatch(/^error: .*nothing/);
  expect(code).toBe(1);
});

test('both ways to ingest pass context parameters on, and --dry-run shows them', async () => {
  const service = await startService({ allowedFolders: [folder] });
  const names = ['one', 'two'].map((name) => file(`${name}.json`, edits));
  const ingest = `ingest files ${names.join(' ')} --into both --partitioned-by ALL --context rowsPerSegment=1 --context maxNumTasks=3`;
  const dry = await runCli(service, `${ingest} --dry-run`, place);
  expect({ code: dry.code, says: dry.stdout + dry.stderr }).toEqual({
    code: 0,
    says: expect.stringMatching(/"rowsPerSegment":\s*1[\s\S]*"maxNumTasks":\s*3/),
  });
  const done = await runCli(service, `${ingest} --wait=queryable`, place);
  expect(done.code).toBe(0);
  expect(lines(done.stderr).at(-2)).toBe('Datasource [both] answers queries: 4 segments loaded');
  const report = await runCli(
    service,
    `tasks report ${done.stdout.trim()} -o csv --columns stage,workers`,
  );
  expect(lines(report.stdout).map((line) => line.trim())).toEqual(['stage,workers', '0,2', '1,2']);
  const wrong = await runCli(service, `${ingest} --context taskAssignment=some --wait`, place);
  expect(wrong.stderr).toContain(
    'Expected key [taskAssignment] to be referring to one of the values [MAX,AUTO]',
  );
  expect(wrong.code).toBe(1);
});

test('a statement that exports leaves files in an allowed folder', async () => {
  const service = await startService({ allowedFolders: [folder] });
  file(
    'export.sql',
    `INSERT INTO EXTERN(local(exportPath => '${join(folder, 'exported')}')) AS CSV SELECT 1 AS "n", 'a' AS "who"`,
  );
  const { stdout, code } = await runCli(service, 'ingest sql --file export.sql --wait', place);
  expect(code).toBe(0);
  expect(
    readFileSync(join(folder, 'exported', `${stdout.trim()}-worker0-partition0.csv`), 'utf8'),
  ).toBe('n,who\n1,a\n\n');
});

test('German CSV: delimiter, encoding, time format, types and quoted delimiters', async () => {
  const service = await startService();
  const text = 'Tag;Stadt;Betrag\r\n01.05.2024;"Köln; Süd";4\r\n02.05.2024;Bonn;5\r\n';
  const name = file('tage.csv', Buffer.from(text, 'latin1'));
  const common = `--into tage --time-column Tag --time-format dd.MM.yyyy --encoding latin1`;
  const whole = await runCli(
    service,
    `ingest files ${name} ${common} --types Betrag:double --wait=queryable`,
    place,
  );
  expect(whole.code, whole.stderr).toBe(0);
  const select = `sql 'SELECT * FROM tage' -o jsonl`;
  expect(rowsIn(await runCli(service, select))).toEqual([
    { __time: '2024-05-01T00:00:00.000Z', Stadt: 'Köln; Süd', Betrag: 4 },
    { __time: '2024-05-02T00:00:00.000Z', Stadt: 'Bonn', Betrag: 5 },
  ]);
  const part = await runShell(
    service,
    `svcctl ingest files - ${common} --columns Stadt --where 'Betrag > 4' --replace --wait=queryable < ${name}`,
    place,
  );
  expect(part.code, part.stderr).toBe(0);
  expect(rowsIn(await runCli(service, select))).toEqual([
    { __time: '2024-05-02T00:00:00.000Z', Stadt: 'Bonn' },
  ]);
});

test('a folder, a pattern, a zip archive and a byte order mark', async () => {
  const service = await startService();
  mkdirSync(join(folder, 'days/more'), { recursive: true });
  file('days/one.csv', '\ufefftime,page\n2024-05-01,Oslo\n');
  file('days/more/two.csv', 'time,page\n2024-05-02,Rome\n');
  file('days/_SUCCESS', '');
  file('days.zip', zipOf('one.csv', 'time,page\n2024-05-03,Paris\n'));
  for (const [at, path] of ['days', `'days/**/*.csv'`].entries()) {
    const ingest = `ingest files ${path} --into days${at} --wait=queryable`;
    expect(await runCli(service, ingest, place)).toMatchObject({ code: 0 });
    expect(rowsIn(await runCli(service, `sql 'SELECT page FROM days${at}' -o jsonl`))).toEqual([
      { page: 'Oslo' },
      { page: 'Rome' },
    ]);
  }
  const zip = await runCli(service, 'ingest files days.zip --into packed --wait=queryable', place);
  expect(zip.code, zip.stderr).toBe(0);
  expect((await runCli(service, "sql 'SELECT page FROM packed' -o csv")).stdout).toContain('Paris');
});

test('a URL is read by the service, its columns are guessed', async () => {
  const service = await startService();
  const web = await standIn((response) => response.end('time|page\n2024-05-01|Oslo\n'));
  const line = `ingest files ${web.url}/rows.csv --into web --wait=queryable`;
  const { code, stderr } = await runCli(service, line);
  expect(code, stderr).toBe(0);
  expect((await runCli(service, "sql 'SELECT page FROM web' -o csv")).stdout).toContain('Oslo');
});

test('the columns of Parquet are declared, and the service reads it', async () => {
  const service = await startService();
  const name = file('rows.parquet', 'PAR1');
  const printed = await runCli(
    service,
    `ingest files ${name} --into edits --types t:bigint,page:varchar --time-column t --source local --print-sql`,
    place,
  );
  expect(printed.stdout).toContain('MILLIS_TO_TIMESTAMP("t") AS "__time"');
  expect(printed.stdout).toContain(`'{"type":"parquet"}'`);
  expect(printed.stdout).toContain('EXTEND ("t" BIGINT, "page" VARCHAR)');
});

test.each([
  ["'*.nope'", 'No file matches pattern [*.nope]'],
  ['some.csv --encoding klingon', 'Value [klingon] of --encoding is not a known encoding'],
  ['some.csv --types pag:bigint', '[some.csv] has no column [pag], named by --types'],
  ['some.csv --types page:text', 'Value [page:text] of --types is not a NAME:TYPE'],
  ['some.csv --columns pag', '[some.csv] has no column [pag], named by --columns'],
  ['some.csv --delimiter ab', 'Value [ab] of --delimiter is not one character'],
  ['some.parquet', 'The columns of [some.parquet] cannot be guessed: it is not a Parquet file'],
  ['two.zip', '[two.zip] has 0 files, and only archives of one file are read'],
  ['some.csv http://127.0.0.1:1/x.csv', 'URLs and files cannot be ingested together'],
])('ingest files %s is refused before anything is sent', async (words, sentence) => {
  const service = await standIn((response) => response.writeHead(500).end());
  file('some.csv', 'time,page\n2024-05-01,Oslo\n');
  file('some.parquet', 'PAR1');
  file('two.zip', Buffer.from('504b0304504b0506000000000000000000000000000000000000', 'hex'));
  const { code, stderr } = await runCli(service, `ingest files ${words} --into x`, place);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) });
  expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

const rowsIn = ({ stdout }: { stdout: string }) => lines(stdout).map((line) => JSON.parse(line));

/** An archive of one deflated file. */
function zipOf(name: string, text: string): Buffer {
  const packed = deflateRawSync(text);
  const sizes = Buffer.alloc(12); // checksum, packed size, size
  sizes.writeUInt32LE(packed.length, 4);
  sizes.writeUInt32LE(Buffer.byteLength(text), 8);
  const length = Buffer.from([name.length, 0, 0, 0]);
  const local = Buffer.concat([
    Buffer.from('504b030414000000080000000000', 'hex'),
    sizes,
    length,
    Buffer.from(name),
    packed,
  ]);
  const central = Buffer.concat([
    Buffer.from('504b0102140014000000080000000000', 'hex'),
    sizes,
    length,
    Buffer.alloc(14),
    Buffer.from(name),
  ]);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, central, end]);
}
