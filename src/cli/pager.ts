// Long answers go through a pager, on a terminal only. What fits on the screen is printed as it is.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Io } from './io.ts';
import { NobodyReads, type Write, writerTo } from './stdout.ts';

export interface Paged {
  readonly write: Write;
  end(): Promise<void>;
}

/** Keeps the answer until it is longer than the screen, then opens the pager. */
export function pagedTo({ stdout, env }: Pick<Io, 'stdout' | 'env'>, direct: Write): Paged {
  const held: (string | Uint8Array)[] = [];
  let lines = 0;
  let opened: { write: Write; end(): Promise<void> } | undefined;

  return {
    write(chunk) {
      if (opened) return opened.write(chunk);
      held.push(chunk);
      lines += String(chunk).split('\n').length - 1;
      if (lines < (stdout.rows ?? 24)) return;
      opened = open(env) ?? { write: direct, end: async () => {} };
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

function open(env: NodeJS.ProcessEnv): { write: Write; end(): Promise<void> } | undefined {
  const command = env.SVCCTL_PAGER ?? env.PAGER ?? 'less';
  if (command === '' || command === 'cat') return;
  const child = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env: { LESS: 'FRX', LV: '-c', ...env } });
  const ended = once(child, 'close');
  const write = writerTo(child.stdin);
  // Ctrl-C belongs to the pager while it is open; leaving the pager early ends the command.
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
