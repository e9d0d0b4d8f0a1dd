// Comparisons of a numeric column under casts. A filter compares the column itself with the
// constant (Druid: Expressions.toSimpleLeafFilter): `CAST(d AS BIGINT) = 2` does not find 2.5, and
// neither does `JSON_VALUE(j, '$.d' RETURNING BIGINT) = 2`.
import type { Between, Binary, Expression, In, Literal } from '../ast.ts';
import { isInteger, isNumeric, isText } from '../types.ts';
import { isListed, negatedIf } from './rewrite.ts';
import { typeOfName } from './type-name.ts';
import type { Typed } from './typed.ts';

/** The parts of a filter that its comparisons use. */
export interface ComparedParts {
  readonly typedOf: (expression: Expression) => Typed;
  // A column of the filtered rows: in HAVING also a key or an aggregate
  readonly isColumn: (expression: Expression) => boolean;
  // Whether fields of nested data are found by their stored numbers: in WHERE
  readonly isOfStored?: true;
  readonly findsLists?: boolean; // whether lists of scalars in such fields are not null
}

type Comparison = Between | Binary | In;

/**
 * The comparison of a numeric column with constants, without casts and without `* 1`, `/ 1`, `+ 0`
 * and `- 0` around the column. A text that is not a number differs from every number. Other
 * comparisons are returned unchanged.
 */
export function withoutCasts(comparison: Comparison, parts: ComparedParts): Expression {
  if (comparison.kind === 'in') return inColumn(comparison, parts);
  if (comparison.kind === 'between') {
    const { operand, low, high, negated, symmetric, at } = comparison;
    const found = comparedColumn(operand, [low, high], parts);
    const [from, to] = [numberLiteral(low, parts), numberLiteral(high, parts)];
    if (!found || found.isText || !from || !to) return comparison;
    return textOf(from) === textOf(to) && !negated && !symmetric
      ? { kind: 'binary', operator: '=', left: found.column, right: from, at }
      : { ...comparison, operand: found.column, low: from, high: to };
  }
  const { operator, left, right, at } = comparison;
  const isEquality = operator === '=' || operator === '<>' || operator.endsWith('DISTINCT FROM');
  if (!isEquality && !orders.includes(operator)) return comparison;
  const [written, constant] = isConstant(right, parts) ? [left, right] : [right, left];
  const found = isConstant(constant, parts)
    ? comparedColumn(written, [constant], parts)
    : undefined;
  if (!found || (found.isText && !isEquality)) return comparison;
  const number = found.isText ? parsedText(constant) : numberLiteral(constant, parts);
  if (number === undefined) return comparison;
  const isNegated = operator === '<>' || operator === 'IS DISTINCT FROM';
  const equal: Expression =
    number === 'none'
      ? neverOf(found.column)
      : { kind: 'binary', operator: '=', left: found.column, right: number, at };
  if (operator.endsWith('DISTINCT FROM'))
    return { kind: 'is', operand: equal, what: 'TRUE', negated: isNegated, at };
  if (number === 'none') return negatedIf(isNegated, equal, at);
  return written === left
    ? { ...comparison, left: found.column, right: number }
    : { ...comparison, left: number, right: found.column };
}

const orders: readonly string[] = ['<', '<=', '>', '>='];

function inColumn(comparison: In, parts: ComparedParts): Expression {
  const { operand, among, negated, at } = comparison;
  if (!isListed(among) || !among.every((item) => isConstant(item, parts))) return comparison;
  const found = comparedColumn(operand, among, parts);
  if (!found) return comparison;
  const isLong = operand.kind === 'cast' && isInteger(typeOfName(operand.type));
  const numbers = among.map((item) => {
    if (found.isText) return parsedText(item);
    const number = numberLiteral(item, parts);
    return number && isLong ? truncated(number) : number;
  });
  if (numbers.some((number) => number === undefined)) return comparison;
  const list = numbers.filter((number) => number !== undefined && number !== 'none');
  if (list.length > 0) return { ...comparison, operand: found.column, among: list };
  const never = neverOf(found.column);
  return negatedIf(negated, never, at);
}

// A list below a cast to a long has the type of the cast.
function truncated(number: Expression): Expression {
  if (number.kind === 'unary') return { ...number, operand: truncated(number.operand) };
  if (number.kind !== 'literal' || number.type === 'integer') return number;
  const value = Math.trunc(Number(number.text));
  if (!Number.isSafeInteger(value)) return number;
  return { ...number, type: 'integer', text: String(value) };
}

interface ComparedColumn {
  readonly column: Expression;
  readonly isText: boolean; // the outermost cast is to a text
}

