// The door to Node's line editor. It holds the terminal only while a line is asked for: queries, pagers and editors find it as they expect it.
import { createInterface } from 'node:readline';
import type { Io } from '../../../cli/io.ts';
import { mostKept } from './history.ts';

export type Completion = readonly [found: readonly string[], word: string];

export type Answer = { readonly kind: 'line'; readonly text: string } | { readonly kind: 'cleared' } | { readonly kind: 'end' };

export interface LineEditor {
  /** Asks for a line. `cleared` is Ctrl-C, `end` Ctrl-D. */
  line(prompt: string): Promise<Answer>;
  /** Hears nothing of the keyboard while somebody else asks: a password is no line. */
  away<T>(work: () => Promise<T>): Promise<T>;
  /** What the up arrow finds, the newest first. */
  remember(entries: readonly string[]): void;
  close(): void;
}

interface Settings {
  readonly complete: (before: string, behind: string) => Promise<Completion>;
}

export function openLineEditor({ stdin, stdout }: Pick<Io, 'stdin' | 'stdout'>, { complete }: Settings): LineEditor {
  const answers: Answer[] = []; // lines that were pasted together are asked for one after the other
  let waiting: ((answer: Answer) => void) | undefined;
  let isClosed = false;
  let remembered: readonly string[] = [];
  let known: string[] = [];

  const others = new Set(stdin.listeners('keypress'));
  const lines = createInterface({
    input: stdin,
    output: stdout,
    terminal: true,
    history: known,
    historySize: mostKept,
    tabSize: 2,
    escapeCodeTimeout: 50,
    completer: (before: string, done: (error: Error | null, completion: [string[], string]) => void) => {
      complete(before, lines.line.slice(lines.cursor)).then(
        ([found, word]) => done(null, [[...found], word]),
        () => done(null, [[], before]),
      );
    },
  });

  function give(answer: Answer) {
    if (!waiting) return void answers.push(answer);
    const take = waiting;
    waiting = undefined;
    hold(false);
    take(answer);
  }

  // The editor would remember each line; whole statements are what one wants back.
  const restore = () => void known.splice(0, known.length, ...remembered);
  lines.on('history', (history) => {
    known = history;
    restore();
  });
  lines.on('line', (text) => give({ kind: 'line', text }));
  lines.on('SIGINT', () => {
    lines.write(null, { ctrl: true, name: 'e' });
    lines.write(null, { ctrl: true, name: 'u' });
    give({ kind: 'cleared' });
  });
  lines.on('close', () => {
    isClosed = true;
    give({ kind: 'end' });
  });
  const ears = stdin.listeners('keypress').filter((listener) => !others.has(listener)) as (() => void)[];
  hold(false);

  function hold(isHeld: boolean) {
    if (isClosed) return;
    if (isHeld) lines.resume();
    else lines.pause();
    stdin.setRawMode(isHeld);
  }

  return {
    line(prompt) {
      const next = answers.shift();
      if (next) return Promise.resolve(next);
      if (isClosed) return Promise.resolve({ kind: 'end' });
      hold(true);
      lines.setPrompt(prompt);
      lines.prompt();
      return new Promise((resolve) => {
        waiting = resolve;
      });
    },
    async away(work) {
      for (const ear of ears) stdin.off('keypress', ear);
      try {
        return await work();
      } finally {
        for (const ear of ears) stdin.on('keypress', ear);
      }
    },
    remember(entries) {
      remembered = entries;
      restore();
    },
    close: () => lines.close(),
  };
}
