-- The least and the greatest amounts of records that were written together, up to 256 with
-- adjacent ids. A list sorted by an amount reads only the records that may be at its head.
-- A line is never changed: records may be closed, but not altered, and those closed
-- belong to the list as of an earlier instant.
CREATE TABLE commission_bounds (
	last_deal_ms  INTEGER NOT NULL,
	first_id      INTEGER NOT NULL,
	last_id       INTEGER NOT NULL,
	first_deal_ms INTEGER NOT NULL,
	least_taker_amount    TEXT NOT NULL, -- '', not given, is less than any number
	greatest_taker_amount TEXT NOT NULL,
	least_maker_amount    TEXT NOT NULL,
	greatest_maker_amount TEXT NOT NULL,
	least_fee             TEXT NOT NULL,
	greatest_fee          TEXT NOT NULL,
	least_rate            TEXT NOT NULL,
	greatest_rate         TEXT NOT NULL,
	least_commission      TEXT NOT NULL,
	greatest_commission   TEXT NOT NULL,
	PRIMARY KEY (last_deal_ms, first_id)
) STRICT, WITHOUT ROWID;

-- 0: not every record is within bounds yet; they are made when the database is opened.
ALTER TABLE meta ADD COLUMN bounded INTEGER NOT NULL DEFAULT 0;
UPDATE meta SET bounded = 1 WHERE NOT EXISTS (SELECT 1 FROM commissions);
