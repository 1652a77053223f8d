-- The scheduled backups and what became of them. A backup holds the row of its
-- own making, not ended yet: so does a database that was restored from it.
CREATE TABLE backups (
	id         INTEGER PRIMARY KEY,
	started_ms INTEGER NOT NULL,
	ended_ms   INTEGER NOT NULL DEFAULT 0,  -- 0 = still at work, or it died
	file       TEXT    NOT NULL,            -- absolute path
	bytes      INTEGER NOT NULL DEFAULT 0,
	row_count  INTEGER NOT NULL DEFAULT 0,  -- of all tables
	sound      INTEGER NOT NULL DEFAULT 0 CHECK (sound IN (0, 1)), -- its rows and sums were those of the database
	error      TEXT    NOT NULL DEFAULT '', -- why there is no such file
	drilled_ms INTEGER NOT NULL DEFAULT 0,  -- when the restore drill ended; 0 = there was none
	drill      TEXT    NOT NULL DEFAULT '', -- what it found wrong; '' = nothing
	removed_ms INTEGER NOT NULL DEFAULT 0   -- when the file was removed; 0 = it was not
) STRICT;
