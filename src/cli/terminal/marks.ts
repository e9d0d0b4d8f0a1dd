// Symbols of one cell each. They are ASCII in locales without other letters (POSIX: LC_ALL,
// LC_CTYPE, LANG).
export interface Marks {
  readonly ok: string;
  readonly note: string;
  readonly warning: string;
  readonly critical: string;
  readonly next: string;
  readonly pointer: string; // at the selected item
  readonly full: string; // of a bar
  readonly empty: string;
  readonly rule: string; // one cell of a horizontal rule
  readonly cut: string; // the place of a cut
  readonly spinner: 'dots' | 'line';
}

const unicode: Marks = {
  ok: '✔',
  note: '•',
  warning: '!',
  critical: '✖',
  next: '→',
  pointer: '❯',
  full: '█',
  empty: '░',
  rule: '─',
  cut: '…',
  spinner: 'dots',
};
const ascii: Marks = {
  ok: '+',
  note: '-',
  warning: '!',
  critical: 'x',
  next: '>',
  pointer: '>',
  full: '#',
  empty: '.',
  rule: '-',
  cut: '~',
  spinner: 'line',
};

export const marksFor = (env: NodeJS.ProcessEnv): Marks => (hasUnicode(env) ? unicode : ascii);

/** Whether the locale has letters beyond ASCII. */
export function hasUnicode({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv): boolean {
  const locale = [LC_ALL, LC_CTYPE, LANG].find((name) => name) ?? '';
  return process.platform === 'win32' || /utf-?8/i.test(locale);
}

/** A bar of the given number of cells, filled up to the fraction. */
export function barOf(fraction: number, cells: number, { full, empty }: Marks): string {
  const filled = Math.max(0, Math.min(cells, Math.round(fraction * cells)));
  return full.repeat(filled) + empty.repeat(cells - filled);
}
