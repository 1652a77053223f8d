-- Tells writes that files of reports show from those that they do not, such as lines of the audit
-- log: an answer stays the same as long as only the latter follow.
ALTER TABLE meta ADD COLUMN aside_ms    INTEGER NOT NULL DEFAULT 0; -- stamp of the newest write beside the reports
ALTER TABLE meta ADD COLUMN reported_ms INTEGER NOT NULL DEFAULT 0; -- newest stamp of another write before it
