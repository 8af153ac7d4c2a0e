-- Runs that are about to be written, whose checkpoint is taken over on their host before: what stays when the server
-- dies in between is found by these rows.
CREATE TABLE fork_plans (
  run_id TEXT PRIMARY KEY,
  host_id TEXT NOT NULL
) STRICT;
