-- More roll-ups in blocks: kind 'code' by invite code (days; an invitee whose code is not
-- known has the code ''), kind 'pair' by UID and trading pair (months). Lines by UID of a
-- month say on which of its days there are records.
ALTER TABLE meta ADD COLUMN codes_ms INTEGER NOT NULL DEFAULT 0; -- stamp of the write that changed an invite code last

-- No zone: the roll-ups are made anew, when the database is opened.
UPDATE meta SET zone = '';
