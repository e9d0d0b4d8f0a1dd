// Names and texts in standard SQL, for both Druid and DuckDB.

/** A text literal: inner quotes are doubled. */
export const quotedText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A delimited identifier: any name, case-sensitive. */
export const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
