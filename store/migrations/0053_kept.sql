-- What people write and change, such as budgets: a row of any kind that has no table of its own. A change is a new row, so that earlier states stay known.
CREATE TABLE kept (
	id         INTEGER PRIMARY KEY,
	kind       TEXT    NOT NULL,            -- what a row is: "budget"
	account_id INTEGER REFERENCES accounts, -- NULL = every account
	fields     TEXT    NOT NULL,            -- a JSON object; amounts and days are texts
	actor      TEXT    NOT NULL,
	created_ms INTEGER NOT NULL,
	removed_ms INTEGER                      -- NULL = in force
) STRICT;
CREATE INDEX kept_in_force ON kept (kind) WHERE removed_ms IS NULL;
