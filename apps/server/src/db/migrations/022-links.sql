-- Clips that were rendered from worlds of ours, by their content: which world each shows.
CREATE TABLE rendered_worlds (
  clip_id TEXT PRIMARY KEY,
  world_id TEXT NOT NULL,
  made_secs REAL NOT NULL
) STRICT;
CREATE INDEX rendered_worlds_of ON rendered_worlds (world_id);

-- The first broken link of wrong answers, '' where none was found, as the rules of a version say it.
CREATE TABLE completion_links (
  completion_id INTEGER PRIMARY KEY REFERENCES run_lines (id),
  rules INTEGER NOT NULL,
  broken TEXT NOT NULL,
  -- Bits by the order of the links: of those before it nothing could be told.
  untold INTEGER NOT NULL,
  checked_secs REAL NOT NULL
) STRICT;
CREATE INDEX completion_links_broken ON completion_links (broken, completion_id);
