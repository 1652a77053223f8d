-- No cache tells blocks apart by their version any more: finished reports are
-- kept by the stamp of the last write.
ALTER TABLE commission_blocks DROP COLUMN version;
