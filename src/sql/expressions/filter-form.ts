// Expressions that have another meaning in filters than elsewhere.
import type { Between, Binary, Call, Case, Cast, Expression, In, Like, Literal } from '../ast.ts';
import { isFractional, isNumeric, isText } from '../types.ts';
import { truthsOfTexts } from './case-truths.ts';
import {
  type ComparedParts,
  isExactDouble,
  numberIn,
  parsedText,
  withoutCasts,
} from './compared-column.ts';
import { castOfText, isTruth } from './compared-truth.ts';
import { type ExaminedChains, withRanges } from './constant-ranges.ts';
import {
  conjuncts,
  contains,
  disjuncts,
  isAnyText,
  isListed,
  mapOperands,
  negatedIf,
  nullLiteral,
  oppositeOf,
  truthLiteral,
} from './rewrite.ts';
import { typeOfName } from './type-name.ts';

/**
 * The kind of a compared value: a text, a multi-value column, a FLOAT column, a double. Undefined
 * for others and for values that are compared unchanged.
 */
type Compared = 'double' | 'float' | 'text' | 'texts' | undefined;

/**
 * The filter form of a condition. A text is a number if it can be parsed as one, and otherwise
 * differs from all numbers: `s <> 7` finds 'a', and `s = 1` does not find 'true'. MV_CONTAINS,
 * MV_OVERLAP and SCALAR_IN_ARRAY test each constant separately, and are unknown if a null is among
 * other constants. `IS [NOT] DISTINCT FROM NULL` is `IS [NOT] NULL`, also for several values. A
 * FLOAT equals a number if they are equal in 32 bits: `f = 0.1` finds the stored form of 0.1
 * (Druid: EqualityFilter, TypedInFilter), and so does `f >= 0.1 AND f <= 0.1`, which the planner
 * merges. A CAST to BOOLEAN is left out: the text `true` and numbers above zero are true. A numeric
 * column is compared without the casts around it.
 */
