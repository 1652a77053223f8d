-- The stamp of the newest write that changed the commissions of a reporting day. Sums of days
-- without a newer stamp are still right. A day without a line has not changed since rolled_ms.
CREATE TABLE commission_changes (
	day        TEXT    NOT NULL PRIMARY KEY,
	changed_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Stamps of the newest write before the roll-ups were built as a whole, and of the newest
-- write that changed an invitee.
ALTER TABLE meta ADD COLUMN rolled_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE meta ADD COLUMN invitees_ms INTEGER NOT NULL DEFAULT 0;
