// The SQL shell, in a real pseudo-terminal against a real service.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startServer } from '../../src/server/server.ts';
import { lines, runCli, runShell, type Typing, whenListening, whileBusy } from '../support/cli.ts';
import { standIn } from '../support/stand-in.ts';

const folder = mkdtempSync(join(tmpdir(), 'svcctl-shell-'));
const ctrlC = '\x03';
const ctrlD = '\x04';
const up = '\x1b[A';
let service: Service;

beforeAll(async () => {
  service = await startServer({ port: 0 });
  writeFileSync(
    join(folder, 'edits.json'),
    '{"time":"2024-05-01T10:00:00Z","channel":"#en","page":"Oslo","my note":"x","added":5}\n',
  );
  expect(
    await runCli(service, 'ingest files edits.json --into wikipedia --wait=queryable', {
      cwd: folder,
    }),
  ).toMatchObject({ code: 0 });
});

afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Place {
  readonly env?: Record<string, string>;
  readonly flags?: string;
  readonly at?: { url: string };
  readonly cols?: number;
  readonly home?: string;
}

// Each session has a folder of its own, unless it is to find what another one has left.
async function session(
  types: readonly Typing[],
  {
    env,
    flags = '',
    at = service,
    cols = 80,
    home = mkdtempSync(join(folder, 'home-')),
  }: Place = {},
) {
  const xdg = { XDG_STATE_HOME: join(home, 'state'), XDG_CONFIG_HOME: join(home, 'config') };
  const all = { TERM: 'xterm', NO_COLOR: '1', SVCCTL_PAGER: 'cat', ...xdg, ...env };
  const patient = types.map(
    ([after, keys, how]): Typing => [after, keys, { ...whenListening, ...how }],
  );
  const { stdout, code } = await runCli(at, `sql ${flags}`, {
    tty: true,
    cols,
    cwd: folder,
    env: all,
    types: patient,
  });
  const escapes = new RegExp(`${'\\x1b'}\\[[0-9;?]*[A-Za-z]`, 'g');
  const said = stdout.replace(escapes, '');
  expect(code, said).not.toBe(129); // it waited for what never came
  return { stdout: said, code, home };
}

const begin = (keys: string) => ['\\q leaves', keys] as const;
const leave = (after: string) => [after, `${ctrlD}`] as const;

test('a statement of many lines runs at its ;, and Ctrl-D leaves', async () => {
  const { stdout, code } = await session([
    begin('SELECT 1 AS a,\r'),
    ['->', "'a;b' AS t\r"],
    ['->', ';\r'],
    leave('1 row'),
  ]);
  expect(stdout).toMatch(/a {2}t\n1 {2}a;b\n1 row\n/);
  expect(code, stdout).toBe(0);
});

test('several statements on a line run one after the other, pasted ones too', async () => {
  const { stdout } = await session([
    begin('SELECT 1 AS a; SELECT 2 AS b;\rSELECT 3 AS c;\r'),
    leave('c\n3'),
  ]);
  expect(stdout).toMatch(/a\n1\n1 row\nb\n2\n1 row\n[\s\S]*c\n3\n1 row\n/);
});

test('an open text, comment or parenthesis is said by the prompt', async () => {
  const { stdout } = await session([
    begin("SELECT 'a\r"),
    ["'> ", "b', (\r"],
    ['(> ', '1) /* \r'],
    ['*> ', '*/ AS n;\r'],
    leave('1 row'),
  ]);
  expect(stdout).toContain('a\\nb');
});

test('an error is shown at its place, and the shell goes on', async () => {
  const { stdout, code } = await session([
    begin('SELECT page,\r'),
    ['->', '  nope FROM wikipedia;\r'],
    ['^^^^', 'SELECT 1 +;\r'],
    ['error: Received an unexpected token', 'SELECT 5 AS n;\r'],
    leave('n\n'),
  ]);
  expect(stdout).toMatch(
    /error: Column 'nope' not found.*\n2: {3}nope FROM wikipedia\n {5}\^\^\^\^\n/,
  );
  expect(stdout).not.toContain('<QUOTED_STRING>'); // what else could stand there would fill the screen
  expect(stdout).toContain('n\n5');
  expect(code, stdout).toBe(0);
});

