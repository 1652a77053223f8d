-- What was spent on invite codes, tags and segments. A change is a new line, so that earlier states stay known.
CREATE TABLE costs (
	id         INTEGER PRIMARY KEY,
	scope      TEXT    NOT NULL CHECK (scope IN ('code', 'tag', 'segment')),
	value      TEXT    NOT NULL, -- the code, the tag, or the name of the segment
	folded     TEXT    NOT NULL, -- the value without letter case
	kind       TEXT    NOT NULL CHECK (kind IN ('once', 'monthly', 'per_registration', 'per_first_trade')),
	amount     TEXT    NOT NULL, -- exact
	coin       TEXT    NOT NULL,
	first_day  TEXT    NOT NULL,
	last_day   TEXT,             -- NULL = until further notice
	note       TEXT    NOT NULL,
	actor      TEXT    NOT NULL,
	created_ms INTEGER NOT NULL,
	removed_ms INTEGER           -- NULL = in force
) STRICT;
CREATE INDEX costs_in_force ON costs (scope, folded, kind) WHERE removed_ms IS NULL;
