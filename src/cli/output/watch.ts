// Repeated queries for --watch. On a terminal, the newest answer replaces the last one and only
// changed lines are painted. Elsewhere new and changed lines are appended, and a changed document
// is appended as a whole.

import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { longestTimerMs } from '../../model/longest-timer.ts';

import { UsageError } from '../process/errors.ts';
import { type ExitCode, exitCodes } from '../process/exit-codes.ts';
import { type Io, isPlainTerminal, type Sink } from '../process/io.ts';
import { writerTo } from '../terminal/stdout.ts';
import { control } from '../terminal/terminal.ts';

interface Watching {
  readonly seconds: number;
  readonly isDocument: boolean; // the lines form one document
  readonly signal: AbortSignal;
  readonly io: Pick<Io, 'env' | 'stdout'>;
}

/**
 * Calls `ask`, which writes an answer to the given stream, until the signal is aborted or an answer
 * is a failure.
 */
export async function watch(
  ask: (stdout: Sink) => Promise<ExitCode>,
  { seconds, isDocument, signal, io }: Watching,
): Promise<ExitCode> {
  if (seconds < 0.1)
    throw new UsageError(
      `Value [${seconds}] of --watch is too short: the minimum is 0.1`,
      'an example: --watch 5',
    );
  const { stdout } = io;
  const write = writerTo(stdout);
  const shown = repaints(io) ? paint(stdout) : isDocument ? wholeWhenDifferent() : newLines();
  for (;;) {
    const { sink, text } = collector(stdout);
    const code = await ask(sink);
    await write(shown(text()));
    if (code !== exitCodes.done) return code;
    await sleep(Math.min(seconds * 1000, longestTimerMs), undefined, { signal }).catch(
      () => undefined,
    );
    if (signal.aborted) return code;
  }
}

/** Whether each answer overwrites the last one, together with any text between them. */
export const repaints = ({ stdout, env }: Pick<Io, 'env' | 'stdout'>): boolean =>
  Boolean(stdout.isTTY) && !isPlainTerminal(env);

// Has the properties of the real stream and collects the text.
function collector({ isTTY, columns, rows }: Sink) {
  const chunks: Buffer[] = [];
  const writable = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return {
    sink: Object.assign(writable, {
      isTTY: isTTY === true,
      columns: columns || 80,
      rows: rows || 24,
    }),
    text: () => Buffer.concat(chunks).toString(),
  };
}

type Shown = (answer: string) => string; // returns the text to write

const linesIn = (answer: string) =>
  answer.split('\n').slice(0, answer.endsWith('\n') ? -1 : undefined);

/**
 * The first screen of an answer. Line wrap is off meanwhile, so the terminal cuts long lines
 * itself. Each line is erased before it is written: erasing after a line as wide as the terminal
 * would delete its last letter.
 */
function paint(screen: Sink): Shown {
  let before: readonly string[] | undefined;
  let size = '';
  return (answer) => {
    const { rows = 24, columns = 80 } = screen;
    if (size !== `${rows} ${columns}`) before = undefined;
    size = `${rows} ${columns}`;
    const all = linesIn(answer);
    const room = Math.max(1, rows - 1); // the last row is for the cursor
    const lines =
      all.length <= room
        ? all
        : [...all.slice(0, room - 1), `... ${all.length - room + 1} more lines`];
    const changed = lines.flatMap((line, at) =>
      before?.[at] === line ? [] : [lineStart(at) + control('\x1b[K') + line],
    );
    const rest =
      before && before.length > lines.length ? [lineStart(lines.length) + control('\x1b[J')] : [];
    const cleared = before ? '' : control('\x1b[H') + control('\x1b[2J');
    before = lines;
    if (cleared === '' && changed.length === 0 && rest.length === 0) return '';
    return [
      control('\x1b[?7l'),
      cleared,
      ...changed,
      ...rest,
      lineStart(lines.length),
      control('\x1b[?7h'),
    ].join('');
  };
}

const lineStart = (line: number) => control(`\x1b[${line + 1};1H`);

function newLines(): Shown {
  let before = new Map<string, number>();
  return (answer) => {
    const now = new Map<string, number>();
    const fresh: string[] = [];
    for (const line of linesIn(answer)) {
      const count = (now.get(line) ?? 0) + 1;
      now.set(line, count);
      if (count > (before.get(line) ?? 0)) fresh.push(`${line}\n`);
    }
    before = now;
    return fresh.join('');
  };
}

function wholeWhenDifferent(): Shown {
  let before: string | undefined;
  return (answer) => {
    if (answer === before) return '';
    before = answer;
    return answer;
  };
}
