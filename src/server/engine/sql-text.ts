// How DuckDB's SQL writes names and texts.

/** A text literal. No text of DuckDB's holds a NUL. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''").replaceAll('\0', '')}'`;

/** An identifier. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""').replaceAll('\0', '')}"`;
