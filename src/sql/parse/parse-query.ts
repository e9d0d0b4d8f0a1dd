// Parser of queries: WITH, SELECT, VALUES, the set operations, and ORDER BY with the limits.
import { isReserved } from '../../model/reserved-words.ts';
import type {
  CommonTable,
  Expression,
  Grouping,
  Position,
  Query,
  QueryBody,
  Select,
  SelectItem,
  SetOperation,
  ValuesClause,
} from '../ast.ts';
import { invalidSql, invalidStatement } from '../sql-error.ts';
import {
  AFTER_SELECT_ITEM,
  EXPRESSION_STARTS,
  isBareFunction,
  isReservedFunction,
  SELECT_ITEM_STARTS,
} from './keywords.ts';
import { END } from './lexer.ts';
import { parseFrom } from './parse-from.ts';
import { parseHints } from './parse-hint.ts';
import { parseOrderItems, parseWindow } from './parse-window.ts';
import type { TokenCursor } from './token-cursor.ts';

/**
 * Parses a query with all its clauses, without parentheses of its own.
 * Throws SqlError for invalid syntax.
 */
export function parseQuery(cursor: TokenCursor): Query {
  const start = cursor.token;
  const withs = cursor.accept('WITH');
  const recursive = withs && cursor.accept('RECURSIVE');
  const tables = withs ? cursor.list(() => parseCommonTable(cursor)) : [];
  const body = parseSetOperations(cursor);
  const orderBy = cursor.accept('ORDER', 'BY') ? parseOrderItems(cursor) : [];
  const limits = parseLimits(cursor);
  const at = cursor.since(start);
  if (
    body.kind === 'query' &&
    tables.length === 0 &&
    orderBy.length === 0 &&
    Object.keys(limits).length === 0
  ) {
    return { ...body, at };
  }
  return {
    kind: 'query',
    with: tables,
    ...(recursive ? { recursive } : {}),
    body,
    orderBy,
    ...limits,
    at,
  };
}

function parseCommonTable(cursor: TokenCursor): CommonTable {
  const start = cursor.name();
  const columns = cursor.at('(') ? cursor.parenthesized(() => cursor.name().value) : undefined;
  cursor.expect('AS', '(');
  const query = cursor.query();
  cursor.expect(')');
  return {
    name: start.value,
    ...(columns === undefined ? {} : { columns }),
    query,
    at: cursor.since(start),
  };
}

// LIMIT n [OFFSET n ROWS], or [OFFSET n ROWS] [FETCH NEXT n ROWS ONLY].
function parseLimits(cursor: TokenCursor): Pick<Query, 'limit' | 'offset'> {
  let found: Pick<Query, 'limit' | 'offset'> = {};
  const isLimited = cursor.acceptPair('LIMIT');
  if (isLimited && !cursor.accept('ALL')) {
    const first = parseCount(cursor);
    if (cursor.at(',')) {
      throw invalidStatement(
        "'LIMIT start, count' is not allowed under the current SQL conformance level",
      );
    }
    found = { limit: first };
  }
  if (cursor.acceptPair('OFFSET')) {
    found = { ...found, offset: parseCount(cursor) };
    cursor.acceptAny('ROW', 'ROWS');
  }
  if (!isLimited && cursor.at('LIMIT'))
    throw invalidStatement(
      "'OFFSET start LIMIT count' is not allowed under the current SQL conformance level",
    );
  if (!isLimited && cursor.accept('FETCH')) {
    cursor.expectAny('FIRST', 'NEXT');
    found = { ...found, limit: parseCount(cursor) };
    cursor.expectAny('ROW', 'ROWS');
    cursor.expect('ONLY');
  }
  return found;
}

function parseCount(cursor: TokenCursor): Expression {
  const { kind, key } = cursor.token;
  if (kind === 'integer' || kind === 'decimal' || kind === 'double' || key === '?') {
    return cursor.operand();
  }
  return cursor.fail(
    '<UNSIGNED_INTEGER_LITERAL>',
    '<DECIMAL_NUMERIC_LITERAL>',
    '<APPROX_NUMERIC_LITERAL>',
    '?',
    'ALL',
  );
}

// INTERSECT has a higher precedence than UNION and EXCEPT. All of them are left-associative.
function parseSetOperations(cursor: TokenCursor): QueryBody {
  return parseChain(cursor, ['UNION', 'EXCEPT', 'MINUS'], () =>
    parseChain(cursor, ['INTERSECT'], () => parseBody(cursor)),
  );
}

