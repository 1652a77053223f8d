-- What the nodes that share a database spend of the exchange's limit together: at most one
-- row. Unused in a file, which has one process.
CREATE TABLE rate_budget (
	id        INTEGER PRIMARY KEY CHECK (id = 1),
	version   INTEGER NOT NULL, -- grows with each change
	state     TEXT    NOT NULL, -- JSON: weights, bans and waiting calls, by the clock of the database
	server_ms INTEGER NOT NULL  -- since when the server that changed it last has lost no commit
) STRICT;

-- When the user of a session last proved to be present; NULL = never.
ALTER TABLE sessions ADD COLUMN proved_ms INTEGER;
