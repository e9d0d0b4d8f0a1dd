// Size limits of single values that functions return. DuckDB builds a text in one step, outside its
// memory limit and without a chance to interrupt it.

/**
 * The longest text that a function may return, in bytes; for functions in TypeScript, in UTF-16
 * units.
 */
export const longestText = 10_000_000;

/** The longest list that a function may return, in elements. */
export const longestList = 1_000_000;

/** The deepest nesting of nested data; Jackson's limit in the real engine. */
export const deepestJson = 1000;

/** A value exceeds a limit. The engine refuses the query with a resource limit error. */
export class LimitExceeded extends Error {}

/**
 * The refusal of a text that would be too long. The function is named as in Druid's expressions
 * (`repeat`).
 */
export const textTooLong = (functionName: string): LimitExceeded =>
  new LimitExceeded(
    `Function[${functionName}] returns texts of at most [${longestText}] characters. Use shorter arguments.`,
  );

/** The refusal of a list that would be too long. */
export const listTooLong = (functionName: string): LimitExceeded =>
  new LimitExceeded(
    `Function[${functionName}] returns arrays of at most [${longestList}] elements. Use shorter arguments.`,
  );

/** The refusal of nested data with too many levels. */
export const nestedTooDeeply = (): LimitExceeded =>
  new LimitExceeded(`Nested data has more than [${deepestJson}] levels. Reduce its depth.`);
