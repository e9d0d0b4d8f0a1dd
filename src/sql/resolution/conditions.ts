// Conditions, with their types and their DuckDB text.
import type {
  Between,
  Binary,
  ComparedAs,
  Expression,
  In,
  Is,
  Like,
  Position,
  Quantified,
} from '../ast.ts';
import { bindOnce } from '../expressions/bind-once.ts';
import { castTo, constantOf } from '../expressions/casts.ts';
import { rowsOfConstants } from '../expressions/long-list.ts';
import {
  amongRows,
  equalsAny,
  inItems,
  isAmong,
  mixedItems,
  plainConstants,
} from '../expressions/membership.ts';
import {
  anyValue,
  falseIfEmpty,
  isList,
  onlyValue,
  singleValued,
} from '../expressions/multi-value.ts';
import {
  type ComparisonOperator,
  comparable,
  comparison,
  conditionType,
  connective,
  mixesTruths,
  not,
} from '../expressions/operators.ts';
import { contains, isListed, isOfLiterals, walk } from '../expressions/rewrite.ts';
import { asStored, type Scope, type Typed, withText } from '../expressions/typed.ts';
import { findAggregate } from '../functions/aggregates.ts';
import { quote } from '../runtime/quoted.ts';
import { cannotCall, failedPlanning, invalidSql, unknownFunction } from '../sql-error.ts';
import { boolean, isInteger, isText, typeText, varchar } from '../types.ts';

/** Resolves an operand in the scope of its condition. */
type Resolve = (expression: Expression) => Typed;

type Environment = Scope['environment'];

/** The value that a comparison reads: of several values, the only one or the stored text. */
export const comparedValue = (value: Typed, reads: ComparedAs | undefined): Typed =>
  reads === 'row' ? onlyValue(value) : reads === 'stored' ? asStored(value) : value;

/** The truth of BETWEEN; of several values, whether one of them is in the range. */
export function resolveBetween(
  { operand, low, high, negated, symmetric, isLowOpen, isHighOpen, reads, at }: Between,
  resolve: Resolve,
  zone: string,
): Typed {
  const values = comparable(
    `${negated ? 'NOT ' : ''}BETWEEN ${symmetric ? 'SYMMETRIC' : 'ASYMMETRIC'}`,
    [operand, low, high].map((part) => comparedValue(resolve(part), reads)),
    at,
    zone,
  );
  const [value, from, to] = values;
  if (!value || !from || !to) throw new TypeError('BETWEEN has three operands');
  const between = (x: Typed, a: Typed, b: Typed) =>
    connective(
      'AND',
      comparison(isLowOpen ? '>' : '>=', x, a, at, zone),
      comparison(isHighOpen ? '<' : '<=', x, b, at, zone),
      at,
    );
  const condition = (x: Typed) =>
    symmetric
      ? connective('OR', between(x, from, to), between(x, to, from), at)
      : between(x, from, to);
  const result = isList(value)
    ? {
        at,
        ...anyValue(
          [value, from, to],
          ([x, a, b]) =>
            `(${x?.sql} ${isLowOpen ? '>' : '>='} ${a?.sql} AND ${x?.sql} ${isHighOpen ? '<' : '<='} ${b?.sql})`,
        ),
      }
    : value.constant === undefined
      ? {
          ...condition(value),
          sql: bindOnce([value.sql], ([x = '']) => condition(withText(value, x)).sql),
        }
      : condition(value);
  return negated ? not(result, at) : result;
}

/**
 * The negation of a comparison as the planner turns it around, also below AND and OR, which matters
 * for several values: each of them is compared. The inequality with a constant stays a negation.
 */
export function inverseOf(condition: Expression): Binary | undefined {
  if (condition.kind !== 'binary' || condition.isOfItems) return undefined;
  const { left, right } = condition;
  if (condition.operator === 'AND' || condition.operator === 'OR') {
    const operator = condition.operator === 'AND' ? 'OR' : 'AND';
    const [a, b] = [left, right].map(
      (operand): Expression => ({ kind: 'unary', operator: 'NOT', operand, at: operand.at }),
    );
    return a && b && { ...condition, operator, left: a, right: b };
  }
  const operator = inverses.get(condition.operator);
  const isEquality = operator === '=' || operator === '<>';
  const isPlain = [left, right].every(
    ({ kind }) => kind !== 'row' && !(isEquality && kind === 'literal'),
  );
  return operator && isPlain ? { ...condition, operator } : undefined;
}

