// What was appended while a task holds a REPLACE lock there, and goes on to the version that the
// task publishes.
export const upgradeSegments = `
CREATE TABLE upgrade_segments (
  lock_id INTEGER NOT NULL REFERENCES task_locks (id) ON DELETE CASCADE,
  segment_id TEXT NOT NULL,
  PRIMARY KEY (lock_id, segment_id)
) STRICT, WITHOUT ROWID`;
