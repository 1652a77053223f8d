-- What managers write about days. A change is a new line, so that earlier states stay known.
CREATE TABLE annotations (
	id         INTEGER PRIMARY KEY,
	first_day  TEXT    NOT NULL,
	last_day   TEXT    NOT NULL,
	account_id INTEGER REFERENCES accounts,  -- NULL = every account
	code       TEXT    NOT NULL,             -- '' = all invite codes
	words      TEXT    NOT NULL,
	author     TEXT    NOT NULL,             -- who wrote it first
	actor      TEXT    NOT NULL,             -- who wrote it in this form
	created_ms INTEGER NOT NULL,
	removed_ms INTEGER                       -- NULL = in force
) STRICT;
CREATE INDEX annotations_by_day ON annotations (first_day, last_day);
