// Parser of statements: queries, INSERT and REPLACE, EXPLAIN, and SET before them.
import type {
  Call,
  Explain,
  ExportTarget,
  Expression,
  Identifier,
  Ingest,
  Literal,
  Query,
  Statement,
} from '../ast.ts';
import { invalidStatement, SqlError } from '../sql-error.ts';
import { INSERT_QUERY_STARTS } from './keywords.ts';
import { refuseNonQuery } from './parse-query.ts';
import { parseOrderItems } from './parse-window.ts';
import { QUERY_STARTS, type TokenCursor } from './token-cursor.ts';

/**
 * Parses one statement or one SET.
 * Throws SqlError for invalid syntax and for statements that the engine does not have.
 */
export function parseStatement(cursor: TokenCursor): Statement | Setting {
  const { token } = cursor;
  switch (token.key) {
    case 'SET':
      return parseSet(cursor);
    case 'EXPLAIN':
      return parseExplain(cursor);
    case 'DESCRIBE':
      return parseDescribe(cursor);
    default:
      return parseExplainable(cursor);
  }
}

export interface Setting {
  readonly kind: 'set';
  readonly name: string;
  readonly value: Literal;
  readonly at: Literal['at'];
}

function parseExplainable(cursor: TokenCursor): Query | Ingest {
  const { key } = cursor.token;
  if (
    key === 'INSERT' ||
    key === 'UPSERT' ||
    (key === 'REPLACE' && cursor.peek(1).key === 'INTO')
  ) {
    return parseIngest(cursor);
  }
  const unsupported =
    UNSUPPORTED[key] ??
    (key === 'ALTER' && cursor.peek(1).key !== 'TABLE' ? 'SET_OPTION' : undefined);
  if (unsupported !== undefined) {
    throw isLeftToPlanner(`Unsupported SQL statement [${unsupported}]`);
  }
  if (key === 'SELECT' || key === 'WITH' || key === 'VALUES' || key === 'TABLE' || key === '(') {
    return cursor.query();
  }
  return refuseOther(cursor);
}

const UNSUPPORTED: Readonly<Record<string, string>> = {
  DELETE: 'DELETE',
  UPDATE: 'UPDATE',
  MERGE: 'MERGE',
  DESCRIBE: 'DESCRIBE_TABLE',
  CALL: 'PROCEDURE_CALL',
  RESET: 'SET_OPTION',
};

// The real parser accepts these; the planner refuses them.
const isLeftToPlanner = (message: string): SqlError =>
  new SqlError(message, { context: { sourceType: 'sql' }, phase: 'plan' });

function refuseOther(cursor: TokenCursor): never {
  refuseNonQuery(cursor);
  cursor.at('<EOF>');
  return cursor.fail(
    'INSERT',
    'UPSERT',
    'EXPLAIN',
    'SET',
    'RESET',
    'ALTER',
    'WITH',
    'SELECT',
    'VALUES',
    'TABLE',
    '(',
    '<IDENTIFIER>',
    'DELETE',
    'UPDATE',
  );
}

function parseSet(cursor: TokenCursor): Setting {
  const start = cursor.advance();
  const name = [cursor.name().value];
  while (cursor.accept('.')) {
    name.push(cursor.name().value);
  }
  cursor.expect('=');
  const value = parseSetValue(cursor);
  return { kind: 'set', name: name.join('.'), value, at: cursor.since(start) };
}

function parseSetValue(cursor: TokenCursor): Literal {
  const start = cursor.token;
  const sign = cursor.acceptAny('+', '-');
  const { kind, key } = cursor.token;
  const number = kind === 'integer' || kind === 'decimal' || kind === 'double';
  if (number || (sign === undefined && (kind === 'string' || SETTABLE.has(key)))) {
    const value = cursor.arithmetic();
    if (value.kind === 'literal') {
      return {
        ...value,
        text: sign === '-' ? `-${value.text}` : value.text,
        at: cursor.since(start),
      };
    }
  }
  if (sign === undefined && cursor.atName()) {
    throw invalidStatement(
      `Assignment of [${cursor.token.image}] is not possible: the value in a SET statement must be a literal`,
    );
  }
  return cursor.fail(
    '+',
    '-',
    '<UNSIGNED_INTEGER_LITERAL>',
    '<DECIMAL_NUMERIC_LITERAL>',
    '<QUOTED_STRING>',
    ...SETTABLE,
  );
}

const SETTABLE: ReadonlySet<string> = new Set([
  'TRUE',
  'FALSE',
  'UNKNOWN',
  'NULL',
  'DATE',
  'TIME',
  'TIMESTAMP',
]);

function parseExplain(cursor: TokenCursor): Explain {
  const start = cursor.advance();
  cursor.expect('PLAN');
  if (cursor.acceptAny('INCLUDING', 'EXCLUDING') !== undefined) {
    cursor.accept('ALL');
    cursor.expect('ATTRIBUTES');
  }
  if (cursor.acceptAny('WITH', 'WITHOUT') !== undefined) {
    cursor.expectAny('TYPE', 'IMPLEMENTATION');
  }
  if (cursor.accept('AS')) {
    cursor.expectAny('XML', 'JSON', 'DOT');
  }
  cursor.expect('FOR');
  const statement = parseExplainable(cursor);
  return { kind: 'explain', statement, at: cursor.since(start) };
}

