// Having specs (docs/querying/having.md), which filter groups.
import { bindOnce } from '../expressions/bind-once.ts';
import { castTo } from '../expressions/casts.ts';
import { doubleNumber } from '../expressions/duckdb-text.ts';
import { failureSql } from '../runtime/own-words.ts';
import { double, isText } from '../types.ts';
import { resolveFilter } from './filter.ts';
import { has, kindOf, listOr, type Node, nodeOf, numberIn, textIn } from './members.ts';
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

const compare =
  (operator: string): Kind =>
  (node, scope) => {
    // Without a value or an aggregation, no group is compared.
    if (!has(node, 'value') || !has(node, 'aggregation')) return 'false';
    const value = finalOf(textIn(node, 'aggregation'), scope);
    const number = isText(value.type) ? numberOfText(value.sql) : castTo(value, double, 'UTC').sql;
    return falseIfNull(`${number} ${operator} ${doubleNumber(numberIn(node, 'value'))}`);
  };

// A text that is not a number fails the query.
const numberOfText = (text: string) =>
  bindOnce(
    [text],
    ([x]) =>
      `CASE WHEN ${x} IS NOT NULL THEN coalesce(TRY_CAST(${x} AS DOUBLE), ${failureSql(`'For input string: "' || ${x} || '"'`)}::DOUBLE) END`,
  );

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
  filter: (node, scope) => resolveFilter(node.filter, scope).sql,
  dimSelector: (node, scope) =>
    falseIfNull(
      resolveFilter(
        {
          type: 'selector',
          dimension: node.dimension,
          value: node.value,
          extractionFn: node.extractionFn,
        },
        scope,
      ).sql,
    ),
  and: joinConditions('AND', 'true'),
  or: joinConditions('OR', 'false'),
  not: (node, scope) => `(NOT ${havingText(node.havingSpec, scope)})`,
};
