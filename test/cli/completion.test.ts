// Completion as it is used: the installed scripts in the real shells, on a terminal, with keys.
// What a shell then runs is written down.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { spawn } from '@lydell/node-pty';
import { expect, onTestFinished, test } from 'vitest';
import { completionScripts } from '../../src/cli/completion/completion-scripts.ts';
import { standIn } from '../support/stand-in.ts';

interface Shell {
  readonly program: string;
  readonly args: readonly string[];
  readonly script: readonly [path: string, text: string]; // where a person puts it
  readonly settings: readonly [path: string, text: string, whenInstalled?: string];
  readonly source: string; // the line that loads the script without any file
}

const shells: readonly Shell[] = [
  {
    program: 'bash',
    args: ['--noprofile', '-i'],
    script: ['svcctl.bash', completionScripts.bash],
    settings: ['.bashrc', 'PS1="ready> "', 'source ~/svcctl.bash'],
    source: 'source <(svcctl completion bash)',
  },
  {
    program: 'zsh',
    args: ['-d', '-i'],
    script: ['functions/_svcctl', completionScripts.zsh],
    settings: [
      '.zshrc',
      'PROMPT="ready> "; fpath=(~/functions $fpath); autoload -U compinit; compinit -u -D',
    ],
    source: 'source <(svcctl completion zsh)',
  },
  {
    program: 'fish',
    args: ['-i'],
    script: ['.config/fish/completions/svcctl.fish', completionScripts.fish],
    settings: [
      '.config/fish/config.fish',
      'set fish_greeting; function fish_prompt; echo -n "ready> "; end',
    ],
    source: 'svcctl completion fish | source',
  },
];

const typed: readonly (readonly [story: string, keys: string, words: readonly string[]])[] = [
  [
    'a noun, a verb, a flag and its choice',
    'svcctl tas\tlis\t--outp\tyam\t',
    ['tasks', 'list', '--output', 'yaml'],
  ],
  [
    'a choice after an equals sign',
    'svcctl tasks list --state=ru\t',
    ['tasks', 'list', '--state=running'],
  ],
  [
    'a live name with a colon',
    'svcctl datasources get wiki:p\t',
    ['datasources', 'get', 'wiki:pages'],
  ],
  ['a live name with a space', 'svcctl datasources get my\t', ['datasources', 'get', 'my pages']],
  [
    'a flag after a name with a space',
    'svcctl datasources get my\\ pages --outp\tcs\t',
    ['datasources', 'get', 'my pages', '--output', 'csv'],
  ],
  ['a live name within quotes', 'svcctl datasources get "my\t', ['datasources', 'get', 'my pages']],
  [
    'a live name with a space that was begun',
    'svcctl datasources get my\\ p\t',
    ['datasources', 'get', 'my pages'],
  ],
  [
    'the second name of a list',
    'svcctl export --only rules,comp\t',
    ['export', '--only', 'rules,compaction'],
  ],
  [
    'the second name of a list behind an equals sign',
    'svcctl tasks list --columns=id,stat\t',
    ['tasks', 'list', '--columns=id,status'],
  ],
  [
    'a column to sort by downwards',
    'svcctl tasks list --sort -dur\t',
    ['tasks', 'list', '--sort', '-duration'],
  ],
  [
    'a type, and its value goes on behind it',
    'svcctl sql --param BIGI\t42',
    ['sql', '--param', 'BIGINT:42'],
  ],
  [
    'a context parameter',
    'svcctl sql --context sqlTi\tUTC',
    ['sql', '--context', 'sqlTimeZone=UTC'],
  ],
  [
    'a path of the API, and what follows a name in it',
    'svcctl api GET /svc/indexer/v1/task/x/rep\t',
    ['api', 'GET', '/svc/indexer/v1/task/x/reports'],
  ],
  [
    'a path of the API up to a name',
    'svcctl api DELETE /svc/indexer/v1/datas\twiki',
    ['api', 'DELETE', '/svc/indexer/v1/datasources/wiki'],
  ],
  [
    'a field of a configuration, and its value goes on behind it',
    'svcctl config coordinator set maxSegmentsToM\t5',
    ['config', 'coordinator', 'set', 'maxSegmentsToMove=5'],
  ],
  ['a schema', 'svcctl help schema supervisors.statu\t', ['help', 'schema', 'supervisors.status']],
  ['a fault code', 'svcctl help fault TooManyB\t', ['help', 'fault', 'TooManyBuckets']],
  ['a file behind an equals sign', 'svcctl sql --file=que\t', ['sql', '--file=query.sql']],
  ['a file where files may stand', 'svcctl sql --file que\t', ['sql', '--file', 'query.sql']],
];

