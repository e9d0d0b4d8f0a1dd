// Resolver of expressions: their types and their DuckDB text.
import { lacksOf } from '../../model/engine-version.ts';
import type { Call, Case, Expression, Item, Position } from '../ast.ts';
import { bindFound, bindOnce } from '../expressions/bind-once.ts';
import { caseOf } from '../expressions/case-value.ts';
import {
  castRefused,
  castTo,
  constantOf,
  mapList,
  shortTextOf,
  toBoolean,
  UnsupportedNumber,
} from '../expressions/casts.ts';
import { castOfText, isCondition, madeOf } from '../expressions/compared-truth.ts';
import { type ExaminedChains, withRanges } from '../expressions/constant-ranges.ts';
import { withLists } from '../expressions/equalities.ts';
import {
  fillUp,
  integerLiteral,
  resolveInterval,
  resolveLiteral,
} from '../expressions/literals.ts';
import { isList, onlyValue, singleValued } from '../expressions/multi-value.ts';
import {
  arithmetic,
  comparison,
  concatenation,
  connective,
  negation,
  not,
} from '../expressions/operators.ts';
import { contains, isOfLiterals, isOfQuery, mapOperands } from '../expressions/rewrite.ts';
import { isPlannedCast, typeOfName } from '../expressions/type-name.ts';
import { type Constant, type Scope, type Typed, withText } from '../expressions/typed.ts';
import { findAggregate } from '../functions/aggregates.ts';
import { isAggregateCall } from '../functions/call-kinds.ts';
import { findFunction } from '../functions/functions.ts';
import { applyFunction } from '../functions/scalar-function.ts';
import { resolveSpecialCall } from '../functions/special.ts';
import { checkLimit } from '../limits.ts';
import {
  invalidSql,
  SqlError,
  unknownCall,
  unknownFunction,
  unknownStar,
  unsupportedSql,
} from '../sql-error.ts';
import {
  arrayedBoolean,
  arrayOf,
  boolean,
  double,
  familyText,
  isFractional,
  isInteger,
  isNumeric,
  isText,
  nullType,
  typeOfSideBySide,
  typeText,
  varchar,
} from '../types.ts';
import {
  comparedValue,
  hasLists,
  inverseOf,
  isEqualToItself,
  resolveBetween,
  resolveIn,
  resolveIs,
  resolveLike,
  resolveQuantified,
  resolveRowComparison,
} from './conditions.ts';
import { ofConstantLists } from './constant-lists.ts';
import { multiValueColumns, resolveForValues, throughValues, withValue } from './each-value.ts';

/**
 * Resolves an expression where it stands. The scope resolves aggregates, window functions, columns
 * and subqueries. Throws SqlError with the engine's message for an invalid expression.
 */
export function resolveExpression(expression: Expression, scope: Scope): Typed {
  const { timeZone: zone } = scope.environment;
  const resolve = (part: Expression) => resolveExpression(part, scope);
  const computed = ofConstantLists(expression, resolve);
  if (computed !== undefined) return constantOf(computed, boolean, expression.at);
  switch (expression.kind) {
    case 'literal':
      return { ...resolveLiteral(expression, zone), isLiteral: true };
    case 'interval':
      return resolveInterval(expression);
    case 'identifier':
      return scope.column(expression.names, expression.at);
    case 'star':
      throw unknownStar(expression, scope.environment.version);
    case 'parameter':
      return {
        ...(scope.environment.parameters[expression.index] ??
          constantOf(null, nullType, expression.at)),
        at: expression.at,
        isLiteral: true,
      };
    case 'unary':
      return resolveUnary(expression, scope);
    case 'binary':
      return isOfPlainValues(expression)
        ? resolveForValues(
            expression,
            scope,
            (inner) => resolveBinary(expression, inner),
            resolveExpression,
          )
        : resolveBinary(expression, scope);
    case 'between':
      return resolveBetween(expression, operandsOf(expression, scope), zone);
    case 'in':
      return resolveIn(expression, scope, operandsOf(expression, scope));
    case 'like':
      return resolveLike(expression, resolve, zone);
    case 'is':
      return resolveIs(
        expression,
        (part) => resolveOperand(part, expression, scope),
        scope.environment,
      );
    case 'case':
      return resolveCase(expression, scope);
    case 'cast':
      return resolveCastOfTruths(expression, scope);
    case 'call':
      return resolveForValues(
        expression,
        scope,
        (inner) => resolveCall(expression, inner),
        resolveExpression,
      );
    case 'array':
      return resolveArray(expression.items.map(resolve), expression.at, zone);
    case 'row':
      throw unsupportedSql("SQL query requires 'ROW' operator that is not supported.");
    case 'item':
      return resolveItem(expression, scope);
    case 'subquery':
      return scope.subquery(expression.query);
    case 'exists':
      return scope.exists(expression.query, expression.at);
    case 'quantified':
      return resolveQuantified(expression, scope, resolve);
  }
}

