-- What people said of key-frames. Nothing here hangs on the selection's rows: these may be made anew, this can't be.
CREATE TABLE decisions (
  -- Made by the browser: what is sent twice is one row.
  decision_id TEXT PRIMARY KEY,
  -- The clip's content hash.
  clip_id TEXT NOT NULL,
  settings_hash TEXT NOT NULL,
  -- Place in the selection's history, from 1.
  version INTEGER NOT NULL CHECK (version > 0),
  author TEXT NOT NULL,
  made_secs REAL NOT NULL,
  -- {"kind", …}: what was said.
  decided TEXT NOT NULL,
  UNIQUE (clip_id, settings_hash, version)
) STRICT;

CREATE TRIGGER decisions_stay BEFORE UPDATE ON decisions
BEGIN SELECT RAISE(ABORT, 'decisions is append-only'); END;

CREATE TRIGGER decisions_remain BEFORE DELETE ON decisions
BEGIN SELECT RAISE(ABORT, 'decisions is append-only'); END;

-- The name that decisions are signed with; no row while nobody set one.
CREATE TABLE signature (
  the_only INTEGER PRIMARY KEY CHECK (the_only = 1),
  name TEXT NOT NULL
) STRICT;

-- The version of the key-frame selection that a set of triples was made of; 0 is the extractor's own.
ALTER TABLE triple_sets ADD COLUMN selection_version INTEGER NOT NULL DEFAULT 0;
