// search (docs/querying/searchquery.md): the values of dimensions that look like something, and in how many rows they are.
import { eternity } from '../../model/interval.ts';
import { castTo } from '../casts.ts';
import { quoted } from '../duckdb-text.ts';
import { isList } from '../multi-value.ts';
import { resolveCondition, resolveExpression } from '../resolve-expression.ts';
import { type Scope, type Typed, withText } from '../typed.ts';
import { isText, varchar } from '../types.ts';
import { dimensionOf } from './dimensions.ts';
import { columnNamed } from './expressions.ts';
import { has, listIn, malformed, NOWHERE, nodeOf, wholeOr } from './members.ts';
import { orderingNamed, orderText } from './ordering.ts';
import { type QueryParts, scopeOf, segmentsOf, whereOf } from './query-parts.ts';
import { searchCondition } from './search-query.ts';
import type { SearchStatement } from './statement.ts';

/** @throws SqlError for a query that cannot be */
export function search(parts: QueryParts): SearchStatement {
  const { query, source } = parts;
  if (!has(query, 'query')) throw malformed('Must specify a query');
  const wanted = nodeOf(query.query, 'query');
  const limit = wholeOr(query, 'limit', 1000);
  const given = has(query, 'searchDimensions') ? listIn(query, 'searchDimensions', (each) => each) : [];
  const dimensions = given.length > 0 ? given : source.columns.filter(({ type }) => isText(type)).map(({ name }) => name);
  const selects = dimensions.map((dimension) => selectOf(parts, dimension, (value) => condition(value, wanted, parts)));
  const ordering = orderingNamed(has(query, 'sort') ? nodeOf(query.sort, 'sort').type : 'lexicographic');
  const order = [...orderText('"value"', ordering), '"dimension"'].map((text) => `${text} ASC NULLS FIRST`);
  const rows = selects.join(' UNION ALL ') || 'SELECT NULL::VARCHAR AS "dimension", NULL::VARCHAR AS "value", 0 AS "count" WHERE false';
  return {
    kind: 'search',
    sql: `SELECT "dimension", "value", "count" FROM (${rows}) ORDER BY ${order.join(', ')} LIMIT ${limit > 0 ? limit : 1000}`,
    time: Math.max(segmentsOf(parts)[0]?.interval.start ?? parts.intervals[0]?.start ?? eternity.start, eternity.start),
  };
}

function selectOf(parts: QueryParts, given: unknown, conditionOf: (value: Typed) => string): string {
  const scope = scopeOf(parts);
  const { name, expression } = dimensionOf(given, scope);
  const value = resolveExpression(expression, scope);
  const text =
    value.type.name === 'ARRAY' || value.type.name === 'OTHER'
      ? { ...withText(value, 'NULL::VARCHAR'), type: varchar }
      : castTo(value, varchar, 'UTC');
  // A row counts once for each of its values.
  const values = isList(text) ? `unnest(druid_set(druid_values(${text.sql})))` : text.sql;
  const where = whereOf(parts, scope);
  const rows = `SELECT ${values} AS "value" FROM ${scope.text(parts.intervals)}${where}`;
  const matching = conditionOf({ type: varchar, sql: '"value"', at: NOWHERE });
  return `SELECT ${quoted(name)} AS "dimension", "value", count(*) AS "count" FROM (${rows}) WHERE ${matching} GROUP BY "value"`;
}

function condition(value: Typed, wanted: Parameters<typeof searchCondition>[1], { environment }: QueryParts): string {
  const scope: Scope = { ...nothingElse, environment, column: () => value };
  return resolveCondition(searchCondition(columnNamed('value'), wanted), scope).sql;
}

const misplaced = (): never => {
  throw malformed('A search looks at texts only');
};
const nothingElse = { subquery: misplaced, exists: misplaced, inQuery: misplaced, quantified: misplaced, aggregate: misplaced };
