// Texts in the syntax of SQL.
import { quotedText } from '../../model/sql-text.ts';

/** A DuckDB text literal. DuckDB does not accept the character 0, which is left out. */
export const quote = (text: string): string => quotedText(text.replaceAll('\0', ''));
