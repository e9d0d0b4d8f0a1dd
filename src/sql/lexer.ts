// Text to tokens, by the lexical rules of Calcite's grammar as Druid configures it: "names" in double quotes, unquoted names keep their case.
import type { Position } from './ast.ts';
import { SqlError } from './sql-error.ts';

export interface Token extends Position {
  readonly kind: 'word' | 'name' | 'string' | 'binary' | 'integer' | 'decimal' | 'double' | 'symbol' | 'end';
  readonly key: string; // what the grammar asks for: a word in upper case, a symbol; empty for all others
  readonly value: string; // the word as written; a string or a name without quotes; the digits
  readonly image: string; // as written
  readonly offset: number; // of its first character in the text
}

/**
 * The tokens of a text, an `end` token last (it stands on the last character).
 * @throws SqlError when a character belongs to no token, in the engine's words
 */
export function tokenize(text: string): Token[] {
  const scanner = new Scanner(text);
  const tokens: Token[] = [];
  for (;;) {
    const token = scanner.next();
    tokens.push(token);
    if (token.kind === 'end') {
      return tokens.map((each, index) => (each.key === UNICODE_MARK ? resolvedUnicode(each, tokens[index + 1], tokens[index + 2]) : each));
    }
  }
}

/** The key of the last token. */
export const END = '<EOF>';

const UNICODE_MARK = 'U&';

class Scanner {
  readonly #text: string;
  #offset = 0;
  #line = 1;
  #lineStart = 0;
  #previous = '';

  constructor(text: string) {
    this.#text = text;
  }

  next(): Token {
    this.#skipBlank();
    const first = this.#text[this.#offset];
    if (first === undefined) {
      return this.#end();
    }
    if (first === "'" || first === '"') {
      return this.#quoted(first, 0, '') ?? this.#take('symbol', first, first, this.#offset + 1);
    }
    const number = this.#match(NUMBER);
    if (number !== '') {
      const kind = /e/i.test(number) ? 'double' : number.includes('.') ? 'decimal' : 'integer';
      return this.#take(kind, '', number, this.#offset + number.length);
    }
    const prefix = QUOTE_PREFIXES.has(first) ? this.#match(QUOTE_PREFIX) : '';
    const prefixed = prefix === '' ? undefined : this.#prefixed(prefix);
    if (prefixed !== undefined) {
      return prefixed;
    }
    const word = this.#match(WORD);
    if (word !== '') {
      return this.#take('word', word.toUpperCase(), word, this.#offset + word.length);
    }
    const symbol = this.#match(SYMBOL);
    return symbol === '' ? this.#refuse() : this.#take('symbol', symbol, symbol, this.#offset + symbol.length);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#offset;
    return pattern.exec(this.#text)?.[0] ?? '';
  }

  // N'...' and _utf8'...' are texts, X'...' bytes, U&'...' and U&"..." have escapes.
  #prefixed(prefix: string): Token | undefined {
    const quote = this.#text[this.#offset + prefix.length] ?? '';
    const mark = prefix.toUpperCase();
    return this.#quoted(quote, prefix.length, mark === UNICODE_MARK ? UNICODE_MARK : '', mark === 'X' ? 'binary' : undefined);
  }

