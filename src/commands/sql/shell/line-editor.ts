// Adapter for Node's line editor. It holds the terminal only during a prompt, so queries, pagers
// and editors find the terminal in its normal state. This file adds the features that Node's editor
// lacks: multi-line paste, history search, Ctrl-Z.
import { createInterface, type Interface } from 'node:readline';
import { type Io, isPlainTerminal } from '../../../cli/process/io.ts';
import { marksFor } from '../../../cli/terminal/marks.ts';
import { control, drawingStream } from '../../../cli/terminal/terminal.ts';
import { cut } from '../../../cli/terminal/width.ts';
import { isVisible, visibleLine } from '../../../model/visible-text.ts';
import { mostKept } from './history.ts';
import { HistorySearch } from './history-search.ts';
import type { Key } from './key.ts';

// Explanations are printed above the prompt, one a line.
export type Completion = readonly [
  found: readonly string[],
  word: string,
  explained?: readonly string[],
];

export type Answer =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'cleared' }
  | { readonly kind: 'end' };

type Complete = (before: string, behind: string) => Promise<Completion>;

type KeyListener = (text: string | undefined, key: Key) => void;

export class LineEditor {
  readonly #stdin: Io['stdin'];
  readonly #stdout: Io['stdout'];
  readonly #env: Io['env'];
  readonly #complete: Complete;
  readonly #editor: Interface;
  readonly #keyListeners: readonly KeyListener[]; // of Node's editor
  #answers: Answer[] = []; // lines that arrive together are returned one by one
  #resolveLine: ((answer: Answer) => void) | undefined;
  #isClosed = false;
  #isClearing = false;
  #isMarkingPastes = false;
  #entries: readonly string[] = []; // of the history
  #editorHistory: string[] = []; // the list that Node's editor reads
  #prompt = '';
  #pasted: string | undefined;
  #search: HistorySearch | undefined;

