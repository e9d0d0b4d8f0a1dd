// --where: a condition over the columns of a list, as in `status = FAILED and (duration > 5m or
// datasource ~ "^web")`.
//
//   or       := and { "or" and }
//   and      := not { "and" not }
//   not      := "not" not | "(" or ")" | column [ comparison ]
//   comparison := ( = | == | != | < | <= | > | >= ) value | ( ~ | !~ ) regular expression | "in" "(" value { "," value } ")"
//
// Regular expressions are RE2: their run time is linear in the length of the cell, even for hostile
// values from the server. A value is a word, a quoted string, a number, a duration (90s, 1h30m), or
// a size (10KiB, 2GB). Times compare with an ISO time or an age.

import type { LinearRegex } from '../../model/linear-regex.ts';
import { durationIn } from '../input/duration.ts';
import { UsageError } from '../process/errors.ts';
import { type Cell, type Column, type Columns, comparable } from './columns.ts';

type Condition<T> = (row: T) => boolean;
type Compile = (pattern: string) => LinearRegex;

/**
 * Compiles an expression; rejects with a usage error that points at the wrong place. With unknown
 * columns, only the syntax is checked.
 */
export async function conditionOf<T>(
  expression: string,
  columns: Columns<T> | 'any',
  now = Date.now(),
): Promise<Condition<T>> {
  const tokens = tokensOf(expression);
  const hasPattern = tokens.some(
    ({ kind, text }) => kind === 'symbol' && (text === '~' || text === '!~'),
  );
  const compile = hasPattern
    ? (await import('../../model/linear-regex.ts')).linearRegex
    : withoutPattern;
  return new ConditionParser(expression, tokens, columns, compile, now).parse();
}

const withoutPattern: Compile = () => {
  throw new Error('There is no operator for a pattern');
};

class ConditionParser<T> {
  readonly #expression: string;
  readonly #tokens: readonly Token[];
  readonly #columns: Columns<T> | 'any';
  readonly #compile: Compile;
  readonly #now: number;
  #at = 0;

  constructor(
    expression: string,
    tokens: readonly Token[],
    columns: Columns<T> | 'any',
    compile: Compile,
    now: number,
  ) {
    this.#expression = expression;
    this.#tokens = tokens;
    this.#columns = columns;
    this.#compile = compile;
    this.#now = now;
  }

  parse(): Condition<T> {
    const condition =
      this.#tokens.length > 0 ? this.#parseOr() : this.#fail('the expression is empty');
    if (this.#peek().kind !== 'end')
      this.#fail(`expected "and", "or" or the end, found ${describeToken(this.#peek())}`);
    return condition;
  }

  #fail(problem: string, { position }: { readonly position: number } = this.#peek()): never {
    throw new UsageError(
      `--where: ${problem} at position ${position + 1}\n  ${this.#expression}\n  ${' '.repeat(position)}^`,
    );
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '', position: this.#expression.length };
  }

  #take(): Token {
    const token = this.#peek();
    this.#at++;
    return token;
  }

  #skip(text: string): boolean {
    const { kind, text: next } = this.#peek();
    return kind !== 'string' && next.toLowerCase() === text && Boolean(this.#take());
  }

  #expect(text: string): void {
    if (!this.#skip(text)) this.#fail(`expected "${text}", found ${describeToken(this.#peek())}`);
  }

  #parseOr(): Condition<T> {
    const parts = [this.#parseAnd()];
    while (this.#skip('or')) parts.push(this.#parseAnd());
    return (row) => parts.some((part) => part(row));
  }

  #parseAnd(): Condition<T> {
    const parts = [this.#parseNot()];
    while (this.#skip('and')) parts.push(this.#parseNot());
    return (row) => parts.every((part) => part(row));
  }

  #parseNot(): Condition<T> {
    if (this.#skip('not')) {
      const inner = this.#parseNot();
      return (row) => !inner(row);
    }
    if (this.#skip('(')) {
      const inner = this.#parseOr();
      this.#expect(')');
      return inner;
    }
    return this.#parseComparison(this.#takeColumn());
  }

  #takeColumn(): Column<T> {
    const token = this.#take();
    if (token.kind === 'end' || token.kind === 'symbol')
      return this.#fail(`expected a column, found ${describeToken(token)}`, token);
    if (this.#columns === 'any') return { name: token.text, value: () => undefined };
    const named =
      this.#columns.find(({ name }) => name === token.text) ??
      this.#columns.find(({ name }) => name.toLowerCase() === token.text.toLowerCase());
    return (
      named ??
      this.#fail(
        `no column [${token.text}] (there are ${this.#columns.map(({ name }) => name).join(', ')})`,
        token,
      )
    );
  }

  #parseComparison(column: Column<T>): Condition<T> {
    const operator = this.#peek().text.toLowerCase();
    const compare = comparisons[operator];
    if (this.#peek().kind !== 'string' && compare) {
      this.#take();
      const value = this.#takeValue(column);
      return (row) => compare(compareCell(column, column.value(row), value));
    }
    if (this.#skip('~')) return this.#parseMatch(column, true);
    if (this.#skip('!~')) return this.#parseMatch(column, false);
    if (this.#skip('in')) {
      this.#expect('(');
      const values = [this.#takeValue(column)];
      while (this.#skip(',')) values.push(this.#takeValue(column));
      this.#expect(')');
      return (row) => values.some((value) => compareCell(column, column.value(row), value) === 0);
    }
    if (this.#peek().kind !== 'end' && !['and', 'or', ')'].includes(operator))
      return this.#fail(
        `expected a comparison after [${column.name}], found ${describeToken(this.#peek())}`,
      );
    return (row) => Boolean(column.value(row));
  }

  #parseMatch(column: Column<T>, wanted: boolean): Condition<T> {
    const token = this.#takeValueToken();
    let pattern: LinearRegex;
    try {
      pattern = this.#compile(token.text);
    } catch (error) {
      return this.#fail(`${(error as Error).message}`, token);
    }
    return (row) => pattern.matchesIn(String(column.value(row) ?? '')) === wanted;
  }

  #takeValueToken(): Token {
    const token = this.#take();
    return token.kind === 'word' || token.kind === 'string'
      ? token
      : this.#fail(`expected a value, found ${describeToken(token)}`, token);
  }

  #takeValue({ kind, name }: Column<T>): Value {
    const token = this.#takeValueToken();
    if (token.kind === 'word' && token.text === 'null') return { text: '' };
    if (kind === 'time') {
      const ago = durationIn(token.text.replace(/^-/, ''));
      const time = ago === undefined ? Date.parse(token.text) : this.#now - ago;
      return Number.isNaN(time)
        ? this.#fail(
            `[${token.text}] is not a time for [${name}]: use 2024-05-01T12:00:00Z, or 2h for two hours ago`,
            token,
          )
        : { text: token.text, number: time };
    }
    const number = token.kind === 'string' ? undefined : numberIn(token.text, kind);
    return number === undefined ? { text: token.text } : { text: token.text, number };
  }
}

