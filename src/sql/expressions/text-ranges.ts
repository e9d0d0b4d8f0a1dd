// Conditions on one text connected by AND or OR. The planner merges them into one set of texts
// (Calcite: Sarg), and a row with several values matches if one value is in the set. `mv > 'a' AND
// mv < 'c'` needs one value between both, not one above 'a' and another below 'c'.
import type { Binary, Expression, Identifier } from '../ast.ts';
import { fingerprint } from './rewrite.ts';

/**
 * The chain of AND or OR with the comparisons of each multi-value text merged into one condition,
 * or the chain itself if nothing can be merged. `isSeveral` recognizes operands with several
 * values. A contradiction becomes FALSE.
 */
export function withTextRanges(
  chain: Binary,
  isSeveral: (operand: Expression) => boolean,
): Expression {
  if (chain.isOfItems || examined.has(chain)) return chain;
  const parts = partsOf(chain);
  const groups = new Map<string, { readonly members: TextCondition[] }>();
  for (const part of parts) {
    const condition = conditionOf(part);
    if (!condition) continue;
    const group = groups.get(condition.key);
    if (group) group.members.push(condition);
    else groups.set(condition.key, { members: [condition] });
  }
  const joined = [...groups.values()].filter(
    ({ members }) =>
      members[0] &&
      members.length > 1 &&
      countOf(members) <= mostRanges &&
      isSeveral(members[0].operand),
  );
  if (joined.length === 0) return chain;
  const connect = chain.operator === 'AND' ? both : either;
  const replaced = new Map<Expression, Expression | undefined>();
  for (const { members } of joined) {
    const set = members.map(({ texts }) => texts).reduce(connect);
    const [first] = members;
    for (const { whole } of members) replaced.set(whole, undefined);
    if (first) replaced.set(first.whole, writeRanges(first.operand, set));
  }
  const all = parts.flatMap((part) => (replaced.has(part) ? (replaced.get(part) ?? []) : [part]));
  const never =
    chain.operator === 'AND'
      ? all.find((part) => part.kind === 'literal' && part.text === 'FALSE')
      : undefined;
  if (never) return never;
  // Merged conditions are not merged again.
  return all.reduce((left, right): Expression => {
    const link: Binary = { ...chain, left, right };
    examined.add(link);
    return link;
  });
}

/**
 * The single text that a condition allows for a column, for each column that it decides. Null
 * stands for IS NULL.
 */
export function decidedTexts(
  condition: Expression,
): readonly { readonly operand: Identifier; readonly text: string | null }[] {
  const chain =
    condition.kind === 'binary' && condition.operator === 'AND' ? partsOf(condition) : [condition];
  return chain.flatMap((part): { operand: Identifier; text: string | null }[] => {
    const found = conditionOf(part);
    if (found?.operand.kind !== 'identifier') return [];
    const { ranges, hasNull } = found.texts;
    const [only, second] = ranges;
    if (hasNull === true && !only) return [{ operand: found.operand, text: null }];
    const isPoint =
      only && !second && hasNull !== true && only.low !== undefined && only.low === only.high;
    return isPoint ? [{ operand: found.operand, text: only.low ?? null }] : [];
  });
}

interface TextRange {
  readonly low?: string;
  readonly isLowOpen?: true;
  readonly high?: string;
  readonly isHighOpen?: true;
}

// The texts that a condition accepts: ordered ranges without overlap. For null it holds, does not
// hold, or is unknown.
interface TextSet {
  readonly ranges: readonly TextRange[];
  readonly hasNull: boolean | undefined;
}

interface TextCondition {
  readonly whole: Expression;
  readonly operand: Expression;
  readonly key: string; // the same for the same operand
  readonly texts: TextSet;
}

// Longer chains stay unchanged: merging takes time proportional to the product of their lengths.
const mostRanges = 500;
const countOf = (members: readonly TextCondition[]): number =>
  members.reduce((sum, { texts }) => sum + texts.ranges.length, 0);

// Halves of a chain without anything to merge are not examined again.
const examined = new WeakSet<Binary>();

