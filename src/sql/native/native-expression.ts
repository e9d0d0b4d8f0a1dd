// The tree of Druid's native expression language (docs/querying/math-expr.md).
import type { Literal, Position } from '../ast.ts';

export type NativeExpression =
  | Literal
  | { readonly kind: 'name'; readonly name: string; readonly at: Position }
  | {
      readonly kind: 'array';
      readonly items: readonly Literal[];
      readonly element?: string;
      readonly at: Position;
    }
  | {
      readonly kind: 'unary';
      readonly operator: '-' | '!';
      readonly operand: NativeExpression;
      readonly at: Position;
    }
  | NativeBinary
  | NativeCall
  | NativeApplication;

export interface NativeBinary {
  readonly kind: 'binary';
  readonly operator: NativeOperator;
  readonly left: NativeExpression;
  readonly right: NativeExpression;
  readonly at: Position;
}

export type NativeOperator =
  | '&&'
  | '||'
  | '<'
  | '<='
  | '>'
  | '>='
  | '=='
  | '!='
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '^';

export interface NativeCall {
  readonly kind: 'call';
  readonly text: string; // the whole expression, for messages
  readonly name: string; // in small letters
  readonly nameAt: Position;
  readonly args: readonly NativeExpression[];
  readonly at: Position;
}

/** A lambda applied to arrays: `map((x) -> x + 1, numbers)`. */
export interface NativeApplication {
  readonly kind: 'application';
  readonly text: string;
  readonly name: string; // in small letters
  readonly nameAt: Position;
  readonly parameters: readonly string[];
  readonly body: NativeExpression;
  readonly args: readonly NativeExpression[];
  readonly at: Position;
}

/** The direct parts of an expression, without the body of a lambda. */
export function partsOf(expression: NativeExpression): readonly NativeExpression[] {
  switch (expression.kind) {
    case 'literal':
    case 'name':
      return [];
    case 'array':
      return expression.items;
    case 'unary':
      return [expression.operand];
    case 'binary':
      return [expression.left, expression.right];
    case 'call':
    case 'application':
      return expression.args;
  }
}

/** The names of columns that an expression reads. */
export function columnsOf(expression: NativeExpression): ReadonlySet<string> {
  if (expression.kind === 'name') return new Set([expression.name]);
  const names = new Set(partsOf(expression).flatMap((part) => [...columnsOf(part)]));
  if (expression.kind === 'application') {
    for (const name of columnsOf(expression.body))
      if (!expression.parameters.includes(name)) names.add(name);
  }
  return names;
}