/**
 * Whether an expression reads columns of several values. An aggregate is a single value, and its
 * columns are those of the rows below.
 */
export function hasLists(expression: Expression, scope: Scope): boolean {
  let found = false;
  walk(expression, (part) => {
    if (part.kind === 'identifier') found ||= isList(scope.column(part.names, part.at));
    return !found && !(part.kind === 'call' && findAggregate(part.name));
  });
  return found;
}

const inverses = new Map<Binary['operator'], Binary['operator']>([
  ['=', '<>'],
  ['<>', '='],
  ['<', '>='],
  ['>=', '<'],
  ['>', '<='],
  ['<=', '>'],
]);

/** `x = x`, `x <= x` and `x >= x`, which the planner turns into IS NOT NULL. */
export function isEqualToItself({ operator, left, right }: Binary): boolean {
  if (operator !== '=' && operator !== '<=' && operator !== '>=') return false;
  return (
    left.kind === 'identifier' &&
    right.kind === 'identifier' &&
    left.names.length === right.names.length &&
    left.names.every((name, index) => name === right.names[index])
  );
}

/** The truth of IN with a list or with a query, of one value or of a row. */
export function resolveIn(
  { operand, among, negated, reads, listAt, at }: In,
  scope: Scope,
  resolve: Resolve,
): Typed {
  const { environment } = scope;
  const { timeZone: zone } = environment;
  const operands = operand.kind === 'row' ? operand.items : [operand];
  if (!isListed(among)) return scope.inQuery(operands, among, negated, at);
  if (among.some(({ kind }) => (kind === 'row') !== (operand.kind === 'row')))
    throw invalidSql('Values passed to IN operator must have compatible types', at);
  if (operand.kind === 'row') {
    const each = among.map((item) => resolveRowComparison('=', operand, item, at, resolve, zone));
    const result = each.reduce((left, right) => connective('OR', left, right, at));
    return negated ? not(result, at) : result;
  }
  const value = comparedValue(resolve(operand), reads);
  const constants = plainConstants(value, among);
  if (constants && value.constant !== undefined) {
    const isFound = value.constant === null ? null : constants.includes(value.constant);
    return constantOf(negated && isFound !== null ? !isFound : isFound, boolean, at);
  }
  const rows =
    constants && !environment.isWithoutQueries
      ? rowsOfConstants(constants, singleValued(value.type))
      : undefined;
  if (rows !== undefined) {
    const found = amongRows(value, rows, false, at);
    return negated ? not(found, at) : found;
  }
  const items = among.map((part) => resolve(part));
  const mixed = mixedItems(value, items, { listAt: listAt ?? at, at }, zone);
  if (!mixed && mixesTruths([value, ...items]))
    throw invalidSql('Values passed to IN operator must have compatible types', at);
  const result = items.some(isList)
    ? equalsAny(value, mixed ?? items, at, zone)
    : isAmong(value, mixed ?? inItems(value, items, zone), at, environment);
  return negated ? not(result, at) : result;
}

/** The truth of `(a, b) = (c, d)` and of `<>`. Refuses other operators and unequal lengths. */
export function resolveRowComparison(
  operator: string,
  left: Expression,
  right: Expression,
  at: Position,
  resolve: Resolve,
  zone: string,
): Typed {
  if (
    left.kind !== 'row' ||
    right.kind !== 'row' ||
    left.items.length !== right.items.length ||
    (operator !== '=' && operator !== '<>')
  ) {
    const [a, b] = [left, right].map((side) =>
      side.kind === 'row' ? 'ROW' : typeText(resolve(side).type),
    );
    throw invalidSql(
      `Cannot apply '${operator}' to arguments of type '<${a}> ${operator} <${b}>'`,
      at,
    );
  }
  const equals = left.items.map((item, index) => {
    const other = right.items[index];
    if (!other) throw new TypeError('Rows of one length');
    return comparison('=', resolve(item), resolve(other), at, zone);
  });
  const all = equals.reduce((a, b) => connective('AND', a, b, at));
  return operator === '<>' ? not(all, at) : all;
}

