// Lexer for Calcite's grammar as Druid configures it. "names" stand in double quotes; unquoted
// names keep their case.
import { limits } from '../../model/limits.ts';
import type { Position } from '../ast.ts';
import { checkLimit, limitExceeded } from '../limits.ts';
import { SqlError } from '../sql-error.ts';

export interface Token extends Position {
  readonly kind:
    | 'word'
    | 'name'
    | 'string'
    | 'binary'
    | 'integer'
    | 'decimal'
    | 'double'
    | 'symbol'
    | 'end';
  // The token as the grammar requests it: a word in upper case or a symbol; empty for all others
  readonly key: string;
  readonly value: string; // the word as written; a string or a name without quotes; the digits
  readonly image: string; // as written
  readonly offset: number; // of its first character in the text
}

/**
 * The tokens of a text, ending with an `end` token at the last character.
 * Throws SqlError with the engine's message for an invalid character, and for a text that exceeds
 * a limit.
 */
export function tokenize(text: string): Tokens {
  return new Scanner(text).tokens();
}

/** The key of the last token. */
export const END = '<EOF>';

const UNICODE_MARK = 'U&';

const KINDS: readonly Token['kind'][] = [
  'word',
  'name',
  'string',
  'binary',
  'integer',
  'decimal',
  'double',
  'symbol',
  'end',
];
const SYMBOL_KIND = KINDS.indexOf('symbol');

/**
 * The tokens of a text. Only their offsets are stored, in a few bytes each, because a list of a
 * million values has two million tokens. Token objects are created on request.
 */
export class Tokens {
  readonly length: number;
  readonly #text: string;
  readonly #kinds: Uint8Array;
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  readonly #made: (Token | undefined)[] = []; // the last tokens, by index modulo the cache size
  readonly #madeAt = new Int32Array(KEPT).fill(-1);
  #lineStarts: readonly number[] | undefined;

  constructor(
    text: string,
    length: number,
    kinds: Uint8Array,
    starts: Int32Array,
    ends: Int32Array,
  ) {
    this.#text = text;
    this.length = length;
    this.#kinds = kinds;
    this.#starts = starts;
    this.#ends = ends;
  }

  /** The token at this index; the first or the last one for an index out of range. */
  at(index: number): Token {
    const within = index < 0 ? 0 : index < this.length ? index : this.length - 1;
    const place = within % KEPT;
    const known = this.#made[place];
    if (known !== undefined && this.#madeAt[place] === within) {
      return known;
    }
    const token = this.#make(within);
    this.#made[place] = token;
    this.#madeAt[place] = within;
    return token;
  }

  /** Whether the token at this index is the given symbol of one character. */
  isSymbol(index: number, letter: string): boolean {
    const start = this.#starts[index] ?? 0;
    return (
      this.#kinds[index] === SYMBOL_KIND &&
      this.#text[start] === letter &&
      this.#ends[index] === start + 1
    );
  }

  #make(index: number): Token {
    const [kindAt = 0, offset = 0, end = 0] = [
      this.#kinds[index],
      this.#starts[index],
      this.#ends[index],
    ];
    const kind = KINDS[kindAt] ?? 'end';
    const [line, column] = this.#place(offset);
    if (kind === 'end') {
      const last = Math.max(column - 1, 1);
      return {
        kind,
        key: END,
        value: '',
        image: '',
        offset,
        line,
        column: last,
        endLine: line,
        endColumn: last,
      };
    }
    const image = this.#text.slice(offset, end);
    const [endLine, endColumn] =
      kind === 'string' || kind === 'name'
        ? this.#place(end - 1)
        : [line, column + end - offset - 1];
    return {
      kind,
      key: keyOf(kind, image),
      value: this.#valueOf(kind, image, index, line, column),
      image,
      offset,
      line,
      column,
      endLine,
      endColumn,
    };
  }

  #valueOf(
    kind: Token['kind'],
    image: string,
    index: number,
    line: number,
    column: number,
  ): string {
    if (kind !== 'string' && kind !== 'name' && kind !== 'binary') {
      return image;
    }
    const quote = image.endsWith("'") ? "'" : '"';
    const opening = image.indexOf(quote);
    const inner = image.slice(opening + 1, -1);
    const value = inner.includes(quote) ? inner.replaceAll(quote + quote, quote) : inner;
    return opening === UNICODE_MARK.length && image[1] === '&'
      ? resolveUnicode(value, this.#escapeMark(index), line, column)
      : value;
  }

  // U&'...' UESCAPE '!'
  #escapeMark(index: number): string {
    const [next, chosen] = [index + 1, index + 2].map((other) =>
      other < this.length ? this.#text.slice(this.#starts[other], this.#ends[other]) : '',
    );
    return next?.toUpperCase() === 'UESCAPE' && chosen?.startsWith("'")
      ? chosen.slice(1, -1).replaceAll("''", "'")
      : '\\';
  }

  /** Line and column of an offset, from 1. */
  #place(offset: number): readonly [line: number, column: number] {
    this.#lineStarts ??= lineStartsIn(this.#text);
    const starts = this.#lineStarts;
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return [low + 1, offset - (starts[low] ?? 0) + 1];
  }
}

