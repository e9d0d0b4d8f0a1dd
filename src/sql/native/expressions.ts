// Builders for parts of expressions.
import type { Binary, Call, Cast, Expression, Identifier, Literal } from '../ast.ts';
import { malformed, NOWHERE } from './members.ts';

/** A call of a function by its SQL name. */
export const callTo = (name: string, ...args: readonly Expression[]): Call => ({
  kind: 'call',
  name,
  nameAt: NOWHERE,
  args,
  at: NOWHERE,
});

/** A cast to a SQL type by its name. */
export const castAs = (operand: Expression, name: string): Cast => ({
  kind: 'cast',
  operand,
  safe: false,
  type: { name, array: false, native: false, at: NOWHERE },
  at: NOWHERE,
});

/** A column by its name, which may contain any character. */
export const columnNamed = (name: string): Identifier => ({
  kind: 'identifier',
  names: [name],
  quoted: [true],
  at: NOWHERE,
});

const computedTexts = 'text of';

/** The text of a computed column in the type of its expression. */
export const computedTextOf = (name: string): Identifier => ({
  kind: 'identifier',
  names: [computedTexts, name],
  quoted: [true, true],
  at: NOWHERE,
});

/** Whether names are those of `computedTextOf`. */
export const areOfComputedText = (names: readonly string[]): boolean =>
  names.length === 2 && names[0] === computedTexts;

/**
 * A text, number, boolean (as text) or null of JSON as a literal.
 * Throws SqlError for anything else.
 */
export function literalOf(value: unknown): Literal {
  const of = (type: Literal['type'], text: string): Literal => ({
    kind: 'literal',
    type,
    text,
    at: NOWHERE,
  });
  if (value === null) return of('null', 'NULL');
  switch (typeof value) {
    case 'string':
      return of('string', value);
    case 'boolean':
      return of('string', String(value));
    case 'bigint':
      return of('integer', String(value));
    case 'number':
      return Number.isInteger(value) && Math.abs(value) < 1e21
        ? of('integer', String(value))
        : of('double', String(value));
  }
  throw malformed('Values are texts, numbers, booleans and lists of them');
}

/** As `literalOf`, with lists as arrays. Throws SqlError. */
export const constantExpression = (value: unknown): Expression =>
  Array.isArray(value)
    ? { kind: 'array', items: value.map(constantExpression), at: NOWHERE }
    : literalOf(value);

/** The literal TRUE or FALSE. */
export const truth = (text: 'TRUE' | 'FALSE'): Literal => ({
  kind: 'literal',
  type: 'boolean',
  text,
  at: NOWHERE,
});

/** `left operator right`. */
export const binary = (
  operator: Binary['operator'],
  left: Expression,
  right: Expression,
): Binary => ({
  kind: 'binary',
  operator,
  left,
  right,
  at: NOWHERE,
});

/**
 * All or any of the conditions, as a balanced tree that keeps thousands of them shallow. Without
 * conditions, AND is true and OR is false. `link` makes a node of the tree.
 */
export function joinExpressions(
  operator: 'AND' | 'OR',
  conditions: readonly Expression[],
  link = binary,
): Expression {
  const [first] = conditions;
  if (first === undefined || conditions.length === 1) {
    return first ?? truth(operator === 'AND' ? 'TRUE' : 'FALSE');
  }
  const middle = Math.ceil(conditions.length / 2);
  return link(
    operator,
    joinExpressions(operator, conditions.slice(0, middle), link),
    joinExpressions(operator, conditions.slice(middle), link),
  );
}
