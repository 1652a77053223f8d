-- Saved questions about invitees, by name. A removed one stays: mails and goals may name it.
CREATE TABLE segments (
	id         INTEGER PRIMARY KEY,
	name       TEXT    NOT NULL,
	folded     TEXT    NOT NULL, -- the name without letter case
	definition TEXT    NOT NULL, -- a query string
	frozen_day TEXT,             -- the day on which its members were kept; NULL = they change as facts do
	members    TEXT    NOT NULL, -- of a frozen one: a JSON list of lists of account and UID; otherwise ''
	created_ms INTEGER NOT NULL,
	created_by TEXT    NOT NULL,
	updated_ms INTEGER NOT NULL, -- tells two versions apart
	updated_by TEXT    NOT NULL,
	removed_ms INTEGER           -- NULL = in use
) STRICT;
CREATE UNIQUE INDEX segments_by_name ON segments (folded) WHERE removed_ms IS NULL;

ALTER TABLE goals ADD COLUMN segment TEXT NOT NULL DEFAULT ''; -- '' = all invitees
DROP INDEX goals_in_force;
CREATE UNIQUE INDEX goals_in_force ON goals (month, coalesce(account_id, 0), coin, code, tag, segment) WHERE removed_ms IS NULL;

ALTER TABLE subscriptions ADD COLUMN segment TEXT; -- NULL = all invitees
