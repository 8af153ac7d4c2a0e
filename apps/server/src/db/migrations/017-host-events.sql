-- What happened to a host, for people: append-only.
CREATE TABLE host_events (
  event_id INTEGER PRIMARY KEY AUTOINCREMENT,
  host_id TEXT NOT NULL,
  time_secs REAL NOT NULL,
  kind TEXT NOT NULL,
  says TEXT NOT NULL
) STRICT;
CREATE INDEX host_events_hosts ON host_events (host_id, event_id);
CREATE TRIGGER host_events_stay BEFORE UPDATE ON host_events
BEGIN SELECT RAISE(ABORT, 'an event of a host is never changed'); END;
CREATE TRIGGER host_events_remain BEFORE DELETE ON host_events
BEGIN SELECT RAISE(ABORT, 'an event of a host is never removed'); END;

-- Runs that somebody else started: read from their directory on the host, and never touched.
CREATE TABLE watched_runs (
  run_id TEXT PRIMARY KEY,
  host_id TEXT NOT NULL,
  directory TEXT NOT NULL,
  watched_secs REAL NOT NULL
) STRICT;
