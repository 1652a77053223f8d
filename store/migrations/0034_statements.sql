-- Statements to sub-affiliates, as they were issued. A correction is a new statement.
CREATE TABLE statements (
	id           INTEGER PRIMARY KEY,
	sequence     INTEGER NOT NULL UNIQUE,          -- 1, 2, 3 without a gap
	number       TEXT    NOT NULL UNIQUE,          -- 2026-09-0001: its month and the sequence
	month        TEXT    NOT NULL,                 -- its first UTC day
	uid          TEXT    NOT NULL,                 -- of the sub-affiliate
	name         TEXT    NOT NULL,                 -- of the payee; '' = none was kept
	due          TEXT    NOT NULL,                 -- our share
	difference   TEXT    NOT NULL,                 -- to the statement that it corrects; due without one
	incomplete   TEXT    NOT NULL,                 -- why it was issued although something was missing; '' = nothing was
	corrects_id  INTEGER UNIQUE REFERENCES statements,
	as_of_ms     INTEGER NOT NULL,                 -- the rows are those of this instant
	issued_ms    INTEGER NOT NULL,
	actor        TEXT    NOT NULL,
	content      TEXT    NOT NULL,                 -- what is printed, as JSON
	pdf          BLOB    NOT NULL,
	xlsx         BLOB    NOT NULL
) STRICT;
CREATE UNIQUE INDEX statements_once ON statements (uid, month) WHERE corrects_id IS NULL;
CREATE INDEX statements_by_month ON statements (month, uid);
CREATE TRIGGER statements_keep BEFORE UPDATE ON statements
BEGIN SELECT RAISE(ABORT, 'statements are never changed'); END;
CREATE TRIGGER statements_keep_all BEFORE DELETE ON statements
BEGIN SELECT RAISE(ABORT, 'statements are never deleted'); END;

-- When statements were paid.
CREATE TABLE statement_payments (
	id           INTEGER PRIMARY KEY,
	statement_id INTEGER NOT NULL REFERENCES statements,
	day          TEXT    NOT NULL,
	reference    TEXT    NOT NULL,
	actor        TEXT    NOT NULL,
	created_ms   INTEGER NOT NULL,
	removed_by   TEXT    NOT NULL,                 -- '' = in force
	removed_ms   INTEGER                           -- NULL = in force
) STRICT;
CREATE UNIQUE INDEX statement_payments_in_force ON statement_payments (statement_id) WHERE removed_ms IS NULL;

-- To whom statements are addressed.
CREATE TABLE payees (
	uid        TEXT    PRIMARY KEY NOT NULL,
	name       TEXT    NOT NULL,                   -- '' = not known, as in the columns below
	address    TEXT    NOT NULL,                   -- several lines
	email      TEXT    NOT NULL,
	payment    TEXT    NOT NULL,                   -- where to pay, several lines
	actor      TEXT    NOT NULL,
	updated_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Which mails are about a statement.
CREATE INDEX messages_by_scope ON messages (scope);
