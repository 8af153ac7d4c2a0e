CREATE TABLE triple_sets (
  triple_set_id TEXT PRIMARY KEY,
  clip_id TEXT NOT NULL REFERENCES clips (clip_id) ON DELETE CASCADE,
  settings_hash TEXT NOT NULL,
  question_id TEXT,
  question TEXT NOT NULL,
  perceiver TEXT NOT NULL,
  label TEXT NOT NULL,
  -- [{"frame", "time_secs"}]: the key-frames to describe, in order.
  key_frames TEXT NOT NULL,
  -- What geometry said of the way to each key-frame, in order; null while nobody looked.
  motions TEXT,
  state TEXT NOT NULL CHECK (state IN ('working', 'done', 'cancelled', 'failed')),
  problem TEXT,
  made_secs REAL NOT NULL,
  trashed_secs REAL,
  calls INTEGER NOT NULL DEFAULT 0,
  cached INTEGER NOT NULL DEFAULT 0,
  prompt_tokens INTEGER NOT NULL DEFAULT 0,
  completion_tokens INTEGER NOT NULL DEFAULT 0,
  secs REAL NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX triple_sets_of_clip ON triple_sets (clip_id, made_secs);

-- As the perceiver gave them; what a person changes stands in triple_edits.
CREATE TABLE triples (
  triple_set_id TEXT NOT NULL REFERENCES triple_sets (triple_set_id) ON DELETE CASCADE,
  key_frame INTEGER NOT NULL,
  action TEXT,
  change TEXT NOT NULL,
  relevant TEXT NOT NULL,
  raw TEXT NOT NULL,
  problems TEXT NOT NULL,
  PRIMARY KEY (triple_set_id, key_frame)
) STRICT, WITHOUT ROWID;

CREATE TABLE triple_edits (
  edit_id INTEGER PRIMARY KEY AUTOINCREMENT,
  triple_set_id TEXT NOT NULL,
  key_frame INTEGER NOT NULL,
  author TEXT NOT NULL,
  made_secs REAL NOT NULL,
  -- {"action", "change", "relevant"}
  before TEXT NOT NULL,
  after TEXT NOT NULL,
  undoes INTEGER UNIQUE REFERENCES triple_edits (edit_id)
) STRICT;

CREATE INDEX triple_edits_of_set ON triple_edits (triple_set_id, key_frame);

CREATE TRIGGER triple_edits_stay BEFORE UPDATE ON triple_edits
BEGIN SELECT RAISE(ABORT, 'triple_edits is append-only'); END;

CREATE TRIGGER triple_edits_remain BEFORE DELETE ON triple_edits
BEGIN SELECT RAISE(ABORT, 'triple_edits is append-only'); END;

-- What endpoints answered, under the hash of pictures, prompt, model and settings: asked again, it costs nothing.
CREATE TABLE perception_answers (
  answer_key TEXT PRIMARY KEY,
  raw TEXT NOT NULL,
  secs REAL NOT NULL,
  made_secs REAL NOT NULL
) STRICT, WITHOUT ROWID;
