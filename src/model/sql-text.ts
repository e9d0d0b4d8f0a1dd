// Names and texts as standard SQL writes them, which Druid and DuckDB both read.

/** A text literal: quotes inside of it are doubled. */
export const quotedText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A delimited identifier: any name, in its exact case. */
export const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