export function filterForm(written: Expression, parts: ComparedParts): Expression {
  const inner = (part: Expression) => filterForm(part, parts);
  const kindOf = (expression: Expression) => comparisonTypeOf(expression, parts);
  if (written.kind === 'case')
    return isReduced(written, kindOf) ? mapConditions(written, inner) : written;
  if (written.kind === 'binary' && (written.operator === 'AND' || written.operator === 'OR')) {
    const ranged = withRanges(written, {
      constants: 'number',
      includes: (operand) => kindOf(operand) === 'float',
      examined,
    });
    return ranged === written ? mapOperands(written, inner) : inner(ranged);
  }
  const isComparison =
    written.kind === 'between' || written.kind === 'binary' || written.kind === 'in';
  const condition = isComparison ? withoutCasts(withConditions(written, inner), parts) : written;
  if (condition.kind !== written.kind) return filterForm(condition, parts);
  if (condition.kind === 'unary' && condition.operator === 'NOT') {
    const turned = withoutNots(condition.operand) ?? turnedOrder(condition.operand, kindOf);
    return turned ? inner(turned) : mapOperands(condition, inner);
  }
  if (condition.kind === 'is') {
    if (condition.what !== 'NULL') return mapOperands(condition, inner);
    return mapOperands(condition, (operand) =>
      parts.findsLists && isFieldOfTexts(operand)
        ? listOfTexts(operand)
        : longOfTruths(operand, parts),
    );
  }
  const truths =
    condition.kind === 'in' || condition.kind === 'binary' ? truthsOfTexts(condition) : undefined;
  if (truths) return inner(truths);
  if (condition.kind === 'in') {
    const { operand: tested, among, negated, at } = condition;
    if (!isListed(among)) return condition;
    if (among.some((item) => numberOfText(item)) && isFloat(tested, parts))
      return { ...condition, among: among.map((item) => inFloat(numberOfText(item) ?? item)) };
    if (!among.every(isNumber)) return condition;
    const casted = among.every(isWhole) ? castText(tested, kindOf) : undefined;
    const operand = casted ?? tested;
    const kind = kindOf(operand);
    if (kind === 'float') return { ...condition, among: among.map(inFloat) };
    const areWhole = among.every(isWhole);
    const isCompared = isOfTexts(kind) && isRead(operand);
    if (!isCompared || !(areWhole || operand.kind === 'identifier')) return condition;
    // A field of nested data keeps its number, also where it is not whole.
    const isOfField = isRead(operand) && operand.kind === 'call' && among.every(isExactDouble);
    const found = whereNumber(
      operand,
      areWhole && !isOfField ? longOf(operand) : decimalOf(operand),
      (number) => ({
        kind: 'in',
        operand: number,
        among,
        negated: false,
        at,
      }),
      unlikeNumbers(operand),
      kind,
    );
    return negatedIf(negated, found, at);
  }
  if (condition.kind === 'between') return betweenNumbers(roundedBounds(condition, parts), kindOf);
  if (condition.kind === 'like') return isAnyText(condition) ? orUnknown(condition) : condition;
  if (condition.kind === 'cast') return withoutBooleanCast(condition, parts);
  if (condition.kind === 'call') return itemConditions(condition, kindOf) ?? condition;
  if (condition.kind !== 'binary') return condition;
  const { operator, left, right, at } = condition;
  const isDistinct = operator.endsWith('DISTINCT FROM');
  if (isDistinct && (isNull(left) || isNull(right))) {
    return {
      kind: 'is',
      operand: isNull(right) ? left : right,
      what: 'NULL',
      negated: operator === 'IS DISTINCT FROM',
      at,
    };
  }
  if (isDistinct && isNumber(right) && isRead(left) && isOfTexts(kindOf(left))) {
    const equal = inner({ ...condition, operator: '=' });
    return {
      kind: 'is',
      operand: equal,
      what: 'TRUE',
      negated: operator === 'IS DISTINCT FROM',
      at,
    };
  }
  const ofText = isEquality(operator) || isDistinct ? numberOfText(right) : undefined;
  if (ofText && isFloat(left, parts)) return inner({ ...condition, right: inFloat(ofText) });
  if (!comparisons.includes(operator)) return condition;
  const [decision, truth] = isTruth(right) ? [left, right] : [right, left];
  if (isEquality(operator) && isTruth(truth) && parts.typedOf(decision).type.name === 'BOOLEAN') {
    const isKept = (operator === '=') === (truth.text === 'TRUE');
    const decided = inner(decision);
    return negatedIf(!isKept, decided, at);
  }
  const cast = castOfText(condition, parts.typedOf);
  if (cast) return inner(cast);
  const [compared, number] = isNumber(right) ? [left, right] : [right, left];
  if (!isNumber(number)) return condition;
  const casted = castText(compared, kindOf);
  const operand = casted ?? compared;
  const kind = kindOf(operand);
  if (kind === 'float' && isEquality(operator))
    return { ...condition, left: operand, right: inFloat(number) };
  if (!isOfTexts(kind)) return isEquality(operator) ? condition : roundedBounds(condition, parts);
  if (!isRead(operand)) return condition;
  if (!isEquality(operator)) {
    // A text that is not a number sorts below all numbers (Druid: StringComparators.NUMERIC); the
    // result for a field is unknown.
    const isBelow = compared === left ? operator.startsWith('<') : operator.startsWith('>');
    const otherwise = operand.kind === 'identifier' ? isBelow : undefined;
    const withRead = (read: Expression): Expression => ({
      ...condition,
      ...(compared === left ? { left: read } : { right: read }),
    });
    return whereNumber(operand, decimalOf(operand), withRead, otherwise, kind);
  }
  if (!isWhole(number) && !casted && operand.kind !== 'identifier') return condition;
  const read = isExactDouble(number) ? decimalOf(operand) : longOf(operand);
  const equal = whereNumber(
    operand,
    read,
    (value) => ({
      kind: 'binary',
      operator: '=',
      left: value,
      right: number,
      at,
    }),
    unlikeNumbers(operand),
    kind,
  );
  return negatedIf(operator === '<>', equal, at);
}

// The bounds of longs are rounded to doubles (Druid: RangeFilter).
function roundedBounds<Comparison extends Between | Binary>(
  comparison: Comparison,
  { typedOf }: ComparedParts,
): Comparison {
  let isOfLong = false;
  const found = mapOperands(comparison, function rounded(part): Expression {
    if (!numberIn(part)) isOfLong ||= typedOf(part).type.name === 'BIGINT';
    else if (part.kind !== 'literal') return mapOperands(part, rounded);
    else if (part.type === 'integer' && BigInt(Number(part.text)) < 2n ** 63n)
      return { ...part, text: `${BigInt(Number(part.text))}` };
    return part;
  });
  return isOfLong ? (found as Comparison) : comparison;
}

const examined: ExaminedChains = new WeakSet();

