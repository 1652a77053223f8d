-- What the exchange answered, by slice that was written: a fingerprint of the bodies, which
-- stays, and on request the bodies themselves, for some days.
CREATE TABLE slice_answers (
	slice_id          INTEGER PRIMARY KEY REFERENCES slices,
	fingerprint       BLOB    NOT NULL, -- SHA-256 over the bodies, each after its length in 64 bits, big-endian
	answers           INTEGER NOT NULL,
	bytes             INTEGER NOT NULL, -- of the bodies
	request           TEXT    NOT NULL, -- the first one
	first_ms          INTEGER NOT NULL, -- when the first answer had arrived, by our clock
	last_ms           INTEGER NOT NULL,
	exchange_first_ms INTEGER,          -- by the exchange's clock; NULL = not said
	exchange_last_ms  INTEGER
) STRICT;

CREATE TABLE kept_answers (
	slice_id INTEGER PRIMARY KEY REFERENCES slice_answers,
	requests BLOB    NOT NULL, -- a line of JSON for each answer, compressed by zstd
	size     INTEGER NOT NULL, -- of both, compressed
	kept_ms  INTEGER NOT NULL,
	until_ms INTEGER NOT NULL, -- when it is to be deleted
	bodies   BLOB    NOT NULL  -- what the fingerprint is of, compressed by zstd
) STRICT;
CREATE INDEX kept_answers_by_until ON kept_answers (until_ms);
CREATE INDEX kept_answers_by_time ON kept_answers (kept_ms);
