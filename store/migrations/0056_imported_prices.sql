-- Prices that people imported for days without a collected one. A row ends when a later import replaces
-- it or its import is undone; it is not altered otherwise, so that earlier states stay known.
CREATE TABLE imported_prices (
	id         INTEGER PRIMARY KEY,
	import_id  INTEGER NOT NULL, -- of people_imports
	coin       TEXT    NOT NULL,
	day        TEXT    NOT NULL, -- of the reporting zone
	price      TEXT    NOT NULL, -- of one coin, in USDT
	created_ms INTEGER NOT NULL,
	removed_ms INTEGER           -- NULL = in force
) STRICT;
CREATE UNIQUE INDEX imported_prices_in_force ON imported_prices (coin, day) WHERE removed_ms IS NULL;
CREATE INDEX imported_prices_by_coin ON imported_prices (coin, day);

-- Imports of people and of prices are numbered together: a number names one of them.
ALTER TABLE people_imports ADD COLUMN kind TEXT NOT NULL DEFAULT 'people'; -- people | prices