/** The truth of LIKE. Refuses SIMILAR TO, and a pattern that depends on rows. */
export function resolveLike(
  { operator, operand, pattern, escape: escapeMark, negated, reads, at }: Like,
  resolve: Resolve,
  zone: string,
): Typed {
  if (operator === 'SIMILAR TO') throw unknownFunction(`${negated ? 'NOT ' : ''}SIMILAR TO`, at);
  const name = negated ? 'NOT LIKE' : 'LIKE';
  const given = [operand, pattern].map((part) => comparedValue(resolve(part), reads));
  if (given.some(({ type }) => type.name === 'ARRAY' || type.name === 'OTHER'))
    throw cannotCall({ name, at }, given, `${name}(<STRING>, <STRING>, <STRING>)`);
  const [value, like] = given.map((part) => castTo(part, varchar, zone));
  if (!value || !like) throw new TypeError('LIKE has two operands');
  if (like.constant === null || value.constant === null) return constantOf(null, boolean, at);
  if (like.constant === undefined && (escapeMark || !isOfLiterals(pattern)))
    throw invalidSql('Function[like] pattern argument must be a literal', pattern.at);
  const mark = escapeMark && castTo(resolve(escapeMark), varchar, zone).constant;
  if (mark === null) return constantOf(null, boolean, at);
  if (mark !== undefined && (typeof mark !== 'string' || mark.length !== 1))
    throw failedPlanning('Escape must be null or a single character');
  const condition = (x: string, p: string) => {
    if (mark === undefined) return `(${x} LIKE ${p})`;
    const escaped = escapedPattern(String(like.constant), mark);
    return escaped === undefined
      ? `(CASE WHEN ${x} IS NOT NULL THEN false END)`
      : `(${x} LIKE ${quote(escaped)} ESCAPE '\\')`;
  };
  const result: Typed = {
    at,
    ...anyValue([value, like], ([x, p]) => condition(x?.sql ?? '', p?.sql ?? '')),
  };
  const known = falseIfEmpty(given[0], result);
  return negated ? not(known, at) : known;
}

// A pattern with backslashes as its escapes: DuckDB's are ASCII. A pattern that ends with an escape
// matches nothing.
function escapedPattern(pattern: string, mark: string): string | undefined {
  let escaped = '';
  for (let index = 0; index < pattern.length; index++) {
    const isEscaped = pattern[index] === mark;
    if (isEscaped) index++;
    const character = pattern[index];
    if (character === undefined) return undefined;
    const isLiteral = character === '\\' || (isEscaped && /[%_]/.test(character));
    escaped += isLiteral ? `\\${character}` : character;
  }
  return escaped;
}

function isWhereLookup(
  { whereLookup, ...condition }: Is,
  resolve: Resolve,
  environment: Environment,
): Typed {
  const isNull = resolve(condition);
  const relation = whereLookup && environment.lookup(whereLookup.name);
  if (!relation) return isNull;
  const values = whereLookup.values.map(quote).join(', ');
  const hasKey = `EXISTS (SELECT 1 FROM ${relation} AS lookup WHERE lookup.v IN (${values}))`;
  return withText(isNull, `(${hasKey} AND ${isNull.sql})`);
}

// The planner leaves out the negation below IS FALSE and IS NOT TRUE. A comparison that is false is
// turned around.
function turnedIs(condition: Is): Is {
  const { operand, what, negated } = condition;
  if ((what === 'FALSE') === negated) return condition;
  if (operand.kind === 'unary' && operand.operator === 'NOT')
    return turnedIs({
      ...condition,
      operand: operand.operand,
      what: what === 'TRUE' ? 'FALSE' : 'TRUE',
    });
  if (negated) return condition;
  const not: Expression = { kind: 'unary', operator: 'NOT', operand, at: operand.at };
  return inverseOf(operand) ? { ...condition, operand: not, what: 'TRUE' } : condition;
}

