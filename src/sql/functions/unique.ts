// Counting different values by the engine's own HyperLogLog.

import { castTo, mapped } from '../expressions/casts.ts';
import { isList } from '../expressions/multi-value.ts';
import type { Typed } from '../expressions/typed.ts';
import {
  bigint,
  complexType,
  double,
  isFractional,
  isInteger,
  isTime,
  type SqlType,
  varchar,
} from '../types.ts';
import { collect } from './aggregate.ts';

export const uniqueSketch: SqlType = complexType('hyperUnique');

type Over = (aggregate: string) => string;

/**
 * The estimate of how many different values there are, or of what sketches have counted: a double.
 */
export const uniqueEstimateText = (arg: Typed, over: Over): string =>
  arg.type.name === 'OTHER'
    ? `druid_unique_count(${uniqueUnionText(arg, over)})`
    : `druid_unique_estimate(${marksText([arg], over)})`;

/** The sketch of the different values of all arguments. */
export const uniqueSketchText = (args: readonly Typed[], over: Over): string =>
  `druid_unique(${marksText(args, over)})`;

/** The sketch of sketches. */
export const uniqueUnionText = (arg: Typed, over: Over): string =>
  `druid_unique_union(coalesce(${collect(arg.sql, over)}, []::BLOB[]))`;

/** The sketch of the rows of some values, each row as a whole. */
export function uniqueRowsText(args: readonly Typed[], over: Over): string {
  const types = args.map((arg) =>
    isList(arg)
      ? 'm'
      : isWhole(arg.type)
        ? 'l'
        : arg.type.name === 'FLOAT'
          ? 'f'
          : isFractional(arg.type)
            ? 'd'
            : 's',
  );
  const texts = args.map((arg) => {
    const text = castTo(isTime(arg.type) ? castTo(arg, bigint, 'UTC') : arg, varchar, 'UTC').sql;
    return isList(arg) ? `to_json(${text})::VARCHAR` : text;
  });
  const mark = `druid_unique_mark_of_row('${types.join('')}', [${texts.join(', ')}]::VARCHAR[])`;
  return `druid_unique(coalesce(${over(`list(DISTINCT ${mark})`)}, []::INTEGER[]))`;
}

const isWhole = (type: SqlType) => isInteger(type) || isTime(type) || type.name === 'BOOLEAN';

// The distinct marks of all values: there are fewer of them than of distinct values. The mark 0, of
// a null, sets nothing.
function marksText(args: readonly Typed[], over: Over): string {
  const lists = args.map((arg) => {
    const mark = isList(arg) ? mapped(castTo(arg, varchar, 'UTC').sql, markOfText) : markText(arg);
    const marks = over(`list(DISTINCT ${mark})`);
    return isList(arg) ? `list_distinct(flatten(${marks}))` : marks;
  });
  return `coalesce(${lists.length === 1 ? lists[0] : `flatten([${lists.join(', ')}]::INTEGER[][])`}, []::INTEGER[])`;
}

function markText(arg: Typed): string {
  if (isWhole(arg.type))
    return knownMark(`druid_unique_mark_of_long(${castTo(arg, bigint, 'UTC').sql})`);
  if (isFractional(arg.type))
    return knownMark(
      `druid_unique_mark_of_${arg.type.name === 'FLOAT' ? 'float' : 'double'}(${castTo(arg, double, 'UTC').sql})`,
    );
  return markOfText(castTo(arg, varchar, 'UTC').sql);
}

// The texts of a vector lie side by side where they have just been made: following a pointer to
// each of them would take longer than hashing it.
const markOfText = (text: string): string => knownMark(`druid_unique_mark(${text} || '')`);

// Lists of marks are read as they lie in memory, where a null has any value.
const knownMark = (mark: string): string => `coalesce(${mark}, 0)`;
