// Payloads in a separate table: SQLite rewrites a row on every change, and a payload of many
// megabytes never changes.
export const taskPayloads = `
CREATE TABLE task_payloads (
  id TEXT PRIMARY KEY, -- of the task
  payload TEXT NOT NULL
) STRICT;
INSERT INTO task_payloads (id, payload) SELECT id, payload FROM tasks;
ALTER TABLE tasks DROP COLUMN payload`;
