// Parser of expressions by precedence climbing, with the precedences of Calcite's standard
// operators.
import { isReserved } from '../../model/reserved-words.ts';
import type { Binary, Expression, Is, Literal, Position, Quantified, Query, Row } from '../ast.ts';
import { invalidSql, invalidStatement, unknownFunction } from '../sql-error.ts';
import {
  EXPRESSION_STARTS,
  isBareFunction,
  isColumnWord,
  isReservedFunction,
  OPERATORS,
} from './keywords.ts';
import type { Token } from './lexer.ts';
import { parseBareCall, parseCall, SPECIAL_FORMS } from './parse-call.ts';
import { atQualifier, parseInterval, parseJdbcType, parseQualifier } from './parse-type.ts';
import type { TokenCursor } from './token-cursor.ts';

/**
 * Parses the expression at the cursor. Chains of AND, OR and || become balanced trees with the same
 * meaning, so that long chains are not deep.
 * Throws SqlError for a missing expression.
 */
export function parseExpression(cursor: TokenCursor): Expression {
  return climb(cursor, 0);
}

/** As `parseExpression`, for an operand before the word IN: POSITION(a IN b). */
export function parseArithmetic(cursor: TokenCursor): Expression {
  return climb(cursor, PRECEDENCE.IN + 1);
}

const PRECEDENCE = {
  OR: 22,
  AND: 24,
  NOT: 26,
  IS: 28,
  COMPARISON: 30,
  IN: 32,
  PLUS: 40,
  TIMES: 60,
  SIGN: 80,
} as const;

function climb(cursor: TokenCursor, minimum: number): Expression {
  let left = prefix(cursor);
  for (let length = 0; ; length += 1) {
    // The tree of a chain is as deep as the chain is long.
    cursor.checkLimit('operators', length);
    const next = infix(cursor, left, minimum);
    if (next === undefined) {
      cursor.also(OPERATORS);
      return left;
    }
    left = next;
  }
}

function prefix(cursor: TokenCursor): Expression {
  const { token } = cursor;
  switch (token.key) {
    case 'NOT': {
      cursor.advance();
      const operand = cursor.nested(() => climb(cursor, PRECEDENCE.NOT));
      return { kind: 'unary', operator: 'NOT', operand, at: cursor.since(token) };
    }
    case '+':
    case '-': {
      cursor.advance();
      const operand = cursor.nested(() => climb(cursor, PRECEDENCE.SIGN));
      return { kind: 'unary', operator: token.key, operand, at: cursor.since(token) };
    }
    default:
      return parseOperand(cursor);
  }
}

const INFIX: Readonly<
  Record<string, { readonly operator: Binary['operator']; readonly precedence: number }>
> = {
  OR: { operator: 'OR', precedence: PRECEDENCE.OR },
  AND: { operator: 'AND', precedence: PRECEDENCE.AND },
  '=': { operator: '=', precedence: PRECEDENCE.COMPARISON },
  '<>': { operator: '<>', precedence: PRECEDENCE.COMPARISON },
  '!=': { operator: '<>', precedence: PRECEDENCE.COMPARISON },
  '<': { operator: '<', precedence: PRECEDENCE.COMPARISON },
  '<=': { operator: '<=', precedence: PRECEDENCE.COMPARISON },
  '>': { operator: '>', precedence: PRECEDENCE.COMPARISON },
  '>=': { operator: '>=', precedence: PRECEDENCE.COMPARISON },
  '+': { operator: '+', precedence: PRECEDENCE.PLUS },
  '-': { operator: '-', precedence: PRECEDENCE.PLUS },
  '*': { operator: '*', precedence: PRECEDENCE.TIMES },
  '/': { operator: '/', precedence: PRECEDENCE.TIMES },
  '%': { operator: '%', precedence: PRECEDENCE.TIMES },
  '||': { operator: '||', precedence: PRECEDENCE.TIMES },
};

