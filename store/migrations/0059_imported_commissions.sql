-- Which days of which account an import of commissions covers; its number is that of people_imports.
CREATE TABLE commission_imports (
	import_id  INTEGER PRIMARY KEY,
	account_id INTEGER NOT NULL REFERENCES accounts,
	first_day  TEXT    NOT NULL, -- UTC
	last_day   TEXT    NOT NULL, -- UTC
	stamp_ms   INTEGER NOT NULL  -- of the write, as in rows
) STRICT;
