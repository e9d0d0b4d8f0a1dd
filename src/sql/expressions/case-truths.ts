// CASE of texts in a filter: the planner compares its results and keeps its conditions.
import type { Binary, Case, Expression, In, Literal } from '../ast.ts';
import { isListed, truthLiteral } from './rewrite.ts';

/**
 * A comparison of a CASE of texts with texts as a CASE of truths; undefined for others. Its
 * conditions are those of the row, also of several values.
 */
export function truthsOfTexts(comparison: Binary | In): Case | undefined {
  const compared = comparedCase(comparison);
  if (!compared) return undefined;
  const { operand, whens, otherwise, at } = compared.tested;
  const results = [...whens.map(({ then }) => then), ...(otherwise ? [otherwise] : [])];
  if (!results.every((result) => isNull(result) || isWrittenText(result))) return undefined;
  const truth = (result: Expression): Expression =>
    isWrittenText(result) ? truthLiteral(compared.isMet(result.text), result.at) : result;
  return {
    kind: 'case',
    whens: whens.map(({ when, then }) => ({
      when: operand ? { kind: 'binary', operator: '=', left: operand, right: when, at } : when,
      then: truth(then),
    })),
    ...(otherwise && { otherwise: truth(otherwise) }),
    at,
  };
}

function comparedCase(
  comparison: Binary | In,
): { readonly tested: Case; isMet(text: string): boolean } | undefined {
  if (comparison.kind === 'in') {
    const { operand: tested, among, negated } = comparison;
    if (tested.kind !== 'case' || !isListed(among)) return undefined;
    if (!among.every(isWrittenText)) return undefined;
    const texts = new Set(among.map(({ text }) => text));
    return { tested, isMet: (text) => texts.has(text) !== negated };
  }
  const { left, right, operator } = comparison;
  const [tested, other] = left.kind === 'case' ? [left, right] : [right, left];
  if (tested.kind !== 'case' || !isWrittenText(other) || !['=', '<>'].includes(operator))
    return undefined;
  return { tested, isMet: (text) => (text === other.text) === (operator === '=') };
}

const isWrittenText = (part: Expression): part is Literal =>
  part.kind === 'literal' && part.type === 'string';

const isNull = (part: Expression): boolean => part.kind === 'literal' && part.type === 'null';