// DESCRIBE of a query is EXPLAIN.
function parseDescribe(cursor: TokenCursor): Explain | Query | Ingest {
  const isNamed = cursor.peek(1).key === 'STATEMENT';
  const { key } = cursor.peek(isNamed ? 2 : 1);
  if ((key === 'TABLE' && !isNamed) || !['(', ...QUERY_STARTS].includes(key))
    return parseExplainable(cursor);
  const start = cursor.advance();
  if (isNamed) cursor.advance();
  return { kind: 'explain', statement: cursor.query(), at: cursor.since(start) };
}

function parseIngest(cursor: TokenCursor): Ingest {
  const start = cursor.advance();
  if (start.key === 'UPSERT') {
    throw invalidStatement('UPSERT is not supported.');
  }
  const kind = start.key === 'REPLACE' ? 'replace' : 'insert';
  cursor.expect('INTO');
  const target = cursor.atAll('EXTERN', '(') ? parseExport(cursor) : parseTarget(cursor);
  const columns =
    cursor.at('(') && !cursor.atParenthesizedQuery() ? parseColumns(cursor) : undefined;
  const format = cursor.accept('AS') ? cursor.name().value.toUpperCase() : undefined;
  if (
    kind === 'insert' &&
    format === undefined &&
    columns === undefined &&
    cursor.token.kind === 'end'
  )
    cursor.failExpecting(INSERT_QUERY_STARTS);
  const overwrite = parseOverwrite(cursor, kind);
  const query = cursor.query();
  const partitionedBy = cursor.accept('PARTITIONED', 'BY') ? parsePartitionedBy(cursor) : undefined;
  const clusteredBy = cursor.accept('CLUSTERED', 'BY') ? parseOrderItems(cursor) : undefined;
  const exported = 'kind' in target;
  if (clusteredBy !== undefined && partitionedBy === undefined) {
    throw invalidStatement(
      'CLUSTERED BY found before PARTITIONED BY, CLUSTERED BY must come after the PARTITIONED BY clause',
    );
  }
  return {
    kind,
    target: exported && format !== undefined ? { ...target, format } : target,
    ...(columns === undefined ? {} : { columns }),
    ...(overwrite === undefined ? {} : { overwrite }),
    query,
    ...(partitionedBy === undefined ? {} : { partitionedBy }),
    ...(clusteredBy === undefined ? {} : { clusteredBy }),
    at: cursor.since(start),
  };
}

function parseTarget(cursor: TokenCursor): Exclude<Ingest['target'], ExportTarget> {
  const start = cursor.token;
  const names = [cursor.name().value];
  while (cursor.accept('.')) {
    names.push(cursor.name().value);
  }
  return { names, at: cursor.since(start) };
}

// EXTERN(local(exportPath => '...')). LOCAL is a reserved word everywhere else.
function parseExport(cursor: TokenCursor): ExportTarget {
  const start = cursor.advance();
  cursor.expect('(');
  const name = cursor.at('LOCAL') ? cursor.advance() : cursor.name();
  const nameAt = cursor.since(name);
  const parts = cursor.accept('(') && !cursor.accept(')') ? parseProperties(cursor) : [];
  const destination: Call = {
    kind: 'call',
    name: name.value.toUpperCase(),
    nameAt,
    args: parts.map(({ value }) => value),
    argumentNames: parts.map(({ name: property }) => property),
    at: cursor.since(name),
  };
  cursor.expect(')');
  return { kind: 'export', destination, at: cursor.since(start) };
}

function parseProperties(cursor: TokenCursor): { name: string; value: Expression }[] {
  const properties = cursor.list(() => {
    const name = cursor.name().value;
    cursor.expect('=>');
    const start = cursor.token;
    const text = cursor.string().value;
    const value: Literal = { kind: 'literal', type: 'string', text, at: cursor.since(start) };
    return { name, value };
  });
  cursor.expect(')');
  return properties;
}

const parseColumns = (cursor: TokenCursor): Identifier[] =>
  cursor.parenthesized(() => {
    const name = cursor.name();
    return {
      kind: 'identifier',
      names: [name.value],
      quoted: [name.kind === 'name'],
      at: cursor.since(name),
    };
  });

function parseOverwrite(cursor: TokenCursor, kind: Ingest['kind']): Ingest['overwrite'] {
  if (!cursor.accept('OVERWRITE')) {
    return undefined;
  }
  if (kind === 'insert') {
    throw invalidStatement(
      'An OVERWRITE clause is not allowed with INSERT statements. Use REPLACE statements if overwriting existing segments is required or remove the OVERWRITE clause.',
    );
  }
  if (cursor.accept('ALL')) {
    return 'ALL';
  }
  return cursor.accept('WHERE') ? cursor.expression() : undefined;
}

function parsePartitionedBy(cursor: TokenCursor): NonNullable<Ingest['partitionedBy']> {
  const start = cursor.token;
  if (cursor.accept('ALL')) {
    cursor.accept('TIME');
    return { kind: 'all', at: cursor.since(start) };
  }
  const unit = cursor.acceptAny('HOUR', 'DAY', 'MONTH', 'YEAR');
  return unit === undefined ? cursor.expression() : { kind: 'unit', unit, at: cursor.since(start) };
}
