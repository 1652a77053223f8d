-- Lines of blocks are bytes: reading a figure takes a fifth of the time that its text
-- took. A block is an index and its lines; package rollup has their form.
DROP TABLE commission_blocks;
CREATE TABLE commission_blocks (
	kind       TEXT    NOT NULL, -- what the lines are by: 'uid' or 'symbol'
	span       TEXT    NOT NULL, -- 'day', 'week' (from Monday), 'month' or 'year'
	day        TEXT    NOT NULL, -- the first reporting day of the block
	account_id INTEGER NOT NULL REFERENCES accounts,
	shard      INTEGER NOT NULL, -- lines of one UID stand in the same shard of each block
	names      INTEGER NOT NULL, -- how many UIDs or symbols have a line
	lines      BLOB    NOT NULL,
	PRIMARY KEY (kind, span, day, account_id, shard)
) STRICT;

-- No zone: the roll-ups are made anew, when the database is opened.
UPDATE meta SET zone = '';
