// Regular expressions in RE2's syntax, matched in JavaScript in time linear in the text. The door
// to re2js.
import { RE2JS } from 're2js';

export interface LinearMatch {
  readonly start: number; // in UTF-16 units
  readonly end: number;
  /** The text of a group, 0 for the whole match; null for a group that took no part. */
  group(index: number): string | null;
}

export interface LinearRegex {
  /** Whether the pattern matches anywhere in a text. */
  matchesIn(text: string): boolean;
  /** Whether the pattern matches a text as a whole. */
  matchesAll(text: string): boolean;
  /**
   * The matches one after the other. One of nothing is followed by the next one a character later,
   * as in Java.
   */
  matchesOf(text: string): Generator<LinearMatch>;
}

/** Compiles a pattern. Throws an Error with RE2's words for a text that is not one. */
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
