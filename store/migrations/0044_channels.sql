-- Where messages go besides mail: webhooks, chats, and named groups of mail addresses. The address
-- and the signing secrets are sealed.
CREATE TABLE channels (
	id           INTEGER PRIMARY KEY,
	name         TEXT    NOT NULL COLLATE NOCASE,
	kind         TEXT    NOT NULL CHECK (kind IN ('webhook', 'telegram', 'slack', 'discord', 'email')),
	address      BLOB    NOT NULL, -- sealed
	shown        TEXT    NOT NULL, -- its host and last characters, which lists show
	secret       BLOB,             -- sealed; of webhooks
	old_secret   BLOB,             -- sealed; signs too until the instant below
	old_until_ms INTEGER,
	events       TEXT,             -- comma between; NULL = none
	owner        TEXT,             -- mail address that is told when the channel stops; NULL = nobody
	actor        TEXT    NOT NULL, -- who added it
	created_ms   INTEGER NOT NULL,
	updated_ms   INTEGER NOT NULL, -- tells two versions apart
	since_ms     INTEGER NOT NULL, -- what was over by then is not told
	paused_ms    INTEGER,          -- NULL = at work
	fault        TEXT,             -- why it stopped by itself; NULL = it works, or was paused by hand
	failing_ms   INTEGER,          -- since when its tries fail; NULL = the last one did not
	held_ms      INTEGER,          -- not tried before, as the receiver asked; NULL = at once
	removed_ms   INTEGER
) STRICT;
CREATE UNIQUE INDEX channels_by_name ON channels (name) WHERE removed_ms IS NULL;

-- What the events of a channel have found, as facts of alerts.
CREATE TABLE channel_facts (
	channel_id INTEGER NOT NULL REFERENCES channels,
	key        TEXT    NOT NULL,
	words      TEXT    NOT NULL,
	page       TEXT    NOT NULL,
	detail     TEXT,
	seen_ms    INTEGER NOT NULL,
	lasting_ms INTEGER,
	message_id INTEGER REFERENCES messages,
	PRIMARY KEY (channel_id, key)
) STRICT, WITHOUT ROWID;

ALTER TABLE facts ADD COLUMN detail TEXT;    -- JSON object for programs; NULL = of older versions
ALTER TABLE messages ADD COLUMN brief TEXT;  -- text for chats; NULL = of older versions
ALTER TABLE messages ADD COLUMN event TEXT;  -- JSON for webhooks; NULL = of older versions
ALTER TABLE deliveries ADD COLUMN channel_id INTEGER REFERENCES channels; -- NULL = to an address
ALTER TABLE deliveries ADD COLUMN posted INTEGER NOT NULL DEFAULT 0 CHECK (posted IN (0, 1)); -- 0 = by mail
CREATE INDEX deliveries_by_channel ON deliveries (channel_id, id) WHERE channel_id IS NOT NULL;
CREATE INDEX deliveries_to_post ON deliveries (channel_id, next_ms, id) WHERE state = 'waiting' AND posted = 1;
