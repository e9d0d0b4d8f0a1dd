// Regular expressions in RE2 syntax, matched in time linear in the text. Adapter for re2js.
import { RE2JS } from 're2js';

export interface LinearMatch {
  readonly start: number; // in UTF-16 units
  readonly end: number;
  /** The text of a group, 0 for the whole match; null for an unmatched group. */
  group(index: number): string | null;
}

export interface LinearRegex {
  /** Whether the pattern matches part of a text. */
  matchesIn(text: string): boolean;
  /** Whether the pattern matches a whole text. */
  matchesAll(text: string): boolean;
  /**
   * The matches in order. After an empty match, the search continues one character later, as in
   * Java.
   */
  matchesOf(text: string): Generator<LinearMatch>;
}

/** Compiles a pattern. Throws an Error with RE2's message for an invalid one. */
export function linearRegex(pattern: string): LinearRegex {
  const compiled = RE2JS.compile(pattern);
  return {
    matchesIn: (text) => compiled.test(text),
    matchesAll: (text) => compiled.testExact(text),
    *matchesOf(text) {
      const matcher = compiled.matcher(text);
      while (matcher.find())
        yield {
          start: matcher.start(),
          end: matcher.end(),
          group: (index) => matcher.group(index),
        };
    },
  };
}
