// Parser of the FROM clause: tables, functions, subqueries, UNNEST, joins, PIVOT and UNPIVOT.
import type {
  ColumnDeclaration,
  Expression,
  From,
  Identifier,
  Join,
  Pivot,
  TableAlias,
  Unnest,
  Unpivot,
} from '../ast.ts';
import { invalidSql, invalidStatement } from '../sql-error.ts';
import { parseCall } from './parse-call.ts';
import { parseHints } from './parse-hint.ts';
import { parseTypeName } from './parse-type.ts';
import type { TokenCursor } from './token-cursor.ts';

/**
 * Parses the items after FROM. A comma joins only here, not inside a join.
 * Throws SqlError for invalid syntax.
 */
export function parseFrom(cursor: TokenCursor): From {
  const start = cursor.token;
  let left = parseJoined(cursor);
  for (let length = 0; cursor.accept(','); length += 1) {
    cursor.checkLimit('joins', length + 1);
    const right = parseJoined(cursor);
    left = {
      kind: 'join',
      type: 'CROSS',
      comma: true,
      natural: false,
      left,
      right,
      at: cursor.since(start),
    };
  }
  return left;
}

function parseJoined(cursor: TokenCursor): From {
  const start = cursor.token;
  let left = parseSource(cursor);
  for (let length = 0; ; length += 1) {
    cursor.checkLimit('joins', length + 1);
    const natural = cursor.accept('NATURAL');
    const joinAt = cursor.token;
    const type = parseJoinType(cursor, natural);
    if (type === undefined) {
      return left;
    }
    const wordAt = cursor.since(cursor.last);
    const right = parseSource(cursor);
    const conditionAt = natural ? joinAt : cursor.token;
    const condition = parseCondition(cursor);
    if (type === 'CROSS' && (natural || condition.on || condition.using))
      throw invalidSql(
        'Cannot specify condition (NATURAL keyword, or ON or USING clause) following CROSS JOIN',
        conditionAt,
      );
    left = {
      kind: 'join',
      type,
      comma: false,
      natural,
      wordAt,
      left,
      right,
      ...condition,
      at: cursor.since(start),
    };
  }
}

function parseJoinType(cursor: TokenCursor, natural: boolean): Join['type'] | undefined {
  if (cursor.acceptPair('JOIN')) {
    return 'INNER';
  }
  const type = cursor.acceptAny('INNER', 'LEFT', 'RIGHT', 'FULL', 'CROSS');
  if (type === undefined) {
    return natural ? cursor.fail() : undefined;
  }
  if (type === 'LEFT' || type === 'RIGHT' || type === 'FULL') {
    cursor.accept('OUTER');
  }
  cursor.expect('JOIN');
  return type;
}

function parseCondition(cursor: TokenCursor): Pick<Join, 'on' | 'using'> {
  if (cursor.acceptPair('ON')) {
    return { on: cursor.expression() };
  }
  return cursor.accept('USING') ? { using: cursor.parenthesized(() => cursor.name().value) } : {};
}

// One side of a join, with PIVOT, UNPIVOT, an alias and a sample.
function parseSource(cursor: TokenCursor): From {
  cursor.addTable();
  const source = cursor.nested(parsePlainSource);
  const pivoted = acceptPivot(cursor) ? parsePivot(cursor, source) : source;
  const unpivoted = acceptUnpivot(cursor) ? parseUnpivot(cursor, pivoted) : pivoted;
  // A join in parentheses keeps the names of its sides and has no name of its own.
  const aliased = unpivoted.kind === 'join' ? unpivoted : withAlias(cursor, unpivoted);
  // Alias and PIVOT may come in either order: t PIVOT (...) AS p and t AS p PIVOT (...).
  if (acceptPivot(cursor)) {
    return withAlias(cursor, parsePivot(cursor, aliased));
  }
  if (acceptUnpivot(cursor)) {
    return withAlias(cursor, parseUnpivot(cursor, aliased));
  }
  if (cursor.accept('TABLESAMPLE')) parseSample(cursor);
  if (cursor.atAll('MATCH_RECOGNIZE', '(')) cursor.failUnplannable();
  return aliased;
}

