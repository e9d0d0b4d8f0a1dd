// Pager for long answers, only on a terminal. Answers that fit on the screen are printed directly.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Sink } from '../process/io.ts';
import { NobodyReads, type Write, writerTo } from './stdout.ts';
import { guardStream } from './terminal.ts';
import { beginningOf, widthOf } from './width.ts';

export interface Paged {
  readonly write: Write;
  end(): Promise<void>;
}

interface Screen {
  readonly stdout: Sink;
  readonly env: NodeJS.ProcessEnv;
  readonly scrolls: boolean; // the pager scrolls sideways instead of folding long lines
  readonly header: boolean; // the first line stays in view
}

/**
 * Buffers the answer until it is longer than the screen, and then opens the pager. At the end, an
 * answer that is only wider opens it too, when scrolling is on.
 */
export function openPager({ stdout, env, scrolls, header }: Screen, direct: Write): Paged {
  const held: (string | Uint8Array)[] = [];
  let lines = 0;
  let opened: { write: Write; end(): Promise<void> } | undefined;
  const isWide = (text: string) =>
    text.split('\n').some((line) => widthOf(line) > (stdout.columns || 80));

  return {
    write(chunk) {
      if (opened) return opened.write(chunk);
      held.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk));
      lines += String(chunk).split('\n').length - 1;
      if (lines < (stdout.rows ?? 24)) return;
      return show({ isLong: true });
    },
    async end() {
      if (!opened && scrolls && held.some((chunk) => isWide(String(chunk))))
        await show({ isLong: false });
      if (opened) return opened.end();
      await inOrder(direct, held.splice(0));
    },
  };

  function show({ isLong }: { readonly isLong: boolean }): Promise<void> {
    const [first = ''] = String(held[0]).split('\n', 1);
    const heading = header ? first : undefined;
    const how = { scrolls, heading, isLong, width: stdout.columns || 80 };
    opened = open(env, how) ?? { write: direct, end: async () => {} };
    return inOrder(opened.write, held.splice(0));
  }
}

async function inOrder(write: Write, chunks: readonly (string | Uint8Array)[]) {
  for (const chunk of chunks) await write(chunk);
}

/** The pager's command; undefined when the pager is off. */
export function pagerIn({ SVCCTL_PAGER, PAGER }: NodeJS.ProcessEnv): string | undefined {
  const command = SVCCTL_PAGER ?? PAGER ?? 'less';
  return command === '' || command === 'cat' ? undefined : command;
}

function open(
  env: NodeJS.ProcessEnv,
  how: LessHow,
): { write: Write; end(): Promise<void> } | undefined {
  const command = pagerIn(env);
  if (command === undefined) return;
  const LESS = lessFlags(command, env, how);
  const child = spawn(command, {
    shell: true,
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { LESS, LV: '-c', ...env },
  });
  const ended = once(child, 'close');
  const write = writerTo(guardStream(child.stdin, true));
  // Ctrl-C belongs to the open pager; quitting the pager early ends the command.
  const leaveItToThePager = () => {};
  process.on('SIGINT', leaveItToThePager);
  return {
    write,
    async end() {
      child.stdin.end();
      const [code] = await ended;
      process.off('SIGINT', leaveItToThePager);
      if (code !== 0 && code !== null) throw new NobodyReads();
    },
  };
}

interface LessHow {
  readonly scrolls: boolean;
  readonly heading: string | undefined; // the first line, which stays in view
  readonly isLong: boolean; // longer than the screen: the first line can leave it
  readonly width: number;
}

// Lines of a table are never folded: they would break the columns. Older versions of less have no
// fixed header and refuse the option: their prompt, the last line, shows the heading instead.
function lessFlags(
  command: string,
  env: NodeJS.ProcessEnv,
  { scrolls, heading, isLong, width }: LessHow,
): string {
  const flags = `-${scrolls ? '' : 'F'}RX${scrolls || heading !== undefined ? 'S' : ''}`;
  if (heading === undefined || env.LESS !== undefined || !/^(\S*\/)?less( |$)/.test(command))
    return flags;
  const [program = 'less'] = command.split(' ');
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 1000 });
  const [, version = '0'] = /^less (\d+)/.exec(stdout ?? '') ?? [];
  if (Number(version) >= firstWithHeader) return `${flags} --header=1`;
  return isLong ? `${flags} -Ps${promptOf(heading, width)}$` : flags;
}

const atEnd = ' (END)';

/**
 * A prompt of less: the heading, and whether the end is reached. less cuts the beginning of a
 * prompt that reaches the last two cells of the line.
 */
function promptOf(heading: string, width: number): string {
  const room = width - 3;
  const atTheEnd = `${promptText(beginningOf(heading, room - atEnd.length))}${atEnd}`;
  return `?e${atTheEnd}:${promptText(beginningOf(heading, room))}.`;
}

// Some signs have a meaning in a prompt.
const promptText = (text: string): string => text.replaceAll('$', ' ').replace(/[\\?:.%]/g, '\\$&');

const firstWithHeader = 600;
