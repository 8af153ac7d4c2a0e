CREATE TABLE hosts (
  host_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  executor TEXT NOT NULL,
  address TEXT,
  root TEXT NOT NULL,
  created_secs REAL NOT NULL
) STRICT;
