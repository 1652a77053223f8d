-- Schedules and alerts become subscriptions: what is sent by mail, to whom and
-- when. Days become text, as in all other tables, and NULL is none.
--
-- A subscription that was removed keeps its row, so that its number is never
-- given to another one of its kind.
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
	watches        TEXT    CHECK (watches IN ('collection', 'gap', 'drop', 'restatement', 'silence')),
	hours          INTEGER,                     -- of collection and gap: how long it must last
	percent        INTEGER,                     -- of drop: of the usual commission
	amount         TEXT,                        -- of restatement and silence
	quiet_from     INTEGER,                     -- minute of the day; NULL = never quiet
	quiet_until    INTEGER,
	apart_hours    INTEGER,                     -- between two mails at least; NULL = as it comes
	since_ms       INTEGER,                     -- what was over by then is not told
	told_ms        INTEGER,                     -- when its newest mail was queued
	UNIQUE (kind, number),
	CHECK (kind = CASE WHEN every IS NOT NULL AND watches IS NULL THEN 'schedule' WHEN every IS NULL AND watches IS NOT NULL THEN 'alert' END)
) STRICT;
CREATE UNIQUE INDEX subscriptions_by_name ON subscriptions (kind, name) WHERE removed_ms IS NULL;

INSERT INTO subscriptions (id, kind, number, name, account, coin, zone, paused_ms, removed_ms, created_ms, updated_ms,
	every, weekday, month_day, hour, minute, product, code, sections, attach_csv, attach_xlsx, skip_empty, skip_below, skip_coin,
	deadline_hours, correct_above, correct_coin, through_day)
SELECT id, 'schedule', id, name, nullif(account, ''), nullif(coin, ''), zone, nullif(paused_ms, 0), nullif(removed_ms, 0), created_ms, updated_ms,
	every, weekday, month_day, hour, minute, nullif(product, ''), nullif(code, ''), nullif(sections, ''), attach_csv, attach_xlsx, skip_empty,
	nullif(skip_below, ''), nullif(skip_coin, ''), deadline_hours, nullif(correct_above, ''), nullif(correct_coin, ''),
	date(through_day * 86400, 'unixepoch')
FROM summary_schedules ORDER BY id;

INSERT INTO subscriptions (kind, number, name, account, coin, zone, paused_ms, removed_ms, created_ms, updated_ms,
	watches, hours, percent, amount, quiet_from, quiet_until, apart_hours, since_ms, told_ms)
SELECT 'alert', id, name, nullif(account, ''), nullif(coin, ''), zone, nullif(paused_ms, 0), nullif(removed_ms, 0), created_ms, updated_ms,
	watches, nullif(hours, 0), nullif(percent, 0), nullif(amount, ''), CASE WHEN quiet_from <> quiet_until THEN quiet_from END,
	CASE WHEN quiet_from <> quiet_until THEN quiet_until END, nullif(apart_hours, 0), since_ms, nullif(told_ms, 0)
FROM alerts ORDER BY id;

CREATE TABLE recipients (
	subscription_id INTEGER NOT NULL REFERENCES subscriptions,
	address         TEXT    NOT NULL COLLATE NOCASE,
	stopped_ms      INTEGER,                    -- when the recipient asked to be left alone
	PRIMARY KEY (subscription_id, address)
) STRICT, WITHOUT ROWID;
INSERT INTO recipients
SELECT s.id, r.address, nullif(r.stopped_ms, 0) FROM summary_recipients r JOIN subscriptions s ON s.kind = 'schedule' AND s.number = r.schedule_id
UNION ALL
SELECT s.id, r.address, nullif(r.stopped_ms, 0) FROM alert_recipients r JOIN subscriptions s ON s.kind = 'alert' AND s.number = r.alert_id;

-- A message as it was made: a retry sends the same.
CREATE TABLE messages (
	id              INTEGER PRIMARY KEY,
	subscription_id INTEGER REFERENCES subscriptions, -- NULL = by hand
	scope           TEXT    NOT NULL,           -- what it is about
	every           TEXT,                       -- NULL = of an alert
	first_day       TEXT    NOT NULL,
	last_day        TEXT    NOT NULL,
	kind            TEXT    NOT NULL CHECK (kind IN ('summary', 'partial', 'corrected', 'skipped', 'manual', 'test', 'alert')),
	number          INTEGER NOT NULL,           -- counts those of the same kind, from 0
	made_ms         INTEGER NOT NULL,
	sender          TEXT    NOT NULL,
	subject         TEXT    NOT NULL,
	text            TEXT,                       -- NULL = it stands for a part of a digest
	html            TEXT,                       -- NULL = not kept any more
	picture         BLOB                        -- PNG
) STRICT;
INSERT INTO messages
SELECT m.id, s.id, m.scope, nullif(m.every, ''), date(m.first_day * 86400, 'unixepoch'), date(m.last_day * 86400, 'unixepoch'), m.kind, m.number,
	m.made_ms, m.sender, m.subject, nullif(m.text, ''), nullif(m.html, ''), nullif(m.picture, x'')
