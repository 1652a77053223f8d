-- Who does the work that one process at a time does, on a database that several nodes
-- share. By the clock of the database.
CREATE TABLE leases (
	name     TEXT    PRIMARY KEY,        -- collector, mail, backup or trading; process/… = a process that sends orders lives
	holder   TEXT    NOT NULL,           -- the node and a part of the process; '' = nobody
	number   INTEGER NOT NULL,           -- grows with each change of the holder; its writes are checked by it
	since_ms INTEGER NOT NULL,
	until_ms INTEGER NOT NULL,           -- it ends then, unless it is renewed
	busy     INTEGER NOT NULL,           -- 0 = between two pieces of work: a command may take it
	requests INTEGER NOT NULL DEFAULT 0  -- grows with each request to the holder
) STRICT, WITHOUT ROWID;

-- The process that sends an intent. NULL: intents of older versions, and of a database that
-- nobody shares.
ALTER TABLE intents ADD COLUMN owner TEXT;

-- The node on whose disk a backup lies. NULL: of the only one.
ALTER TABLE backups ADD COLUMN node TEXT;