// Arithmetic, and comparisons of operands without conditions: each level of conditions would be
// resolved again for the values of the one above.
const isOfPlainValues = ({ operator, left, right }: ExpressionOf<'binary'>): boolean =>
  madeOf.has(operator) ||
  (operator !== 'AND' &&
    operator !== 'OR' &&
    ![left, right].some((side) =>
      contains(side, (part) => part.kind === 'case' || isCondition(part)),
    ));

type ExpressionOf<Kind extends Expression['kind']> = Extract<Expression, { kind: Kind }>;

function resolveUnary(expression: ExpressionOf<'unary'>, scope: Scope): Typed {
  const { timeZone: zone } = scope.environment;
  const resolve = (part: Expression) => resolveExpression(part, scope);
  const { operand: written } = expression;
  // The smallest long has no positive counterpart.
  if (expression.operator === '-' && written.kind === 'literal' && written.type === 'integer')
    return { ...integerLiteral(-BigInt(written.text), expression.at), isLiteral: true };
  const inverse =
    expression.operator === 'NOT' && !expression.isOfFilter && inverseOf(expression.operand);
  if (inverse && [inverse.left, inverse.right].some((side) => hasLists(side, scope)))
    return resolve(inverse);
  const operand = resolve(expression.operand);
  if (expression.operator === 'NOT') return not(operand, expression.at);
  if (expression.operator === '+') return operand;
  const negated = negation(operand, expression.at, zone);
  return operand.isLiteral ? { ...negated, isLiteral: operand.isLiteral } : negated;
}

const examined: ExaminedChains = new WeakSet();

function resolveBinary(expression: ExpressionOf<'binary'>, scope: Scope): Typed {
  const { timeZone: zone } = scope.environment;
  const resolve = (part: Expression) => resolveExpression(part, scope);
  const { operator, left, right, at } = expression;
  if (operator === 'AND' || operator === 'OR') {
    const ranged = withRanges(expression, {
      constants: 'string',
      includes: (part) => {
        const value = resolve(part);
        return isList(value) && !value.type.isComputed;
      },
      examined,
    });
    if (ranged !== expression) return resolve(ranged);
    const short = withLists(expression, (part) => isFractional(resolve(part).type));
    if (short.kind !== 'binary') return resolve(short);
    return connective(operator, resolve(short.left), resolve(short.right), at);
  }
  if (left.kind === 'row' || right.kind === 'row')
    return resolveRowComparison(operator, left, right, at, resolve, zone);
  if (isEqualToItself(expression) && isList(resolve(left)))
    return resolve({ kind: 'is', operand: left, what: 'NULL', negated: true, at });
  if (operator === '||') return concatenation(resolve(left), resolve(right), at, zone);
  if (
    operator === '+' ||
    operator === '-' ||
    operator === '*' ||
    operator === '/' ||
    operator === '%'
  ) {
    return arithmetic(operator, resolve(left), resolve(right), at, zone, scope.environment.version);
  }
  const cast = castOfText(expression, resolve);
  if (cast) return resolve(cast);
  const resolveSide = operandsOf(expression, scope);
  const [a, b] = [left, right].map((side) => comparedValue(resolveSide(side), expression.reads));
  if (!a || !b) throw new TypeError('A comparison has two operands');
  return comparison(operator, a, b, at, zone);
}

