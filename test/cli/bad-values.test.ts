// Every flag of every command with a value that cannot be, and every argument left out: said
// clearly, and nothing is sent. In one process, because there are a thousand of them; the built
// program meets its share in commands.test.ts.
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Command } from '../../src/cli/command/command.ts';
import { takes } from '../../src/cli/command/tree.ts';
import {
  type Flag,
  type FlagName,
  flagEntries,
  flagOf,
  kebab,
} from '../../src/cli/process/flags.ts';
import type { Io } from '../../src/cli/process/io.ts';
import { runProgram } from '../../src/cli/program.ts';
import { commands } from '../../src/commands/index.ts';
import {
  choicesOf,
  descriptionOf,
  isFlag,
  isNumber,
  isOptional,
  itemOf,
  meansOf,
  type Schema,
} from '../../src/contract/schema.ts';
import { everyCommand } from '../support/every-command.ts';
import { standIn } from '../support/stand-in.ts';
import { temporaryFolder } from '../support/storage.ts';

const all = await everyCommand();

test('12: every flag that is a choice, a number, an interval, a period or a time is refused when it is none', async () => {
  const rows = all.flatMap(({ words, command }) =>
    Object.entries(command.options ?? {}).flatMap(([name, schema]) => {
      const bad = wrongValue(name, schema);
      return bad === undefined
        ? []
        : [
            {
              words,
              flag: flagOf(name),
              bad,
              argv: [...words.split(' '), ...filled(command, name), `${flagOf(name)}=${bad}`],
            },
          ];
    }),
  );
  const { run, requests } = await program();
  const wrong = [];
  for (const { words, flag, bad, argv } of rows) {
    const { code, stderr, stdout } = await run(argv);
    const isClear =
      code === 2 && stdout === '' && stderr.includes(bad) && stderr.startsWith('error: ');
    if (!isClear || requests.length > 0)
      wrong.push({
        words,
        flag,
        code,
        stderr,
        stdout,
        sent: requests.splice(0).map(({ path }) => path),
      });
  }
  expect(wrong).toEqual([]);
  expect(rows.length).toBeGreaterThan(80);
});

test('12: every argument and every flag that must be given is missed by its name', async () => {
  const rows = all.flatMap(({ words, command }) => {
    const needed = Object.entries(command.arguments ?? {}).filter(
      ([, schema]) => !isOptional(schema),
    );
    const flags = Object.entries(command.options ?? {}).filter(([, schema]) => !isOptional(schema));
    return [
      ...needed.map(([name], at) => ({
        words,
        missed: `'${kebab(name)}'`,
        argv: [...words.split(' '), ...filled(command).slice(0, at)],
      })),
      ...flags.map(([name]) => ({
        words,
        missed: flagOf(name),
        argv: [...words.split(' '), ...filled(command, name)],
      })),
    ];
  });
  const { run, requests } = await program();
  const wrong = [];
  for (const { words, missed, argv } of rows) {
    const { code, stderr, stdout } = await run(argv);
    if (
      code !== 2 ||
      !stderr.startsWith('error: ') ||
      !stderr.includes(missed) ||
      stdout !== '' ||
      requests.length > 0
    )
      wrong.push({
        words,
        missed,
        code,
        stderr,
        stdout,
        sent: requests.splice(0).map(({ path }) => path),
      });
  }
  expect(wrong).toEqual([]);
  expect(rows.length).toBeGreaterThan(80);
});

test('12: a file or a folder without a name, as of a variable that is not set, is refused: it would be the folder one is in', async () => {
  const { run, requests } = await program();
  const wanted = { folder: ['export', '--dir', ''], file: ['rules', 'set', 'days', '--file', ''] };
  for (const [what, argv] of Object.entries(wanted))
    expect(await run(argv)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`expected the name of a ${what}`),
    });
  expect(requests).toEqual([]);
});

type Values = readonly [usual: string, ...others: string[]];

