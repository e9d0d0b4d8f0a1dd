// SQL over resolved values: each value is inserted as a literal or as a parameter.
import type { Expression } from '../ast.ts';
import { type Scope, scopeWith, type Typed } from '../expressions/typed.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import { literalOf } from './expressions.ts';

/** Resolves the expression that `make` builds for each value. Throws SqlError. */
export function resolveOver(
  values: readonly Typed[],
  scope: Scope,
  make: (args: readonly Expression[]) => Expression,
): Typed {
  const environment = { ...scope.environment, parameters: values };
  return resolveExpression(make(values.map(expressionOf)), scopeWith(scope, { environment }));
}

function expressionOf({ type, constant, at }: Typed, index: number): Expression {
  const isLiteral =
    typeof constant === 'string' || typeof constant === 'bigint' || type.name === 'NULL';
  return isLiteral ? { ...literalOf(constant ?? null), at } : { kind: 'parameter', index, at };
}
