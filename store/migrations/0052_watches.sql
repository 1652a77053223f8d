-- The program knows which conditions an alert may watch: one more needs no migration. SQLite builds a
-- table anew to change a CHECK.
PRAGMA defer_foreign_keys = ON;
CREATE TABLE kept AS SELECT * FROM subscriptions;
DROP TABLE subscriptions;
CREATE TABLE subscriptions (
	id             INTEGER PRIMARY KEY,
	kind           TEXT    NOT NULL CHECK (kind IN ('schedule', 'alert')),
	number         INTEGER NOT NULL,            -- of its kind: pages and the links in mails name it by this
	name           TEXT    NOT NULL COLLATE NOCASE,
	account        TEXT,                        -- NULL = all
	coin           TEXT,                        -- NULL = all
	zone           TEXT    NOT NULL,            -- of the hour or the quiet time; days are those of the reporting zone
	paused_ms      INTEGER,                     -- NULL = at work
	removed_ms     INTEGER,
	created_ms     INTEGER NOT NULL,
	updated_ms     INTEGER NOT NULL,            -- tells two versions apart
	-- Of schedules.
	every          TEXT    CHECK (every IN ('daily', 'weekly', 'monthly')),
	weekday        INTEGER,                     -- of weekly ones; 0 = Sunday
	month_day      INTEGER,                     -- of monthly ones; clipped to the month
	hour           INTEGER,
	minute         INTEGER,
	product        TEXT,                        -- NULL = all, as in the two columns below
	code           TEXT,
	sections       TEXT,                        -- comma between
	attach_csv     INTEGER CHECK (attach_csv IN (0, 1)),
	attach_xlsx    INTEGER CHECK (attach_xlsx IN (0, 1)),
	skip_empty     INTEGER CHECK (skip_empty IN (0, 1)),
	skip_below     TEXT,                        -- commission; NULL = never
	skip_coin      TEXT,
	deadline_hours INTEGER,                     -- after the hour: then it goes out incomplete
	correct_above  TEXT,                        -- change of commission; NULL = never
	correct_coin   TEXT,
	through_day    TEXT,                        -- last day of the newest period that was settled
	-- Of alerts.
	watches        TEXT,                        -- name of a condition
	hours          INTEGER,                     -- how long it must last
	percent        INTEGER,                     -- of what is usual
	amount         TEXT,
	quiet_from     INTEGER,                     -- minute of the day; NULL = never quiet
	quiet_until    INTEGER,
	apart_hours    INTEGER,                     -- between two mails at least; NULL = as it comes
	since_ms       INTEGER,                     -- what was over by then is not told
	told_ms        INTEGER,                     -- when its newest mail was queued
	as_user        TEXT,                        -- whose invitees it is about; NULL = everybody's
	segment        TEXT,                        -- NULL = all invitees
	UNIQUE (kind, number),
	CHECK (kind = CASE WHEN every IS NOT NULL AND watches IS NULL THEN 'schedule' WHEN every IS NULL AND watches IS NOT NULL THEN 'alert' END)
) STRICT;
INSERT INTO subscriptions SELECT * FROM kept;
DROP TABLE kept;
CREATE UNIQUE INDEX subscriptions_by_name ON subscriptions (kind, name) WHERE removed_ms IS NULL;
PRAGMA defer_foreign_keys = OFF;
-- postgres: ALTER TABLE subscriptions DROP CONSTRAINT subscriptions_watches_check;
