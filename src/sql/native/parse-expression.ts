// Druid's native expression language, read into the tree of SQL, so that one table of functions gives both their meaning.
import type { Binary, Expression, Position } from '../ast.ts';
import { callOf, typedArray } from './calls.ts';
import { invalidNative, type NativeToken, tokenizeNative } from './tokenize.ts';

/**
 * An expression of the native language (docs/querying/math-expr.md) as the SQL that means the same. Two things remain to whoever knows the types:
 * `+` between texts joins them, and a number can be a condition (see `resolve.ts`).
 * @throws SqlError with the place, for a text that is no expression, an unknown function, and for lambdas
 */
export function parseNativeExpression(text: string): Expression {
  const reader = new Reader(text);
  const expression = reader.expression();
  reader.end();
  return expression;
}

// From the weakest to the strongest; && and || share one level, as in the engine's grammar.
const LEVELS: readonly Readonly<Record<string, Binary['operator']>>[] = [
  { '&&': 'AND', '||': 'OR' },
  { '<': '<', '<=': '<=', '>': '>', '>=': '>=', '==': '=', '!=': '<>' },
  { '+': '+', '-': '-' },
  { '*': '*', '/': '/', '%': '%' },
];

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

  expression(): Expression {
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

  #level(index: number): Expression {
    const operators = LEVELS[index];
    if (operators === undefined) {
      return this.#power();
    }
    const start = this.#token;
    let left = this.#level(index + 1);
    for (let length = 0; this.#token.kind === 'symbol'; length += 1) {
      const operator = operators[this.#token.value];
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

  // a ^ b ^ c is a ^ (b ^ c).
  #power(): Expression {
    const start = this.#token;
    const base = this.#sign();
    if (!this.#accept('^')) {
      return base;
    }
    const exponent = this.#nested(() => this.#power());
    return { kind: 'call', name: 'POWER', nameAt: start.at, args: [base, exponent], at: this.#since(start.at) };
  }

  #sign(): Expression {
    const { kind, value, at } = this.#token;
    if (kind !== 'symbol' || (value !== '-' && value !== '!')) {
      return this.#primary();
    }
    this.#index += 1;
    const operand = this.#nested(() => this.#sign());
    return { kind: 'unary', operator: value === '-' ? '-' : 'NOT', operand, at: this.#since(at) };
  }

  #nested(rule: () => Expression): Expression {
    this.#depth += 1;
    if (this.#depth > DEEPEST) {
      this.#fail(`it is nested too deeply, at most [${DEEPEST}] levels are understood`);
    }
    const expression = rule();
    this.#depth -= 1;
    return expression;
  }

  #primary(): Expression {
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
        return this.#named(value, image.startsWith('"'), at);
      case 'symbol':
        return this.#symbol(value, at);
      case 'end':
        this.#index -= 1;
        return this.#fail('expected a value, but found the end');
    }
  }

  #named(name: string, quoted: boolean, at: Position): Expression {
    if (!quoted && this.#token.value === '->' && this.#token.kind === 'symbol') {
      this.#refuseLambda();
    }
    if (!quoted && this.#at('(')) {
      const args = this.#list('(', ')');
      return callOf({ text: this.#text, name, nameAt: at, args, at: this.#since(at) });
    }
    const array = !quoted && /^(?:array|long|double|string)$/i.test(name) ? this.#typedArray(at) : undefined;
    if (array !== undefined) {
      return array;
    }
    if (!quoted && name.toLowerCase() === 'null') {
      return { kind: 'literal', type: 'null', text: 'NULL', at };
    }
    return { kind: 'identifier', names: [name], quoted: [true], at };
  }

  // ARRAY<LONG>[1, 2]
  #typedArray(start: Position): Expression | undefined {
    const [less, element, greater, bracket] = this.#tokens.slice(this.#index, this.#index + 4);
    if (less?.value !== '<' || element?.kind !== 'name' || greater?.value !== '>' || bracket?.value !== '[') {
      return undefined;
    }
    this.#index += 3;
    return typedArray(this.#list('[', ']'), element.value, this.#since(start), this.#text);
  }

  // <LONG>[1, 2]: the `<` is read already.
  #typedBrackets(start: Position): Expression | undefined {
    const [element, greater, bracket] = this.#tokens.slice(this.#index, this.#index + 3);
    if (element?.kind !== 'name' || greater?.value !== '>' || bracket?.value !== '[') {
      return undefined;
    }
    this.#index += 2;
    return typedArray(this.#list('[', ']'), element.value, this.#since(start), this.#text);
  }

  #symbol(value: string, at: Position): Expression {
    if (value === '[') {
      this.#index -= 1;
      return typedArray(this.#list('[', ']'), undefined, this.#since(at), this.#text);
    }
    const typed = value === '<' ? this.#typedBrackets(at) : undefined;
    if (typed !== undefined) {
      return typed;
    }
    if (value !== '(') {
      this.#index -= 1;
      return this.#fail(`expected a value, but found [${value}]`);
    }
    if (this.#lambdaFollows()) {
      this.#refuseLambda();
    }
    const inner = this.expression();
    this.#expect(')');
    return { ...inner, at: this.#since(at) };
  }

  // (x, y) -> ...
  #lambdaFollows(): boolean {
    let index = this.#index;
    while (this.#tokens[index]?.kind === 'name' || this.#tokens[index]?.value === ',') {
      index += 1;
    }
    return this.#tokens[index]?.value === ')' && this.#tokens[index + 1]?.value === '->';
  }

  #refuseLambda(): never {
    return this.#fail('functions that take a lambda are not available here; use UNNEST in a query instead');
  }

  #list(open: string, close: string): Expression[] {
    this.#expect(open);
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
