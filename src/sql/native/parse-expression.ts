// Parser of Druid's native expression language (docs/querying/math-expr.md).
import type { Literal, Position } from '../ast.ts';
import { checkApplication } from './applications.ts';
import { checkCall } from './calls.ts';
import type { NativeExpression, NativeOperator } from './native-expression.ts';
import { invalidNative, type NativeToken, tokenizeNative } from './tokenize.ts';

/**
 * Parses an expression of the native language; `resolve.ts` resolves it.
 * Throws SqlError with its position, for an invalid expression, an unknown function or a wrong
 * number of arguments.
 */
export function parseNativeExpression(text: string): NativeExpression {
  const reader = new Reader(text);
  const expression = reader.expression();
  reader.end();
  return expression;
}

// From the lowest to the highest precedence. && and || share one level, as in the engine's grammar.
const LEVELS: readonly (readonly NativeOperator[])[] = [
  ['&&', '||'],
  ['<', '<=', '>', '>=', '==', '!='],
  ['+', '-'],
  ['*', '/', '%'],
];

// Element types that an array can declare: ARRAY<LONG>[1], <LONG>[1].
const ELEMENTS = /^(?:LONG|DOUBLE|STRING|COMPLEX<\w+>)$/;

const DEEPEST = 200;
const LONGEST_CHAIN = 1000;