// The text of a condition is made for each of several values. The operand is resolved for one value
// first: resolving it for all of them as well would take twice as long at each level of nesting.
function resolveCastOfTruths(expression: ExpressionOf<'cast'>, scope: Scope): Typed {
  const { operand, type } = expression;
  const mayBeTruth = !scope.environment.isNative && contains(operand, isCondition);
  const [list] = mayBeTruth ? multiValueColumns(expression, scope) : [];
  if (!list || !isText(typeOfName(type))) return resolveCast(expression, scope);
  let isTruth = false;
  const resolveOne = (inner: Scope) => {
    isTruth = resolveExpression(operand, inner).type.name === 'BOOLEAN';
    return resolveCastOfTruths(expression, inner);
  };
  const each = throughValues(expression, scope, list, resolveOne, resolveExpression);
  return isTruth ? each : resolveCast(expression, scope);
}

function resolveCast(expression: ExpressionOf<'cast'>, scope: Scope): Typed {
  const { timeZone: zone } = scope.environment;
  const resolve = (part: Expression) => resolveExpression(part, scope);
  if (expression.safe) {
    const family = familyText(typeOfName(expression.type));
    throw unknownFunction(
      `TRY_CAST(<${familyText(resolve(expression.operand).type)}>, <${family}>)`,
      expression.at,
    );
  }
  if (expression.type.native && expression.isWritten)
    throw invalidSql(`Unknown identifier '${expression.type.name}'`, expression.type.at);
  const { operand: written } = expression;
  if (isFieldOfNumbers(written) && isText(typeOfName(expression.type)))
    return { ...resolve(withoutReturning(written)), at: expression.at };
  const value = resolveCasted(expression, scope);
  if (!isPlannedCast(expression.type, value.type)) {
    const { name } = expression.type;
    throw invalidSql(
      `Cast function cannot convert value of type ${typeText(value.type)} to type ${name}`,
      expression.at,
    );
  }
  const type = typeOfName(expression.type);
  if (value.type.name === 'OTHER' && type.name === 'ARRAY')
    throw castRefused(value.type, type, expression.at);
  if (expression.isWritten && isNumeric(type) && ['BOOLEAN', 'DATE'].includes(value.type.name))
    throw castRefused(value.type, type, expression.at);
  const { at } = expression;
  const cast = { ...castTo({ ...value, at }, type, zone), at };
  const filled = expression.isWritten ? fillUp(cast, type) : cast;
  const isUnexpected =
    expression.isWritten &&
    filled.constant === null &&
    (value.constant !== null || value.isUnexpected);
  const result = {
    ...filled,
    ...(value.isLiteral && { isLiteral: value.isLiteral }),
    ...(isUnexpected && { isUnexpected }),
  };
  const isTextOfFloat = value.type.name === 'FLOAT' && value.constant === undefined && isText(type);
  return isTextOfFloat && expression.operand.kind === 'identifier'
    ? { ...result, storedText: shortTextOf(value.sql) }
    : result;
}

// A constant that is not finite is computed together with its cast, whose value may be a literal.
function resolveCasted({ operand, type }: ExpressionOf<'cast'>, scope: Scope): Typed {
  try {
    return resolveExpression(operand, scope);
  } catch (error) {
    if (!(error instanceof UnsupportedNumber) || isFractional(typeOfName(type))) throw error;
    return constantOf(error.value, double, operand.at);
  }
}

// Outside of filters, an array that a function made is compared as its only item (Druid:
// ArrayExprEval.asString).
function operandsOf(
  comparison: ExpressionOf<'between' | 'binary' | 'in'>,
  scope: Scope,
): (operand: Expression) => Typed {
  const isWhole = comparison.reads === undefined && !scope.environment.isNative;
  const resolved = new Map<Expression, Typed>(); // once each: an operand may nest comparisons
  const resolveOnce = (part: Expression): Typed => {
    const value = resolved.get(part) ?? resolveOperand(part, comparison, scope);
    resolved.set(part, value);
    return value;
  };
  const isOfText = (part: Expression) => {
    const { type } = resolveOnce(part);
    return isText(type) || type.name === 'NULL';
  };
  return (operand) => {
    const value = resolveOnce(operand);
    const isOnly = isWhole && value.type.isComputed && partsOf(comparison).every(isOfText);
    return isOnly ? onlyValue(value) : value;
  };
}

const partsOf = (comparison: Expression): readonly Expression[] => {
  const parts: Expression[] = [];
  mapOperands(comparison, (operand) => {
    parts.push(operand);
    return operand;
  });
  return parts;
};

const resolveOperand = (operand: Expression, comparison: Expression, scope: Scope): Typed =>
  isOfLiterals(comparison) ? resolveCompared(operand, scope) : resolveExpression(operand, scope);

