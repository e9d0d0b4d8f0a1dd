// Interactive shell: `svcctl sql` on a terminal without a statement. It prompts for statements
// until the user leaves, and continues after errors.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../../cli/command/command.ts';
import type { Ask } from '../../../cli/input/prompt.ts';
import { painterOn } from '../../../cli/output/painter.ts';
import { reportError } from '../../../cli/output/report-error.ts';
import { UsageError } from '../../../cli/process/errors.ts';
import type { Io } from '../../../cli/process/io.ts';
import { control } from '../../../cli/terminal/terminal.ts';
import { Interrupted, ServiceError } from '../../../client/errors.ts';
import type { SqlRequest } from '../../../contract/sql.ts';
import { status } from '../../../contract/status.ts';
import { explainRefusal } from '../../shared/sql/explain-refusal.ts';
import { settingIn } from '../../shared/sql/statement-parts.ts';
import { catalogOf } from './catalog.ts';
import { completeCommand, runCommand, type Shell } from './commands.ts';
import { completeSql } from './complete.ts';
import { historyOf } from './history.ts';
import { type Completion, LineEditor } from './line-editor.ts';
import { closing, outputOf, runQuery } from './run-query.ts';
import { isForTask, runTask } from './run-task.ts';
import { scan, withVariables } from './scan.ts';
import { ShellSession } from './session.ts';

type Frame = Pick<
  Context,
  'ask' | 'io' | 'onInterrupt' | 'ownInterrupts' | 'out' | 'progress' | 'resolved' | 'signal'
>;

/** Throws only when the service is unreachable at the start, or refuses the user. */
export async function openShell(
  frame: Frame,
  given: Pick<SqlRequest, 'context' | 'parameters'>,
): Promise<void> {
  const painter = await painterOn(frame.io.stderr, frame.resolved, frame.io.env);
  const shell = new InteractiveShell(frame, given, painter);
  await shell.greet();
  frame.out.note('\\? lists the commands, \\q leaves');
  await shell.readAndRun();
}

class InteractiveShell implements Shell {
  readonly session: ShellSession;
  readonly io: Io;
  readonly #frame: Frame;
  readonly #painter: Awaited<ReturnType<typeof painterOn>>;
  readonly #catalog: ReturnType<typeof catalogOf>;
  #editor: LineEditor | undefined;
  #isLeaving = false;
  readonly #openFiles: { readonly name: string; at: number }[] = []; // `at`: the current step
  #failedAt = ''; // the place in a file

  constructor(
    frame: Frame,
    given: Pick<SqlRequest, 'context' | 'parameters'>,
    painter: Awaited<ReturnType<typeof painterOn>>,
  ) {
    const password: Ask['password'] = (...question) =>
      this.#editor?.ignoreKeysDuring(() => frame.ask.password(...question)) ??
      frame.ask.password(...question);
    this.session = new ShellSession({ ...frame, ask: { ...frame.ask, password } }, given);
    this.io = frame.io;
    this.#frame = frame;
    this.#painter = painter;
    this.#catalog = catalogOf(this.session.ask);
  }

  readonly say = (text: string) => void this.io.stderr.write(text);

  readonly forgetNames = () => this.#catalog.forget();

  readonly leave = () => {
    this.#isLeaving = true;
  };

