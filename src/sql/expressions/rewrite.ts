// Traversal and rewriting of expressions, for grouping, aliases and ordinals before names are
// resolved.
import type {
  Binary,
  Call,
  Expression,
  Grouping,
  Identifier,
  In,
  Like,
  Literal,
  OrderItem,
  Position,
  Query,
  QueryBody,
  Window,
} from '../ast.ts';

/** The literal NULL at the place of an expression. */
export const nullLiteral = (at: Position): Literal => ({
  kind: 'literal',
  type: 'null',
  text: 'NULL',
  at,
});

/** The literal TRUE or FALSE at the place of an expression. */
export const truthLiteral = (truth: boolean, at: Position): Literal => ({
  kind: 'literal',
  type: 'boolean',
  text: truth ? 'TRUE' : 'FALSE',
  at,
});

/** A condition, or its negation if `negated`. */
export const negatedIf = (negated: boolean, operand: Expression, at: Position): Expression =>
  negated ? { kind: 'unary', operator: 'NOT', operand, at } : operand;

/**
 * The expression with `change` applied to each direct operand. Queries inside it stay unchanged.
 */
export function mapOperands(
  expression: Expression,
  change: (operand: Expression) => Expression,
): Expression {
  switch (expression.kind) {
    case 'literal':
    case 'interval':
    case 'identifier':
    case 'star':
    case 'parameter':
    case 'subquery':
    case 'exists':
      return expression;
    case 'unary':
    case 'is':
    case 'cast':
      return { ...expression, operand: change(expression.operand) };
    case 'binary':
      return { ...expression, left: change(expression.left), right: change(expression.right) };
    case 'between':
      return {
        ...expression,
        operand: change(expression.operand),
        low: change(expression.low),
        high: change(expression.high),
      };
    case 'in':
    case 'quantified': {
      const { among } = expression;
      return {
        ...expression,
        operand: change(expression.operand),
        among: isQuery(among) ? among : among.map(change),
      };
    }
    case 'like':
      return {
        ...expression,
        operand: change(expression.operand),
        pattern: change(expression.pattern),
        ...(expression.escape && { escape: change(expression.escape) }),
      };
    case 'case':
      return {
        ...expression,
        ...(expression.operand && { operand: change(expression.operand) }),
        whens: expression.whens.map(({ when, then }) => ({
          when: change(when),
          then: change(then),
        })),
        ...(expression.otherwise && { otherwise: change(expression.otherwise) }),
      };
    case 'array':
    case 'row':
      return { ...expression, items: expression.items.map(change) };
    case 'item':
      return {
        ...expression,
        operand: change(expression.operand),
        index: change(expression.index),
      };
    case 'call':
      return mapCall(expression, change);
  }
}

/**
 * Calls `visit` for the expression and all its parts, except inside of queries. A visit that
 * returns false skips the parts below.
 */
export function walk(expression: Expression, visit: (expression: Expression) => boolean): void {
  if (!visit(expression)) return;
  mapOperands(expression, (operand) => {
    walk(operand, visit);
    return operand;
  });
}

/**
 * A text that is equal for expressions with the same meaning. Positions are ignored, and names are
 * compared by the result of `identify`.
 */
export function fingerprint(
  expression: Expression | QueryBody | Window,
  identify: (identifier: Identifier) => string,
): string {
  return JSON.stringify(expression, (key, value: unknown) => {
    if (isOfSpelling(key)) return undefined;
    return isIdentifier(value) ? identify(value) : value;
  });
}

/** The fingerprint of an expression whose names are compared as they are written. */
export const printOf = (expression: Expression): string =>
  fingerprint(expression, ({ names }) => names.join('.'));

/** Whether a member of an expression says where or how it is written, and not what it means. */
export const isOfSpelling = (key: string): boolean =>
  key === 'at' || key.endsWith('At') || key === 'word';

/** The conditions connected by AND. */
export const conjuncts = (condition: Expression): readonly Expression[] =>
  connectedBy('AND', condition);

/** The conditions connected by OR. */
export const disjuncts = (condition: Expression): readonly Expression[] =>
  connectedBy('OR', condition);

function connectedBy(operator: 'AND' | 'OR', condition: Expression): readonly Expression[] {
  const parts: Expression[] = [];
  const pending = [condition];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.kind === 'binary' && next.operator === operator) pending.push(next.right, next.left);
    else parts.push(next);
  }
  return parts;
}

function isQuery(among: readonly Expression[] | Query): among is Query {
  return 'kind' in among;
}

function isIdentifier(value: unknown): value is Identifier {
  return (
    typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'identifier'
  );
}

function mapCall(call: Call, change: (operand: Expression) => Expression): Call {
  const mapOrder = (items: readonly OrderItem[]) =>
    items.map((item) => ({ ...item, expression: change(item.expression) }));
  return {
    ...call,
    args: call.args.map(change),
    ...(call.filter && { filter: change(call.filter) }),
    ...(call.orderBy && { orderBy: mapOrder(call.orderBy) }),
    ...(call.withinGroup && { withinGroup: mapOrder(call.withinGroup) }),
    ...(call.over?.kind === 'window' && { over: mapWindow(call.over, change) }),
  };
}

/** The window with `change` applied to each of its expressions. */
function mapWindow(window: Window, change: (operand: Expression) => Expression): Window {
  return {
    ...window,
    partitionBy: window.partitionBy.map(change),
    orderBy: window.orderBy.map((item) => ({ ...item, expression: change(item.expression) })),
  };
}

/** Whether the expression or any part of it matches. */
export function contains(expression: Expression, matches: (part: Expression) => boolean): boolean {
  let found = false;
  walk(expression, (part) => {
    found ||= matches(part);
    return !found;
  });
  return found;
}

/** The order that holds where the given one does not; undefined for other conditions. */
export function oppositeOf(condition: Expression): Binary | undefined {
  const operator = condition.kind === 'binary' ? opposites[condition.operator] : undefined;
  return condition.kind === 'binary' && operator ? { ...condition, operator } : undefined;
}

const opposites: Readonly<Partial<Record<Binary['operator'], Binary['operator']>>> = {
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
};

/** Whether an expression itself is or compares with a query. */
export const isOfQuery = (part: Expression): boolean =>
  part.kind === 'subquery' ||
  part.kind === 'exists' ||
  ((part.kind === 'in' || part.kind === 'quantified') && !Array.isArray(part.among));

/** Whether the engine computes an expression while it plans. */
export const isOfLiterals = (expression: Expression): boolean =>
  !contains(expression, (part) => part.kind === 'identifier' || isOfQuery(part));

/** Whether IN lists its values, and does not ask a query for them. */
export const isListed = (among: In['among']): among is readonly Expression[] =>
  Array.isArray(among);

/** Whether LIKE accepts any text. */
export const isAnyText = ({ operator, pattern }: Like): boolean =>
  operator === 'LIKE' && pattern.kind === 'literal' && pattern.text === '%';

/** COALESCE under each of its names. */
export const isCoalesce = ({ name }: Call): boolean => ['COALESCE', 'IFNULL', 'NVL'].includes(name);

/** A grouping with `change` applied to each of its keys. */
export function mapGrouping(
  grouping: Grouping,
  change: (expression: Expression) => Expression,
): Grouping {
  switch (grouping.kind) {
    case 'expression':
      return { ...grouping, expression: change(grouping.expression) };
    case 'set':
      return { ...grouping, items: grouping.items.map(change) };
    case 'empty':
      return grouping;
    default:
      return { ...grouping, items: grouping.items.map((item) => mapGrouping(item, change)) };
  }
}
