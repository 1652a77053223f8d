-- The setting PAYOUT_RULE when a month was closed: its payments are those under this rule.
-- '' = found in the data.
ALTER TABLE closings ADD COLUMN payout_rule TEXT NOT NULL DEFAULT '';
CREATE TRIGGER closings_keep_rule BEFORE UPDATE ON closings WHEN NEW.payout_rule <> OLD.payout_rule
BEGIN SELECT RAISE(ABORT, 'a closing can only be reopened, once'); END;
