-- One row: what the database as a whole knows of itself.
CREATE TABLE meta (
	id            INTEGER PRIMARY KEY CHECK (id = 1),
	zone          TEXT    NOT NULL,          -- of the reporting day in the roll-ups
	last_write_ms INTEGER NOT NULL DEFAULT 0 -- newest stamp given to a write; stamps only grow
) STRICT;
INSERT INTO meta (id, zone) VALUES (1, 'UTC');

CREATE TABLE accounts (
	id          INTEGER PRIMARY KEY,
	name        TEXT NOT NULL UNIQUE,
	wanted_from TEXT NOT NULL DEFAULT '' -- the oldest UTC day that was ever to be collected; '' = not said
) STRICT;

-- Commission records have no id at the exchange. A row is opened when a read
-- returns it and closed when a later read of its slice no longer does; it is
-- never changed. An amount that the exchange did not give is ''.
CREATE TABLE commissions (
	id           INTEGER PRIMARY KEY,
	account_id   INTEGER NOT NULL REFERENCES accounts,
	product      TEXT    NOT NULL,
	deal_time_ms INTEGER NOT NULL,
	uid          TEXT    NOT NULL,
	symbol       TEXT    NOT NULL,
	source       TEXT    NOT NULL,
	coin         TEXT    NOT NULL,
	taker_amount TEXT    NOT NULL,
	maker_amount TEXT    NOT NULL,
	fee          TEXT    NOT NULL,
	rate         TEXT    NOT NULL,
	commission   TEXT    NOT NULL,
	opened_ms    INTEGER NOT NULL,
	closed_ms    INTEGER
) STRICT;
CREATE INDEX commissions_by_time ON commissions (deal_time_ms, account_id, product);
CREATE INDEX commissions_by_uid  ON commissions (uid, deal_time_ms);

-- Roll-ups of the open rows by reporting day. They hold nothing that the rows
-- do not; `webapp` can rebuild them at any time.
CREATE TABLE commission_days (
	day          TEXT    NOT NULL,
	account_id   INTEGER NOT NULL REFERENCES accounts,
	product      TEXT    NOT NULL,
	coin         TEXT    NOT NULL,
	source       TEXT    NOT NULL,
	records      INTEGER NOT NULL,
	fee          TEXT    NOT NULL,
	commission   TEXT    NOT NULL,
	taker_amount TEXT    NOT NULL,
	maker_amount TEXT    NOT NULL,
	PRIMARY KEY (day, account_id, product, coin, source)
) STRICT, WITHOUT ROWID;

CREATE TABLE commission_invitee_days (
	day          TEXT    NOT NULL,
	account_id   INTEGER NOT NULL REFERENCES accounts,
	uid          TEXT    NOT NULL,
	product      TEXT    NOT NULL,
	coin         TEXT    NOT NULL,
	source       TEXT    NOT NULL,
	records      INTEGER NOT NULL,
	fee          TEXT    NOT NULL,
	commission   TEXT    NOT NULL,
	taker_amount TEXT    NOT NULL,
	maker_amount TEXT    NOT NULL,
	PRIMARY KEY (day, account_id, uid, product, coin, source)
) STRICT, WITHOUT ROWID;

CREATE TABLE invitees (
	account_id       INTEGER NOT NULL REFERENCES accounts,
	uid              TEXT    NOT NULL,
	invite_code      TEXT    NOT NULL, -- '' = not said
	register_ms      INTEGER NOT NULL, -- 0 = not said, as in the columns below
	kyc              TEXT    NOT NULL, -- 'true', 'false' or ''
	first_deposit_ms INTEGER NOT NULL,
	first_trade_ms   INTEGER NOT NULL,
	last_deposit_ms  INTEGER NOT NULL,
	last_trade_ms    INTEGER NOT NULL,
	first_seen_ms    INTEGER NOT NULL,
	last_seen_ms     INTEGER NOT NULL,
	PRIMARY KEY (account_id, uid)
) STRICT, WITHOUT ROWID;
CREATE INDEX invitees_by_register ON invitees (register_ms);
CREATE INDEX invitees_by_code     ON invitees (invite_code);

