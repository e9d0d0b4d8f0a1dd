// Conditions on one operand connected by AND or OR. The planner merges them into one set of
// constants (Calcite: Sarg), and a row with several values matches if one value is in the set. `mv
// > 'a' AND mv < 'c'` needs one value between both, not one above 'a' and another below 'c'.
import type { Binary, Expression, Identifier, Like } from '../ast.ts';
import { numberIn } from './compared-column.ts';
import { disjuncts, isListed, printOf } from './rewrite.ts';

/** The operands whose comparisons are merged. */
export interface MergedOperands {
  readonly constants: 'string' | 'number';
  /** Whether comparisons of this operand with such constants are merged. */
  includes(operand: Expression): boolean;
  readonly examined: ExaminedChains;
}

/** The chains whose comparisons were merged, and their parts, which are not examined again. */
export type ExaminedChains = WeakSet<Binary>;

/**
 * The chain of AND or OR with the comparisons of each of these operands merged into one condition,
 * or the chain itself if nothing can be merged. A contradiction becomes FALSE.
 */
export function withRanges(chain: Binary, operands: MergedOperands): Expression {
  const { examined } = operands;
  if (chain.isOfItems || chain.isOfFilter || examined.has(chain)) return chain;
  const all = partsOf(chain, examined);
  const parts = chain.operator === 'AND' ? withoutImplied(all, operands) : all;
  const groups = new Map<string, { readonly members: ComparedCondition[] }>();
  for (const part of parts) {
    const condition = conditionOf(part);
    if (condition?.constants !== operands.constants) continue;
    const group = groups.get(condition.key);
    if (group) group.members.push(condition);
    else groups.set(condition.key, { members: [condition] });
  }
  const joined = [...groups.values()].filter(
    ({ members }) =>
      members[0] &&
      members.length > 1 &&
      countOf(members) <= mostRanges &&
      operands.includes(members[0].operand),
  );
  if (joined.length === 0 && parts.length === all.length) return chain;
  const connect = chain.operator === 'AND' ? both : either;
  const replaced = new Map<Expression, Expression | undefined>();
  for (const { members } of joined) {
    const set = members.map(({ values }) => values).reduce(connect);
    const [first] = members;
    for (const { whole } of members) replaced.set(whole, undefined);
    if (first) replaced.set(first.whole, writeRanges(first.operand, set, examined));
  }
  const kept = parts.flatMap((part) => (replaced.has(part) ? (replaced.get(part) ?? []) : [part]));
  const never =
    chain.operator === 'AND'
      ? kept.find((part) => part.kind === 'literal' && part.text === 'FALSE')
      : undefined;
  if (never) return never;
  // Merged conditions are not merged again.
  return kept.reduce((left, right): Expression => {
    const link: Binary = { ...chain, left, right };
    examined.add(link);
    return link;
  });
}

// The conjuncts without `x IS NOT NULL` beside a LIKE of x, which implies it (Calcite:
// RexSimplify.simplifyAnd2ForUnknownAsFalse): a row with a null among its values may meet LIKE.
function withoutImplied(
  parts: readonly Expression[],
  operands: MergedOperands,
): readonly Expression[] {
  const likes = new Set(parts.flatMap(operandsOfLikes).map(printOf));
  if (likes.size === 0) return parts;
  const conditions = parts.map((part) => conditionOf(part));
  const merged = new Set(
    conditions.flatMap((condition) => (condition && hasBounds(condition) ? condition.key : [])),
  );
  return parts.filter((_, index) => {
    const condition = conditions[index];
    if (condition?.values.hasNull !== false || merged.has(condition.key)) return true;
    return !likes.has(condition.key) || !operands.includes(condition.operand);
  });
}

// The operand of LIKE, or of alternatives of LIKE and comparisons.
function operandsOfLikes(part: Expression): readonly Expression[] {
  const choices = disjuncts(part);
  if (!choices.some(isLike)) return [];
  const operands = choices.map((choice) =>
    isLike(choice) ? choice.operand : choice.kind === 'binary' && conditionOf(choice)?.operand,
  );
  const [first] = operands;
  if (!first || new Set(operands.map((one) => one && printOf(one))).size > 1) return [];
  return [first];
}

