// Names of resources as regular expressions, matched in time that grows with the name and not with
// the pattern's cunning.
import { compiledWhole } from '../../sql/regex/java-regex.ts';
import { PatternError } from '../../sql/regex/pattern-error.ts';

export type Matches = (name: string) => boolean;

/**
 * What a pattern matches as a whole (java.util.regex.Matcher.matches; a dot matches no line break).
 * Returns undefined for one that does not compile; look-around and references back to groups are
 * among these, because no linear time is known for them.
 */
export function compilePattern(pattern: string): Matches | undefined {
  try {
    const compiled = compiledWhole(pattern);
    return (name) => compiled.matchesAll(name);
  } catch (error) {
    if (error instanceof PatternError) return undefined;
    throw error;
  }
}