-- What changed of an invitee, from what to what, and when it was noticed.
CREATE TABLE invitee_changes (
	id         INTEGER PRIMARY KEY,
	account_id INTEGER NOT NULL,
	uid        TEXT    NOT NULL,
	seen_ms    INTEGER NOT NULL,
	field      TEXT    NOT NULL,
	was        TEXT    NOT NULL,
	became     TEXT    NOT NULL,
	FOREIGN KEY (account_id, uid) REFERENCES invitees
) STRICT;
CREATE INDEX invitee_changes_by_uid ON invitee_changes (account_id, uid, seen_ms);

-- Opened and closed like commissions.
CREATE TABLE sub_affiliate_days (
	id              INTEGER PRIMARY KEY,
	account_id      INTEGER NOT NULL REFERENCES accounts,
	product         TEXT    NOT NULL,
	date            TEXT    NOT NULL, -- a UTC day
	uid             TEXT    NOT NULL,
	trading_volume  TEXT    NOT NULL,
	net_trading_fee TEXT    NOT NULL,
	paid_commission TEXT    NOT NULL,
	opened_ms       INTEGER NOT NULL,
	closed_ms       INTEGER
) STRICT;
CREATE INDEX sub_affiliate_days_by_date ON sub_affiliate_days (date, account_id, product);
CREATE INDEX sub_affiliate_days_by_uid  ON sub_affiliate_days (uid, date);

-- How far each UTC day of each stream has been read. A day without a row was
-- never tried.
CREATE TABLE coverage (
	account_id    INTEGER NOT NULL REFERENCES accounts,
	stream        TEXT    NOT NULL,
	product       TEXT    NOT NULL, -- '' where the stream has none
	day           TEXT    NOT NULL,
	through_ms    INTEGER NOT NULL, -- read up to here; 0 = never; the end of the day = whole
	first_read_ms INTEGER NOT NULL, -- when it was first read; 0 = never
	last_read_ms  INTEGER NOT NULL,
	agreed        INTEGER NOT NULL, -- reads in a row that found the same
	failed_ms     INTEGER NOT NULL, -- the last try failed then; 0 = it did not
	error         TEXT    NOT NULL,
	PRIMARY KEY (account_id, stream, product, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
	id          INTEGER PRIMARY KEY,
	account_id  INTEGER NOT NULL REFERENCES accounts,
	cause       TEXT    NOT NULL, -- what started it: schedule, command, button
	started_ms  INTEGER NOT NULL,
	finished_ms INTEGER NOT NULL, -- 0 = still running, or it died
	requests    INTEGER NOT NULL DEFAULT 0,
	weight      INTEGER NOT NULL DEFAULT 0,
	records     INTEGER NOT NULL DEFAULT 0,
	opened      INTEGER NOT NULL DEFAULT 0,
	closed      INTEGER NOT NULL DEFAULT 0,
	slices      INTEGER NOT NULL DEFAULT 0,
	failed      INTEGER NOT NULL DEFAULT 0, -- slices that could not be read
	error       TEXT    NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX runs_by_account ON runs (account_id, started_ms);

CREATE TABLE slices (
	id         INTEGER PRIMARY KEY,
	run_id     INTEGER NOT NULL REFERENCES runs,
	stream     TEXT    NOT NULL,
	product    TEXT    NOT NULL,
	from_ms    INTEGER NOT NULL,
	to_ms      INTEGER NOT NULL,
	started_ms INTEGER NOT NULL,
	ended_ms   INTEGER NOT NULL,
	requests   INTEGER NOT NULL,
	records    INTEGER NOT NULL,
	opened     INTEGER NOT NULL,
	closed     INTEGER NOT NULL,
	error      TEXT    NOT NULL -- '' = written
) STRICT;
CREATE INDEX slices_by_run ON slices (run_id);
