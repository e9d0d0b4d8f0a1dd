// Parser of type names, and of intervals with their units.
import { isReserved } from '../../model/reserved-words.ts';
import type { Expression, Position, TimeUnit, TypeName } from '../ast.ts';
import { SqlError } from '../sql-error.ts';
import type { TokenCursor } from './token-cursor.ts';

/**
 * `VARCHAR(10)`, `DOUBLE PRECISION`, `BIGINT ARRAY`, `TYPE('COMPLEX<json>')`.
 * Throws SqlError for a missing type.
 */
export function parseTypeName(cursor: TokenCursor): TypeName {
  const start = cursor.token;
  if (cursor.accept('TYPE', '(')) {
    const name = cursor.string().value;
    cursor.expect(')');
    return { name, array: cursor.accept('ARRAY'), native: true, at: cursor.since(start) };
  }
  const name = parsePlainType(cursor);
  const [precision, scale] = parseLengths(cursor);
  if (!cursor.accept('WITH', 'TIME', 'ZONE') && !cursor.accept('WITH', 'LOCAL', 'TIME', 'ZONE')) {
    cursor.accept('WITHOUT', 'TIME', 'ZONE');
  }
  if (cursor.accept('CHARACTER', 'SET')) {
    cursor.name();
  }
  const array = cursor.accept('ARRAY');
  return {
    name,
    ...(precision === undefined ? {} : { precision }),
    ...(scale === undefined ? {} : { scale }),
    array,
    native: false,
    at: cursor.since(start),
  };
}

/** Whether a type of SQL stands at the cursor, whose name no column can have without quotes. */
export const atType = ({ token }: TokenCursor): boolean =>
  token.kind === 'word' && TYPE_WORDS.has(token.key) && isReserved(token.key);

/**
 * The second argument of JDBC's CONVERT: `SQL_BIGINT` or `BIGINT`.
 * Throws SqlError for any other word.
 */
export function parseJdbcType(cursor: TokenCursor): TypeName {
  const start = cursor.token;
  const name = start.key.replace(/^SQL_/, '');
  if (start.kind !== 'word' || !JDBC_TYPES.has(name))
    cursor.fail(...[...JDBC_TYPES].flatMap((type) => [`SQL_${type}`, type]));
  cursor.advance();
  return { name, array: false, native: false, at: cursor.since(start) };
}

const JDBC_TYPES: ReadonlySet<string> = new Set(
  'CHAR VARCHAR DATE TIME TIMESTAMP DECIMAL NUMERIC BOOLEAN INTEGER BINARY VARBINARY TINYINT SMALLINT BIGINT REAL DOUBLE FLOAT'.split(
    ' ',
  ),
);

function parsePlainType(cursor: TokenCursor): string {
  const { kind, key, value } = cursor.token;
  if (kind === 'word' && isReserved(key) && !TYPE_WORDS.has(key)) {
    cursor.fail(...TYPE_WORDS, '<IDENTIFIER>');
  }
  if (kind !== 'word' && kind !== 'name') {
    cursor.fail(...TYPE_WORDS, '<IDENTIFIER>');
  }
  cursor.advance();
  switch (key) {
    case 'CHAR':
    case 'CHARACTER':
      return cursor.accept('VARYING') ? 'VARCHAR' : 'CHAR';
    case 'BINARY':
      return cursor.accept('VARYING') ? 'VARBINARY' : 'BINARY';
    case 'DOUBLE':
      cursor.accept('PRECISION');
      return 'DOUBLE';
    case 'INT':
      return 'INTEGER';
    case 'DEC':
    case 'NUMERIC':
      return 'DECIMAL';
    case 'INTERVAL': {
      const { from, to } = parseQualifier(cursor);
      return to === undefined ? `INTERVAL ${from}` : `INTERVAL ${from} TO ${to}`;
    }
    default:
      return value.toUpperCase();
  }
}

const TYPE_WORDS: ReadonlySet<string> = new Set([
  ...[
    'CHAR',
    'CHARACTER',
    'VARCHAR',
    'DATE',
    'TIME',
    'TIMESTAMP',
    'DATETIME',
    'BOOLEAN',
    'INTEGER',
    'INT',
    'TINYINT',
    'SMALLINT',
    'BIGINT',
  ],
  ...[
    'REAL',
    'DOUBLE',
    'FLOAT',
    'BINARY',
    'VARBINARY',
    'DECIMAL',
    'DEC',
    'NUMERIC',
    'INTERVAL',
    'UUID',
    'VARIANT',
    'ANY',
  ],
]);