// Parses one more operator with its operand. Undefined if no operator of precedence `minimum` or
// higher follows.
function infix(cursor: TokenCursor, left: Expression, minimum: number): Expression | undefined {
  const { token } = cursor;
  const binary = token.kind === 'end' ? undefined : INFIX[token.key];
  if (binary !== undefined) {
    return binary.precedence < minimum
      ? undefined
      : parseBinary(cursor, left, binary.operator, binary.precedence);
  }
  switch (token.key) {
    case 'IS': {
      const distinct = cursor.peek(cursor.peek(1).key === 'NOT' ? 2 : 1).key === 'DISTINCT';
      if ((distinct ? PRECEDENCE.COMPARISON : PRECEDENCE.IS) < minimum) {
        return undefined;
      }
      return distinct ? parseDistinctFrom(cursor, left) : parseIs(cursor, left);
    }
    case 'NOT':
      return NEGATABLE.has(cursor.peek(1).key) && PRECEDENCE.IN >= minimum
        ? parseMembership(cursor, left)
        : undefined;
    case '[': {
      cursor.advance();
      const index = cursor.expression();
      cursor.expect(']');
      return { kind: 'item', operand: left, index, at: cursor.since(left.at) };
    }
    default:
      return NEGATABLE.has(token.key) && PRECEDENCE.IN >= minimum
        ? parseMembership(cursor, left)
        : undefined;
  }
}

const NEGATABLE: ReadonlySet<string> = new Set([
  'IN',
  'BETWEEN',
  'LIKE',
  'ILIKE',
  'RLIKE',
  'SIMILAR',
]);

function parseBinary(
  cursor: TokenCursor,
  left: Expression,
  operator: Binary['operator'],
  precedence: number,
): Expression {
  if (operator === '%')
    throw invalidStatement(
      "Percent remainder '%' is not allowed under the current SQL conformance level",
    );
  if (operator === 'AND' || operator === 'OR' || operator === '||') {
    const operands = [left];
    while (cursor.acceptPair(operator)) {
      operands.push(climb(cursor, precedence + 1));
    }
    return balance(operator, operands);
  }
  cursor.acceptPair(cursor.token.key);
  if (precedence === PRECEDENCE.COMPARISON && operator !== '+') {
    const quantifier =
      cursor.peek(1).key === '(' ? cursor.acceptAny('ANY', 'SOME', 'ALL') : undefined;
    if (quantifier !== undefined) {
      const among = queryOrList(cursor);
      return {
        kind: 'quantified',
        operator: comparison(operator),
        quantifier,
        operand: left,
        among,
        at: cursor.since(left.at),
      };
    }
  }
  const right = climb(cursor, precedence + 1);
  return { kind: 'binary', operator, left, right, at: span(left.at, right.at) };
}

const comparison = (operator: Binary['operator']): Quantified['operator'] => {
  switch (operator) {
    case '=':
    case '<>':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return operator;
    default:
      throw new Error(`[${operator}] is not a comparison`);
  }
};

function balance(operator: 'AND' | 'OR' | '||', operands: readonly Expression[]): Expression {
  const [only] = operands;
  if (only !== undefined && operands.length === 1) {
    return only;
  }
  // The left half takes the larger part, so that a AND b AND c stays (a AND b) AND c.
  const middle = Math.ceil(operands.length / 2);
  const left = balance(operator, operands.slice(0, middle));
  const right = balance(operator, operands.slice(middle));
  return { kind: 'binary', operator, left, right, at: span(left.at, right.at) };
}

function parseDistinctFrom(cursor: TokenCursor, left: Expression): Expression {
  cursor.expect('IS');
  const operator = cursor.accept('NOT') ? 'IS NOT DISTINCT FROM' : 'IS DISTINCT FROM';
  cursor.expect('DISTINCT', 'FROM');
  const right = climb(cursor, PRECEDENCE.COMPARISON + 1);
  return { kind: 'binary', operator, left, right, at: span(left.at, right.at) };
}

