// Names of resources as regular expressions, matched in time that grows with the name and not with the pattern's cunning. The door to re2js.
import { RE2JS } from 're2js';

export type Matches = (name: string) => boolean;

/**
 * What a pattern matches as a whole (java.util.regex.Matcher.matches; a dot matches no line break). Returns undefined for one that does not
 * compile; look-around and references back to groups are among these, because no linear time is known for them.
 */
export function compilePattern(pattern: string): Matches | undefined {
  try {
    const compiled = RE2JS.compile(pattern);
    return (name) => compiled.testExact(name);
  } catch {
    return undefined;
  }
}
