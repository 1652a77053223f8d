-- Records of the exchange that could not be read, as received, until it sends them right. Their days
-- count as incomplete, except for rows of spared = 1: only a field that no figure needs is left out
-- of a record that counts.
-- postgres views
CREATE TABLE quarantine (
	id         INTEGER PRIMARY KEY,
	account_id INTEGER NOT NULL REFERENCES accounts,
	stream     TEXT    NOT NULL,
	product    TEXT    NOT NULL, -- '' where the stream has none
	day        TEXT    NOT NULL, -- UTC
	field      TEXT    NOT NULL, -- '' = the whole is no record
	value      TEXT    NOT NULL, -- of the field as received, shortened; '' = not given
	reason     TEXT    NOT NULL,
	record     TEXT    NOT NULL, -- as received, shortened
	copies     INTEGER NOT NULL CHECK (copies > 0),
	spared     INTEGER NOT NULL CHECK (spared IN (0, 1)),
	opened_ms  INTEGER NOT NULL,
	closed_ms  INTEGER           -- when a reading no longer had it; NULL = it is still so
) STRICT;
CREATE INDEX quarantine_open ON quarantine (account_id, stream, product, day) WHERE closed_ms IS NULL;
ALTER TABLE slices ADD COLUMN quarantined INTEGER NOT NULL DEFAULT 0; -- records that could not be read
ALTER TABLE slices ADD COLUMN notice TEXT;                            -- what could not be read of them; NULL = all could
ALTER TABLE runs ADD COLUMN quarantined INTEGER NOT NULL DEFAULT 0;

-- The place of a public trade among those of its millisecond, as the exchange lists them; 0 = the
-- oldest. Ids tell no order.
ALTER TABLE market_trades ADD COLUMN tie INTEGER NOT NULL DEFAULT 0;
