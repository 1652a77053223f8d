-- When something was changed last tells two of its versions apart: who changes what
-- somebody else has changed meanwhile is told first. What users do to themselves,
-- such as signing in, makes no other version.
ALTER TABLE users ADD COLUMN updated_ms INTEGER NOT NULL DEFAULT 0;
UPDATE users SET updated_ms = max(created_ms, disabled_ms);
ALTER TABLE exchange_accounts ADD COLUMN updated_ms INTEGER NOT NULL DEFAULT 0;
UPDATE exchange_accounts SET updated_ms = max(created_ms, rotated_ms, disabled_ms);
