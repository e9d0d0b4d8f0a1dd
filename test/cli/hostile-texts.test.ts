// Every command, asked of a service whose texts are attacks: no byte of them reaches a terminal,
// and a pipe gets what the service says.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Command } from '../../src/cli/command/command.ts';
import { takes } from '../../src/cli/command/tree.ts';
import { formatNames } from '../../src/cli/process/flags.ts';
import { runEach, runShell, whenListening } from '../support/cli.ts';
import { everyCommand } from '../support/every-command.ts';
import { attacks, hostileService, hostileText, type Mode } from '../support/hostile-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'svcctl-hostile-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

for (const [name, text] of Object.entries({
  'rules.json': '[{"type":"loadForever","tieredReplicants":{}}]',
  'new.json': '[{"type":"dropForever"}]',
  'compaction.json': '{"dataSource":"wikipedia"}',
  'countries.json': '{"de":"Germany"}',
  'lookups.json': '{}',
  'permissions.json': '[{"resource":{"name":"trial.*","type":"DATASOURCE"},"action":"READ"}]',
  'task.json': '{"type":"noop"}',
  'stream.json': '{"type":"kafka","spec":{"dataSchema":{"dataSource":"wikipedia"}}}',
  'top-pages.json': '{"queryType":"scan","dataSource":"wikipedia","intervals":"2016/2017"}',
  'query.sql': 'SELECT 1',
  'load.sql': 'REPLACE INTO numbers OVERWRITE ALL SELECT 1 AS n PARTITIONED BY ALL',
  'edits.json': '{"time":"2016-06-27T10:00:00Z","page":"Oslo"}',
  'password.txt': 'secret',
}))
  writeFileSync(join(folder, name), text);

const env = {
  TERM: 'xterm-256color',
  XDG_CONFIG_HOME: folder,
  XDG_STATE_HOME: folder,
  XDG_CACHE_HOME: folder,
  EDITOR: 'true',
  LANG: 'C.UTF-8',
};
const onTerminal = { tty: true, cwd: folder, env, cols: 100, rows: 5000 };
const elsewhere = new Set(['serve', 'man', 'completion']); // they ask no service
const all = (await everyCommand()).filter(({ words }) => !elsewhere.has(words));

const exampleOf = ({ examples }: Command) =>
  (examples.find((example) => /^svcctl [^|<>$]*$/.test(example)) ?? examples[0])
    .replace(' --dry-run', '')
    .replace(/^svcctl/, '');

const lineOf = (command: Command, more: string) =>
  `timeout 4 node "$SVCCTL" ${exampleOf(command)} --timeout 2 ${(command.writes ?? 'none') === 'none' ? '' : '--yes'} ${more}`;

const reached = (seen: string) =>
  attacks.filter((attack) => seen.includes(attack)).map((attack) => JSON.stringify(attack));

const place = {
  ...onTerminal,
  env: {
    ...env,
    SVCCTL: join(process.cwd(), 'bin/svcctl.cjs'),
    SVCCTL_NO_INPUT: '1',
    SVCCTL_RETRIES: '0',
  },
};

test.each<Mode>(['texts', 'times', 'refusals'])(
  'no attack reaches the terminal, whatever the command: %s',
  async (mode) => {
    const service = await hostileService(() => mode);
    const turn = { texts: 0, times: 1, refusals: 2 }[mode];
    // Every command is attacked twice
    const some = all.filter((_, at) => turn === 0 || at % 2 === turn - 1);
    const rows = some.map(({ words, command }, at) => {
      const format =
        mode === 'texts' && takes('output', command)
          ? `-o ${formatNames[at % formatNames.length]}`
          : '';
      return { words, line: lineOf(command, `${format} ${at % 3 === 0 ? '--debug' : ''}`) };
    });
    const results = await runEach(service, rows, place);
    expect(
      results.flatMap(({ words, line, stdout }) =>
        reached(stdout).length > 0 ? [{ words, line, reached: reached(stdout) }] : [],
      ),
    ).toEqual([]);
    const forPeople = results.filter(
      ({ line }) =>
        !/-o (?!table|wide|name)/.test(line) && !/ (tasks log|workers log|api) /.test(line),
    );
    expect(
      forPeople
        .filter(({ stdout }) => /^(error|hint): forged/m.test(stdout))
        .map(({ line, stdout }) => ({ line, stdout })),
    ).toEqual([]);
    // Many of them have shown some of it.
    expect(results.filter(({ stdout }) => stdout.includes('\\u001b')).length).toBeGreaterThan(
      results.length / 3,
    );
  },
  300_000,
);

