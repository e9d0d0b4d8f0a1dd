// Walks over the tokens of a statement, and remembers what would have been accepted where it
// stands, for the error message.
import { type LimitName, limits } from '../../model/limits.ts';
import type { Expression, Position, Query, StatementSize } from '../ast.ts';
import { limitExceeded } from '../limits.ts';
import { SqlError, unplannable } from '../sql-error.ts';
import { isReserved } from './keywords.ts';
import { END, type Token, type Tokens } from './lexer.ts';

/** The parts of the grammar that contain each other. */
export interface Grammar {
  readonly expression: (cursor: TokenCursor) => Expression;
  readonly arithmetic: (cursor: TokenCursor) => Expression; // that binds more strongly than IN
  readonly operand: (cursor: TokenCursor) => Expression; // without operators around it
  readonly query: (cursor: TokenCursor) => Query;
}

export class TokenCursor {
  parameterCount = 0;
  readonly #tokens: Tokens;
  readonly #grammar: Grammar;
  readonly #closing: Int32Array; // of an opening parenthesis: the index of its closing one, or 0
  #index = 0;
  #depth = 0;
  #deepest = 0;
  #groupingSets = 0;
  #tables = 0;
  #tried: (string | readonly string[])[] = [];

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
    const token = this.token;
    this.#index += 1;
    this.#tried = [];
    return token;
  }

  /** Whether the next token is this word or symbol; it stays. */
  at(key: string): boolean {
    if (this.token.key === key) {
      return true;
    }
    this.#tried.push(key);
    return false;
  }

  /** As `at`, for several in a row. */
  atAll(...keys: readonly string[]): boolean {
    if (keys.every((key, distance) => this.peek(distance).key === key)) {
      return true;
    }
    this.#tried.push(keys[0] ?? '');
    return false;
  }

  /** Takes the words or symbols when all of them are next. */
  accept(...keys: readonly string[]): boolean {
    if (!(keys.length === 1 ? this.at(keys[0] ?? '') : this.atAll(...keys))) {
      return false;
    }
    this.#index += keys.length;
    this.#tried = [];
    return true;
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

  /** Whether a name is next: quoted, or a word that is not reserved. */
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
    while (this.accept(',')) {
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
   * Whether the parenthesis that is next holds a query, and not an expression or a join that begins
   * with a parenthesis.
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
    // ((SELECT 1) + 1): what follows an inner parenthesis decides what the outer one holds.
    for (let inner = 1; inner < distance; inner += 1) {
      const closing = this.#closing[this.#index + inner] ?? 0;
      if (closing > 0 && !QUERY_CONTINUES.has(this.#tokens.at(closing + 1).key)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Runs a rule one level deeper. A bound on the depth gives deep texts a message instead of an
   * exhausted stack.
   */
  nested<Result>(rule: (cursor: TokenCursor) => Result): Result {
    this.#depth += 1;
    this.checkLimit('nesting', this.#depth);
    this.#deepest = Math.max(this.#deepest, this.#depth);
    const result = rule(this);
    this.#depth -= 1;
    return result;
  }

  /** Refuses a statement that has more of something than the limit allows, at the next token. */
  checkLimit(name: LimitName, found: number): void {
    if (found > limits[name].most) throw limitExceeded(name, found, this.token);
  }

  /**
   * Counts the grouping sets of one more GROUP BY. Refuses the statement when there are too many.
   */
  addGroupingSets(count: number): void {
    this.#groupingSets += count;
    this.checkLimit('groupingSets', this.#groupingSets);
  }

  /** Counts one more table after FROM. Refuses the statement when there are too many. */
  addTable(): void {
    this.#tables += 1;
    this.checkLimit('tables', this.#tables);
  }

  /** How large the statement is, once it has been read. */
  get size(): StatementSize {
    return {
      nodes: this.#tokens.length,
      depth: this.#deepest,
      tables: this.#tables,
      groupingSets: this.#groupingSets,
    };
  }

  /** Refuses what the engine reads and then has no plan for. */
  failUnplannable(): never {
    throw unplannable();
  }

  /** From the first token or node to the token that was taken last. */
  since({ line, column }: Pick<Position, 'line' | 'column'>): Position {
    const { endLine, endColumn } = this.last;
    return { line, column, endLine, endColumn };
  }

  /** Adds to what would have been accepted here, without a test. */
  also(expected: readonly string[]): void {
    this.#tried.push(expected);
  }

  /** Refuses the next token; says what could have stood here, whatever was tried. */
  failExpecting(expected: readonly string[]): never {
    throw unexpectedToken(this.token, expected.flatMap(spell));
  }

  /**
   * Refuses the comma that is next, because of what follows it: where the engine's parser looks at
   * two tokens, it names both. `starts` may follow the comma; `ending` and `going` are what else
   * could stand here, before and after it in the engine's list.
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

  /** Whether a parenthesis is open. */
  get isInside(): boolean {
    return this.#closing.some(
      (closing, opening) => opening < this.#index && closing >= this.#index,
    );
  }

  /** Refuses the next token, and says what was tried here. */
  fail(...expected: readonly string[]): never {
    throw unexpectedToken(this.token, [
      ...new Set([...this.#tried.flat(), ...expected].flatMap(spell)),
    ]);
  }
}

const NAME = '<IDENTIFIER>';

/** The words that a query begins with. */
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

// Token classes stand in angle brackets, words and symbols in quotes.
const spell = (expected: string): readonly string[] => {
  if (expected === NAME) {
    return NAME_SPELLINGS;
  }
  return /^<[A-Z]/.test(expected) ? [expected] : [`"${expected}"`];
};

// Calcite words the refusal of a keyword where a name would do in its own way, and then only the
// text carries the place.
function unexpectedToken(token: Token, expected: readonly string[], following?: Token): SqlError {
  if (token.kind === 'word' && isReserved(token.key) && expected.includes(NAME)) {
    return new SqlError(
      `Incorrect syntax near the keyword '${token.image}' at line ${token.line}, column ${token.column}.\nWas expecting one of:\n${expected
        .map((option) => (option === END ? `    ${option} \n` : `    ${option} ...\n`))
        .join('')}`,
      { context: { sourceType: 'sql' } },
    );
  }
  const shown = [token, ...(following ? [following] : [])]
    .map(({ kind, image }) => (kind === 'end' ? END : image))
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
