-- A run waits while queue_place is not null: lower places start first. next_attempt is what the attempt that it waits
-- for is there for, as JSON.
ALTER TABLE runs ADD COLUMN queue_place REAL;
ALTER TABLE runs ADD COLUMN queue_not_before_secs REAL;
ALTER TABLE runs ADD COLUMN next_attempt TEXT;
ALTER TABLE runs ADD COLUMN max_retries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN sweep_id TEXT;
ALTER TABLE runs ADD COLUMN sweep_schedule TEXT;
ALTER TABLE runs ADD COLUMN forked_from_run_id TEXT
  GENERATED ALWAYS AS (json_extract(spec, '$.forked_from.run_id')) VIRTUAL;
ALTER TABLE runs ADD COLUMN forked_from_step INTEGER
  GENERATED ALWAYS AS (json_extract(spec, '$.forked_from.step')) VIRTUAL;
CREATE INDEX runs_waiting ON runs (host_id, queue_place) WHERE queue_place IS NOT NULL;
CREATE INDEX runs_of_sweep ON runs (sweep_id) WHERE sweep_id IS NOT NULL;
CREATE INDEX runs_forked ON runs (forked_from_run_id) WHERE forked_from_run_id IS NOT NULL;

ALTER TABLE attempts ADD COLUMN cause TEXT NOT NULL DEFAULT 'person';
ALTER TABLE attempts ADD COLUMN why TEXT;
ALTER TABLE attempts ADD COLUMN overrides TEXT NOT NULL DEFAULT '{}';

-- How many runs a host takes at a time, where a person said so.
CREATE TABLE run_slots (
  host_id TEXT PRIMARY KEY,
  runs_at_once INTEGER NOT NULL CHECK (runs_at_once >= 1)
) STRICT;

CREATE TABLE sweeps (
  sweep_id TEXT PRIMARY KEY,
  launch_key TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  created_secs REAL NOT NULL
) STRICT;