// The planner turns a CASE into AND and OR if its results, and all conditions but the first, cannot
// fail (Calcite: RexSimplify.simplifyBooleanCase). It computes any other CASE as a value.
function isReduced(
  { whens, otherwise }: Case,
  kindOf: (expression: Expression) => Compared,
): boolean {
  const isOfText = (part: Expression, numbers: readonly Expression[]) =>
    numbers.every(isNumber) && isOfTexts(kindOf(part));
  const mayFail = (part: Expression): boolean => {
    switch (part.kind) {
      case 'cast':
        return true;
      case 'call':
        return !safeFunctions.has(part.name);
      case 'binary':
        return (
          part.operator === '/' ||
          part.operator === '%' ||
          isOfText(part.left, [part.right]) ||
          isOfText(part.right, [part.left])
        );
      case 'between':
        return isOfText(part.operand, [part.low, part.high]);
      case 'in':
        return isListed(part.among) && isOfText(part.operand, part.among);
      default:
        return false;
    }
  };
  const [first, ...more] = whens;
  return [first?.then, ...more.flatMap(({ when, then }) => [when, then]), otherwise].every(
    (part) => !part || !contains(part, mayFail),
  );
}

const safeFunctions: ReadonlySet<string> = new Set(['CEIL', 'COALESCE', 'FLOOR', 'NVL', 'TRIM']);

function mapConditions(condition: Case, inner: (part: Expression) => Expression): Case {
  const { whens, otherwise } = condition;
  return {
    ...condition,
    whens: condition.operand
      ? whens
      : whens.map(({ when, then }) => ({ when: inner(when), then: inner(then) })),
    ...(otherwise && { otherwise: inner(otherwise) }),
  };
}

// A text that is not a number is not between numbers. One number is enough for numbers.
function betweenNumbers(
  condition: Between,
  kindOf: (expression: Expression) => Compared,
): Expression {
  const { operand: tested, negated, symmetric, at } = condition;
  if (symmetric || !(isNumber(condition.low) || isNumber(condition.high))) return condition;
  const low = numberOfText(condition.low) ?? condition.low;
  const high = numberOfText(condition.high) ?? condition.high;
  if (!isNumber(low) || !isNumber(high)) return condition;
  const operand = castText(tested, kindOf) ?? tested;
  const kind = kindOf(operand);
  if (!isOfTexts(kind) || !isRead(operand)) return condition;
  const found = whereNumber(
    operand,
    decimalOf(operand),
    (number) => ({ ...condition, operand: number, low, high, negated: false }),
    false,
    kind,
  );
  return negatedIf(negated, found, at);
}

// A comparison of a CASE of constants with a constant: the planner reduces it to its conditions.
function withConditions<Comparison extends Between | Binary | In>(
  comparison: Comparison,
  inner: (part: Expression) => Expression,
): Comparison {
  const ofConstants = (part: Expression) =>
    part.kind === 'case' &&
    [...part.whens.map(({ then }) => then), ...(part.otherwise ? [part.otherwise] : [])].every(
      ({ kind }) => kind === 'literal',
    );
  return mapOperands(comparison, (part) =>
    part.kind === 'case' && ofConstants(part) ? mapConditions(part, inner) : part,
  ) as Comparison;
}

const isNull = (expression: Expression): boolean =>
  expression.kind === 'literal' && expression.type === 'null';

// `x LIKE '%'` is IS NOT NULL or unknown (Calcite: RexSimplify.simplifyLike): a row with a null
// among its values does not meet it.
function orUnknown({ operand, negated, at }: Like): Expression {
  const left: Expression = { kind: 'is', operand, what: 'NULL', negated: true, at };
  const any: Expression = { kind: 'binary', operator: 'OR', left, right: nullLiteral(at), at };
  return negatedIf(negated, any, at);
}

// The engine reads several values that are cast to BOOLEAN as numbers. A row that has several is
// null.
function longOfTruths(operand: Expression, { typedOf }: ComparedParts): Expression {
  if (operand.kind !== 'cast' || typeOfName(operand.type).name !== 'BOOLEAN') return operand;
  if (!typedOf(operand.operand).type.multiValue) return operand;
  return { ...operand, type: { ...operand.type, name: 'BIGINT' } };
}

