// Native aggregators that take the value of one row: the first, the last, or any.

import { bindOutside, lambda } from '../expressions/bind-once.ts';
import { castTo, constantOf, toDouble } from '../expressions/casts.ts';
import { long } from '../expressions/duckdb-text.ts';
import type { Typed } from '../expressions/typed.ts';
import { pairedType, pairTime } from '../pairs.ts';
import { boolean, isText, type SqlType, timestamp, varchar } from '../types.ts';
import {
  type AggregatorContext,
  constant,
  field,
  isTextual,
  type Kind,
  numberField,
  type Over,
  type PickedRow,
  resolveCall,
  type Value,
} from './aggregator-kind.ts';
import type { MergeRanks } from './fold-aggregator.ts';
import { NOWHERE, type Node, textIn, textOr, truthOr, wholeOr } from './members.ts';
import { floatText } from './native-values.ts';

/** The first or the last value of a type, by time. */
export const atTime =
  (name: 'EARLIEST_BY' | 'LATEST_BY', type: SqlType): Kind =>
  (node, context, over) => {
    const timeColumn = textOr(node, 'timeColumn', '__time');
    const time = { ...context.scope.column([timeColumn], NOWHERE), type: timestamp };
    const isTimed = context.scope.has(timeColumn);
    const isFirst = name === 'EARLIEST_BY';
    // A descending query reads the rows of the same time from the last to the first.
    const isForwards = context.merging.order === 'ascending';
    const order = isForwards ? {} : { order: `(-${context.scope.place()})` };
    const value = isTimed
      ? firstOf(name, node, type, [time], context, over, order)
      : edgeOf(isFirst === isForwards ? 'first' : 'last', node, type, context, over);
    const [edge, none] = isFirst ? ['min', '4611686018427387903'] : ['max', '-4611686018427387904'];
    const read = field(node, context);
    const stamp = pairedType(read.type) ? pairTime(read.sql, time.sql) : isTimed ? time.sql : '0';
    return { ...value, isPair: true, time: `coalesce(${over(`${edge}(${stamp})`)}, ${none})` };
  };

/**
 * The value of the first row, even if it is null. By vectors, a text has no number, even if it is
 * one.
 */
export const anyOf =
  (type: SqlType): Kind =>
  (node, context, over, conditions) => {
    const isByVectors = context.scope.environment.isByVectors === true;
    if (!isText(type) && isByVectors && isTextual(field(node, context)))
      return { type, sql: over(`any_value(NULL::${type.name})`) };
    const { starts, order, ranks } = context.merging;
    if (ranks) return anyOfRanked(ranks, node, type, context, over, conditions);
    return starts.length > 1
      ? anyOfSegments(node, type, context, over, conditions)
      : edgeOf(order === 'ascending' ? 'first' : 'last', node, type, context, over);
  };

// The first segment with rows of the group decides, even if none of its rows meets the conditions.
// With very many segments, the first row that meets the conditions decides.
function anyOfSegments(
  node: Node,
  type: SqlType,
  context: AggregatorContext,
  over: Over,
  conditions: readonly string[],
): Value {
  const { starts, order, segments } = context.merging;
  const time = context.scope.column(['__time'], NOWHERE);
  const isLast = order === 'descending';
  const name = isLast ? 'LATEST_BY' : 'EARLIEST_BY';
  const found = firstOf(name, node, type, [{ ...time, type: timestamp }], context, over);
  const isShown = segments > 1; // also a segment of which no row passes the filter of the query
  if ((conditions.length === 0 && !isShown) || starts.length > mostStarts) return found;
  const edge = `${isLast ? 'max' : 'min'}(${time.sql})`;
  const shownEdge = isLast ? starts.at(-1) : starts[0];
  const sql = bindOutside(
    [isShown ? long(BigInt(shownEdge ?? 0)) : edge, over(edge), found.sql],
    ([all = '', own = '', value = '']) => {
      const [from, to] = isLast ? [own, all] : [all, own];
      const between = lambda((start) => `${start} > ${from} AND ${start} <= ${to}`);
      return `CASE WHEN len(list_filter([${starts.join(', ')}]::BIGINT[], ${between})) = 0 THEN ${value} END`;
    },
  );
  return { type, sql };
}

