// Nested data as text: parsing, normalizing, merging and traversal. Numbers keep their digits.

import { chain, hashCodeOf, inHashOrder } from '../../model/java-hash.ts';
import { depthOf } from '../../model/json.ts';
import { formatNested, type Nested, readNested } from './nested-data.ts';
import { deepestJson, longestText, textTooLong } from './value-limits.ts';

/**
 * A JSON text in the engine's format, or null for invalid JSON and for `null` itself. Text after
 * the value is ignored.
 */
export function normalizeJson(text: string): string | null {
  try {
    return print(text);
  } catch {
    return null;
  }
}

/** As `normalizedJson`, but invalid JSON fails the query. */
export const strictJson = (text: string): string | null =>
  failingFor('parse_json', text, () => print(text));

/**
 * The first value of a JSON text if it is an object, and an object without fields for another
 * value; null for invalid JSON. A byte order mark is skipped. Half a surrogate pair becomes a
 * question mark, as in Java's UTF-8.
 */
export function objectInJson(text: string): string | null {
  try {
    const value = readJson(withoutHalfPairs(text.replace(/^\ufeff/, '')));
    return value instanceof Map ? formatNested(value) : '{}';
  } catch {
    return null;
  }
}

// Each match is one escape or one pair, so that half a pair is found only alone.
const withoutHalfPairs = (text: string): string =>
  text.replace(
    /\\u[dD][89abAB]..\\u[dD][c-fC-F]..|(\\u[dD][89a-fA-F][\da-fA-F]{2})|\\./g,
    (found, half?: string) => (half ? '?' : found),
  );

function print(text: string): string | null {
  const value = readJson(text);
  return value === 'null' ? null : formatNested(value);
}

// JSON that is nested too deeply is refused as invalid, as by the engine's parser.
function readJson(text: string): Nested {
  if (depthOf(text) > deepestJson) throw new SyntaxError('nested too deeply');
  return readNested(text);
}

/**
 * Merges JSON texts: objects recursively, lists by concatenation; other values replace earlier
 * ones. Any null makes the result null. With `omitsNulls`, as before version 37, only a null in
 * front does, and later ones are left out. Invalid JSON and values that cannot be merged fail the
 * query.
 */
export function mergeJson(texts: readonly (string | null)[], omitsNulls: boolean): string | null {
  let result: Nested | undefined;
  for (const text of texts) {
    if (text === null && (result === undefined || !omitsNulls)) return null;
    if (text === null) continue;
    const before = result;
    result = failingFor('json_merge', text, () => mergeInto(before, readJson(text)));
  }
  return result === undefined ? null : formatNested(result);
}

function mergeInto(first: Nested | undefined, second: Nested): Nested {
  if (first === undefined) return second;
  if (second === 'null') return first;
  if (kindOf(first) !== kindOf(second)) throw new SyntaxError('another kind of value');
  return merge(first, second);
}

function merge(first: Nested | undefined, second: Nested): Nested {
  if (Array.isArray(first) && Array.isArray(second)) return [...first, ...second];
  if (!(first instanceof Map && second instanceof Map)) return second;
  const both = new Map(first);
  for (const [key, value] of second) both.set(key, merge(first.get(key), value));
  return both;
}

const kindOf = (value: Nested) =>
  typeof value === 'string' ? 'scalar' : value instanceof Map ? 'object' : 'list';

function failingFor<Result>(name: string, text: string, read: () => Result): Result {
  try {
    return read();
  } catch {
    throw new SyntaxError(`Function[${name}] bad string input [${previewText(text)}]`);
  }
}

const longestShown = 1000;
const previewText = (text: string) =>
  text.length <= longestShown ? text : `${text.slice(0, longestShown)}...`;

/**
 * The paths of all leaves of a value: scalars, and arrays of scalars. They have the order of Java's
 * sets, as in the engine. Throws LimitExceeded.
 */
export function jsonPaths(text: string): string[] {
  const leaves: Path[] = [];
  let size = 0;
  let level: NestedValue[] = [
    { path: { text: '$', hash: 1 }, value: failingFor('json_paths', text, () => readJson(text)) },
  ];
  while (level.length > 0) {
    const next: NestedValue[] = [];
    for (const { path, value } of level) {
      const found: Path[] = [];
      const add = (part: string, partHash: number, item: Nested) => {
        const inner = { text: path.text + part, hash: chain(path.hash, chain(1, partHash)) };
        size += inner.text.length;
        if (size > longestText) throw textTooLong('json_paths');
        if (typeof item === 'string') found.push(inner);
        else next.push({ path: inner, value: item });
      };
      if (Array.isArray(value) && value.some((item) => typeof item !== 'string'))
        for (const [index, item] of value.entries()) add(`[${index}]`, index, item);
      else if (value instanceof Map)
        for (const [key, item] of value) add(step(key), hashCodeOf(key), item);
      else found.push(path);
      leaves.push(...inHashOrder(found, hashOfPath));
    }
    level = next;
  }
  return inHashOrder(leaves, hashOfPath).map((path) => path.text);
}

// `hash` is the hash code of a java.util.List of the path's parts.
type Path = { readonly text: string; readonly hash: number };
type NestedValue = { readonly path: Path; readonly value: Nested };

const hashOfPath = ({ hash }: Path) => hash;

const step = (key: string) =>
  /[.[\]'"]/.test(key) ? `['${key.replaceAll("'", "\\'")}']` : `.${key}`;
