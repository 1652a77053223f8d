-- What a coin was worth: samples of spot prices, one an hour and coin at most.
-- They are only ever added and all of them are kept, so that a figure of then
-- can be converted again as it was then. A coin makes 8,760 rows a year, about
-- one megabyte; only coins that commission is earned in are sampled.
CREATE TABLE rates (
	quote      TEXT    NOT NULL,
	coin       TEXT    NOT NULL,
	hour       INTEGER NOT NULL CHECK (hour = at_ms / 3600000), -- since 1970, UTC
	at_ms      INTEGER NOT NULL, -- as the exchange says
	sampled_ms INTEGER NOT NULL, -- the stamp of the write
	price      TEXT    NOT NULL, -- of one coin, in the quote coin
	source     TEXT    NOT NULL,
	symbol     TEXT    NOT NULL,
	PRIMARY KEY (quote, coin, hour)
) STRICT, WITHOUT ROWID;
