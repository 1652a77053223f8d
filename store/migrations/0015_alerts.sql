-- What somebody wants to be told of by mail as soon as it happens.
--
-- An alert that was removed keeps its row, so that its number is never given to
-- another one: messages and the links that end them name it.
CREATE TABLE alerts (
	id          INTEGER PRIMARY KEY,
	name        TEXT    NOT NULL COLLATE NOCASE,
	account     TEXT    NOT NULL,              -- empty = all
	watches     TEXT    NOT NULL CHECK (watches IN ('collection', 'gap', 'drop', 'restatement', 'silence')),
	hours       INTEGER NOT NULL,              -- of collection and gap: how long it must last
	percent     INTEGER NOT NULL,              -- of drop: of the usual commission
	amount      TEXT    NOT NULL,              -- of restatement and silence; empty = none
	coin        TEXT    NOT NULL,              -- of drop, restatement and silence; empty = each
	quiet_from  INTEGER NOT NULL,              -- minute of the day
	quiet_until INTEGER NOT NULL,              -- the same minute = never quiet
	zone        TEXT    NOT NULL,              -- of the quiet time
	apart_hours INTEGER NOT NULL,              -- between two mails at least; 0 = as it comes
	since_ms    INTEGER NOT NULL,              -- what was over by then is not told
	told_ms     INTEGER NOT NULL DEFAULT 0,    -- when its newest mail was queued
	paused_ms   INTEGER NOT NULL DEFAULT 0,    -- 0 = at work
	removed_ms  INTEGER NOT NULL DEFAULT 0,
	created_ms  INTEGER NOT NULL,
	updated_ms  INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX alerts_by_name ON alerts (name) WHERE removed_ms = 0;

CREATE TABLE alert_recipients (
	alert_id   INTEGER NOT NULL REFERENCES alerts (id),
	address    TEXT    NOT NULL COLLATE NOCASE,
	stopped_ms INTEGER NOT NULL DEFAULT 0,     -- when the recipient asked to be left alone
	PRIMARY KEY (alert_id, address)
) STRICT, WITHOUT ROWID;

-- What an alert has found. The key says what it is about, and nothing of when it
-- was looked at: whatever the clock does, a fact is told once.
CREATE TABLE alert_facts (
	alert_id   INTEGER NOT NULL REFERENCES alerts (id),
	key        TEXT    NOT NULL,
	words      TEXT    NOT NULL,               -- as they are told
	page       TEXT    NOT NULL,               -- path that shows it
	seen_ms    INTEGER NOT NULL,
	lasting_ms INTEGER NOT NULL,               -- when it had lasted for long enough to be told; 0 = not yet
	message_id INTEGER NOT NULL DEFAULT 0,     -- that told it; 0 = none yet
	PRIMARY KEY (alert_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX alert_facts_untold ON alert_facts (alert_id) WHERE message_id = 0;
