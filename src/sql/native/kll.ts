// KLL sketches in native queries: the aggregators KllDoublesSketch and KllFloatsSketch, and
// post-aggregators of their sketches.
import { isKllK, kllWidth } from '../../sketches/kll.ts';
import { castTo, toDouble } from '../expressions/casts.ts';
import { isList } from '../expressions/multi-value.ts';
import type { Typed } from '../expressions/typed.ts';
import { collect } from '../functions/aggregate.ts';
import { complexType, double, isText, type SqlType } from '../types.ts';
import { malformed } from './members.ts';

/** The aggregators, and the bits per value. */
export const kllKinds: Readonly<
  Record<string, { readonly type: SqlType; readonly width: 32 | 64 }>
> = {
  KllDoublesSketch: { type: complexType('KllDoublesSketch'), width: kllWidth('KllDoublesSketch') },
  KllFloatsSketch: { type: complexType('KllFloatsSketch'), width: kllWidth('KllFloatsSketch') },
};

/**
 * DuckDB text of the sketch of a column of numbers or of sketches. Throws SqlError for an invalid
 * size.
 */
export function kllText(
  arg: Typed,
  k: number,
  width: 32 | 64,
  over: (aggregate: string) => string,
): string {
  if (!isKllK(k)) throw malformed(`[k] is [${k}], but must be between 8 and 65535`);
  const settings = `${k}::BIGINT, ${width}::BIGINT`;
  if (arg.type.name === 'OTHER')
    return `druid_kll_union(coalesce(${collect(arg.sql, over)}, []::BLOB[]), ${settings})`;
  const known = (sql: string) => `coalesce(${sql}, 'nan'::DOUBLE)`; // which does not count
  const number = (isText(arg.type) ? castTo(arg, double, 'UTC') : toDouble(arg, 'UTC')).sql;
  const listed = isList(arg)
    ? `list_transform(flatten(${collect(number, over)}), lambda item: ${known('item')})`
    : collect(known(number), over);
  return `druid_kll(coalesce(${listed}, []::DOUBLE[]), ${settings})`;
}
