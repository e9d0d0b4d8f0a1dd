// Commands of the shell: syntax, action and completion. Help is generated from this table.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { profileNames } from '../../../cli/completion/live-names.ts';
import { editText } from '../../../cli/input/editor.ts';
import type { Output } from '../../../cli/output/output.ts';
import { CommandError, UsageError } from '../../../cli/process/errors.ts';
import { formatNames } from '../../../cli/process/flags.ts';
import type { Io } from '../../../cli/process/io.ts';
import { padEnd } from '../../../cli/terminal/width.ts';
import { formatJson } from '../../../model/json.ts';
import { longestTimerMs } from '../../../model/longest-timer.ts';
import { nearest } from '../../../model/nearest.ts';
import { visibleText } from '../../../model/visible-text.ts';
import { type Drawing, drawings } from '../../shared/sql/draw-result.ts';
import { contextValueOf, parameterOf } from '../../shared/sql/query-options.ts';
import type { Names } from './catalog.ts';
import { completeFile, completeSetting, completeTable, startsWith } from './complete.ts';
import { describeFunctions, describeTable, describeTables } from './describe.ts';
import type { Completion } from './line-editor.ts';
import type { ShellSession } from './session.ts';

/** The shell's functions for commands. */
export interface Shell {
  readonly session: ShellSession;
  readonly io: Io;
  readonly say: (text: string) => void;
  /** Runs a statement and prints its answer. */
  readonly run: (
    query: string,
    how?: { file?: string; pages?: boolean; chart?: Drawing },
  ) => Promise<void>;
  /** Prints a list. */
  readonly show: (print: (out: Output) => Promise<void>) => Promise<void>;
  readonly runFile: (file: string) => Promise<void>;
  /** Clears cached names: tables or the service may have changed. */
  readonly forgetNames: () => void;
  readonly greet: () => Promise<void>;
  readonly leave: () => void;
}

interface ShellCommand {
  readonly takes?: string;
  readonly summary: string;
  readonly complete?: (
    word: string,
    about: { names: Names; io: Io; session: ShellSession },
  ) => Completion;
  run(shell: Shell, given: string): Promise<void> | void;
}

