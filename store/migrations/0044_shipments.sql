-- Exports that are delivered again and again, and each file of them.
CREATE TABLE dispatches (
	id             INTEGER PRIMARY KEY,
	name           TEXT    NOT NULL,
	kind           TEXT    NOT NULL, -- of the export
	format         TEXT    NOT NULL,
	every          TEXT    NOT NULL CHECK (every IN ('day', 'week', 'month')),
	hour           INTEGER NOT NULL,
	minute         INTEGER NOT NULL,
	content        TEXT    NOT NULL CHECK (content IN ('period', 'whole', 'incremental')),
	filters        TEXT    NOT NULL, -- a query string
	destination    TEXT    NOT NULL, -- a URL without secrets
	deadline_hours INTEGER NOT NULL,
	after_day      TEXT    NOT NULL, -- only periods that end later are delivered
	failures       INTEGER NOT NULL, -- tries that failed since the last one that did not
	next_ms        INTEGER,          -- of the next try after a failure
	paused_ms      INTEGER,
	created_ms     INTEGER NOT NULL,
	updated_ms     INTEGER NOT NULL,
	removed_ms     INTEGER
) STRICT;

CREATE TABLE shipments (
	id          INTEGER PRIMARY KEY,
	dispatch_id INTEGER NOT NULL REFERENCES dispatches (id),
	first_day   TEXT    NOT NULL, -- of the period
	last_day    TEXT    NOT NULL,
	number      INTEGER NOT NULL, -- of the deliveries of one period, from 1
	state       TEXT    NOT NULL CHECK (state IN ('waiting', 'sent', 'incomplete', 'skipped')),
	forced      INTEGER NOT NULL, -- 1 = it waits for no coverage
	queued_ms   INTEGER NOT NULL,
	lease       INTEGER NOT NULL,
	leased_ms   INTEGER,          -- until when it is being sent
	tries       INTEGER NOT NULL,
	as_of_ms    INTEGER,          -- the state that the file has
	since_ms    INTEGER,          -- of changes: since when they became known
	complete    INTEGER NOT NULL, -- 1 = that state has the whole range
	ended_ms    INTEGER,
	file        TEXT,
	bytes       INTEGER,
	row_count   INTEGER,
	sums        TEXT,             -- JSON, as in the manifest
	sha256      TEXT,
	answer      TEXT              -- the last error, or why it was skipped
) STRICT;
CREATE UNIQUE INDEX shipments_of_period ON shipments (dispatch_id, last_day, number);
CREATE INDEX shipments_waiting ON shipments (dispatch_id) WHERE state = 'waiting';
