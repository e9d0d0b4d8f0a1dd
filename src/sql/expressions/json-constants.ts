// Constants as JSON, which DuckDB parses much faster than constants of a statement.
import type { Constant } from './typed.ts';

/** Shorter lists are written as SQL literals. */
export const leastLongList = 500;

/** The JSON of each constant; undefined if any constant has no JSON form. */
export function jsonTexts(items: readonly (Constant | undefined)[]): readonly string[] | undefined {
  const texts: string[] = [];
  for (const item of items) {
    if (typeof item === 'string') texts.push(JSON.stringify(item.replace(loneSurrogate, '\ufffd')));
    else if (
      item === null ||
      typeof item === 'bigint' ||
      typeof item === 'boolean' ||
      Number.isFinite(item)
    )
      texts.push(String(item));
    else return undefined;
  }
  return texts;
}

// DuckDB refuses half of a surrogate pair.
const loneSurrogate = /\p{Surrogate}/gu;
