// Cursor over the tokens of a statement. It collects the tokens that would have been accepted at
// its position, for the error message.

import { type LimitName, limits } from '../../model/limits.ts';
import { isReserved } from '../../model/reserved-words.ts';
import type { Expression, Position, Query, StatementSize } from '../ast.ts';
import { limitExceeded } from '../limits.ts';
import { SqlError, unplannable } from '../sql-error.ts';
import { END, type Token, type Tokens } from './lexer.ts';

/** Grammar rules that refer to each other. */
export interface Grammar {
  readonly expression: (cursor: TokenCursor) => Expression;
  readonly arithmetic: (cursor: TokenCursor) => Expression; // operand that may precede IN
  readonly operand: (cursor: TokenCursor) => Expression; // an operand without operators
  readonly query: (cursor: TokenCursor) => Query;
}

export class TokenCursor {
  parameterCount = 0;
  readonly #tokens: Tokens;
  readonly #grammar: Grammar;
  readonly #closing: Int32Array; // for an opening parenthesis: the index of its closing one, or 0
  #index = 0;
  #depth = 0;
  #deepest = 0;
  #groupingSets = 0;
  #tables = 0;
  #calls = 0;
  #tried: Alternatives = [];
  #triedBefore: Alternatives = []; // at the last consumed token
  #pairedIndex = -1; // of a token that the engine's parser reads together with the one before it

  constructor(tokens: Tokens, grammar: Grammar) {
    this.#tokens = tokens;
    this.#grammar = grammar;
    this.#closing = closingParentheses(tokens);
  }

  get token(): Token {
    return this.peek(0);
  }

  get last(): Token {
    return this.peek(-1);
  }

  peek(distance: number): Token {
    return this.#tokens.at(this.#index + distance);
  }

  advance(): Token {
    const { token } = this;
    this.#consume(1);
    return token;
  }

  /** Whether the next token is this word or symbol. Does not consume it. */
  at(key: string): boolean {
    if (this.token.key === key) {
      return true;
    }
    this.#tried.push(key);
    return false;
  }

  /** As `at`, for several tokens in a row. */
  atAll(...keys: readonly string[]): boolean {
    if (keys.every((key, distance) => this.peek(distance).key === key)) {
      return true;
    }
    this.#tried.push(keys[0] ?? '');
    return false;
  }

  /** Consumes the words or symbols if all of them follow. */
  accept(...keys: readonly string[]): boolean {
    if (!(keys.length === 1 ? this.at(keys[0] ?? '') : this.atAll(...keys))) {
      return false;
    }
    this.#consume(keys.length);
    return true;
  }

  /**
   * As `accept`, for a token that the engine's parser reads together with the next one. A refusal
   * of the next token names both.
   */
  acceptPair(key: string): boolean {
    const isAccepted = this.accept(key);
    if (isAccepted) this.#pairedIndex = this.#index;
    return isAccepted;
  }