const commands: Readonly<Record<string, ShellCommand>> = {
  '?': { summary: 'show this help (also \\h)', run: ({ say }) => say(help()) },
  q: { summary: 'quit (also Ctrl-D)', run: ({ leave }) => leave() },
  c: {
    takes: '[PROFILE]',
    summary: 'switch to another profile, or show the current one (also \\conninfo)',
    complete: (word, { io }) => completionOf(profileNames(io), word),
    async run({ session, greet, forgetNames }, name) {
      if (name === '') return greet();
      const goBack = session.use(name);
      forgetNames();
      await greet().catch((error: unknown) => {
        goBack(); // do not stay with an unreachable profile
        throw error;
      });
    },
  },
  d: {
    takes: '[TABLE]',
    summary: 'list all tables, or the columns of one',
    complete: (word, { names }) => completeTable(word, names),
    run: ({ session, show, forgetNames }, table) => {
      forgetNames();
      return show((out) =>
        table === ''
          ? describeTables(session.ask, out, undefined, true)
          : describeTable(session.ask, out, table),
      );
    },
  },
  dt: {
    takes: '[PATTERN]',
    summary: 'list datasources; a pattern may hold * and ?',
    complete: (word, { names }) => completeTable(word, names),
    run: ({ session, show, forgetNames }, pattern) => {
      forgetNames();
      return show((out) => describeTables(session.ask, out, pattern || undefined, false));
    },
  },
  df: {
    takes: '[PATTERN]',
    summary: 'list functions with their arguments',
    complete: (word, { names }) => completionOf(names.functions, word),
    run: ({ session, show }, pattern) =>
      show((out) => describeFunctions(session.ask, out, pattern || undefined)),
  },
  g: {
    takes: '[FILE]',
    summary:
      'run the statement, or the last one again; into a file (.csv .json .jsonl .yaml, else tab-separated)',
    complete: completeFile,
    run: ({ session, io, run }, file) =>
      run(current(session), file === '' ? {} : { file: fileNamed(file, io) }),
  },
  chart: {
    takes: '[KIND] [FILE]',
    summary: `draw the statement, or the last one again: ${drawings.join(', ')}; into a file (.svg is a document)`,
    complete: (word) => completionOf(drawings, word),
    async run({ session, io, run }, given) {
      const [, kind = '', file = ''] = /^(\S*)\s*(.*)$/s.exec(given) ?? [];
      const chart = drawings.find((known) => known === kind);
      const isFile = kind !== '' && !chart;
      if (isFile && (file !== '' || !/[./]/.test(kind)))
        throw new UsageError(
          `Chart [${kind}] does not exist: there are ${drawings.join(', ')}`,
          'an example: \\chart bar',
        );
      const name = isFile ? kind : file;
      await run(current(session), {
        chart: chart ?? (/\.svg$/i.test(name) ? 'svg' : 'auto'),
        ...(name !== '' && { file: fileNamed(name, io) }),
      });
    },
  },
  watch: {
    takes: '[SECONDS]',
    summary: 'repeat the statement every N seconds (default 2) until Ctrl-C',
    async run(shell, given) {
      const seconds = given === '' ? 2 : Number(given);
      if (!(seconds >= 0.1 && seconds <= 86_400))
        throw new UsageError(
          `Value [${given}] of \\watch is not a number of seconds from 0.1 to 86400`,
        );
      await watch(shell, current(shell.session), seconds);
    },
  },
  e: {
    summary: 'edit the statement, or the last one, in $VISUAL or $EDITOR; one that ends in ; runs',
    async run({ session, io, say }) {
      const before = session.buffer || session.last;
      session.buffer = (await editText(before === '' ? '' : `${before}\n`, 'query.sql', io)).trim();
      if (session.buffer !== '') say(`${session.buffer}\n`);
    },
  },
  i: {
    takes: 'FILE',
    summary: 'run the statements and commands of a file',
    complete: completeFile,
    run: ({ io, runFile }, file) => runFile(requireArgument(fileNamed(file, io), '\\i FILE')),
  },
  '!': {
    takes: 'COMMAND',
    summary: 'run a command of the operating system',
    run: ({ io }, given) => runSystemCommand(requireArgument(given, '\\! COMMAND'), io),
  },
  echo: {
    takes: 'TEXT',
    summary: 'print a text, such as a heading in a file of statements',
    run: ({ io }, text) => void io.stdout.write(`${visibleText(unquote(text))}\n`),
  },
  p: {
    summary: 'print the statement, or the last one',
    run: ({ session, say }) => say(`${current(session)}\n`),
  },
  r: {
    summary: 'clear the statement being typed',
    run({ session, say }) {
      session.buffer = '';
      say('The statement is cleared.\n');
    },
  },
  set: {
    takes: '[NAME VALUE]',
    summary: `set a context parameter, or list them (SET NAME = VALUE; does the same); :NAME, :'NAME' and :"NAME" in a statement stand for its value`,
    complete: (word) => completeSetting(word, /^([\w.]*)$/, /^([\w.]+)\s+(\S*)$/) ?? [[], word],
    run({ session, say }, given) {
      const [, name = '', value = ''] = /^([\w.]+)(?:[\s=]+(.*))?$/s.exec(given) ?? [];
      if (given === '')
        return say(
          [...session.context].map(([key, set]) => `${key} = ${formatJson(set)}\n`).join('') ||
            'No context parameters are set.\n',
        );
      if (name === '' || value === '')
        throw new UsageError(
          '\\set takes a name and a value',
          'an example: \\set sqlTimeZone Europe/Paris',
        );
      session.context.set(name, contextValueOf(unquote(value)));
    },
  },
  unset: {
    takes: 'NAME',
    summary: 'reset a context parameter to its default',
    complete: (word, { session }) => completionOf([...session.context.keys()], word),
    run({ session }, name) {
      if (!session.context.delete(requireArgument(name, '\\unset NAME')))
        throw new UsageError(
          `Context parameter [${name}] is not set`,
          '\\set lists those that are',
        );
    },
  },
  bind: {
    takes: '[TYPE:VALUE ...]',
    summary: 'set values for ? in later statements; without values, clear them',
    run({ session, say }, given) {
      session.parameters = wordsOf(given).map(parameterOf);
      const { length } = session.parameters;
      say(
        length === 0
          ? 'No parameters are bound.\n'
          : `${length} ${length === 1 ? 'parameter is' : 'parameters are'} bound.\n`,
      );
    },
  },
  o: {
    takes: '[FORMAT]',
    summary: `how to print answers: ${formatNames.filter((name) => name !== 'none').join(', ')}; none given: a table`,
    complete: (word) => completionOf(formatNames, word),
    run({ session, say }, name) {
      const format = formatNames.find((known) => known === name);
      if (name !== '' && !format)
        throw new UsageError(
          `Format [${name}] does not exist: there are ${formatNames.join(', ')}`,
          '\\g FILE writes an answer to a file',
        );
      session.format = format;
      say(`Answers are printed as ${format ?? 'table'}.\n`);
    },
  },
  x: {
    takes: '[on|off]',
    summary: 'toggle expanded output',
    complete: (word) => completionOf(['on', 'off'], word),
    run({ session, say }, given) {
      session.isExpanded = switchOn(session.isExpanded, given);
      say(`Expanded display is ${session.isExpanded ? 'on' : 'off'}.\n`);
    },
  },
  timing: {
    takes: '[on|off]',
    summary: 'toggle timing of statements',
    complete: (word) => completionOf(['on', 'off'], word),
    run({ session, say }, given) {
      session.isTimed = switchOn(session.isTimed, given);
      say(`Timing is ${session.isTimed ? 'on' : 'off'}.\n`);
    },
  },
};

