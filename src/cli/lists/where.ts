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
  return conditionIn(expression, tokens, columns, compile, now);
}

const withoutPattern: Compile = () => {
  throw new Error('There is no operator for a pattern');
};

function conditionIn<T>(
  expression: string,
  tokens: readonly Token[],
  columns: Columns<T> | 'any',
  compile: Compile,
  now: number,
): Condition<T> {
  let at = 0;

  const fail = (problem: string, { position }: { position: number } = peek()): never => {
    throw new UsageError(
      `--where: ${problem} at position ${position + 1}\n  ${expression}\n  ${' '.repeat(position)}^`,
    );
  };
  const peek = (): Token => tokens[at] ?? { kind: 'end', text: '', position: expression.length };
  const take = (): Token => {
    const token = peek();
    at++;
    return token;
  };
  const isNext = (text: string) => peek().kind !== 'string' && peek().text.toLowerCase() === text;
  const skip = (text: string) => isNext(text) && Boolean(take());
  const expect = (text: string) =>
    skip(text) || fail(`expected "${text}", found ${describeToken(peek())}`);

  function or(): Condition<T> {
    const parts = [and()];
    while (skip('or')) parts.push(and());
    return (row) => parts.some((part) => part(row));
  }

  function and(): Condition<T> {
    const parts = [not()];
    while (skip('and')) parts.push(not());
    return (row) => parts.every((part) => part(row));
  }

  function not(): Condition<T> {
    if (skip('not')) {
      const inner = not();
      return (row) => !inner(row);
    }
    if (skip('(')) {
      const inner = or();
      expect(')');
      return inner;
    }
    return comparison(columnHere());
  }

  function columnHere(): Column<T> {
    const token = take();
    if (token.kind === 'end' || token.kind === 'symbol')
      return fail(`expected a column, found ${describeToken(token)}`, token);
    if (columns === 'any') return { name: token.text, value: () => undefined };
    const named =
      columns.find(({ name }) => name === token.text) ??
      columns.find(({ name }) => name.toLowerCase() === token.text.toLowerCase());
    return (
      named ??
      fail(
        `no column [${token.text}] (there are ${columns.map(({ name }) => name).join(', ')})`,
        token,
      )
    );
  }

  function comparison(column: Column<T>): Condition<T> {
    const operator = peek().text.toLowerCase();
    const compare = comparisons[operator];
    if (peek().kind !== 'string' && compare) {
      take();
      const value = valueFor(column);
      return (row) => compare(ordered(column, column.value(row), value));
    }
    if (skip('~')) return matching(column, true);
    if (skip('!~')) return matching(column, false);
    if (skip('in')) {
      expect('(');
      const values = [valueFor(column)];
      while (skip(',')) values.push(valueFor(column));
      expect(')');
      return (row) => values.some((value) => ordered(column, column.value(row), value) === 0);
    }
    if (peek().kind !== 'end' && !['and', 'or', ')'].includes(operator))
      return fail(`expected a comparison after [${column.name}], found ${describeToken(peek())}`);
    return (row) => Boolean(column.value(row));
  }

  function matching(column: Column<T>, wanted: boolean): Condition<T> {
    const token = valueToken();
    let pattern: LinearRegex;
    try {
      pattern = compile(token.text);
    } catch (error) {
      return fail(`${(error as Error).message}`, token);
    }
    return (row) => pattern.matchesIn(String(column.value(row) ?? '')) === wanted;
  }

  function valueToken(): Token {
    const token = take();
    return token.kind === 'word' || token.kind === 'string'
      ? token
      : fail(`expected a value, found ${describeToken(token)}`, token);
  }

  function valueFor({ kind, name }: Column<T>): Value {
    const token = valueToken();
    if (token.kind === 'word' && token.text === 'null') return { text: '' };
    if (kind === 'time') {
      const ago = durationIn(token.text.replace(/^-/, ''));
      const time = ago === undefined ? Date.parse(token.text) : now - ago;
      return Number.isNaN(time)
        ? fail(
            `[${token.text}] is not a time for [${name}]: use 2024-05-01T12:00:00Z, or 2h for two hours ago`,
            token,
          )
        : { text: token.text, number: time };
    }
    const number = token.kind === 'string' ? undefined : numberIn(token.text, kind);
    return number === undefined ? { text: token.text } : { text: token.text, number };
  }

  const condition = tokens.length > 0 ? or() : fail('the expression is empty');
  if (peek().kind !== 'end')
    fail(`expected "and", "or" or the end, found ${describeToken(peek())}`);
  return condition;
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

function ordered<T>({ kind }: Column<T>, cell: Cell, { text, number }: Value): number | undefined {
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
        stray === '"' || stray === "'"
          ? 'this string does not end'
          : `[${stray}] means nothing here`;
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
