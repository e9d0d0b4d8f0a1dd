// Temporary lines on stderr, repainted in place where they change and erased at the end.
import { control } from './terminal.ts';

export interface LiveLines {
  /** The current width in columns. */
  readonly columns: number;
  paint(lines: readonly string[]): void;
  clear(): void;
}

export function liveLinesOn(
  stderr: Pick<NodeJS.WriteStream, 'write' | 'columns' | 'rows'>,
): LiveLines {
  let shown: readonly string[] = [];
  let size = '';
  const moveToStart = () =>
    control('\r') + (shown.length === 0 ? '' : control(`\x1b[${shown.length}A`));

  return {
    get columns() {
      return stderr.columns || 80;
    },
    paint(lines) {
      const kept = lines.slice(0, Math.max(1, (stderr.rows || 24) - 2));
      const isResized = size !== `${stderr.columns} ${stderr.rows}`;
      size = `${stderr.columns} ${stderr.rows}`;
      if (
        !isResized &&
        kept.length === shown.length &&
        kept.every((line, at) => line === shown[at])
      )
        return;
      const output = kept.map((line, at) =>
        !isResized && line === shown[at] ? '\n' : `${control('\x1b[K')}${line}\n`,
      );
      // Erase each line before writing it: erasing after a line as wide as the terminal would
      // delete its last letter. Line wrap is off meanwhile. Everything below the last line is
      // erased.
      stderr.write(
        [
          control('\x1b[?7l'),
          moveToStart(),
          ...output,
          control('\x1b[J'),
          control('\x1b[?7h'),
        ].join(''),
      );
      shown = kept;
    },
    clear() {
      if (shown.length > 0) stderr.write(moveToStart() + control('\x1b[J'));
      shown = [];
    },
  };
}
