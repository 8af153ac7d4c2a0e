CREATE TABLE batches (
  batch_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  source TEXT NOT NULL,
  settings TEXT NOT NULL,
  settings_hash TEXT NOT NULL,
  -- A server that starts goes on with 'working'.
  state TEXT NOT NULL CHECK (state IN ('working', 'cancelled', 'failed', 'done')),
  problem TEXT,
  made_secs REAL NOT NULL
) STRICT;

CREATE TABLE batch_clips (
  batch_id TEXT NOT NULL REFERENCES batches (batch_id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  -- Below the batch's folder; null for a clip of the library.
  path TEXT,
  -- Null for a file that is not in the library yet.
  clip_id TEXT,
  -- 'working' outlives a server that is killed: what is stored of such a clip was made by this batch.
  state TEXT NOT NULL CHECK (state IN ('waiting', 'working', 'done', 'there', 'failed')),
  problem TEXT,
  advice TEXT,
  kept INTEGER,
  sampled INTEGER,
  duration_secs REAL,
  ended_secs REAL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (batch_id, place)
) STRICT, WITHOUT ROWID;

CREATE INDEX batch_clips_by_revision ON batch_clips (batch_id, revision);
CREATE INDEX batch_clips_by_state ON batch_clips (batch_id, state);