const isLike = (part: Expression): part is Like =>
  part.kind === 'like' && part.operator === 'LIKE' && !part.negated;

/**
 * The single text that a condition allows for a column, for each column that it decides. Null
 * stands for IS NULL.
 */
export function decidedTexts(
  condition: Expression,
): readonly { readonly operand: Identifier; readonly text: string | null }[] {
  const chain =
    condition.kind === 'binary' && condition.operator === 'AND'
      ? partsOf(condition, new WeakSet())
      : [condition];
  return chain.flatMap((part): { operand: Identifier; text: string | null }[] => {
    const found = conditionOf(part);
    if (found?.operand.kind !== 'identifier') return [];
    const { ranges, hasNull } = found.values;
    const [only, second] = ranges;
    if (hasNull === true && !only) return [{ operand: found.operand, text: null }];
    const text = only && !second && hasNull !== true && isPoint(only) ? only.low : undefined;
    return typeof text === 'string' ? [{ operand: found.operand, text }] : [];
  });
}

/**
 * Whether no text can meet a comparison of an operand and also the comparisons of this operand
 * among the predicates (Calcite: RexSimplify, simplifyUsingPredicates). IN and BETWEEN are not
 * comparisons here.
 */
export function isContradicted(comparison: Binary, predicates: readonly Expression[]): boolean {
  const condition = comparison.operator === '<>' ? undefined : conditionOf(comparison);
  if (!condition) return false;
  const known = predicates.flatMap((predicate) => {
    const compared =
      predicate.kind === 'unary' && predicate.operator === 'NOT' ? predicate.operand : predicate;
    const found = compared.kind === 'binary' ? conditionOf(predicate) : undefined;
    return found?.key === condition.key ? [found.values] : [];
  });
  return known.length > 0 && known.reduce(both, condition.values).ranges.length === 0;
}

/**
 * Whether the parts of a conjunction leave no value for an operand that they compare with
 * constants, as in `x > 'b' AND (x = 'a' OR x IS NULL)`. `isComparedAs` returns whether the
 * operand has the type of the constants.
 */
export function leaveNoValue(
  parts: readonly Expression[],
  isComparedAs: (operand: Expression, constants: 'string' | 'number') => boolean,
): boolean {
  const groups = new Map<string, ComparedCondition[]>();
  for (const part of parts) {
    const condition = choiceOf(part);
    if (!condition) continue;
    const group = groups.get(condition.key);
    if (group) group.push(condition);
    else groups.set(condition.key, [condition]);
  }
  return [...groups.values()].some((members) => {
    const [first, second] = members;
    if (!first || !second || countOf(members) > mostRanges) return false;
    if (members.some(({ values }) => values.ranges.some(isRounded))) return false;
    const kinds = new Set(members.filter(hasBounds).map(({ constants }) => constants));
    const [constants] = kinds;
    if (kinds.size !== 1 || !constants || !isComparedAs(first.operand, constants)) return false;
    return isNothing(members.map(({ values }) => values).reduce(both));
  });
}

const isNothing = ({ ranges, hasNull }: ConstantSet): boolean =>
  ranges.length === 0 && hasNull !== true;

// Longs beyond 53 bits are not told apart here.
const isRounded = ({ low, high }: ConstantRange): boolean =>
  [low, high].some((bound) => typeof bound === 'number' && Math.abs(bound) > mostExact);

const mostExact = Number.MAX_SAFE_INTEGER;

const hasBounds = ({ values }: ComparedCondition): boolean =>
  values.ranges.some(({ low, high }) => low !== undefined || high !== undefined);

// The values that one condition accepts, also a chain of AND and OR on one operand.
function choiceOf(whole: Expression): ComparedCondition | undefined {
  const simple = conditionOf(whole);
  if (simple || whole.kind !== 'binary' || !/^(AND|OR)$/.test(whole.operator)) return simple;
  const parts = partsOf(whole, new WeakSet()).map(choiceOf);
  const compared = parts.flatMap((part) => part ?? []);
  const [first] = compared;
  if (!first || compared.some(({ key }) => key !== first.key)) return undefined;
  // Another condition beside AND only narrows what the compared ones accept.
  if (whole.operator === 'OR' && compared.length < parts.length) return undefined;
  const bounded = compared.filter(hasBounds);
  const [{ constants } = first] = bounded;
  if (bounded.some((other) => other.constants !== constants)) return undefined;
  if (countOf(compared) > mostRanges) return undefined;
  const connect = whole.operator === 'AND' ? both : either;
  const values = compared.map((part) => part.values).reduce(connect);
  return { ...first, whole, constants, values };
}