for (const shell of shells) {
  const isMissing = spawnSync(shell.program, ['--version']).error !== undefined;
  if (isMissing)
    console.warn(`SKIPPED: ${shell.program} is not installed, its completion is not tested`);

  test.skipIf(isMissing).each(typed)(
    `23: ${shell.program} completes %s`,
    async (_, keys, words) => {
      const [path, text, whenInstalled = ''] = shell.settings;
      const files = Object.fromEntries([shell.script, [path, `${text}\n${whenInstalled}\n`]]);
      expect(await ranIn(shell, files, [keys])).toEqual(words);
    },
  );

  test.skipIf(isMissing)(
    `23: ${shell.program} takes the script from svcctl completion`,
    async () => {
      const [path, text] = shell.settings;
      const ran = await ranIn(shell, { [path]: text }, [`${shell.source}\r`, 'svcctl tas\tlis\t']);
      expect(ran).toEqual(['tasks', 'list']);
    },
  );
}

for (const shell of shells.filter(({ program }) => program !== 'bash')) {
  const isMissing = spawnSync(shell.program, ['--version']).error !== undefined;
  test.skipIf(isMissing)(
    `23: ${shell.program} lists candidates with their descriptions`,
    async () => {
      const [path, text, whenInstalled = ''] = shell.settings;
      const files = Object.fromEntries([shell.script, [path, `${text}\n${whenInstalled}\n`]]);
      const session = await sessionIn(shell, files, ['edits']);
      const shown = await session.shows('svcctl tasks lo\t\t');
      expect(shown).toMatch(/cks.*List the intervals that are locked by tasks/);
      expect(shown).toMatch(/g.*Print the log of a task/);
    },
  );
}

// Names that a shell would obey, each with a beginning of its own. The last two are not offered: a
// terminal or svcctl would obey them.
const hostileNames = [
  'a1 $(touch OWNED)',
  'b1 `touch OWNED`',
  "c1 '; touch OWNED; '",
  'd1 "; touch OWNED; "',
  'e1 && touch OWNED #',
  'f1!x !! !touch',
  'g1\\x \\$(touch OWNED) \\',
  'h1*[x]?{a,b}~ ^x',
  'i1 $HOME $PATH %TEMP%',
  "j1 '$(touch OWNED)' \"$(touch OWNED)\" it's",
  'k1|touch OWNED>OWNED',
  'l1 größe 東京 \u00a0x',
  'm1;touch OWNED',
  'n1=$(touch OWNED):@x,$(touch OWNED)',
];
const notOffered = ['y1\ntouch OWNED', 'z1\x1b[2J', '--yes'];

for (const shell of shells) {
  const isMissing = spawnSync(shell.program, ['--version']).error !== undefined;
  test.skipIf(isMissing)(
    `${shell.program} completes names as they are, whatever they hold, without quotes and within them`,
    async () => {
      const [path, text, whenInstalled = ''] = shell.settings;
      const files = Object.fromEntries([shell.script, [path, `${text}\n${whenInstalled}\n`]]);
      const cases = hostileNames.flatMap((name) =>
        ['', '"', "'"].map((quote) => ({
          name,
          keys: `svcctl datasources get ${quote}${name.slice(0, 2)}\t`,
        })),
      );
      const session = await sessionIn(shell, files, [...hostileNames, ...notOffered]);
      for (const { name, keys } of cases)
        expect({ keys, ran: await session.ran(keys) }).toEqual({
          keys,
          ran: ['datasources', 'get', name],
        });
      expect(await session.ran('svcctl datasources get y1\t')).toEqual([
        'datasources',
        'get',
        'y1',
      ]);
      expect(session.isOwned()).toBe(false);
    },
    200_000,
  );

  test.skipIf(isMissing).each([`'; touch OWNED; !'`, `"; touch OWNED; !"`])(
    `${shell.program} completes %s, of which nothing is typed`,
    async (name) => {
      const [path, text, whenInstalled = ''] = shell.settings;
      const session = await sessionIn(
        shell,
        Object.fromEntries([shell.script, [path, `${text}\n${whenInstalled}\n`]]),
        [name],
      );
      for (const quote of ['', '"', "'"])
        expect({ quote, ran: await session.ran(`svcctl datasources get ${quote}\t`) }).toEqual({
          quote,
          ran: ['datasources', 'get', name],
        });
      expect(session.isOwned()).toBe(false);
    },
    100_000,
  );
}

const noPowerShell = spawnSync('pwsh', ['--version']).error !== undefined;
if (noPowerShell) console.warn('SKIPPED: pwsh is not installed, its completion is not tested');

