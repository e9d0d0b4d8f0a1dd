// Help on a screen of 24 lines, and its cost: files that are loaded for it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { pageOf } from '../../../src/cli/command/tree.ts';
import { helpOf, wholeHelpOf } from '../../../src/cli/help/help.ts';
import { commands } from '../../../src/commands/index.ts';
import { lines, runCli } from '../../support/cli.ts';
import { everyCommand } from '../../support/every-command.ts';

const screen = { width: 80, height: 23 };
const nowhere = { url: 'http://127.0.0.1:1' };
const all = await everyCommand();

test('help fits a screen of 80 columns and 24 lines', () => {
  const long = all.flatMap(({ words, command }) => {
    const page = helpOf(pageOf(words.split(' '), command), screen);
    const count = lines(page).length;
    expect({
      words,
      wide: lines(page).filter((line) => line.length > 80 && !isLine(line)),
    }).toEqual({
      words,
      wide: [],
    });
    return count > screen.height ? [words] : [];
  });
  expect(long).toEqual([]);
});

// A line with a command or an address is not broken, so that it can be copied.
const isLine = (line: string) => /svcctl|https:/.test(line);

test('a page names what it omits, and --all shows it', () => {
  const preview = all.find(({ words }) => words === 'servers list') ?? expect.fail();
  const page = pageOf(['servers', 'list'], preview.command);
  expect(helpOf(page, screen)).toContain('"svcctl servers list --help --all" adds');
  expect(helpOf(page, screen)).not.toContain('--output');
  expect(wholeHelpOf(page, 80)).toContain('Connection flags:');
  expect(helpOf(page, { width: 80, height: 200 })).toContain(
    '"svcctl servers list --help --all" adds shared flags.',
  );
});

test('flags without room have names on the page, and explanations in --all', () => {
  const { command } = all.find(({ words }) => words === 'ingest files') ?? expect.fail();
  const page = pageOf(['ingest', 'files'], command);
  const text = helpOf(page, screen);
  const whole = wholeHelpOf(page, 80);
  expect(text).toContain('"svcctl ingest files --help --all" explains all flags.');
  for (const { term } of page.options) {
    const [name = ''] = /--[\w-]+/.exec(term) ?? [];
    expect([name, text.includes(name), whole.includes(term)]).toEqual([name, true, true]);
  }
});

test('the first page names every command on one screen', async () => {
  const { stdout } = await runCli(nowhere, '--help');
  expect(lines(stdout).length).toBeLessThanOrEqual(24);
  for (const noun of Object.keys(commands)) expect(stdout).toMatch(new RegExp(`[ ,]${noun}\\b`));
  expect((await runCli(nowhere, '--help --all')).stdout).toContain('Output flags:');
});

test('help behind flags is the same page, and --all before --help belongs to the command', async () => {
  const short = (await runCli(nowhere, 'tasks list --help')).stdout;
  expect((await runCli(nowhere, 'tasks list --state running --help')).stdout).toBe(short);
  expect((await runCli(nowhere, '-o json tasks list -h')).stdout).toBe(short);
  const marks = (await runCli(nowhere, 'segments mark-used --help')).stdout;
  expect((await runCli(nowhere, 'segments mark-used --all --help')).stdout).toBe(marks);
});

test('svcctl help flags explains each shared flag', async () => {
  const { stdout } = await runCli(nowhere, 'help flags');
  for (const said of ['-o, --output', '--dry-run', '(changes)', '--password-file', 'default 300'])
    expect(stdout).toContain(said);
});

// Each further file costs start-up time, and the declarations of a noun import much of the program.
test('no --help and no completion of a flag loads more than the first file and the pages of its noun', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-loaded-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const recorder = join(folder, 'record.cjs');
  const list = join(folder, 'loaded');
  writeFileSync(
    recorder,
    `const { Module } = require('node:module'); const { appendFileSync } = require('node:fs');
    const compile = Module.prototype._compile;
    Module.prototype._compile = function (text, file) {
      appendFileSync(${JSON.stringify(list)}, file.replace(/.*\\/(bin|dist)\\//, '').replace(/-[\\w-]{8}\\.cjs$/, '') + '\\n');
      return compile.call(this, text, file);
    };`,
  );
  const nouns = [...Object.keys(commands), 'tasks list', 'ingest files', 'rules preview', ''];
  for (const line of [
    ...nouns.map((words) => [...words.split(' ').filter(Boolean), '--help']),
    ['__complete', '--describe', '--', 'rules', 'preview', '--'],
    ['__complete', '--', 'tasks', 'list', '--state', ''],
  ]) {
    writeFileSync(list, '');
    execFileSync(process.execPath, ['-r', recorder, 'bin/svcctl.cjs', ...line]);
    expect({ line, loaded: lines(readFileSync(list, 'utf8')).toSorted() }).toEqual({
      line,
      loaded: ['chunks/rolldown-runtime', 'main.cjs', 'svcctl.cjs'],
    });
  }
});
