// Comparisons of concatenations with a constant. In a filter, the planner takes them apart if the
// constant has only one reading (Druid: FilterDecomposeConcatRule): `x || '-' || y = 'a-b'` becomes
// `x = 'a' AND y = 'b'`. A concatenation is null if one of its parts is.
import type { Expression, Position } from '../ast.ts';
import { mapOperands } from './rewrite.ts';

/**
 * The filter with its comparisons of concatenations of texts taken apart. A filter without them is
 * returned itself.
 */
export function withoutConcatenations(
  filter: Expression,
  isOfText: (part: Expression) => boolean,
): Expression {
  const computedIn = (operand: Expression) => {
    const computed = partsOf(operand)?.filter((part) => !isText(part));
    return computed?.length && computed.every(isOfText) ? computed : undefined;
  };
  if (filter.kind === 'is' && filter.what === 'NULL') {
    const parts = computedIn(filter.operand);
    if (!parts) return filter;
    const { at } = filter;
    const isNull = (operand: Expression): Expression => ({
      kind: 'is',
      operand,
      what: 'NULL',
      negated: false,
      at,
    });
    return negatedIf(filter.negated, joined('OR', parts.map(isNull), at), at);
  }
  if (filter.kind === 'binary' && (filter.operator === '=' || filter.operator === '<>')) {
    const { left, right, operator, at } = filter;
    const [written, constant] = isText(right) ? [left, right] : [right, left];
    const parts = computedIn(written) && partsOf(written);
    const equal = parts && isText(constant) && equalParts(parts, constant.text, at);
    return equal ? negatedIf(operator === '<>', equal, at) : filter;
  }
  const isLogical =
    (filter.kind === 'binary' && (filter.operator === 'AND' || filter.operator === 'OR')) ||
    (filter.kind === 'unary' && filter.operator === 'NOT') ||
    (filter.kind === 'is' && filter.what !== 'JSON');
  if (!isLogical) return filter;
  let isChanged = false;
  const changed = mapOperands(filter, (operand) => {
    const apart = withoutConcatenations(operand, isOfText);
    isChanged ||= apart !== operand;
    return apart;
  });
  return isChanged ? changed : filter;
}

// The parts of a concatenation, without empty texts; undefined for other expressions.
function partsOf(expression: Expression): readonly Expression[] | undefined {
  const operands =
    expression.kind === 'binary' && expression.operator === '||'
      ? [expression.left, expression.right]
      : expression.kind === 'call' &&
          (expression.name === 'CONCAT' || expression.name === 'TEXTCAT')
        ? expression.args
        : undefined;
  return operands
    ?.flatMap((operand) => partsOf(operand) ?? [operand])
    .filter((operand) => !isText(operand) || operand.text !== '');
}

// The equality of each part with its text; undefined if the constant has several readings.
function equalParts(
  parts: readonly Expression[],
  constant: string,
  at: Position,
): Expression | undefined {
  const texts = parts.map((part) => (isText(part) ? part.text : undefined));
  const isAmbiguous = texts.some(
    (text, index) => text === undefined && index > 0 && texts[index - 1] === undefined,
  );
  const computed = parts.filter((part) => !isText(part));
  if (isAmbiguous) return undefined;
  let isImpossible = false;
  for (const text of new Set(texts)) {
    if (text === undefined) continue;
    const [found, wanted] = [countOf(constant, text), texts.filter((one) => one === text).length];
    if (found > wanted) return undefined;
    isImpossible ||= found < wanted;
  }
  const values = isImpossible ? undefined : readingOf(texts, constant);
  // A concatenation that cannot give the constant is unknown for nulls and otherwise false, which
  // its comparison already says.
  if (!values) return undefined;
  const equalities = computed.map(
    (part, index): Expression => ({
      kind: 'binary',
      operator: '=',
      left: part,
      right: { kind: 'literal', type: 'string', text: values[index] ?? '', at },
      at,
    }),
  );
  return joined('AND', equalities, at);
}

// The texts of the computed parts, between the written ones.
function readingOf(
  texts: readonly (string | undefined)[],
  constant: string,
): readonly string[] | undefined {
  const values: string[] = [];
  let start = 0;
  for (const [index, text] of texts.entries()) {
    if (text !== undefined) {
      if (!constant.startsWith(text, start)) return undefined;
      start += text.length;
      continue;
    }
    const next = texts[index + 1];
    const end = next === undefined ? constant.length : constant.indexOf(next, start);
    if (end < 0) return undefined;
    values.push(constant.slice(start, end));
    start = end;
  }
  return start === constant.length ? values : undefined;
}

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) count++;
  return count;
}

const isText = (expression: Expression): expression is Extract<Expression, { kind: 'literal' }> =>
  expression.kind === 'literal' && expression.type === 'string';

function joined(
  operator: 'AND' | 'OR',
  conditions: readonly Expression[],
  at: Position,
): Expression {
  return conditions.reduce(
    (left, right): Expression => ({ kind: 'binary', operator, left, right, at }),
  );
}

const negatedIf = (isNegated: boolean, operand: Expression, at: Position): Expression =>
  isNegated ? { kind: 'unary', operator: 'NOT', operand, at } : operand;
