-- What users decided about the pages themselves: which hints they put away, and whether single
-- keys do something.
CREATE TABLE preferences (
	owner      TEXT    NOT NULL,
	name       TEXT    NOT NULL,
	value      TEXT    NOT NULL,
	updated_ms INTEGER NOT NULL,
	PRIMARY KEY (owner, name)
) STRICT, WITHOUT ROWID;

-- What the data does not show of the first setup: steps that were skipped, and how the last test of
-- a key ended.
CREATE TABLE setup_marks (
	name       TEXT    PRIMARY KEY,
	value      TEXT    NOT NULL,
	actor      TEXT    NOT NULL,
	updated_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Where something was collected already, nobody needs the first setup.
INSERT INTO setup_marks (name, value, actor, updated_ms)
SELECT 'setup', 'left', 'upgrade', last_write_ms FROM meta WHERE EXISTS (SELECT 1 FROM runs);