/**
 * Resolves an operand of a comparison. The planner computes a comparison of constants as a whole,
 * so they may be NaN or infinite.
 */
export function resolveCompared(operand: Expression, scope: Scope): Typed {
  try {
    return resolveExpression(operand, scope);
  } catch (error) {
    if (!(error instanceof UnsupportedNumber)) throw error;
    return constantOf(error.value, double, operand.at);
  }
}

/** Whether an expression is a field of a column of nested data, read as a number. */
export function isFieldOfNumbers(expression: Expression): expression is Call {
  if (expression.kind !== 'call' || expression.name !== 'JSON_VALUE') return false;
  const returning = expression.json?.returning;
  return (
    expression.args[0]?.kind === 'identifier' &&
    returning !== undefined &&
    isNumeric(typeOfName(returning))
  );
}

// The text of a field is its stored text.
function withoutReturning({ json, ...call }: Call): Call {
  const { returning: _, ...modifiers } = json ?? {};
  return { ...call, json: modifiers };
}

/**
 * An expression that must be a condition (WHERE, HAVING, ON, FILTER). Throws for any other type.
 */
export function resolveCondition(expression: Expression, scope: Scope): Typed {
  const value = resolveExpression(expression, scope);
  if (value.type.name === 'NULL') return constantOf(null, boolean, value.at);
  if (value.type.name !== 'BOOLEAN') throw invalidSql('Expected a boolean type', value.at);
  return value;
}

// ── CASE, arrays, items ──────────────────────────────────────────────────────────────────────────

function resolveCase(expression: Case, scope: Scope): Typed {
  if (expression.isOfItems) return resolveOfItems(expression, scope);
  const whole = resolvePlainCase(expression, scope);
  // Texts are chosen for each value separately, other results once for the row, as conditions are.
  const lists = isText(whole.type) ? multiValueColumns(expression, scope) : [];
  const [list] = lists;
  return list
    ? throughValues(
        expression,
        scope,
        list,
        (inner) => resolveCase(expression, inner),
        resolveExpression,
      )
    : whole;
}

function resolveOfItems({ isOfItems: _, ...condition }: Case, scope: Scope): Typed {
  const [list] = multiValueColumns(condition, scope);
  if (!list) return resolveCase(condition, scope);
  const truths = bindFound((named) =>
    mapList(
      list.sql,
      (item) =>
        resolveCase(
          condition,
          withValue(scope, list, () => item, named, resolveExpression),
        ).sql,
    ),
  );
  return {
    type: { ...boolean, multiValue: true },
    at: condition.at,
    sql: `druid_any(${truths})`,
  };
}

function resolvePlainCase(expression: Case, scope: Scope): Typed {
  const { operand, whens, otherwise, at } = expression;
  const { timeZone: zone } = scope.environment;
  const subject = operand && resolveExpression(operand, scope);
  const subjects = whens.map(({ when }) => resolveExpression(when, scope));
  const isCondition = ({ type }: Typed) => type.name === 'BOOLEAN' || type.name === 'NULL';
  if (!subject && !subjects.every(isCondition)) throw invalidSql('Expected a boolean type', at);
  const conditionsOn = (compared: Typed | undefined) =>
    subjects.map((value) =>
      compared ? comparison('=', compared, value, at, zone) : toBoolean(value, zone),
    );
  const results = [
    ...whens.map(({ then }) => resolveExpression(then, scope)),
    otherwise ? resolveExpression(otherwise, scope) : constantOf(null, nullType, at),
  ];
  const whole = (compared: Typed | undefined) => caseOf(conditionsOn(compared), results, at, zone);
  if (subject?.constant !== undefined || !subject) return whole(subject);
  // A lambda cannot contain a subquery or an aggregate. With them, the operand is repeated for each
  // WHEN.
  const others = [
    ...whens.flatMap(({ when, then }) => [when, then]),
    ...(otherwise ? [otherwise] : []),
  ];
  if (others.some((part) => contains(part, isOfSeveralRows))) {
    checkLimit('plan', subject.sql.length * whens.length, at);
    return whole(subject);
  }
  let chosen: Typed = subject;
  const sql = bindOnce([subject.sql], ([compared = '']) => {
    chosen = whole(withText(subject, compared));
    return chosen.sql;
  });
  return chosen.constant === undefined ? { ...chosen, sql } : chosen;
}