FROM summary_messages m
LEFT JOIN subscriptions s ON s.kind = CASE WHEN m.alert_id <> 0 THEN 'alert' ELSE 'schedule' END AND s.number = CASE WHEN m.alert_id <> 0 THEN m.alert_id ELSE m.schedule_id END
ORDER BY m.id;

CREATE TABLE attachments (
	message_id INTEGER NOT NULL REFERENCES messages,
	position   INTEGER NOT NULL,
	name       TEXT    NOT NULL,
	type       TEXT    NOT NULL,
	content    BLOB    NOT NULL,
	PRIMARY KEY (message_id, position)
) STRICT;
INSERT INTO attachments SELECT message_id, position, name, type, content FROM summary_attachments;

-- The commission that a message told, by which later changes are noticed.
CREATE TABLE message_totals (
	message_id INTEGER NOT NULL REFERENCES messages,
	coin       TEXT    NOT NULL,
	commission TEXT    NOT NULL,
	PRIMARY KEY (message_id, coin)
) STRICT, WITHOUT ROWID;
INSERT INTO message_totals SELECT message_id, coin, commission FROM summary_totals;

-- The outbox, and the log of it: one message to one recipient.
ALTER TABLE deliveries RENAME TO summary_deliveries;
CREATE TABLE deliveries (
	id         INTEGER PRIMARY KEY,
	message_id INTEGER NOT NULL REFERENCES messages,
	recipient  TEXT    NOT NULL,
	header_id  TEXT    NOT NULL UNIQUE,         -- Message-ID, without its brackets
	state      TEXT    NOT NULL CHECK (state IN ('waiting', 'sent', 'dead')),
	queued_ms  INTEGER NOT NULL,
	next_ms    INTEGER,                         -- not tried before; while it is tried, when it may be taken up again; NULL = at once
	lease      INTEGER NOT NULL DEFAULT 0,      -- counts who took it up: only the last one may say how it went
	tries      INTEGER NOT NULL DEFAULT 0,
	ended_ms   INTEGER,
	answer     TEXT                             -- of the mail server, or what else went wrong
) STRICT;
INSERT INTO deliveries
SELECT id, message_id, recipient, header_id, state, queued_ms, nullif(next_ms, 0), lease, tries, nullif(ended_ms, 0), nullif(answer, '')
FROM summary_deliveries ORDER BY id;

-- What an alert has found. The key says what it is about, and nothing of when it
-- was looked at: whatever the clock does, a fact is told once.
CREATE TABLE facts (
	subscription_id INTEGER NOT NULL REFERENCES subscriptions,
	key             TEXT    NOT NULL,
	words           TEXT    NOT NULL,           -- as they are told
	page            TEXT    NOT NULL,           -- path that shows it
	seen_ms         INTEGER NOT NULL,
	lasting_ms      INTEGER,                    -- when it had lasted for long enough to be told
	message_id      INTEGER REFERENCES messages, -- that told it
	PRIMARY KEY (subscription_id, key)
) STRICT, WITHOUT ROWID;
INSERT INTO facts
SELECT s.id, f.key, f.words, f.page, f.seen_ms, nullif(f.lasting_ms, 0), nullif(f.message_id, 0)
FROM alert_facts f JOIN subscriptions s ON s.kind = 'alert' AND s.number = f.alert_id;

DROP TABLE summary_deliveries;
DROP TABLE summary_totals;
DROP TABLE summary_attachments;
DROP TABLE summary_messages;
DROP TABLE summary_recipients;
DROP TABLE summary_schedules;
DROP TABLE alert_facts;
DROP TABLE alert_recipients;
DROP TABLE alerts;

-- The first word about a period is said once, whatever kind it is of.
CREATE UNIQUE INDEX messages_once ON messages (subscription_id, every, first_day) WHERE kind IN ('summary', 'partial', 'skipped');
CREATE UNIQUE INDEX messages_corrected ON messages (subscription_id, every, first_day, number) WHERE kind = 'corrected';
CREATE INDEX messages_by_subscription ON messages (subscription_id);
CREATE INDEX deliveries_waiting ON deliveries (next_ms, id) WHERE state = 'waiting';
CREATE INDEX deliveries_dead ON deliveries (ended_ms) WHERE state = 'dead';
CREATE INDEX deliveries_by_message ON deliveries (message_id);
CREATE INDEX facts_untold ON facts (subscription_id) WHERE message_id IS NULL;