type Bound = string | number;

interface ConstantRange {
  readonly low?: Bound;
  readonly isLowOpen?: true;
  readonly high?: Bound;
  readonly isHighOpen?: true;
}

// The values that a condition accepts: ordered ranges without overlap. For null it holds, does not
// hold, or is unknown.
interface ConstantSet {
  readonly ranges: readonly ConstantRange[];
  readonly hasNull: boolean | undefined;
}

interface ComparedCondition {
  readonly whole: Expression;
  readonly operand: Expression;
  readonly key: string; // the same for the same operand
  readonly constants: 'string' | 'number'; // their type
  readonly values: ConstantSet;
}

// Longer chains stay unchanged: merging takes time proportional to the product of their lengths.
const mostRanges = 500;
const countOf = (members: readonly ComparedCondition[]): number =>
  members.reduce((sum, { values }) => sum + values.ranges.length, 0);

// Iterative, since a chain may be long. Halves of a chain without anything to merge are not
// examined again.
function partsOf(chain: Binary, examined: ExaminedChains): readonly Expression[] {
  const parts: Expression[] = [];
  const open: Expression[] = [chain];
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.kind === 'binary' && next.operator === chain.operator && !next.isOfItems) {
      examined.add(next);
      open.push(next.right, next.left);
    } else parts.push(next);
  }
  return parts;
}

const everything: ConstantRange = {};
const point = (value: Bound): ConstantRange => ({ low: value, high: value });

function conditionOf(whole: Expression): ComparedCondition | undefined {
  const of = (
    operand: Expression,
    ranges: readonly ConstantRange[],
    hasNull?: boolean,
  ): ComparedCondition => ({
    whole,
    operand,
    key: printOf(operand),
    constants: typeof (ranges[0]?.low ?? ranges[0]?.high) === 'number' ? 'number' : 'string',
    values: { ranges, hasNull },
  });
  switch (whole.kind) {
    case 'unary': {
      const inner = whole.operator === 'NOT' ? conditionOf(whole.operand) : undefined;
      return inner && { ...inner, whole, values: otherThan(inner.values) };
    }
    case 'is':
      if (whole.what !== 'NULL' || whole.operand.kind !== 'identifier') return undefined;
      return of(whole.operand, whole.negated ? [everything] : [], !whole.negated);
    case 'in': {
      const { among, operand, negated } = whole;
      if (!isListed(among)) return undefined;
      const values = among.map(boundIn);
      const isMixed = values.some((value) => typeof value !== typeof values[0]);
      if (isMixed || values.includes(undefined)) return undefined;
      if (boundIn(operand) !== undefined || values.length > mostRanges) return undefined;
      const points = [...new Set(values)]
        .flatMap((value) => (value === undefined ? [] : [point(value)]))
        .sort(byLow);
      return of(operand, negated ? gapsOf(points) : points);
    }
    case 'between': {
      const [low, high] = [boundIn(whole.low), boundIn(whole.high)];
      if (
        low === undefined ||
        high === undefined ||
        typeof low !== typeof high ||
        whole.symmetric ||
        boundIn(whole.operand) !== undefined
      )
        return undefined;
      const ranges = low <= high ? [{ low, high }] : [];
      return of(whole.operand, whole.negated ? gapsOf(ranges) : ranges);
    }
    case 'binary':
      // The planner sees MV_CONTAINS, of which only the native query makes a comparison.
      return whole.isOfItems ? undefined : comparisonOf(whole, of);
    default:
      return undefined;
  }
}