/** Runs a command as typed, backslash included. Throws UsageError for an unknown command. */
export async function runCommand(shell: Shell, typed: string): Promise<void> {
  const [, name = '', rest = ''] = /^\\(\w+\+?|[^\w\s]?)\s*(.*)$/s.exec(typed) ?? [];
  const given = rest.replace(/[\s;]+$/, '');
  const command = commandNamed(name);
  if (!command) throw new UsageError(`Command [\\${name}] does not exist`, hintFor(name));
  if (given !== '' && command.takes === undefined && command !== commands['?'])
    throw new UsageError(
      `Command [\\${name}] takes no argument, but got [${given}]`,
      '\\? lists the commands',
    );
  await command.run(shell, given);
}

/** Completes a line that begins with a backslash. */
export function completeCommand(
  line: string,
  about: { names: Names; io: Io; session: ShellSession },
): Completion {
  const [, name = '', blank = '', given = ''] = /^\\(\?|\w*)(\s*)(.*)$/s.exec(line) ?? [];
  if (blank === '')
    return [
      Object.keys(commands)
        .map((known) => `\\${known}`)
        .filter((known) => startsWith(known, line)),
      line,
    ];
  return commandNamed(name)?.complete?.(given, about) ?? [[], given];
}

// In psql, a plus shows more: the lists here show everything.
function commandNamed(name: string): ShellCommand | undefined {
  const own = otherNames[name] ?? name.replace(/\+$/, '');
  return Object.hasOwn(commands, own) ? commands[own] : undefined;
}

const otherNames: Readonly<Record<string, string>> = { h: '?', conninfo: 'c' };

