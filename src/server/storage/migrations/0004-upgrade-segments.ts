// Segments appended under a REPLACE lock. They move to the version that the lock's task publishes.
export const upgradeSegments = `
CREATE TABLE upgrade_segments (
  lock_id INTEGER NOT NULL REFERENCES task_locks (id) ON DELETE CASCADE,
  segment_id TEXT NOT NULL,
  PRIMARY KEY (lock_id, segment_id)
) STRICT, WITHOUT ROWID`;