function comparisonOf(
  whole: Binary,
  of: (operand: Expression, ranges: readonly ConstantRange[]) => ComparedCondition,
): ComparedCondition | undefined {
  const { left, right, operator } = whole;
  const [value, turned] = [boundIn(right) ?? boundIn(left), boundIn(right) === undefined];
  const operand = turned ? right : left;
  if (value === undefined || boundIn(operand) !== undefined) return undefined;
  switch (turned ? (mirrored[operator] ?? operator) : operator) {
    case '=':
      return of(operand, [point(value)]);
    case '<>':
      return of(operand, gapsOf([point(value)]));
    case '<':
      return of(operand, [{ high: value, isHighOpen: true }]);
    case '<=':
      return of(operand, [{ high: value }]);
    case '>':
      return of(operand, [{ low: value, isLowOpen: true }]);
    case '>=':
      return of(operand, [{ low: value }]);
    default:
      return undefined;
  }
}

const mirrored: Partial<Record<Binary['operator'], Binary['operator']>> = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

function boundIn(expression: Expression): Bound | undefined {
  if (expression.kind === 'literal' && expression.type === 'string') return expression.text;
  const number = numberIn(expression);
  if (!number) return undefined;
  return expression === number ? Number(number.text) : -Number(number.text);
}

const otherThan = ({ ranges, hasNull }: ConstantSet): ConstantSet => ({
  ranges: gapsOf(ranges),
  hasNull: hasNull === undefined ? undefined : !hasNull,
});

function both(left: ConstantSet, right: ConstantSet): ConstantSet {
  const ranges = left.ranges.flatMap((one) =>
    right.ranges.flatMap((other) => overlapOf(one, other)),
  );
  const isUnknown =
    left.hasNull !== false &&
    right.hasNull !== false &&
    (left.hasNull === undefined || right.hasNull === undefined);
  return {
    ranges,
    hasNull: isUnknown ? undefined : left.hasNull === true && right.hasNull === true,
  };
}

// The union of both sets.
const either = (left: ConstantSet, right: ConstantSet): ConstantSet =>
  otherThan(both(otherThan(left), otherThan(right)));

function overlapOf(one: ConstantRange, other: ConstantRange): readonly ConstantRange[] {
  const lower = orderOfLows(one, other) >= 0 ? one : other;
  const upper = orderOfHighs(one, other) <= 0 ? one : other;
  const range: ConstantRange = {
    ...(lower.low !== undefined && { low: lower.low }),
    ...(lower.isLowOpen && { isLowOpen: true }),
    ...(upper.high !== undefined && { high: upper.high }),
    ...(upper.isHighOpen && { isHighOpen: true }),
  };
  const { low, high } = range;
  if (low === undefined || high === undefined || low < high) return [range];
  return low === high && !range.isLowOpen && !range.isHighOpen ? [range] : [];
}

function orderOfLows(one: ConstantRange, other: ConstantRange): number {
  if (one.low === undefined || other.low === undefined)
    return Number(one.low !== undefined) - Number(other.low !== undefined);
  if (one.low !== other.low) return one.low < other.low ? -1 : 1;
  return Number(one.isLowOpen ?? false) - Number(other.isLowOpen ?? false);
}

function orderOfHighs(one: ConstantRange, other: ConstantRange): number {
  if (one.high === undefined || other.high === undefined)
    return Number(other.high !== undefined) - Number(one.high !== undefined);
  if (one.high !== other.high) return one.high < other.high ? -1 : 1;
  return Number(other.isHighOpen ?? false) - Number(one.isHighOpen ?? false);
}

const byLow = (one: ConstantRange, other: ConstantRange): number => orderOfLows(one, other);

// The gaps between ranges, including below the first and above the last one.
function gapsOf(ranges: readonly ConstantRange[]): readonly ConstantRange[] {
  const gaps: ConstantRange[] = [];
  let below: ConstantRange | undefined = everything; // low side of the gap
  for (const range of ranges) {
    const gap: ConstantRange = {
      ...(below.low !== undefined && { low: below.low }),
      ...(below.isLowOpen && { isLowOpen: true }),
      ...(range.low !== undefined && { high: range.low }),
      ...(range.low !== undefined && !range.isLowOpen && { isHighOpen: true }),
    };
    if (range.low !== undefined) gaps.push(...overlapOf(gap, everything));
    if (range.high === undefined) return gaps;
    below = { low: range.high, ...(!range.isHighOpen && { isLowOpen: true }) };
  }
  return [...gaps, below];
}

