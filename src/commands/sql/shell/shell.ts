// Interactive shell: `svcctl sql` on a terminal without a statement. It prompts for statements
// until the user leaves, and continues after errors.
import { readFile } from 'node:fs/promises';
import type { Context } from '../../../cli/command/command.ts';
import type { Ask } from '../../../cli/input/prompt.ts';
import { painterOn } from '../../../cli/output/painter.ts';
import { reportError } from '../../../cli/output/report-error.ts';
import { UsageError } from '../../../cli/process/errors.ts';
import { control } from '../../../cli/terminal/terminal.ts';
import { sentencesOn } from '../../../cli/terminal/wrapped.ts';
import { Interrupted, ServiceError } from '../../../client/errors.ts';
import type { SqlRequest } from '../../../contract/sql.ts';
import { status } from '../../../contract/status.ts';
import { settingIn } from '../../shared/sql/statement-parts.ts';
import { catalogOf } from './catalog.ts';
import { completeCommand, runCommand, type Shell } from './commands.ts';
import { completeSql } from './complete.ts';
import { historyOf } from './history.ts';
import { type LineEditor, openLineEditor } from './line-editor.ts';
import { placeInQuery, sentenceOf } from './place-in-query.ts';
import { closing, outputOf, runQuery } from './run-query.ts';
import { scan, withVariables } from './scan.ts';
import { ShellSession } from './session.ts';

type Frame = Pick<
  Context,
  'ask' | 'io' | 'onInterrupt' | 'ownInterrupts' | 'out' | 'resolved' | 'signal'
>;