test.skipIf(noPowerShell)('23: PowerShell completes a choice after an equals sign', () => {
  const line = 'svcctl tasks list --state=ru';
  const script = `${completionScripts.powershell}\n(TabExpansion2 '${line}' -cursorColumn ${line.length}).CompletionMatches.CompletionText`;
  const home = mkdtempSync(join(tmpdir(), 'svcctl-shell-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  put(home, 'bin/svcctl', recorder(home), 0o755);
  const env = { ...process.env, PATH: `${join(home, 'bin')}:${process.env.PATH}`, HOME: home };
  const { stdout } = spawnSync('pwsh', ['-NoProfile', '-NonInteractive', '-Command', script], {
    env,
    encoding: 'utf8',
  });
  expect(stdout.trim()).toBe('--state=running');
});

/** A shell that knows these names, for lines that are typed one after the other. */
async function sessionIn(
  { program, args }: Shell,
  files: Readonly<Record<string, string>>,
  names: readonly string[],
) {
  const service = await standIn((response) => response.end(JSON.stringify(names)));
  const home = mkdtempSync(join(tmpdir(), 'svcctl-shell-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const ran = join(home, 'ran');
  if (program === 'fish')
    mkdirSync(join(home, '.local/share/fish/generated_completions'), { recursive: true });
  put(home, 'bin/svcctl', recorder(home), 0o755);
  for (const [path, text] of Object.entries(files)) put(home, path, text);
  const env = {
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
    HOME: home,
    LANG: 'C.UTF-8',
    SVCCTL_URL: service.url,
  };
  await knownNames(env, names[0]);
  const terminal = spawn(program, [...args], {
    cwd: home,
    env,
    cols: 200,
    rows: 40,
    name: 'xterm',
  });
  onTestFinished(() => terminal.kill('SIGKILL'));
  let screen = '';
  terminal.onData((data) => {
    screen += data;
  });
  await until(() => screen.includes('ready> '));
  const asked = join(home, 'asked');
  // A shell says nothing when it is done with the Tab key: it has asked for candidates then, and
  // the screen no longer changes.
  const completed = async () => {
    await until(() => existsSync(asked));
    let before = -1;
    for (const end = Date.now() + 10_000; Date.now() < end && screen.length !== before; ) {
      before = screen.length;
      await sleep(150);
    }
  };
  return {
    async shows(keys: string): Promise<string> {
      screen = '';
      rmSync(asked, { force: true });
      terminal.write(keys);
      await completed();
      return screen;
    },
    async ran(keys: string): Promise<readonly string[]> {
      screen = '';
      rmSync(ran, { force: true });
      rmSync(asked, { force: true });
      terminal.write(keys);
      await completed();
      terminal.write('\r');
      await until(() => read(ran).endsWith('end\n')).catch(() =>
        expect.fail(`nothing was run by ${keys}; on the screen: ${JSON.stringify(screen)}`),
      );
      await until(() => screen.includes('ready> '));
      return read(ran).trimEnd().split('\n').slice(0, -1);
    },
    isOwned: () => existsSync(join(home, 'OWNED')),
  };
}

/**
 * Types the keys, the last ones with Enter, and returns the arguments of the svcctl that was run
 * then.
 */
async function ranIn(
  { program, args }: Shell,
  files: Readonly<Record<string, string>>,
  typed: readonly string[],
): Promise<readonly string[]> {
  const service = await standIn((response) => response.end('["wiki:pages","my pages"]'));
  const home = mkdtempSync(join(tmpdir(), 'svcctl-shell-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const ran = join(home, 'ran');
  // Without this folder, fish reads all manual pages of the machine in the background, and goes on
  // when the test is over.
  if (program === 'fish')
    mkdirSync(join(home, '.local/share/fish/generated_completions'), { recursive: true });
  put(home, 'query.sql', 'SELECT 1');
  put(home, 'bin/svcctl', recorder(home), 0o755);
  for (const [path, text] of Object.entries(files)) put(home, path, text);
  const env = {
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
    HOME: home,
    LANG: 'C.UTF-8',
    SVCCTL_URL: service.url,
  };
  if (typed.some((keys) => keys.includes('datasources get'))) await knownNames(env);
  const terminal = spawn(program, [...args], {
    cwd: home,
    env,
    cols: 200,
    rows: 40,
    name: 'xterm',
  });
  onTestFinished(() => terminal.kill('SIGKILL'));
  let screen = '';
  terminal.onData((data) => {
    screen += data;
  });
  for (const keys of typed) {
    await until(() => screen.includes('ready> '));
    screen = '';
    terminal.write(keys);
  }
  terminal.write('\r');
  await until(() => read(ran).endsWith('end\n')).catch(() =>
    expect.fail(`nothing was run; on the screen: ${JSON.stringify(screen)}`),
  );
  return read(ran).trimEnd().split('\n').slice(0, -1);
}

// Nobody waits longer than a second at the Tab key, and a busy machine may need more: the names are
// in the cache before it is pressed.
async function knownNames(env: NodeJS.ProcessEnv, name = 'my pages'): Promise<void> {
  const words = [resolve('bin/svcctl.cjs'), '__complete', '--', 'datasources', 'get', ''];
  await expect
    .poll(async () => (await promisify(execFile)(process.execPath, words, { env })).stdout)
    .toContain(name);
}

// Answers completion as svcctl does; anything else it only writes down.
const recorder = (home: string) => `#!/bin/sh
case "$1" in __complete | completion)
  '${process.execPath}' '${resolve('bin/svcctl.cjs')}' "$@"
  code=$?; echo "$1" >>'${join(home, 'asked')}'; exit $code ;;
esac
{ printf '%s\\n' "$@"; echo end; } >'${join(home, 'ran')}'
`;

function put(home: string, path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text, { mode });
}

const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; !holds(); await sleep(20))
    if (Date.now() > end) throw new Error('This did not happen in time');
}