// The engine does not support TABLESAMPLE; for SUBSTITUTE it reads the whole table.
function parseSample(cursor: TokenCursor): void {
  const start = cursor.last;
  if (cursor.accept('SUBSTITUTE')) {
    cursor.expect('(');
    cursor.string();
    cursor.expect(')');
    return;
  }
  cursor.expectAny('BERNOULLI', 'SYSTEM');
  cursor.expect('(');
  const percentage = parseNumber(cursor, 'integer', 'decimal', 'double');
  cursor.expect(')');
  if (percentage > 100)
    throw invalidSql('TABLESAMPLE percentage must be between 0 and 100, inclusive', start);
  if (cursor.accept('REPEATABLE')) {
    cursor.expect('(');
    cursor.accept('-');
    parseNumber(cursor, 'integer');
    cursor.expect(')');
  }
  cursor.failUnplannable();
}

const parseNumber = (cursor: TokenCursor, ...kinds: readonly string[]): number =>
  kinds.includes(cursor.token.kind)
    ? Number(cursor.advance().value)
    : cursor.fail('<UNSIGNED_INTEGER_LITERAL>');

// PIVOT and UNPIVOT may also be names.
const acceptPivot = (cursor: TokenCursor): boolean =>
  cursor.atAll('PIVOT', '(') && cursor.accept('PIVOT');

const acceptUnpivot = (cursor: TokenCursor): boolean =>
  ['(', 'INCLUDE', 'EXCLUDE', 'INCLUDING', 'EXCLUDING'].some((next) =>
    cursor.atAll('UNPIVOT', next),
  ) && cursor.accept('UNPIVOT');

function parsePlainSource(cursor: TokenCursor): From {
  const start = cursor.token;
  if (cursor.accept('UNNEST')) {
    return parseUnnest(cursor, start);
  }
  const lateral = cursor.accept('LATERAL');
  if (cursor.accept('TABLE')) {
    return parseTableFunction(cursor, start);
  }
  if (cursor.atParenthesizedQuery()) {
    cursor.expect('(');
    const query = cursor.query();
    cursor.expect(')');
    return { kind: 'derived', query, lateral, at: cursor.since(start) };
  }
  if (!lateral && cursor.accept('(')) {
    const join = parseJoined(cursor);
    cursor.expect(')');
    if (join.kind !== 'join') throw invalidStatement('Expected query or join');
    return { ...join, at: cursor.since(start) };
  }
  const name = [cursor.name()];
  while (cursor.accept('.')) {
    name.push(cursor.name());
  }
  if (cursor.at('(')) {
    const call = parseCall(cursor, name);
    return { kind: 'tableFunction', call, at: cursor.since(start) };
  }
  const at = cursor.since(start);
  parseHints(cursor);
  return { kind: 'table', names: name.map(({ value }) => value), at };
}

function parseUnnest(cursor: TokenCursor, start: From['at']): Unnest {
  if (cursor.atParenthesizedQuery()) {
    const query = cursor.expression();
    return {
      kind: 'unnest',
      args: [query],
      ordinality: cursor.accept('WITH', 'ORDINALITY'),
      at: cursor.since(start),
    };
  }
  const args = cursor.parenthesized(() => cursor.expression());
  const ordinality = cursor.accept('WITH', 'ORDINALITY');
  return { kind: 'unnest', args, ordinality, at: cursor.since(start) };
}

// TABLE(f(...)) with a declaration of the columns that the function cannot know.
function parseTableFunction(cursor: TokenCursor, start: From['at']): From {
  cursor.expect('(');
  const name = [cursor.name()];
  while (cursor.accept('.')) {
    name.push(cursor.name());
  }
  const call = parseCall(cursor, name);
  cursor.expect(')');
  const extend =
    cursor.accept('EXTEND') || cursor.at('(')
      ? cursor.parenthesized(() => parseColumn(cursor))
      : undefined;
  return {
    kind: 'tableFunction',
    call,
    ...(extend === undefined ? {} : { extend }),
    at: cursor.since(start),
  };
}

