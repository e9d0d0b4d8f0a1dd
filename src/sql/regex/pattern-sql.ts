// Java's regular expressions as DuckDB text, run by DuckDB's RE2.
import { quote } from '../runtime/quoted.ts';
import { SqlError } from '../sql-error.ts';
import { type JavaPattern, parseJavaPattern } from './java-pattern.ts';
import { groupedText } from './java-regex.ts';
import { PatternError } from './pattern-error.ts';
import { groupsIn, type Replacement } from './replacement.ts';

/** Whether a pattern matches anywhere in a text, as DuckDB text. Throws SqlError. */
export function matchSql(x: string, pattern: string, functionName: string): string {
  const { body, endsAtLine, lineEnd, size } = readPattern(pattern, functionName, true);
  const text = quote(endsAtLine ? `${body}${lineEnd}\\z` : body);
  return size <= smallProgram
    ? `regexp_matches(${x}, ${text})`
    : `druid_matches_large(${x}, ${text})`;
}

/** Whether a pattern matches a text as a whole. Throws SqlError. */
export function wholeMatchSql(x: string, pattern: string, functionName: string): string {
  const { body, size } = readPattern(pattern, functionName, false);
  return size <= smallProgram
    ? `regexp_full_match(${x}, ${quote(body)})`
    : `druid_matches_whole_large(${x}, ${quote(body)})`;
}

/** A group of the first match, or null. Throws SqlError. */
export function groupSql(x: string, pattern: string, group: string, functionName: string): string {
  const java = readPattern(pattern, functionName, false);
  const { text, shift } = groupedText(java);
  const index = Number(group);
  const place = index + shift;
  const inTypeScript = `druid_regexp_extract(${x}, ${quote(pattern)}, ${group})`;
  const isCertain = index === 0 || java.certain.has(index);
  // RE2 does not distinguish a group that did not participate from an empty one.
  if (!isCertain || place > mostGroups) return inTypeScript;
  const large = java.size <= smallProgram ? '' : '_large';
  const isFilled = index === 0 ? !java.matchesEmpty : java.filled.has(index);
  return `druid_match_${isFilled ? 'text' : 'group'}${large}(${x}, ${quote(text)}, ${place})`;
}

/** Replaces every match. `pattern` and `replacement` are known during planning. Throws SqlError. */
export function replaceSql(
  x: string,
  pattern: string,
  replacement: string,
  functionName: string,
): string {
  const java = readPattern(pattern, functionName, false);
  const { text, shift } = groupedText(java);
  const parts = replacementOf(replacement, java);
  // RE2 skips an empty match directly after another match, Java does not. An invalid group only
  // fails where there is a match.
  const isSame =
    parts &&
    !java.matchesEmpty &&
    shift === 0 &&
    parts.every((part) => typeof part === 'string' || part <= mostGroups);
  if (!isSame) return `druid_regexp_replace(${x}, ${quote(pattern)}, ${quote(replacement)})`;
  const growth = parts.reduce<number>(
    (sum, part) => sum + (typeof part === 'string' ? part.length * 3 : 1),
    1,
  );
  return `druid_replace_matches(${x}, ${quote(text)}, ${quote(re2Replacement(parts))}, ${growth}, ${quote(pattern)}, ${quote(replacement)})`;
}

/** The refusal of an invalid pattern. `reason` is Java's message. */
export class InvalidPattern extends SqlError {
  readonly reason: string;
  constructor(pattern: string, functionName: string, reason: string) {
    super(
      `An invalid pattern [${visiblePattern(pattern)}] was provided for the ${functionName} function, error: [${reason}]`,
    );
    this.reason = reason;
  }
}

/** Parses a pattern that is known during planning. Throws SqlError with the engine's message. */
export function readPattern(
  pattern: string,
  functionName: string,
  consumesLineEnds = false,
): JavaPattern {
  try {
    return parseJavaPattern(pattern, consumesLineEnds);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new InvalidPattern(pattern, `[${functionName}]`, error.message);
  }
}

/** The text that a Java pattern stands for; undefined if it may match anything else. */
export const plainTextOf = (pattern: string): string | undefined =>
  /^(?:[\w\s,;:/@%&=<>!~'"`\u0080-\uffff-]|\\[^\w\s])*$/.test(pattern)
    ? pattern.replace(/\\(.)/g, '$1')
    : undefined;

// RE2 runs programs up to this size over some thousand rows instantly. Larger ones run in query
// processes, which can be killed.
const smallProgram = 250;
const mostGroups = 9; // highest group that DuckDB's functions support

const longestShown = 200;
const visiblePattern = (pattern: string) =>
  pattern.length <= longestShown ? pattern : `${pattern.slice(0, longestShown)}...`;

function replacementOf(replacement: string, java: JavaPattern): Replacement | undefined {
  try {
    return groupsIn(replacement, java);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const re2Replacement = (parts: Replacement): string =>
  parts
    .map((part) => (typeof part === 'string' ? part.replaceAll('\\', '\\\\') : `\\${part}`))
    .join('');
