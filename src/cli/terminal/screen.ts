// Full-screen display in the terminal's alternate buffer. A frame is one write with the changed
// lines only; terminals that know synchronized output show it at once.
import type { Io } from '../process/io.ts';
import { keyReader } from './keys.ts';
import { control } from './terminal.ts';
import { cellsOf } from './width.ts';

export interface Screen {
  readonly columns: number;
  readonly rows: number;
  /** Shows the given lines; none may be wider than the screen. */
  paint(lines: readonly string[]): void;
  /** Writes all lines again with the next frame. */
  forget(): void;
  /** Restores the terminal. */
  close(): void;
}

/**
 * Opens the alternate screen; `hear` receives each key, by name where it is not a letter, and
 * `resized` runs when the window size changes.
 */
export function openScreen(
  { stdin, stdout }: Pick<Io, 'stdin' | 'stdout'>,
  hear: (key: string) => void,
  resized: () => void,
): Screen {
  let shown: readonly string[] = [];
  let isOpen = true;
  const keys = keyReader(hear);
  const onResize = () => {
    shown = [];
    resized();
  };

  function close() {
    if (!isOpen) return;
    isOpen = false;
    process.off('exit', close);
    stdout.off('resize', onResize);
    stdout.write(control('\x1b[?25h') + control('\x1b[?1049l')); // the cursor, and what stood there before
    if (!stdin.isTTY) return;
    stdin.off('data', keys.read);
    keys.close();
    stdin.setRawMode(false);
    stdin.pause();
  }

  process.on('exit', close); // however it ends
  stdout.write(control('\x1b[?1049h') + control('\x1b[?25l') + control('\x1b[2J'));
  stdout.on('resize', onResize);
  if (stdin.isTTY) {
    stdin.setRawMode(true);
    stdin.on('data', keys.read);
    stdin.resume();
  }
  const columns = () => stdout.columns || 80;
  return {
    get columns() {
      return columns();
    },
    get rows() {
      return stdout.rows || 24;
    },
    paint(lines) {
      if (!isOpen) return;
      const changes = changesBetween(shown, lines, columns());
      shown = [...lines];
      if (changes !== '') stdout.write(beginOfFrame() + changes + endOfFrame());
    },
    forget() {
      shown = [];
    },
    close,
  };
}

const beginOfFrame = () => control('\x1b[?2026h');
const endOfFrame = () => control('\x1b[?2026l');

/** The sequences that turn one picture into another; without a first one, the screen is cleared. */
export function changesBetween(
  before: readonly string[],
  after: readonly string[],
  columns: number,
): string {
  const changed = Array.from({ length: Math.max(before.length, after.length) }, (_, at) =>
    before.length > 0 && after[at] === before[at] ? '' : lineChange(at, after[at] ?? '', columns),
  ).join('');
  return before.length === 0 ? control('\x1b[2J') + changed : changed;
}

// The line first, then its rest is erased: a line never disappears. In a full line, erasing would
// delete the last letter.
const lineChange = (at: number, line: string, columns: number) =>
  `${control(`\x1b[${at + 1};1H`)}${line}${cellsOf(line) < columns ? control('\x1b[K') : ''}`;
