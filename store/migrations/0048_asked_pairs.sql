-- Spot pairs that somebody asked for in the console, by account: their open orders are followed
-- for a day. A row is deleted after that.
CREATE TABLE asked_pairs (
	account  TEXT    NOT NULL, -- its name
	pair     TEXT    NOT NULL,
	asked_ms INTEGER NOT NULL, -- last time
	PRIMARY KEY (account, pair)
) STRICT, WITHOUT ROWID;
