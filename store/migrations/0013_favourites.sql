-- Spot pairs that users have marked in the console. A user is known by name,
-- as the owner of a saved view is.
CREATE TABLE favourite_pairs (
	owner      TEXT    NOT NULL,
	pair       TEXT    NOT NULL,
	created_ms INTEGER NOT NULL,
	PRIMARY KEY (owner, pair)
) STRICT, WITHOUT ROWID;
