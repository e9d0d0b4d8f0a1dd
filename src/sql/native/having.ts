// Having specs (docs/querying/having.md), which filter groups.
import { bindOnce } from '../expressions/bind-once.ts';
import { castTo } from '../expressions/casts.ts';
import { doubleNumber } from '../expressions/duckdb-text.ts';
import type { Scope } from '../expressions/typed.ts';
import { failureSql } from '../runtime/own-words.ts';
import { double, isInteger, isNumeric, isText, varchar } from '../types.ts';
import { resolveFilter } from './filter.ts';
import {
  cannotRun,
  has,
  javaClasses,
  kindOf,
  listOr,
  NOWHERE,
  type Node,
  nodeOf,
  numberIn,
  textIn,
} from './members.ts';
import { finalOf, type ResultScope } from './post-aggregators.ts';

/**
 * The condition of a having spec (parsed JSON) on groups, as DuckDB text.
 * Throws SqlError.
 */
export const havingText = (given: unknown, scope: ResultScope): string => {
  const node = nodeOf(given, 'having');
  return kindOf(kinds, node, 'HavingSpec')(node, scope);
};

type Kind = (node: Node, scope: ResultScope) => string;

type Operator = '<' | '=' | '>';

const compare =
  (operator: Operator): Kind =>
  (node, scope) => {
    if (!has(node, 'aggregation')) return 'false';
    const { sql, type } = finalOf(textIn(node, 'aggregation'), scope);
    if (!has(node, 'value')) return operator === '=' ? `(${sql} IS NULL)` : 'false';
    const limit = exactNumber(node);
    if (type.name === 'ARRAY')
      throw cannotRun('The value of a metric is an array', javaClasses.state);
    if (type.name === 'OTHER') return ofNoNumber(sql);
    return falseIfNull(
      isInteger(type)
        ? ofIntegers(`(${sql})`, operator, limit)
        : ofDoubles(
            isText(type)
              ? numberOfText(sql)
              : castTo({ sql, type, at: NOWHERE }, double, 'UTC').sql,
            operator,
            limit,
          ),
    );
  };

// A whole number is exact, whatever its size.
function exactNumber(node: Node): bigint | number {
  const { value } = node;
  if (typeof value === 'bigint' && value !== BigInt.asIntN(64, value))
    throw cannotRun('Number was[java.math.BigInteger]?!?', javaClasses.state);
  const given = numberIn(node, 'value');
  if (Object.is(given, -0)) return given;
  const whole =
    typeof value === 'bigint' || (typeof value === 'string' && /^-?\d+$/.test(value))
      ? BigInt(value)
      : Number.isInteger(given)
        ? BigInt(given)
        : undefined;
  return whole ?? given;
}

// The engine compares whole numbers with numbers of any kind exactly.
function ofIntegers(sql: string, operator: Operator, limit: bigint | number): string {
  const isLong =
    typeof limit === 'bigint' ? limit === BigInt.asIntN(64, limit) : Number.isFinite(limit);
  if (!isLong) {
    const isMet = operator === '<' ? limit > 0 : operator === '>' && limit < 0;
    return `(${sql} IS NOT NULL AND ${isMet})`;
  }
  if (typeof limit === 'bigint') return `${sql} ${operator} ${limit}::HUGEINT`;
  if (operator === '=' && !Number.isInteger(limit)) return 'false';
  const below = operator === '>' ? Math.floor(limit) : Math.ceil(limit);
  return `${sql} ${operator} ${BigInt(below)}::HUGEINT`;
}

// A negative zero is less than zero (Java: Double.compare).
function ofDoubles(sql: string, operator: Operator, limit: bigint | number): string {
  const near = Number(limit);
  const literal = doubleNumber(near);
  if (near === 0)
    return bindOnce([sql], ([x]) => {
      const isNegative = `(${x} < 0 OR ${x} = 0 AND signbit(${x}))`;
      const isLess = Object.is(near, -0) ? `${x} < 0` : isNegative;
      const isMore = Object.is(near, -0) ? `NOT ${isNegative}` : `${x} > 0`;
      const isSame = `${x} = 0 AND ${Object.is(near, -0) ? '' : 'NOT '}signbit(${x})`;
      return `(${{ '<': isLess, '=': isSame, '>': isMore }[operator]})`;
    });
  // The nearest double may be on either side of a long number.
  const rest = typeof limit === 'bigint' ? BigInt(near) - limit : 0n;
  if (operator === '=' && rest !== 0n) return 'false';
  const isIncluded = operator === '<' ? rest < 0n : rest > 0n;
  return `${sql} ${operator}${isIncluded ? '=' : ''} ${literal}`;
}

// A sketch of a group fails the query.
const ofNoNumber = (sql: string) =>
  `(CASE WHEN ${sql} IS NOT NULL THEN ${failureSql("'The value of a metric is not a number'", 'state')}::BOOLEAN ELSE false END)`;

// A text that is not a number fails the query.
const numberOfText = (text: string) =>
  bindOnce(
    [text],
    ([x]) =>
      `CASE WHEN ${x} IS NOT NULL THEN coalesce(TRY_CAST(${x} AS DOUBLE), ${failureSql(`'For input string: "' || ${x} || '"'`, 'noNumber')}::DOUBLE) END`,
  );

// The scope in which a number of a dimension is a text.
function textsOf(dimension: unknown, scope: ResultScope): Scope {
  if (typeof dimension !== 'string') return scope;
  const value = scope.column([dimension], NOWHERE);
  return isNumeric(value.type) ? scope.holding(castTo(value, varchar, 'UTC')) : scope;
}

// A comparison with null is false rather than unknown, so `not` makes it true.
const falseIfNull = (condition: string) => `coalesce(${condition}, false)`;

const joinConditions =
  (operator: 'AND' | 'OR', empty: string): Kind =>
  (node, scope) =>
    `(${listOr(node, 'havingSpecs', (each) => havingText(each, scope)).join(` ${operator} `) || empty})`;

const kinds: Readonly<Record<string, Kind>> = {
  always: () => 'true',
  equalTo: compare('='),
  greaterThan: compare('>'),
  lessThan: compare('<'),
  filter: (node, scope) => falseIfNull(resolveFilter(node.filter, scope).sql),
  dimSelector(node, scope) {
    const { dimension, extractionFn } = node;
    const texts = textsOf(dimension, scope);
    const select = (value: unknown) =>
      falseIfNull(resolveFilter({ type: 'selector', dimension, value, extractionFn }, texts).sql);
    const isEmpty = !has(node, 'value') || node.value === '';
    return isEmpty ? `(${select(null)} OR ${select('')})` : select(node.value);
  },
  and: joinConditions('AND', 'true'),
  or: joinConditions('OR', 'false'),
  not: (node, scope) => `(NOT ${havingText(node.havingSpec, scope)})`,
};
