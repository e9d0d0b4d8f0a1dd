// Names of resources as regular expressions, matched in time that is linear in the name, whatever
// the pattern.
import { compileWhole } from '../../sql/regex/java-regex.ts';
import { PatternError } from '../../sql/regex/pattern-error.ts';

export type Matches = (name: string) => boolean;

/**
 * A matcher for the whole text (java.util.regex.Matcher.matches; a dot matches no line break).
 * Returns undefined for an invalid pattern. Look-around and back references count as invalid,
 * because they have no known linear-time algorithm.
 */
export function compilePattern(pattern: string): Matches | undefined {
  try {
    const compiled = compileWhole(pattern);
    return (name) => compiled.matchesAll(name);
  } catch (error) {
    if (error instanceof PatternError) return undefined;
    throw error;
  }
}
