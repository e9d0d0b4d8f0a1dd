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
  const tokens: Token[] = [];
  let line = 1;
  let lineStart = 0;
  let offset = 0;
  let previous = '';

  // Moves over what may hold line ends; \r\n is one of them.
  const pass = (end: number): void => {
    for (; offset < end; offset += 1) {
      const code = text.charCodeAt(offset);
      if (code === LINE_FEED || (code === CARRIAGE_RETURN && text.charCodeAt(offset + 1) !== LINE_FEED)) {
        line += 1;
        lineStart = offset + 1;
      }
    }
  };
  const add = (kind: Token['kind'], key: string, value: string, end: number): void => {
    const start = offset;
    const startLine = line;
    const column = start - lineStart + 1;
    const image = text.slice(start, end);
    if (kind === 'string' || kind === 'name') {
      pass(end);
    } else {
      offset = end;
    }
    tokens.push({ kind, key, value, image, offset: start, line: startLine, column, endLine: line, endColumn: end - lineStart });
    previous = image;
  };
  const endOf = (pattern: RegExp): number => {
    pattern.lastIndex = offset;
    return pattern.test(text) ? pattern.lastIndex : -1;
  };

  while (offset < text.length) {
    const first = text[offset] ?? '';
    if (SINGLE.has(first)) {
      add('symbol', first, first, offset + 1);
      continue;
    }
    const blank = endOf(BLANK);
    if (blank > offset) {
      pass(blank);
      continue;
    }
    if (first === "'" || first === '"') {
      const end = endOf(first === "'" ? QUOTED_STRING : QUOTED_NAME);
      if (end >= 0) {
        add(first === "'" ? 'string' : 'name', '', unquoted(text.slice(offset, end)), end);
        continue;
      }
      add('symbol', first, first, offset + 1); // never closed: no rule of the grammar takes a lone quote
      continue;
    }
    const number = endOf(NUMBER);
    if (number > offset) {
      const digits = text.slice(offset, number);
      add(/e/i.test(digits) ? 'double' : digits.includes('.') ? 'decimal' : 'integer', '', digits, number);
      continue;
    }
    if (PREFIXES.has(first)) {
      const prefixed = endOf(PREFIXED_STRING);
      if (prefixed >= 0) {
        const quote = text.indexOf("'", offset);
        add('string', '', unquoted(text.slice(quote, prefixed)), prefixed);
        continue;
      }
      const binary = endOf(BINARY_STRING);
      if (binary >= 0) {
        add('binary', '', text.slice(offset + 2, binary - 1), binary);
        continue;
      }
      const unicode = endOf(UNICODE);
      if (unicode >= 0) {
        const quoted = text.slice(offset + 2, unicode);
        add(quoted.startsWith("'") ? 'string' : 'name', UNICODE_MARK, unquoted(quoted), unicode);
        continue;
      }
    }
    const word = endOf(WORD);
    if (word >= 0) {
      const written = text.slice(offset, word);
      add('word', written.toUpperCase(), written, word);
      continue;
    }
    const symbol = endOf(SYMBOL);
    if (symbol >= 0) {
      const written = text.slice(offset, symbol);
      add('symbol', written, written, symbol);
      continue;
    }
    const encountered = String.fromCodePoint(text.codePointAt(offset) ?? 0);
    throw new SqlError(
      `Lexical error at line ${line}, column ${offset - lineStart + 1}.  Encountered: "${encountered}" (${encountered.codePointAt(0)}), after : "${
        tokens.length > 0 && text[offset - 1] !== ' ' ? previous : ''
      }"`,
      { context: { sourceType: 'sql' } },
    );
  }
  const column = Math.max(offset - lineStart, 1);
  tokens.push({ kind: 'end', key: END, value: '', image: '', offset, line, column, endLine: line, endColumn: column });
  return tokens.map((token, index) => (token.key === UNICODE_MARK ? resolvedUnicode(token, tokens[index + 1], tokens[index + 2]) : token));
}

/** The key of the last token. */
export const END = '<EOF>';

const UNICODE_MARK = 'U&';

const SINGLE: ReadonlySet<string> = new Set('()[],;?+%');
const PREFIXES: ReadonlySet<string> = new Set('nN_xXuU');
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const BLANK = /(?:[ \t\n\r\f]+|(?:--|\/\/)[^\n\r]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)+/y;
const QUOTED_STRING = /'[^']*(?:''[^']*)*'/y;
const QUOTED_NAME = /"[^"\n\r]*(?:""[^"\n\r]*)*"/y;
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const PREFIXED_STRING = /(?:[nN]|_[A-Za-z0-9][A-Za-z0-9_:.-]*)'[^']*(?:''[^']*)*'/y;
const BINARY_STRING = /[xX]'[^']*'/y;
const UNICODE = /[uU]&(?:'[^']*(?:''[^']*)*'|"[^"\n\r]*(?:""[^"\n\r]*)*")/y;
const WORD = /[\p{L}\p{Nl}\p{Sc}\p{Pc}][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}\p{Sc}]*/uy;
const SYMBOL = /<=|>=|<>|!=|=>|\|\||->|\.\.|<<|&&|[()[\]{};.,=<>:+\-*/%|^&?$@]/y;

const unquoted = (quoted: string): string => {
  const quote = quoted[0] ?? '';
  const inner = quoted.slice(1, -1);
  return inner.includes(quote) ? inner.replaceAll(quote + quote, quote) : inner;
};

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