function parseChain(
  cursor: TokenCursor,
  operators: readonly SetWord[],
  operand: () => QueryBody,
): QueryBody {
  const start = cursor.token;
  let left = operand();
  for (let length = 0; ; length += 1) {
    const word = cursor.acceptAny(...operators);
    if (word === undefined) {
      return left;
    }
    cursor.checkLimit('setOperations', length + 1);
    if (word === 'MINUS')
      throw invalidStatement('MINUS is not allowed under the current SQL conformance level');
    const all = cursor.acceptAny('ALL', 'DISTINCT') === 'ALL';
    const right = operand();
    left = { kind: 'setOperation', operator: word, all, left, right, at: cursor.since(start) };
  }
}

type SetWord = SetOperation['operator'] | 'MINUS';

function parseBody(cursor: TokenCursor): QueryBody {
  const { token } = cursor;
  switch (token.key) {
    case 'SELECT':
      return parseSelect(cursor);
    case 'VALUES':
      return parseValues(cursor);
    case 'TABLE':
      return parseExplicitTable(cursor);
    case '(': {
      cursor.advance();
      const query = cursor.query();
      cursor.expect(')');
      return { ...query, at: cursor.since(token) };
    }
    default:
      refuseNonQuery(cursor);
      return cursor.fail('SELECT', 'VALUES', 'TABLE', 'WITH', '(');
  }
}

/**
 * Refuses an expression in place of a query, such as SELEC 1. The engine's grammar accepts it and
 * refuses it afterwards.
 */
export function refuseNonQuery(cursor: TokenCursor): void {
  const { kind, key } = cursor.token;
  if (kind === 'end' || kind === 'symbol') return;
  if (kind !== 'word' || !isReserved(key) || isReservedFunction(key))
    throw invalidStatement('Non-query expression encountered in illegal context');
}

function parseValues(cursor: TokenCursor): ValuesClause {
  const start = cursor.advance();
  const rows = cursor.list(() => {
    cursor.accept('ROW');
    return cursor.at('(') ? cursor.parenthesized(() => cursor.expression()) : [cursor.expression()];
  });
  return { kind: 'values', rows, at: cursor.since(start) };
}

// TABLE t is SELECT * FROM t.
function parseExplicitTable(cursor: TokenCursor): Select {
  const start = cursor.advance();
  const from = parseFrom(cursor);
  const at = cursor.since(start);
  return {
    kind: 'select',
    distinct: false,
    items: [{ expression: { kind: 'star', qualifier: [], at }, at }],
    from,
    windows: [],
    at,
  };
}

function parseSelect(cursor: TokenCursor): Select {
  const start = cursor.advance();
  parseHints(cursor);
  if (cursor.at('STREAM')) {
    throw invalidSql('SELECT STREAM is not supported: the tables are no streams', cursor.token);
  }
  const distinct = cursor.acceptAny('DISTINCT', 'ALL') === 'DISTINCT';
  cursor.also(distinct ? EXPRESSION_STARTS : ['/*+', ...EXPRESSION_STARTS]);
  const items = cursor.list(() => {
    const item = parseSelectItem(cursor);
    refuseTrailingComma(cursor, item);
    return item;
  });
  const from = cursor.acceptPair('FROM') ? parseFrom(cursor) : undefined;
  // A SELECT without FROM has none of the clauses that choose rows.
  const accept = (word: string) => from !== undefined && cursor.acceptPair(word);
  const where = accept('WHERE') ? cursor.expression() : undefined;
  const groupBy = accept('GROUP') ? parseGroupBy(cursor) : undefined;
  const having = accept('HAVING') ? cursor.expression() : undefined;
  const windows = accept('WINDOW') ? cursor.list(() => parseNamedWindow(cursor)) : [];
  const qualify = accept('QUALIFY') ? cursor.expression() : undefined;
  return {
    kind: 'select',
    distinct,
    items,
    ...(from === undefined ? {} : { from }),
    ...(where === undefined ? {} : { where }),
    ...(groupBy === undefined ? {} : { groupBy }),
    ...(having === undefined ? {} : { having }),
    windows,
    ...(qualify === undefined ? {} : { qualify }),
    at: cursor.since(start),
  };
}

function parseSelectItem(cursor: TokenCursor): SelectItem {
  const start = cursor.token;
  const star = parseStar(cursor);
  if (star !== undefined) {
    return { expression: star, at: star.at };
  }
  const expression = cursor.expression();
  const named = cursor.acceptPair('AS') || cursor.atName();
  if (cursor.token.kind === 'string') {
    throw invalidStatement('Expecting alias, found character literal');
  }
  return { expression, ...(named ? { alias: cursor.name().value } : {}), at: cursor.since(start) };
}

