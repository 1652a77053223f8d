-- Who did what. Rows are only ever added, in an unbroken line of ids, and each
-- has a code (mac) over itself and the row before it, made with a key that is
-- not in this file. What is done here behind the program's back can therefore
-- be found out, also where the guards below were taken away first.
CREATE TABLE audit (
	id      INTEGER PRIMARY KEY, -- 1, 2, 3 without a gap
	at_ms   INTEGER NOT NULL,    -- the stamp of the write, so it never falls
	actor   TEXT    NOT NULL,    -- name of a user; '' = nobody was signed in
	via     TEXT    NOT NULL,    -- session, token, command or server
	address TEXT    NOT NULL,    -- of the client; '' = none
	action  TEXT    NOT NULL,
	object  TEXT    NOT NULL,    -- what was acted upon
	detail  TEXT    NOT NULL,
	outcome TEXT    NOT NULL,
	mac     BLOB    NOT NULL
) STRICT;
CREATE INDEX audit_by_time   ON audit (at_ms);
CREATE INDEX audit_by_actor  ON audit (actor);
CREATE INDEX audit_by_action ON audit (action);

-- How long the line is and how it ends, under a code of its own (seal): without
-- it rows could be taken from the end. The row appears with the first of audit.
CREATE TABLE audit_head (
	id     INTEGER PRIMARY KEY CHECK (id = 1),
	key_id TEXT    NOT NULL, -- name of the key that the codes are made with
	rows   INTEGER NOT NULL,
	mac    BLOB    NOT NULL, -- of the newest row
	seal   BLOB    NOT NULL
) STRICT;

CREATE TRIGGER audit_keep BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'rows of the audit log are never changed'); END;

CREATE TRIGGER audit_keep_all BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'rows of the audit log are never deleted'); END;

-- Replacing a row fires no delete trigger.
CREATE TRIGGER audit_in_line BEFORE INSERT ON audit
WHEN NEW.id IS NOT (SELECT rows + 1 FROM audit_head)
BEGIN SELECT RAISE(ABORT, 'rows of the audit log are added at its end only'); END;

CREATE TRIGGER audit_head_forward BEFORE UPDATE ON audit_head
WHEN NEW.rows <> OLD.rows + 1 OR NEW.id <> OLD.id OR NEW.key_id <> OLD.key_id
BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END;

CREATE TRIGGER audit_head_keep BEFORE DELETE ON audit_head
BEGIN SELECT RAISE(ABORT, 'the head of the audit log is never deleted'); END;

CREATE TRIGGER audit_head_once BEFORE INSERT ON audit_head
WHEN EXISTS (SELECT 1 FROM audit_head)
BEGIN SELECT RAISE(ABORT, 'the audit log has one head'); END;
