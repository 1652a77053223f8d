-- What people write themselves. Nothing of it comes from the exchange, and
-- nothing the exchange tells changes it.

-- Saved views. The owner '' shares a view with everybody. An id is never given
-- twice, so that an old page cannot delete another view than it shows.
CREATE TABLE saved_views (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	owner      TEXT    NOT NULL,
	name       TEXT    NOT NULL,
	path       TEXT    NOT NULL, -- of the page
	query      TEXT    NOT NULL, -- of its address, as text: what it means is found out when it is opened
	is_default INTEGER NOT NULL DEFAULT 0 CHECK (is_default IN (0, 1)),
	created_ms INTEGER NOT NULL,
	updated_ms INTEGER NOT NULL,
	UNIQUE (owner, path, name)
) STRICT;
CREATE UNIQUE INDEX saved_views_default ON saved_views (owner, path) WHERE is_default = 1;

-- Notes and tags hold no reference to invitees: who is known only from
-- commission has no row there.
CREATE TABLE invitee_notes (
	id         INTEGER PRIMARY KEY,
	account_id INTEGER NOT NULL REFERENCES accounts,
	uid        TEXT    NOT NULL,
	author     TEXT    NOT NULL, -- '' = written before there were users
	text       TEXT    NOT NULL,
	created_ms INTEGER NOT NULL,
	deleted_ms INTEGER NOT NULL DEFAULT 0 -- 0 = it stands
) STRICT;
CREATE INDEX invitee_notes_by_uid ON invitee_notes (account_id, uid, id);

-- The folded tag has no case: "VIP" and "vip" are one tag.
CREATE TABLE invitee_tags (
	folded     TEXT    NOT NULL,
	account_id INTEGER NOT NULL REFERENCES accounts,
	uid        TEXT    NOT NULL,
	tag        TEXT    NOT NULL, -- as it was written when it was first used
	created_ms INTEGER NOT NULL,
	PRIMARY KEY (folded, account_id, uid)
) STRICT, WITHOUT ROWID;
CREATE INDEX invitee_tags_by_uid ON invitee_tags (account_id, uid);
