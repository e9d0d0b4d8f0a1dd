// Distinct counts by the engine's own HyperLogLog.

import { markLimit } from '../../sketches/unique-collector.ts';
import { bitsText } from '../expressions/bit-range.ts';
import { castTo, mapList } from '../expressions/casts.ts';
import { isList } from '../expressions/multi-value.ts';
import type { Environment, Typed } from '../expressions/typed.ts';
import { knownMark, textMark } from '../expressions/unique-marks.ts';
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
 * The estimated number of distinct values, of plain values or of sketches: a double. The Broker
 * also counts a value that a sketch loses when it is sent, such as the empty text.
 */
export function uniqueEstimateText(
  arg: Typed,
  over: Over,
  { isOnBroker, window }: Pick<Environment, 'isOnBroker' | 'window'> = {},
): string {
  if (arg.type.name === 'OTHER') return `druid_unique_count(${uniqueUnionText(arg, over)})`;
  const suffix = isOnBroker ? '_on_broker' : '';
  // DuckDB computes a value of all rows once if it is not a list
  if (window === 'all' && !isList(arg))
    return `druid_unique_estimate_of_bits${suffix}((${over(`bitstring_agg(${markText(arg)}, 0, ${markLimit - 1})`)})::BLOB)`;
  if (arg.distinctRows)
    return `druid_unique_estimate(${marksOfDistinctRows(arg, arg.distinctRows)})`;
  const range = window === undefined ? arg.bits?.() : undefined;
  if (range && arg.mark)
    return `druid_unique_estimate_of_bits${suffix}(${bitsText(markText(arg), range, over)})`;
  if (range && isInteger(arg.type) && !isOnBroker)
    return `druid_unique_estimate_of_longs(${bitsText(castTo(arg, bigint, 'UTC').sql, range, over)}, ${range.least}::BIGINT)`;
  return `druid_unique_estimate${suffix}(${marksText([arg], over, window !== undefined)})`;
}

interface SketchPlace {
  readonly isOnBroker?: boolean; // the sketch is not sent, and keeps all values
}

const sketchOf = (marks: string, { isOnBroker }: SketchPlace) =>
  `druid_unique${isOnBroker ? '_on_broker' : ''}(${marks})`;

/** The sketch of the distinct values of all arguments. */
export const uniqueSketchText = (
  args: readonly Typed[],
  over: Over,
  place: SketchPlace = {},
): string => sketchOf(marksText(args, over), place);

/** The union of sketches. */
export const uniqueUnionText = (arg: Typed, over: Over): string =>
  `druid_unique_union(coalesce(${collect(arg.sql, over)}, []::BLOB[]))`;

/** The sketch of rows: the arguments of a row count as one value. */
export function uniqueRowsText(
  args: readonly Typed[],
  over: Over,
  place: SketchPlace = {},
): string {
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
  return sketchOf(`coalesce(${over(`list(DISTINCT ${mark})`)}, []::INTEGER[])`, place);
}

const isWhole = (type: SqlType) => isInteger(type) || isTime(type) || type.name === 'BOOLEAN';

// The distinct marks of all values, which are fewer than the distinct values. The mark 0 of a null
// sets no register.
function marksText(args: readonly Typed[], over: Over, isWindow = false): string {
  const lists = args.map((arg) => {
    // Each row of a window would have a list of texts
    if (isRepeated(arg) && !arg.mark && !isWindow) return marksOfDistinct(arg, over);
    const mark = isList(arg) ? mapList(castTo(arg, varchar, 'UTC').sql, textMark) : markText(arg);
    const marks = `coalesce(${over(`list(DISTINCT ${mark})`)}, ${isList(arg) ? '[]::INTEGER[][]' : '[]::INTEGER[]'})`;
    return isList(arg) ? `list_distinct(flatten(${marks}))` : marks;
  });
  return lists.length === 1 ? lists.join('') : `flatten([${lists.join(', ')}]::INTEGER[][])`;
}

// Texts of a column repeat, and finding the distinct ones takes less time than hashing each. They
// occupy more memory than marks, and may be long, so the table is small.
const isRepeated = (arg: Typed) =>
  arg.type.name === 'VARCHAR' && !isList(arg) && (arg.tableRows ?? mostRows + 1) <= mostRows;

const mostRows = 100_000;

const marksOfDistinct = (arg: Typed, over: Over) =>
  mapList(
    `coalesce(${over(`list(DISTINCT ${castTo(arg, varchar, 'UTC').sql})`)}, []::VARCHAR[])`,
    textMark,
  );

// Of numbers that DuckDB finds without hashing them.
const marksOfDistinctRows = (arg: Typed, distinctRows: (value: string) => string) =>
  mapList(
    `(SELECT coalesce(list(v), []::BIGINT[]) FROM ${distinctRows(castTo(arg, bigint, 'UTC').sql)})`,
    (item) => markText({ type: bigint, sql: item, at: arg.at }),
  );

function markText(arg: Typed): string {
  if (isWhole(arg.type))
    return knownMark(`druid_unique_mark_of_long(${castTo(arg, bigint, 'UTC').sql})`);
  if (isFractional(arg.type))
    return knownMark(
      `druid_unique_mark_of_${arg.type.name === 'FLOAT' ? 'float' : 'double'}(${castTo(arg, double, 'UTC').sql})`,
    );
  return arg.mark ? knownMark(arg.mark()) : textMark(castTo(arg, varchar, 'UTC').sql);
}