// The commands above have changed what is set below their folder.
const elsewherePlace = {
  ...place,
  env: {
    ...place.env,
    XDG_CONFIG_HOME: join(folder, 'fresh'),
    XDG_STATE_HOME: join(folder, 'fresh'),
  },
};
const documents = ['tasks list', 'tasks get x', 'tasks report x', "sql 'SELECT 1'", 'top --once'];
const bytes = ['tasks log x', 'api GET /status'];
const linesOf = (words: readonly string[], format: string) =>
  words.map((one) => ({ words: one, line: `timeout 20 node "$SVCCTL" ${one} -o ${format}` }));

test('no attack reaches the terminal in any format', async () => {
  const service = await hostileService(() => 'texts');
  const rows = formatNames.flatMap((format) => linesOf([...documents, ...bytes], format));
  const results = await runEach(service, rows, elsewherePlace);
  expect(
    results
      .map(({ line, stdout }) => ({ line, reached: reached(stdout) }))
      .filter((one) => one.reached.length > 0),
  ).toEqual([]);
}, 100_000);

test('a table is for people, in a pipe too; all else is as the service says it', async () => {
  const service = await hostileService(() => 'texts');
  const piped = { ...elsewherePlace, tty: false };
  const tables = await runEach(
    service,
    [...linesOf(documents, 'table'), ...linesOf(documents, 'wide')],
    piped,
  );
  expect(
    tables
      .map(({ line, stdout }) => ({ line, reached: reached(stdout) }))
      .filter((one) => one.reached.length > 0),
  ).toEqual([]);
  const run = (line: string) => runShell(service, `node "$SVCCTL" ${line}`, piped);
  expect((await run('tasks log x')).stdout).toBe(`${hostileText}\r\n`.repeat(3));
  expect(JSON.parse((await run('tasks list -o json --limit 1')).stdout)).toMatchObject([
    { id: hostileText },
  ]);
  expect((await run('tasks list -o name --limit 1')).stdout).toBe(`${hostileText}\n`);
  expect((await run('tasks list -o csv --limit 1 --columns id --no-header')).stdout).toBe(
    `"${hostileText.replaceAll('"', '""')}"\r\n`,
  );
});

test('a document on a terminal is the document that a pipe gets', async () => {
  const service = await hostileService(() => 'texts');
  const { stdout } = await runShell(service, 'node "$SVCCTL" tasks get x -o json', elsewherePlace);
  const piped = await runShell(service, 'node "$SVCCTL" tasks get x -o json', {
    ...elsewherePlace,
    tty: false,
  });
  expect(JSON.parse(stdout)).toEqual(JSON.parse(piped.stdout));
  expect(piped.stdout).toContain('\u202e');
});

test('nor while a screen is painted, or a shell asks for lines and completes names', async () => {
  const service = await hostileService(() => 'texts');
  const live = { ...elsewherePlace, rows: 40 };
  const top = await runShell(service, 'timeout 20 node "$SVCCTL" top --every 1', {
    ...live,
    types: [['\\u001b', 'q']],
  });
  expect({
    reached: reached(top.stdout),
    isShown: top.stdout.includes('\\u001b'),
    code: top.code,
  }).toEqual({
    reached: [],
    isShown: true,
    code: 0,
  });
  const shell = await runShell(service, 'env SVCCTL_NO_INPUT= node "$SVCCTL" sql --no-pager', {
    ...live,
    types: [
      ['> ', 'SELECT \t\t', whenListening],
      ['SELECT ', '\x03', whenListening],
      ['> ', 'SELECT 1;\r', whenListening],
      ['row', '\\d\r', whenListening],
      ['\\d', '\\x\r', whenListening],
      ['Expanded', 'SELECT 2;\r', whenListening],
      ['-- row', '\\q\r', whenListening],
    ],
  });
  expect({
    reached: reached(shell.stdout),
    isShown: shell.stdout.includes('\\u001b'),
    code: shell.code,
  }).toEqual({
    reached: [],
    isShown: true,
    code: 0,
  });
  const watched = await runShell(
    service,
    'timeout -s INT 3 node "$SVCCTL" tasks list --watch 1',
    live,
  );
  expect({ reached: reached(watched.stdout), isShown: watched.stdout.includes('\\u001b') }).toEqual(
    { reached: [], isShown: true },
  );
}, 120_000);