const KEPT = 16;

const keyOf = (kind: Token['kind'], image: string): string =>
  kind === 'word' ? image.toUpperCase() : kind === 'symbol' ? image : '';

// \n, \r and \r\n end a line.
function lineStartsIn(text: string): readonly number[] {
  const starts = [0];
  for (const { 0: found, index } of text.matchAll(/\r\n?|\n/g)) {
    starts.push(index + found.length);
  }
  return starts;
}

class Scanner {
  readonly #text: string;
  #kinds = new Uint8Array(64);
  #starts = new Int32Array(64);
  #ends = new Int32Array(64);
  #length = 0;
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
  }

  tokens(): Tokens {
    while (this.#next()) {
      if (this.#length > limits.tokens.most) {
        throw limitExceeded('tokens', this.#length);
      }
    }
    return new Tokens(this.#text, this.#length, this.#kinds, this.#starts, this.#ends);
  }

  // Reads one more token; false after the last one.
  #next(): boolean {
    this.#skipBlank();
    const first = this.#text[this.#offset];
    if (first === undefined) {
      return this.#end();
    }
    if (first === "'" || first === '"') {
      return this.#readQuoted(first, 0) || this.#unpaired();
    }
    if ((first >= '0' && first <= '9') || first === '.') {
      const end = this.#endOf(NUMBER);
      if (end > this.#offset) {
        return this.#number(end);
      }
    }
    if (QUOTE_PREFIXES.has(first)) {
      const end = this.#endOf(QUOTE_PREFIX);
      if (end > this.#offset && this.#readQuoted(this.#text[end] ?? '', end - this.#offset)) {
        return true;
      }
    }
    const wordEnd = this.#endOf(WORD);
    if (wordEnd > this.#offset) {
      return this.#take('word', wordEnd);
    }
    const symbolEnd = this.#endOf(SYMBOL);
    return symbolEnd > this.#offset ? this.#take('symbol', symbolEnd) : this.#refuse();
  }

  #endOf(pattern: RegExp): number {
    pattern.lastIndex = this.#offset;
    return pattern.test(this.#text) ? pattern.lastIndex : this.#offset;
  }

  #number(end: number): boolean {
    checkLimit('digits', end - this.#offset);
    const number = this.#text.slice(this.#offset, end);
    return this.#take(
      /e/i.test(number) ? 'double' : number.includes('.') ? 'decimal' : 'integer',
      end,
    );
  }

  // Searched in a loop: a regular expression would exhaust its stack on a long text. A name ends in
  // its line. N'...' and _utf8'...' are texts, X'...' bytes.
  #readQuoted(quote: string, prefixLength: number): boolean {
    const text = this.#text;
    const start = this.#offset + prefixLength;
    let end = text.indexOf(quote, start + 1);
    while (end >= 0 && text[end + 1] === quote) {
      end = text.indexOf(quote, end + 2);
    }
    if (end < 0) {
      return false;
    }
    if (quote === '"') {
      if (end === start + 1) return false; // a name must not be empty
      if (/[\n\r]/.test(text.slice(start + 1, end))) {
        return false;
      }
      checkLimit('nameLength', end - start - 1);
    }
    if (text[this.#offset] === '_' && prefixLength > 0)
      refuseUnknownCharacters(text.slice(this.#offset + 1, start));
    const isBinary = prefixLength === 1 && (text[start - 1] === 'x' || text[start - 1] === 'X');
    return this.#take(quote === '"' ? 'name' : isBinary ? 'binary' : 'string', end + 1);
  }

  // An unclosed quote is refused by every rule of the grammar, so the text after it is skipped.
  #unpaired(): boolean {
    this.#take('symbol', this.#offset + 1);
    return this.#end();
  }

  #take(kind: Token['kind'], end: number): true {
    if (this.#length === this.#kinds.length) {
      this.#kinds = grow(this.#kinds, new Uint8Array(this.#length * 2));
      this.#starts = grow(this.#starts, new Int32Array(this.#length * 2));
      this.#ends = grow(this.#ends, new Int32Array(this.#length * 2));
    }
    this.#kinds[this.#length] = KINDS.indexOf(kind);
    this.#starts[this.#length] = this.#offset;
    this.#ends[this.#length] = end;
    this.#length += 1;
    this.#offset = end;
    return true;
  }

  #end(): false {
    this.#offset = this.#text.length;
    this.#take('end', this.#offset);
    return false;
  }

  #refuse(): never {
    const encountered = String.fromCodePoint(this.#text.codePointAt(this.#offset) ?? 0);
    const last = this.#length - 1;
    const after = /\S/.test(this.#text[this.#offset - 1] ?? '')
      ? this.#text.slice(this.#starts[last], this.#ends[last])
      : '';
    const previous = last < 0 ? '' : after;
    throw this.#lexicalError(
      `Encountered: "${encountered}" (${encountered.codePointAt(0)}), after : "${previous}"`,
    );
  }

  #lexicalError(message: string): SqlError {
    const starts = lineStartsIn(this.#text.slice(0, this.#offset));
    return new SqlError(
      `Lexical error at line ${starts.length}, column ${this.#offset - (starts.at(-1) ?? 0) + 1}.  ${message}`,
      {
        context: { sourceType: 'sql' },
      },
    );
  }

  // White space, -- and // comments to the end of the line, and block comments. A hint starts like
  // a comment: /*+.
  #skipBlank(): void {
    const text = this.#text;
    for (;;) {
      const first = text[this.#offset];
      if (first !== undefined && BLANKS.has(first)) {
        this.#offset += 1;
        continue;
      }
      const second = first === '-' || first === '/' ? text[this.#offset + 1] : undefined;
      if (second !== undefined && second === first) {
        while (
          this.#offset < text.length &&
          text[this.#offset] !== '\n' &&
          text[this.#offset] !== '\r'
        ) {
          this.#offset += 1;
        }
      } else if (first === '/' && second === '*' && text[this.#offset + 2] !== '+') {
        const end = text.indexOf('*/', this.#offset + 2);
        if (end < 0) {
          throw this.#lexicalError('Encountered: <EOF> in a comment that is never closed');
        }
        this.#offset = end + 2;
      } else {
        return;
      }
    }
  }
}

function refuseUnknownCharacters(name: string): void {
  if (CHARACTER_SETS.has(name.toLowerCase().replace(/[-_]/g, ''))) return;
  throw new SqlError(`Unknown character set '${name}'`, { context: { sourceType: 'sql' } });
}

const CHARACTER_SETS: ReadonlySet<string> = new Set([
  'ascii',
  'iso88591',
  'latin1',
  'usascii',
  'utf8',
  'utf16',
  'utf16be',
  'utf16le',
  'utf32',
]);

function grow<Array extends Uint8Array | Int32Array>(from: Array, to: Array): Array {
  to.set(from);
  return to;
}

const BLANKS: ReadonlySet<string> = new Set(' \t\n\r\f');
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const QUOTE_PREFIXES: ReadonlySet<string> = new Set('nN_xXuU');
const QUOTE_PREFIX = /(?:(?:[nN]|_[A-Za-z0-9][A-Za-z0-9_:.-]{0,60}|[xX])(?=')|[uU]&(?=['"]))/y;
const WORD = /[\p{L}\p{Nl}\p{Sc}\p{Pc}][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\p{Sc}]*/uy;
const SYMBOL = /\/\*\+|\*\/|<=|>=|<>|!=|=>|\|\||->|\.\.|<<|&&|[()[\]{};.,=<>:+\-*/%|^&?$@]/y;

// In U&'\0041', four hexadecimal digits follow the escape character, which UESCAPE can change.
function resolveUnicode(value: string, mark: string, line: number, column: number): string {
  return value.replace(
    UNICODE_ESCAPE.get(mark) ?? escapePattern(mark),
    (written, digits: string | undefined, at: number) => {
      if (digits === undefined) {
        if (written === mark + mark) {
          return mark;
        }
        throw new SqlError(
          `Unicode escape sequence starting at character ${at} is not exactly four hex digits`,
          {
            context: { sourceType: 'sql', line: String(line), column: String(column) },
          },
        );
      }
      return String.fromCharCode(Number.parseInt(digits, 16));
    },
  );
}

const escapePattern = (mark: string): RegExp => {
  const quotedMark = mark.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`${quotedMark}(?:([0-9a-fA-F]{4})|${quotedMark})?`, 'g');
};
const UNICODE_ESCAPE: ReadonlyMap<string, RegExp> = new Map([['\\', escapePattern('\\')]]);