function parseIs(cursor: TokenCursor, operand: Expression): Expression {
  cursor.acceptPair('IS');
  const negated = cursor.acceptPair('NOT');
  const what: Is['what'] = cursor.expectAny('NULL', 'TRUE', 'FALSE', 'UNKNOWN', 'JSON');
  if (what === 'JSON') {
    cursor.acceptAny('VALUE', 'OBJECT', 'ARRAY', 'SCALAR');
  }
  return { kind: 'is', operand, what, negated, at: cursor.since(operand.at) };
}

// [NOT] IN, BETWEEN, LIKE, SIMILAR TO. Their operands are arithmetic; only LIKE is
// right-associative.
function parseMembership(cursor: TokenCursor, operand: Expression): Expression {
  const negated = cursor.accept('NOT');
  const operator = cursor.token;
  if (!negated) cursor.acceptPair(operator.key);
  else cursor.advance();
  switch (operator.key) {
    case 'IN': {
      const listAt = placeOf(cursor.token);
      const among = queryOrList(cursor);
      return { kind: 'in', operand, among, listAt, negated, at: cursor.since(operand.at) };
    }
    case 'BETWEEN': {
      const symmetric = cursor.acceptAny('SYMMETRIC', 'ASYMMETRIC') === 'SYMMETRIC';
      const low = cursor.nested(() => climb(cursor, PRECEDENCE.IS));
      if (!cursor.accept('AND')) throw invalidStatement('BETWEEN operator has no terminating AND');
      const high = climb(cursor, PRECEDENCE.IN + 1);
      return {
        kind: 'between',
        operand,
        low,
        high,
        negated,
        symmetric,
        at: cursor.since(operand.at),
      };
    }
    case 'ILIKE':
    case 'RLIKE': {
      cursor.nested(() => climb(cursor, PRECEDENCE.IN));
      throw unknownFunction(
        negated ? `NOT ${operator.key}` : operator.key,
        cursor.since(operand.at),
      );
    }
    default: {
      const similar = operator.key === 'SIMILAR';
      if (similar) {
        cursor.expect('TO');
      }
      const pattern = cursor.nested(() => climb(cursor, PRECEDENCE.IN));
      const escaped = cursor.accept('ESCAPE')
        ? cursor.nested(() => climb(cursor, PRECEDENCE.IN))
        : undefined;
      return {
        kind: 'like',
        operator: similar ? 'SIMILAR TO' : 'LIKE',
        operand,
        pattern,
        ...(escaped === undefined ? {} : { escape: escaped }),
        negated,
        at: cursor.since(operand.at),
      };
    }
  }
}

function queryOrList(cursor: TokenCursor): readonly Expression[] | Query {
  if (cursor.atParenthesizedQuery()) {
    cursor.expect('(');
    const query = cursor.query();
    cursor.expect(')');
    return query;
  }
  return cursor.parenthesized(() => cursor.expression());
}

/**
 * Parses a literal, a column, a call or an expression in parentheses. Throws SqlError for anything
 * else.
 */
export function parseOperand(cursor: TokenCursor): Expression {
  const { token } = cursor;
  switch (token.kind) {
    case 'decimal':
      cursor.advance();
      // `5.` has no digits after the point and counts as a whole number.
      return token.value.endsWith('.')
        ? { kind: 'literal', type: 'integer', text: token.value.slice(0, -1), at: placeOf(token) }
        : { kind: 'literal', type: token.kind, text: token.value, at: placeOf(token) };
    case 'integer':
    case 'double':
      cursor.advance();
      return { kind: 'literal', type: token.kind, text: token.value, at: placeOf(token) };
    case 'string':
      return parseString(cursor);
    case 'binary':
      throw invalidSql(`Binary string literals such as [${token.image}] are not supported`, token);
    case 'symbol':
      return parseSymbol(cursor);
    case 'name':
      return parseName(cursor);
    case 'word':
      return parseWord(cursor);
    case 'end':
      cursor.fail(...EXPRESSION_STARTS);
  }
}

