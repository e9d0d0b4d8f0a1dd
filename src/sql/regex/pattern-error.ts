// Refusals of patterns.

/**
 * A text that is not a valid pattern, or a pattern that needs more than linear time. The message
 * includes the position; `at` counts characters from 0.
 */
export class PatternError extends Error {
  constructor(reason: string, at: number) {
    super(`${reason} near index ${at}`);
  }
}
