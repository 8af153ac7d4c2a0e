-- What was asked, as it was asked; question and triples are copies, because both may be changed later.
CREATE TABLE traces (
  trace_id TEXT PRIMARY KEY,
  clip_id TEXT NOT NULL REFERENCES clips (clip_id),
  question_id TEXT NOT NULL,
  triple_set_id TEXT,
  reasoner TEXT NOT NULL,
  question TEXT NOT NULL,
  triples TEXT NOT NULL,
  struck TEXT NOT NULL,
  prompt TEXT NOT NULL,
  prompt_version TEXT NOT NULL,
  asked_after TEXT REFERENCES traces (trace_id),
  made_secs REAL NOT NULL
) STRICT;
CREATE INDEX traces_by_question ON traces (clip_id, question_id, made_secs);

-- What came, in the order in which it came.
CREATE TABLE trace_pieces (
  piece_id INTEGER PRIMARY KEY AUTOINCREMENT,
  trace_id TEXT NOT NULL REFERENCES traces (trace_id),
  kind TEXT NOT NULL CHECK (kind IN ('reasoning', 'text')),
  text TEXT NOT NULL
) STRICT;
CREATE INDEX trace_pieces_by_trace ON trace_pieces (trace_id, piece_id);

-- A trace without a row here is still being written.
CREATE TABLE trace_ends (
  trace_id TEXT PRIMARY KEY REFERENCES traces (trace_id),
  state TEXT NOT NULL CHECK (state IN ('done', 'cancelled', 'failed')),
  problem TEXT,
  tokens INTEGER,
  secs REAL,
  ended_secs REAL NOT NULL
) STRICT;

-- The last one of a trace counts.
CREATE TABLE trace_judgements (
  judgement_id INTEGER PRIMARY KEY AUTOINCREMENT,
  trace_id TEXT NOT NULL REFERENCES traces (trace_id),
  judgement TEXT NOT NULL,
  made_secs REAL NOT NULL
) STRICT;
CREATE INDEX trace_judgements_by_trace ON trace_judgements (trace_id, judgement_id);

CREATE TRIGGER traces_stay BEFORE UPDATE ON traces
BEGIN SELECT RAISE(ABORT, 'traces is append-only'); END;
CREATE TRIGGER traces_remain BEFORE DELETE ON traces
BEGIN SELECT RAISE(ABORT, 'traces is append-only'); END;
CREATE TRIGGER trace_pieces_stay BEFORE UPDATE ON trace_pieces
BEGIN SELECT RAISE(ABORT, 'trace_pieces is append-only'); END;
CREATE TRIGGER trace_pieces_remain BEFORE DELETE ON trace_pieces
BEGIN SELECT RAISE(ABORT, 'trace_pieces is append-only'); END;
CREATE TRIGGER trace_ends_stay BEFORE UPDATE ON trace_ends
BEGIN SELECT RAISE(ABORT, 'trace_ends is append-only'); END;
CREATE TRIGGER trace_ends_remain BEFORE DELETE ON trace_ends
BEGIN SELECT RAISE(ABORT, 'trace_ends is append-only'); END;
CREATE TRIGGER trace_judgements_stay BEFORE UPDATE ON trace_judgements
BEGIN SELECT RAISE(ABORT, 'trace_judgements is append-only'); END;
CREATE TRIGGER trace_judgements_remain BEFORE DELETE ON trace_judgements
BEGIN SELECT RAISE(ABORT, 'trace_judgements is append-only'); END;
