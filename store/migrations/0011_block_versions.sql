-- Each block says which state of it this is: a number that every write draws
-- anew, so that whoever keeps a block in memory can tell whether it is still
-- the stored one. It stands before the lines, where reading it costs no more.
CREATE TABLE commission_blocks_versioned (
	kind       TEXT    NOT NULL, -- what the lines are by: 'uid' or 'symbol'
	span       TEXT    NOT NULL, -- 'day', 'week' (from Monday), 'month' or 'year'
	day        TEXT    NOT NULL, -- the first reporting day of the block
	account_id INTEGER NOT NULL REFERENCES accounts,
	shard      INTEGER NOT NULL, -- lines of one UID stand in the same shard of each block
	names      INTEGER NOT NULL, -- how many UIDs or symbols have a line
	version    INTEGER NOT NULL, -- at random
	-- A line for each kind of records, in order, fields separated by tabs: name,
	-- product, coin, source, records, fee, commission, taker amount, maker amount.
	lines      TEXT    NOT NULL,
	PRIMARY KEY (kind, span, day, account_id, shard)
) STRICT;
INSERT INTO commission_blocks_versioned
	SELECT kind, span, day, account_id, shard, names, random(), lines FROM commission_blocks ORDER BY kind, span, day, account_id, shard;
DROP TABLE commission_blocks;
ALTER TABLE commission_blocks_versioned RENAME TO commission_blocks;