function withoutBooleanCast(condition: Cast, parts: ComparedParts): Expression {
  const { operand, type, at } = condition;
  // The planner casts the branches of CASE instead.
  if (typeOfName(type).name !== 'BOOLEAN' || operand.kind === 'case') return condition;
  const kind = comparisonTypeOf(operand, parts);
  const { multiValue, isComputed } = parts.typedOf(operand).type;
  if (kind === 'text' || (multiValue && !isComputed)) {
    const left: Call = { kind: 'call', name: 'LOWER', nameAt: at, args: [operand], at };
    const right: Literal = { kind: 'literal', type: 'string', text: 'true', at };
    return { kind: 'binary', operator: '=', left, right, at };
  }
  if (kind !== 'double' && kind !== 'float') return condition;
  const zero: Literal = { kind: 'literal', type: 'integer', text: '0', at };
  return { kind: 'binary', operator: '>', left: operand, right: zero, at };
}

/** Whether an expression is a column, or a field of nested data, which is read like a column. */
export const isRead = (expression: Expression): boolean =>
  expression.kind === 'identifier' ||
  (expression.kind === 'call' &&
    expression.name === 'JSON_VALUE' &&
    expression.args[0]?.kind === 'identifier');

/**
 * Whether an expression is a field of a column of nested data, read as a text. Version 33 reads
 * lists of scalars too: WHERE finds that they are not null, and a scan shows them.
 */
export const isFieldOfTexts = (expression: Expression): expression is Call =>
  expression.kind === 'call' &&
  isRead(expression) &&
  (!expression.json?.returning || isText(typeOfName(expression.json.returning)));

const listOfTexts = ({ json, ...field }: Call): Call => ({
  ...field,
  json: {
    ...json,
    returning: { name: 'VARCHAR', native: false, array: true, at: field.at },
  },
});

// The text column of `CAST(column AS BIGINT)`: the engine compares the column itself.
function castText(
  expression: Expression,
  kindOf: (expression: Expression) => Compared,
): Expression | undefined {
  if (expression.kind !== 'cast' || !isRead(expression.operand)) return undefined;
  return isNumeric(typeOfName(expression.type)) && isOfTexts(kindOf(expression.operand))
    ? expression.operand
    : undefined;
}

function comparisonTypeOf(expression: Expression, { typedOf, isColumn }: ComparedParts): Compared {
  const { type, constant } = typedOf(expression);
  if (constant !== undefined || (isRead(expression) && !isColumn(expression))) return undefined;
  if (isText(type))
    return type.multiValue ? (expression.kind === 'identifier' ? 'texts' : undefined) : 'text';
  if (!isFractional(type) || type.name === 'DECIMAL') return undefined;
  return type.name === 'FLOAT' && isColumn(expression) ? 'float' : 'double';
}

// MV_CONTAINS and MV_OVERLAP of a column and constants as a list of equalities, of which all or one
// must hold.
function itemConditions(
  { name, args, at }: Call,
  kindOf: (expression: Expression) => Compared,
): Expression | undefined {
  const [column, wanted, more] = args;
  const isOfAny = name === 'MV_OVERLAP' || name === 'SCALAR_IN_ARRAY';
  const operator = name === 'MV_CONTAINS' ? 'AND' : isOfAny ? 'OR' : undefined;
  if (!operator || column?.kind !== 'identifier' || !wanted || more) return undefined;
  const items = wanted.kind === 'array' ? wanted.items : [wanted];
  const isItem = (item: Expression) =>
    item.kind === 'literal' && (item.type === 'string' || item.type === 'null');
  if (!items.every(isItem) || !['text', 'texts'].includes(kindOf(column) ?? '')) return undefined;
  return items
    .map(
      (item): Expression =>
        item.kind === 'literal' && item.type === 'null'
          ? { kind: 'is', operand: column, what: 'NULL', negated: false, at }
          : { kind: 'binary', operator: '=', isOfItems: true, left: column, right: item, at },
    )
    .reduce<Expression | undefined>(
      (all, one) =>
        all ? { kind: 'binary', operator, isOfItems: true, left: all, right: one, at } : one,
      undefined,
    );
}

// A text of a column that is not a number differs from all numbers; a field of nested data is
// unknown then.
const unlikeNumbers = (operand: Expression): false | undefined =>
  operand.kind === 'identifier' ? false : undefined;

const isOfTexts = (kind: Compared): boolean => kind === 'text' || kind === 'texts';

