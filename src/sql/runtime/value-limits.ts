// Bounds of single values that functions make. DuckDB makes a text in one go, outside of its memory
// limit and without a place to interrupt it.

/**
 * The longest text that a function makes, in bytes; of a function in TypeScript in UTF-16 units.
 */
export const longestText = 10_000_000;

/** The longest list that a function makes, in elements. */
export const longestList = 1_000_000;

/**
 * How deep nested data may be nested to be read and printed; Jackson's limit, which the real engine
 * reads with.
 */
export const deepestJson = 1000;

/**
 * More than a function may make or take. The engine refuses the query as one that exceeds a
 * resource limit.
 */
export class LimitExceeded extends Error {}

/**
 * The refusal of a text that a function, named as in Druid's expressions (`repeat`), would have
 * made too long.
 */
export const textTooLong = (functionName: string): LimitExceeded =>
  new LimitExceeded(
    `Function[${functionName}] makes texts of at most [${longestText}] characters. Make it work on shorter texts.`,
  );

/** The refusal of a list that a function would have made too long. */
export const listTooLong = (functionName: string): LimitExceeded =>
  new LimitExceeded(
    `Function[${functionName}] makes arrays of at most [${longestList}] elements. Make it work on shorter arrays.`,
  );

/** The refusal of nested data with too many levels. */
export const nestedTooDeeply = (): LimitExceeded =>
  new LimitExceeded(`Nested data has more than [${deepestJson}] levels. Make it less deep.`);
