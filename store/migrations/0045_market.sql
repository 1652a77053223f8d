-- Public trades and prices that were seen, and the candles of a minute that they make. They are
-- deleted after the time of the settings KEEP_TRADES and KEEP_CANDLES.
CREATE TABLE markets (
	id         INTEGER PRIMARY KEY,
	venue      TEXT    NOT NULL, -- host of the exchange
	pair       TEXT    NOT NULL,
	written_ms INTEGER NOT NULL, -- last write; changed first, so that two nodes write one after the other
	UNIQUE (venue, pair)
) STRICT;
CREATE TABLE market_trades (
	market_id INTEGER NOT NULL REFERENCES markets (id),
	trade_id  TEXT    NOT NULL, -- of the exchange
	time_ms   INTEGER NOT NULL,
	price     TEXT    NOT NULL, -- exact
	quantity  TEXT    NOT NULL, -- exact, in base currency
	side      TEXT    NOT NULL CHECK (side IN ('', 'buy', 'sell')), -- of the order that took; '' = unknown
	PRIMARY KEY (market_id, trade_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX market_trades_by_time ON market_trades (market_id, time_ms);
-- Last prices, for markets whose trades are not listed and for the line of a day.
CREATE TABLE market_prices (
	market_id INTEGER NOT NULL REFERENCES markets (id),
	time_ms   INTEGER NOT NULL, -- of the ticker
	price     TEXT    NOT NULL, -- exact
	PRIMARY KEY (market_id, time_ms)
) STRICT, WITHOUT ROWID;
CREATE TABLE market_minutes (
	market_id INTEGER NOT NULL REFERENCES markets (id),
	minute_ms INTEGER NOT NULL, -- its start
	open      TEXT    NOT NULL, -- exact, as all amounts here
	high      TEXT    NOT NULL,
	low       TEXT    NOT NULL,
	close     TEXT    NOT NULL,
	volume    TEXT,             -- in base currency; NULL = made of prices, not of trades
	trades    INTEGER NOT NULL, -- or prices
	PRIMARY KEY (market_id, minute_ms)
) STRICT, WITHOUT ROWID;
-- Times of which all trades are known, from the first millisecond to the last one with a trade.
-- Until asked_ms the exchange listed no later trade.
CREATE TABLE market_stretches (
	market_id INTEGER NOT NULL REFERENCES markets (id),
	from_ms   INTEGER NOT NULL,
	to_ms     INTEGER NOT NULL,
	asked_ms  INTEGER NOT NULL,
	PRIMARY KEY (market_id, from_ms)
) STRICT, WITHOUT ROWID;