/** Throws only when the service is unreachable at the start, or refuses the user. */
export async function openShell(
  frame: Frame,
  given: Pick<SqlRequest, 'context' | 'parameters'>,
): Promise<void> {
  const { io, out, signal, ownInterrupts } = frame;
  let editor: LineEditor | undefined;
  const password: Ask['password'] = (...question) =>
    editor?.away(() => frame.ask.password(...question)) ?? frame.ask.password(...question);
  const session = new ShellSession({ ...frame, ask: { ...frame.ask, password } }, given);
  const catalog = catalogOf(session.ask);
  const say = (text: string) => void io.stderr.write(text);
  const painter = await painterOn(io.stderr, frame.resolved, io.env);
  await greet();
  out.note('\\? lists the commands, \\q leaves');

  let history = historyOf(session.name, io.env, out.warn);
  let isLeaving = false;
  let typed: string[] = []; // the lines of the statement, for the history
  const openFiles: { readonly name: string; at: number }[] = []; // `at`: the current step
  let failedAt = ''; // the place in a file
  const typing = openLineEditor(io, {
    async complete(before, behind) {
      const names = await catalog.names();
      const command = session.buffer === '' ? /^\s*(\\.*)$/s.exec(before)?.[1] : undefined;
      return command === undefined
        ? completeSql(`${session.buffer}\n${before}`, behind, names)
        : completeCommand(command, { names, io, session });
    },
  });
  editor = typing;
  typing.remember(history.entries);
  ownInterrupts(() => session.interrupt());
  frame.onInterrupt(async () => session.onInterrupt?.());
  signal.addEventListener('abort', () => typing.close());

  const shell: Shell = {
    session,
    io,
    say,
    run: (typed, how) => {
      session.last = typed;
      session.buffer = '';
      const query = withVariables(typed, session.context);
      return runQuery(session, query, io, how).catch((error: unknown) => {
        throw error instanceof ServiceError ? new Refused(error, query) : error;
      });
    },
    show: (print) => {
      const shown = outputOf(session, io, session.format);
      return closing(shown, () => print(shown)).then(() => {});
    },
    runFile,
    forgetNames: catalog.forget,
    greet,
    leave() {
      isLeaving = true;
    },
  };

  async function greet() {
    const { url, service } = session.resolved.settings;
    const answer = await session.call(status.get).catch((error: unknown) => {
      // Reading the version may be forbidden
      if (error instanceof ServiceError && error.status === 403) return;
      throw error;
    });
    const { host } = new URL(url);
    out.note(
      `Connected to [${host}], service [${service}]${answer ? `, version ${answer.version}` : ''}`,
    );
  }

  // The whole input is parsed again with each line, because a text may have begun earlier.
  async function take(line: string) {
    if (session.buffer === '' && /^\s*(exit|quit|help)\s*;?\s*$/i.test(line))
      return runCommand(shell, /help/i.test(line) ? '\\?' : '\\q');
    const { steps, rest } = scan(session.buffer === '' ? line : `${session.buffer}\n${line}`);
    const file = openFiles.at(-1);
    for (const step of steps) {
      session.buffer = '';
      if (file) file.at = step.at;
      if (step.kind === 'statement') await runStatement(step.text);
      else {
        session.buffer = step.before;
        await runCommand(shell, step.text);
        await runEdited(step.text);
      }
      if (isLeaving) return;
    }
    if (rest !== '' || steps.length === 0) session.buffer = rest;
  }

  // A complete statement from the editor runs at once.
  async function runEdited(command: string) {
    if (!/^\\e\b/.test(command)) return;
    const { steps, rest } = scan(session.buffer);
    session.buffer = rest;
    for (const step of steps) if (step.kind === 'statement') await runStatement(step.text);
    session.buffer = rest;
  }

  async function runStatement(text: string) {
    const setting = settingIn(text);
    if (setting) session.context.set(...setting);
    else await shell.run(text);
  }

  // A file stops at the first error, like a script.
  async function runFile(file: string) {
    if (openFiles.some(({ name }) => name === file))
      throw new UsageError(`File [${file}] runs already, and it names itself`);
    const text = await readFile(file, 'utf8').catch((error: Error) => {
      throw new UsageError(`File [${file}] cannot be read: ${error.message}`);
    });
    const open = { name: file, at: 0 };
    openFiles.push(open);
    session.buffer = '';
    try {
      await take(text);
      open.at = text.lastIndexOf(session.buffer);
      if (session.buffer !== '') await runStatement(session.buffer);
    } catch (error) {
      failedAt ||= `, at line [${text.slice(0, open.at).split('\n').length}] of file [${file}]`;
      throw error;
    } finally {
      openFiles.pop();
      session.buffer = '';
    }
  }

  function complain(error: unknown) {
    session.onInterrupt = undefined;
    const inFile = failedAt;
    failedAt = '';
    if (error instanceof Interrupted) return say(`${control('\r')}The query is cancelled.\n`); // over the ^C of the terminal
    const { settings } = session.resolved;
    const place =
      error instanceof Refused
        ? placeInQuery(error.query, error.said, io.stdout.columns || 80)
        : '';
    const said = error instanceof Refused ? error.said : error;
    if (place !== '' && error instanceof Refused)
      return say(
        sentencesOn({}, [`error: ${sentenceOf(error.said.message)}${inFile}`], painter.label) +
          place,
      );
    if (said instanceof Error) said.message += inFile;
    const isIngestion = error instanceof Refused && /^\s*(INSERT|REPLACE)\b/i.test(error.query);
    reportError(
      said,
      isIngestion ? { failed: 'svcctl ingest sql runs INSERT and REPLACE' } : {},
      io,
      { ...settings, painter },
    );
  }

  let name = session.name;
  while (!isLeaving && !signal.aborted) {
    const answer = await typing.line(promptOf(session));
    if (answer.kind === 'end') {
      say('\n');
      break;
    }
    if (answer.kind === 'cleared') {
      session.buffer = '';
      typed = [];
      continue;
    }
    typed.push(answer.text);
    await take(answer.text).catch(complain);
    if (session.buffer === '') {
      history.add(typed.join('\n').trim());
      typed = [];
    }
    if (name !== session.name) {
      name = session.name;
      history = historyOf(name, io.env, out.warn);
    }
    typing.remember(history.entries);
  }
  typing.close();
}

/** The service refused a statement; the error shows the position in it. */
class Refused extends Error {
  readonly said: ServiceError;
  readonly query: string;

  constructor(said: ServiceError, query: string) {
    super(said.message);
    this.said = said;
    this.query = query;
  }
}

// The prompt shows the open construct: a text, a name, a comment, a parenthesis.
function promptOf({ name, buffer }: ShellSession): string {
  if (buffer === '') return `${name}> `;
  const { inside } = scan(buffer);
  return `${' '.repeat(Math.max(0, name.length - 1))}${inside === '' || inside === '-' ? '-' : inside}> `;
}