function parseColumn(cursor: TokenCursor): ColumnDeclaration {
  const start = cursor.name();
  const type = parseTypeName(cursor);
  const notNull = cursor.accept('NOT', 'NULL');
  return { name: start.value, type, notNull, at: cursor.since(start) };
}

function withAlias<Source extends Exclude<From, Join>>(cursor: TokenCursor, source: Source): Source;
function withAlias(cursor: TokenCursor, source: From): From;
function withAlias(cursor: TokenCursor, source: From): From {
  if (source.kind === 'join') {
    return source;
  }
  const alias = parseAlias(cursor);
  return alias === undefined ? source : { ...source, alias, at: cursor.since(source.at) };
}

function parseAlias(cursor: TokenCursor): TableAlias | undefined {
  const named = cursor.acceptPair('AS') || cursor.atName();
  if (!named) {
    return undefined;
  }
  const { value } = cursor.name();
  return cursor.at('(')
    ? { name: value, columns: cursor.parenthesized(() => cursor.name().value) }
    : { name: value };
}

function parsePivot(cursor: TokenCursor, source: From): Pivot {
  cursor.expect('(');
  const aggregates = cursor.list(() => {
    const start = cursor.token;
    const expression = cursor.expression();
    const alias = cursor.accept('AS') || cursor.atName() ? cursor.name().value : undefined;
    return { expression, ...(alias === undefined ? {} : { alias }), at: cursor.since(start) };
  });
  cursor.expect('FOR');
  const axes = cursor.at('(') ? cursor.parenthesized(() => column(cursor)) : [column(cursor)];
  cursor.expect('IN');
  const values = cursor.parenthesized(() => {
    const items = cursor.at('(')
      ? cursor.parenthesized(() => cursor.expression())
      : [cursor.expression()];
    const alias = cursor.accept('AS') || cursor.atName() ? cursor.name().value : undefined;
    return { items, ...(alias === undefined ? {} : { alias }) };
  });
  cursor.expect(')');
  return { kind: 'pivot', source, aggregates, axes, values, at: cursor.since(source.at) };
}

function parseUnpivot(cursor: TokenCursor, source: From): Unpivot {
  const nulls = cursor.acceptAny('INCLUDE', 'EXCLUDE', 'INCLUDING', 'EXCLUDING');
  if (nulls !== undefined) {
    cursor.expect('NULLS');
  }
  cursor.expect('(');
  const name = () => {
    const token = cursor.name();
    return { name: token.value, at: cursor.since(token) };
  };
  const names = () => (cursor.at('(') ? cursor.parenthesized(name) : [name()]);
  const measures = names().map((measure) => measure.name);
  cursor.expect('FOR');
  const axes = names();
  cursor.expect('IN');
  const values = cursor.parenthesized(() => {
    const columns = cursor.at('(') ? cursor.parenthesized(() => column(cursor)) : [column(cursor)];
    const labels = cursor.accept('AS') ? parseLabels(cursor) : undefined;
    return { columns, ...(labels === undefined ? {} : { labels }) };
  });
  cursor.expect(')');
  const includeNulls = nulls === 'INCLUDE' || nulls === 'INCLUDING';
  return {
    kind: 'unpivot',
    source,
    includeNulls,
    measures,
    axes,
    values,
    at: cursor.since(source.at),
  };
}

const parseLabels = (cursor: TokenCursor): Expression[] =>
  cursor.at('(') ? cursor.parenthesized(() => cursor.expression()) : [cursor.expression()];

function column(cursor: TokenCursor): Identifier {
  const { value, kind, line, column: first, endLine, endColumn } = cursor.name();
  return {
    kind: 'identifier',
    names: [value],
    quoted: [kind === 'name'],
    at: { line, column: first, endLine, endColumn },
  };
}