// After a comma, the engine's parser continues only if an item follows.
function refuseTrailingComma(cursor: TokenCursor, { alias, expression }: SelectItem): void {
  const { kind, key } = cursor.peek(1);
  const begins =
    kind === 'word'
      ? !isReserved(key) ||
        isReservedFunction(key) ||
        isBareFunction(key) ||
        SELECT_ITEM_STARTS.includes(key)
      : kind === 'symbol'
        ? key === '{' || SELECT_ITEM_STARTS.includes(key)
        : kind !== 'end';
  if (cursor.token.key !== ',' || begins) return;
  const closes = ['ORDER', 'LIMIT', 'OFFSET', 'FETCH'];
  const goesOn = alias === undefined && expression.kind !== 'star' ? AFTER_SELECT_ITEM : [];
  cursor.failAfterComma(
    SELECT_ITEM_STARTS,
    cursor.isInside ? [...closes, ')'] : [END, ...closes, ';'],
    ['FROM', ...goesOn, 'UNION', 'INTERSECT', 'EXCEPT', 'MINUS'],
  );
}

// * or t.*. A star can only be recognized after the last name.
function parseStar(cursor: TokenCursor): Expression | undefined {
  const start = cursor.token;
  let distance = 0;
  while (isNameToken(cursor, distance) && cursor.peek(distance + 1).key === '.') {
    distance += 2;
    cursor.checkLimit('nameParts', distance / 2);
  }
  if (cursor.peek(distance).key !== '*') {
    cursor.at('*');
    return undefined;
  }
  const qualifier: string[] = [];
  let qualifierAt: Position | undefined;
  while (!cursor.accept('*')) {
    qualifier.push(cursor.name().value);
    qualifierAt = cursor.since(start);
    cursor.expect('.');
  }
  return { kind: 'star', qualifier, ...(qualifierAt && { qualifierAt }), at: cursor.since(start) };
}

const isNameToken = (cursor: TokenCursor, distance: number): boolean => {
  const { kind } = cursor.peek(distance);
  return kind === 'name' || kind === 'word';
};

function parseNamedWindow(cursor: TokenCursor): Select['windows'][number] {
  const start = cursor.name();
  cursor.expect('AS');
  const window = parseWindow(cursor);
  return { name: start.value, window, at: cursor.since(start) };
}

function parseGroupBy(cursor: TokenCursor): Grouping[] {
  cursor.expect('BY');
  cursor.acceptAny('ALL', 'DISTINCT');
  const groupings = cursor.list(() => parseGrouping(cursor)).flatMap(flatten);
  if (groupings.some(({ kind }) => kind === 'sets' || kind === 'rollup' || kind === 'cube'))
    cursor.addGroupingSets(setsIn(groupings));
  return groupings;
}

// The number of grouping sets: the product over the items of GROUP BY.
const setsIn = (groupings: readonly Grouping[]): number =>
  groupings.reduce((product, grouping) => product * setsOf(grouping), 1);

function setsOf(grouping: Grouping): number {
  switch (grouping.kind) {
    case 'sets':
      return grouping.items.reduce((sum, item) => sum + setsOf(item), 0);
    case 'rollup':
      return grouping.items.length + 1;
    case 'cube':
      return 2 ** grouping.items.length;
    default:
      return 1;
  }
}

// GROUP BY (a, b) is GROUP BY a, b; a number in parentheses beside others is not an ordinal.
const flatten = (grouping: Grouping): readonly Grouping[] =>
  grouping.kind === 'set' && !grouping.items.some(({ kind }) => kind === 'literal')
    ? grouping.items.map((expression) => ({ kind: 'expression', expression, at: expression.at }))
    : [grouping];

function parseGrouping(cursor: TokenCursor): Grouping {
  const start = cursor.token;
  if (cursor.accept('GROUPING', 'SETS')) {
    const items = cursor.parenthesized(() => cursor.nested(parseGrouping));
    return { kind: 'sets', items, at: cursor.since(start) };
  }
  cursor.also(EXPRESSION_STARTS);
  const rolled = (['ROLLUP', 'CUBE'] as const).find((word) => cursor.acceptPair(word));
  if (rolled !== undefined) {
    const items = cursor.parenthesized(() => cursor.nested(parseGrouping));
    return { kind: rolled === 'ROLLUP' ? 'rollup' : 'cube', items, at: cursor.since(start) };
  }
  if (cursor.accept('(', ')')) {
    return { kind: 'empty', at: cursor.since(start) };
  }
  const expression = cursor.expression();
  if (expression.kind === 'row') {
    return { kind: 'set', items: expression.items, at: expression.at };
  }
  return { kind: 'expression', expression, at: expression.at };
}
