-- What was agreed. A change is a new line, so that earlier states stay known.
CREATE TABLE terms (
	id         INTEGER PRIMARY KEY,
	account    TEXT    NOT NULL,             -- its name; '' = every account
	scope      TEXT    NOT NULL CHECK (scope IN ('all', 'code', 'uid', 'sub-affiliate')),
	value      TEXT    NOT NULL,             -- the invite code or the UID; '' = all of the scope
	product    TEXT    NOT NULL,             -- '' = both
	source     TEXT    NOT NULL,             -- '' = both
	tier_by    TEXT    NOT NULL CHECK (tier_by IN ('', 'volume', 'active_traders')), -- '' = no tier
	tier_from  TEXT    NOT NULL,             -- without needless zeros; '' = no tier
	rate       TEXT    NOT NULL,             -- a fraction
	first_day  TEXT    NOT NULL,
	last_day   TEXT,                         -- NULL = until further notice
	note       TEXT    NOT NULL,
	reference  TEXT    NOT NULL,             -- a URL or the name of a document
	actor      TEXT    NOT NULL,
	created_ms INTEGER NOT NULL,
	removed_by TEXT    NOT NULL,             -- '' = in force
	removed_ms INTEGER                       -- NULL = in force
) STRICT;
CREATE UNIQUE INDEX terms_in_force ON terms (account, scope, value, product, source, tier_by, tier_from, first_day) WHERE removed_ms IS NULL;
