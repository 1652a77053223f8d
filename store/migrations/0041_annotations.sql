-- What managers write about days. A change is a new line, so that earlier states stay known.
CREATE TABLE annotations (
	id         INTEGER PRIMARY KEY,
	first_day  TEXT    NOT NULL,
	last_day   TEXT    NOT NULL,
	account_id INTEGER REFERENCES accounts,  -- NULL = every account
	code       TEXT    NOT NULL,             -- '' = all invite codes
	words      TEXT    NOT NULL,
	actor      TEXT    NOT NULL,
	created_ms INTEGER NOT NULL,
	removed_ms INTEGER                       -- NULL = in force
) STRICT;
CREATE INDEX annotations_by_day ON annotations (first_day, last_day);
