CREATE TABLE clips (
  clip_id TEXT PRIMARY KEY CHECK (length(clip_id) = 64),
  -- Rises with every change of any clip: a follower asks for what lies above the last one it saw.
  revision INTEGER NOT NULL UNIQUE,
  name TEXT NOT NULL,
  tags TEXT NOT NULL DEFAULT '[]',
  state TEXT NOT NULL CHECK (state IN ('reading', 'ready', 'partial', 'refused')),
  problem TEXT,
  bytes INTEGER NOT NULL,
  extension TEXT NOT NULL,
  added_secs REAL NOT NULL,
  trashed_secs REAL,
  container TEXT,
  codec TEXT,
  pixel_format TEXT,
  full_range INTEGER NOT NULL DEFAULT 0,
  coded_width INTEGER,
  coded_height INTEGER,
  display_width INTEGER,
  display_height INTEGER,
  rotation INTEGER NOT NULL DEFAULT 0 CHECK (rotation IN (0, 90, 180, 270)),
  pixel_aspect REAL NOT NULL DEFAULT 1,
  frame_count INTEGER,
  duration_secs REAL,
  -- What a browser should be given; the proxy may still have to be made.
  plays TEXT NOT NULL DEFAULT 'proxy' CHECK (plays IN ('original', 'proxy')),
  -- Presentation time of the first frame as a browser's demuxer sees it in the original; null where it can't show it.
  original_start_secs REAL,
  proxy TEXT NOT NULL DEFAULT 'none' CHECK (proxy IN ('none', 'wanted', 'ready', 'failed')),
  proxy_problem TEXT
) STRICT;

CREATE TABLE clip_frames (
  clip_id TEXT PRIMARY KEY REFERENCES clips (clip_id) ON DELETE CASCADE,
  -- Little-endian arrays, one entry a frame: float64, float64; key_frames is uint32.
  time_secs BLOB NOT NULL,
  ticks BLOB NOT NULL,
  key_frames BLOB NOT NULL,
  seekable INTEGER NOT NULL,
  first_time_secs REAL NOT NULL
) STRICT;

CREATE TABLE library_changes (
  change_id INTEGER PRIMARY KEY AUTOINCREMENT,
  made_secs REAL NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('add', 'rename', 'tags', 'trash', 'restore', 'undo')),
  -- [{"clip_id", "before": {"name", "tags", "trashed_secs"}, "after": {…}}]; before is null for a clip that was new.
  entries TEXT NOT NULL,
  undoes INTEGER UNIQUE REFERENCES library_changes (change_id)
) STRICT;

CREATE TRIGGER library_changes_stay BEFORE UPDATE ON library_changes
BEGIN SELECT RAISE(ABORT, 'library_changes is append-only'); END;

CREATE TRIGGER library_changes_remain BEFORE DELETE ON library_changes
BEGIN SELECT RAISE(ABORT, 'library_changes is append-only'); END;
