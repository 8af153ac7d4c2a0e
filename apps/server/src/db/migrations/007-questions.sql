CREATE TABLE question_sets (
  -- Of a file: the first 12 digits of its content hash.
  set_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('file', 'sample', 'written')),
  format TEXT NOT NULL,
  content_hash TEXT UNIQUE CHECK (length(content_hash) = 64),
  rows INTEGER,
  -- What the import said: [{"row", "id", "reason", "question"}], [{"row", "id", "reason"}], [{"line", "reason"}].
  set_aside TEXT NOT NULL DEFAULT '[]',
  remarks TEXT NOT NULL DEFAULT '[]',
  bad_lines TEXT NOT NULL DEFAULT '[]',
  -- {"seed", "train", "val", "hash"}; the sides stand with the questions.
  split TEXT,
  made_secs REAL NOT NULL,
  trashed_secs REAL
) STRICT;

CREATE TABLE questions (
  question_id TEXT PRIMARY KEY,
  set_id TEXT NOT NULL REFERENCES question_sets (set_id),
  source_id TEXT NOT NULL,
  row INTEGER NOT NULL,
  dataset TEXT NOT NULL,
  clip_name TEXT,
  -- The name as it is compared with the library's.
  clip_key TEXT,
  -- The clip where the question was asked on one; null where only the name is known.
  asked_clip_id TEXT CHECK (length(asked_clip_id) = 64),
  from_secs REAL,
  to_secs REAL,
  scene TEXT,
  task TEXT NOT NULL,
  text TEXT NOT NULL,
  options TEXT NOT NULL,
  gold TEXT,
  kind TEXT NOT NULL CHECK (kind IN ('choice', 'number')),
  split TEXT CHECK (split IN ('train', 'val', 'test')),
  edited_secs REAL,
  trashed_secs REAL
) STRICT;

CREATE INDEX questions_by_set ON questions (set_id, row);
CREATE INDEX questions_by_key ON questions (clip_key);
CREATE INDEX questions_by_clip ON questions (asked_clip_id);

-- Which of several clips of one name a set means; a person said so.
CREATE TABLE question_clip_choices (
  set_id TEXT NOT NULL REFERENCES question_sets (set_id),
  clip_key TEXT NOT NULL,
  clip_id TEXT NOT NULL CHECK (length(clip_id) = 64),
  PRIMARY KEY (set_id, clip_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE question_changes (
  change_id INTEGER PRIMARY KEY AUTOINCREMENT,
  made_secs REAL NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('import', 'write', 'edit', 'trash', 'restore', 'take in', 'choose', 'split', 'undo')),
  undoes INTEGER UNIQUE REFERENCES question_changes (change_id)
) STRICT;

CREATE TABLE question_change_entries (
  change_id INTEGER NOT NULL REFERENCES question_changes (change_id),
  -- Whose fields changed: a question's, a set's, or the choice of a clip for a name (subject_id is then "SET KEY").
  subject TEXT NOT NULL CHECK (subject IN ('question', 'set', 'choice')),
  subject_id TEXT NOT NULL,
  -- The fields that changed, as JSON; before is null for what the change brought in.
  before TEXT,
  after TEXT NOT NULL,
  PRIMARY KEY (change_id, subject, subject_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX question_changes_by_subject ON question_change_entries (subject, subject_id);

CREATE TRIGGER question_changes_stay BEFORE UPDATE ON question_changes
BEGIN SELECT RAISE(ABORT, 'question_changes is append-only'); END;
CREATE TRIGGER question_changes_remain BEFORE DELETE ON question_changes
BEGIN SELECT RAISE(ABORT, 'question_changes is append-only'); END;
CREATE TRIGGER question_change_entries_stay BEFORE UPDATE ON question_change_entries
BEGIN SELECT RAISE(ABORT, 'question_change_entries is append-only'); END;
CREATE TRIGGER question_change_entries_remain BEFORE DELETE ON question_change_entries
BEGIN SELECT RAISE(ABORT, 'question_change_entries is append-only'); END;
