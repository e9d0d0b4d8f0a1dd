// The first rows of a result as JSON text: numbers keep the digits they were written with.
export const statementSample = `ALTER TABLE statement_results ADD COLUMN sample TEXT NOT NULL DEFAULT '[]'`;