/** The truth of IS [NOT] NULL, TRUE, FALSE. Refuses UNKNOWN and JSON, which the engine lacks. */
export function resolveIs(condition: Is, resolve: Resolve, environment: Environment): Typed {
  if (condition.what === 'TRUE' || condition.what === 'FALSE') {
    const turned = turnedIs(condition);
    if (turned !== condition) return resolve(turned);
  }
  if (condition.whereLookup) return isWhereLookup(condition, resolve, environment);
  const value = resolve(condition.operand);
  const isSimplified = condition.what === 'NULL' && isInteger(value.type) && !environment.isNative;
  const parts = isSimplified ? nullParts(condition) : undefined;
  return parts ? resolve(parts) : isValue(condition, comparedValue(value, condition.reads));
}

// The planner never divides to find out whether a quotient is null: only its operands can be.
function nullParts({ operand, ...condition }: Is): Expression | undefined {
  if (!contains(operand, isDivision)) return undefined;
  const { negated, at } = condition;
  const parts = operandsOf(operand).map((part): Expression => ({ ...condition, operand: part }));
  if (parts.length < 2) return undefined;
  return parts.reduce((left, right) => ({
    kind: 'binary',
    operator: negated ? 'AND' : 'OR',
    left,
    right,
    at,
  }));
}

// The operands of nested arithmetic, each once.
function operandsOf(expression: Expression): readonly Expression[] {
  const found: Expression[] = [];
  walk(expression, (part) => {
    const isArithmetic = part.kind === 'binary' && ['+', '-', '*', '/'].includes(part.operator);
    if (!isArithmetic) found.push(part);
    return isArithmetic;
  });
  return found;
}

const isDivision = (part: Expression): boolean => part.kind === 'binary' && part.operator === '/';

function isValue({ what, negated, at }: Is, value: Typed): Typed {
  if (what === 'JSON') throw unknownFunction(`IS ${negated ? 'NOT ' : ''}JSON VALUE`, at);
  if (what === 'NULL') {
    if (value.constant !== undefined)
      return constantOf((value.constant === null) !== negated, boolean, at);
    if (
      value.nullable === false &&
      (isText(value.type) || isInteger(value.type) || value.type.name === 'ARRAY')
    )
      return constantOf(negated, boolean, at);
    if (isList(value)) {
      const isNull = falseIfEmpty(value, { sql: `druid_any_null(${value.sql})` }).sql;
      return {
        type: { ...boolean, multiValue: true },
        at,
        nullable: false,
        sql: negated ? `(NOT ${isNull})` : isNull,
      };
    }
    return {
      type: value.type.multiValue ? value.type : boolean,
      at,
      nullable: false,
      sql: `(${value.sql} IS ${negated ? 'NOT ' : ''}NULL)`,
    };
  }
  if (value.type.name !== 'BOOLEAN' && value.type.name !== 'NULL') {
    const text = `IS ${negated ? 'NOT ' : ''}${what}`;
    throw invalidSql(
      `Cannot apply '${text}' to arguments of type '<${typeText(value.type)}> ${text}'. Supported form(s): '<BOOLEAN> ${text}'`,
      at,
    );
  }
  if (what === 'UNKNOWN') throw unknownFunction(`IS ${negated ? 'NOT ' : ''}UNKNOWN`, at);
  if (value.constant !== undefined)
    return constantOf((value.constant === (what === 'TRUE')) !== negated, boolean, at);
  return {
    type: conditionType([value]),
    at,
    nullable: false,
    sql: `(${value.sql} IS ${negated ? '' : 'NOT '}DISTINCT FROM ${what.toLowerCase()})`,
  };
}

/** The truth of a comparison with ANY or ALL of some values or of a query's rows. */
export function resolveQuantified(
  { operator, quantifier, operand, among, at }: Quantified,
  scope: Scope,
  resolve: Resolve,
): Typed {
  if (!isListed(among))
    return scope.quantified(operand, operator, quantifier === 'ALL' ? 'ALL' : 'ANY', among, at);
  const value = resolve(operand);
  const each = among.map((item) =>
    comparison(
      operator as ComparisonOperator,
      value,
      resolve(item),
      at,
      scope.environment.timeZone,
    ),
  );
  return each.reduce((left, right) =>
    connective(quantifier === 'ALL' ? 'AND' : 'OR', left, right, at),
  );
}
