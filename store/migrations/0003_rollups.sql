-- Roll-ups by invitee and by trading pair, in blocks of days. A block keeps its
-- lines together in one text: a page adds up tens of thousands of them, and as
-- rows of their own each would cost more to find than to add.
DROP TABLE commission_invitee_days;

CREATE TABLE commission_blocks (
	kind       TEXT    NOT NULL, -- what the lines are by: 'uid' or 'symbol'
	span       TEXT    NOT NULL, -- 'day', 'week' (from Monday), 'month' or 'year'
	day        TEXT    NOT NULL, -- the first reporting day of the block
	account_id INTEGER NOT NULL REFERENCES accounts,
	shard      INTEGER NOT NULL, -- lines of one UID stand in the same shard of each block
	names      INTEGER NOT NULL, -- how many UIDs or symbols have a line
	-- A line for each kind of records, in order, fields separated by tabs: name,
	-- product, coin, source, records, fee, commission, taker amount, maker amount.
	lines      TEXT    NOT NULL,
	PRIMARY KEY (kind, span, day, account_id, shard)
) STRICT;

-- No zone: the roll-ups are made anew, when the database is opened.
UPDATE meta SET zone = '';