function parseLengths(cursor: TokenCursor): readonly (number | undefined)[] {
  if (!cursor.accept('(')) {
    return [];
  }
  const lengths = cursor.list(() => {
    return cursor.token.kind === 'integer'
      ? Number(cursor.advance().value)
      : cursor.fail('<UNSIGNED_INTEGER_LITERAL>');
  });
  cursor.expect(')');
  return lengths;
}

/**
 * `INTERVAL '1' DAY`, `INTERVAL 1 DAY`, `INTERVAL -'1-2' YEAR TO MONTH`.
 * Throws SqlError for invalid syntax.
 */
export function parseInterval(cursor: TokenCursor): Expression {
  const start = cursor.advance();
  const negative = cursor.acceptAny('+', '-') === '-';
  const { kind } = cursor.token;
  if (kind !== 'string' && kind !== 'integer' && kind !== 'decimal') {
    return refuseIntervalExpression(cursor);
  }
  const text = cursor.advance().value;
  const { from, to } = parseQualifier(cursor);
  return {
    kind: 'interval',
    text,
    negative,
    from,
    ...(to === undefined ? {} : { to }),
    at: cursor.since(start),
  };
}

// INTERVAL x DAY is an operator of other dialects. The engine parses it but does not support it.
function refuseIntervalExpression(cursor: TokenCursor): never {
  const { key, line, column } = cursor.token;
  if (key !== '(' && !cursor.atName()) {
    cursor.fail('<QUOTED_STRING>', '<UNSIGNED_INTEGER_LITERAL>', '(', '<IDENTIFIER>');
  }
  throw new SqlError(
    `No match found for function signature INTERVAL (line [${line}], column [${column}]): write the amount as text, INTERVAL '1' DAY`,
    {
      context: { sourceType: 'sql', line: String(line), column: String(column) },
    },
  );
}

/**
 * `DAY`, `DAY TO SECOND`. In `FLOOR(t + INTERVAL '1' MINUTE TO HOUR)`, TO belongs to FLOOR, because
 * no interval goes from minutes to hours. Throws SqlError for another word.
 */
export function parseQualifier(cursor: TokenCursor): { from: TimeUnit; to: TimeUnit | undefined } {
  const unit = (): TimeUnit => {
    const name = cursor.token.key.replace(/S$/, '');
    if (cursor.token.kind !== 'word' || !INTERVAL_UNITS.has(name)) {
      cursor.fail(...INTERVAL_UNITS);
    }
    cursor.advance();
    parseLengths(cursor);
    return name;
  };
  const from = unit();
  const hasEnd = smallerUnits[from]?.includes(cursor.peek(1).key.replace(/S$/, ''));
  return { from, to: hasEnd && cursor.accept('TO') ? unit() : undefined };
}

const smallerUnits: Record<TimeUnit, readonly string[]> = {
  YEAR: ['MONTH'],
  DAY: ['HOUR', 'MINUTE', 'SECOND'],
  HOUR: ['MINUTE', 'SECOND'],
  MINUTE: ['SECOND'],
};

/** Whether a unit of an interval follows. */
export const atQualifier = ({ token }: TokenCursor): boolean =>
  token.kind === 'word' && INTERVAL_UNITS.has(token.key.replace(/S$/, ''));

const INTERVAL_UNITS: ReadonlySet<string> = new Set([
  'YEAR',
  'QUARTER',
  'MONTH',
  'WEEK',
  'DAY',
  'HOUR',
  'MINUTE',
  'SECOND',
]);

/**
 * A unit of time for EXTRACT, FLOOR and TIMESTAMPADD.
 * Throws SqlError for a missing unit.
 */
export function parseTimeUnit(cursor: TokenCursor): { unit: TimeUnit; unitAt: Position } {
  const { token } = cursor;
  const { kind, key, value } = token;
  if (kind === 'name' || (kind === 'word' && (UNIT_WORDS.has(key) || !isReserved(key)))) {
    cursor.advance();
    const unit = value.toUpperCase();
    return {
      unit: (kind === 'word' && longUnits[unit]) || unit,
      unitAt: cursor.since(token),
    };
  }
  return cursor.fail(...UNIT_WORDS, '<IDENTIFIER>');
}

// Alternative spellings of units. A quoted name is not a unit (Calcite: TimeUnitOrName).
const longUnits: Readonly<Record<string, string>> = { DAYOFWEEK: 'DOW', DAYOFYEAR: 'DOY' };

const UNIT_WORDS: ReadonlySet<string> = new Set([
  ...[
    'MILLISECOND',
    'SECOND',
    'MINUTE',
    'HOUR',
    'DAY',
    'DOW',
    'DOY',
    'ISODOW',
    'ISOYEAR',
    'WEEK',
    'MONTH',
    'QUARTER',
    'YEAR',
    'EPOCH',
  ],
  ...['DECADE', 'CENTURY', 'MILLENNIUM'],
]);