// A set as a condition. Single values that lie in a range but not in the set are excluded by a
// condition of their own. The complement with NOT is used if it is shorter.
function writeRanges(
  operand: Expression,
  { ranges, hasNull }: ConstantSet,
  examined: ExaminedChains,
): Expression {
  const { at } = operand;
  const or = (left: Expression, right: Expression): Expression => {
    const joined: Binary = { kind: 'binary', operator: 'OR', left, right, at };
    examined.add(joined);
    return joined;
  };
  const isNull = (negated: boolean): Expression => ({
    kind: 'is',
    operand,
    what: 'NULL',
    negated,
    at,
  });
  const otherwise = (excluded: readonly ConstantRange[]): Expression => ({
    kind: 'unary',
    operator: 'NOT',
    operand: anyOf(operand, excluded, or),
    at,
  });
  const gaps = gapsOf(ranges);
  const values = (): Expression | undefined => {
    if (ranges.length === 0) return undefined;
    if (gaps.length === 0) return isNull(true);
    const holes = gaps.filter(isPoint);
    const wide = gaps.filter((gap) => !isPoint(gap));
    if (wide.length === 0) return otherwise(holes);
    const filled = gapsOf(wide);
    const inRanges = wide.length < filled.length ? otherwise(wide) : anyOf(operand, filled, or);
    if (holes.length === 0) return inRanges;
    const within: Binary = {
      kind: 'binary',
      operator: 'AND',
      left: inRanges,
      right: otherwise(holes),
      at,
    };
    examined.add(within);
    return within;
  };
  const found = values();
  if (hasNull === true) return found ? or(isNull(false), found) : isNull(false);
  if (!found) return { kind: 'literal', type: 'boolean', text: 'FALSE', at };
  if (hasNull === undefined || isComparison(ranges) || isComparison(gaps)) return found;
  const known: Binary = { kind: 'binary', operator: 'AND', left: isNull(true), right: found, at };
  examined.add(known);
  return known;
}

// A comparison implies IS NOT NULL; another set of constants does not.
const isComparison = ([range, more]: readonly ConstantRange[]): boolean =>
  range !== undefined &&
  more === undefined &&
  (isPoint(range) || range.low === undefined || range.high === undefined);

const isPoint = ({ low, high }: ConstantRange): boolean => low !== undefined && low === high;

function literalOf(value: Bound, at: Expression['at']): Expression {
  if (typeof value === 'string') return { kind: 'literal', type: 'string', text: value, at };
  const text = String(Math.abs(value));
  const type = /^\d+$/.test(text) ? 'integer' : text.includes('e') ? 'double' : 'decimal';
  const literal: Expression = { kind: 'literal', type, text, at };
  return value < 0 ? { kind: 'unary', operator: '-', operand: literal, at } : literal;
}

function anyOf(
  operand: Expression,
  ranges: readonly ConstantRange[],
  or: (left: Expression, right: Expression) => Expression,
): Expression {
  const { at } = operand;
  const literal = (value: Bound) => literalOf(value, at);
  const compare = (operator: Binary['operator'], value: Bound): Expression => ({
    kind: 'binary',
    operator,
    left: operand,
    right: literal(value),
    at,
  });
  const points = ranges.filter(isPoint).flatMap(({ low }) => low ?? []);
  const [only = '', ...more] = points;
  const among: Expression[] =
    points.length === 0
      ? []
      : [
          more.length === 0
            ? compare('=', only)
            : { kind: 'in', operand, among: points.map(literal), negated: false, at },
        ];
  const others = ranges
    .filter((range) => !isPoint(range))
    .map(({ low, high, isLowOpen, isHighOpen }): Expression => {
      if (low === undefined) return compare(isHighOpen ? '<' : '<=', high ?? '');
      if (high === undefined) return compare(isLowOpen ? '>' : '>=', low);
      return {
        kind: 'between',
        operand,
        low: literal(low),
        high: literal(high),
        negated: false,
        symmetric: false,
        ...(isLowOpen && { isLowOpen }),
        ...(isHighOpen && { isHighOpen }),
        at,
      };
    });
  return [...among, ...others].reduce(or);
}
