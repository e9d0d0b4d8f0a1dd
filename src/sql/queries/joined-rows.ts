// Rows of a join below a sort. The planner sorts them unless a projection comes between.
import type { Expression, From, Select } from '../ast.ts';
import { numberIn } from '../expressions/compared-column.ts';
import { contains } from '../expressions/rewrite.ts';
import { allColumns, findColumn, type Source } from '../resolution/relation.ts';
import { isFractional } from '../types.ts';
import { decidedConstants } from './decided-constants.ts';

/**
 * A function that replaces columns by the values that WHERE names for them, as the planner does in
 * a projection of joined rows. The `fields` are what the projection yields. Columns in the order of
 * the joined rows, among them all that WHERE and ON read, need no projection.
 */
export function decidedAboveJoin(
  { from, where }: Select,
  fields: readonly Expression[],
  source: Source,
): (expression: Expression) => Expression {
  const on = from && conditionsIn(from);
  if (!on || !where) return (expression) => expression;
  const all = allColumns(source);
  const placeOf = (expression: Expression): number | undefined => {
    if (expression.kind !== 'identifier') return undefined;
    const column = findColumn(source, expression.names, expression.at);
    return column && all.indexOf(column);
  };
  const places = [...new Set(fields.map(placeOf))];
  const isMissing = (part: Expression) => {
    const place = placeOf(part);
    return place !== undefined && !places.includes(place);
  };
  const isInOrder = places.every((place = -1, index) => place > (places[index - 1] ?? -1));
  if (isInOrder && ![where, ...on].some((condition) => contains(condition, isMissing)))
    return (expression) => expression;
  const decide = decidedConstants(where, source);
  return (expression) => {
    const decided = decide(expression);
    const number = numberIn(decided);
    const type = all[placeOf(expression) ?? -1]?.type;
    // A text is cast to be compared with a number, and a long with a fraction.
    const isLong = type?.name === 'BIGINT' && number?.type === 'integer';
    return type && number && !isLong && !isFractional(type) ? expression : decided;
  };
}

// The conditions of ON in a join; undefined with listed rows, whose columns are all kept.
function conditionsIn(from: From): readonly Expression[] | undefined {
  if (from.kind === 'derived') return from.query.body.kind === 'values' ? undefined : [];
  if (from.kind !== 'join') return [];
  const [left, right] = [conditionsIn(from.left), conditionsIn(from.right)];
  return left && right && [left, right, from.on ?? []].flat();
}