/** Commands of psql that do not exist here, and how to do the same. */
const instead: Readonly<Record<string, string>> = {
  copy: '\\g FILE writes an answer, svcctl ingest files FILE --into NAME reads a file',
  dn: '\\d lists the tables of all schemas',
  du: 'svcctl users list',
  l: '\\c PROFILE switches to another service; svcctl profiles list shows all',
  pset: '\\x, \\o and \\timing change how answers are printed',
  s: 'Ctrl-R searches the history, the up arrow goes back in it',
};

function hintFor(name: string): string {
  const way = Object.hasOwn(instead, name) ? instead[name] : undefined;
  if (way !== undefined) return way;
  // Too many names are near a single letter
  const near = name.length > 1 ? nearest(name, Object.keys(commands)) : undefined;
  return near === undefined ? '\\? lists the commands' : `did you mean \\${near}?`;
}

function help(): string {
  const rows = Object.entries(commands).map(
    ([name, { takes, summary }]) => [`\\${name}${takes ? ` ${takes}` : ''}`, summary] as const,
  );
  const width = Math.max(...rows.map(([usage]) => usage.length)) + 2;
  const room = 78 - width;
  const said = rows.map(([usage, summary]) =>
    fold(summary, room)
      .map((line, at) => `  ${padEnd(at === 0 ? usage : '', width)}${line}\n`)
      .join(''),
  );
  return `A statement ends with ; and may take many lines. Tab completes, the up arrow\nfinds earlier ones, Ctrl-C cancels what runs or clears what is typed.\n\n${said.join('')}`;
}

function fold(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

// The command owns the terminal until it ends.
async function runSystemCommand(command: string, { env }: Io): Promise<void> {
  const ignore = () => {}; // Ctrl-C belongs to the command
  process.on('SIGINT', ignore);
  try {
    const [code] = await once(spawn(command, { shell: true, stdio: 'inherit', env }), 'close');
    if (code !== 0)
      throw new CommandError('failed', `Command [${command}] failed with exit code [${code}]`);
  } finally {
    process.off('SIGINT', ignore);
  }
}

async function watch({ session, run, say }: Shell, query: string, seconds: number) {
  let isOver = false;
  while (!isOver) {
    say(`${new Date().toISOString()} (every ${seconds} s, Ctrl-C ends)\n`);
    await run(query, { pages: false });
    const waiting = new AbortController();
    session.onInterrupt = () => {
      isOver = true;
      waiting.abort();
    };
    await sleep(Math.min(seconds * 1000, longestTimerMs), undefined, {
      signal: waiting.signal,
    }).catch(() => {});
    session.onInterrupt = undefined;
  }
}

function current({ buffer, last }: ShellSession): string {
  const query = buffer || last;
  if (query === '')
    throw new CommandError('usage', 'No statement was typed yet', 'type one that ends with ;');
  return query;
}

function requireArgument(given: string, usage: string): string {
  if (given === '') throw new UsageError(`It takes an argument: ${usage}`);
  return given;
}

const completionOf = (names: readonly string[], word: string): Completion => [
  names.filter((name) => startsWith(name, word)),
  word,
];

// Without an argument, the setting is toggled.
function switchOn(isOn: boolean, given: string): boolean {
  if (given === '') return !isOn;
  if (given !== 'on' && given !== 'off')
    throw new UsageError(`Value [${given}] is neither on nor off`);
  return given === 'on';
}

// As in a shell: optional quotes of either kind, and ~ for the home folder.
const fileNamed = (given: string, { env }: Io) => {
  const [, , bare] = /^(['"])(.*)\1$/s.exec(given) ?? [];
  return bare ?? (env.HOME === undefined ? given : given.replace(/^~(?=\/)/, env.HOME));
};

const unquote = (given: string) => given.replace(/^'(.*)'$/s, '$1');

// 'VARCHAR:two words' BIGINT:3
const wordsOf = (given: string) =>
  [...given.matchAll(/'((?:[^']|'')*)'|\S+/g)].map(
    ([word, quoted]) => quoted?.replaceAll("''", "'") ?? word,
  );
