// The first format of the metadata store. Times are milliseconds since 1970 unless a name says
// otherwise; JSON is text.
export const firstFormat = `
CREATE TABLE schemas (
  fingerprint TEXT PRIMARY KEY, -- of the columns: segments of one datasource mostly share one
  columns TEXT NOT NULL -- [{name, type, multiValue}]
) STRICT;

CREATE TABLE segments (
  id TEXT PRIMARY KEY,
  datasource TEXT NOT NULL,
  start_ms INTEGER NOT NULL,
  end_ms INTEGER NOT NULL,
  version TEXT NOT NULL,
  partition_num INTEGER NOT NULL,
  used INTEGER NOT NULL,
  used_status_last_updated_ms INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  num_rows INTEGER NOT NULL,
  path TEXT, -- below the data folder; a tombstone has none
  schema TEXT NOT NULL REFERENCES schemas (fingerprint),
  dimensions TEXT NOT NULL,
  metrics TEXT NOT NULL,
  shard_spec TEXT NOT NULL,
  last_compaction_state TEXT,
  UNIQUE (datasource, start_ms, end_ms, version, partition_num)
) STRICT;
CREATE UNIQUE INDEX segments_by_path ON segments (path) WHERE path IS NOT NULL;
CREATE INDEX segments_by_use ON segments (used, datasource);

-- Every change of a datasource's segments counts its revision up, whoever makes it: what is derived from segments is kept until then.
CREATE TABLE datasource_revisions (datasource TEXT PRIMARY KEY, revision INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TRIGGER segment_inserted AFTER INSERT ON segments BEGIN
  INSERT INTO datasource_revisions VALUES (new.datasource, 1) ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER segment_updated AFTER UPDATE ON segments BEGIN
  UPDATE datasource_revisions SET revision = revision + 1 WHERE datasource = new.datasource;
END;
CREATE TRIGGER segment_deleted AFTER DELETE ON segments BEGIN
  UPDATE datasource_revisions SET revision = revision + 1 WHERE datasource = old.datasource;
END;

CREATE TABLE tasks (
  id TEXT PRIMARY KEY,
  group_id TEXT NOT NULL,
  type TEXT NOT NULL,
  datasource TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  queued_ms INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('RUNNING', 'SUCCESS', 'FAILED')),
  runner_status TEXT NOT NULL CHECK (runner_status IN ('WAITING', 'PENDING', 'RUNNING', 'NONE')),
  duration_ms INTEGER NOT NULL,
  error_msg TEXT,
  location TEXT, -- {host, port, tlsPort}
  payload TEXT NOT NULL,
  reports TEXT
) STRICT;
CREATE INDEX tasks_by_time ON tasks (created_ms DESC, id);
CREATE INDEX tasks_by_datasource ON tasks (datasource, created_ms DESC, id);
CREATE INDEX tasks_by_type ON tasks (type, created_ms DESC, id);
CREATE INDEX tasks_active ON tasks (created_ms DESC, id) WHERE status = 'RUNNING';

CREATE TABLE task_locks (
  id INTEGER PRIMARY KEY,
  task_id TEXT NOT NULL,
  group_id TEXT NOT NULL,
  datasource TEXT NOT NULL,
  start_ms INTEGER NOT NULL,
  end_ms INTEGER NOT NULL,
  version TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('EXCLUSIVE', 'SHARED', 'REPLACE', 'APPEND')),
  priority INTEGER NOT NULL,
  revoked INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX task_locks_by_datasource ON task_locks (datasource, start_ms);
CREATE INDEX task_locks_by_task ON task_locks (task_id);

CREATE TABLE datasource_metadata (datasource TEXT PRIMARY KEY, metadata TEXT NOT NULL) STRICT; -- stream offsets
CREATE TABLE rules (datasource TEXT PRIMARY KEY, rules TEXT NOT NULL) STRICT;
CREATE TABLE config (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE compaction_configs (datasource TEXT PRIMARY KEY, config TEXT NOT NULL) STRICT;
CREATE TABLE lookups (tier TEXT NOT NULL, name TEXT NOT NULL, spec TEXT NOT NULL, PRIMARY KEY (tier, name)) STRICT, WITHOUT ROWID;

CREATE TABLE supervisors (id TEXT PRIMARY KEY, spec TEXT NOT NULL) STRICT;
CREATE TABLE supervisor_history (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  supervisor_id TEXT NOT NULL,
  version TEXT NOT NULL, -- ISO time
  spec TEXT NOT NULL
) STRICT;
CREATE INDEX supervisor_history_by_id ON supervisor_history (supervisor_id, number DESC);

CREATE TABLE audit (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  time_ms INTEGER NOT NULL,
  type TEXT NOT NULL,
  key TEXT NOT NULL,
  info TEXT NOT NULL, -- {author, identity, comment, ip}
  request TEXT, -- {service, method, uri, queryParams}
  payload TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_key ON audit (type, key, time_ms);
CREATE INDEX audit_by_type ON audit (type, time_ms);
CREATE INDEX audit_by_time ON audit (time_ms);

CREATE TABLE statement_results (
  query_id TEXT PRIMARY KEY,
  created_ms INTEGER NOT NULL,
  identity TEXT, -- who may see them
  columns TEXT NOT NULL,
  pages TEXT NOT NULL, -- [{id, numRows, sizeInBytes, path}]
  num_rows INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL
) STRICT;
CREATE INDEX statement_results_by_time ON statement_results (created_ms);
`;