function parseString(cursor: TokenCursor): Literal {
  const token = cursor.string();
  if (cursor.accept('UESCAPE')) {
    cursor.string();
  }
  if (cursor.token.kind === 'string') {
    throw unknownFunction('$LiteralChain', token);
  }
  return { kind: 'literal', type: 'string', text: token.value, at: cursor.since(token) };
}

function parseSymbol(cursor: TokenCursor): Expression {
  const { token } = cursor;
  if (token.key === '?') {
    cursor.advance();
    const index = cursor.parameterCount;
    cursor.parameterCount += 1;
    return { kind: 'parameter', index, at: placeOf(token) };
  }
  if (token.key === '(') {
    return parseParenthesized(cursor);
  }
  if (token.key === '{') {
    return parseEscape(cursor);
  }
  return cursor.fail(...EXPRESSION_STARTS);
}

// In the engine's positions, an expression includes its parentheses.
function parseParenthesized(cursor: TokenCursor): Expression {
  const start = cursor.token;
  if (cursor.atParenthesizedQuery()) {
    cursor.expect('(');
    const query = cursor.query();
    cursor.expect(')');
    return { kind: 'subquery', query, at: cursor.since(start) };
  }
  const items = cursor.parenthesized(() => cursor.expression());
  const [only] = items;
  if (atQualifier(cursor)) return parseDifference(cursor, start, items);
  const at = cursor.since(start);
  return only !== undefined && items.length === 1 ? { ...only, at } : { kind: 'row', items, at };
}

// (end - start) DAY is an interval.
function parseDifference(
  cursor: TokenCursor,
  start: Token,
  [difference]: readonly Expression[],
): Expression {
  const nameAt = cursor.since(start);
  const { from, to } = parseQualifier(cursor);
  if (difference?.kind !== 'binary' || difference.operator !== '-')
    throw invalidStatement(
      'Illegal expression. Was expecting "(DATETIME - DATETIME) INTERVALQUALIFIER"',
    );
  return {
    kind: 'call',
    name: 'MINUS DATE',
    nameAt,
    args: [difference.left, difference.right],
    unit: to === undefined ? from : `${from} TO ${to}`,
    at: cursor.since(start),
  };
}

// {d '2000-01-01'}, {t '...'}, {ts '...'} and {fn UPPER(x)} of JDBC.
function parseEscape(cursor: TokenCursor): Expression {
  const start = cursor.advance();
  const what = cursor.expectAny('D', 'T', 'TS', 'FN');
  if (what === 'FN') {
    const name = cursor.token;
    if (name.key === 'CONVERT') return parseJdbcConvert(cursor, start);
    const call = cursor.expression();
    cursor.expect('}');
    const at = cursor.since(start);
    if (call.kind !== 'call') return { ...call, at };
    if (!jdbcFunctions.has(name.key))
      throw invalidSql(`Function '{fn ${name.value.toUpperCase()}}' is not defined`, at);
    const unit = call.args.length === 1 ? jdbcUnits.get(call.name) : undefined;
    return unit === undefined
      ? { ...call, name: jdbcNames.get(call.name) ?? call.name, at }
      : { ...call, name: 'EXTRACT', unit, at };
  }
  const text = cursor.string().value;
  cursor.expect('}');
  return {
    kind: 'literal',
    type: what === 'D' ? 'date' : what === 'T' ? 'time' : 'timestamp',
    text,
    at: cursor.since(start),
  };
}

function parseJdbcConvert(cursor: TokenCursor, start: Token): Expression {
  cursor.advance();
  cursor.expect('(');
  const operand = cursor.expression();
  cursor.expect(',');
  const type = parseJdbcType(cursor);
  cursor.expect(')');
  cursor.expect('}');
  return { kind: 'cast', operand, type, safe: false, isWritten: true, at: cursor.since(start) };
}

