CREATE TABLE evaluations (
  evaluation_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  set_id TEXT NOT NULL,
  side TEXT CHECK (side IN ('train', 'val', 'test')),
  reasoner TEXT NOT NULL,
  judge TEXT,
  -- A server that starts goes on with 'working' where the reasoner is an endpoint.
  state TEXT NOT NULL CHECK (state IN ('working', 'done', 'cancelled', 'failed')),
  problem TEXT,
  made_secs REAL NOT NULL
) STRICT;

CREATE TABLE evaluation_rows (
  evaluation_id TEXT NOT NULL REFERENCES evaluations (evaluation_id),
  question_id TEXT NOT NULL,
  place INTEGER NOT NULL,
  clip_id TEXT,
  task TEXT NOT NULL,
  text TEXT NOT NULL,
  gold TEXT,
  -- Neither: still to be asked. Only a problem: it could not be asked.
  trace_id TEXT REFERENCES traces (trace_id),
  problem TEXT,
  PRIMARY KEY (evaluation_id, question_id)
) STRICT, WITHOUT ROWID;
