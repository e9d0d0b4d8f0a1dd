// Parser of ORDER BY and OVER.
import type { Bound, Frame, OrderItem, Window } from '../ast.ts';
import type { TokenCursor } from './token-cursor.ts';

/** `a, b DESC NULLS LAST`, after ORDER BY or CLUSTERED BY. Throws SqlError for an empty list. */
export function parseOrderItems(cursor: TokenCursor): OrderItem[] {
  return cursor.list(() => {
    const start = cursor.token;
    const expression = cursor.expression();
    const descending = cursor.acceptAny('ASC', 'DESC') === 'DESC';
    const nulls = cursor.accept('NULLS') ? cursor.expectAny('FIRST', 'LAST') : undefined;
    return {
      expression,
      descending,
      ...(nulls === undefined ? {} : { nulls }),
      at: cursor.since(start),
    };
  });
}

/**
 * `(w PARTITION BY a ORDER BY b ROWS BETWEEN ...)`, from its parenthesis.
 * Throws SqlError for invalid syntax.
 */
export function parseWindow(cursor: TokenCursor): Window {
  const start = cursor.token;
  cursor.expect('(');
  const base = cursor.atName() ? cursor.name() : undefined;
  const partitionBy = cursor.accept('PARTITION', 'BY')
    ? cursor.list(() => cursor.expression())
    : [];
  const orderBy = cursor.accept('ORDER', 'BY') ? parseOrderItems(cursor) : [];
  const frame = parseFrame(cursor);
  if (cursor.acceptAny('ALLOW', 'DISALLOW') !== undefined) {
    cursor.expect('PARTIAL');
  }
  cursor.expect(')');
  return {
    kind: 'window',
    ...(base === undefined
      ? {}
      : {
          base: {
            kind: 'identifier',
            names: [base.value],
            quoted: [base.kind === 'name'],
            at: {
              line: base.line,
              column: base.column,
              endLine: base.endLine,
              endColumn: base.endColumn,
            },
          },
        }),
    partitionBy,
    orderBy,
    ...(frame === undefined ? {} : { frame }),
    at: cursor.since(start),
  };
}

function parseFrame(cursor: TokenCursor): Frame | undefined {
  const unit = cursor.acceptAny('ROWS', 'RANGE');
  if (unit === undefined) {
    return undefined;
  }
  const keyword = cursor.last;
  const two = cursor.accept('BETWEEN');
  const start = parseBound(cursor);
  if (two) {
    cursor.expect('AND');
  }
  const end = two ? parseBound(cursor) : undefined;
  const exclude = cursor.accept('EXCLUDE') ? parseExclude(cursor) : undefined;
  return {
    unit,
    start,
    ...(end === undefined ? {} : { end }),
    ...(exclude === undefined ? {} : { exclude }),
    at: cursor.since(keyword),
  };
}

function parseExclude(cursor: TokenCursor): NonNullable<Frame['exclude']> {
  if (cursor.accept('CURRENT', 'ROW')) {
    return 'CURRENT ROW';
  }
  if (cursor.accept('NO', 'OTHERS')) {
    return 'NO OTHERS';
  }
  return cursor.expectAny('GROUP', 'TIES');
}

function parseBound(cursor: TokenCursor): Bound {
  const start = cursor.token;
  if (cursor.accept('CURRENT')) {
    cursor.expect('ROW');
    return { kind: 'current', at: cursor.since(start) };
  }
  if (cursor.accept('UNBOUNDED')) {
    const direction = cursor.expectAny('PRECEDING', 'FOLLOWING');
    return { kind: 'unbounded', direction, at: cursor.since(start) };
  }
  const offset = cursor.expression();
  const direction = cursor.expectAny('PRECEDING', 'FOLLOWING');
  return { kind: 'offset', direction, offset, at: cursor.since(start) };
}
