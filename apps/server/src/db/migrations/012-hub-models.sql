CREATE TABLE hub_models (
  -- As the hub writes it: owner/name.
  id TEXT PRIMARY KEY,
  added_secs REAL NOT NULL,
  removed_secs REAL
) STRICT;
