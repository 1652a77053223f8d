-- Affiliate accounts that are kept here and not in the settings. The keys are
-- sealed with the master key, which is not in this file, and hold for the name
-- and the addresses of their row only: keys cannot be led to another address by
-- changing it here.
CREATE TABLE exchange_accounts (
	name              TEXT    PRIMARY KEY COLLATE NOCASE,
	base_url          TEXT    NOT NULL,
	contract_base_url TEXT    NOT NULL,
	api_version       TEXT    NOT NULL,
	locale            TEXT    NOT NULL,
	keys              BLOB    NOT NULL,
	trading_keys      BLOB    NOT NULL,           -- x'' = the account does not trade
	created_ms        INTEGER NOT NULL,
	rotated_ms        INTEGER NOT NULL,           -- when it was given its keys
	disabled_ms       INTEGER NOT NULL DEFAULT 0  -- 0 = in use
) STRICT;
