// Function calls: the ordinary form with its trailing clauses, and the forms with words inside the
// parentheses.
import type { Call, Expression, OrderItem } from '../ast.ts';
import { unknownFunction, unsupportedSql } from '../sql-error.ts';
import { EXPRESSION_STARTS } from './keywords.ts';
import type { Token } from './lexer.ts';
import { JSON_FORMS } from './parse-json-call.ts';
import { atType, parseTimeUnit, parseTypeName } from './parse-type.ts';
import { parseOrderItems, parseWindow } from './parse-window.ts';
import type { TokenCursor } from './token-cursor.ts';

/**
 * `name(a, b)` with DISTINCT, ORDER BY, WITHIN GROUP, FILTER and OVER. The name is the next token
 * or was already consumed.
 * Throws SqlError.
 */
export function parseCall(cursor: TokenCursor, name: readonly Token[] = [cursor.advance()]): Call {
  cursor.addCall();
  const start = name[0] ?? cursor.last;
  const nameAt = cursor.since(start);
  const args = parseArguments(cursor);
  const plainAt = cursor.since(start);
  const withinGroup = cursor.accept('WITHIN', 'GROUP')
    ? cursor.parenthesized(() => orderBy(cursor)).flat()
    : undefined;
  const nulls = args.nulls ?? parseNullTreatment(cursor);
  const filter = cursor.accept('FILTER', '(', 'WHERE') ? parseFilter(cursor) : undefined;
  const over = cursor.acceptPair('OVER') ? parseOver(cursor) : undefined;
  return {
    kind: 'call',
    name: name.map(({ value }) => value.toUpperCase()).join('.'),
    nameAt,
    ...args,
    ...(withinGroup === undefined ? {} : { withinGroup }),
    ...(nulls === undefined ? {} : { nulls }),
    ...(filter === undefined ? {} : { filter }),
    ...(over === undefined ? {} : { over }),
    ...((withinGroup ?? nulls ?? filter ?? over) && { plainAt }),
    at: cursor.since(start),
  };
}

/** `CURRENT_TIMESTAMP`, `CURRENT_TIMESTAMP(3)`, `PI`. Throws SqlError. */
export function parseBareCall(cursor: TokenCursor): Call {
  const { key, value, line, column, endLine, endColumn } = cursor.advance();
  const at = { line, column, endLine, endColumn };
  const isWord = !cursor.at('(');
  if (!isWord && cursor.peek(1).key === ')') throw unknownFunction(`${key}()`, at);
  const args = isWord ? [] : cursor.parenthesized(() => cursor.expression());
  return {
    kind: 'call',
    name: key,
    nameAt: at,
    args,
    bare: true,
    ...(isWord && { word: value }),
    at: cursor.since(at),
  };
}

type Arguments = Pick<
  Call,
  'args' | 'distinct' | 'quantifierAt' | 'argumentNames' | 'orderBy' | 'nulls'
>;

function parseArguments(cursor: TokenCursor): Arguments {
  cursor.expect('(');
  if (cursor.accept(')')) {
    return { args: [] };
  }
  if (cursor.at('*') && cursor.peek(1).key === ')') {
    const { line, column, endLine, endColumn } = cursor.advance();
    cursor.expect(')');
    return { args: [{ kind: 'star', qualifier: [], at: { line, column, endLine, endColumn } }] };
  }
  const quantifier = cursor.acceptAny('DISTINCT', 'ALL');
  const quantifierAt = cursor.since(cursor.last);
  const names: (string | undefined)[] = [];
  const args = cursor.list(() => {
    names.push(
      cursor.atName() && cursor.peek(1).key === '=>' ? takeArgumentName(cursor) : undefined,
    );
    return parseArgument(cursor);
  });
  const order = cursor.at('ORDER') ? orderBy(cursor) : undefined;
  const nulls = parseNullTreatment(cursor);
  cursor.expect(')');
  return {
    args,
    ...(quantifier === 'DISTINCT' ? { distinct: true } : {}),
    ...(quantifier === undefined ? {} : { quantifierAt }),
    ...(names.some((name) => name !== undefined) ? { argumentNames: names } : {}),
    ...(order === undefined ? {} : { orderBy: order }),
    ...(nulls === undefined ? {} : { nulls }),
  };
}

function takeArgumentName(cursor: TokenCursor): string {
  const { value } = cursor.name();
  cursor.expect('=>');
  return value;
}

function parseArgument(cursor: TokenCursor): Expression {
  const { key } = cursor.token;
  if (key === 'SELECT' || key === 'WITH') {
    const query = cursor.query();
    return { kind: 'subquery', query, at: query.at };
  }
  return cursor.expression();
}

const orderBy = (cursor: TokenCursor): OrderItem[] => {
  cursor.expect('ORDER', 'BY');
  return parseOrderItems(cursor);
};

function parseNullTreatment(cursor: TokenCursor): 'IGNORE' | 'RESPECT' | undefined {
  if (cursor.accept('IGNORE', 'NULLS')) {
    return 'IGNORE';
  }
  return cursor.accept('RESPECT', 'NULLS') ? 'RESPECT' : undefined;
}

function parseFilter(cursor: TokenCursor): Expression {
  const condition = cursor.expression();
  cursor.expect(')');
  return condition;
}

