-- What managers did about invitees on the worklist. A line is never changed, it is only undone.
CREATE TABLE worklist_acts (
	id         INTEGER PRIMARY KEY,
	account_id INTEGER NOT NULL REFERENCES accounts,
	uid        TEXT    NOT NULL,
	kind       TEXT    NOT NULL CHECK (kind IN ('done', 'dismissed', 'snoozed', 'planned', 'assigned')),
	reasons    TEXT    NOT NULL,  -- of done and dismissed: "silent 2026-09-01", with the day it began, a line each; '' = of others
	day        TEXT,              -- snoozed until, or planned for; NULL = of others
	owner      TEXT    NOT NULL,  -- assigned to; '' = to nobody, or of others
	actor      TEXT    NOT NULL,
	created_ms INTEGER NOT NULL,
	undone_by  TEXT    NOT NULL,  -- '' = in force
	undone_ms  INTEGER            -- NULL = in force
) STRICT;
CREATE INDEX worklist_acts_by_uid ON worklist_acts (account_id, uid, id);
CREATE INDEX worklist_acts_by_time ON worklist_acts (created_ms);