test('what was typed is found again in the next session, a whole statement at once, in a file of mode 0600', async () => {
  const { home } = await session([
    begin('SELECT 1 AS a, -- first\r'),
    ['->', '2 AS b;\r'],
    leave('1 row'),
  ]);
  const file = join(
    home,
    `state/svcctl/sql-history-${encodeURIComponent(new URL(service.url).host)}.jsonl`,
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toBe('"SELECT 1 AS a, -- first\\n2 AS b;"\n');
  const { stdout } = await session([begin(up), ['-- first\n2 AS b;', '\r'], leave('1 row')], {
    home,
  });
  expect(stdout).toMatch(/a {2}b\n1 {2}2\n/);
});

test('Ctrl-R finds what was typed by a part of it, and Ctrl-C gives the line back', async () => {
  const { stdout } = await session([
    begin("SELECT 'one' AS a;\r"),
    ['1 row', "SELECT 'two'\r"],
    ['->', 'AS b;\r'],
    ['1 row', 'SELECT half \x12ONE'],
    ["search [ONE]: SELECT 'one'", 'x'],
    ["nothing with [ONEx]: SELECT 'one'", ctrlC],
    ['> SELECT half ', '\x12SELECT\x12'],
    ["search [SELECT]: SELECT 'one'", '\x13'],
    ["search [SELECT]: SELECT 'two'\nAS b;", '\r'],
    ['1 row', '\x12'],
    ['search []', '\x1b'],
    ['> ', 'SELECT 3 AS c;\r'],
    leave('c\n3'),
  ]);
  expect(stdout.match(/b\ntwo/g)).toHaveLength(2);
});

test('what is pasted between the marks of the terminal waits for Enter, its tabs and many lines too', async () => {
  const pasted =
    "\x1b[200~SELECT 'a\tsel\tb' AS a,\r\tCOUNT(*) AS n FROM wikipedia;\rSELECT 2 AS b;\r\x1b[201~";
  const { stdout } = await session([begin(pasted), ['AS b;', '\r'], leave('b\n2')]);
  expect(stdout).toMatch(/wikipedia;\nSELECT 2 AS b;\s+a +n\na\\tsel\\tb +1\n1 row\nb\n2\n/);
});

test('Ctrl-Z stops the shell as any other, and fg brings back the line that was typed', async () => {
  const home = mkdtempSync(join(folder, 'home-'));
  const program = `'${process.execPath}' '${resolve('bin/svcctl.cjs')}'`;
  const env = { TERM: 'xterm', NO_COLOR: '1', XDG_STATE_HOME: home, XDG_CONFIG_HOME: home };
  const { stdout } = await runShell(service, "PS1='ready> ' bash --norc -i", {
    tty: true,
    env,
    types: [
      ['ready> ', `${program} sql\r`],
      ['\\q leaves', 'SELECT 7', whenListening],
      ['SELECT 7', '\x1a'],
      ['ready> ', 'fg\r'],
      ['> SELECT 7', ' AS n;\r'],
      ['1 row', ctrlD, whenListening],
      ['ready> ', `${ctrlD}`],
    ],
  });
  expect(stdout).toMatch(/n\n7\n1 row/);
});

test('each profile has a history of its own, and none keeps passwords', async () => {
  const home = mkdtempSync(join(folder, 'home-'));
  const add = (name: string) => `svcctl profiles add ${name} --url ${service.url} --no-test`;
  await runShell(service, `${add('one')}; ${add('two')}`, {
    env: { XDG_CONFIG_HOME: join(home, 'config') },
  });
  const secret = `SELECT '{"httpAuthenticationPassword": "hush"}' AS p;\r`;
  await session(
    [
      begin(secret),
      ['1 row', 'SELECT 11;\r'],
      ['1 row', '\\c two\r'],
      ['two> ', 'SELECT 22;\r'],
      leave('1 row'),
    ],
    {
      home,
      flags: '-p one',
    },
  );
  const kept = (name: string) =>
    readFileSync(join(home, `state/svcctl/sql-history-${name}.jsonl`), 'utf8');
  expect(kept('one')).toContain('SELECT 11;');
  expect(kept('two')).toBe('"SELECT 22;"\n');
  expect(kept('one') + kept('two')).not.toContain('hush');
});

test('\\c asks for the password of a profile without echo, and goes back where nobody answers', async () => {
  const home = mkdtempSync(join(folder, 'home-'));
  const add = (name: string, rest: string) => `svcctl profiles add ${name} --no-test ${rest}`;
  const profiles = `${add('here', `--url ${service.url}`)}; ${add('asked', `--url ${service.url}`)}; svcctl profiles set asked user=me; ${add('gone', '--url http://127.0.0.1:1')}`;
  await runShell(service, profiles, { env: { XDG_CONFIG_HOME: join(home, 'config') } });
  const { stdout } = await session(
    [
      begin('\\c asked\r'),
      ['Password of me:', 'hush\r', whileBusy],
      ['asked> ', 'SELECT 1 AS a;\r'],
      ['1 row', '\\c gone\r'],
      ['error: ', 'SELECT 2 AS b;\r'],
      leave('b\n2'),
    ],
    { home },
  );
  expect(stdout).not.toContain('hush');
  expect(stdout).not.toContain('gone> ');
  expect(readFileSync(join(home, 'state/svcctl/sql-history-asked.jsonl'), 'utf8')).not.toContain(
    'hush',
  );
});

test('Ctrl-C ends a question of the shell itself, too', async () => {
  const answers = [
    '{"version":"1","modules":[],"memory":{"maxMemory":1,"totalMemory":1,"freeMemory":1,"usedMemory":1,"directMemory":1}}',
  ];
  const silent = await standIn((response) => {
    const answer = answers.pop();
    if (answer !== undefined) response.setHeader('content-type', 'application/json').end(answer);
  });
  const { code } = await session(
    [begin('\\dt\r'), ['\\dt', ctrlC, whileBusy], leave('is cancelled.')],
    { at: silent },
  );
  expect(code).toBe(0);
});

// Nobody waits longer than a second at the Tab key: what the service says later is there when it is
// pressed again.
const pressedAgain = { again: '\t' };

test.each([
  ['a keyword', 'sel\t', 'select', ' 1 AS n;\r'],
  ['a table', 'SELECT COUNT(*) AS n FROM wik\t', 'FROM wikipedia', ';\r'],
  ['a column', 'SELECT chan\t', 'channel', ' FROM wikipedia;\r'],
  [
    'a column of an alias',
    'SELECT COUNT(*) AS n FROM wikipedia w WHERE w.pa\t',
    'w.page',
    " = 'Oslo';\r",
  ],
  ['a name that needs quotes', 'SELECT my\t', '"my note"', ' FROM wikipedia;\r'],
  ['a function', 'SELECT TIME_FL\t', 'TIME_FLOOR(', "__time, 'P1D') AS d FROM wikipedia;\r"],
  ['a table of the system', 'SELECT COUNT(*) AS n FROM sys.segm\t', 'sys.segments', ';\r'],
])('Tab completes %s', async (_, typed, seen, rest) => {
  const { stdout } = await session([[...begin(typed), pressedAgain], [seen, rest], leave('1 row')]);
  expect(stdout).toContain('1 row');
});

test('Tab completes commands and what they take', async () => {
  const { stdout } = await session([
    [...begin('\\tim\t'), pressedAgain],
    ['\\timing', '\r'],
    ['Timing is on', '\\d wiki\t', pressedAgain],
    ['\\d wikipedia', '\r'],
    ['nullable'.toUpperCase(), '\\o js\t', pressedAgain],
    ['\\o json', '\r'],
    leave('printed as json'),
  ]);
  expect(stdout).toMatch(/__time +TIMESTAMP +NO/);
});

test('Ctrl-C cancels the running query on the service and keeps the shell', async () => {
  const numbers = '(VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9),(10)) AS';
  const many = Array.from('abcdefghijkl', (name) => `${numbers} ${name}(n)`).join(', ');
  const states = (options: string) =>
    runShell(
      service,
      `svcctl sql queries ${options} --where 'sql ~ l.n' --columns state --no-header`,
    );
  const { stdout, code } = await session([
    begin(
      `SELECT COUNT(*) FROM ${many} WHERE a.n + b.n + c.n + d.n + e.n + f.n + g.n + h.n + i.n + j.n + k.n + l.n = 7;\r`,
    ),
    ['n = 7;', ctrlC, whileBusy],
    ['The query is cancelled.', 'SELECT 4 AS n;\r'],
    leave('n\n'),
  ]);
  expect(stdout).toContain('n\n4\n1 row');
  expect(code).toBe(0);
  expect((await states('--include-complete')).stdout).toBe('CANCELED\n');
  expect(await states('')).toEqual({ stdout: '', stderr: '', code: 0 });
});

test('Ctrl-C clears what is typed, and a statement that was begun', async () => {
  const { stdout } = await session([
    begin('SELECT nonsense\r'),
    ['->', `more${ctrlC}`],
    ['> ', 'SELECT 6 AS n;\r'],
    leave('n\n'),
  ]);
  expect(stdout).not.toContain('error');
});

test('\\d, \\dt and \\df describe what there is', async () => {
  const { stdout } = await session([
    begin('\\dt\r'),
    ['TABLE', '\\d\r'],
    ['server_segments', '\\d nope\r'],
    ['does not exist', '\\d sys.tasks\r'],
    ['created_time', '\\df time_fl*\r'],
    ['SIGNATURES', '\\df nope*\r'],
    leave('No function is like [nope*].'),
  ]);
  expect(stdout).toMatch(/SCHEMA +NAME +TYPE\n\w+ +wikipedia +TABLE\n/);
  expect(stdout).toContain('error: Table [nope] does not exist\nhint: \\d lists the tables');
  expect(stdout).toMatch(/TIME_FLOOR +scalar +TIME_FLOOR\(/);
});

test('\\x shows a line per value, \\timing how long it took, \\o another format', async () => {
  const { stdout } = await session([
    begin('\\x\r'),
    ['display is on', 'SELECT page, added FROM wikipedia;\r'],
    ['1 row', '\\x\r'],
    ['display is off', '\\timing\r'],
    ['Timing is on', '\\o json\r'],
    ['printed as json', 'SELECT page FROM wikipedia;\r'],
    ['In ', '\\o nope\r'],
    ['error: Format [nope]', '\\o\r'],
    leave('printed as table'),
  ]);
  expect(stdout).toMatch(/-- row 1 -+\npage {3}Oslo\nadded {2}5\n1 row\n/);
  expect(stdout).toMatch(/\[\{"page":"Oslo"\}\]\nIn \d+ms\n/);
});

test('\\x and \\timing take on and off, and what a command does not take is refused', async () => {
  const { stdout } = await session([
    begin('\\timing on\r'),
    ['is on', '\\timing on\r'],
    ['is on', '\\x off\r'],
    ['is off', '\\x maybe\r'],
    ['Value [maybe] is neither on nor off', '\\e some.sql\r'],
    ['error: Command [\\e] takes no argument, but got [some.sql]', '\\% ls\r'],
    ['error: Command [\\%] does not exist', '\\z\r'],
    ['error: Command [\\z] does not exist\nhint: \\? lists the commands', '-- a note\r'],
    ['> ', '\\o csv\r'],
    leave('printed as csv.\n'),
  ]);
  expect(stdout).not.toContain('->');
});

test('heads are the names of the query, and nothing is not an empty text', async () => {
  const { stdout } = await session([
    begin(
      "SELECT page AS myPage, '' AS my_empty, CAST(NULL AS VARCHAR) AS nothing, '-' AS dash FROM wikipedia;\r",
    ),
    leave('1 row'),
  ]);
  expect(stdout).toMatch(/myPage +my_empty +nothing +dash\nOslo +NULL +-\n/);
});

test('\\timing does not count how long one reads in the pager', async () => {
  const wide = `SELECT ${Array.from({ length: 20 }, (_, at) => `'value ${at}' AS column${at}`).join(', ')};\r`;
  const { stdout } = await session([begin('\\timing\r'), ['is on', wide], leave('1 row in ')], {
    env: { SVCCTL_PAGER: 'cat; sleep 7' },
  });
  expect(stdout).toMatch(/1 row in (\d+ms|[0-6]\.\ds)\n/);
});

test('\\watch asks again until Ctrl-C', async () => {
  const { stdout, code } = await session([
    begin('SELECT 8 AS n;\r'),
    ['1 row', '\\watch 0.1\r'],
    ['1 row', '', whileBusy],
    ['1 row', ctrlC, whileBusy],
    ['> ', '\\watch soon\r'],
    leave('error: Value [soon]'),
  ]);
  expect(stdout.match(/n\n8/g)?.length).toBeGreaterThan(2);
  expect(code, stdout).toBe(0);
});

test('\\g writes the answer to a file, in the format of its name', async () => {
  const { stdout } = await session([
    begin('SELECT page, added FROM wikipedia \\g page.csv\r'),
    ['ritten to [page.csv]', '\\g page.json\r'],
    ['ritten to [page.json]', '\\g nowhere/page.csv\r'],
    ['error: File [nowhere/page.csv] cannot be written', '\\g\r'],
    leave('Oslo'),
  ]);
  expect(readFileSync(join(folder, 'page.csv'), 'utf8')).toBe('page,added\nOslo,5\n');
  expect(JSON.parse(readFileSync(join(folder, 'page.json'), 'utf8'))).toEqual([
    { page: 'Oslo', added: 5 },
  ]);
  expect(stdout).toMatch(/page +added\nOslo +5\n/);
});

test('\\i runs a file, and its first error ends it', async () => {
  writeFileSync(join(folder, 'fine.sql'), 'SELECT 1 AS a;\n\\x\nSELECT 2\n  AS b;\nSELECT 3 AS c');
  writeFileSync(join(folder, 'wrong.sql'), 'SELECT nope;\nSELECT 9 AS z;\n');
  writeFileSync(join(folder, 'round.sql'), '\\i round.sql\n');
  writeFileSync(
    join(folder, 'two words.sql'),
    "-- fine\n\\i fine.sql\n\nSELECT ';' AS c,\n  nope;\n",
  );
  const { stdout } = await session([
    begin('\\i fine.sql\r'),
    ['c  3', '\\i wrong.sql\r'],
    ['^^^^', '\\i "two words.sql"\r'],
    ['^^^^', '\\i round.sql\r'],
    ['includes itself', '\\i none.sql\r'],
    leave('cannot be read'),
  ]);
  expect(stdout).toMatch(/a\n1\n1 row\nExpanded display is on.\n-- row 1 -+\nb {2}2\n/);
  expect(stdout).not.toContain('z  9');
  expect(stdout.replace(/\s+/g, ' ')).toMatch(
    /error: Column 'nope' .*, at line \[1\] of file \[wrong\.sql\] 1: SELECT nope /,
  );
  expect(stdout.replace(/\s+/g, ' ')).toMatch(
    /error: Column 'nope' .*, at line \[4\] of file \[two words\.sql\] 2: nope/,
  );
  expect(stdout.replace(/\s+/g, ' ')).toMatch(
    /includes itself, at line \[1\] of file \[round\.sql\] /,
  );
});

test('\\e edits the last statement, and what ends in ; runs', async () => {
  const env = { VISUAL: "sed -i 's/first/second/'" };
  const { stdout } = await session(
    [
      begin("SELECT 'first' AS t;\r"),
      ['1 row', '\\e\r'],
      ['SELECT', ';\r'],
      ['second', 'SELECT 1 AS n\r'],
      ['->', '\\p\r'],
      leave('SELECT 1 AS n'),
    ],
    { env },
  );
  expect(stdout).toMatch(/t\nsecond\n1 row/);
  const broken = await session([begin('\\e\r'), leave('failed with exit code [1]')], {
    env: { EDITOR: 'false' },
  });
  expect(broken.code).toBe(0);
});

test('\\set, SET and --context reach the service, \\unset takes them back', async () => {
  const day = "SELECT TIME_FORMAT(TIME_PARSE('2024-05-01T00:00:00Z'), 'HH') AS h;\r";
  const { stdout } = await session(
    [
      begin(day),
      ['02\n', '\\set sqlTimeZone Asia/Tokyo\r'],
      ['> ', '\\set\r'],
      ['"Asia/Tokyo"', day],
      ['09\n', "SET sqlTimeZone = 'Etc/UTC';\r"],
      ['> ', day],
      ['00\n', '\\unset sqlTimeZone\r'],
      ['> ', '\\unset nope\r'],
      ['[nope] is not set', '\\set\r'],
      leave('No context parameters are set.'),
    ],
    { flags: '--context sqlTimeZone=Europe/Paris' },
  );
  expect(stdout).toContain('sqlTimeZone = "Asia/Tokyo"');
});

test('what is \\set stands for its name in statements, and is typed only once', async () => {
  const { stdout } = await session([
    begin("\\set who 'Oslo'\r"),
    ['> ', "SELECT :'who' AS w, COUNT(*) AS n FROM wikipedia WHERE page = :'who';\r"],
    ['1 row', '\\p\r'],
    leave("= :'who'\n"),
  ]);
  expect(stdout).toMatch(/w +n\nOslo +1\n1 row/);
});

test('\\bind and --param give values to the ? of statements', async () => {
  const { stdout } = await session(
    [
      begin('SELECT ? AS p;\r'),
      ['given', "\\bind BIGINT:5 'VARCHAR:two words'\r"],
      ['2 parameters are bound.', 'SELECT ? AS n, ? AS t;\r'],
      ['1 row', '\\bind nonsense\r'],
      ['is not TYPE:VALUE', '\\bind\r'],
      leave('No parameters are bound.'),
    ],
    { flags: '--param VARCHAR:given' },
  );
  expect(stdout).toMatch(/n {2}t\n5 {2}two words\n/);
});

test('\\r forgets, \\c says where one is, \\? and help list the commands, \\q and exit leave', async () => {
  const { stdout, code } = await session([
    begin('SELECT nonsense\r'),
    ['->', '\\r\r'],
    ['is cleared', '\\c\r'],
    ['Connected to', '\\c nobody\r'],
    ['error: Profile [nobody] does not exist', '\\watc\r'],
    ['hint: did you mean \\watch?', '\\h\r'],
    ['\\timing', 'help\r'],
    ['\\timing', '\\q\r'],
  ]);
  expect(code).toBe(0);
  for (const line of lines(stdout)) expect(line.length).toBeLessThanOrEqual(80);
  expect((await session([begin('exit\r')])).code).toBe(0);
});

test('\\! runs a command of the system, \\echo prints, and other words of psql are known or explained', async () => {
  const { stdout, code } = await session([
    begin('\\! echo from-$((40 + 2))\r'),
    ['from-42', '\\! exit 3\r'],
    ['failed with exit code [3]', "\\echo 'a heading'\r"],
    ['a heading\n', '\\conninfo\r'],
    ['Connected to', '\\dt+ wiki*\r'],
    ['wikipedia', '\\d+ wikipedia\r'],
    ['added', '\\l\r'],
    ['hint: \\c PROFILE switches', '\\copy x\r'],
    leave('hint: \\g FILE writes an answer'),
  ]);
  expect(code).toBe(0);
  expect(stdout).not.toContain('Table [+');
});

test('an answer that is too wide or too long goes through the pager, and leaving it early ends nothing', async () => {
  const wide = `SELECT ${Array.from({ length: 20 }, (_, at) => `'value ${at}' AS column${at}`).join(', ')};\r`;
  const { stdout } = await session([begin(wide), ['paged', 'SELECT 1 AS n;\r'], leave('n\n')], {
    env: { SVCCTL_PAGER: 'echo paged; cut -c 1-40' },
  });
  expect(stdout.match(/^paged/gm)).toHaveLength(1);
  expect(stdout).toMatch(/value 0 +value 1 /);
  const early = await session([begin(wide), ['> ', 'SELECT 2 AS b;\r'], leave('b\n')], {
    env: { SVCCTL_PAGER: 'true' },
  });
  expect(early.code).toBe(0);
});

test('a service that goes away and comes back does not end the shell', async () => {
  const first = await startServer({ port: 0 });
  const port = Number(new URL(first.url).port);
  const going = session(
    [
      begin('SELECT 1 AS a;\r'),
      ['1 row', '\\e\r'],
      ['gone', 'SELECT 2 AS b;\r'],
      ['error: ', '\\e\r'],
      ['back', 'SELECT 3 AS c;\r'],
      leave('c\n3'),
    ],
    { at: first, env: { EDITOR: `${process.execPath} ${join(folder, 'turn.cjs')}` } },
  );
  // The editor is what the test hears of the shell: it waits for a file.
  writeFileSync(join(folder, 'turn.cjs'), turn);
  await seen('turn-1');
  await first.close();
  writeFileSync(join(folder, 'gone'), '');
  await seen('turn-2');
  const second = await startServer({ port });
  writeFileSync(join(folder, 'back'), '');
  const { stdout, code } = await going;
  await second.close();
  expect(stdout).toMatch(/error: .*\n/);
  expect(code, stdout).toBe(0);
});

const turn = `const fs = require('node:fs');
const [number, word] = fs.existsSync('turn-1') ? [2, 'back'] : [1, 'gone'];
fs.writeFileSync('turn-' + number, '');
const end = Date.now() + 20000;
while (!fs.existsSync(word) && Date.now() < end) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
fs.writeFileSync(process.argv.at(-1), '');
console.log(word);
`;

async function seen(name: string) {
  const end = Date.now() + 20_000;
  for (;;) {
    try {
      return void statSync(join(folder, name));
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

test('without a terminal, or where nobody may be asked, a statement is needed as before', async () => {
  const env = { TERM: 'xterm' };
  expect(await runCli(service, 'sql --no-input', { tty: true, env })).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('There is no statement'),
  });
  expect(await runCli(service, 'sql', { tty: true, env: { ...env, CI: '1' } })).toMatchObject({
    code: 2,
  });
  expect(await runCli(service, 'sql < /dev/null')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('The statement is empty'),
  });
  expect(await runCli(service, 'sql --limit 5', { tty: true, env })).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('--limit requires a statement'),
  });
});

test('where there is no service, there is no shell', async () => {
  expect(
    await runCli({ url: 'http://127.0.0.1:1' }, 'sql', { tty: true, env: { TERM: 'xterm' } }),
  ).toMatchObject({ code: 6 });
});
