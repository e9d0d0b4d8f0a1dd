// Java's regular expressions as functions on texts, matched by RE2.
import { type LinearMatch, type LinearRegex, linearRegex } from '../../model/linear-regex.ts';
import { listTooLong, longestList, longestText, textTooLong } from '../runtime/value-limits.ts';
import { type JavaPattern, parseJavaPattern } from './java-pattern.ts';
import { groupsIn, type Replacement } from './replacement.ts';

/**
 * A group of the first match, or null. Group 0 is the whole match. Throws RangeError for a group
 * that the pattern does not have.
 */
export function extractMatch(text: string, pattern: string, group: number): string | null {
  const { regex, java, shift } = compile(pattern);
  for (const match of regex.matchesOf(text)) {
    if (group < 0 || group > java.groups) throw new RangeError(`No group ${group}`);
    return match.group(group + shift);
  }
  return null;
}

/**
 * Replaces every match. In the replacement, `$1` and `${name}` are groups, and a backslash escapes
 * the next character (Matcher.replaceAll). Throws RangeError for a group that the pattern does not
 * have, LimitExceeded for a result that is too long.
 */
export function replaceMatches(text: string, pattern: string, replacement: string): string {
  const { regex, java, shift } = compile(pattern);
  let parts: Replacement | undefined;
  const result: string[] = [];
  let size = 0;
  const add = (part: string) => {
    size += part.length;
    if (size > longestText) throw textTooLong('regexp_replace');
    result.push(part);
  };
  let end = 0;
  for (const match of regex.matchesOf(text)) {
    parts ??= groupsIn(replacement, java);
    add(text.slice(end, match.start));
    for (const part of parts)
      add(typeof part === 'string' ? part : (match.group(part + shift) ?? ''));
    end = endOf(match, shift);
  }
  add(text.slice(end));
  return result.join('');
}

/**
 * Splits at every match. Empty texts at the end are dropped; the empty pattern splits between
 * characters (String.split).
 */
export function splitText(text: string, pattern: string): string[] {
  if (text === '') return [''];
  const { regex, shift } = compile(pattern);
  const parts: string[] = [];
  let start = 0;
  for (const match of regex.matchesOf(text)) {
    const end = endOf(match, shift);
    if (end === match.start && (end === 0 || end === text.length)) continue;
    if (parts.length >= longestList) throw listTooLong('string_to_array');
    parts.push(text.slice(start, match.start));
    start = end;
  }
  const isCut = parts.length > 0;
  parts.push(text.slice(start));
  while (isCut && parts.at(-1) === '') parts.pop();
  return parts;
}

/** A compiled pattern for whole texts. Throws PatternError. */
export const compileWhole = (pattern: string): LinearRegex =>
  linearRegex(parseJavaPattern(pattern, false).body);

interface Compiled {
  readonly java: JavaPattern;
  readonly regex: LinearRegex;
  /**
   * 1 if an added first group wraps everything except the line terminator that a `$` leaves out.
   */
  readonly shift: 0 | 1;
}

const endOf = (match: LinearMatch, shift: 0 | 1): number =>
  shift === 0 ? match.end : match.start + (match.group(1)?.length ?? 0);

// Each may cache some megabytes of matcher states.
const mostCompiled = 16;
const cache = new Map<string, Compiled>();

function compile(pattern: string): Compiled {
  const known = cache.get(pattern);
  if (known) return known;
  const java = parseJavaPattern(pattern, false);
  const { text, shift } = groupedText(java);
  const made: Compiled = { java, regex: linearRegex(text), shift };
  const [oldest] = cache.keys();
  if (cache.size >= mostCompiled && oldest !== undefined) cache.delete(oldest);
  cache.set(pattern, made);
  return made;
}

/** The pattern with its groups, for RE2. If `shift` is 1, the first group is an added one. */
export const groupedText = ({
  body,
  endsAtLine,
  lineEnd,
}: JavaPattern): { readonly text: string; readonly shift: 0 | 1 } =>
  endsAtLine ? { text: `(${body})${lineEnd}\\z`, shift: 1 } : { text: body, shift: 0 };
