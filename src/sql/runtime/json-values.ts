// Nested data as text: read, normalized, merged, walked. Numbers keep their digits.

import { doubleText } from '../../model/java-text.ts';
import { depthOf, endOfString, formatJson, parseJson } from '../../model/json.ts';
import { deepestJson, longestText, textTooLong } from './value-limits.ts';

/** A JSON text as the engine prints it, or null for what is not JSON; `null` itself is null. */
export function normalizedJson(text: string): string | null {
  try {
    const value = readJson(text);
    return value === null ? null : printed(text);
  } catch {
    return null;
  }
}

/** The same, but what is not JSON fails the query. */
export function strictJson(text: string): string | null {
  const normalized = normalizedJson(text);
  if (normalized === null && text.trim() !== 'null')
    throw new SyntaxError(`Function[parse_json] bad string input [${shown(text)}]`);
  return normalized;
}

// Too deep a text is refused as one that is not JSON, which is how the engine's parser has it.
function readJson(text: string): unknown {
  if (depthOf(text) > deepestJson) throw new SyntaxError('nested too deeply');
  return parseJson(text);
}

const longestShown = 1000;
const shown = (text: string) =>
  text.length <= longestShown ? text : `${text.slice(0, longestShown)}...`;

// Blanks go, fractions are printed as Java prints doubles; the text decides whether a number is a
// fraction. The text is JSON already.
function printed(text: string): string {
  const parts: string[] = [];
  const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
  const blanks = /\s+/y;
  let copied = 0;
  let at = 0;
  const replace = (end: number, by: string) => {
    parts.push(text.slice(copied, at), by);
    copied = end;
    at = end;
  };
  while (at < text.length) {
    const sign = text.charAt(at);
    if (sign === '"') at = endOfString(text, at);
    else if (' \n\r\t'.includes(sign)) {
      blanks.lastIndex = at;
      blanks.test(text);
      replace(blanks.lastIndex, '');
    } else if (sign === '-' || (sign >= '0' && sign <= '9')) {
      number.lastIndex = at;
      const [token = ''] = number.exec(text) ?? [];
      if (/^-?\d+$/.test(token) && token !== '-0') at += token.length;
      else replace(at + token.length, token === '-0' ? '0' : doubleText(Number(token)));
    } else at++;
  }
  parts.push(text.slice(copied));
  return parts.join('');
}

/**
 * Later values replace earlier ones; objects are merged in depth. What is not JSON fails the query.
 */
export function mergedJson(texts: readonly (string | null)[]): string | null {
  let result: unknown;
  for (const text of texts) {
    if (text === null) return null;
    result = merged(result, readFor('json_merge', text));
  }
  return formatJson(result);
}

function readFor(name: string, text: string): unknown {
  try {
    return readJson(text);
  } catch {
    throw new SyntaxError(`Function[${name}] bad string input [${shown(text)}]`);
  }
}

function merged(first: unknown, second: unknown): unknown {
  if (!isObject(first) || !isObject(second)) return second;
  return { ...first, ...second };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isNested = (value: unknown): boolean => typeof value === 'object' && value !== null;

/**
 * The paths of all leaves of a value, breadth first: scalars, and arrays of scalars. Throws
 * LimitExceeded.
 */
export function jsonPaths(text: string): string[] {
  const paths: string[] = [];
  let size = 0;
  let level: { readonly path: string; readonly value: unknown }[] = [
    { path: '$', value: readFor('json_paths', text) },
  ];
  while (level.length > 0) {
    const next: typeof level = [];
    const add = (path: string, value: unknown) => {
      size += path.length;
      if (size > longestText) throw textTooLong('json_paths');
      next.push({ path, value });
    };
    for (const { path, value } of level) {
      if (Array.isArray(value) && value.some(isNested))
        for (const [index, item] of value.entries()) add(`${path}[${index}]`, item);
      else if (isObject(value))
        for (const [key, item] of Object.entries(value)) add(path + step(key), item);
      else paths.push(path);
    }
    level = next;
  }
  return paths;
}

const step = (key: string) =>
  /[.[\]'"]/.test(key) ? `['${key.replaceAll("'", "\\'")}']` : `.${key}`;
