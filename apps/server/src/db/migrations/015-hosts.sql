-- Null where ssh's own setting counts.
ALTER TABLE hosts ADD COLUMN port INTEGER;
-- A detached host keeps its row: its runs name it.
ALTER TABLE hosts ADD COLUMN trashed_secs REAL;
-- What trains there, as JSON: {profile, python, versions}; null until a preparation was done.
ALTER TABLE hosts ADD COLUMN environment TEXT;
-- The preparation that is under way, as JSON: {profile, python}; null when none is.
ALTER TABLE hosts ADD COLUMN preparing TEXT;
