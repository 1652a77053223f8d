-- Calls that change something at the exchange, written and committed before a
-- byte of them is sent. Rows are kept for good.
CREATE TABLE intents (
	id      TEXT    PRIMARY KEY,         -- letters and digits; client order ids of pages begin with it
	account TEXT    NOT NULL,
	kind    TEXT    NOT NULL,            -- place, batch, cancel, cancel-batch, cancel-all or trigger
	pair    TEXT    NOT NULL,
	source  TEXT    NOT NULL,            -- page or proxy
	again   INTEGER NOT NULL,            -- 1 = the same order a moment ago is no mistake
	typed   TEXT    NOT NULL,            -- a digest of what was asked for
	actor   TEXT    NOT NULL,            -- who made it
	via     TEXT    NOT NULL,
	made_ms INTEGER NOT NULL,
	sent_ms INTEGER NOT NULL DEFAULT 0   -- when it was about to be sent; 0 = never
) STRICT;
CREATE INDEX intents_by_time ON intents (made_ms);
CREATE INDEX intents_sent ON intents (sent_ms) WHERE sent_ms > 0;

-- The orders or cancellations of a call, each with a state and what it rests
-- on. '' = the kind has no such field, or it is unknown.
CREATE TABLE intent_orders (
	intent_id     TEXT    NOT NULL REFERENCES intents,
	n             INTEGER NOT NULL,      -- from 0
	side          TEXT    NOT NULL,      -- buy or sell; '' = a cancellation
	type          TEXT    NOT NULL,
	force         TEXT    NOT NULL,
	price         TEXT    NOT NULL,
	quantity      TEXT    NOT NULL,
	trigger_price TEXT    NOT NULL,
	action        TEXT    NOT NULL,
	match         TEXT    NOT NULL,
	margin        INTEGER NOT NULL,
	client_id     TEXT    NOT NULL,
	order_id      TEXT    NOT NULL,      -- of the exchange
	worth         TEXT    NOT NULL,      -- what it counts in caps, in coin
	coin          TEXT    NOT NULL,
	state         TEXT    NOT NULL,
	status        INTEGER NOT NULL,      -- of HTTP; 0 = no answer
	code          TEXT    NOT NULL,
	message       TEXT    NOT NULL,
	class         TEXT    NOT NULL,
	rule          TEXT    NOT NULL,      -- of ours, that kept it from being sent
	at_ms         INTEGER NOT NULL,      -- of the outcome; 0 = none yet
	verdict       TEXT    NOT NULL,      -- of a person: done or not-done
	reason        TEXT    NOT NULL,
	decided_by    TEXT    NOT NULL,
	overridden_ms INTEGER NOT NULL,      -- 0 = it blocks while it is unknown
	PRIMARY KEY (intent_id, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX intent_orders_unsettled ON intent_orders (state) WHERE state IN ('sending', 'unknown');
CREATE INDEX intent_orders_by_client ON intent_orders (client_id);

-- Whether all sending is stopped. Without a row it never was.
CREATE TABLE trading_switch (
	id       INTEGER PRIMARY KEY CHECK (id = 1),
	stopped  INTEGER NOT NULL,
	actor    TEXT    NOT NULL,
	reason   TEXT    NOT NULL,
	since_ms INTEGER NOT NULL
) STRICT;
