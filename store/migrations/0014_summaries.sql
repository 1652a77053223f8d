-- What is sent by mail: who gets which summary when, and every message that was
-- ever made, with what became of it.
--
-- A schedule that was removed keeps its row, so that its number is never given
-- to another one: messages are told apart by it.
CREATE TABLE summary_schedules (
	id             INTEGER PRIMARY KEY,
	name           TEXT    NOT NULL COLLATE NOCASE,
	account        TEXT    NOT NULL,            -- empty = all
	every          TEXT    NOT NULL CHECK (every IN ('daily', 'weekly', 'monthly')),
	weekday        INTEGER NOT NULL,            -- of weekly ones; 0 = Sunday
	month_day      INTEGER NOT NULL,            -- of monthly ones; clipped to the month
	hour           INTEGER NOT NULL,
	minute         INTEGER NOT NULL,
	zone           TEXT    NOT NULL,            -- of hour and minute; the days are those of the reporting zone
	product        TEXT    NOT NULL,
	coin           TEXT    NOT NULL,
	code           TEXT    NOT NULL,
	sections       TEXT    NOT NULL,            -- comma between; empty = all
	attach_csv     INTEGER NOT NULL CHECK (attach_csv IN (0, 1)),
	attach_xlsx    INTEGER NOT NULL CHECK (attach_xlsx IN (0, 1)),
	skip_empty     INTEGER NOT NULL CHECK (skip_empty IN (0, 1)),
	skip_below     TEXT    NOT NULL,            -- commission; empty = never
	skip_coin      TEXT    NOT NULL,
	deadline_hours INTEGER NOT NULL,            -- after the hour: then it goes out incomplete
	correct_above  TEXT    NOT NULL,            -- change of commission; empty = never
	correct_coin   TEXT    NOT NULL,
	through_day    INTEGER NOT NULL,            -- last day of the newest period that was settled
	paused_ms      INTEGER NOT NULL DEFAULT 0,  -- 0 = at work
	removed_ms     INTEGER NOT NULL DEFAULT 0,
	created_ms     INTEGER NOT NULL,
	updated_ms     INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX summary_schedules_by_name ON summary_schedules (name) WHERE removed_ms = 0;

CREATE TABLE summary_recipients (
	schedule_id INTEGER NOT NULL REFERENCES summary_schedules (id),
	address     TEXT    NOT NULL COLLATE NOCASE,
	stopped_ms  INTEGER NOT NULL DEFAULT 0,     -- when the recipient asked to be left alone
	PRIMARY KEY (schedule_id, address)
) STRICT, WITHOUT ROWID;

-- A message as it was made: a retry sends the same.
CREATE TABLE summary_messages (
	id          INTEGER PRIMARY KEY,
	schedule_id INTEGER NOT NULL,               -- 0 = by hand, or of an alert
	alert_id    INTEGER NOT NULL DEFAULT 0,
	scope       TEXT    NOT NULL,               -- what it is about, for messages of no schedule
	every       TEXT    NOT NULL,
	first_day   INTEGER NOT NULL,
	last_day    INTEGER NOT NULL,
	kind        TEXT    NOT NULL CHECK (kind IN ('summary', 'partial', 'corrected', 'skipped', 'manual', 'test', 'alert')),
	number      INTEGER NOT NULL,               -- counts those of the same kind, from 0
	made_ms     INTEGER NOT NULL,
	sender      TEXT    NOT NULL,
	subject     TEXT    NOT NULL,
	text        TEXT    NOT NULL,
	html        TEXT    NOT NULL,
	picture     BLOB    NOT NULL                -- PNG; empty = none
) STRICT;
-- The first word about a period is said once, whatever kind it is of.
CREATE UNIQUE INDEX summary_messages_once ON summary_messages (schedule_id, every, first_day)
	WHERE kind IN ('summary', 'partial', 'skipped');
CREATE UNIQUE INDEX summary_messages_corrected ON summary_messages (schedule_id, every, first_day, number)
	WHERE kind = 'corrected';
CREATE INDEX summary_messages_by_schedule ON summary_messages (schedule_id);

CREATE TABLE summary_attachments (
	message_id INTEGER NOT NULL REFERENCES summary_messages (id),
	position   INTEGER NOT NULL,
	name       TEXT    NOT NULL,
	type       TEXT    NOT NULL,
	content    BLOB    NOT NULL,
	PRIMARY KEY (message_id, position)
) STRICT;

-- The commission that a message told, by which later changes are noticed.
CREATE TABLE summary_totals (
	message_id INTEGER NOT NULL REFERENCES summary_messages (id),
	coin       TEXT    NOT NULL,
	commission TEXT    NOT NULL,
	PRIMARY KEY (message_id, coin)
) STRICT, WITHOUT ROWID;

-- The outbox, and the log of it: one message to one recipient.
CREATE TABLE deliveries (
	id         INTEGER PRIMARY KEY,
	message_id INTEGER NOT NULL REFERENCES summary_messages (id),
	recipient  TEXT    NOT NULL,
	header_id  TEXT    NOT NULL UNIQUE,         -- Message-ID, without its brackets
	state      TEXT    NOT NULL CHECK (state IN ('waiting', 'sent', 'dead')),
	queued_ms  INTEGER NOT NULL,
	next_ms    INTEGER NOT NULL,                -- not tried before; while it is tried, when it may be taken up again
	lease      INTEGER NOT NULL DEFAULT 0,      -- counts who took it up: only the last one may say how it went
	tries      INTEGER NOT NULL DEFAULT 0,
	ended_ms   INTEGER NOT NULL DEFAULT 0,
	answer     TEXT    NOT NULL DEFAULT ''      -- of the mail server, or what else went wrong
) STRICT;
CREATE INDEX deliveries_waiting ON deliveries (next_ms, id) WHERE state = 'waiting';
CREATE INDEX deliveries_dead ON deliveries (ended_ms) WHERE state = 'dead';
CREATE INDEX deliveries_by_message ON deliveries (message_id);
