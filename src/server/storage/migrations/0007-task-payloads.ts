// Payloads in a table of their own: SQLite writes a row anew with every change of it, and a payload
// of many megabytes never changes.
export const taskPayloads = `
CREATE TABLE task_payloads (
  id TEXT PRIMARY KEY, -- of the task
  payload TEXT NOT NULL
) STRICT;
INSERT INTO task_payloads (id, payload) SELECT id, payload FROM tasks;
ALTER TABLE tasks DROP COLUMN payload`;
