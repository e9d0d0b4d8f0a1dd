// The mark that tells failures in our words from failures in DuckDB's, of which a caller hears
// nothing: DuckDB keeps nothing of an error but its text.

/** Begins the text of each failure that a macro or a function of ours causes. */
export const ownWords = 'svcctl: ';

/** Begins what follows them where the engine does not do what a query asks for. */
export const unsupportedWords = 'unsupported: ';

/** Begins what follows them where a row shows that a result cannot be written. */
export const unwritableWords = 'unwritable: ';

/** A call that fails a query with this text, as DuckDB text. `text` is a DuckDB text, too. */
export const failureSql = (text: string): string => `error('${ownWords}' || ${text})`;
