-- How far a read reached is told by the exchange's clock; the stamps of writes
-- are by the clock of this machine, which may be hours off. Whether a read had
-- all of a day follows from the former alone. 0 = written before this was kept.
ALTER TABLE coverage ADD COLUMN first_through_ms INTEGER NOT NULL DEFAULT 0; -- of the first read, its beginning
ALTER TABLE slices   ADD COLUMN through_ms       INTEGER NOT NULL DEFAULT 0; -- its beginning
