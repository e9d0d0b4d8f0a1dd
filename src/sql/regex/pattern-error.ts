// Refusals of patterns.

/**
 * A text that is not a pattern, or one that needs more than linear time. The message says where:
 * `at` counts characters from 0.
 */
export class PatternError extends Error {
  constructor(reason: string, at: number) {
    super(`${reason} near index ${at}`);
  }
}