function parseOver(cursor: TokenCursor): NonNullable<Call['over']> {
  if (cursor.at('(')) {
    return parseWindow(cursor);
  }
  const name = cursor.name();
  return {
    kind: 'identifier',
    names: [name.value],
    quoted: [name.kind === 'name'],
    at: cursor.since(name),
  };
}

/**
 * Functions with words inside their parentheses, keyed by name in upper case. Each parser starts at
 * the function's name and throws SqlError.
 */
export const SPECIAL_FORMS: Readonly<Record<string, (cursor: TokenCursor) => Expression>> = {
  ...JSON_FORMS,
  CAST: (cursor) => parseCast(cursor, false),
  TRY_CAST: (cursor) => parseCast(cursor, true),
  SAFE_CAST: (cursor) => parseCast(cursor, true),
  CONVERT: parseConvert,
  FLOOR: (cursor) => parseRounding(cursor, 'FLOOR'),
  CEIL: (cursor) => parseRounding(cursor, 'CEIL'),
  CEILING: (cursor) => parseRounding(cursor, 'CEIL'),
  EXTRACT: form((cursor) => {
    const unit = parseTimeUnit(cursor);
    cursor.expect('FROM');
    return { ...unit, args: [cursor.expression()] };
  }),
  TIMESTAMPADD: form(parseTimestampArguments),
  TIMESTAMPDIFF: form(parseTimestampArguments),
  POSITION: form((cursor) => {
    const what = cursor.arithmetic();
    cursor.expect('IN');
    return {
      args: [what, cursor.expression(), ...(cursor.accept('FROM') ? [cursor.expression()] : [])],
    };
  }),
  OVERLAY: form((cursor) => {
    const text = cursor.expression();
    cursor.expect('PLACING');
    const replacement = cursor.expression();
    cursor.expect('FROM');
    return {
      args: [
        text,
        replacement,
        cursor.expression(),
        ...(cursor.accept('FOR') ? [cursor.expression()] : []),
      ],
    };
  }),
  SUBSTRING: form((cursor) => {
    const text = cursor.expression();
    if (cursor.accept('FROM')) {
      return {
        args: [text, cursor.expression(), ...(cursor.accept('FOR') ? [cursor.expression()] : [])],
      };
    }
    cursor.expect(',');
    return { args: [text, ...cursor.list(() => cursor.expression())] };
  }),
  TRIM: form((cursor) => {
    const trim = cursor.acceptAny('BOTH', 'LEADING', 'TRAILING');
    const side = trim === undefined ? {} : { trim };
    if (trim !== undefined && cursor.accept('FROM')) {
      return { ...side, args: [cursor.expression()] };
    }
    const first = cursor.expression();
    return { ...side, args: cursor.accept('FROM') ? [cursor.expression(), first] : [first] };
  }),
};

type Form = Pick<Call, 'args' | 'unit' | 'unitAt' | 'trim'>;

function form(inside: (cursor: TokenCursor) => Form): (cursor: TokenCursor) => Call {
  return (cursor) => {
    const { key, line, column, endLine, endColumn } = cursor.advance();
    cursor.expect('(');
    cursor.also(EXPRESSION_STARTS);
    const parts = inside(cursor);
    cursor.expect(')');
    const nameAt = { line, column, endLine, endColumn };
    return { kind: 'call', name: key, nameAt, ...parts, at: cursor.since(nameAt) };
  };
}

function parseTimestampArguments(cursor: TokenCursor): Form {
  const unit = parseTimeUnit(cursor);
  cursor.expect(',');
  return { ...unit, args: cursor.list(() => cursor.expression()) };
}

// FLOOR(x), FLOOR(x TO DAY).
function parseRounding(cursor: TokenCursor, name: string): Call {
  const start = cursor.advance();
  const nameAt = cursor.since(start);
  cursor.expect('(');
  const operand = cursor.expression();
  const unit = cursor.accept('TO') ? parseTimeUnit(cursor) : undefined;
  cursor.expect(')');
  return {
    kind: 'call',
    name,
    nameAt,
    args: [operand],
    ...unit,
    at: cursor.since(start),
  };
}

// CONVERT(type, value [, style]) is a cast; the engine ignores the style.
function parseConvert(cursor: TokenCursor): Expression {
  const start = cursor.advance();
  cursor.expect('(');
  if (!atType(cursor)) {
    cursor.expression();
    cursor.expect('USING');
    cursor.name();
    cursor.expect(')');
    throw unsupportedSql("SQL query requires 'TRANSLATE' operator that is not supported.");
  }
  const type = parseTypeName(cursor);
  cursor.expect(',');
  const operand = cursor.expression();
  if (cursor.accept(',')) cursor.expression();
  cursor.expect(')');
  return { kind: 'cast', operand, type, safe: false, isWritten: true, at: cursor.since(start) };
}

function parseCast(cursor: TokenCursor, safe: boolean): Expression {
  const start = cursor.advance();
  cursor.expect('(');
  const operand = cursor.expression();
  cursor.expect('AS');
  const type = parseTypeName(cursor);
  if (cursor.accept('FORMAT')) cursor.string(); // which the engine reads and does not follow
  cursor.expect(')');
  return { kind: 'cast', operand, type, safe, isWritten: true, at: cursor.since(start) };
}