// The negation of a condition that has a negation itself: the planner moves NOT inwards, where two
// of them cancel (Calcite: RexSimplify.simplifyNot).
function withoutNots(condition: Expression): Expression | undefined {
  const inverse = withoutNot(condition);
  if (inverse || condition.kind !== 'binary') return inverse;
  const { operator, at } = condition;
  if (operator !== 'AND' && operator !== 'OR') return undefined;
  const parts = operator === 'AND' ? conjuncts(condition) : disjuncts(condition);
  if (!parts.some(withoutNot)) return undefined;
  return parts
    .map((part): Expression => withoutNot(part) ?? negatedIf(true, part, part.at))
    .reduce((left, right) => ({
      kind: 'binary',
      operator: operator === 'AND' ? 'OR' : 'AND',
      left,
      right,
      at,
    }));
}

// The negation without NOT of a negation, or of a comparison that is never unknown.
function withoutNot(part: Expression): Expression | undefined {
  if (part.kind === 'unary' && part.operator === 'NOT') return part.operand;
  if (part.kind !== 'binary') return undefined;
  if (part.operator === 'IS DISTINCT FROM') return { ...part, operator: 'IS NOT DISTINCT FROM' };
  if (part.operator === 'IS NOT DISTINCT FROM') return { ...part, operator: 'IS DISTINCT FROM' };
  return undefined;
}

// The planner turns an order between a number and several values around below NOT.
function turnedOrder(
  condition: Expression,
  kindOf: (expression: Expression) => Compared,
): Binary | undefined {
  const opposite = oppositeOf(condition);
  if (!opposite) return undefined;
  const { left, right } = opposite;
  const compared = isNumber(right) ? left : isNumber(left) ? right : undefined;
  if (!compared) return undefined;
  const kind = kindOf(castText(compared, kindOf) ?? compared);
  return kind === 'texts' ? opposite : undefined;
}

const comparisons = ['=', '<>', '<', '<=', '>', '>='];
const isEquality = (operator: string): boolean => operator === '=' || operator === '<>';

const isNumber = (expression: Expression): boolean => numberIn(expression) !== undefined;

const isWhole = (number: Expression): boolean => numberIn(number)?.type === 'integer';

// The planner casts a text to FLOAT where it is compared with one.
function numberOfText(text: Expression): Expression | undefined {
  const number = parsedText(text);
  return number === 'none' ? undefined : number;
}

const isFloat = (expression: Expression, { typedOf }: ComparedParts): boolean => {
  const { type, constant } = typedOf(expression);
  return type.name === 'FLOAT' && constant === undefined;
};

function inFloat(number: Expression): Expression {
  if (number.kind === 'unary') return { ...number, operand: inFloat(number.operand) };
  if (number.kind !== 'literal' || number.type === 'string' || isWhole(number)) return number;
  return { ...number, type: 'double', text: String(Math.fround(Number(number.text))) };
}

const longOf = (text: Expression): Expression => ({
  kind: 'call',
  name: 'PARSE_LONG',
  nameAt: text.at,
  args: [text],
  at: text.at,
});

// The number that java.math.BigDecimal parses: NaN, Infinity and spaces are not allowed.
function decimalOf(text: Expression): Expression {
  const { at } = text;
  const pattern: Literal = {
    kind: 'literal',
    type: 'string',
    text: String.raw`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`,
    at,
  };
  const isDecimal: Expression = {
    kind: 'call',
    name: 'REGEXP_LIKE',
    nameAt: at,
    args: [text, pattern],
    at,
  };
  return {
    kind: 'case',
    whens: [
      {
        when: isDecimal,
        then: {
          kind: 'cast',
          operand: text,
          type: { name: 'DOUBLE', native: false, array: false, at },
          safe: false,
          at,
        },
      },
    ],
    at,
  };
}

// Unknown for a null text. A text that is not a number yields `otherwise`, if given. Each of
// several values is tested.
function whereNumber(
  text: Expression,
  number: Expression,
  holds: (number: Expression) => Expression,
  otherwise: boolean | undefined,
  kind: Compared,
): Expression {
  const { at } = text;
  const each = kind === 'texts' ? { isOfItems: true as const } : {};
  const isKnown = (operand: Expression): Expression => ({
    kind: 'is',
    operand,
    what: 'NULL',
    negated: true,
    at,
  });
  const ofNumber = { when: isKnown(number), then: holds(number) };
  if (otherwise === undefined) return { kind: 'case', whens: [ofNumber], ...each, at };
  const whens = [ofNumber, { when: isKnown(text), then: truthLiteral(otherwise, at) }];
  return { kind: 'case', whens, ...each, at };
}
