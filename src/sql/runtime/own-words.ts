// Prefix that distinguishes our error messages from DuckDB's, which are not shown to callers.
// DuckDB preserves only the text of an error.

/** Prefix of each error message raised by our macros and functions. */
export const ownWords = 'svcctl: ';

/** Second prefix of errors for features that the engine does not support. */
export const unsupportedWords = 'unsupported: ';

/** Second prefix of errors for rows that a result cannot represent. */
export const unwritableWords = 'unwritable: ';

/** Second prefix of errors for constants that no literal can have. */
export const illiteralWords = 'no literal: ';

/** A DuckDB call that fails a query with this message. `text` is DuckDB text too. */
export const failureSql = (text: string): string => `error('${ownWords}' || ${text})`;
