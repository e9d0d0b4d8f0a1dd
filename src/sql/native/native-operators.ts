// Operators of native expressions (Druid: ExpressionTypeConversion.autoDetect). Two texts are
// compared as texts, two longs as longs, all others as doubles.
import type { Position } from '../ast.ts';
import { bindOnce } from '../expressions/bind-once.ts';
import { constantOf } from '../expressions/casts.ts';
import {
  arithmetic,
  type ComparisonOperator,
  comparison,
  connective,
  negation,
  not,
} from '../expressions/operators.ts';
import type { Scope, Typed } from '../expressions/typed.ts';
import { SqlError } from '../sql-error.ts';
import {
  arrayOf,
  bigint,
  boolean,
  double,
  isInteger,
  isText,
  leastRestrictive,
  type SqlType,
  varchar,
} from '../types.ts';
import { resolveOver } from './call-values.ts';
import { literalOf, binary as sqlBinary } from './expressions.ts';
import type { NativeOperator } from './native-expression.ts';
import { convert, holds, isArray, numberOf, plain, textOf } from './native-values.ts';

/** `left operator right`. Throws SqlError for invalid operands. */
export function nativeBinary(
  operator: NativeOperator,
  left: Typed,
  right: Typed,
  at: Position,
  scope: Scope,
): Typed {
  switch (operator) {
    case '&&':
      return connective('AND', holds(left), holds(right), at);
    case '||':
      return connective('OR', holds(left), holds(right), at);
    case '==':
      return nativeComparison('=', left, right, at);
    case '!=':
      return nativeComparison('<>', left, right, at);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return nativeComparison(operator, left, right, at);
    case '^':
      return power(left, right, at);
    default:
      return compute(operator, left, right, at, scope);
  }
}

/** `-operand` and `!operand`. Throws SqlError for a negated text. */
export function nativeUnary(operator: '-' | '!', operand: Typed, at: Position): Typed {
  if (operator === '!') return not(holds(operand), at);
  const value = plain(operand);
  if (value.type.name === 'NULL' || value.constant === null) return value;
  if (isText(value.type) || isArray(value) || value.type.name === 'OTHER')
    throw noSuchOperator('-', at);
  return negation(value, at, 'UTC');
}

/** A comparison. Nested data cannot be compared. */
export function nativeComparison(
  operator: ComparisonOperator,
  left: Typed,
  right: Typed,
  at: Position,
): Typed {
  const [a, b] = [plain(left), plain(right)];
  const isDistinct = operator === 'IS DISTINCT FROM' || operator === 'IS NOT DISTINCT FROM';
  const [one, other] = alike(a, b);
  if (!isDistinct && (one.constant === null || other.constant === null))
    return constantOf(null, boolean, at);
  return comparison(operator, one, other, at, 'UTC');
}

// Both operands converted to their common type.
function alike(a: Typed, b: Typed): readonly [Typed, Typed] {
  const type = commonType(a, b);
  const as = (value: Typed) => {
    if (value.constant === null || value.type.name === 'NULL')
      return constantOf(null, type, value.at);
    return type.name === 'DOUBLE' || type.name === 'BIGINT'
      ? numberOf(value, type, 'null')
      : convert(value, type);
  };
  return [as(a), as(b)];
}

function commonType(a: Typed, b: Typed): SqlType {
  const [one, other] = isNothing(a)
    ? [b.type, b.type]
    : isNothing(b)
      ? [a.type, a.type]
      : [a.type, b.type];
  if (one.name === 'NULL') return varchar;
  if (isText(one) && isText(other)) return varchar;
  if (isInteger(one) && isInteger(other)) return bigint;
  if (one.name === 'ARRAY' && other.name === 'ARRAY')
    return leastRestrictive([one, other]) ?? arrayOf(varchar);
  return double;
}

function compute(
  operator: '+' | '-' | '*' | '/' | '%',
  left: Typed,
  right: Typed,
  at: Position,
  scope: Scope,
): Typed {
  const [a, b] = [plain(left), plain(right)];
  const type = a.type.name === 'ARRAY' && b.type.name === 'ARRAY' ? double : commonType(a, b);
  if (type.name === 'ARRAY') return constantOf(null, double, at);
  if (isText(type)) {
    if (operator === '+')
      return resolveOver([textOf(a), textOf(b)], scope, ([x = nothing, y = nothing]) =>
        sqlBinary('||', x, y),
      );
    if (isNothing(a) || isNothing(b)) return constantOf(null, varchar, at);
    throw noSuchOperator(operator, at);
  }
  const [x, y] = [a, b].map((value) =>
    isNothing(value) ? constantOf(null, type, value.at) : numberOf(value, type, 'null'),
  );
  if (!x || !y) throw new TypeError('An operator has two operands');
  // SQL has no literals for infinities.
  if (typeof x.constant === 'number' && typeof y.constant === 'number')
    return constantOf(ofDoubles[operator](x.constant, y.constant), double, at);
  return arithmetic(operator, x, y, at, 'UTC', scope.environment.version);
}

const isNothing = ({ type, constant }: Typed) => type.name === 'NULL' || constant === null;

const nothing = literalOf(null);

const ofDoubles: Readonly<Record<'+' | '-' | '*' | '/' | '%', (x: number, y: number) => number>> = {
  '+': (x, y) => x + y,
  '-': (x, y) => x - y,
  '*': (x, y) => x * y,
  '/': (x, y) => x / y,
  '%': (x, y) => x % y,
};

function power(left: Typed, right: Typed, at: Position): Typed {
  const [a, b] = [plain(left), plain(right)];
  const type = commonType(a, b);
  if (isText(type) && !isNothing(a) && !isNothing(b)) throw noSuchOperator('^', at);
  if (a.constant === null || b.constant === null) return constantOf(null, double, at);
  const [x, y] = [a, b].map((value) =>
    numberOf(value, type.name === 'BIGINT' ? bigint : double, 'null'),
  );
  const name = type.name === 'BIGINT' ? 'druid_math_power' : 'pow';
  return {
    type: type.name === 'BIGINT' ? bigint : double,
    at,
    sql: bindOnce([x?.sql ?? '', y?.sql ?? ''], (texts) => `${name}(${texts.join(', ')})`),
  };
}

const noSuchOperator = (operator: string, { line, column }: Position) =>
  new SqlError(
    `operator '${operator}' is not supported on this type (line [${line}], column [${column}])`,
  );