// A subquery, a lookup, an aggregate or a window function.
const isOfSeveralRows = (part: Expression): boolean =>
  isOfQuery(part) ||
  (part.kind === 'call' &&
    (part.over !== undefined ||
      isAggregateCall(part) ||
      findFunction(part.name)?.holdsQuery === true));

function resolveArray(items: readonly Typed[], at: Position, zone: string): Typed {
  if (items.length === 0) throw invalidSql('Require at least 1 argument', at);
  const common = typeOfSideBySide(items.map(({ type }) => singleValued(type)));
  const element = common?.name === 'BOOLEAN' ? arrayedBoolean : common;
  if (!element) throw invalidSql('Parameters must be of the same type', at);
  const type = arrayOf(element);
  const values = items.map((item) =>
    castTo(
      { ...onlyValue(item), type: singleValued(item.type) },
      element.name === 'NULL' ? varchar : element,
      zone,
    ),
  );
  const constants = values.map(({ constant }) => constant);
  if (constants.every((constant): constant is Constant => constant !== undefined))
    return constantOf(constants, type, at);
  return { type, at, nullable: false, sql: `[${values.map(({ sql }) => sql).join(', ')}]` };
}

// Calcite accepts `list[1]`; the engine only has ARRAY_ORDINAL.
function resolveItem({ operand, index, at }: Item, scope: Scope): never {
  const list = resolveExpression(operand, scope);
  const position = resolveExpression(index, scope);
  if (list.type.name !== 'ARRAY')
    throw invalidSql(
      `Cannot apply 'ITEM' to arguments of type 'ITEM(<${typeText(list.type)}>, <${typeText(position.type)}>)'`,
      at,
    );
  if (!isInteger(position.type) && position.type.name !== 'NULL') {
    const actual = `ITEM(<${typeText(list.type)}>, <${typeText(position.type)}>)`;
    throw invalidSql(
      `Cannot apply 'ITEM' to arguments of type '${actual}'. Supported form(s): <ARRAY>[<INTEGER>]\n<MAP>[<ANY>]\n<ROW>[<CHARACTER>|<INTEGER>]`,
      at,
    );
  }
  throw unsupportedSql("SQL query requires 'ITEM' operator that is not supported.");
}

// ── Calls ────────────────────────────────────────────────────────────────────────────────────────

function resolveCall(written: Call, scope: Scope): Typed {
  const { plainAt } = written;
  const call = plainAt ? { ...written, at: plainAt } : written; // what refusals mark
  if (call.nulls !== undefined) throw unknownFunction(`${call.nulls} NULLS`, call.at);
  if (call.name === 'PI' && call.bare !== true) throw unknownFunction('PI()', call.at);
  if (findAggregate(call.name)) return scope.aggregate(call);
  if (call.over) {
    const { over: _, ...plain } = call;
    resolveCall(plain, scope);
    throw invalidSql('OVER must be applied to aggregate function', call.at);
  }
  refuseClausesOfAggregates(call);
  const resolve = (part: Expression) => resolveExpression(part, scope);
  const special = resolveSpecialCall(call, scope, resolve);
  if (special) return special;
  const args = call.args.map(resolve);
  const { isNative, version } = scope.environment;
  // Native queries of any version filter values, for which SQL has functions since a later one.
  const isLacking = !isNative && lacksOf(version).functions.has(call.name);
  const row = isLacking ? undefined : findFunction(call.name);
  if (!row) throw unknownCall(call, args);
  const value = applyFunction(row, args, call, scope.environment);
  return row.holdsQuery && scope.calledQuery ? scope.calledQuery(value, call) : value;
}

// DISTINCT and the clauses after a call choose the rows of an aggregate. Functions of one row take
// none of them.
function refuseClausesOfAggregates({
  name,
  filter,
  withinGroup,
  orderBy,
  quantifierAt,
  at,
}: Call): void {
  if (filter) throw invalidSql('FILTER must be applied to aggregate function', at);
  if (withinGroup) throw invalidSql(`WITHIN GROUP not allowed with ${name} function`, at);
  if (orderBy) throw new SqlError('ORDER BY unexpected');
  if (quantifierAt)
    throw invalidSql(`DISTINCT/ALL not allowed with ${name} function`, quantifierAt);
}
