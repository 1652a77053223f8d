-- The exchange of an account, by its name in settings; '' = it was never collected.
ALTER TABLE accounts ADD COLUMN exchange TEXT NOT NULL DEFAULT '';
UPDATE accounts SET exchange = 'weex';
ALTER TABLE exchange_accounts ADD COLUMN exchange TEXT NOT NULL DEFAULT 'weex';
