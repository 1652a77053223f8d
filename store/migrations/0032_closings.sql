-- What was known of a month when it was closed. A closing is never changed or deleted; only
-- its reopening is added, once.
CREATE TABLE closings (
	id           INTEGER PRIMARY KEY,
	month        TEXT    NOT NULL,  -- its first day
	zone         TEXT    NOT NULL,  -- of its days
	known_ms     INTEGER NOT NULL,  -- the figures are as of this instant: the stamp of the newest write before
	closed_ms    INTEGER NOT NULL,  -- stamp of its own write
	actor        TEXT    NOT NULL,
	complete     INTEGER NOT NULL CHECK (complete IN (0, 1)),
	proof        TEXT    NOT NULL,  -- why it was complete, or what was missing; one sentence per line
	reason       TEXT,              -- why it was closed incomplete, or a note; NULL = none
	reopened_ms  INTEGER,           -- NULL = in force
	reopened_by  TEXT,
	reopened_why TEXT
) STRICT;
CREATE UNIQUE INDEX closings_in_force ON closings (month) WHERE reopened_ms IS NULL;

-- The sums of a closed month.
CREATE TABLE closing_sums (
	closing_id   INTEGER NOT NULL REFERENCES closings,
	account      TEXT    NOT NULL,
	product      TEXT    NOT NULL,
	coin         TEXT    NOT NULL,
	source       TEXT    NOT NULL,
	records      INTEGER NOT NULL,
	fee          TEXT    NOT NULL,
	commission   TEXT    NOT NULL,
	taker_amount TEXT    NOT NULL,
	maker_amount TEXT    NOT NULL,
	PRIMARY KEY (closing_id, account, product, coin, source)
) STRICT, WITHOUT ROWID;

-- How completely each stream was collected: UTC days of which a part lies in the month.
CREATE TABLE closing_coverage (
	closing_id INTEGER NOT NULL REFERENCES closings,
	account    TEXT    NOT NULL,
	stream     TEXT    NOT NULL,
	product    TEXT    NOT NULL,  -- '' = the stream has none
	days       INTEGER NOT NULL,
	collected  INTEGER NOT NULL,
	settled    INTEGER NOT NULL,  -- of these, read after the exchange had stopped changing them
	verified   INTEGER NOT NULL,  -- of these, found the same by two readings in a row
	failed     INTEGER NOT NULL,
	missing    INTEGER NOT NULL,
	beyond     INTEGER NOT NULL,  -- the exchange does not give them
	read_ms    INTEGER,           -- when its newest reading began; NULL = none
	PRIMARY KEY (closing_id, account, stream, product)
) STRICT, WITHOUT ROWID;

-- The lines of payments that were open.
CREATE TABLE closing_payments (
	closing_id INTEGER NOT NULL REFERENCES closings,
	number     INTEGER NOT NULL,  -- 1, 2, 3
	account    TEXT    NOT NULL,
	coin       TEXT    NOT NULL,
	kind       TEXT    NOT NULL,
	from_ms    INTEGER NOT NULL,
	to_ms      INTEGER NOT NULL,
	bill       TEXT    NOT NULL,  -- of a payment without a period; '' = it has a period
	state      TEXT    NOT NULL,
	earned     TEXT    NOT NULL,
	paid       TEXT    NOT NULL,
	difference TEXT    NOT NULL,
	PRIMARY KEY (closing_id, number)
) STRICT, WITHOUT ROWID;

-- What was found about the month.
CREATE TABLE closing_findings (
	closing_id INTEGER NOT NULL REFERENCES closings,
	number     INTEGER NOT NULL,  -- 1, 2, 3
	kind       TEXT    NOT NULL,
	account    TEXT    NOT NULL,  -- '' = all
	coin       TEXT    NOT NULL,
	records    INTEGER NOT NULL,
	amount     TEXT    NOT NULL,  -- what happened less what was due
	words      TEXT    NOT NULL,
	PRIMARY KEY (closing_id, number)
) STRICT, WITHOUT ROWID;

-- Until when a message told what became known of a month after it had been closed.
CREATE TABLE message_months (
	message_id INTEGER NOT NULL REFERENCES messages,
	month      TEXT    NOT NULL,  -- its first day
	until_ms   INTEGER NOT NULL,
	PRIMARY KEY (message_id, month)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER closings_keep BEFORE UPDATE ON closings
WHEN OLD.reopened_ms IS NOT NULL OR NEW.reopened_ms IS NULL OR NEW.id <> OLD.id OR NEW.month <> OLD.month OR NEW.zone <> OLD.zone
	OR NEW.known_ms <> OLD.known_ms OR NEW.closed_ms <> OLD.closed_ms OR NEW.actor <> OLD.actor OR NEW.complete <> OLD.complete
	OR NEW.proof <> OLD.proof OR coalesce(NEW.reason, '') <> coalesce(OLD.reason, '')
BEGIN SELECT RAISE(ABORT, 'a closing can only be reopened, once'); END;
CREATE TRIGGER closings_keep_all BEFORE DELETE ON closings
BEGIN SELECT RAISE(ABORT, 'closings are never deleted'); END;
CREATE TRIGGER closing_sums_keep BEFORE UPDATE ON closing_sums
BEGIN SELECT RAISE(ABORT, 'the sums of a closing are never changed'); END;
CREATE TRIGGER closing_sums_keep_all BEFORE DELETE ON closing_sums
BEGIN SELECT RAISE(ABORT, 'the sums of a closing are never deleted'); END;
CREATE TRIGGER closing_coverage_keep BEFORE UPDATE ON closing_coverage
BEGIN SELECT RAISE(ABORT, 'the coverage of a closing is never changed'); END;
CREATE TRIGGER closing_coverage_keep_all BEFORE DELETE ON closing_coverage
BEGIN SELECT RAISE(ABORT, 'the coverage of a closing is never deleted'); END;
CREATE TRIGGER closing_payments_keep BEFORE UPDATE ON closing_payments
BEGIN SELECT RAISE(ABORT, 'the payments of a closing are never changed'); END;
CREATE TRIGGER closing_payments_keep_all BEFORE DELETE ON closing_payments
BEGIN SELECT RAISE(ABORT, 'the payments of a closing are never deleted'); END;
CREATE TRIGGER closing_findings_keep BEFORE UPDATE ON closing_findings
BEGIN SELECT RAISE(ABORT, 'the findings of a closing are never changed'); END;
CREATE TRIGGER closing_findings_keep_all BEFORE DELETE ON closing_findings
BEGIN SELECT RAISE(ABORT, 'the findings of a closing are never deleted'); END;
