// Planner hints: SELECT /*+ name(...) */ and FROM table /*+ name(...) */. The engine parses hints
// and ignores unknown ones.
import type { TokenCursor } from './token-cursor.ts';

const HINT_START = '/*+';
const HINT_END = '*/';

/**
 * Consumes the hints at the cursor, if any. A hint is a name, alone or with names, constants or
 * options in parentheses.
 * Throws SqlError for a malformed hint.
 */
export function parseHints(cursor: TokenCursor): void {
  if (cursor.token.key !== HINT_START) return;
  cursor.advance();
  cursor.list(() => parseHint(cursor));
  cursor.expect(HINT_END);
}

function parseHint(cursor: TokenCursor): void {
  cursor.name();
  if (!cursor.accept('(') || cursor.accept(')')) return;
  const item = isOption(cursor) ? parseOption : cursor.atName() ? parseName : parseConstant;
  cursor.list(() => item(cursor));
  cursor.expect(')');
}

const isOption = (cursor: TokenCursor): boolean =>
  (cursor.atName() || cursor.token.kind === 'string') && cursor.peek(1).key === '=';

function parseOption(cursor: TokenCursor): void {
  if (cursor.token.kind === 'string') cursor.advance();
  else cursor.name();
  cursor.expect('=');
  cursor.string();
}

const parseName = (cursor: TokenCursor): void => void cursor.name();

function parseConstant(cursor: TokenCursor): void {
  if (cursor.token.kind === 'string') {
    cursor.advance();
    return;
  }
  cursor.acceptAny('+', '-');
  if (!['integer', 'decimal', 'double'].includes(cursor.token.kind))
    cursor.fail('<UNSIGNED_INTEGER_LITERAL>', '<QUOTED_STRING>');
  cursor.advance();
}