// Iterative, since a chain may be long.
function partsOf(chain: Binary): readonly Expression[] {
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

const everything: TextRange = {};
const point = (text: string): TextRange => ({ low: text, high: text });

function conditionOf(whole: Expression): TextCondition | undefined {
  const of = (
    operand: Expression,
    ranges: readonly TextRange[],
    hasNull?: boolean,
  ): TextCondition => ({
    whole,
    operand,
    key: fingerprint(operand, ({ names }) => names.join('.')),
    texts: { ranges, hasNull },
  });
  switch (whole.kind) {
    case 'unary': {
      const inner = whole.operator === 'NOT' ? conditionOf(whole.operand) : undefined;
      return inner && { ...inner, whole, texts: otherThan(inner.texts) };
    }
    case 'is':
      if (whole.what !== 'NULL' || whole.operand.kind !== 'identifier') return undefined;
      return of(whole.operand, whole.negated ? [everything] : [], !whole.negated);
    case 'in': {
      const { among, operand, negated } = whole;
      if (!isList(among)) return undefined;
      const texts = among.map(textIn);
      if (texts.includes(undefined) || textIn(operand) !== undefined || texts.length > mostRanges)
        return undefined;
      const points = [...new Set(texts)]
        .flatMap((text) => (text === undefined ? [] : [point(text)]))
        .sort(byLow);
      return of(operand, negated ? gapsOf(points) : points);
    }
    case 'between': {
      const [low, high] = [textIn(whole.low), textIn(whole.high)];
      if (
        low === undefined ||
        high === undefined ||
        whole.symmetric ||
        textIn(whole.operand) !== undefined
      )
        return undefined;
      const ranges = low <= high ? [{ low, high }] : [];
      return of(whole.operand, whole.negated ? gapsOf(ranges) : ranges);
    }
    case 'binary':
      return comparisonOf(whole, of);
    default:
      return undefined;
  }
}

function comparisonOf(
  whole: Binary,
  of: (operand: Expression, ranges: readonly TextRange[]) => TextCondition,
): TextCondition | undefined {
  const { left, right, operator } = whole;
  const [text, turned] = [textIn(right) ?? textIn(left), textIn(right) === undefined];
  const operand = turned ? right : left;
  if (text === undefined || textIn(operand) !== undefined) return undefined;
  switch (turned ? (mirrored[operator] ?? operator) : operator) {
    case '=':
      return of(operand, [point(text)]);
    case '<>':
      return of(operand, gapsOf([point(text)]));
    case '<':
      return of(operand, [{ high: text, isHighOpen: true }]);
    case '<=':
      return of(operand, [{ high: text }]);
    case '>':
      return of(operand, [{ low: text, isLowOpen: true }]);
    case '>=':
      return of(operand, [{ low: text }]);
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

const textIn = (expression: Expression): string | undefined =>
  expression.kind === 'literal' && expression.type === 'string' ? expression.text : undefined;

const isList = (among: unknown): among is readonly Expression[] => Array.isArray(among);

const otherThan = ({ ranges, hasNull }: TextSet): TextSet => ({
  ranges: gapsOf(ranges),
  hasNull: hasNull === undefined ? undefined : !hasNull,
});

function both(left: TextSet, right: TextSet): TextSet {
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
const either = (left: TextSet, right: TextSet): TextSet =>
  otherThan(both(otherThan(left), otherThan(right)));

function overlapOf(one: TextRange, other: TextRange): readonly TextRange[] {
  const lower = orderOfLows(one, other) >= 0 ? one : other;
  const upper = orderOfHighs(one, other) <= 0 ? one : other;
  const range: TextRange = {
    ...(lower.low !== undefined && { low: lower.low }),
    ...(lower.isLowOpen && { isLowOpen: true }),
    ...(upper.high !== undefined && { high: upper.high }),
    ...(upper.isHighOpen && { isHighOpen: true }),
  };
  const { low, high } = range;
  if (low === undefined || high === undefined || low < high) return [range];
  return low === high && !range.isLowOpen && !range.isHighOpen ? [range] : [];
}

function orderOfLows(one: TextRange, other: TextRange): number {
  if (one.low === undefined || other.low === undefined)
    return Number(one.low !== undefined) - Number(other.low !== undefined);
  if (one.low !== other.low) return one.low < other.low ? -1 : 1;
  return Number(one.isLowOpen ?? false) - Number(other.isLowOpen ?? false);
}

function orderOfHighs(one: TextRange, other: TextRange): number {
  if (one.high === undefined || other.high === undefined)
    return Number(other.high !== undefined) - Number(one.high !== undefined);
  if (one.high !== other.high) return one.high < other.high ? -1 : 1;
  return Number(other.isHighOpen ?? false) - Number(one.isHighOpen ?? false);
}

const byLow = (one: TextRange, other: TextRange): number => orderOfLows(one, other);

// The gaps between ranges, including below the first and above the last one.
function gapsOf(ranges: readonly TextRange[]): readonly TextRange[] {
  const gaps: TextRange[] = [];
  let below: TextRange | undefined = everything; // low side of the gap
  for (const range of ranges) {
    const gap: TextRange = {
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

// A set as a condition. The complement with NOT is used if it is shorter.
function writeRanges(operand: Expression, { ranges, hasNull }: TextSet): Expression {
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
  const gaps = gapsOf(ranges);
  const texts = (): Expression | undefined => {
    if (ranges.length === 0) return undefined;
    if (gaps.length === 0) return isNull(true);
    if (gaps.length < ranges.length || gaps.every(isPoint)) {
      return { kind: 'unary', operator: 'NOT', operand: anyOf(operand, gaps, or), at };
    }
    return anyOf(operand, ranges, or);
  };
  const found = texts();
  if (hasNull === true) return found ? or(isNull(false), found) : isNull(false);
  return found ?? { kind: 'literal', type: 'boolean', text: 'FALSE', at };
}

const isPoint = ({ low, high }: TextRange): boolean => low !== undefined && low === high;

function anyOf(
  operand: Expression,
  ranges: readonly TextRange[],
  or: (left: Expression, right: Expression) => Expression,
): Expression {
  const { at } = operand;
  const literal = (text: string): Expression => ({ kind: 'literal', type: 'string', text, at });
  const compare = (operator: Binary['operator'], text: string): Expression => ({
    kind: 'binary',
    operator,
    left: operand,
    right: literal(text),
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
