-- Stored completions of a run scored anew. Nothing of the run itself changes.
CREATE TABLE replays (
  replay_id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL,
  name TEXT NOT NULL,
  plan TEXT NOT NULL,
  author TEXT NOT NULL,
  made_secs REAL NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('working', 'done', 'cancelled', 'failed')),
  -- The newest line that it reads: what the run writes later is not in it.
  upto_id INTEGER NOT NULL,
  total INTEGER NOT NULL,
  problem TEXT,
  summary TEXT,
  removed_secs REAL
) STRICT;
CREATE INDEX replays_of_run ON replays (run_id, made_secs);

-- What turned over: bits in the order of FLIPS; both sides as they were scored.
CREATE TABLE replay_flips (
  replay_id TEXT NOT NULL REFERENCES replays (replay_id),
  step INTEGER NOT NULL,
  completion_id INTEGER NOT NULL,
  task TEXT NOT NULL,
  flips INTEGER NOT NULL,
  sides TEXT NOT NULL,
  PRIMARY KEY (replay_id, step, completion_id)
) STRICT, WITHOUT ROWID;
