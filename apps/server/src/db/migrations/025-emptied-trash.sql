-- UTC seconds; when the clip's video was deleted with the trash. What was found out and decided of it stays.
ALTER TABLE clips ADD COLUMN emptied_secs REAL;
