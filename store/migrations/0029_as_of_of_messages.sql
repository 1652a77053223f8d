-- The instant as of which the figures of a summary stood. NULL: alerts, and messages of older
-- versions.
ALTER TABLE messages ADD COLUMN as_of_ms INTEGER;
