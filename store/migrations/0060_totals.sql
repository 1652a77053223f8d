-- Figures of invitees that only grow, as they were read: a row for each run of equal readings.
CREATE TABLE totals (
	account_id      INTEGER NOT NULL REFERENCES accounts,
	uid             TEXT    NOT NULL,
	first_ms        INTEGER NOT NULL, -- when these figures were first read, by the exchange's clock
	last_ms         INTEGER NOT NULL, -- and last
	commission      TEXT    NOT NULL, -- '' = not said, as in the columns below
	fee             TEXT    NOT NULL,
	volume          TEXT    NOT NULL,
	most_commission TEXT    NOT NULL, -- the highest so far, from which what is added is counted
	most_fee        TEXT    NOT NULL,
	most_volume     TEXT    NOT NULL,
	PRIMARY KEY (account_id, uid, first_ms)
) STRICT, WITHOUT ROWID;

-- Readings of these figures.
CREATE TABLE readings (
	id         INTEGER PRIMARY KEY,
	account_id INTEGER NOT NULL REFERENCES accounts,
	started_ms INTEGER NOT NULL, -- by the exchange's clock
	complete   INTEGER NOT NULL CHECK (complete IN (0, 1)) -- 0 = it broke off
) STRICT;
CREATE INDEX readings_by_account ON readings (account_id, complete, started_ms);
