// JSON parser that behaves like the engine's: it reads the first value of a text, the last of equal
// keys wins, and each scalar becomes the text that the engine prints for it.

import { doubleText } from '../../model/java-text.ts';
import { endOfString } from '../../model/json.ts';

/** A value of JSON: an object, a list, or the text of a scalar. */
export type Nested = string | readonly Nested[] | ReadonlyMap<string, Nested>;

/** Parses the first value of a text. Throws SyntaxError. */
export function readNested(text: string): Nested {
  const reader = new NestedReader(text);
  const value = reader.value();
  if (typeof value === 'string' && /\d$/.test(value)) reader.endNumber();
  return value;
}

/** The value as JSON without white space. */
export function formatNested(value: Nested): string {
  const parts: string[] = [];
  write(value, parts);
  return parts.join('');
}

function write(value: Nested, parts: string[]): void {
  if (typeof value === 'string') {
    parts.push(value);
    return;
  }
  const isMap = value instanceof Map;
  parts.push(isMap ? '{' : '[');
  let separator = '';
  for (const [key, item] of value.entries()) {
    parts.push(separator);
    if (isMap) parts.push(quote(String(key)), ':');
    write(item, parts);
    separator = ',';
  }
  parts.push(isMap ? '}' : ']');
}

class NestedReader {
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  value(): Nested {
    this.skipBlanks();
    const sign = this.text[this.at];
    if (sign === '{') return this.object();
    if (sign === '[') return this.list();
    if (sign === '"') return this.string();
    if (sign === '-' || isDigit(sign)) return this.number();
    return this.word();
  }

  // Outside objects and lists, only white space may follow a number.
  endNumber(): void {
    const next = this.text[this.at];
    if (next !== undefined && !' \n\r\t'.includes(next)) throw this.unexpected();
  }

  private object(): ReadonlyMap<string, Nested> {
    const fields = new Map<string, Nested>();
    this.at++;
    if (this.accept('}')) return fields;
    do {
      this.skipBlanks();
      if (this.text[this.at] !== '"') throw this.unexpected();
      const key: unknown = JSON.parse(this.string());
      if (!this.accept(':')) throw this.unexpected();
      fields.set(String(key), this.value());
    } while (this.accept(','));
    if (!this.accept('}')) throw this.unexpected();
    return fields;
  }

  private list(): readonly Nested[] {
    const items: Nested[] = [];
    this.at++;
    if (this.accept(']')) return items;
    do items.push(this.value());
    while (this.accept(','));
    if (!this.accept(']')) throw this.unexpected();
    return items;
  }

  private string(): string {
    const start = this.at;
    this.at = endOfString(this.text, start);
    const token = this.text.slice(start, this.at);
    const value: unknown = JSON.parse(token);
    return token.includes('\\') ? quote(String(value)) : token;
  }

  private number(): string {
    const number = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
    number.lastIndex = this.at;
    const [token, fraction, exponent] = number.exec(this.text) ?? [];
    if (token === undefined || /[\d.eE]/.test(this.text[number.lastIndex] ?? ''))
      throw this.unexpected();
    this.at = number.lastIndex;
    if (fraction === undefined && exponent === undefined) return token === '-0' ? '0' : token;
    const double = Number(token);
    return Number.isFinite(double) ? doubleText(double) : `"${doubleText(double)}"`;
  }

  private word(): string {
    const word = ['true', 'false', 'null'].find((known) => this.text.startsWith(known, this.at));
    if (word === undefined) throw this.unexpected();
    this.at += word.length;
    if (/[\p{L}\p{N}_$]/u.test(this.text[this.at] ?? '')) throw this.unexpected();
    return word;
  }

  private accept(sign: string): boolean {
    this.skipBlanks();
    if (this.text[this.at] !== sign) return false;
    this.at++;
    return true;
  }

  private skipBlanks(): void {
    while (' \n\r\t'.includes(this.text[this.at] ?? 'x')) this.at++;
  }

  private unexpected(): SyntaxError {
    return new SyntaxError(`Unexpected text at ${this.at}`);
  }
}

const isDigit = (sign: string | undefined): boolean =>
  sign !== undefined && sign >= '0' && sign <= '9';

// Control characters have upper-case hexadecimal digits, as in Jackson. DuckDB does not accept half
// of a surrogate pair.
const quote = (text: string): string =>
  JSON.stringify(text.toWellFormed()).replace(/\\(?:u00(..)|.)/g, (found, digits?: string) =>
    digits ? `\\u00${digits.toUpperCase()}` : found,
  );
