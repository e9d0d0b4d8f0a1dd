// Adapter for Node's line editor. It holds the terminal only during a prompt, so queries, pagers
// and editors find the terminal in its normal state. This file adds the features that Node's editor
// lacks: multi-line paste, history search, Ctrl-Z.
import { createInterface } from 'node:readline';
import { type Io, isPlainTerminal } from '../../../cli/process/io.ts';
import { control, drawnStream } from '../../../cli/terminal/terminal.ts';
import { isVisible, visibleLine } from '../../../model/visible-text.ts';
import { mostKept } from './history.ts';
import { HistorySearch } from './history-search.ts';
import type { Key } from './key.ts';

export type Completion = readonly [found: readonly string[], word: string];

export type Answer =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'cleared' }
  | { readonly kind: 'end' };

export interface LineEditor {
  /**
   * Prompts for a line; pasted or recalled input may have several. `cleared` is Ctrl-C, `end`
   * Ctrl-D.
   */
  line(prompt: string): Promise<Answer>;
  /** Ignores the keyboard while other code prompts: a password must not become a line. */
  away<T>(work: () => Promise<T>): Promise<T>;
  /** Sets the entries for the up arrow, the newest first. */
  remember(entries: readonly string[]): void;
  close(): void;
}

type Ear = (text: string | undefined, key: Key) => void;

interface Settings {
  readonly complete: (before: string, behind: string) => Promise<Completion>;
}

export function openLineEditor(
  { stdin, stdout, env }: Pick<Io, 'stdin' | 'stdout' | 'env'>,
  { complete }: Settings,
): LineEditor {
  const answers: Answer[] = []; // lines that arrive together are returned one by one
  let waiting: ((answer: Answer) => void) | undefined;
  let isClosed = false;
  let isClearing = false;
  let isMarking = false;
  let remembered: readonly string[] = [];
  let known: string[] = [];
  let asked = ''; // the prompt
  let pasting: string | undefined;
  let search: HistorySearch | undefined;

  const others = new Set(stdin.listeners('keypress'));
  const lines = createInterface({
    input: stdin,
    output: drawnStream(stdout),
    terminal: true,
    history: known,
    historySize: mostKept,
    tabSize: 8,
    escapeCodeTimeout: 50,
    completer: (
      before: string,
      done: (error: Error | null, completion: [string[], string]) => void,
    ) => {
      complete(before, lines.line.slice(lines.cursor)).then(
        ([found, word]) => done(null, [found.filter(isVisible), word]),
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

  // Node's editor would store each line; the history holds whole statements.
  const restore = () => void known.splice(0, known.length, ...remembered);
  lines.on('history', (history) => {
    known = history;
    restore();
  });
  lines.on('line', (text) => give(isClearing ? { kind: 'cleared' } : { kind: 'line', text }));
  lines.on('SIGINT', () => {
    lines.write(null, { ctrl: true, name: 'e' });
    stdout.write('^C');
    isClearing = true;
    lines.write(null, { name: 'return' });
    isClearing = false;
  });
  // The signal is for the whole process group of the terminal. It has no effect when the process
  // cannot be resumed.
  lines.on('SIGTSTP', () => {
    hold(false);
    stdout.write('^Z');
    process.kill(0, 'SIGTSTP');
    setTimeout(() => {
      hold(true);
      lines.prompt(true);
    }, 50);
  });
  lines.on('close', () => {
    isClosed = true;
    marksPastes(false);
    stdin.off('keypress', hear);
    give({ kind: 'end' });
  });
  const ears = stdin.listeners('keypress').filter((listener) => !others.has(listener)) as Ear[];
  for (const ear of ears) stdin.off('keypress', ear);
  stdin.on('keypress', hear);
  hold(false);

  function hear(text: string | undefined, key: Key) {
    if (pasting !== undefined || key.name === 'paste-start') return paste(text, key);
    if (!search && key.ctrl && key.name === 'r') {
      search = new HistorySearch(remembered, { line: lines.line, cursor: lines.cursor });
      return show(search.prompt, search.shown);
    }
    if (!search) return pass(text, key);
    const outcome = search.hear(text, key);
    show(outcome === 'goes on' ? search.prompt : asked, search.shown);
    if (outcome !== 'goes on') search = undefined;
    if (outcome === 'passed') pass(text, key);
  }

  // Pasted text waits for Enter before it runs, and a Tab in it does not complete.
  function paste(text = '', { name }: Key) {
    if (name === 'paste-start') pasting = '';
    else if (name !== 'paste-end') pasting += text;
    else {
      const pasted = (pasting ?? '')
        .replace(/\r\n?/g, '\n')
        .replace(/\n+$/, '')
        .replace(unprintable, '');
      const [before, behind] = [lines.line.slice(0, lines.cursor), lines.line.slice(lines.cursor)];
      pasting = search = undefined;
      show(asked, { line: before + pasted + behind, cursor: before.length + pasted.length });
    }
  }

  function show(prompt: string, line: { line: string; cursor: number }) {
    Object.assign(lines, line);
    lines.setPrompt(prompt);
    lines.prompt(true);
  }

  function pass(text: string | undefined, key: Key) {
    for (const ear of ears) ear(text, key);
  }

  function hold(isHeld: boolean) {
    if (isClosed) return;
    if (isHeld) lines.resume();
    else lines.pause();
    stdin.setRawMode(isHeld);
    marksPastes(isHeld);
  }

  // Bracketed paste: the terminal marks pasted text, if it can.
  function marksPastes(isWanted: boolean) {
    if (isWanted !== isMarking && !isPlainTerminal(env))
      stdout.write(control(isWanted ? '\x1b[?2004h' : '\x1b[?2004l'));
    isMarking = isWanted;
  }

  return {
    line(prompt) {
      const next = answers.shift();
      if (next) return Promise.resolve(next);
      if (isClosed) return Promise.resolve({ kind: 'end' });
      hold(true);
      asked = prompt;
      lines.setPrompt(visibleLine(prompt));
      lines.prompt();
      return new Promise((resolve) => {
        waiting = resolve;
      });
    },
    async away(work) {
      stdin.off('keypress', hear);
      try {
        return await work();
      } finally {
        stdin.on('keypress', hear);
      }
    },
    remember(entries) {
      remembered = entries.map((entry) => entry.replace(unprintable, ''));
      restore();
    },
    close: () => lines.close(),
  };
}

const unprintable = /[^\P{Cc}\n\t]/gu; // shown by their codes
