// Entry point of the parser: text to syntax tree.
import type { Expression, StatementList } from '../ast.ts';
import { SqlError } from '../sql-error.ts';
import { tokenize } from './lexer.ts';
import { parseArithmetic, parseExpression, parseOperand } from './parse-expression.ts';
import { parseQuery } from './parse-query.ts';
import { parseStatement, type Setting } from './parse-statement.ts';
import { type Grammar, TokenCursor } from './token-cursor.ts';

/**
 * A statement with the SETs before it, in Druid's dialect (docs/querying/sql.md; the grammar is
 * Apache Calcite's).
 * Throws SqlError with the engine's message, line and column, if the text is not a statement.
 */
export function parseStatements(text: string): StatementList {
  const cursor = new TokenCursor(tokenize(text), GRAMMAR);
  const settings: Setting[] = [];
  for (;;) {
    const start = cursor.token.offset;
    const statement = parseStatement(cursor);
    const written = text.slice(start, cursor.token.offset).trim();
    const endsAt = cursor.since(cursor.token);
    const separated = cursor.accept(';');
    while (cursor.accept(';')) {
      // Empty statements are skipped.
    }
    const ended = cursor.at('<EOF>');
    if (!ended && !separated) {
      cursor.fail(';');
    }
    if (statement.kind === 'set') {
      settings.push(statement);
    } else if (ended) {
      const { parameterCount, size } = cursor;
      const list = {
        settings: settings.map(({ name, value, at }) => ({ name, value, at })),
        statement,
        parameterCount,
        size,
      };
      return separated ? { ...list, endsAt } : list;
    } else {
      throw new SqlError(
        `Only SET statements can appear before the final statement in a statement list, but found non-SET statement[${written}]`,
        { context: { sourceType: 'sql' } },
      );
    }
    if (ended) {
      throw new SqlError('Statement list is missing a non-SET statement to execute', {
        context: { sourceType: 'sql' },
      });
    }
  }
}

/** Parses a text that is a single expression. Throws SqlError. */
export function parseExpressionText(text: string): Expression {
  const cursor = new TokenCursor(tokenize(text), GRAMMAR);
  const expression = cursor.expression();
  return cursor.at('<EOF>') ? expression : cursor.fail();
}

const GRAMMAR: Grammar = {
  expression: parseExpression,
  arithmetic: parseArithmetic,
  operand: parseOperand,
  query: parseQuery,
};
