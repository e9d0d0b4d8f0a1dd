// Long lists of constants. DuckDB takes 15 microseconds and more to read each constant of a
// statement, so that IN with a million of them takes 15 s. As the rows of a query, which are read
// from JSON and looked up in a hash table, they take less than a second.

import { quote } from '../runtime/quoted.ts';
import { duckdbTypeOf, type SqlType } from '../types.ts';
import { jsonTexts } from './json-constants.ts';
import type { Constant } from './typed.ts';

// DuckDB unnests a list of a million values more slowly than a hundred lists of ten thousand.
const itemsInPiece = 10_000;

/**
 * A query (without parentheses) whose rows are the constants; undefined where one of them cannot be
 * said in JSON.
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
