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
 * Buffers the answer until it is longer than the screen, or wider when scrolling is on, and then
 * opens the pager.
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
      held.push(chunk);
      const text = String(chunk);
      lines += text.split('\n').length - 1;
      if (lines < (stdout.rows ?? 24) && !(scrolls && isWide(text))) return;
      const [heading = ''] = String(held[0]).split('\n', 1);
      const how = { scrolls, heading: header ? heading : undefined, width: stdout.columns || 80 };
      opened = open(env, how) ?? { write: direct, end: async () => {} };
      return inOrder(opened.write, held.splice(0));
    },
    async end() {
      if (opened) return opened.end();
      await inOrder(direct, held.splice(0));
    },
  };
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
  readonly width: number;
}

// Lines of a table are never folded: they would break the columns. Older versions of less have no
// fixed header and refuse the option: their prompt, the last line, shows the heading instead.
function lessFlags(
  command: string,
  env: NodeJS.ProcessEnv,
  { scrolls, heading, width }: LessHow,
): string {
  const flags = `-${scrolls ? '' : 'F'}RX${scrolls || heading !== undefined ? 'S' : ''}`;
  if (heading === undefined || env.LESS !== undefined || !/^(\S*\/)?less( |$)/.test(command))
    return flags;
  const [program = 'less'] = command.split(' ');
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 1000 });
  const [, version = '0'] = /^less (\d+)/.exec(stdout ?? '') ?? [];
  return Number(version) >= firstWithHeader
    ? `${flags} --header=1`
    : `${flags} -Ps${promptOf(heading, width)}$`;
}

const atEnd = ' (END)';

/**
 * A prompt of less: the heading, and whether the end is reached. Some signs have a meaning there.
 */
const promptOf = (heading: string, width: number): string =>
  `${beginningOf(heading, width - atEnd.length - 1)
    .replaceAll('$', ' ')
    .replace(/[\\?:.%]/g, '\\$&')}?e${atEnd}.`;

const firstWithHeader = 600;