  readonly greet = async () => {
    const { url } = this.session.resolved.settings;
    const answer = await this.session.call(status.get).catch((error: unknown) => {
      // Reading the version may be forbidden
      if (error instanceof ServiceError && error.status === 403) return;
      throw error;
    });
    const { host } = new URL(url);
    // A slow service must not delay the prompt.
    const service = await Promise.race([
      this.session.findName(),
      sleep(1000, this.session.resolved.settings.service, { ref: false }),
    ]);
    this.#frame.out.note(
      `Connected to [${host}], service [${service}]${answer ? `, version ${answer.version}` : ''}`,
    );
  };

  readonly run: Shell['run'] = async (statement, how) => {
    const { session } = this;
    session.last = statement;
    session.buffer = '';
    const query = withVariables(statement, session.context);
    try {
      if (!isForTask(query)) return await runQuery(session, query, this.io, how);
      await this.#runTask(query, how);
    } catch (error) {
      if (error instanceof ServiceError) await this.#explain(error, query);
      throw error;
    }
  };

  readonly #explain = (error: ServiceError, query: string) =>
    explainRefusal(error, query, {
      ask: this.session.ask,
      width: this.io.stdout.columns || 80,
      isShell: true,
    });

  // The new table is completed from now on.
  async #runTask(query: string, how: Parameters<Shell['run']>[1]) {
    const { progress, signal } = this.#frame;
    await this.show((out) => runTask(this.session, query, { out, progress, signal }, how));
    this.forgetNames();
  }

  readonly show: Shell['show'] = async (print) => {
    const output = outputOf(this.session, this.io, this.session.format);
    await closing(output, () => print(output));
  };

  // A file stops at the first error, like a script.
  readonly runFile = async (file: string) => {
    const { session } = this;
    if (this.#openFiles.some(({ name }) => name === file))
      throw new UsageError(`File [${file}] includes itself`);
    const text = await readFile(file, 'utf8').catch((error: Error) => {
      throw new UsageError(`File [${file}] cannot be read: ${error.message}`);
    });
    const open = { name: file, at: 0 };
    this.#openFiles.push(open);
    session.buffer = '';
    try {
      await this.#runInput(text);
      open.at = text.lastIndexOf(session.buffer);
      if (session.buffer !== '') await this.#runStatement(session.buffer);
    } catch (error) {
      this.#failedAt ||= `, at line [${text.slice(0, open.at).split('\n').length}] of file [${file}]`;
      throw error;
    } finally {
      this.#openFiles.pop();
      session.buffer = '';
    }
  };

  /** Prompts for statements and commands until the user leaves. */
  async readAndRun(): Promise<void> {
    const { session } = this;
    const { signal, out } = this.#frame;
    const editor = this.#openEditor();
    let history = historyOf(session.name, this.io.env, out.warn);
    editor.setHistory(history.entries);
    let name = session.name;
    let lines: string[] = []; // of the statement, for the history
    while (!this.#isLeaving && !signal.aborted) {
      const answer = await editor.readLine(promptOf(session));
      if (answer.kind === 'end') {
        this.say('\n');
        break;
      }
      if (answer.kind === 'cleared') {
        session.buffer = '';
        lines = [];
        continue;
      }
      lines.push(answer.text);
      await this.#runInput(answer.text).catch((error: unknown) => this.#report(error));
      if (session.buffer === '') {
        history.add(lines.join('\n').trim());
        lines = [];
      }
      if (name !== session.name) {
        name = session.name;
        history = historyOf(name, this.io.env, out.warn);
      }
      editor.setHistory(history.entries);
    }
    editor.close();
  }

  #openEditor(): LineEditor {
    const { signal, ownInterrupts, onInterrupt } = this.#frame;
    const editor = new LineEditor(this.io, (before, behind) => this.#complete(before, behind));
    this.#editor = editor;
    ownInterrupts(() => this.session.interrupt());
    onInterrupt(async () => this.session.onInterrupt?.());
    signal.addEventListener('abort', () => editor.close());
    return editor;
  }

  async #complete(before: string, behind: string): Promise<Completion> {
    const { session, io } = this;
    const names = await this.#catalog.names();
    const command = session.buffer === '' ? /^\s*(\\.*)$/s.exec(before)?.[1] : undefined;
    return command === undefined
      ? completeSql(`${session.buffer}\n${before}`, behind, names)
      : completeCommand(command, { names, io, session });
  }

  // The whole input is parsed again with each line, because a text may have begun earlier.
  async #runInput(line: string) {
    const { session } = this;
    if (session.buffer === '' && /^\s*(exit|quit|help)\s*;?\s*$/i.test(line))
      return runCommand(this, /help/i.test(line) ? '\\?' : '\\q');
    const { steps, rest } = scan(session.buffer === '' ? line : `${session.buffer}\n${line}`);
    const file = this.#openFiles.at(-1);
    for (const step of steps) {
      session.buffer = '';
      if (file) file.at = step.at;
      if (step.kind === 'statement') await this.#runStatement(step.text);
      else {
        session.buffer = step.before;
        await runCommand(this, step.text);
        await this.#runEdited(step.text);
      }
      if (this.#isLeaving) return;
    }
    if (rest !== '' || steps.length === 0) session.buffer = rest;
  }

  // A complete statement from the editor runs at once.
  async #runEdited(command: string) {
    if (!/^\\e\b/.test(command)) return;
    const { steps, rest } = scan(this.session.buffer);
    this.session.buffer = rest;
    for (const step of steps) if (step.kind === 'statement') await this.#runStatement(step.text);
    this.session.buffer = rest;
  }

  async #runStatement(text: string) {
    const setting = settingIn(text);
    if (setting) this.session.context.set(...setting);
    else await this.run(text);
  }

  #report(error: unknown) {
    this.session.onInterrupt = undefined;
    const inFile = this.#failedAt;
    this.#failedAt = '';
    if (error instanceof Interrupted) return this.say(`${control('\r')}The query is cancelled.\n`); // over the ^C of the terminal
    if (error instanceof Error) error.message += inFile;
    const { settings } = this.session.resolved;
    reportError(error, {}, this.io, { ...settings, painter: this.#painter });
  }
}

// The prompt shows the open construct: a text, a name, a comment, a parenthesis.
function promptOf({ name, buffer }: ShellSession): string {
  if (buffer === '') return `${name}> `;
  const { inside } = scan(buffer);
  return `${' '.repeat(Math.max(0, name.length - 1))}${inside === '' || inside === '-' ? '-' : inside}> `;
}
