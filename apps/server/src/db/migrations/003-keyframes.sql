CREATE TABLE keyframe_selections (
  clip_id TEXT NOT NULL REFERENCES clips (clip_id) ON DELETE CASCADE,
  -- Of all settings and the extractor's version.
  settings_hash TEXT NOT NULL,
  settings TEXT NOT NULL,
  plane_width INTEGER,
  plane_height INTEGER,
  note TEXT,
  made_secs REAL NOT NULL,
  PRIMARY KEY (clip_id, settings_hash)
) STRICT;

CREATE TABLE keyframe_decisions (
  clip_id TEXT NOT NULL,
  settings_hash TEXT NOT NULL,
  frame INTEGER NOT NULL,
  time_secs REAL NOT NULL,
  kept INTEGER NOT NULL CHECK (kept IN (0, 1)),
  rule TEXT NOT NULL,
  overlap REAL,
  features INTEGER NOT NULL,
  evidence TEXT,
  PRIMARY KEY (clip_id, settings_hash, frame),
  FOREIGN KEY (clip_id, settings_hash) REFERENCES keyframe_selections (clip_id, settings_hash) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Extractions that were asked for; a row goes when its selection is stored. A server that starts goes on with 'wanted'.
CREATE TABLE keyframe_extractions (
  clip_id TEXT NOT NULL REFERENCES clips (clip_id) ON DELETE CASCADE,
  settings_hash TEXT NOT NULL,
  settings TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('wanted', 'cancelled', 'failed')),
  problem TEXT,
  PRIMARY KEY (clip_id, settings_hash)
) STRICT;