const mostStarts = 1000;

// As `anyOfSegments`, of segments in the order in which they are merged.
function anyOfRanked(
  { ofSegments, shown }: MergeRanks,
  node: Node,
  type: SqlType,
  context: AggregatorContext,
  over: Over,
  conditions: readonly string[],
): Value {
  const { scope, merging } = context;
  const segment = scope.segment();
  const rank = `[${ofSegments.join(', ')}][${segment} + 1]`;
  const time = scope.column(['__time'], NOWHERE).sql;
  const place = `${rank} * ${timesApart} ${merging.order === 'ascending' ? '+' : '-'} ${time}`;
  const isShown = shown && `[${shown.join(', ')}][${segment} + 1]`;
  const among: Over = isShown
    ? (aggregate) => `${aggregate} FILTER (WHERE ${[...conditions, isShown].join(' AND ')})`
    : over;
  const key: Typed = { type: timestamp, sql: `(${place})`, at: NOWHERE };
  const found = firstOf('EARLIEST_BY', node, type, [key], context, among);
  if (isShown || conditions.length === 0) return found;
  const sql = `CASE WHEN min(${rank}) = ${over(`min(${rank})`)} THEN ${found.sql} END`;
  return { type, sql };
}

const timesApart = '9007199254740992::BIGINT'; // more milliseconds than times have

// The value of the first or the last row, in the order of the rows.
const edgeOf = (
  edge: 'first' | 'last',
  node: Node,
  type: SqlType,
  context: AggregatorContext,
  over: Over,
): Value => firstOf('ANY_VALUE', node, type, [], context, over, { anyIs: edge });

function firstOf(
  name: string,
  node: Node,
  type: SqlType,
  times: readonly Typed[],
  context: AggregatorContext,
  over: Over,
  given: PickedRow = {},
): Value {
  if (!isText(type) && pairedType(field(node, context).type) !== type) {
    const number = selectedNumber(node, type, context);
    return { type, sql: resolveCall(name, [number, ...times], context, over, given).sql };
  }
  const value = field(node, context);
  const text =
    value.computedText !== undefined && (name === 'ANY_VALUE' || pairedType(value.type) !== type)
      ? { ...value, sql: value.computedText, type: varchar }
      : value.type.name === 'ARRAY' || value.type.name === 'OTHER'
        ? value
        : value.type.name === 'FLOAT'
          ? floatAsText(node, value)
          : castTo(value, varchar, 'UTC');
  const bytes = BigInt(wholeOr(node, 'maxStringBytes', 1024));
  const each =
    name === 'ANY_VALUE' && !truthOr(node, 'aggregateMultipleValues', true)
      ? [{ ...constantOf(false, boolean, NOWHERE), isLiteral: true as const }]
      : [];
  return {
    type,
    sql: resolveCall(name, [text, ...times, constant(bytes), ...each], context, over, given).sql,
  };
}

// The first and the last value of a FLOAT are read as DOUBLE.
const floatAsText = (node: Node, value: Typed): Typed =>
  node.type === 'stringAny' ? floatText(value) : castTo(toDouble(value, 'UTC'), varchar, 'UTC');

// Without vectors, the first, last and any number of a stored text is 0, even that of its nulls.
function selectedNumber(node: Node, type: SqlType, context: AggregatorContext): Typed {
  const { scope, intervals } = context;
  const name = textIn(node, 'fieldName');
  const isComputed = scope.virtualColumns.includes(name);
  const isOfDictionary = scope.isStoredText(name) || (!isComputed && scope.isDictionary(name));
  if (!isOfDictionary || scope.environment.isByVectors) return numberField(node, type, context);
  const zero = castTo(constant(0n), type, 'UTC');
  const isFilled = scope.isFilledHere(name, intervals);
  return {
    type,
    sql: isFilled === undefined ? zero.sql : `CASE WHEN ${isFilled} THEN ${zero.sql} END`,
    at: NOWHERE,
  };
}
