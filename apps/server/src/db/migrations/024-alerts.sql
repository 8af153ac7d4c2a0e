-- What is looked for in runs. Append-only: the newest entry of a rule counts; one without a rule takes it away.
CREATE TABLE alert_rule_entries (
  entry_id INTEGER PRIMARY KEY AUTOINCREMENT,
  rule_id TEXT NOT NULL,
  -- JSON, or null: removed.
  rule TEXT,
  author TEXT NOT NULL,
  made_secs REAL NOT NULL
) STRICT;
CREATE INDEX alert_rule_entries_of ON alert_rule_entries (rule_id, entry_id);
CREATE TRIGGER alert_rule_entries_stay BEFORE UPDATE ON alert_rule_entries
BEGIN SELECT RAISE(ABORT, 'alert_rule_entries is append-only'); END;
CREATE TRIGGER alert_rule_entries_remain BEFORE DELETE ON alert_rule_entries
BEGIN SELECT RAISE(ABORT, 'alert_rule_entries is append-only'); END;

-- One row an episode of a rule in a run.
CREATE TABLE alerts (
  alert_id INTEGER PRIMARY KEY AUTOINCREMENT,
  rule_id TEXT NOT NULL,
  -- What the rule said when it fired.
  entry_id INTEGER NOT NULL REFERENCES alert_rule_entries (entry_id),
  run_id TEXT NOT NULL,
  episode_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  from_step INTEGER NOT NULL,
  -- By the clock of the run's host.
  fired_secs REAL NOT NULL,
  words TEXT NOT NULL,
  until_step INTEGER,
  ended_secs REAL,
  -- 1: it was over before the rule was made; nobody is told.
  is_past INTEGER NOT NULL,
  UNIQUE (rule_id, run_id, episode_id)
) STRICT;
CREATE INDEX alerts_of_run ON alerts (run_id, alert_id);

-- Up to which row a run was looked at by a rule.
CREATE TABLE alert_progress (
  rule_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  entry_id INTEGER NOT NULL,
  upto_id INTEGER NOT NULL,
  PRIMARY KEY (rule_id, run_id)
) STRICT, WITHOUT ROWID;

-- Who has seen an alert. Append-only: the newest counts.
CREATE TABLE alert_acks (
  ack_id INTEGER PRIMARY KEY AUTOINCREMENT,
  alert_id INTEGER NOT NULL REFERENCES alerts (alert_id),
  is_taken_back INTEGER NOT NULL,
  author TEXT NOT NULL,
  made_secs REAL NOT NULL
) STRICT;
CREATE INDEX alert_acks_of ON alert_acks (alert_id, ack_id);
CREATE TRIGGER alert_acks_stay BEFORE UPDATE ON alert_acks
BEGIN SELECT RAISE(ABORT, 'alert_acks is append-only'); END;
CREATE TRIGGER alert_acks_remain BEFORE DELETE ON alert_acks
BEGIN SELECT RAISE(ABORT, 'alert_acks is append-only'); END;

-- Receivers. The whole address and the signing key lie in a file of their own.
CREATE TABLE alert_webhooks (
  webhook_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  -- Scheme, host and port; what follows may be a secret.
  origin TEXT NOT NULL,
  created_secs REAL NOT NULL,
  removed_secs REAL
) STRICT;

-- What is to be told and what was: written with the alert, so that a server that dies tells it later.
CREATE TABLE alert_deliveries (
  delivery_id TEXT PRIMARY KEY,
  webhook_id TEXT NOT NULL REFERENCES alert_webhooks (webhook_id),
  alert_id INTEGER REFERENCES alerts (alert_id),
  kind TEXT NOT NULL CHECK (kind IN ('fired', 'ended', 'test')),
  body TEXT NOT NULL,
  created_secs REAL NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
  tries INTEGER NOT NULL,
  next_secs REAL NOT NULL,
  tried_secs REAL,
  status INTEGER,
  problem TEXT
) STRICT;
CREATE INDEX alert_deliveries_waiting ON alert_deliveries (next_secs) WHERE state = 'waiting';
CREATE INDEX alert_deliveries_newest ON alert_deliveries (created_secs);