class Reader {
  readonly #text: string;
  readonly #tokens: readonly NativeToken[];
  #index = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokenizeNative(text);
  }

  expression(): NativeExpression {
    this.#depth += 1;
    if (this.#depth > DEEPEST) {
      this.#fail(`it is nested too deeply, at most [${DEEPEST}] levels are understood`);
    }
    const expression = this.#level(0);
    this.#depth -= 1;
    return expression;
  }

  end(): void {
    if (this.#token.kind !== 'end') {
      this.#fail(`expected the end, an operator or [,], but found [${this.#token.image}]`);
    }
  }

  #level(index: number): NativeExpression {
    const operators = LEVELS[index];
    if (operators === undefined) {
      return this.#power();
    }
    const start = this.#token;
    let left = this.#level(index + 1);
    for (let length = 0; this.#token.kind === 'symbol'; length += 1) {
      const operator = operators.find((symbol) => symbol === this.#token.value);
      if (operator === undefined) {
        break;
      }
      if (length >= LONGEST_CHAIN) {
        this.#fail(`it has more than [${LONGEST_CHAIN}] operators in a row`);
      }
      this.#index += 1;
      const right = this.#level(index + 1);
      left = { kind: 'binary', operator, left, right, at: this.#since(start.at) };
    }
    return left;
  }

  // Right-associative: a ^ b ^ c is a ^ (b ^ c).
  #power(): NativeExpression {
    const start = this.#token;
    const base = this.#sign();
    if (!this.#accept('^')) {
      return base;
    }
    const exponent = this.#nest(() => this.#power());
    return {
      kind: 'binary',
      operator: '^',
      left: base,
      right: exponent,
      at: this.#since(start.at),
    };
  }

  #sign(): NativeExpression {
    const { kind, value, at } = this.#token;
    if (kind !== 'symbol' || (value !== '-' && value !== '!')) {
      return this.#primary();
    }
    this.#index += 1;
    const operand = this.#nest(() => this.#sign());
    return { kind: 'unary', operator: value, operand, at: this.#since(at) };
  }

  #nest(rule: () => NativeExpression): NativeExpression {
    this.#depth += 1;
    if (this.#depth > DEEPEST) {
      this.#fail(`it is nested too deeply, at most [${DEEPEST}] levels are understood`);
    }
    const expression = rule();
    this.#depth -= 1;
    return expression;
  }

  #primary(): NativeExpression {
    const { kind, value, image, at } = this.#token;
    this.#index += 1;
    switch (kind) {
      case 'string':
        return { kind: 'literal', type: 'string', text: value, at };
      case 'long':
        return { kind: 'literal', type: 'integer', text: value, at };
      case 'double':
        return { kind: 'literal', type: 'double', text: value, at };
      case 'name':
        return this.#readName(value, image.startsWith('"'), at);
      case 'symbol':
        return this.#symbol(value, at);
      case 'end':
        this.#index -= 1;
        return this.#fail('expected a value, but found the end');
    }
  }

  #readName(name: string, quoted: boolean, at: Position): NativeExpression {
    if (quoted) return { kind: 'name', name, at };
    if (this.#at('(')) return this.#readCall(name.toLowerCase(), name, at);
    const element = name === 'ARRAY' && this.#at('<') ? this.#elementType() : undefined;
    if (element !== undefined) return this.#array(element, at);
    if (name.toLowerCase() === 'null') return { kind: 'literal', type: 'null', text: 'NULL', at };
    if (name === 'NaN' || name === 'Infinity')
      return { kind: 'literal', type: 'double', text: name, at };
    return { kind: 'name', name, at };
  }

  #readCall(name: string, written: string, at: Position): NativeExpression {
    this.#expect('(');
    const parameters = this.#parameters();
    if (parameters === undefined) {
      const args = this.#list(')');
      checkCall(this.#text, name, written, args.length, at);
      return { kind: 'call', text: this.#text, name, nameAt: at, args, at: this.#since(at) };
    }
    const body = this.expression();
    const args = this.#accept(',') ? this.#list(')') : [];
    if (args.length === 0) this.#accept(')');
    checkApplication(this.#text, name, written, parameters.length, args.length, at);
    return {
      kind: 'application',
      text: this.#text,
      name,
      nameAt: at,
      parameters,
      body,
      args,
      at: this.#since(at),
    };
  }

  // `x ->` or `(x, y) ->`, the first argument of a function that applies a lambda.
  #parameters(): readonly string[] | undefined {
    const [first, second] = this.#tokens.slice(this.#index, this.#index + 2);
    if (first?.kind === 'name' && second?.value === '->' && second.kind === 'symbol') {
      this.#index += 2;
      return [first.value];
    }
    if (first?.kind !== 'symbol' || first.value !== '(') return undefined;
    const names: string[] = [];
    let index = this.#index + 1;
    while (this.#tokens[index]?.kind === 'name') {
      names.push(this.#tokens[index]?.value ?? '');
      index += 1;
      if (this.#tokens[index]?.value !== ',') break;
      index += 1;
    }
    if (this.#tokens[index]?.value !== ')' || this.#tokens[index + 1]?.value !== '->')
      return undefined;
    this.#index = index + 2;
    return names;
  }

  // `<LONG>[`, with the `<` not yet consumed; undefined for any other input.
  #elementType(): string | undefined {
    const from = this.#index + 1;
    const end = this.#tokens.findIndex((token, index) => index >= from && token.value === '[');
    if (end < 0) return undefined;
    const written = this.#tokens.slice(from, end).map(({ image }) => image);
    const element = written.slice(0, -1).join('');
    if (written.at(-1) !== '>' || !ELEMENTS.test(element)) return undefined;
    this.#index = end;
    return element;
  }

  // An array of literals.
  #array(element: string | undefined, at: Position): NativeExpression {
    this.#expect('[');
    const items = this.#list(']').map((item): Literal => {
      if (item.kind === 'literal') return item;
      throw invalidNative(
        this.#text,
        item.at,
        'an array in brackets has literals only; use array(...) for other values',
      );
    });
    return { kind: 'array', items, ...(element !== undefined && { element }), at: this.#since(at) };
  }

  #symbol(value: string, at: Position): NativeExpression {
    this.#index -= 1;
    if (value === '[') return this.#array(undefined, at);
    const element = value === '<' ? this.#elementType() : undefined;
    if (element !== undefined) return this.#array(element, at);
    if (value !== '(') {
      return this.#fail(`expected a value, but found [${value}]`);
    }
    if (this.#parameters() !== undefined)
      return this.#fail(
        'a lambda is only allowed as the first argument of a function that applies it',
      );
    this.#expect('(');
    const inner = this.expression();
    this.#expect(')');
    return { ...inner, at: this.#since(at) };
  }

  // A list up to its closing token.
  #list(close: string): NativeExpression[] {
    if (this.#accept(close)) {
      return [];
    }
    const items = [this.expression()];
    while (this.#accept(',')) {
      items.push(this.expression());
    }
    this.#expect(close);
    return items;
  }

  get #token(): NativeToken {
    const token = this.#tokens[Math.min(this.#index, this.#tokens.length - 1)];
    if (token === undefined) {
      throw new Error('An expression has at least its end');
    }
    return token;
  }

  #at(symbol: string): boolean {
    return this.#token.kind === 'symbol' && this.#token.value === symbol;
  }

  #accept(symbol: string): boolean {
    const found = this.#at(symbol);
    this.#index += found ? 1 : 0;
    return found;
  }

  #expect(symbol: string): void {
    if (!this.#accept(symbol)) {
      this.#fail(`expected [${symbol}], but found [${this.#token.image}]`);
    }
  }

  #since({ line, column }: Position): Position {
    const { endLine, endColumn } = this.#tokens[this.#index - 1]?.at ?? this.#token.at;
    return { line, column, endLine, endColumn };
  }

  #fail(reason: string): never {
    throw invalidNative(this.#text, this.#token.at, reason);
  }
}
