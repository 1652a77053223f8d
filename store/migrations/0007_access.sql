-- Who may enter. What lets somebody in stands here only as a hash, or sealed
-- with a key that is not in this file.

-- Users are disabled and never deleted, so that the audit log and the notes
-- keep meaning the same person.
CREATE TABLE users (
	id            INTEGER PRIMARY KEY,
	name          TEXT    NOT NULL,
	folded        TEXT    NOT NULL UNIQUE,     -- the name without its case
	role          TEXT    NOT NULL CHECK (role IN ('viewer', 'manager', 'admin', 'trader')),
	password      TEXT    NOT NULL,            -- argon2id, as a PHC string
	long_password INTEGER NOT NULL CHECK (long_password IN (0, 1)), -- long enough for the roles that need a code
	totp          BLOB,                        -- sealed; NULL = no codes
	totp_step     INTEGER NOT NULL DEFAULT 0,  -- of the newest code taken: neither it nor an older one works again
	created_ms    INTEGER NOT NULL,
	signed_in_ms  INTEGER NOT NULL DEFAULT 0,  -- last; 0 = never
	disabled_ms   INTEGER NOT NULL DEFAULT 0   -- 0 = not disabled
) STRICT;

-- A code that was used is no longer here.
CREATE TABLE recovery_codes (
	user_id INTEGER NOT NULL REFERENCES users,
	hash    BLOB    NOT NULL,
	PRIMARY KEY (user_id, hash)
) STRICT, WITHOUT ROWID;

-- A session that ended is no longer here. An id is never given twice, so that
-- an old page cannot end another session than it shows.
CREATE TABLE sessions (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	hash       BLOB    NOT NULL UNIQUE,
	user_id    INTEGER NOT NULL REFERENCES users,
	whole      INTEGER NOT NULL CHECK (whole IN (0, 1)), -- 0 = the code is still missing
	agent      TEXT    NOT NULL,
	address    TEXT    NOT NULL,
	created_ms INTEGER NOT NULL,
	seen_ms    INTEGER NOT NULL -- behind by up to a minute
) STRICT;
CREATE INDEX sessions_by_user ON sessions (user_id);

-- Browsers somebody has signed in with. They are slowed for their own guesses
-- and not for those of others.
CREATE TABLE devices (
	hash    BLOB    NOT NULL,
	user_id INTEGER NOT NULL REFERENCES users,
	used_ms INTEGER NOT NULL,
	PRIMARY KEY (hash, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX devices_by_user ON devices (user_id, used_ms);

CREATE TABLE tokens (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	hash       BLOB    NOT NULL UNIQUE,
	user_id    INTEGER NOT NULL REFERENCES users,
	name       TEXT    NOT NULL,
	scopes     TEXT    NOT NULL, -- with spaces between
	created_ms INTEGER NOT NULL,
	used_ms    INTEGER NOT NULL DEFAULT 0,  -- behind by up to a minute; 0 = never
	address    TEXT    NOT NULL DEFAULT '', -- of that use
	revoked_ms INTEGER NOT NULL DEFAULT 0   -- 0 = it works
) STRICT;
CREATE INDEX tokens_by_user ON tokens (user_id);

-- Guesses. The key is a hash of whom or where they are counted for, cut so
-- short for names that a password typed into the wrong field cannot be found
-- from it.
CREATE TABLE throttles (
	key      BLOB    PRIMARY KEY,
	count    INTEGER NOT NULL,
	since_ms INTEGER NOT NULL, -- the count is of the time from then on
	until_ms INTEGER NOT NULL, -- nothing is taken before
	last_ms  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX throttles_by_last ON throttles (last_ms);
