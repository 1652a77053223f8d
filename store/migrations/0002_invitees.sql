-- An invitee that a reading of its window missed although the exchange could
-- still list it has vanished, for the time being. For as long as an invitee is
-- listed, when it was last seen follows from coverage, so that a reading that
-- finds nothing new writes nothing here. last_seen_ms is 0 until a reading of
-- its registration day does not return it; then it is the one before.
ALTER TABLE invitees ADD COLUMN vanished_ms INTEGER NOT NULL DEFAULT 0; -- noticed then; 0 = it has not

-- The stamp of the write of the last read. last_read_ms is told by the
-- exchange's clock and cannot be compared with the stamps of rows.
ALTER TABLE coverage ADD COLUMN read_ms INTEGER NOT NULL DEFAULT 0;

-- What was read before: a day of registrations when its newest invitee was
-- seen, any other about when its read began.
UPDATE coverage SET read_ms = max(first_read_ms, min(last_read_ms, (SELECT last_write_ms FROM meta)));
UPDATE coverage SET read_ms = max(first_read_ms, (
	SELECT coalesce(max(i.last_seen_ms), 0) FROM invitees i
	WHERE i.account_id = coverage.account_id
		AND i.register_ms >= unixepoch(coverage.day) * 1000 AND i.register_ms < (unixepoch(coverage.day) + 86400) * 1000))
WHERE stream = 'invitees' AND EXISTS (
	SELECT 1 FROM invitees i
	WHERE i.account_id = coverage.account_id
		AND i.register_ms >= unixepoch(coverage.day) * 1000 AND i.register_ms < (unixepoch(coverage.day) + 86400) * 1000);
UPDATE invitees SET last_seen_ms = 0
WHERE register_ms = 0 OR last_seen_ms = (
	SELECT c.read_ms FROM coverage c
	WHERE c.account_id = invitees.account_id AND c.stream = 'invitees' AND c.product = ''
		AND c.day = date(invitees.register_ms / 1000, 'unixepoch'));

-- When a window was last read by some earlier instant.
CREATE INDEX slices_by_stream ON slices (stream, ended_ms);