// The functions of JDBC (Calcite: SqlJdbcFunctionCall). Those with words inside their parentheses
// are among them, as the parser has read them already.
const jdbcFunctions: ReadonlySet<string> = new Set(
  'ABS ACOS ASIN ASCII ATAN ATAN2 CAST CBRT CEIL CEILING CHAR CONCAT COS COT CURDATE CURTIME DATABASE DAYNAME DAYOFMONTH DAYOFWEEK DAYOFYEAR DEGREES DIFFERENCE EXP EXTRACT FLOOR HOUR IFNULL INSERT LCASE LEFT LENGTH LOCATE LOG LOG10 LTRIM MINUTE MOD MONTH MONTHNAME NOW PI POSITION POWER QUARTER RADIANS RAND REPEAT REPLACE REVERSE RIGHT ROUND RTRIM SECOND SIGN SIN SOUNDEX SPACE SQRT SUBSTRING TAN TIMESTAMPADD TIMESTAMPDIFF TRIM TRUNCATE UCASE USER WEEK YEAR'.split(
    ' ',
  ),
);

// JDBC functions that have another name in the engine.
const jdbcNames: ReadonlyMap<string, string> = new Map([
  ['CURDATE', 'CURRENT_DATE'],
  ['IFNULL', 'COALESCE'],
  ['LCASE', 'LOWER'],
  ['LENGTH', 'CHARACTER_LENGTH'],
  ['LOCATE', 'POSITION'],
  ['LOG', 'LN'],
  ['NOW', 'CURRENT_TIMESTAMP'],
  ['UCASE', 'UPPER'],
]);

// JDBC functions for a field of a time, which become EXTRACT.
const jdbcUnits: ReadonlyMap<string, string> = new Map([
  ['DAYOFMONTH', 'DAY'],
  ['DAYOFWEEK', 'DOW'],
  ['DAYOFYEAR', 'DOY'],
  ['HOUR', 'HOUR'],
  ['MINUTE', 'MINUTE'],
  ['MONTH', 'MONTH'],
  ['QUARTER', 'QUARTER'],
  ['SECOND', 'SECOND'],
  ['WEEK', 'WEEK'],
  ['YEAR', 'YEAR'],
]);

function parseWord(cursor: TokenCursor): Expression {
  const { token } = cursor;
  const { key } = token;
  const following = cursor.peek(1);
  switch (key) {
    case 'TRUE':
    case 'FALSE':
      cursor.advance();
      return { kind: 'literal', type: 'boolean', text: key, at: placeOf(token) };
    case 'NULL':
      cursor.advance();
      return nullAt(token);
    case 'UNKNOWN': {
      cursor.advance();
      const at = placeOf(token);
      return {
        kind: 'cast',
        operand: nullAt(token),
        type: { name: 'BOOLEAN', native: false, array: false, at },
        safe: false,
        at,
      };
    }
    case 'DATE':
    case 'TIME':
    case 'TIMESTAMP':
      if (following.kind === 'string') {
        cursor.advance();
        const type = key === 'DATE' ? 'date' : key === 'TIME' ? 'time' : 'timestamp';
        return { kind: 'literal', type, text: cursor.string().value, at: cursor.since(token) };
      }
      return following.key === '(' ? parseCall(cursor) : cursor.fail(...EXPRESSION_STARTS);
    case 'INTERVAL':
      return parseInterval(cursor);
    case 'CASE':
      return parseCase(cursor);
    case 'EXISTS':
      if (following.key === '(') {
        cursor.advance();
        cursor.expect('(');
        const query = cursor.query();
        cursor.expect(')');
        return {
          kind: 'exists',
          query,
          at: { ...placeOf(token), endLine: query.at.endLine, endColumn: query.at.endColumn },
        };
      }
      return cursor.fail(...EXPRESSION_STARTS);
    case 'ROW':
      return parseRow(cursor);
    case 'ARRAY':
      return parseArray(cursor);
    case 'VALUE':
      throw invalidSql(
        `Token [${token.image}] (line [${token.line}], column [${token.column}]) is a reserved keyword. To use it as an identifier, quote it as ["${token.image}"]`,
        token,
      );
    default:
  }
  const special = following.key === '(' ? SPECIAL_FORMS[key] : undefined;
  if (special !== undefined) {
    return special(cursor);
  }
  if (isColumnWord(key) && following.key !== '(') {
    const { value } = cursor.advance();
    return { kind: 'identifier', names: [value], quoted: [false], at: placeOf(token) };
  }
  if (isBareFunction(key) && (key !== 'PI' || (following.key !== '(' && following.key !== '.'))) {
    return parseBareCall(cursor);
  }
  if (isReserved(key)) {
    return isReservedFunction(key) && following.key === '('
      ? parseCall(cursor)
      : cursor.fail(...EXPRESSION_STARTS);
  }
  return parseName(cursor);
}

