// Nested data as text: read, normalized, merged, walked. Numbers keep their digits.

import { doubleText } from '../../model/java-text.ts';
import { formatJson, parseJson } from '../../model/json.ts';

/** A JSON text as the engine prints it, or null for what is no JSON; `null` itself is null. */
export function normalizedJson(text: string): string | null {
  try {
    const value = parseJson(text);
    return value === null ? null : printed(text);
  } catch {
    return null;
  }
}

/** The same, but what is no JSON fails the query. */
export function strictJson(text: string): string | null {
  const normalized = normalizedJson(text);
  if (normalized === null && text.trim() !== 'null') throw new SyntaxError(`Function[parse_json] bad string input [${text}]`);
  return normalized;
}

// Blanks go, fractions are printed as Java prints doubles; the text decides whether a number is a fraction.
const printed = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\s+/g, (token) => {
    if (token.startsWith('"')) return token;
    if (/^\s/.test(token)) return '';
    if (/^-?\d+$/.test(token)) return token === '-0' ? '0' : token;
    return doubleText(Number(token));
  });

/** Later values replace earlier ones; objects are merged in depth. What is no JSON fails the query. */
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
    return parseJson(text);
  } catch {
    throw new SyntaxError(`Function[${name}] bad string input [${text}]`);
  }
}

function merged(first: unknown, second: unknown): unknown {
  if (!isObject(first) || !isObject(second)) return second;
  return { ...first, ...second };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const isNested = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** The paths of everything in a value that is no object and no array with objects or arrays in it, the nearest first. */
export function jsonPaths(text: string): string[] {
  const paths: string[] = [];
  let level: { readonly path: string; readonly value: unknown }[] = [{ path: '$', value: parseJson(text) }];
  while (level.length > 0) {
    const next: typeof level = [];
    for (const { path, value } of level) {
      if (Array.isArray(value) && !value.some(isNested)) paths.push(path);
      else if (Array.isArray(value)) next.push(...value.map((item: unknown, index) => ({ path: `${path}[${index}]`, value: item })));
      else if (isObject(value)) next.push(...Object.entries(value).map(([key, item]) => ({ path: path + step(key), value: item })));
      else paths.push(path);
    }
    level = next;
  }
  return paths;
}

const step = (key: string) => (/[.[\]'"]/.test(key) ? `['${key.replaceAll("'", "\\'")}']` : `.${key}`);
