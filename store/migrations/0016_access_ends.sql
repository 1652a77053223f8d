-- An API token ends by itself. Those that work today get as long from now as a
-- new one has, 90 days, so that nothing stops on the day of the upgrade.
ALTER TABLE tokens ADD COLUMN expires_ms INTEGER NOT NULL DEFAULT 0; -- 0 = never
UPDATE tokens SET expires_ms = unixepoch() * 1000 + 90 * 86400000 WHERE revoked_ms = 0;

-- What a browser called itself when somebody first signed in with it, for the
-- notice of a new one.
ALTER TABLE devices ADD COLUMN first_ms INTEGER NOT NULL DEFAULT 0; -- 0 = before this was noted
ALTER TABLE devices ADD COLUMN agent    TEXT    NOT NULL DEFAULT '';
ALTER TABLE devices ADD COLUMN address  TEXT    NOT NULL DEFAULT '';
