CREATE TABLE runs (
  run_id TEXT PRIMARY KEY,
  launch_key TEXT UNIQUE,
  name TEXT NOT NULL,
  engine TEXT NOT NULL,
  preset TEXT NOT NULL,
  seed INTEGER NOT NULL,
  spec TEXT NOT NULL,
  host_id TEXT NOT NULL,
  state TEXT NOT NULL,
  problem TEXT,
  stop_requested_secs REAL,
  step INTEGER,
  max_steps INTEGER,
  stage TEXT,
  simulated INTEGER NOT NULL,
  recorded INTEGER NOT NULL,
  created_secs REAL NOT NULL,
  ended_secs REAL,
  trashed_secs REAL
) STRICT;

CREATE TABLE attempts (
  run_id TEXT NOT NULL REFERENCES runs (run_id),
  attempt INTEGER NOT NULL,
  phase TEXT NOT NULL CHECK (phase IN ('launching', 'live', 'ended')),
  verdict TEXT NOT NULL,
  reason TEXT,
  exit_code INTEGER,
  signal TEXT,
  problem TEXT,
  resume_step INTEGER,
  first_step INTEGER,
  last_step INTEGER,
  launched_secs REAL NOT NULL,
  ended_secs REAL,
  heartbeat_age_secs REAL,
  device TEXT,
  versions TEXT NOT NULL DEFAULT '{}',
  PRIMARY KEY (run_id, attempt)
) STRICT;
CREATE INDEX attempts_unended ON attempts (phase) WHERE phase <> 'ended';

CREATE TABLE run_lines (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  stream TEXT NOT NULL,
  seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  step INTEGER,
  raw TEXT NOT NULL,
  UNIQUE (run_id, attempt, stream, seq)
) STRICT;
CREATE INDEX run_lines_events ON run_lines (run_id, id) WHERE stream = 'events';
CREATE INDEX run_lines_types ON run_lines (run_id, type, step) WHERE stream = 'events';
CREATE INDEX run_lines_marks ON run_lines (run_id, id)
  WHERE stream = 'events' AND type NOT IN ('metrics', 'generation', 'system', 'phase');

CREATE TABLE read_cursors (
  run_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  stream TEXT NOT NULL,
  segment INTEGER NOT NULL,
  byte_offset INTEGER NOT NULL,
  inode INTEGER,
  ended INTEGER NOT NULL,
  PRIMARY KEY (run_id, attempt, stream)
) STRICT;

CREATE TABLE quarantined_lines (
  run_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  file TEXT NOT NULL,
  inode INTEGER NOT NULL,
  byte_offset INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  reason TEXT NOT NULL,
  raw BLOB NOT NULL,
  PRIMARY KEY (run_id, attempt, file, inode, byte_offset)
) STRICT;

CREATE TABLE run_notes (
  run_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  code TEXT NOT NULL,
  count INTEGER NOT NULL,
  message TEXT NOT NULL,
  PRIMARY KEY (run_id, attempt, code)
) STRICT;

CREATE TABLE metric_clocks (
  run_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  clock TEXT NOT NULL,
  segment INTEGER NOT NULL,
  last_step INTEGER NOT NULL,
  PRIMARY KEY (run_id, attempt, clock)
) STRICT, WITHOUT ROWID;

CREATE TABLE metric_series (
  series_id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  segment INTEGER NOT NULL,
  name TEXT NOT NULL,
  UNIQUE (run_id, attempt, segment, name)
) STRICT;

CREATE TABLE metric_buckets (
  series_id INTEGER NOT NULL REFERENCES metric_series (series_id),
  width INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  n INTEGER NOT NULL,
  sum REAL NOT NULL,
  first REAL NOT NULL,
  first_step INTEGER NOT NULL,
  last REAL NOT NULL,
  last_step INTEGER NOT NULL,
  min REAL NOT NULL,
  min_step INTEGER NOT NULL,
  max REAL NOT NULL,
  max_step INTEGER NOT NULL,
  gaps INTEGER NOT NULL,
  pos_inf INTEGER NOT NULL,
  neg_inf INTEGER NOT NULL,
  PRIMARY KEY (series_id, width, idx)
) STRICT, WITHOUT ROWID;

CREATE TABLE completions (
  id INTEGER PRIMARY KEY REFERENCES run_lines (id),
  run_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  gen INTEGER NOT NULL,
  step INTEGER NOT NULL,
  stage INTEGER NOT NULL,
  group_id TEXT NOT NULL,
  question_id TEXT NOT NULL,
  clip_id TEXT,
  task TEXT NOT NULL,
  k INTEGER NOT NULL,
  gold TEXT,
  letter TEXT,
  finish TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  reward REAL,
  advantage REAL,
  format REAL,
  accuracy REAL,
  consistency REAL,
  judge_status TEXT,
  judge_agrees INTEGER
) STRICT;
CREATE INDEX completions_groups ON completions (run_id, step, attempt, group_id, k);
CREATE INDEX completions_questions ON completions (run_id, question_id, step);

CREATE TABLE step_tallies (
  run_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  step INTEGER NOT NULL,
  change_id INTEGER NOT NULL,
  n INTEGER NOT NULL,
  correct INTEGER NOT NULL,
  judged INTEGER NOT NULL,
  agreed INTEGER NOT NULL,
  groups INTEGER NOT NULL,
  tied_groups INTEGER NOT NULL,
  clipped INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  tasks TEXT NOT NULL,
  PRIMARY KEY (run_id, attempt, step)
) STRICT, WITHOUT ROWID;
CREATE INDEX step_tallies_changes ON step_tallies (run_id, change_id);