function comparedColumn(
  written: Expression,
  constants: readonly Expression[],
  { typedOf, isColumn, isOfStored }: ComparedParts,
): ComparedColumn | undefined {
  const column = innermost(written);
  if (!isColumn(column)) return undefined;
  const { type, constant } = typedOf(column);
  if (constant !== undefined || !isNumeric(type) || type.name === 'DECIMAL') return undefined;
  const isStored = isOfStored && isInteger(type) && constants.every(isExactDouble);
  return {
    column: isStored ? storedNumber(column) : column,
    isText: written.kind === 'cast' && isText(typeOfName(written.type)),
  };
}

// The number of a field of nested data before it is cut off to a long.
const storedNumber = (field: Expression): Expression =>
  field.kind === 'call' && field.json?.returning
    ? {
        ...field,
        json: { ...field.json, returning: { ...field.json.returning, name: 'DOUBLE' } },
      }
    : field;

/** Whether a literal number, if there is one, is the same number as a double. */
export const isExactDouble = (number: Expression): boolean => {
  const text = numberIn(number)?.text;
  return text === undefined || Math.abs(Number(text)) <= Number.MAX_SAFE_INTEGER;
};

function innermost(expression: Expression): Expression {
  if (expression.kind === 'cast' && !expression.safe && !expression.type.array) {
    const type = typeOfName(expression.type);
    const isSimple = isText(type) || (isNumeric(type) && type.name !== 'DECIMAL');
    return isSimple ? innermost(expression.operand) : expression;
  }
  if (expression.kind !== 'binary') return expression;
  const { operator, left, right } = expression;
  const neutral = neutrals[operator];
  if (neutral === undefined) return expression;
  if (isLiteralOf(right, neutral)) return innermost(left);
  const isCommutative = operator === '*' || operator === '+';
  return isCommutative && isLiteralOf(left, neutral) ? innermost(right) : expression;
}

const neutrals: Readonly<Record<string, number>> = { '*': 1, '/': 1, '+': 0, '-': 0 };

const isLiteralOf = (expression: Expression, value: number): boolean =>
  expression.kind === 'literal' &&
  (expression.type === 'integer' || expression.type === 'decimal') &&
  Number(expression.text) === value;

const isConstant = (expression: Expression, { typedOf }: ComparedParts): boolean =>
  numberIn(expression) !== undefined ||
  (expression.kind === 'literal' && expression.type === 'string') ||
  (isWithoutNames(expression) && typedOf(expression).constant !== undefined);

const isWithoutNames = ({ kind }: Expression): boolean =>
  kind === 'cast' || kind === 'call' || kind === 'binary' || kind === 'unary';

/** A literal number, with or without a sign. */
export function numberIn(expression: Expression): Literal | undefined {
  const number =
    expression.kind === 'unary' && expression.operator === '-' ? expression.operand : expression;
  return number.kind === 'literal' && ['decimal', 'double', 'integer'].includes(number.type)
    ? number
    : undefined;
}

function numberLiteral(expression: Expression, { typedOf }: ComparedParts): Expression | undefined {
  if (numberIn(expression)) return expression;
  const { type, constant } = typedOf(expression);
  const isNumber = typeof constant === 'bigint' || Number.isFinite(constant);
  if (!isNumber || !isNumeric(type)) return undefined;
  return signed(
    String(constant),
    typeof constant === 'bigint' ? 'integer' : 'double',
    expression.at,
  );
}

function signed(text: string, type: Literal['type'], at: Literal['at']): Expression {
  const literal: Literal = { kind: 'literal', type, text: text.replace(/^[+-]/, ''), at };
  return text.startsWith('-') ? { kind: 'unary', operator: '-', operand: literal, at } : literal;
}

/** The number of a literal text; `none` for a text that is not a number. */
export function parsedText(expression: Expression): Expression | 'none' | undefined {
  if (expression.kind !== 'literal' || expression.type !== 'string') return undefined;
  const { text, at } = expression;
  if (/^[+-]?\d{1,18}$/.test(text)) return signed(text, 'integer', at);
  const isNumber = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text);
  const value = Number(text);
  return isNumber && Number.isFinite(value) ? signed(String(value), 'double', at) : 'none';
}

const textOf = (number: Expression): string | undefined =>
  number.kind === 'unary' ? `-${textOf(number.operand)}` : numberIn(number)?.text;

// False for a value, unknown for null.
const neverOf = (column: Expression): Expression => ({
  kind: 'binary',
  operator: '<>',
  left: column,
  right: column,
  at: column.at,
});