interface Token {
  readonly kind: 'word' | 'string' | 'symbol' | 'end';
  readonly text: string;
  readonly position: number;
}

interface Value {
  readonly text: string;
  readonly number?: number | bigint;
}

// A missing value is neither smaller nor larger than another.
const comparisons: Readonly<Record<string, (order: number | undefined) => boolean>> = {
  '=': (order) => order === 0,
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order !== undefined && order < 0,
  '<=': (order) => order !== undefined && order <= 0,
  '>': (order) => order !== undefined && order > 0,
  '>=': (order) => order !== undefined && order >= 0,
};

function compareCell<T>(
  { kind }: Column<T>,
  cell: Cell,
  { text, number }: Value,
): number | undefined {
  const left = comparable(kind, cell);
  if (left === undefined) return text === '' ? 0 : undefined;
  if (typeof left !== 'string' && typeof cell !== 'boolean' && number !== undefined)
    return left < number ? -1 : Number(left > number);
  const [one, other] =
    kind === 'state' || typeof cell === 'boolean'
      ? [String(cell).toLowerCase(), text.toLowerCase()]
      : [String(cell), text];
  return one < other ? -1 : Number(one > other);
}

function tokensOf(expression: string): Token[] {
  const tokens: Token[] = [];
  const pattern =
    /\s*(?:("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(==|!=|<=|>=|!~|[=<>~(),])|([^\s=<>~(),!"']+)|(\S))/gy;
  for (let match = pattern.exec(expression); match; match = pattern.exec(expression)) {
    const [whole, quoted, symbol, word, stray] = match;
    const position = match.index + whole.search(/\S/);
    if (stray !== undefined) {
      const problem =
        stray === '"' || stray === "'" ? 'this string does not end' : `[${stray}] is unexpected`;
      throw new UsageError(
        `--where: ${problem}, at position ${position + 1}\n  ${expression}\n  ${' '.repeat(position)}^`,
      );
    }
    if (quoted !== undefined)
      tokens.push({
        kind: 'string',
        text: quoted.slice(1, -1).replace(/\\(["'\\])/g, '$1'),
        position,
      });
    else
      tokens.push({
        kind: symbol === undefined ? 'word' : 'symbol',
        text: symbol ?? word ?? '',
        position,
      });
  }
  return tokens;
}

const describeToken = ({ kind, text }: Token) => (kind === 'end' ? 'the end' : `"${text}"`);

function numberIn(text: string, kind: string | undefined): number | bigint | undefined {
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
  if (/^-?\d*\.?\d+(e[+-]?\d+)?$/i.test(text)) return Number(text);
  return kind === 'bytes' ? sizeIn(text) : (durationIn(text) ?? sizeIn(text));
}

function sizeIn(text: string): number | undefined {
  const [, amount, prefix = '', binary] = /^(\d+(?:\.\d+)?)([kmgtpe]?)(i?)b$/i.exec(text) ?? [];
  return amount === undefined
    ? undefined
    : Number(amount) * (binary ? 1024 : 1000) ** ' kmgtpe'.indexOf(prefix.toLowerCase() || ' ');
}
