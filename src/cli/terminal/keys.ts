// Keys of a terminal in raw mode: letters as themselves, other keys by name.
import { StringDecoder } from 'node:string_decoder';

const namesOfSequences: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  Z: 'shift-tab',
  '1~': 'home',
  '3~': 'delete',
  '4~': 'end',
  '5~': 'page-up',
  '6~': 'page-down',
  '7~': 'home',
  '8~': 'end',
};

const namesOfLetters: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x03': 'ctrl-c',
  '\x04': 'ctrl-d',
  '\x0c': 'ctrl-l',
  '\x15': 'ctrl-u',
};

const esc = '\x1b';
const sequence = new RegExp(`^${esc}(?:\\[([\\d;]*[A-Za-z~])|O([A-Za-z]))`);
const begunSequence = new RegExp(`^${esc}(?:\\[[\\d;]*|O)?$`);
const patienceMs = 50; // for the rest of a sequence, over a slow connection

/** The keys in a text, and its end when that may be the beginning of a sequence. */
export function keysIn(text: string): { readonly keys: readonly string[]; readonly rest: string } {
  const keys: string[] = [];
  let left = text;
  while (left !== '') {
    const [whole, bracket, letter] = sequence.exec(left) ?? [];
    if (whole !== undefined) {
      const name = namesOfSequences[(bracket ?? letter ?? '').replace(/^1;\d+(?=[A-Z])/, '')];
      if (name) keys.push(name);
      left = left.slice(whole.length);
    } else if (begunSequence.test(left)) return { keys, rest: left };
    else {
      const [first = ''] = left;
      const name = first === esc ? 'escape' : namesOfLetters[first];
      if (name) keys.push(name);
      else if (first >= ' ') keys.push(first);
      left = left.slice(first.length);
    }
  }
  return { keys, rest: '' };
}

/**
 * Reads chunks of input and reports each key. A lone Esc is reported after a moment, because it
 * also begins the sequences of other keys.
 */
export function keyReader(hear: (key: string) => void): {
  readonly read: (chunk: Buffer) => void;
  readonly close: () => void;
} {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    const begun = rest;
    rest = '';
    if (begun !== '') hear('escape');
  };
  return {
    read(chunk) {
      clearTimeout(timer);
      const found = keysIn(rest + decoder.write(chunk));
      rest = found.rest;
      for (const key of found.keys) hear(key);
      if (rest !== '') timer = setTimeout(flush, patienceMs);
    },
    close: () => clearTimeout(timer),
  };
}
