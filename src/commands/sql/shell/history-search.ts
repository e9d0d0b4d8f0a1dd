// Ctrl-R search: earlier input that contains a text, the newest first.
import type { Key } from './key.ts';

interface Line {
  readonly line: string;
  readonly cursor: number;
}

/**
 * The effect of a key: the search continues, ends with the match, ends with the match and passes
 * the key to the editor, or is cancelled.
 */
type Outcome = 'goes on' | 'taken' | 'passed' | 'given up';

export class HistorySearch {
  #entries: readonly string[];
  #before: Line;
  #typed = '';
  #at = -1; // of the shown entry; -1 before the first match
  #isFound = true;

  /**
   * `entries` are the newest first; `before` is the original line, restored when the search is
   * cancelled.
   */
  constructor(entries: readonly string[], before: Line) {
    this.#entries = entries;
    this.#before = before;
  }

  get prompt(): string {
    return this.#isFound ? `search [${this.#typed}]: ` : `nothing with [${this.#typed}]: `;
  }

  get shown(): Line {
    const entry = this.#entries[this.#at];
    if (entry === undefined) return this.#before;
    return {
      line: entry,
      cursor: Math.max(0, entry.toLowerCase().indexOf(this.#typed.toLowerCase())),
    };
  }

  hear(text: string | undefined, { name, ctrl = false, meta = false }: Key): Outcome {
    if (ctrl && (name === 'c' || name === 'g')) {
      this.#at = -1;
      return 'given up';
    }
    if (name === 'escape') return 'taken';
    if (ctrl && name === 'r') this.#find(this.#at + 1, 1);
    else if (ctrl && name === 's') this.#find(this.#at - 1, -1);
    else if (name === 'backspace') {
      this.#typed = this.#typed.slice(0, -1);
      this.#at = -1;
      this.#find(0, 1);
    } else if (text !== undefined && !ctrl && !meta && !/\p{Cc}/u.test(text)) {
      this.#typed += text;
      this.#find(Math.max(0, this.#at), 1);
    } else return 'passed';
    return 'goes on';
  }

  // Without another match, the shown entry stays.
  #find(from: number, step: 1 | -1) {
    const wanted = this.#typed.toLowerCase();
    const shown = this.#entries[this.#at];
    let at = from;
    for (; at >= 0 && at < this.#entries.length; at += step) {
      const entry = this.#entries[at] ?? '';
      if (entry.toLowerCase().includes(wanted) && (from === this.#at || entry !== shown)) break;
    }
    this.#isFound = wanted === '' || this.#entries[at] !== undefined;
    if (wanted !== '' && this.#isFound) this.#at = at;
  }
}
