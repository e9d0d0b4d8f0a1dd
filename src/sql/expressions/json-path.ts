// Paths into nested data: `$`, `.name`, `['name']`, `[0]`, `[-1]` (Druid: NestedPathFinder).

import { quote } from '../runtime/quoted.ts';
import { SqlError } from '../sql-error.ts';

export type PathPart = string | number;

/** Parses a path. Throws with the engine's message. The empty path is the whole value. */
export function parsePath(path: string): readonly PathPart[] {
  if (path === '') return [];
  if (path === '$.') return [];
  if (!path.startsWith('$')) throw badPath(path, "it must start with '$'");
  const parts: PathPart[] = [];
  let index = 1;
  while (index < path.length) {
    if (index > 1 && index === path.length - 1 && (path[index] === '.' || path[index] === '['))
      break; // a part that never matches
    if (path[index] === '.') {
      const match = /^\.([^.[]+)/.exec(path.slice(index));
      if (!match?.[1]) throw emptyPart(path);
      parts.push(match[1]);
      index += match[0].length;
    } else if (path[index] === '[') {
      const named = /^\['((?:[^'\\]|\\.|'(?!\]))*)'\]/.exec(path.slice(index));
      const bracket = named ?? /^\[([^\]]*)\]/.exec(path.slice(index));
      if (!bracket) throw badPath(path, "unterminated '['");
      const inside = bracket[1] ?? '';
      if (named && inside === '') throw emptyPart(path);
      if (named) parts.push(inside.replaceAll("\\'", "'"));
      else if (/^-?\d+$/.test(inside)) parts.push(Number(inside));
      else {
        throw badPath(
          path,
          `array specifier [${inside}] should be a number, it was not.  Use ' if this value was meant to be a field name`,
        );
      }
      index += bracket[0].length;
    } else throw badPath(path, `unexpected character [${path[index]}]`);
  }
  return parts;
}

const badPath = (path: string, reason: string) =>
  new SqlError(`JSONPath [${path}] is invalid, ${reason}`);

const emptyPart = (path: string) =>
  new SqlError(`jq path [${path}] is invalid, path parts separated by '.' must not be empty`);

/**
 * The path as a DuckDB literal. DuckDB's paths support negative indexes but neither names with
 * quotation marks or asterisks nor empty ones; JSON pointers support the reverse.
 */
export function pathText(parts: readonly PathPart[]): string {
  if (parts.some((part) => typeof part === 'string' && (part === '' || /["*]/.test(part)))) {
    return quote(
      parts.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    );
  }
  return quote(
    `$${parts.map((part) => (typeof part === 'string' ? `."${part}"` : part < 0 ? `[#${part}]` : `[${part}]`)).join('')}`,
  );
}
