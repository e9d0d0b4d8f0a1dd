// Filters of an array by several constants, which versions before 37 do not build.
import type { EngineVersion } from '../../model/engine-version.ts';
import type { Expression } from '../ast.ts';
import { SqlError } from '../sql-error.ts';
import { nativeTypeOf } from '../types.ts';
import { conjuncts, printOf } from './rewrite.ts';
import type { Typed } from './typed.ts';

/** Refuses `array IN (ARRAY[...], ARRAY[...])`, also if it is written with OR. */
export function refuseArrayMatches(
  condition: Expression,
  typedOf: (expression: Expression) => Typed,
  version: EngineVersion,
): void {
  if (version >= 37) return;
  for (const part of conjuncts(condition)) {
    const wanted = new Map<string, Set<string>>();
    for (const { array, constant } of matchesIn(part)) {
      const constants = wanted.get(printOf(array)) ?? new Set();
      wanted.set(printOf(array), constants.add(printOf(constant)));
      if (constants.size < 2) continue;
      const { type } = typedOf(array);
      if (type.name === 'ARRAY')
        throw new SqlError(`Unsupported matchValueType[${nativeTypeOf(type)}]`);
    }
  }
}

interface ArrayMatch {
  readonly array: Expression;
  readonly constant: Expression;
}

// Comparisons with written arrays, of which one must hold. A negation is computed otherwise.
function matchesIn(condition: Expression): readonly ArrayMatch[] {
  if (condition.kind === 'is' && condition.what === 'TRUE' && !condition.negated)
    return matchesIn(condition.operand);
  if (condition.kind === 'in')
    return condition.negated || 'kind' in condition.among
      ? []
      : condition.among.flatMap((constant) => matchOf(condition.operand, constant));
  if (condition.kind !== 'binary') return [];
  const { operator, left, right } = condition;
  if (operator === 'OR') return [...matchesIn(left), ...matchesIn(right)];
  return operator === '=' ? matchOf(left, right) : [];
}

const matchOf = (array: Expression, constant: Expression): readonly ArrayMatch[] =>
  constant.kind === 'array' && constant.items.every(isConstant) ? [{ array, constant }] : [];

const isConstant = (expression: Expression): boolean =>
  expression.kind === 'literal' ||
  (expression.kind === 'unary' && expression.operator === '-' && isConstant(expression.operand));
