-- People, by the UID of the exchange, in whichever accounts it appears. Nothing of it comes
-- from the exchange. A UID that no record and no list has may be among them.
CREATE TABLE people (
	uid         TEXT    PRIMARY KEY NOT NULL,
	name        TEXT    NOT NULL, -- '' = none, as in the columns below
	folded      TEXT    NOT NULL, -- the name without letter case, for the search
	invite_code TEXT    NOT NULL, -- ours; it counts where the exchange tells none
	owner       TEXT    NOT NULL,
	cost        TEXT    NOT NULL,
	cost_coin   TEXT    NOT NULL,
	note        TEXT    NOT NULL,
	changed_ms  INTEGER NOT NULL,
	changed_by  TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

-- Tags are those of a person. They take the place of the tags of invitees.
CREATE TABLE people_tags (
	folded     TEXT    NOT NULL, -- has no letter case: "VIP" and "vip" are one tag
	uid        TEXT    NOT NULL,
	tag        TEXT    NOT NULL, -- as it was written when it was first used
	created_ms INTEGER NOT NULL,
	PRIMARY KEY (folded, uid)
) STRICT, WITHOUT ROWID;
CREATE INDEX people_tags_by_uid ON people_tags (uid);
INSERT INTO people_tags (folded, uid, tag, created_ms)
SELECT folded, uid, min(tag), min(created_ms) FROM invitee_tags GROUP BY folded, uid;
DROP TABLE invitee_tags;

-- Each change of a person: states of the past are found by it, and an import is undone by it.
CREATE TABLE people_changes (
	id        INTEGER PRIMARY KEY,
	uid       TEXT    NOT NULL,
	seen_ms   INTEGER NOT NULL,
	field     TEXT    NOT NULL,
	was       TEXT    NOT NULL,
	became    TEXT    NOT NULL,
	actor     TEXT    NOT NULL,
	import_id INTEGER NOT NULL  -- 0 = not by an import
) STRICT;
CREATE INDEX people_changes_by_uid ON people_changes (uid, seen_ms);
CREATE INDEX people_changes_by_import ON people_changes (import_id) WHERE import_id > 0;

-- The imports of people files.
CREATE TABLE people_imports (
	id          INTEGER PRIMARY KEY,
	imported_ms INTEGER NOT NULL,
	actor       TEXT    NOT NULL,
	file        TEXT    NOT NULL, -- its name
	added       INTEGER NOT NULL, -- people of whom nothing was kept before
	changed     INTEGER NOT NULL,
	unchanged   INTEGER NOT NULL,
	unknown     INTEGER NOT NULL, -- of these, UIDs that no record and no list had
	undone_ms   INTEGER NOT NULL, -- 0 = in force
	undone_by   TEXT    NOT NULL,
	kept        INTEGER NOT NULL  -- values that the undoing left, since they had been changed again
) STRICT;

-- Files that were shown as a preview and wait to be confirmed.
CREATE TABLE people_drafts (
	token       TEXT    PRIMARY KEY NOT NULL,
	created_ms  INTEGER NOT NULL,
	actor       TEXT    NOT NULL,
	file        TEXT    NOT NULL, -- its name
	content     BLOB    NOT NULL
) STRICT, WITHOUT ROWID;

-- people_ms is the stamp of the newest change of a person; names_hidden hides names from viewers.
ALTER TABLE meta ADD COLUMN people_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE meta ADD COLUMN names_hidden INTEGER NOT NULL DEFAULT 0;

-- Records are joined with people on each worker of a distributed database.
-- postgres: DO $guard$ BEGIN
-- postgres: 	IF EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') THEN
-- postgres: 		IF EXISTS (SELECT 1 FROM pg_dist_partition WHERE partmethod = 'h') THEN
-- postgres: 			PERFORM create_reference_table('people');
-- postgres: 			PERFORM create_reference_table('people_changes');
-- postgres: 		END IF;
-- postgres: 	END IF;
-- postgres: END $guard$;
