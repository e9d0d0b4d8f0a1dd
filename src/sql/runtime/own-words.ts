// Prefix that distinguishes our error messages from DuckDB's, which are not shown to callers.
// DuckDB preserves only the text of an error.

/** Prefix of each error message raised by our macros and functions. */
export const ownWords = 'svcctl: ';

/** Second prefix of errors for features that the engine does not support. */
export const unsupportedWords = 'unsupported: ';

/** Second prefix of errors for rows that a result cannot represent. */
export const unwritableWords = 'unwritable: ';

/** Second prefix of errors for values that a statement cannot have in their place. */
export const invalidWords = 'invalid: ';

/** Second prefix of errors that the engine reports without a class, as an exception of its own. */
export const unexpectedWords = 'unexpected: ';

/** Classes of the engine's exceptions, which failures of a query name. */
export const failureClasses = {
  arithmetic: 'java.lang.ArithmeticException',
  cast: 'java.lang.ClassCastException',
  illegalArgument: 'java.lang.IllegalArgumentException',
  noNumber: 'java.lang.NumberFormatException',
  state: 'org.apache.druid.java.util.common.ISE',
  textIndex: 'java.lang.StringIndexOutOfBoundsException',
} as const;

/** Second prefix of errors that the engine reports as an exception of a class. */
export const classWords = (name: keyof typeof failureClasses): string => `${name}: `;

/**
 * A DuckDB call that fails a query with this message. `text` is DuckDB text too; `exception` names
 * the class of the engine's exception.
 */
export const failureSql = (text: string, exception?: keyof typeof failureClasses): string =>
  `error('${ownWords}${exception ? classWords(exception) : ''}' || ${text})`;
