CREATE TABLE endpoints (
  endpoint_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  -- Without a slash at the end; http or https; never with a name, password or query. The key lies in keys.json.
  base_url TEXT NOT NULL,
  models TEXT NOT NULL DEFAULT '[]',
  -- Calls at the same time, over everything that asks.
  concurrency INTEGER NOT NULL CHECK (concurrency BETWEEN 1 AND 256),
  created_secs REAL NOT NULL,
  removed_secs REAL
) STRICT;
