-- In which coin a share of a sub-affiliate is settled. The exchange gives its figures without one.
ALTER TABLE terms ADD COLUMN coin TEXT NOT NULL DEFAULT ''; -- '' = not agreed, and of all scopes but sub-affiliate