  // Searched by hand: a pattern would exhaust its stack on a long text. A name ends in its line.
  #quoted(quote: string, prefixLength: number, key: string, kind: Token['kind'] = quote === "'" ? 'string' : 'name'): Token | undefined {
    const start = this.#offset + prefixLength;
    let end = this.#text.indexOf(quote, start + 1);
    while (end >= 0 && this.#text[end + 1] === quote) {
      end = this.#text.indexOf(quote, end + 2);
    }
    if (end < 0) {
      return undefined;
    }
    const inner = this.#text.slice(start + 1, end);
    if (kind === 'name' && /[\n\r]/.test(inner)) {
      return undefined;
    }
    return this.#take(kind, key, inner.replaceAll(quote + quote, quote), end + 1);
  }

  #take(kind: Token['kind'], key: string, value: string, end: number): Token {
    const offset = this.#offset;
    const line = this.#line;
    const column = offset - this.#lineStart + 1;
    const image = this.#text.slice(offset, end);
    this.#pass(end);
    this.#previous = image;
    return { kind, key, value, image, offset, line, column, endLine: this.#line, endColumn: end - this.#lineStart };
  }

  #end(): Token {
    const column = Math.max(this.#offset - this.#lineStart, 1);
    return {
      kind: 'end',
      key: END,
      value: '',
      image: '',
      offset: this.#offset,
      line: this.#line,
      column,
      endLine: this.#line,
      endColumn: column,
    };
  }

  #refuse(): never {
    const encountered = String.fromCodePoint(this.#text.codePointAt(this.#offset) ?? 0);
    const after = /\S/.test(this.#text[this.#offset - 1] ?? '') ? this.#previous : '';
    throw new SqlError(
      `Lexical error at line ${this.#line}, column ${this.#offset - this.#lineStart + 1}.  Encountered: "${encountered}" (${encountered.codePointAt(0)}), after : "${after}"`,
      { context: { sourceType: 'sql' } },
    );
  }

  #refuseOpenComment(): never {
    throw new SqlError(
      `Lexical error at line ${this.#line}, column ${this.#offset - this.#lineStart + 1}.  Encountered: <EOF> in a comment that is never closed`,
      { context: { sourceType: 'sql' } },
    );
  }

  // White space, -- and // comments to the end of the line, and block comments.
  #skipBlank(): void {
    const text = this.#text;
    for (;;) {
      const first = text[this.#offset];
      const second = text[this.#offset + 1];
      if (first !== undefined && BLANKS.has(first)) {
        this.#pass(this.#offset + 1);
      } else if ((first === '-' || first === '/') && second === first) {
        let end = this.#offset;
        while (end < text.length && text[end] !== '\n' && text[end] !== '\r') {
          end += 1;
        }
        this.#pass(end);
      } else if (first === '/' && second === '*') {
        const end = text.indexOf('*/', this.#offset + 2);
        this.#pass(end < 0 ? this.#refuseOpenComment() : end + 2);
      } else {
        return;
      }
    }
  }

  // Moves on and counts the lines; \r\n ends one.
  #pass(end: number): void {
    for (; this.#offset < end; this.#offset += 1) {
      const code = this.#text.charCodeAt(this.#offset);
      if (code === LINE_FEED || (code === CARRIAGE_RETURN && this.#text.charCodeAt(this.#offset + 1) !== LINE_FEED)) {
        this.#line += 1;
        this.#lineStart = this.#offset + 1;
      }
    }
  }
}

const BLANKS: ReadonlySet<string> = new Set(' \t\n\r\f');
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const QUOTE_PREFIXES: ReadonlySet<string> = new Set('nN_xXuU');
const QUOTE_PREFIX = /(?:(?:[nN]|_[A-Za-z0-9][A-Za-z0-9_:.-]*|[xX])(?=')|[uU]&(?=['"]))/y;
const WORD = /[\p{L}\p{Nl}\p{Sc}\p{Pc}][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\p{Sc}]*/uy;
const SYMBOL = /<=|>=|<>|!=|=>|\|\||->|\.\.|<<|&&|[()[\]{};.,=<>:+\-*/%|^&?$@]/y;

// U&'\0041' takes four hexadecimal digits after the escape character, which UESCAPE can change.
function resolvedUnicode(token: Token, next: Token | undefined, chosen: Token | undefined): Token {
  const mark = next?.key === 'UESCAPE' && chosen?.kind === 'string' ? chosen.value : '\\';
  const value = token.value.replace(UNICODE_ESCAPE.get(mark) ?? escapePattern(mark), (written, digits: string | undefined) => {
    if (digits === undefined) {
      if (written === mark + mark) {
        return mark;
      }
      throw new SqlError(`Unicode escape sequence starting at character ${token.value.indexOf(written)} is not exactly four hex digits`, {
        context: { sourceType: 'sql', line: String(token.line), column: String(token.column) },
      });
    }
    return String.fromCharCode(Number.parseInt(digits, 16));
  });
  return { ...token, key: '', value };
}

const escapePattern = (mark: string): RegExp => {
  const quotedMark = mark.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`${quotedMark}(?:([0-9a-fA-F]{4})|${quotedMark})?`, 'g');
};
const UNICODE_ESCAPE: ReadonlyMap<string, RegExp> = new Map([['\\', escapePattern('\\')]]);
