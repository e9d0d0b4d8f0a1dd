// Long lists of constants. DuckDB takes at least 15 microseconds to parse each constant of a
// statement, so IN with a million constants takes 15 s. As rows parsed from JSON and looked up in a
// hash table, they take less than a second.

import { quote } from '../runtime/quoted.ts';
import { duckdbTypeOf, type SqlType } from '../types.ts';
import { jsonTexts } from './json-constants.ts';
import type { Constant } from './typed.ts';

// DuckDB unnests one list of a million values more slowly than a hundred lists of ten thousand.
const itemsInPiece = 10_000;

/**
 * A query (without parentheses) whose rows are the constants; undefined if a constant has no JSON
 * form.
 */
export function rowsOfConstants(
  items: readonly (Constant | undefined)[],
  type: SqlType,
): string | undefined {
  const texts = jsonTexts(items);
  if (!texts) return undefined;
  const pieces: string[] = [];
  for (let from = 0; from < texts.length; from += itemsInPiece)
    pieces.push(`(${quote(`[${texts.slice(from, from + itemsInPiece).join(',')}]`)})`);
  return `SELECT unnest(from_json("json", '["${duckdbTypeOf(type)}"]')) FROM (VALUES ${pieces.join(', ')}) AS "pieces"("json")`;
}