  constructor({ stdin, stdout, env }: Pick<Io, 'stdin' | 'stdout' | 'env'>, complete: Complete) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#env = env;
    this.#complete = complete;
    const others = new Set(stdin.listeners('keypress'));
    this.#editor = createInterface({
      input: stdin,
      output: drawingStream(stdout),
      terminal: true,
      history: this.#editorHistory,
      historySize: mostKept,
      tabSize: 8,
      escapeCodeTimeout: 50,
      completer: this.#completeLine,
    });
    this.#listen();
    this.#keyListeners = stdin
      .listeners('keypress')
      .filter((listener) => !others.has(listener)) as KeyListener[];
    for (const listener of this.#keyListeners) stdin.off('keypress', listener);
    stdin.on('keypress', this.#handleKey);
    this.#holdTerminal(false);
  }

  /**
   * Prompts for a line; pasted or recalled input may have several. `cleared` is Ctrl-C, `end`
   * Ctrl-D.
   */
  readLine(prompt: string): Promise<Answer> {
    const next = this.#answers.shift();
    if (next) return Promise.resolve(next);
    if (this.#isClosed) return Promise.resolve({ kind: 'end' });
    this.#holdTerminal(true);
    this.#prompt = prompt;
    this.#editor.setPrompt(visibleLine(prompt));
    this.#editor.prompt();
    return new Promise((resolve) => {
      this.#resolveLine = resolve;
    });
  }

  /** Ignores the keyboard while other code prompts: a password must not become a line. */
  async ignoreKeysDuring<T>(work: () => Promise<T>): Promise<T> {
    this.#stdin.off('keypress', this.#handleKey);
    try {
      return await work();
    } finally {
      this.#stdin.on('keypress', this.#handleKey);
    }
  }

  /** Sets the entries for the up arrow, the newest first. */
  setHistory(entries: readonly string[]): void {
    this.#entries = entries.map((entry) => entry.replace(unprintable, ''));
    this.#restoreHistory();
  }

  close(): void {
    this.#editor.close();
  }

  #listen() {
    const editor = this.#editor;
    editor.on('history', (history) => {
      this.#editorHistory = history;
      this.#restoreHistory();
    });
    editor.on('line', (text) =>
      this.#answer(this.#isClearing ? { kind: 'cleared' } : { kind: 'line', text }),
    );
    editor.on('SIGINT', () => this.#clear());
    editor.on('SIGTSTP', () => this.#suspend());
    editor.on('close', () => {
      this.#isClosed = true;
      this.#markPastes(false);
      this.#stdin.off('keypress', this.#handleKey);
      this.#answer({ kind: 'end' });
    });
  }

  readonly #completeLine = (
    before: string,
    done: (error: Error | null, completion: [string[], string]) => void,
  ) => {
    const { line, cursor } = this.#editor;
    this.#complete(before, line.slice(cursor)).then(
      ([found, word, explained = []]) => {
        const shown = found.filter(isVisible);
        if (explained.length > 0) this.#explain(explained);
        done(null, [explained.length > 0 ? [sharedBeginning(shown)] : shown, word]);
      },
      () => done(null, [[], before]),
    );
  };

  #explain(lines: readonly string[]) {
    const width = (this.#stdout.columns || 80) - 1;
    const { cut: sign } = marksFor(this.#env);
    const shown = lines.map((line) => `${cut(visibleLine(line), width, sign)}\n`);
    this.#stdout.write(`\n${shown.join('')}`);
    this.#editor.prompt(true);
  }

  #answer(answer: Answer) {
    const resolve = this.#resolveLine;
    if (!resolve) return void this.#answers.push(answer);
    this.#resolveLine = undefined;
    this.#holdTerminal(false);
    resolve(answer);
  }

  // Node's editor would store each line; the history holds whole statements.
  #restoreHistory() {
    this.#editorHistory.splice(0, this.#editorHistory.length, ...this.#entries);
  }

  #clear() {
    this.#editor.write(null, { ctrl: true, name: 'e' });
    this.#stdout.write('^C');
    this.#isClearing = true;
    this.#editor.write(null, { name: 'return' });
    this.#isClearing = false;
  }

  // The signal is for the whole process group of the terminal. It has no effect when the process
  // cannot be resumed.
  #suspend() {
    this.#holdTerminal(false);
    this.#stdout.write('^Z');
    process.kill(0, 'SIGTSTP');
    setTimeout(() => {
      this.#holdTerminal(true);
      this.#editor.prompt(true);
    }, 50);
  }

  readonly #handleKey: KeyListener = (text, key) => {
    if (this.#pasted !== undefined || key.name === 'paste-start') return this.#paste(text, key);
    if (!this.#search && key.ctrl && key.name === 'r') {
      const { line, cursor } = this.#editor;
      this.#search = new HistorySearch(this.#entries, { line, cursor });
      return this.#show(this.#search.prompt, this.#search.shown);
    }
    if (!this.#search) return this.#passKey(text, key);
    const outcome = this.#search.hear(text, key);
    this.#show(outcome === 'goes on' ? this.#search.prompt : this.#prompt, this.#search.shown);
    if (outcome !== 'goes on') this.#search = undefined;
    if (outcome === 'passed') this.#passKey(text, key);
  };

  // Pasted text waits for Enter before it runs, and a Tab in it does not complete.
  #paste(text = '', { name }: Key) {
    if (name === 'paste-start') this.#pasted = '';
    else if (name !== 'paste-end') this.#pasted += text;
    else {
      const { line, cursor } = this.#editor;
      const pasted = (this.#pasted ?? '')
        .replace(/\r\n?/g, '\n')
        .replace(/\n+$/, '')
        .replace(unprintable, '');
      const before = line.slice(0, cursor) + pasted;
      this.#pasted = this.#search = undefined;
      this.#show(this.#prompt, { line: before + line.slice(cursor), cursor: before.length });
    }
  }

  #show(prompt: string, line: { line: string; cursor: number }) {
    Object.assign(this.#editor, line);
    this.#editor.setPrompt(prompt);
    this.#editor.prompt(true);
  }

  #passKey(text: string | undefined, key: Key) {
    for (const listener of this.#keyListeners) listener(text, key);
  }

  #holdTerminal(isHeld: boolean) {
    if (this.#isClosed) return;
    if (isHeld) this.#editor.resume();
    else this.#editor.pause();
    this.#stdin.setRawMode(isHeld);
    this.#markPastes(isHeld);
  }

  // Bracketed paste: the terminal marks pasted text, if it can.
  #markPastes(isWanted: boolean) {
    if (isWanted !== this.#isMarkingPastes && !isPlainTerminal(this.#env))
      this.#stdout.write(control(isWanted ? '\x1b[?2004h' : '\x1b[?2004l'));
    this.#isMarkingPastes = isWanted;
  }
}

function sharedBeginning([first = '', ...others]: readonly string[]): string {
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length);
}

const unprintable = /[^\P{Cc}\n\t]/gu; // shown by their codes