  #consume(count: number): void {
    this.#index += count;
    this.#triedBefore = this.#tried;
    this.#tried = [];
  }

  acceptAny<Key extends string>(...keys: readonly Key[]): Key | undefined {
    return keys.find((key) => this.accept(key));
  }

  expect(...keys: readonly string[]): void {
    for (const key of keys) {
      if (!this.accept(key)) {
        this.fail();
      }
    }
  }

  expectAny<Key extends string>(...keys: readonly Key[]): Key {
    return this.acceptAny(...keys) ?? this.fail();
  }

  /** Whether a name follows: quoted, or a word that is not reserved. */
  atName(): boolean {
    const { kind, key } = this.token;
    if (kind === 'name' || (kind === 'word' && !isReserved(key))) {
      return true;
    }
    this.#tried.push(NAME);
    return false;
  }

  name(): Token {
    return this.atName() ? this.advance() : this.fail();
  }

  names(): string[] {
    return this.list(() => this.name().value);
  }

  /** `item, item, ...`, at least one. */
  list<Item>(item: () => Item): Item[] {
    const items = [item()];
    while (this.acceptPair(',')) {
      this.checkLimit('listItems', items.push(item()));
    }
    return items;
  }

  /** `( item, item, ... )`, at least one. */
  parenthesized<Item>(item: () => Item): Item[] {
    this.expect('(');
    const items = this.list(item);
    this.expect(')');
    return items;
  }

  string(): Token {
    return this.token.kind === 'string' ? this.advance() : this.fail('<QUOTED_STRING>');
  }

  expression(): Expression {
    return this.nested(this.#grammar.expression);
  }

  arithmetic(): Expression {
    return this.nested(this.#grammar.arithmetic);
  }

  operand(): Expression {
    return this.#grammar.operand(this);
  }

  query(): Query {
    return this.nested(this.#grammar.query);
  }

  /**
   * Whether the next parenthesis contains a query, not an expression or a join that starts with a
   * parenthesis.
   */
  atParenthesizedQuery(): boolean {
    let distance = 0;
    while (this.#tokens.isSymbol(this.#index + distance, '(')) {
      distance += 1;
      this.checkLimit('nesting', distance);
    }
    if (distance === 0 || !QUERY_STARTS.has(this.peek(distance).key)) {
      return false;
    }
    // ((SELECT 1) + 1): the token after an inner parenthesis decides the content of the outer one.
    for (let inner = 1; inner < distance; inner += 1) {
      const closing = this.#closing[this.#index + inner] ?? 0;
      if (closing > 0 && !QUERY_CONTINUES.has(this.#tokens.at(closing + 1).key)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Runs a rule one level deeper. The depth limit gives deep texts an error message instead of a
   * stack overflow.
   */
  nested<Result>(rule: (cursor: TokenCursor) => Result): Result {
    this.#depth += 1;
    this.checkLimit('nesting', this.#depth);
    this.#deepest = Math.max(this.#deepest, this.#depth);
    const result = rule(this);
    this.#depth -= 1;
    return result;
  }

  /** Refuses a statement that exceeds a limit, at the next token. */
  checkLimit(name: LimitName, found: number): void {
    if (found > limits[name].most) throw limitExceeded(name, found, this.token);
  }

  /** Adds the grouping sets of a GROUP BY. Refuses the statement if there are too many. */
  addGroupingSets(count: number): void {
    this.#groupingSets += count;
    this.checkLimit('groupingSets', this.#groupingSets);
  }

  /** Counts a table after FROM. Refuses the statement if there are too many. */
  addTable(): void {
    this.#tables += 1;
    this.checkLimit('tables', this.#tables);
  }

  /** Counts a call. */
  addCall(): void {
    this.#calls += 1;
  }

  /** Size of the statement, available after parsing. */
  get size(): StatementSize {
    return {
      nodes: this.#tokens.length,
      depth: this.#deepest,
      tables: this.#tables,
      calls: this.#calls,
      groupingSets: this.#groupingSets,
    };
  }

  /** Refuses syntax that the engine parses but cannot plan. */
  failUnplannable(): never {
    throw unplannable();
  }

  /** The position from the first token or node to the last consumed token. */
  since({ line, column }: Pick<Position, 'line' | 'column'>): Position {
    const { endLine, endColumn } = this.last;
    return { line, column, endLine, endColumn };
  }

  /** Adds alternatives to the error message without testing them. */
  also(expected: readonly string[]): void {
    this.#tried.push(expected);
  }

  /** Refuses the next token. The message lists `expected` instead of the collected alternatives. */
  failExpecting(expected: readonly string[]): never {
    throw unexpectedToken(this.token, expected.flatMap(spell));
  }

  /**
   * Refuses the comma at the cursor because of the token after it. Where the engine's parser looks
   * at two tokens, the message names both. `starts` may follow the comma; `ending` and `going` are
   * other alternatives, before and after it in the engine's list.
   */
  failAfterComma(
    starts: readonly string[],
    ending: readonly string[],
    going: readonly string[],
  ): never {
    const pairs = starts.flatMap(spell).map((start) => `"," ${start}`);
    throw unexpectedToken(
      this.token,
      [...ending.flatMap(spell), ...pairs, ...going.flatMap(spell)],
      this.peek(1),
    );
  }

  /** Whether the cursor is inside parentheses. */
  get isInside(): boolean {
    return this.#closing.some(
      (closing, opening) => opening < this.#index && closing >= this.#index,
    );
  }

  /** Refuses the next token. The message lists the alternatives tried here. */
  fail(...expected: readonly string[]): never {
    const options = spellAll([...this.#tried, ...expected]);
    const { token, last } = this;
    const isHalf = options.includes(`"${token.key}"`);
    if (isHalf || this.#pairedIndex !== this.#index)
      throw unexpectedToken(
        token,
        options,
        isHalf || options.includes(HINT) ? this.peek(1) : undefined,
      );
    const pairs = options.map((option) => `"${last.key}" ${option}`);
    throw unexpectedToken(last, [...spellAll(this.#triedBefore), ...pairs], this.token);
  }
}

type Alternatives = (string | readonly string[])[];

const NAME = '<IDENTIFIER>';
const HINT = '"/*+"'; // where the engine's parser looks at two tokens, as after SELECT

/** Possible first words of a query. */
export const QUERY_STARTS: ReadonlySet<string> = new Set(['SELECT', 'WITH', 'VALUES', 'TABLE']);
const QUERY_CONTINUES: ReadonlySet<string> = new Set([
  ')',
  'UNION',
  'INTERSECT',
  'EXCEPT',
  'MINUS',
  'ORDER',
  'LIMIT',
  'OFFSET',
  'FETCH',
]);

const NAME_SPELLINGS = [
  NAME,
  '<HYPHENATED_IDENTIFIER>',
  '<QUOTED_IDENTIFIER>',
  '<BACK_QUOTED_IDENTIFIER>',
  '<BIG_QUERY_BACK_QUOTED_IDENTIFIER>',
  '<BRACKET_QUOTED_IDENTIFIER>',
  '<UNICODE_QUOTED_IDENTIFIER>',
];

// Token classes are printed in angle brackets, words and symbols in quotes.
const spell = (expected: string): readonly string[] => {
  if (expected === NAME) {
    return NAME_SPELLINGS;
  }
  return /^<[A-Z]/.test(expected) ? [expected] : [`"${expected}"`];
};

const spellAll = (alternatives: Alternatives): string[] => [
  ...new Set(alternatives.flat().flatMap(spell)),
];

// Calcite has its own message for a keyword in upper case where a name may stand. Only its text
// contains the position.
function unexpectedToken(token: Token, expected: readonly string[], following?: Token): SqlError {
  const isKeyword = token.kind === 'word' && token.image === token.key && isReserved(token.key);
  if (isKeyword && expected.some((option) => option.endsWith(NAME))) {
    return new SqlError(
      `Incorrect syntax near the keyword '${token.image}' at line ${token.line}, column ${token.column}.\nWas expecting one of:\n${expected
        .map((option) => (option === END ? `    ${option} \n` : `    ${option} ...\n`))
        .join('')}`,
      { context: { sourceType: 'sql' } },
    );
  }
  const shown = [token, ...(following && token.kind !== 'end' ? [following] : [])]
    .map(({ kind, image }) => (kind === 'end' ? END : image.replace(/['"]/g, '\\$&')))
    .join(' ');
  const options = expected.join(', ');
  return new SqlError(
    `Received an unexpected token [${shown}] (line [${token.line}], column [${token.column}]), acceptable options: [${options}]`,
    {
      context: {
        sourceType: 'sql',
        line: String(token.line),
        column: String(token.column),
        endLine: String(token.endLine),
        endColumn: String(token.endColumn),
        token: shown,
        expected: `[${options}]`,
      },
    },
  );
}

function closingParentheses(tokens: Tokens): Int32Array {
  const closing = new Int32Array(tokens.length);
  const open: number[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    if (tokens.isSymbol(index, '(')) {
      open.push(index);
    } else if (tokens.isSymbol(index, ')')) {
      closing[open.pop() ?? tokens.length] = index;
    }
  }
  return closing;
}
