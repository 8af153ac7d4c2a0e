-- Horizontal, in degrees, as a person set it; null while nobody did: then it is read from the pictures, or assumed.
ALTER TABLE clips ADD COLUMN field_of_view_deg REAL CHECK (field_of_view_deg BETWEEN 20 AND 150);

-- The library's history anew, with one more kind of change.
CREATE TABLE library_changes_new (
  change_id INTEGER PRIMARY KEY AUTOINCREMENT,
  made_secs REAL NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('add', 'rename', 'tags', 'trash', 'restore', 'field_of_view', 'undo')),
  -- [{"clip_id", "before": {"name", "tags", "trashed_secs", "field_of_view_deg"}, "after": {…}}]; before is null for a clip
  -- that was new. Entries older than this table have no field_of_view_deg.
  entries TEXT NOT NULL,
  undoes INTEGER UNIQUE REFERENCES library_changes_new (change_id)
) STRICT;
INSERT INTO library_changes_new SELECT change_id, made_secs, kind, entries, undoes FROM library_changes ORDER BY change_id;
DROP TABLE library_changes;
ALTER TABLE library_changes_new RENAME TO library_changes;

CREATE TRIGGER library_changes_stay BEFORE UPDATE ON library_changes
BEGIN SELECT RAISE(ABORT, 'library_changes is append-only'); END;

CREATE TRIGGER library_changes_remain BEFORE DELETE ON library_changes
BEGIN SELECT RAISE(ABORT, 'library_changes is append-only'); END;

-- What the pictures say of the field of view, by the features that it was read from; null where they don't show it.
CREATE TABLE keyframe_views (
  clip_id TEXT NOT NULL,
  evidence_hash TEXT NOT NULL,
  found_deg REAL,
  PRIMARY KEY (clip_id, evidence_hash)
) STRICT;
