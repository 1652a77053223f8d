-- What arrived in the wallets of an account, and where it went.
CREATE TABLE bills (
	id            INTEGER PRIMARY KEY,
	account_id    INTEGER NOT NULL REFERENCES accounts,
	wallet        TEXT    NOT NULL, -- spot or funding
	created_ms    INTEGER NOT NULL,
	bill_id       TEXT    NOT NULL,
	coin_id       TEXT    NOT NULL, -- '' = not given, as in the columns below
	coin          TEXT    NOT NULL,
	business_type TEXT    NOT NULL,
	amount        TEXT    NOT NULL, -- the change of the balance
	balance_after TEXT    NOT NULL,
	fees          TEXT    NOT NULL,
	fill_size     TEXT    NOT NULL,
	fill_value    TEXT    NOT NULL,
	opened_ms     INTEGER NOT NULL,
	closed_ms     INTEGER
) STRICT;
CREATE INDEX bills_by_time ON bills (created_ms, account_id, wallet);
CREATE INDEX bills_by_type ON bills (business_type, created_ms);

CREATE TABLE transfers (
	id          INTEGER PRIMARY KEY,
	account_id  INTEGER NOT NULL REFERENCES accounts,
	time_ms     INTEGER NOT NULL,
	coin        TEXT    NOT NULL,
	status      TEXT    NOT NULL,
	from_type   TEXT    NOT NULL,
	from_symbol TEXT    NOT NULL,
	to_type     TEXT    NOT NULL,
	to_symbol   TEXT    NOT NULL,
	amount      TEXT    NOT NULL,
	opened_ms   INTEGER NOT NULL,
	closed_ms   INTEGER
) STRICT;
CREATE INDEX transfers_by_time ON transfers (time_ms, account_id);

-- Streams that the exchange does not give, or not for all days that were asked for.
CREATE TABLE refused_streams (
	account_id INTEGER NOT NULL REFERENCES accounts,
	stream     TEXT    NOT NULL,
	since_ms   INTEGER NOT NULL, -- when it was first refused
	last_ms    INTEGER NOT NULL, -- when it was last refused
	error      TEXT    NOT NULL, -- of the exchange
	first_day  TEXT,             -- the first UTC day that it gives; NULL = it gives none, as the key may not read them
	PRIMARY KEY (account_id, stream)
) STRICT, WITHOUT ROWID;

-- The commission of each UTC hour, for payouts, whose periods do not depend on the reporting
-- zone: a line has the 24 sums of a day. A line whose sums are all zero is left out.
CREATE TABLE commission_hours (
	account_id INTEGER NOT NULL REFERENCES accounts,
	day        TEXT    NOT NULL, -- a UTC day
	coin       TEXT    NOT NULL,
	source     TEXT    NOT NULL,
	sums       TEXT    NOT NULL, -- by hour, with spaces between
	PRIMARY KEY (account_id, day, coin, source)
) STRICT, WITHOUT ROWID;

-- Payout rules that somebody fixed. The newest of those that hold from the same day counts.
CREATE TABLE payout_rules (
	id             INTEGER PRIMARY KEY,
	account_id     INTEGER REFERENCES accounts, -- NULL = every account
	first_day      TEXT    NOT NULL, -- UTC day of the first period under the rule
	rule           TEXT    NOT NULL, -- as in the setting PAYOUT_RULE; auto = found in the data
	actor          TEXT    NOT NULL,
	created_ms     INTEGER NOT NULL,
	removed_ms     INTEGER
) STRICT;

-- What people say about a line of the books.
CREATE TABLE payment_notes (
	id         INTEGER PRIMARY KEY,
	account_id INTEGER NOT NULL REFERENCES accounts,
	coin       TEXT    NOT NULL,
	kind       TEXT    NOT NULL, -- direct, sub or all
	from_ms    INTEGER NOT NULL, -- of the period; of a bill without a period: when it was written
	to_ms      INTEGER NOT NULL,
	bill       TEXT    NOT NULL, -- wallet and id of a bill without a period; '' = a period
	verdict    TEXT    NOT NULL CHECK (verdict IN ('', 'disputed', 'accepted', 'open')), -- '' = the note says nothing of it
	text       TEXT    NOT NULL,
	author     TEXT    NOT NULL,
	created_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX payment_notes_by_line ON payment_notes (account_id, coin, kind, from_ms, to_ms);

-- Stamp of the newest write whose commissions commission_hours has. A node of an older release
-- may write later ones: then the hours are not used, and the next write makes the roll-ups anew.
-- -1 = never made.
ALTER TABLE meta ADD COLUMN hours_ms INTEGER NOT NULL DEFAULT -1;

-- Alerts may also watch payments, and what is outstanding. SQLite builds a table anew to
-- change a CHECK.
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
	watches        TEXT    CHECK (watches IN ('collection', 'gap', 'drop', 'restatement', 'silence', 'payment', 'outstanding')),
	hours          INTEGER,                     -- of collection and gap: how long it must last
	percent        INTEGER,                     -- of drop: of the usual commission
	amount         TEXT,                        -- of restatement, silence and outstanding
	quiet_from     INTEGER,                     -- minute of the day; NULL = never quiet
	quiet_until    INTEGER,
	apart_hours    INTEGER,                     -- between two mails at least; NULL = as it comes
	since_ms       INTEGER,                     -- what was over by then is not told
	told_ms        INTEGER,                     -- when its newest mail was queued
	UNIQUE (kind, number),
	CHECK (kind = CASE WHEN every IS NOT NULL AND watches IS NULL THEN 'schedule' WHEN every IS NULL AND watches IS NOT NULL THEN 'alert' END)
) STRICT;
INSERT INTO subscriptions SELECT * FROM kept;
DROP TABLE kept;
CREATE UNIQUE INDEX subscriptions_by_name ON subscriptions (kind, name) WHERE removed_ms IS NULL;
PRAGMA defer_foreign_keys = OFF;
-- postgres: ALTER TABLE subscriptions DROP CONSTRAINT subscriptions_watches_check;
-- postgres: ALTER TABLE subscriptions ADD CONSTRAINT subscriptions_watches_check CHECK (watches IN ('collection', 'gap', 'drop', 'restatement', 'silence', 'payment', 'outstanding'));
