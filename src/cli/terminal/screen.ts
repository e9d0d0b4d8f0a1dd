// Full-screen display in the terminal's alternate buffer. Only changed lines are written again.
import type { Io } from '../process/io.ts';
import { control } from './terminal.ts';

export interface Screen {
  readonly columns: number;
  readonly rows: number;
  /** Shows the given lines; none may be wider than the screen. */
  paint(lines: readonly string[]): void;
  /** Restores the terminal. */
  close(): void;
}

/**
 * Opens the alternate screen; `hear` receives each key, and `resized` runs when the window size
 * changes.
 */
export function openScreen(
  { stdin, stdout }: Pick<Io, 'stdin' | 'stdout'>,
  hear: (key: string) => void,
  resized: () => void,
): Screen {
  let shown: readonly string[] = [];
  let isOpen = true;
  const onKeys = (keys: Buffer) => {
    for (const key of keys.toString()) hear(key);
  };
  const onResize = () => {
    shown = [];
    stdout.write(control('\x1b[2J'));
    resized();
  };

  function close() {
    if (!isOpen) return;
    isOpen = false;
    process.off('exit', close);
    stdout.off('resize', onResize);
    stdout.write(control('\x1b[?25h') + control('\x1b[?1049l')); // the cursor, and what stood there before
    if (!stdin.isTTY) return;
    stdin.off('data', onKeys);
    stdin.setRawMode(false);
    stdin.pause();
  }

  process.on('exit', close); // however it ends
  stdout.write(control('\x1b[?1049h') + control('\x1b[?25l') + control('\x1b[2J'));
  stdout.on('resize', onResize);
  if (stdin.isTTY) {
    stdin.setRawMode(true);
    stdin.on('data', onKeys);
    stdin.resume();
  }
  return {
    get columns() {
      return stdout.columns || 80;
    },
    get rows() {
      return stdout.rows || 24;
    },
    paint(lines) {
      if (!isOpen) return;
      const changes = Array.from({ length: Math.max(lines.length, shown.length) }, (_, at) =>
        lines[at] === shown[at]
          ? ''
          : `${control(`\x1b[${at + 1};1H`)}${control('\x1b[2K')}${lines[at] ?? ''}`,
      );
      stdout.write(changes.join(''));
      shown = [...lines];
    },
    close,
  };
}
