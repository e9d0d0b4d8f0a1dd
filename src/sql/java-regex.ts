// Java's regular expressions: DuckDB's RE2 runs what both read alike, JavaScript the rest (lookaround, back references).
import { SqlError } from './sql-error.ts';

/** Whether RE2 understands a pattern as Java does. */
export const isPlainPattern = (pattern: string): boolean =>
  !/\(\?[=!>]|\(\?<[=!]|\\[1-9kKZGXRhHvVN]|[*+?}]\+|&&|\\p\{(?!(?:L|Lu|Ll|N|Nd|P|S|Z)\})|\{\d{4,}|\$./.test(pattern);

/** The pattern compiled for JavaScript, kept for the next row. Throws SyntaxError for what is no pattern. */
export function compiled(pattern: string, flags = ''): RegExp {
  const key = `${flags}/${pattern}`;
  const known = cache.get(key);
  if (known) return known;
  const inline = /^\(\?([ismx]+)\)/.exec(pattern);
  const body = translated(inline ? pattern.slice(inline[0].length) : pattern);
  const all = new Set([...flags, ...(inline?.[1] ?? '').replaceAll('x', ''), 'u']);
  const regex = tryCompile(body, [...all].join('')) ?? new RegExp(body, [...all].filter((flag) => flag !== 'u').join(''));
  if (cache.size < 1000) cache.set(key, regex);
  return regex;
}

const cache = new Map<string, RegExp>();

function tryCompile(body: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(body, flags);
  } catch {
    return undefined;
  }
}

// What Java writes otherwise: possessive quantifiers and atomic groups lose their haste, quotations are escaped.
function translated(pattern: string): string {
  return pattern
    .replace(/\\Q([\s\S]*?)(?:\\E|$)/g, (_, text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    .replace(/([*+?}])\+/g, '$1')
    .replaceAll('(?>', '(?:')
    .replaceAll('\\z', '$(?![\\s\\S])')
    .replaceAll('\\Z', '(?=\\n?$(?![\\s\\S]))')
    .replaceAll('\\A', '(?<![\\s\\S])')
    .replaceAll('\\h', '[ \\t\\u00a0\\u1680\\u180e\\u2000-\\u200a\\u202f\\u205f\\u3000]')
    .replaceAll('\\p{Alpha}', '[a-zA-Z]')
    .replaceAll('\\p{Digit}', '[0-9]')
    .replaceAll('\\p{Alnum}', '[a-zA-Z0-9]')
    .replaceAll('\\p{Upper}', '[A-Z]')
    .replaceAll('\\p{Lower}', '[a-z]')
    .replaceAll('\\p{Punct}', '[!-/:-@\\[-`{-~]')
    .replaceAll('\\p{Space}', '\\s');
}

/** Refuses what is no pattern, in the engine's words. */
export function checkPattern(pattern: string, functionName: string): void {
  try {
    compiled(pattern);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SqlError(`An invalid pattern [${pattern}] was provided for the [${functionName}] function, error: [${reason}]`);
  }
}

/** A group of the first match, or null; group 0 is the whole match. */
export function extractMatch(text: string, pattern: string, group: number): string | null {
  const match = compiled(pattern).exec(text);
  if (!match) return null;
  if (group < 0 || group >= match.length) throw new RangeError(`No group ${group}`);
  return match[group] ?? null;
}

/** Every match replaced; `$1` in the replacement is a group, a backslash takes the next character as it is. Throws RangeError for a group that is none. */
export function replaceMatches(text: string, pattern: string, replacement: string): string {
  return text.replace(compiled(pattern, 'g'), (...match: readonly unknown[]) => {
    const groups = match.slice(
      0,
      match.findIndex((part) => typeof part === 'number'),
    ); // the position of the match follows them
    return replacement.replace(/\\(.)|\$(\d?)/gs, (_, literal: string | undefined, group: string | undefined) => {
      if (literal !== undefined) return literal;
      if (!group) throw new RangeError('Illegal group reference: group index is missing');
      if (Number(group) >= groups.length) throw new RangeError(`No group ${group}`);
      return String(groups[Number(group)] ?? '');
    });
  });
}

/** Whether RE2 can do a replacement: it names only groups that the pattern has. */
export function isPlainReplacement(replacement: string, pattern: string): boolean {
  const count = new RegExp(`${compiled(pattern).source}|`).exec('')?.length ?? 1;
  return [...replacement.matchAll(/\\.|\$(\d?)/gs)].every(([, group]) => group === undefined || (group !== '' && Number(group) < count));
}

/** Java's replacement as RE2 writes it. */
export const re2Replacement = (replacement: string): string =>
  replacement.replace(/\\(.)|\$(\d)/gs, (_, literal: string | undefined, group: string | undefined) =>
    literal === undefined ? `\\${group}` : literal === '\\' ? '\\\\' : literal,
  );

/** Splits at every match, as Java does: what is empty at the end is dropped; the empty pattern splits between characters. */
export function splitText(text: string, pattern: string): string[] {
  if (text === '') return [''];
  const parts: string[] = [];
  let start = 0;
  for (const match of text.matchAll(compiled(pattern, 'g'))) {
    if (match[0] === '' && (match.index === 0 || match.index === text.length)) continue;
    if (match.index === 0 && match[0] === '') continue;
    parts.push(text.slice(start, match.index));
    start = match.index + match[0].length;
  }
  parts.push(text.slice(start));
  const isCut = parts.length > 1;
  while (isCut && parts.at(-1) === '') parts.pop();
  return parts;
}