const nullAt = (token: Position): Literal => ({
  kind: 'literal',
  type: 'null',
  text: 'NULL',
  at: placeOf(token),
});

// A column, or a function by its (possibly qualified) name.
function parseName(cursor: TokenCursor): Expression {
  const parts: Token[] = [cursor.name()];
  while (cursor.acceptPair('.')) {
    if (cursor.at('*')) throw invalidSql("Unknown field '*'", cursor.token);
    cursor.checkLimit('nameParts', parts.push(cursor.name()));
  }
  const [first = cursor.last] = parts;
  if (cursor.at('(')) {
    return parseCall(cursor, parts);
  }
  return {
    kind: 'identifier',
    names: parts.map(({ value }) => value),
    quoted: parts.map(({ kind }) => kind === 'name'),
    at: { ...cursor.since(first), ...(parts.length > 1 && { parts: parts.map(placeOf) }) },
  };
}

function parseCase(cursor: TokenCursor): Expression {
  const start = cursor.advance();
  const operand = cursor.at('WHEN') ? undefined : cursor.expression();
  const whens: { when: Expression; then: Expression }[] = [];
  cursor.expect('WHEN');
  do {
    // CASE x WHEN 1, 2 THEN ... matches any of the values.
    const conditions = cursor.list(() => cursor.expression());
    cursor.expect('THEN');
    const then = cursor.expression();
    for (const when of conditions) whens.push({ when, then });
  } while (cursor.accept('WHEN'));
  const otherwise = cursor.acceptPair('ELSE') ? cursor.expression() : undefined;
  cursor.expect('END');
  return {
    kind: 'case',
    ...(operand === undefined ? {} : { operand }),
    whens,
    ...(otherwise === undefined ? {} : { otherwise }),
    at: cursor.since(start),
  };
}

function parseRow(cursor: TokenCursor): Row {
  const start = cursor.advance();
  const items = cursor.parenthesized(() => cursor.expression());
  return { kind: 'row', items, at: cursor.since(start) };
}

function parseArray(cursor: TokenCursor): Expression {
  const start = cursor.token;
  if (cursor.peek(1).key === '(') {
    return parseCall(cursor);
  }
  cursor.advance();
  cursor.expect('[');
  if (cursor.accept(']')) {
    throw invalidSql('Require at least 1 argument', cursor.since(start));
  }
  cursor.also(EXPRESSION_STARTS);
  const items = cursor.list(() => cursor.expression());
  cursor.expect(']');
  return { kind: 'array', items, at: cursor.since(start) };
}

const placeOf = ({ line, column, endLine, endColumn }: Position): Position => ({
  line,
  column,
  endLine,
  endColumn,
});

const span = (from: Position, to: Position): Position => ({
  line: from.line,
  column: from.column,
  endLine: to.endLine,
  endColumn: to.endColumn,
});
