// First rows of a result as JSON text: numbers keep their original digits.
export const statementSample = `ALTER TABLE statement_results ADD COLUMN sample TEXT NOT NULL DEFAULT '[]'`;
