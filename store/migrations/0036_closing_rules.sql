-- The setting PAYOUT_RULE when a month was closed: its payments are those under this rule.
-- '' = found in the data.
ALTER TABLE closings ADD COLUMN payout_rule TEXT NOT NULL DEFAULT '';
