// Conditions of HAVING on keys alone, which the planner moves into WHERE (Calcite: FilterAggregateTransposeRule). This shows where a key has several
// values: WHERE takes a row of which one value meets the condition, and then all values of the row make groups.
import { isPlainAggregate } from './aggregate-call.ts';
import type { Expression, Grouping, Select } from './ast.ts';
import { identifyIn, isGroupingCall } from './group.ts';
import type { Source } from './relation.ts';
import { conjuncts, fingerprint, mapOperands } from './rewrite.ts';
import { expandAliases, expandOrdinal, type NamedItem } from './select-items.ts';

/** The SELECT with the conditions of HAVING moved into WHERE that are on keys of each grouping set, one of which has several values. */
export function withConditionsBelow(
  select: Select,
  items: readonly NamedItem[],
  source: Source,
  hasSeveralValues: (key: Expression) => boolean,
): Select {
  const { groupBy, having, where } = select;
  if (!groupBy || !having) return select;
  const identify = identifyIn(source);
  const printOf = (expression: Expression) => fingerprint(expression, identify);
  const keys = new Map(keysOfEachSet(groupBy, items, printOf).map((key) => [printOf(key), key]));
  const several = new Set([...keys].filter(([, key]) => hasSeveralValues(key)).map(([print]) => print));
  if (several.size === 0) return select;
  const [moved, rest]: [Expression[], Expression[]] = [[], []];
  for (const condition of conjuncts(expandAliases(having, items, isPlainAggregate))) {
    const used = keysIn(condition, (part) => {
      const print = printOf(part);
      return keys.has(print) ? print : undefined;
    });
    (used?.some((print) => several.has(print)) ? moved : rest).push(condition);
  }
  if (moved.length === 0) return select;
  const { having: _, ...others } = select;
  const below = allOf([...(where ? [where] : []), ...moved]);
  const above = allOf(rest);
  return { ...others, ...(below && { where: below }), ...(above && { having: above }) };
}

const allOf = (conditions: readonly Expression[]): Expression | undefined =>
  conditions.reduce<Expression | undefined>(
    (left, right) => (left ? { kind: 'binary', operator: 'AND', left, right, at: left.at } : right),
    undefined,
  );

// The keys that an expression is made of; undefined where it needs more than keys and constants.
function keysIn(expression: Expression, keyOf: (part: Expression) => string | undefined): readonly string[] | undefined {
  const key = keyOf(expression);
  if (key !== undefined) return [key];
  if (['identifier', 'subquery', 'exists', 'star'].includes(expression.kind) || isPlainAggregate(expression)) return undefined;
  if (expression.kind === 'call' && (expression.over || isGroupingCall(expression.name) || expression.args.length === 0)) return undefined;
  const keys: (readonly string[] | undefined)[] = [];
  mapOperands(expression, (operand) => {
    keys.push(keysIn(operand, keyOf));
    return operand;
  });
  return keys.some((part) => part === undefined) ? undefined : keys.flatMap((part) => part ?? []);
}

function keysOfEachSet(
  groupings: readonly Grouping[],
  items: readonly NamedItem[],
  printOf: (expression: Expression) => string,
): readonly Expression[] {
  return groupings.flatMap((grouping): readonly Expression[] => {
    switch (grouping.kind) {
      case 'expression':
        return [expandOrdinal(grouping.expression, items)];
      case 'set':
        return grouping.items.map((item) => expandOrdinal(item, items));
      case 'sets': {
        const [first = [], ...others] = grouping.items.map((item) => keysOfEachSet([item], items, printOf));
        return first.filter((key) => others.every((set) => set.some((other) => printOf(other) === printOf(key))));
      }
      default:
        return []; // ROLLUP and CUBE have a set without keys
    }
  });
}