// What a flag of all commands says of a value, by its kind or by what it alone means.
const wrongShared: { readonly [name in FlagName]?: Values } = {
  columns: ['nothing-of-it'],
  sort: ['nothing-of-it', ''],
  where: ['nothing-of-it ==', '(', 'x ~ "["'],
  query: ['[?', 'a..b'],
  profile: ['nobody', 'nobody,either', ''],
  service: [''],
  user: [''],
  watch: ['soon', '0', '-1'],
};
const wrongOfKind: { readonly [kind in Flag['kind']]: Values } = {
  text: ['nonsense'],
  url: ['nowhere', 'ftp://127.0.0.1', 'http://'],
  file: ['/nowhere/file.pem', ''],
  flag: ['perhaps'],
  number: ['few', '-1', '1.5', ''],
  seconds: ['soon', '-1', '', '5 parsecs', 'Infinity'],
};
const anyTextWillDo = ['passwordCommand', 'confirm'];

test('12: every flag that all commands share is refused with a value that cannot be, by all commands that take it', {
  timeout: 400_000,
}, async () => {
  const seen = new Set<FlagName>();
  const rows = all.flatMap(({ words, command }) =>
    flagEntries.flatMap(([name, flag]) => {
      if (!takes(name, command) || name in (command.options ?? {}) || anyTextWillDo.includes(name))
        return [];
      if (command.columns === 'dynamic' && (name === 'columns' || name === 'sort')) return []; // known with the answer
      const [usual, ...others] = wrongShared[name] ?? wrongOfKind[flag.kind];
      // All read a value in one place: the less usual ones are for one command
      const isFirst = !seen.has(name);
      seen.add(name);
      return [usual, ...(isFirst ? others : [])].map((bad) => ({
        words,
        flag: flagOf(name),
        bad,
        argv: [...words.split(' '), ...filled(command), `${flagOf(name)}=${bad}`],
      }));
    }),
  );
  const { run, requests } = await program();
  const wrong = [];
  for (const { words, flag, bad, argv } of rows) {
    const { code, stderr, stdout } = await run(argv);
    const isNamed = [`[${bad}]`, `[${bad.split(',')[0]}]`, `\n  ${bad}\n`, `${flag}=${bad}`].some(
      (named) => stderr.includes(named),
    ); // of --where the place is shown
    const isClear =
      code === 2 &&
      stdout === '' &&
      stderr.startsWith('error: ') &&
      stderr.includes(flag) &&
      isNamed;
    if (!isClear || requests.length > 0)
      wrong.push({
        words,
        flag,
        bad,
        code,
        stderr,
        stdout,
        sent: requests.splice(0).map(({ path }) => path),
      });
  }
  expect(wrong).toEqual([]);
  expect(rows.length).toBeGreaterThan(3000);
});

// Something that could be an argument, so that the flag is what is wrong.
const filled = (command: Command, without?: string): string[] => [
  ...Object.values(command.arguments ?? {})
    .filter((schema) => !isOptional(schema))
    .map(plausible),
  ...Object.entries(command.options ?? {})
    .filter(([name, schema]) => !isOptional(schema) && name !== without)
    .map(([name, schema]) => `${flagOf(name)}=${plausible(schema)}`),
];

const plausible = (schema: Schema) =>
  choicesOf(schema)?.[0] ??
  (isNumber(schema) ? '1' : meansOf(schema) === 'interval' ? '2024/2025' : 'trial');

function wrongValue(name: string, schema: Schema): string | undefined {
  if (isFlag(schema)) return;
  if (choicesOf(schema)) return 'nonsense';
  if (isNumber(itemOf(schema) ?? schema)) return 'few';
  if (/\bISO interval/.test(descriptionOf(schema)) || name === 'interval') return 'yesterday/..';
  if (/^(olderThan|period|at|skipOffset)$/.test(name)) return 'soonish';
  return;
}

async function program() {
  const service = await standIn((response) => response.end('[]'));
  const folder = await temporaryFolder();
  const env = {
    XDG_CONFIG_HOME: folder,
    XDG_STATE_HOME: folder,
    XDG_CACHE_HOME: folder,
    SVCCTL_URL: service.url,
    CI: 'true',
  };
  const run = async (argv: readonly string[]) => {
    const [stdin, stdout, stderr] = [new PassThrough().end(), new PassThrough(), new PassThrough()];
    const io = { argv: ['node', 'svcctl', ...argv], env, stdin, stdout, stderr } as unknown as Io;
    const code = await runProgram('0', commands, io);
    return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
  };
  return { run, requests: service.requests };
}
